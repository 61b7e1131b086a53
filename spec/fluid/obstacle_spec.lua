-- Obstacles and inflows of rill.fluid, and the ways to solve for the pressure around them.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local listen = require "spec.support.said"
local LONG <const> = os.getenv "RILL_SUITE_LONG"

local function disc(rows, columns, x, y, radius)
    return rill.stream("float", {rows, columns}, function(i, j)
        return math.sqrt((j - 0.5 - x) ^ 2 + (i - 0.5 - y) ^ 2) - radius
    end)
end

local function says(message, f, ...)
    local ok, said = pcall(f, ...)
    assert.is_false(ok)
    assert(said:find(message, 1, true), said)
    assert(said:find "obstacle_spec.lua", said)
end

-- The largest difference of two streams.
local function apart(a, b)
    local left, right, worst = a:values(), b:values(), 0
    for k = 1, #left do
        worst = math.max(worst, math.abs(left[k] - right[k]))
    end
    return worst
end

describe("a fluid with obstacles", function()
    leaks.watch(setup, teardown)
    local said <const> = listen(before_each, after_each)

    it("is free of divergence up to rounding errors, for any boundary", function()
        local ball <close> = disc(30, 41, 15, 14, 6.3)
        for _, boundary in ipairs {"wall", "periodic", {x = {{velocity = {1, 0}}, "open"}}, {x = "open", y = {"open",
            "wall"}}} do
            local noise <close> = rill.random({30, 41}, {seed = 5, low = -1, high = 1, type = "vec2"})
            local f = rill.fluid {shape = {30, 41}, dt = 0.1, boundary = boundary, velocity = noise, tolerance = 1e-7}
            f:obstacle(ball, {0.25, -0.5})
            f:step()
            local found = f.divergence
            assert(found.before > 0.1 and found.after < 5e-7, found.after)
            local v = f.velocity:get(15, 16)
            assert.same({0.25, -0.5}, {v[1], v[2]})
        end
        assert.same({}, said)
    end)

    it("is free of divergence in the step after an obstacle is set, at any step", function()
        local f = rill.fluid {shape = {32, 64}, dt = 0.2, boundary = {x = {{velocity = {1, 0}}, "open"}}}
        local wall <close> = rill.stream("bool", {32, 64}, function(i, j) return j == 40 and i % 8 ~= 0 end)
        local ball <close> = disc(32, 64, 16, 14, 6.3)
        for step = 0, LONG and 60 or 30 do
            if step % 17 == 3 or step % 17 == 11 then
                f:obstacle(step % 17 == 3 and ball or wall)
            end
            f:step()
            local before <const>, after <const> = f.divergence.before, f.divergence.after
            assert(after <= 2e-4 * before + 1e-6, ("step %d: %g of %g"):format(step, after, before))
        end
    end)

    it("agrees between all solvers, with enough iterations", function()
        local ball <close> = disc(10, 12, 4, 5, 2)
        local results = {}
        for i, pressure in ipairs {"multigrid", "cg", "jacobi"} do
            local f = rill.fluid {
                shape = {10, 12}, dt = 0.2, viscosity = 0.05, pressure = pressure, tolerance = 1e-6,
                    boundary = {x = {{velocity = {1, 0}}, "open"}},
                iterations = pressure == "jacobi" and 4000 or nil,
            }
            f:obstacle(ball):step():step()
            results[i] = {f.velocity, f.pressure}
        end
        for i = 2, 3 do
            assert(apart(results[1][1], results[i][1]) < 2e-5, apart(results[1][1], results[i][1]))
        end
    end)

    it("flows faster through a gap", function()
        local shape = {32, 30}
        local wall <close> = rill.stream("bool", shape, function(i, j) return j > 12 and j < 16 and (i < 13 or
            i > 20) end)
        local f = rill.fluid {shape = shape, dt = 0.05, boundary = {x = {{velocity = {1, 0}}, "open"}},
            tolerance = 1e-7}
        f:obstacle(wall)
        f:step():step()
        local sum = 0
        for i = 1, 32 do
            local u = f.velocity:get(i, 14)[1]
            assert(i > 12 and i < 21 or u == 0)
            sum = sum + u
        end
        assert(math.abs(sum - 32) < 1e-3, sum)
    end)

    it("is pushed by a moving obstacle, and forgets removed ones", function()
        local shape = {24, 40}
        local f = rill.fluid {shape = shape, dt = 0.5, cfl = 2, boundary = "periodic"}
        f:carry("ink", rill.stream("float", shape, 1))
        local function go(step)
            local ball <close> = disc(24, 40, 8 + 0.5 * step, 12, 4)
            f:obstacle(ball, {1, 0})
            f:step()
        end
        go(1)
        go(2)
        check.collect()
        local memory = rill.memory()
        for step = 3, 12 do
            go(step)
        end
        check.collect()
        local now = rill.memory()
        assert.same({memory.streams, memory.bytes}, {now.streams, now.bytes})
        local v = f.velocity
        assert.equal(1.0, v:get(12, 14)[1])
        assert(v:get(12, 20)[1] > 0.2, v:get(12, 20)[1]) -- before it
        assert(v:get(3, 14)[1] < 0) -- what makes room
        assert.equal(0.0, f:get "ink":get(12, 14))
        assert(f:get "ink":get(3, 30) > 0.9)
        f:obstacle():step()
        assert.is_true(f.divergence.after < 1e-3)
    end)

    it("lets fluid and carried quantities in", function()
        local shape = {20, 30}
        local vent <close> = rill.stream("int", shape, function(i, j) return i > 8 and i < 13 and j < 3 and 7 or 0 end)
        local f = rill.fluid {shape = shape, dt = 0.5, boundary = {x = {"wall", "open"}}, tolerance = 1e-6}
        f:inflow(vent, {1, 0})
        f:carry("ink", rill.stream("vec2", shape), {inflow = {1, 2}, diffusion = 0.01})
        for _ = 1, 30 do
            f:step()
        end
        assert.same({1, 0}, {table.unpack(f.velocity:get(10, 2))})
        local sum = 0
        for i = 1, 20 do
            sum = sum + f.velocity:get(i, 29)[1]
        end
        assert(math.abs(sum - 4) < 1e-2, sum)
        local ink = f:get "ink"
        assert(math.abs(ink:get(10, 2)[1] - 1) < 1e-3 and math.abs(ink:get(10, 2)[2] - 2) < 1e-3)
        local there = ink:get(10, 8)
        assert(there[1] > 0.7 and math.abs(there[2] - 2 * there[1]) < 1e-4)
        assert.same({}, said)
    end)

    it("of three dimensions is free of divergence, too, and collocated through its faces", function()
        local ball <close> = rill.stream("int", {12, 13, 14}, function(i, j, k)
            return (i - 6) ^ 2 + (j - 6) ^ 2 + (k - 7) ^ 2 < 9 and 1 or 0
        end)
        for _, grid in ipairs {"mac", LONG and "collocated"} do
            local f = rill.fluid {
                shape = {12, 13, 14}, dt = 0.2, boundary = {x = {{velocity = {1, 0, 0}}, "open"}}, tolerance = 1e-6,
                    grid = grid,
            }
            f:obstacle(ball):step()
            local found = f.divergence
            assert((found.faces or found.after) < 1e-4 * found.before, found.faces or found.after)
        end
    end)

    it("warns if inflow and outflow differ", function()
        local shape = {10, 10}
        local vent <close> = rill.stream("bool", shape, function(i, j) return i == 5 and j == 5 end)
        local f = rill.fluid {shape = shape, dt = 0.1, spacing = 0.5, velocity = function(x, y) return math.sin(x + y),
            0 end}
        local drive <close> = rill.stream("vec2", shape, function() return 1, 0 end)
        f:inflow(vent, drive)
        f:step():step()
        assert.equal(0, #said) -- what enters on one side of the cell leaves on the other
        rill.fluid {shape = shape, spacing = 0.5, boundary = {x = {{velocity = {1, 0}}, "wall"}}}
        assert.equal(1, #said)
        assert(said[1]:find("inflow exceeds outflow by 5 a second, and no side is open", 1, true), said[1])
        local g = rill.fluid {shape = shape, dt = 0.1, boundary = {x = {{velocity = {1, 0}}, "wall"}}}
        g:step():step()
        assert(math.abs(g.divergence.mean + 0.1) < 1e-6, g.divergence.mean)
        assert(math.abs(g.divergence.after - 0.1) < 1e-4, g.divergence.after)
        assert.equal(2, #said)
        local corner <close> = rill.stream("bool", shape, function(_, j) return j == 1 end)
        local h = rill.fluid {shape = shape, dt = 0.1}
        h:inflow(corner, {1, 0})
        h:step():step():step()
        assert.equal(3, #said)
        assert(said[3]:find("inflow exceeds outflow by 10 a second", 1, true), said[3])
        assert(math.abs(h.divergence.mean + 10 / 90) < 1e-5)
    end)

    it("may have no fluid cell left", function()
        local all <close> = rill.stream("bool", {9, 8}, true)
        local f = rill.fluid {shape = {9, 8}, dt = 0.1, velocity = function() return 1, 1 end}
        f:obstacle(all, {0.5, 0})
        f:step():step():step()
        assert.equal(1, #said)
        assert(said[1]:find("obstacles fill the whole domain", 1, true), said[1])
        assert.same({before = 0, after = 0}, {before = f.divergence.before, after = f.divergence.after})
        assert.same({0.5, 0}, {table.unpack(f.velocity:get(4, 4))})
    end)

    it("names invalid arguments", function()
        local f = rill.fluid {shape = {4, 5}}
        says("f:obstacle: argument #1 'mask' has shape 5x4, but the fluid has shape 4x5",
            f.obstacle, f, rill.stream("bool", {5, 4}))
        says("f:obstacle: argument #1 'mask': expected elements of bool, float, int, uint, got elements of vec2",
            f.obstacle, f,
            rill.stream("vec2", {4, 5}))
        says("f:obstacle: argument #1 'mask' has NaN at element 1, 1", f.obstacle, f, rill.stream("float", {4, 5},
            0 / 0))
        local mask <close> = rill.stream("bool", {4, 5})
        says("f:obstacle: argument #2 'velocity': expected 2 numbers, or a stream of vec2", f.obstacle, f, mask, {1, 2,
            3})
        says("f:obstacle: argument #2 'velocity': expected 2 numbers, or a stream of vec2", f.obstacle, f, mask, {1,
            0 / 0})
        says("f:inflow: argument #2 'velocity' has shape 2x2, but the fluid has shape 4x5",
            f.inflow, f, mask, rill.stream("vec2",
            {2, 2}))
        says("f:inflow: argument #1 'mask': expected an open stream, got number 3", f.inflow, f, 3)
        says("f:carry: option 'inflow' of 's': expected 2 numbers, got number 1", f.carry, f, "s", rill.stream("vec2",
            {4, 5}),
            {inflow = 1})
        says("option 'pressure': expected \"multigrid\" or \"cg\" or \"jacobi\", got \"sor\"", rill.fluid,
            {shape = {4, 4}, pressure = "sor"})
    end)
end)
