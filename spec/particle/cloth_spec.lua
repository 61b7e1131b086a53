--- Cloth, compared with the same forces in Lua, laws of motion, and cloth at rest.
local rill = require "rill"
local check = require "spec.support.check"
local example = require "spec.support.example"
local leaks = require "spec.support.leaks"

local function near(a, b, most, what)
    assert(math.abs(a - b) <= most, ("%s: %.9g, expected %.9g"):format(what or "", a, b))
end

-- The force of the wind on a particle, along the normal of the cloth. The normal follows from the adjacent particles,
-- or the particle itself at an edge.
local function wind_on(x, v, i, j, how)
    local function at(k, l)
        return x[math.max(1, math.min(#x, k))][math.max(1, math.min(#x[1], l))]
    end
    local a, b, n, c, d = {}, {}, {}, 0, 0
    for k = 1, 3 do a[k], b[k] = at(i, j + 1)[k] - at(i, j - 1)[k], at(i + 1, j)[k] - at(i - 1, j)[k] end
    for k = 1, 3 do
        n[k] = a[k % 3 + 1] * b[(k + 1) % 3 + 1] - a[(k + 1) % 3 + 1] * b[k % 3 + 1]
        c, d = c + n[k] ^ 2, d + n[k] * (how.wind[k] - v[i][j][k])
    end
    for k = 1, 3 do n[k] = c > 0 and how.drag * d * n[k] / c or 0 end
    return n
end

-- One step in double precision: the same springs, for each particle in turn.
local function reference(x, v, how, kick, dt)
    local rows, columns = #x, #x[1]
    local new_x, new_v = {}, {}
    local function at(list, i, j) return list[i] and list[i][j] end
    for i = 1, rows do
        new_x[i], new_v[i] = {}, {}
        for j = 1, columns do
            local force = how.drag and wind_on(x, v, i, j, how) or {0, 0, 0}
            local function spring(di, dj, k)
                local there = at(x, i + di, j + dj)
                if not there then return end
                local rest = how.spacing * math.sqrt(di * di + dj * dj)
                local d, l = {}, 0
                for c = 1, 3 do
                    d[c] = there[c] - x[i][j][c]
                    l = l + d[c] ^ 2
                end
                l = math.sqrt(l)
                local rate = 0
                for c = 1, 3 do rate = rate + (at(v, i + di, j + dj)[c] - v[i][j][c]) * d[c] / l end
                for c = 1, 3 do force[c] = force[c] + (k * (l - rest) + how.damping * rate) * d[c] / l end
            end
            for _, o in ipairs {{0, 1}, {0, -1}, {1, 0}, {-1, 0}} do
                spring(o[1], o[2], how.stiffness)
                spring(2 * o[1], 2 * o[2], how.stiffness * how.bend)
            end
            for _, o in ipairs {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} do spring(o[1], o[2], how.stiffness * how.shear) end
            new_x[i][j], new_v[i][j] = {}, {}
            for c = 1, 3 do
                local held = how.held and how.held:get(i, j) == 1
                new_v[i][j][c] = held and 0 or v[i][j][c] + kick * (force[c] / how.mass + how.gravity[c])
                new_x[i][j][c] = x[i][j][c] + dt * new_v[i][j][c]
            end
        end
    end
    return new_x, new_v
end

describe("rill.cloth", function()
    leaks.watch(setup, teardown)

    it("does not depend on the unit of lengths, nor do its pictures", function()
        math.randomseed(3)
        local off = {}
        for i = 1, 9 * 8 * 3 do off[i] = math.random() end
        local function run(unit)
            local function place(i, j)
                local at = 3 * (8 * (i - 1) + j - 1)
                return {unit * (j + 0.1 * off[at + 1]), 0.3 * unit * off[at + 2], unit * (i + 0.1 * off[at + 3])}
            end
            local c <close> = rill.cloth {
                positions = rill.stream("vec3", {9, 8}, place), spacing = unit, drag = 0.3, damping = 0.5, dt = 0.001,
                wind = {unit, 0.5 * unit, -unit}, gravity = {0, -9.81 * unit, 0},
                walls = {{normal = {0, 1, 0}, point = {0, -0.1 * unit, 0}}},
            }
            for _ = 1, 10 do c:step() end
            local list, picture = c.positions:values(), c:picture({size = {60, 60}}):values()
            for i, value in ipairs(list) do list[i] = value / unit end
            return list, picture
        end
        local want, picture = run(1)
        for _, power in ipairs {-49, -30, 30, 49} do -- which changes no digit
            local got, other = run(2.0 ^ power)
            check.equal(want, got, 0)
            check.equal(picture, other, 0)
        end
    end)

    it("moves as the reference, for any shape", function()
        for _, shape in ipairs {{1, 1}, {1, 5}, {2, 2}, {4, 3}, {3, 9}} do
            local x = rill.stream("vec3", shape, function(i, j)
                return {j + 0.2 * math.sin(3 * i), 0.3 * math.cos(i * j), 0.9 * i}
            end)
            local v = rill.stream("vec3", shape, function(i, j) return {0.1 * i, -0.2 * j, 0.05} end)
            local how = {
                positions = x, velocities = v, stiffness = 5, shear = 0.5, bend = 0.2, mass = 0.5, damping = 0.1,
                gravity = {0.1, -1, 0.2}, spacing = 1, dt = 0.05,
            }
            local c = rill.cloth(how)
            local place, speed = x:read(), v:read()
            for k = 1, 6 do
                c:step()
                place, speed = reference(place, speed, how, k == 1 and 0.025 or 0.05, 0.05)
            end
            near(c.time, 0.3, 1e-12)
            local got = c.positions:read()
            for i = 1, shape[1] do
                for j = 1, shape[2] do
                    for d = 1, 3 do near(got[i][j][d], place[i][j][d], 2e-5, table.concat(shape, "x")) end
                end
            end
        end
    end)

    -- Random shapes, options and steps up to the limit, compared with the reference; held particles do not move.
    local function compare_random(seed)
        math.randomseed(seed)
        local function uniform(low, high) return low + (high - low) * math.random() end
        local shape, h = {math.random(7), math.random(7)}, uniform(0.2, 2)
        local how = {
            spacing = h, stiffness = uniform(1, 100), shear = uniform(0, 1), bend = uniform(0, 1),
            mass = uniform(0.1, 2), damping = math.random(2) == 1 and uniform(0, 1) or 0,
            drag = uniform(0, 0.5), gravity = {}, wind = {},
        }
        for d = 1, 3 do how.gravity[d], how.wind[d] = uniform(-5, 5), uniform(-3, 3) end
        how.positions = rill.stream("vec3", shape, function(i, j)
            return {h * (j + uniform(-0.3, 0.3)), h * uniform(-0.3, 0.3), h * (i + uniform(-0.3, 0.3))}
        end)
        how.velocities = rill.stream("vec3", shape, function()
            return {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}
        end)
        how.held = rill.stream("float", shape, function() return math.random(5) == 1 and 1 or 0 end)
        local c <close> = rill.cloth(how)
        local x, v, before = how.positions:read(), how.velocities:read(), 0
        for step = 1, 5 do
            local dt = uniform(0.1, 1) * c.limit
            c:step(dt)
            x, v = reference(x, v, how, 0.5 * (before + dt), dt)
            before = dt
            local places, speeds = c.positions:read(), c.velocities:read()
            for i = 1, shape[1] do
                for j = 1, shape[2] do
                    for d = 1, 3 do
                        local what = ("seed %d, step %d, particle %d, %d"):format(seed, step, i, j)
                        near(places[i][j][d], x[i][j][d], 3e-5 * h * 8, what)
                        near(speeds[i][j][d], v[i][j][d], 3e-5 * h * 8 / c.limit, what .. ", speed")
                    end
                end
            end
        end
    end

    it("moves as random options say", function()
        for seed = 1, 6 do compare_random(seed) end
    end)

    it("moves as random options say, often #long", function()
        for seed = 100, 400 do compare_random(seed) end
    end)

    it("falls as a whole, whatever its springs do", function()
        local start = rill.random({6, 7}, {type = "vec3", seed = 4})
        local c = rill.cloth {positions = start, spacing = 0.3, stiffness = 50, gravity = {1, -2, 3}, dt = 0.002}
        local from = start:mean()
        for _ = 1, 500 do c:step() end
        local to = c.positions:mean()
        for d, g in ipairs {1, -2, 3} do near(to[d] - from[d], 0.5 * g, 1e-4, d) end
    end)

    it("is stretched by its weight", function()
        local n, k, m = 6, 40, 0.5
        local c = rill.cloth {shape = {n, 1}, stiffness = k, shear = 0, bend = 0, mass = m, damping = 2,
            gravity = {0, 0, 2}, held = rill.stream("bool", {n, 1}, function(i) return i == 1 end), substeps = true}
        for _ = 1, 60 do c:step(1) end
        for i = 2, n do
            near(c.positions:get(i, 1)[3] - c.positions:get(i - 1, 1)[3], 1 + (n + 1 - i) * m * 2 / k, 1e-3, i)
        end
        assert.same({0, 0, 0}, c.positions:get(1, 1))
        c:hold()
        c:step(0.1)
        assert(c.positions:get(1, 1)[3] > 0)
    end)

    it("swings a thread at its own frequency, and keeps its energy", function()
        local k, m = 30, 0.7
        local long = rill.from({{{0, 0, 0}, {1.1, 0, 0}}}, "vec3")
        local c = rill.cloth {positions = long, stiffness = k, mass = m, gravity = {0, 0, 0}}
        local omega, dt = math.sqrt(2 * k / m), 0.01
        local exact = 2 / dt * math.asin(omega * dt / 2)
        for _ = 1, 300 do c:step(dt) end
        near(c.positions:get(1, 2)[1] - c.positions:get(1, 1)[1], 1 + 0.1 * math.cos(exact * 3), 1e-4)
    end)

    it("is stable at its limit", function()
        for _, damping in ipairs {0, 3} do
            local start = rill.stream("vec3", {9, 9}, function(i, j)
                return {j + 0.01 * ((i * 7 + j * 3) % 5), 0.01 * ((i + j) % 2), i}
            end)
            local none = {0, 0, 0}
            local c = rill.cloth {positions = start, stiffness = 100, mass = 0.5, damping = damping, gravity = none}
            for _ = 1, 400 do c:step(c.limit) end
            assert((c.positions - start):map("abs(x)"):max()[1] < 0.5, damping)
        end
    end)

    it("warns once of steps that are too long", function()
        local said, warn_ = {}, warn
        local c <close> = rill.cloth {shape = {2, 3}}
        _G.warn = function(...) said[#said + 1] = table.concat {...} end
        c:step(0.99 * c.limit)
        assert.equal(0, #said)
        c:step(2 * c.limit)
        c:step(2 * c.limit)
        _G.warn = warn_
        assert.equal(1, #said)
        assert.matches("rill.cloth: .*exceeds the stable limit", said[1])
    end)

    it("stays out of walls, and is blown by the wind", function()
        local c = rill.cloth {shape = {8, 8}, spacing = 0.2, mass = 0.01, stiffness = 20, damping = 0.01,
            substeps = true, walls = {{normal = {0, 1, 0}, point = {0, -0.5, 0}}}}
        for _ = 1, 20 do c:step(0.05) end
        assert(c.positions:min()[2] > -0.501 and c.positions:max()[2] < -0.4)
        local blown = rill.cloth {shape = {5, 5}, gravity = {0, 0, 0}, wind = {3, 5, 0}, drag = 0.5, dt = 0.01}
        blown:step()
        local up = blown.velocities:get(3, 3)
        near(up[1], 0, 1e-6)
        near(up[2], 0.005 * 0.5 * 5, 1e-6)
    end)

    it("draws the nearest surface", function()
        local c = rill.cloth {shape = {6, 6}}
        local above = c:picture {size = {40, 60}, eye = {2.5, 12, 2.5}, at = {2.5, 0, 2.5}}
        assert.same({"vec3", 40, 60}, {above.type, table.unpack(above.shape)})
        local below = c:picture {size = {40, 60}, eye = {2.5, -12, 2.4}, at = {2.5, 0, 2.5}}
        assert(above:get(20, 30)[1] > below:get(20, 30)[1] + 0.1)
        assert.same(above:get(1, 1), below:get(1, 1)) -- beside the cloth
        local covers = rill.kernel "kernel int covers(vec3 a<>) { return a.x > a.z ? 1 : 0; }"
        local covered = covers(above):sum()
        local side = 5 / (2 * 12 * math.tan(math.rad(20))) * 40 -- in pixels; one that the cloth touches shows it
        assert(covered >= math.ceil(side) ^ 2 and covered <= (math.floor(side) + 2) ^ 2, covered)
    end)

    it("prints and closes, and names invalid options", function()
        local c = rill.cloth {shape = {2, 3}}
        assert.equal("cloth[2x3] at 0 s", tostring(c))
        assert.equal("cloth", rill.type(c))
        check.names({"C:step", "'dt'", "above 0"}, c.step, c, 0)
        check.names({"C:hold", "has shape 3", "2x3"}, c.hold, c, rill.stream("bool", 3))
        c:close()
        check.names({"C:step", "closed"}, c.step, c)
        check.names({"rill.cloth", "'shape' is missing"}, rill.cloth, {})
        check.names({"rill.cloth", "unknown option 'stifness'"}, rill.cloth, {shape = {2, 2}, stifness = 1})
        check.names({"rill.cloth", "'positions'", "two dimensions"}, rill.cloth, {positions = rill.stream("vec3", 4)})
        check.names({"rill.cloth", "'positions'", "vec3"}, rill.cloth, {positions = rill.stream("vec2", {2, 2})})
        local bad = rill.from({{{0, 0, 0}, {0, 0 / 0, 0}}}, "vec3")
        check.names({"rill.cloth", "'positions'", "element 1, 2 is not finite"}, rill.cloth, {positions = bad})
        local nan = rill.from {{0, 0 / 0}, {1, 0}}
        check.names({"rill.cloth", "'held'", "element 1, 2 is"}, rill.cloth, {shape = {2, 2}, held = nan})
        check.names({"rill.cloth", "'spacing'", "1e15"}, rill.cloth, {shape = {2, 2}, spacing = 1e30})
        local long = rill.cloth {shape = {2, 2}, substeps = true}
        check.names({"C:step", "1e+30 seconds", "take steps of less than"}, long.step, long, 1e30)
        check.names({"C:hold", "'mask'", "element 1, 2 is"}, long.hold, long, nan)
        check.names({"C:hold", "'mask'", "open stream"}, long.hold, long, 3)
        check.names({"rill.cloth", "'held' has shape"}, rill.cloth, {shape = {2, 2}, held = rill.stream("bool", 4)})
        check.names({"rill.cloth: wall 1", "'normal'"}, rill.cloth, {shape = {2, 2}, walls = {{}}})
        check.names({"C:picture", "no squares"}, function() rill.cloth {shape = {1, 4}}:picture() end)
    end)

    it("drapes itself over a ball, as an example #long", function()
        local script = example.open()
        finally(function() script:close() end)
        script:run("drape", 14, 0.2, script.directory, "--movie")
        script:picture("drape.png", 480, 480)
        script:picture("drape-movie.png", 480, 480)
    end)
end)
