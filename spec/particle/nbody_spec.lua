--- Bodies that attract each other, compared with all pairs in double precision, known orbits, and laws of motion.
local rill = require "rill"
local check = require "spec.support.check"
local example = require "spec.support.example"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

local function near(a, b, most, what)
    assert(math.abs(a - b) <= most, ("%s: %.9g, expected %.9g"):format(what or "", a, b))
end

-- Bodies off a spiral, as lists of floats.
local function scattered(n, dimensions)
    local x, v, m = {}, {}, {}
    for i = 1, n do
        x[i], v[i], m[i] = {}, {}, check.float32(0.5 + 0.5 * math.sin(5 * i))
        for d = 1, dimensions do
            x[i][d] = check.float32(math.sqrt(i / n) * math.sin(2.4 * i + 1.6 * d) + 0.1 * math.cos(7 * i * d))
            v[i][d] = check.float32(0.3 * math.cos(2.4 * i + 1.6 * d))
        end
    end
    return x, v, m
end

-- The acceleration of each body, the potential energy, and the sum of the absolute accelerations, in double
-- precision.
local function reference(x, m, softening)
    local a, depth, strength = {}, 0, {}
    for i = 1, #x do
        a[i], strength[i] = {}, 0
        for d = 1, #x[i] do a[i][d] = 0 end
        for j = 1, #x do
            local r2 = softening ^ 2
            for d = 1, #x[i] do r2 = r2 + (x[j][d] - x[i][d]) ^ 2 end
            for d = 1, #x[i] do a[i][d] = a[i][d] + (r2 > 0 and m[j] * (x[j][d] - x[i][d]) / r2 ^ 1.5 or 0) end
            strength[i] = strength[i] + (r2 > 0 and m[j] / r2 or 0)
            depth = depth - (i ~= j and r2 > 0 and 0.5 * m[i] * m[j] / math.sqrt(r2) or 0)
        end
    end
    return a, depth, strength
end

-- A step of length dt by the integrator, in double precision.
local function step(x, v, m, softening, dt, method)
    local function drift(t) for i = 1, #x do for d = 1, #x[i] do x[i][d] = x[i][d] + t * v[i][d] end end end
    local function kick(t)
        local a = reference(x, m, softening)
        for i = 1, #x do for d = 1, #x[i] do v[i][d] = v[i][d] + t * a[i][d] end end
    end
    if method == "verlet" then
        kick(dt / 2) drift(dt) kick(dt / 2)
        return
    end
    local c = 2 ^ (1 / 3)
    for _, w in ipairs(method == "yoshida" and {1 / (2 - c), -c / (2 - c), 1 / (2 - c)} or {1}) do
        drift(w * dt / 2) kick(w * dt) drift(w * dt / 2)
    end
end

-- A planet on an ellipse of semi-major axis 1 around a sun so heavy that it does not move, starting at the
-- perihelion.
local function kepler(eccentricity, options)
    local speed = math.sqrt((1 + eccentricity) / (1 - eccentricity))
    options.positions = rill.from({{1 - eccentricity, 0}, {0, 0}}, "vec2")
    options.velocities, options.masses = rill.from({{0, speed}, {0, 0}}, "vec2"), rill.from {0, 1}
    return rill.nbody(options)
end

describe("rill.nbody", function()
    leaks.watch(setup, teardown)

    it("does not depend on the units of lengths, masses and times", function()
        for _, dimensions in ipairs {2, 3} do
            math.randomseed(dimensions)
            local x, v, m, n = {}, {}, {}, 9
            for i = 1, n do
                x[i], v[i], m[i] = {}, {}, math.random() + 0.1
                for d = 1, dimensions do x[i][d], v[i][d] = math.random() - 0.5, 0.2 * (math.random() - 0.5) end
            end
            -- Lengths are `long` units, masses `heavy`, and times `slow`; powers of two change no digit.
            local function run(long, heavy, slow)
                local function vectors(list, factor)
                    return rill.stream("vec" .. dimensions, n, function(i)
                        local one = {}
                        for d = 1, dimensions do one[d] = factor * list[i][d] end
                        return one
                    end)
                end
                local b <close> = rill.nbody {
                    positions = vectors(x, long), velocities = vectors(v, long / slow), softening = 0.05 * long,
                    masses = rill.stream("float", n, function(i) return heavy * m[i] end),
                    G = 0.5 * long ^ 3 / heavy / slow ^ 2,
                }
                local energy, pace = b.energy / heavy / (long / slow) ^ 2, b.dt / slow
                for _ = 1, 20 do b:step() end
                local values = b.positions:values()
                for i, value in ipairs(values) do values[i] = value / long end
                return values, energy, pace
            end
            local want, energy, pace = run(1, 1, 1)
            for _, units in ipairs {{-60, 0, 0}, {70, 0, 40}, {60, 100, 50}, {-30, -80, 0}, {0, 90, 0}, {80, 90, 60}} do
                local got, other, fresh = run(2.0 ^ units[1], 2.0 ^ units[2], 2.0 ^ units[3])
                check.equal(want, got, 0)
                assert.near(1, other / energy, 1e-12)
                assert.equal(pace, fresh)
            end
        end
    end)

    it("computes accelerations as the sum over all pairs, for any number of bodies", function()
        for _, case in ipairs {{1, 2}, {2, 3}, {3, 2}, {4, 3}, {5, 3}, {63, 2}, {130, 3}, {257, 2}} do
            for _, softening in ipairs {0, 0.1} do
                local x, v, m = scattered(case[1], case[2])
                local vector = "vec" .. case[2]
                local b <close> = rill.nbody {
                    positions = rill.from(x, vector), velocities = rill.from(v, vector), masses = rill.from(m),
                    softening = softening, G = 2,
                }
                local want, depth, strength = reference(x, m, softening)
                local got, kinetic, momentum, size = b.accelerations:read(), 0, {0, 0, 0}, 0
                for i = 1, #x do
                    for d = 1, case[2] do
                        near(got[i][d], 2 * want[i][d], 2e-6 * strength[i], case[1] .. " pull")
                        kinetic = kinetic + 0.5 * m[i] * v[i][d] ^ 2
                        momentum[d], size = momentum[d] + m[i] * v[i][d], size + m[i] * math.abs(v[i][d])
                    end
                end
                near(b.energy, kinetic + 2 * depth, 1e-6 * (kinetic - depth), "energy")
                local sums = b.momentum
                assert.equal(case[2], #sums)
                for d = 1, case[2] do near(sums[d], momentum[d], 1e-12 * size, "momentum") end
            end
        end
    end)

    it("advances as each integrator", function()
        for _, method in ipairs {"leapfrog", "verlet", "yoshida"} do
            local x, v, m = scattered(7, 3)
            local b <close> = rill.nbody {
                positions = rill.from(x, "vec3"), velocities = rill.from(v, "vec3"), masses = rill.from(m),
                softening = 0.2, dt = 0.01, integrator = method,
            }
            for n = 1, 5 do
                step(x, v, m, 0.2, n == 3 and 0.02 or 0.01, method)
                b:step(n == 3 and 0.02 or nil)
            end
            near(b.time, 0.06, 1e-12, "time")
            local places, speeds = b.positions:read(), b.velocities:read()
            for i = 1, 7 do
                for d = 1, 3 do
                    near(places[i][d], x[i][d], 2e-6, method)
                    near(speeds[i][d], v[i][d], 1e-5, method)
                end
            end
        end
    end)

    shortened(it, "keeps the energy of an ellipse for many turns", function(whole)
        for method, most in pairs {leapfrog = 2e-3, verlet = 2e-3, yoshida = 2e-5} do
            local turns = not whole and 3 or method == "leapfrog" and 100 or 20
            local b <close> = kepler(0.5, {integrator = method, dt = 2 * math.pi / 400})
            local worst = 0
            for turn = 1, turns do
                for _ = 1, turn < turns and 400 or 200 do b:step() end
                -- The planet weighs nothing: what counts is its energy for its mass, -1/2, and its angular momentum.
                local x, v = b.positions:get(1), b.velocities:get(1)
                local energy = (v[1] ^ 2 + v[2] ^ 2) / 2 - 1 / math.sqrt(x[1] ^ 2 + x[2] ^ 2)
                worst = math.max(worst, math.abs(energy + 0.5))
                near(x[1] * v[2] - x[2] * v[1], math.sqrt(0.75), 2e-5, "angular momentum")
            end
            assert(worst < most, method .. " " .. worst)
            local x = b.positions:get(1)
            near(math.sqrt(x[1] ^ 2 + x[2] ^ 2), 1.5, 0.1, "half a turn on")
        end
    end)

    it("is of second order, and of fourth", function()
        local function off(method, steps)
            local b <close> = kepler(0.2, {integrator = method, dt = 2 * math.pi / steps})
            for _ = 1, steps do b:step() end
            local x = b.positions:get(1)
            return math.sqrt((x[1] - 0.8) ^ 2 + x[2] ^ 2)
        end
        for method, least in pairs {leapfrog = 3.7, verlet = 3.7, yoshida = 13} do
            local coarse, fine = off(method, 40), off(method, 80)
            assert(coarse / fine > least, ("%s: %g %g"):format(method, coarse, fine))
        end
    end)

    it("keeps momentum", function()
        local x, v, m = scattered(100, 3)
        local b <close> = rill.nbody {
            positions = rill.from(x, "vec3"), velocities = rill.from(v, "vec3"), masses = rill.from(m),
            softening = 0.05, dt = 0.002, G = 0.02,
        }
        local before, energy, size = b.momentum, b.energy, 0
        for _ = 1, 400 do b:step() end
        local speeds = b.velocities:read()
        for i = 1, 100 do size = size + m[i] * math.sqrt(speeds[i][1] ^ 2 + speeds[i][2] ^ 2 + speeds[i][3] ^ 2) end
        for d = 1, 3 do near(b.momentum[d], before[d], 1e-6 * size, "momentum") end
        near(b.energy, energy, 1e-4 * math.abs(energy), "energy")
    end)

    it("moves without acceleration if there is one body, or bodies have no mass or the same position", function()
        local one <close> = rill.nbody {positions = rill.from({{1, 2, 3}}, "vec3"),
            velocities = rill.from({{0, -1, 0.5}}, "vec3")}
        assert.equal(1, one.dt)
        one:step():step(0.5)
        assert.same({1, 0.5, 3.75}, one.positions:get(1))
        near(one.energy, 0.625, 1e-12)
        local same = rill.from({{1, 1}, {1, 1}, {3, 1}}, "vec2")
        local b <close> = rill.nbody {positions = same, dt = 0.1, masses = rill.from {1, 1, 0}}
        local a = b.accelerations:read()
        assert.same({0, 0}, a[1])
        assert.same({0, 0}, a[2])
        near(a[3][1], -0.5, 1e-6)
        b:step()
        assert.same({1, 1}, b.positions:get(2))
        near(b.energy, 0, 1e-12, "no pair that counts")
    end)

    it("takes SI units, and pushes where G is negative", function()
        local year, speed = 365.25 * 86400, 29784
        local b <close> = rill.nbody {
            positions = rill.from({{0, 0}, {1.496e11, 0}}, "vec2"),
            velocities = rill.from({{0, 0}, {0, speed}}, "vec2"),
            masses = rill.from {1.989e30, 5.97e24}, G = 6.674e-11, dt = year / 400,
        }
        for _ = 1, 400 do b:step() end
        near(b.positions:get(2)[1], 1.496e11, 2e9)
        near(b.positions:get(2)[2], 0, 5e9)
        local two <close> = rill.nbody {positions = rill.from({{0, 0}, {1, 0}}, "vec2"), G = -1}
        near(two.accelerations:get(2)[1], 1, 1e-6)
        near(two.energy, 1, 1e-6)
    end)

    it("uses values written into its streams", function()
        local b <close> = rill.nbody {positions = rill.from({{0, 0}, {1, 0}, {9, 9}}, "vec2"), dt = 0.01}
        b.positions:set({2, 0}, 2)
        b.masses:set(0, 3)
        near(b.accelerations:get(1)[1], 0.25, 1e-6)
        b:step()
        near(b.velocities:get(1)[1], 0.0025, 1e-6)
    end)

    it("draws, prints and closes", function()
        local b = rill.nbody {positions = rill.from({{-1, 0}, {1, 0}}, "vec2"), G = 0, dt = 1}
        local flat = b:picture {size = {11, 21}, low = {-2.1, -1.1}, high = {2.1, 1.1}}
        assert.same({"vec3", 11, 21}, {flat.type, table.unpack(flat.shape)})
        assert(flat:get(6, 6)[1] > 0.5 and flat:get(6, 16)[1] > 0.5 and flat:get(6, 11)[1] < 0.1)
        local crowd <close> = rill.nbody {positions = rill.stream("vec2", 100), velocities = rill.stream("vec2", 100)}
        local bright = crowd:picture {size = {3, 3}, light = 100}:max()
        assert(bright[1] == 1 and bright[3] == 1)
        local solid <close> = rill.nbody {positions = rill.from({{0, 0, 0}}, "vec3")}
        assert(solid:picture {size = {21, 21}}:get(11, 11)[1] > 0.5)
        assert.equal("nbody<vec2>[2] at 0 s", tostring(b))
        assert.equal("nbody", rill.type(b))
        b:close()
        assert.equal("closed nbody", tostring(b))
        check.names({"N:step", "closed"}, b.step, b)
    end)

    it("names invalid options", function()
        local two = rill.from({{0, 0}, {1, 0}}, "vec2")
        check.names({"rill.nbody", "'positions' is missing"}, rill.nbody, {})
        check.names({"rill.nbody", "'positions'", "vec2 or vec3"}, rill.nbody, {positions = rill.from {1, 2}})
        check.names({"rill.nbody", "'positions'", "at least"}, rill.nbody, {positions = rill.stream("vec2", 0)})
        local nan = rill.from({{0, 0}, {0 / 0, 0}}, "vec2")
        check.names({"rill.nbody", "'positions'", "element 2 is not finite"}, rill.nbody, {positions = nan})
        check.names({"rill.nbody", "'velocities'", "element 2"}, rill.nbody, {positions = two, velocities = nan})
        check.names({"rill.nbody", "'velocities'", "of vec2"}, rill.nbody,
            {positions = two, velocities = rill.stream("vec3", 2)})
        check.names({"rill.nbody", "'masses'", "of shape 2", "3"}, rill.nbody,
            {positions = two, masses = rill.from {1, 2, 3}})
        check.names({"rill.nbody", "'masses'", "element 1 is nan"}, rill.nbody,
            {positions = two, masses = rill.from {0 / 0, 2}})
        check.names({"rill.nbody", "'masses'", "the smallest is -1"}, rill.nbody,
            {positions = two, masses = rill.from {1, -1}})
        check.names({"rill.nbody", "'softening'", "0 or more"}, rill.nbody, {positions = two, softening = -1})
        check.names({"rill.nbody", "'integrator'", "yoshida"}, rill.nbody, {positions = two, integrator = "euler"})
        check.names({"rill.nbody", "unknown option 'mass'"}, rill.nbody, {positions = two, mass = 1})
        local b = rill.nbody {positions = two}
        check.names({"N:step", "'dt'", "above 0"}, b.step, b, 0 / 0)
        check.names({"N:step", "expected bodies before the colon"}, b.step, 3)
        check.names({"bodies have no field or method 'energie'", "energy"}, function() return b.energie end)
        check.names({"N:picture", "'low' must be below"}, b.picture, b, {low = {1, 1}, high = {0, 0}})
        check.names({"N:picture", "unknown option 'eye'"}, b.picture, b, {eye = {1, 1, 1}})
    end)

    it("lets galaxies meet, as an example", function()
        local script = example.open()
        finally(function() script:close() end)
        script:run("galaxy", 60, 0.1, script.directory, "--movie")
        script:picture("galaxy.png", 640, 1200)
        script:picture("galaxy-movie.png", 320, 400)
        script:names "galaxy.png"
        for _, word in ipairs {"x", 3} do
            local done, message = pcall(script.run, script, "galaxy", word, 0.1, script.directory)
            assert.is_false(done)
            assert.matches("stars: expected", tostring(message))
        end
    end)

    -- Checks the accelerations of a few of n bodies.
    local function many(n)
        local x = rill.stream("vec2", n, function(i) return {math.cos(i), math.sin(i)} end)
        local b <close> = rill.nbody {positions = x, masses = 1 / n, softening = 0.1, dt = 0.01}
        local places, got = x:read(), b.accelerations:read()
        for _, i in ipairs {1, n // 3, n} do
            local want = {0, 0}
            for j = 1, n do
                local dx, dy = places[j][1] - places[i][1], places[j][2] - places[i][2]
                local pull = (dx * dx + dy * dy + 0.01) ^ -1.5 / n
                want[1], want[2] = want[1] + pull * dx, want[2] + pull * dy
            end
            near(got[i][1], want[1], 1e-4)
            near(got[i][2], want[2], 1e-4)
        end
    end

    -- 32, 16 and 8 invocations per body on the family gpu
    it("sums over several tiles of bodies", function()
        for _, n in ipairs {700, 4097, 8193} do many(n) end
    end)

    it("sums over more bodies than one launch processes #long", function()
        many(40000)
    end)
end)
