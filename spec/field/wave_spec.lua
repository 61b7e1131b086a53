--- Waves, compared with exact solutions of the difference scheme: modes of the grid, traveling waves at the limit,
-- energies.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local function near(a, b, most, what)
    assert(math.abs(a - b) <= most, ("%s: %.9g, expected %.9g"):format(what or "", a, b))
end

describe("rill.wave", function()
    leaks.watch(setup, teardown)

    -- A mode of a grid swings as cos(w t), with sin(w dt / 2) = dt / 2 times the root of its eigenvalue, to the last digit.
    it("oscillates modes of one to three dimensions at the frequency of the scheme", function()
        for _, shape in ipairs {{33}, {12, 17}, {5, 7, 6}} do
            local spacing, eigen = {}, 0
            for d, n in ipairs(shape) do
                spacing[d] = 0.5 + 0.25 * d
                eigen = eigen + (2 / spacing[d] * math.sin(math.pi * d / (2 * (n + 1)))) ^ 2
            end
            local start = rill.stream("float", shape, function(...)
                local z = 1
                for d, i in ipairs {...} do z = z * math.sin(math.pi * d * i / (shape[d] + 1)) end
                return z
            end)
            local w = rill.wave {shape = shape, spacing = spacing, speed = 1.5, height = start}
            local dt = 0.7 * w.limit
            local omega = 2 / dt * math.asin(0.75 * dt * math.sqrt(eigen))
            local energy = w.energy
            for _ = 1, 40 do w:step(dt) end
            near(w.time, 40 * dt, 1e-12)
            local off = (w.height - start * math.cos(omega * 40 * dt)):map("abs(x)"):max()
            assert(off < 2e-4, off)
            off = (w.velocity + start * (math.sin(omega * dt) / dt * math.sin(omega * 40 * dt))):map("abs(x)"):max()
            assert(off < 1e-3 * omega, off)
            near(w.energy / energy, 1, 0.03, "energy")
        end
    end)

    it("is of second order", function()
        local errors = {}
        for k = 1, 3 do
            local n = (16 << (k - 1)) - 1
            local h = 1 / (n + 1)
            local w = rill.wave {shape = {n}, spacing = h, dt = 0.4 * h,
                height = rill.stream("float", n, function(i) return math.sin(math.pi * i * h) end)}
            while w.time < 0.8 - 1e-9 do w:step() end
            errors[k] = math.abs(w.height:get((n + 1) // 2) - math.cos(math.pi * 0.8))
        end
        assert(errors[1] / errors[2] > 3.8 and errors[2] / errors[3] > 3.6, table.concat(errors, " "))
    end)

    it("carries a pulse without change at the limit, round a ring", function()
        local n = 64
        local function pulse(i) return math.exp(-((i - 20) / 4) ^ 2) end
        local start = rill.stream("float", n, pulse)
        local w = rill.wave {shape = {n}, boundary = "periodic", height = start, dt = 1,
            -- Half a step before, what goes right has this velocity at the cell.
            velocity = rill.stream("float", n, function(i) return 0.5 * (pulse(i - 1) - pulse(i + 1)) end)}
        for _ = 1, n do w:step() end
        assert((w.height - start):map("abs(x)"):max() < 1e-4)
        w:step()
        near(w.height:get(21), pulse(20), 1e-4)
    end)

    it("is inverted at fixed sides, reflected at free sides, and leaves through absorbing sides", function()
        local n, found = 99, {}
        for _, kind in ipairs {"fixed", "free", "absorb"} do
            local w = rill.wave {shape = {n}, boundary = kind, dt = 1,
                height = rill.stream("float", n, function(i) return 2 * math.exp(-((i - 50) / 5) ^ 2) end)}
            for _ = 1, kind == "free" and 99 or 100 do w:step() end
            found[kind] = w.height:get(50)
        end
        near(found.fixed, -2, 1e-4, "fixed")
        near(found.free, 2, 1e-4, "free")
        near(found.absorb, 0, 1e-5, "absorb")
        local w = rill.wave {shape = {60, 60}, boundary = "absorb",
            height = rill.stream("float", {60, 60}, function(i, j)
                return math.exp(-((i - 30) ^ 2 + (j - 25) ^ 2) / 20)
            end)}
        local before = w.energy
        for _ = 1, 400 do w:step() end
        assert(w.energy < 0.01 * before and w.height:map("abs(x)"):max() < 0.05)
    end)

    it("has one boundary for each dimension, slowest first", function()
        local row = rill.stream("float", {4, 8}, function(_, j) return j == 1 and 1 or 0 end)
        local w = rill.wave {shape = {4, 8}, boundary = {"free", "periodic"}, height = row, dt = 0.5}
        w:step()
        for i = 1, 4 do
            near(w.height:get(i, 1), 1 - 0.25, 1e-6)
            near(w.height:get(i, 8), 0.125, 1e-6)
            near(w.height:get(i, 2), 0.125, 1e-6)
        end
    end)

    it("goes slower where speed is less, and not where there are walls", function()
        local n = 200
        local function pulse(i) return math.exp(-((i - 40) / 12) ^ 2) end
        local shape = {n}
        local speed = rill.stream("float", n, function(i) return i > 100 and 0.5 or 1 end)
        local w = rill.wave {shape = shape, speed = speed, height = rill.stream("float", n, pulse), dt = 0.5,
            velocity = rill.stream("float", n, function(i) return 0.5 * (pulse(i - 1) - pulse(i + 1)) end)}
        for _ = 1, 240 do w:step() end -- 60 seconds in the fast part, then 60 in the slow one
        assert(math.abs(w.height:argmax() - 130) <= 1, w.height:argmax())
        near(w.height:max(), 2 / (1 + 2), 0.02, "what is let through") -- 2 c2 / (c1 + c2)
        local walls = rill.stream("bool", {20, 20}, function(_, j) return j == 10 end)
        local z = rill.stream("float", {20, 20}, function(_, j) return j < 10 and 1 or 0 end)
        w = rill.wave {shape = {20, 20}, boundary = "free", walls = walls, height = z}
        for _ = 1, 30 do w:step() end
        assert.equal(0, w.height:domain({1, 10}, {20, 20}):map("abs(x)"):max())
        assert(w.height:domain({1, 1}, {20, 9}):map("abs(x)"):max() > 0.1)
    end)

    it("dies away with damping", function()
        local w = rill.wave {shape = {4, 4}, boundary = "periodic", damping = 0.5, velocity = 1, dt = 0.01}
        for _ = 1, 200 do w:step() end
        near(w.velocity:get(2, 2), math.exp(-0.5 * 2), 2e-3)
        near(w.height:get(1, 3), (1 - math.exp(-0.5 * 2)) / 0.5, 5e-3)
    end)

    it("takes long steps in parts, and warns once where they are too long", function()
        local start = rill.stream("float", {9}, function(i) return i == 5 and 1 or 0 end)
        local w = rill.wave {shape = {9}, height = start, substeps = true}
        w:step(4 * w.limit)
        local v = rill.wave {shape = {9}, height = start}
        for _ = 1, 4 do v:step(v.limit) end
        assert((w.height - v.height):map("abs(x)"):max() < 1e-6)
        local said = {}
        local warn_ = warn
        _G.warn = function(...) said[#said + 1] = table.concat {...} end
        v:step(2 * v.limit)
        v:step(2 * v.limit)
        _G.warn = warn_
        assert.equal(1, #said)
        assert.matches("exceeds the stable limit", said[1])
    end)

    it("prints, draws, closes", function()
        local w = rill.wave {shape = {6, 9}}
        assert.equal("wave[6x9] at 0 s", tostring(w))
        assert.equal("wave", rill.type(w))
        local picture = w:picture {scale = 2}
        assert.same({"vec3", 6, 9}, {picture.type, table.unpack(picture.shape)})
        assert(picture:get(1, 1)[3] > 0.05)
        w:close()
        check.names({"W:step", "closed"}, w.step, w)
        assert.equal("closed wave", tostring(w))
        check.names({"W:picture", "1 dimension"}, function() rill.wave {shape = {4}}:picture() end)
    end)

    it("names invalid options", function()
        check.names({"rill.wave", "'shape' is missing"}, rill.wave, {})
        check.names({"rill.wave", "'shape'", "1 to 3 whole numbers"}, rill.wave, {shape = {2, 0}})
        check.names({"rill.wave", "unknown option 'sped'"}, rill.wave, {shape = {2}, sped = 1})
        check.names({"rill.wave", "'spacing' has 2 values", "1 dimension"}, rill.wave, {shape = {2}, spacing = {1, 2}})
        check.names({"rill.wave", "'boundary'", "absorb", "wrap"}, rill.wave, {shape = {2}, boundary = "wrap"})
        check.names({"rill.wave", "'boundary' has 1 value,"}, rill.wave, {shape = {2, 2}, boundary = {"fixed"}})
        check.names({"rill.wave", "'speed'", "above 0"}, rill.wave, {shape = {2}, speed = 0})
        check.names({"rill.wave", "'speed'", "the smallest is"}, rill.wave, {shape = {2}, speed = rill.from {1, -1}})
        local nan, three = rill.from {1, 0 / 0}, rill.from {1, 2, 3}
        check.names({"rill.wave", "'height'", "element 2 is nan"}, rill.wave, {shape = {2}, height = nan})
        check.names({"rill.wave", "'height'", "of shape 2", "3"}, rill.wave, {shape = {2}, height = three})
        check.names({"rill.wave", "'walls'", "element 2 is"}, rill.wave, {shape = {2}, walls = nan})
        check.names({"rill.wave", "'walls'", "vec2"}, rill.wave, {shape = {3}, walls = rill.stream("vec2", 3)})
        local long = rill.wave {shape = {8}, substeps = true}
        check.names({"W:step", "1e+30 seconds", "take steps of less than"}, long.step, long, 1e30)
        assert.equal(0, long.time)
        check.names({"rill.wave", "'walls' has shape 3"}, rill.wave, {shape = {2}, walls = rill.from {1, 2, 3}})
        local w = rill.wave {shape = {2}}
        check.names({"W:step", "'dt'", "above 0"}, w.step, w, -1)
        check.names({"W:step", "expected a wave before the colon"}, w.step, 3)
        check.names({"a wave has no field or method 'hight'", "height"}, function() return w.hight end)
    end)
end)
