--- rill.sph with random options, and particles that coincide, are alone, far away or behind walls, compared with sums
-- over all pairs in double precision.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local smoothed = require "spec.support.smoothed"

local function uniform(low, high) return low + (high - low) * math.random() end

local function pick(...)
    return (select(math.random(select("#", ...)), ...))
end

-- ---- a step again

local function add(list, scale, rates)
    for i, one in ipairs(list) do
        for d = 1, #one do one[d] = one[d] + scale * rates[i][d] end
    end
end

-- Planes as the manual has them, gone through twice: the place is mirrored times the restitution, and so is the velocity into the wall.
local function collide(state)
    for n = 1, 2 * #state.walls do
        local wall = state.walls[(n - 1) % #state.walls + 1]
        for i, x in ipairs(state.x) do
            local v, away, into = state.v[i], 0, 0
            for d, share in ipairs(wall.normal) do
                away, into = away + share * (x[d] - wall.point[d]), into + share * v[d]
            end
            for d, share in ipairs(wall.normal) do
                if away < 0 then
                    x[d] = x[d] - (1 + wall.restitution) * away * share
                    local along = v[d] - into * share
                    v[d] = into < 0 and (1 - wall.friction) * along - wall.restitution * into * share or v[d]
                end
            end
        end
    end
end

local function move(state, kick, drift)
    add(state.v, kick, state.a)
    add(state.x, drift, state.v)
    collide(state)
end

-- Densities and accelerations where the particles are, `flowed` seconds after densities were found before.
local function act(state, flowed)
    local how = state.how
    if how.densities == "continuity" then
        for i, rate in ipairs(smoothed.flows(state.x, state.v, how)) do
            state.rho[i] = state.rho[i] + flowed * rate
        end
    else
        state.rho = smoothed.densities(state.x, how)
    end
    local most
    state.a, most = smoothed.forces(state.x, state.v, state.rho, how)
    state.rough = math.max(state.rough, most)
end

local function step(state, dt)
    if state.how.integrator == "leapfrog" then
        move(state, 0, dt / 2)
        act(state, (dt + state.before) / 2)
        move(state, dt, dt / 2)
    else
        move(state, dt / 2, dt)
        act(state, dt)
        move(state, dt / 2, 0)
    end
    state.before = dt
end

-- The longest stable step.
local function limit_of(state)
    local how, speed, pull = state.how, 0, 0
    local origin = {0, 0, 0}
    for i = 1, #state.v do
        speed = math.max(speed, smoothed.apart(state.v[i], origin))
        pull = math.max(pull, smoothed.apart(state.a[i], origin))
    end
    local s, cfl = how.radius / 2, how.cfl
    local limit = cfl * math.min(s / (how.sound + speed), pull > 0 and math.sqrt(s / pull) or math.huge)
    return how.viscosity > 0 and math.min(limit, cfl * s * s * how.density / (2 * how.viscosity)) or limit
end

-- ---- cases

-- Positions near a grid, some twice with the same velocity, some far away, alone or together.
local function random_cloud(dimensions, h)
    local n = pick(1, 2, 3, 4, dimensions == 2 and 7 or 4)
    local x, v = {}, {}
    for i = 0, n ^ dimensions - 1 do
        local place, speed, rest = {}, {}, i // 1
        for d = 1, dimensions do
            place[d], speed[d], rest = h / 2 * (rest % n + uniform(-0.3, 0.3)), uniform(-1, 1), rest // n
        end
        x[#x + 1], v[#v + 1] = place, speed
        if math.random(8) == 1 then
            x[#x + 1], v[#v + 1] = {table.unpack(place)}, {table.unpack(speed)}
        elseif math.random(8) == 1 then
            place[math.random(dimensions)] = pick(-64 * h, 16 * h, 1000 * h, 1e5 * h)
        end
    end
    return x, v
end

local function random_options(dimensions, h)
    local how = {
        radius = h, kernel = pick("spiky", "poly6", "cubic"), state = pick("tait", "gas"), density = pick(1, 3),
        densities = pick("sum", "sum", "continuity"), integrator = pick("leapfrog", "verlet"),
        tension = pick(true, false), sound = uniform(5, 20), viscosity = pick(0, uniform(0, 0.1)),
        cfl = pick(0.25, 0.1), gravity = {},
    }
    for d = 1, dimensions do how.gravity[d] = pick(0, uniform(-5, 5)) end
    how.mass = how.density * (h / 2) ^ dimensions * uniform(0.8, 1.2)
    how.walls = {}
    for n = 1, pick(0, 0, 1, 2) do
        local normal, point = {}, {}
        for d = 1, dimensions do normal[d], point[d] = 0, uniform(0, h) end
        normal[n] = pick(-1, 1)
        how.walls[n] = {normal = normal, point = point, restitution = uniform(0, 1), friction = uniform(0, 1)}
    end
    return how
end

local function compare(wanted, got, most, what)
    for i = 1, #wanted do
        local off = type(wanted[i]) == "table" and smoothed.apart(wanted[i], got[i]) or math.abs(wanted[i] - got[i])
        if off > most or off ~= off then
            local a, b = wanted[i], got[i]
            a, b = type(a) == "table" and table.concat(a, " ") or a, type(b) == "table" and table.concat(b, " ") or b
            error(("%s: particle %d of %d is %s, expected %s, within %g"):format(what, i, #wanted, b, a, most))
        end
    end
end

local function largest(list)
    local most = 0
    for _, one in ipairs(list) do
        most = math.max(most, type(one) == "table" and smoothed.apart(one, {0, 0, 0}) or math.abs(one))
    end
    return most
end

local function compare_flow(dimensions)
    local h = pick(1, 0.1, uniform(0.05, 3))
    local x, v = random_cloud(dimensions, h)
    local how = random_options(dimensions, h)
    how.positions, how.velocities = rill.from(x, "vec" .. dimensions), rill.from(v, "vec" .. dimensions)
    local p <close> = rill.sph(how)
    local state = {
        how = how, x = how.positions:read(), v = how.velocities:read(), rho = {}, before = 0, rough = 0,
        walls = how.walls,
    }
    state.a = how.velocities:read() -- of no account until there are forces
    for i = 1, #x do state.rho[i] = how.density end
    move(state, 0, 0) -- what starts behind a wall does not stay there
    act(state, 0)
    move(state, 0, 0)
    compare(state.rho, p.density:values(), 1e-5 * largest(state.rho), "density")
    for n = 1, 3 do
        local limit = limit_of(state)
        local given = math.random(2) == 1 and uniform(0.1, 0.9) * limit or nil
        p:step(given)
        assert(math.abs(p.limit / limit - 1) < 1e-3, ("step %d: limit %g, expected %g"):format(n, p.limit, limit))
        step(state, p.dt)
        local rounding = 2e-4 + 1e-6 * largest(state.x) / h -- the latter of places, which are floats
        local speed = 1e-5 * largest(state.v) + rounding * state.rough * p.time
        compare(state.v, p.velocities:read(), speed, "velocity, step " .. n)
        compare(state.x, p.positions:read(), 1e-6 * largest(state.x) + speed * p.time, "place, step " .. n)
        compare(state.rho, p.density:values(), rounding * largest(state.rho), "density, step " .. n)
    end
end

local function run(compare_case, from, to, ...)
    for seed = from, to do
        math.randomseed(seed)
        local done, why = pcall(compare_case, ...)
        if not done then
            error(("seed %d: %s"):format(seed, tostring(why)), 0)
        end
    end
end

describe("rill.sph with random options", function()
    leaks.watch(setup, teardown)

    it("moves as sums over all pairs in double precision", function() run(compare_flow, 1, 2, 2) end)
    for dimensions = 2, 3 do
        it(("moves so in %d dimensions, often #long"):format(dimensions), function()
            run(compare_flow, 100, 160, dimensions)
        end)
    end

    it("names what is not finite", function()
        for seed = 1, 6 do
            math.randomseed(seed)
            local count, at, bad = 9, math.random(9), pick(0 / 0, 1 / 0, -1 / 0)
            local s = rill.stream("vec2", count, function(i) return {i == at and bad or i, i} end)
            local fine = rill.stream("vec2", count, function(i) return {i, i} end)
            local name = pick("positions", "velocities")
            local how = {positions = fine, radius = 1, sound = 1}
            how[name] = s
            check.names({"rill.sph", ("option '%s': element %d is not finite"):format(name, at)}, rill.sph, how)
        end
    end)
end)
