--- Waves and heat with random shapes, spacings, boundaries, fields, walls and steps, compared with the same schemes
-- in double precision, cell by cell.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local LONG <const> = os.getenv "RILL_SUITE_LONG"

-- The value outside of a dimension, by the boundary mode: the index of a cell from 1 to n that is read instead, or a
-- value.
local OUTSIDE <const> = {
    fixed = function() return nil, 0 end,
    free = function(i, n) return math.max(1, math.min(n, i)) end,
    absorb = function(i, n) return math.max(1, math.min(n, i)) end,
    insulated = function(i, n) return math.max(1, math.min(n, i)) end,
    periodic = function(i, n) return (i - 1) % n + 1 end,
}

-- All cells of a shape in order: the position, and for each dimension its two neighbors: their index, or the value
-- there.
local function cells_of(shape, sides)
    local cells, strides, count = {}, {}, 1
    for d = #shape, 1, -1 do strides[d], count = count, count * shape[d] end
    for k = 1, count do
        local cell = {at = {}, beside = {}}
        for d = 1, #shape do
            local i = (k - 1) // strides[d] % shape[d] + 1
            cell.at[d], cell.beside[d] = i, {}
            for side = 1, 2 do
                local there, value = i + 2 * side - 3, nil
                if there < 1 or there > shape[d] then
                    local outside = OUTSIDE[sides[d]] or function() return nil, sides[d] end
                    there, value = outside(there, shape[d])
                end
                cell.beside[d][side] = {there and k + (there - i) * strides[d], value}
            end
        end
        cells[k] = cell
    end
    return cells
end

-- The difference to a neighbor over the squared spacing, times the mean of two weights.
local function inflow(cell, k, z, spacing, weights)
    local sum = 0
    for d, pair in ipairs(cell.beside) do
        for _, one in ipairs(pair) do
            local there = one[1] and z[one[1]] or one[2]
            local weight = weights and (weights[k] + weights[one[1] or k]) / 2 or 1
            sum = sum + weight * (there - z[k]) / spacing[d] ^ 2
        end
    end
    return sum
end

local function largest(list)
    local most = 0
    for _, value in ipairs(list) do most = math.max(most, math.abs(value)) end
    return most
end

local function compare(wanted, stream, most, what)
    local got = stream:values()
    assert.equal(#wanted, #got)
    for k = 1, #wanted do
        local off = math.abs(got[k] - wanted[k])
        if off > most or off ~= off then
            error(("%s: cell %d is %.9g, expected %.9g, within %g"):format(what, k, got[k], wanted[k], most))
        end
    end
end

-- ---- random cases

local function uniform(low, high) return low + (high - low) * math.random() end

local function pick(...)
    return (select(math.random(select("#", ...)), ...))
end

local function random_shape(rank)
    local shape, spacing = {}, {}
    for d = 1, rank do
        shape[d], spacing[d] = pick(1, 2, 3, 4, 5, 7, 8, 9, 16, 17), pick(1, 0.5, uniform(0.1, 3))
    end
    return shape, spacing
end

local function each(rank, one)
    local list = {}
    for d = 1, rank do list[d] = one() end
    return list
end

-- A stream of random numbers and what it holds.
local function field(shape, low, high)
    local s = rill.stream("float", shape, function() return uniform(low, high) end)
    return s, s:values()
end

local function constant(count, value)
    local list = {}
    for k = 1, count do list[k] = value end
    return list
end

-- A number or a field of them, and the values.
local function number_or_field(shape, count, low, high)
    if math.random(2) == 1 then
        local value = uniform(low, high)
        return value, constant(count, value)
    end
    return field(shape, low, high)
end

-- ---- waves

local function wave_pull(state, k)
    return state.speed[k] ^ 2 * inflow(state.cells[k], k, state.z, state.spacing)
end

-- The velocity of a cell at an absorbing side.
local function leaving(state, cell, k)
    local sum, sides = 0, 0
    for d, word in ipairs(state.sides) do
        local n, i = state.shape[d], cell.at[d]
        if word == "absorb" and n > 1 and (i == 1 or i == n) then
            sum = sum + (state.z[cell.beside[d][i == 1 and 2 or 1][1]] - state.z[k]) / state.spacing[d]
            sides = sides + 1
        end
    end
    return sides > 0 and state.speed[k] * sum / sides
end

local function wave_step(state, dt)
    local kick, v = 0.5 * (state.before + dt), {}
    for k, cell in ipairs(state.cells) do
        local free = state.walls[k] == 0 and 1 or 0
        local kicked = (state.v[k] + kick * wave_pull(state, k)) / (1 + kick * state.damping)
        v[k] = free * (leaving(state, cell, k) or kicked)
    end
    state.v, state.before = v, dt
    local z = {}
    for k = 1, #v do z[k] = state.z[k] + dt * v[k] end
    state.z = z
end

local function compare_wave(rank)
    local shape, spacing = random_shape(rank)
    local sides = each(rank, function() return pick("fixed", "free", "periodic", "absorb") end)
    local state = {
        shape = shape, spacing = spacing, sides = sides, cells = cells_of(shape, sides), before = 0,
        damping = pick(0, 0.3, uniform(0, 5)),
    }
    local count = #state.cells
    local how = {shape = shape, spacing = spacing, boundary = sides, damping = state.damping}
    how.speed, state.speed = number_or_field(shape, count, 0.2, 4)
    how.height, state.z = number_or_field(shape, count, -2, 2)
    how.velocity, state.v = number_or_field(shape, count, -1, 1)
    state.walls = constant(count, 0)
    if math.random(2) == 1 then
        how.walls = rill.stream("float", shape, function() return math.random(4) == 1 and 1 or 0 end)
        state.walls = how.walls:values()
    end
    local w <close> = rill.wave(how)
    local most, fastest = largest(state.z), largest(state.v)
    for step = 1, 6 do
        local dt = uniform(0.05, 1) * w.limit
        w:step(dt)
        wave_step(state, dt)
        most, fastest = math.max(most, largest(state.z)), math.max(fastest, largest(state.v))
        compare(state.z, w.height, 1e-5 * (most + dt * fastest), "height, step " .. step)
    end
    local ahead = {}
    for k = 1, count do
        local kick = 0.5 * state.before
        local kicked = (state.v[k] + kick * wave_pull(state, k)) / (1 + kick * state.damping)
        ahead[k] = state.walls[k] == 0 and kicked or 0
    end
    local v <close> = w.velocity
    compare(ahead, v, 1e-4 * (most / w.limit + fastest), "velocity")
end

-- ---- heat

-- Legendre's polynomials of degree s as a Runge-Kutta method: equations 16 and 17 of Meyer, Balsara and Aslam (2014).
local function heat_step(state, dt, s)
    local w1, b, before, y = 4 / (s * s + s - 2), {[0] = 1 / 3, 1 / 3, 1 / 3}, state.u, {}
    for j = 3, s do b[j] = (j * j + j - 2) / (2 * j * (j + 1)) end
    local function flows(u)
        local list = {}
        for k, cell in ipairs(state.cells) do
            list[k] = inflow(cell, k, u, state.spacing, state.d) + state.q[k]
        end
        return list
    end
    local start, first = state.u, flows(state.u)
    for k = 1, #start do y[k] = start[k] + b[1] * w1 * dt * first[k] end
    for j = 2, s do
        local mu, nu, now, new = (2 * j - 1) / j * b[j] / b[j - 1], -(j - 1) / j * b[j] / b[j - 2], flows(y), {}
        for k = 1, #start do
            new[k] = mu * y[k] + nu * before[k] + (1 - mu - nu) * start[k] +
                mu * w1 * dt * (now[k] - (1 - b[j - 1]) * first[k])
        end
        before, y = y, new
    end
    state.u = y
end

local function compare_heat(rank)
    local shape, spacing = random_shape(rank)
    local sides = each(rank, function() return pick("insulated", "periodic", uniform(-1, 1)) end)
    local state = {spacing = spacing, cells = cells_of(shape, sides)}
    local count = #state.cells
    local how = {shape = shape, spacing = spacing, boundary = sides, substeps = 1}
    how.diffusivity, state.d = number_or_field(shape, count, 0.1, 3)
    how.temperature, state.u = number_or_field(shape, count, -1, 1)
    how.source, state.q = number_or_field(shape, count, -1, 1)
    local h <close> = rill.heat(how)
    local most = largest(state.u) + 1
    for step = 1, 3 do
        local s = pick(3, 4, 5, 8)
        local dt = uniform(0.9, 1) * (s * s + s - 2) / 4 * h.limit -- within what s stages are stable for, and s - 1 are not
        h:step(dt)
        heat_step(state, dt, s)
        most = math.max(most, largest(state.u), dt * largest(state.q))
        compare(state.u, h.temperature, 1e-5 * most, ("temperature, step %d of %d stages"):format(step, s))
    end
end

-- ---- bad input

local BAD <const> = {0 / 0, 1 / 0, -1 / 0}

-- One element of one option is NaN or infinite: the message names both.
local function refuse(make, name, options)
    local shape = random_shape(pick(1, 2, 3))
    local at, bad = {}, BAD[math.random(#BAD)]
    for d, n in ipairs(shape) do at[d] = math.random(n) end
    local given = {shape = shape}
    local option = options[math.random(#options)]
    given[option] = rill.stream("float", shape, function(...)
        for d, i in ipairs {...} do
            if i ~= at[d] then return 1 end
        end
        return bad
    end)
    check.names({name, ("option '%s': element %s is "):format(option, table.concat(at, ", "))}, make, given)
end

-- Runs a case for each seed; a failure says which.
local function run(compare_case, from, to, ...)
    for seed = from, to do
        math.randomseed(seed)
        local done, why = pcall(compare_case, ...)
        if not done then
            error(("seed %d: %s"):format(seed, tostring(why)), 0)
        end
    end
end

describe("a random", function()
    leaks.watch(setup, teardown)

    it("wave", function() run(compare_wave, 1, LONG and 12 or 5, 2) end)
    it("heat", function() run(compare_heat, 1, LONG and 12 or 5, 2) end)
    for rank = 1, 3 do
        it(("wave of rank %d, often #long"):format(rank), function() run(compare_wave, 100, 150, rank) end)
        it(("heat of rank %d, often #long"):format(rank), function() run(compare_heat, 100, 130, rank) end)
    end

    it("element that is NaN or infinite is named", function()
        run(refuse, 1, 6, rill.wave, "rill.wave", {"height", "velocity", "speed"})
        run(refuse, 1, 6, rill.heat, "rill.heat", {"temperature", "source", "diffusivity"})
    end)
end)
