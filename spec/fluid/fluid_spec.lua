-- rill.fluid: grids of every type, cost of a step, and messages for invalid arguments.
local rill = require "rill"
local check = require "spec.support.check"
local flows = require "spec.support.flows"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"
local listen = require "spec.support.said"
local LONG <const> = os.getenv "RILL_SUITE_LONG"

-- The flow of two dimensions in the planes of three: a, b and c are which component, from 1, each of u, v and w is.
local function planes(flow, a, b)
    return function(...)
        local place, v = {...}, {0, 0, 0}
        v[a], v[b] = flow(place[a], place[b])
        return table.unpack(v)
    end
end

-- The largest difference between a fluid's velocity and that of its twin in two dimensions.
local function apart(f, twin, n, a, b)
    local values, want = f.velocity:values(), twin.velocity:values()
    local shape, worst = f.shape, 0
    local k = 0
    for z = 0, shape[1] - 1 do
        for y = 0, shape[2] - 1 do
            for x = 0, shape[3] - 1 do
                local at = {x, y, z}
                local i = at[b] * n + at[a]
                worst = math.max(worst, math.abs(values[k + a] - want[2 * i + 1]),
                    math.abs(values[k + b] - want[2 * i + 2]))
                k = k + 3
            end
        end
    end
    return worst
end

local function twins(n, depth, axes, steps, grid)
    local flow = flows.vortices(0.01)
    local options = {
        spacing = 1 / n, dt = 0.5 / n, viscosity = 0.01, boundary = "periodic", tolerance = 1e-6, grid = grid,
        confinement = 0.2, shape = {n, n}, velocity = flow,
    }
    local twin = rill.fluid(options)
    local a, b = table.unpack(axes)
    local shape = {depth, depth, depth}
    shape[4 - a], shape[4 - b] = n, n
    options.shape, options.velocity = shape, planes(flow, a, b)
    local f = rill.fluid(options)
    for _ = 1, steps do
        f:step()
        twin:step()
    end
    return apart(f, twin, n, a, b)
end

local function says(message, f, ...)
    local ok, said = pcall(f, ...)
    assert.is_false(ok)
    assert(said:find(message, 1, true), said)
    assert(said:find "fluid_spec.lua", said)
end

describe("rill.fluid", function()
    leaks.watch(setup, teardown)
    local said <const> = listen(before_each, after_each)

    it("of three dimensions is that of two where nothing changes along one", function()
        assert(not LONG or twins(16, 4, {1, 2}, 3) < 2e-6)
        assert(twins(16, 4, {2, 3}, 3) < 2e-6)
    end)

    it("of three dimensions is that of two, 64^3 #long", function()
        for _, axes in ipairs {{1, 2}, {2, 3}, {1, 3}} do
            local off = twins(64, 64, axes, 4)
            assert(off < 5e-6, off)
        end
    end)

    it("leaves on a collocated grid a divergence of wide differences, less on finer grids", function()
        local last
        for _, n in ipairs {16, 32, 64} do
            local k = 2 * math.pi / n
            local f = rill.fluid {
                shape = {n, n}, spacing = 1 / n, dt = 1e-3, boundary = "periodic", grid = "collocated",
                    tolerance = 1e-6,
                velocity = function(x, y) return math.sin(k * n * x) + 0.3 * math.sin(2 * k * n * (x + y)),
                    math.cos(k * n * y) end,
            }
            f:step()
            local found = f.divergence
            assert(found.faces < 1e-4 * found.before, found.faces)
            local ratio = found.after / found.before
            assert(not last or last / ratio >= 3.5, ratio)
            last = ratio
        end
    end)

    it("reads nothing out of range", function()
        rill.check(true)
        local done, what = pcall(function()
            local f = rill.fluid {shape = {6, 5}, viscosity = 0.1, velocity = function() return 3, 2 end}
            f:step():step()
            return f.velocity:values()
        end)
        rill.check(false)
        assert(done, what)
    end)

    it("stays at rest in a box under any force, also around obstacles, and when the force changes or ends", function()
        for _, case in ipairs {{33, "collocated"}, {16, "mac"}, LONG and {16, "collocated"}} do
            local n, grid = case[1], case[2]
            for _, viscosity in ipairs {0.01, LONG and 0} do
                local block <close> = rill.stream("bool", {n, n}, function(i, j)
                    return i > n - 5 and j > 3 and j < 9
                end)
                local force <close> = rill.stream("vec2", {n, n}, {0, 9.8})
                local sideways <close> = rill.stream("vec2", {n, n}, {-5, 1})
                for _, mask in ipairs {false, block} do
                    local f = rill.fluid {shape = {n, n}, spacing = 1 / n, dt = 0.1, cfl = 100, grid = grid,
                        viscosity = viscosity, tolerance = 1e-6}
                    f:obstacle(mask or nil):force(force)
                    local function rests(when)
                        local speed = rill.length(f.velocity):max()
                        assert(speed < 1e-4, ("%s %d %g %s: %g"):format(grid, n, viscosity, when, speed))
                    end
                    f:step()
                    rests "first"
                    for _ = 1, LONG and 20 or 5 do f:step() end
                    rests "later"
                    f:force(sideways):step():step()
                    rests "changed"
                    f:force(nil):step()
                    rests "ended"
                end
            end
        end
    end)

    it("keeps its order on a collocated grid where steps fall with the spacing", function()
        local orders = flows.order({32, 64}, function(n) return n end, 0.5,
            {viscosity = 0, tolerance = 1e-6, grid = "collocated"})
        assert(orders[1] >= 1.9, orders[1])
    end)

    it("knows on a collocated grid that nothing flows through obstacles at rest", function()
        local noise <close> = rill.random({8, 8}, {seed = 1, low = -0.2, high = 0.2, type = "vec2"})
        local wall <close> = rill.stream("bool", {8, 8}, function(_, j) return j == 6 end)
        local f = rill.fluid {shape = {8, 8}, dt = 0.05, spacing = 0.1, grid = "collocated", velocity = noise}
        f:obstacle(wall)
        for _ = 1, 4 do f:step() end
        assert.same({}, said)
        assert(rill.abs(f.velocity):max()[1] < 0.3 and math.abs(f.divergence.mean) < 1e-6, f.divergence.mean)
    end)

    it("is correct on a collocated grid #long", function()
        local orders = flows.order({32, 64}, function(n) return n * n // 32 end, 0.5,
            {viscosity = 0.05, tolerance = 1e-6, grid = "collocated"})
        assert(orders[1] >= 1.8, orders[1])
    end)

    shortened(it, "takes grids of any size", function(whole)
        for _, shape in ipairs(whole and {{1, 1}, {1, 7}, {33, 9}, {3, 1, 5}} or {{1, 1},
            {3, 1}}) do
            for _, boundary in ipairs(whole and {"wall", "periodic", "open"} or {"wall", "open"}) do
                local noise <close> = rill.random(shape, {seed = 1, low = -1, high = 1, type = "vec" .. #shape})
                local f = rill.fluid {shape = shape, dt = 0.25, viscosity = 0.1, boundary = boundary, velocity = noise}
                f:carry("s", rill.stream("float", shape, 1))
                f:step():step()
                local size = f.velocity:norm()
                assert(size - size == 0)
                assert(math.abs(f:get "s":min() - 1) < 1e-5 and math.abs(f:get "s":max() - 1) < 1e-5)
            end
        end
    end)

    it("allocates nothing in a step, and is reproducible", function()
        local function run()
            local noise <close> = rill.random({20, 20}, {seed = 2, low = -1, high = 1, type = "vec2"})
            local f = rill.fluid {shape = {20, 20}, viscosity = 0.1, velocity = noise, confinement = 0.1,
                buoyancy = {s = 1}}
            f:carry("s", rill.stream("float", {20, 20}, 1), {diffusion = 0.1})
            f:step()
            check.collect()
            local memory = rill.memory()
            for _ = 1, 20 do
                f:step()
            end
            local now = rill.memory()
            assert.same({memory.streams, memory.bytes}, {now.streams, now.bytes})
            return f.velocity:bytes() .. f:get "s":bytes()
        end
        assert.equal(run(), run())
    end)

    it("takes a velocity for both sides of an axis", function()
        local lid = {velocity = {1, 0}}
        local both = rill.fluid {shape = {8, 8}, viscosity = 0.1, dt = 0.5, boundary = {y = lid}}
        local pair = rill.fluid {shape = {8, 8}, viscosity = 0.1, dt = 0.5, boundary = {y = {lid, lid}}}
        both:step():step()
        assert.same(pair:step():step().velocity:values(), both.velocity:values())
        assert(both.velocity:get(1, 4)[1] > 0.01)
    end)

    it("warns once of steps above the limit, and divides them with substeps", function()
        local function moving(options)
            options.shape, options.boundary, options.velocity = {16, 16}, "periodic", function() return 3, 0 end
            return rill.fluid(options)
        end
        local f = moving {dt = 1}
        f:step():step():step()
        assert.equal(1, #said)
        assert(said[1]:find("crosses 3 cells in a step of 1 s, the limit 'cfl' is 1", 1, true), said[1])
        for _, substeps in ipairs {3, true} do
            local g = moving {dt = 1, substeps = substeps}
            g:step()
            assert(math.abs(g.dt - 1 / 3) < 1e-6)
            assert.equal(1.0, g.time)
        end
        assert.equal(1, #said)
    end)

    it("names invalid options and arguments", function()
        says("option 'shape' is missing", rill.fluid, {})
        local timeless = rill.fluid {shape = {8, 8}, substeps = true}
        says("f:step: option 'substeps' = true requires a time step: set the option 'dt'", timeless.step, timeless)
        assert.equal(0.5, timeless:step(0.5).time)
        for text, x in pairs {
            ["x: unknown key 'velocity': expected {low, high}"] = {"wall", velocity = {1, 0}},
            ["x: unknown key 'low': expected {low, high}"] = {low = "wall"},
            ["the low side of x: 'velocity': expected a table of 2 numbers"] = {velocity = {1}},
        } do
            says("rill.fluid: option 'boundary': " .. text, rill.fluid, {shape = {8, 8}, boundary = {x = x}})
        end
        says("rill.fluid: expected a table of options, got number 3", rill.fluid, 3)
        says("option 'shape': expected a table of 2 or 3 whole numbers", rill.fluid, {shape = {4}})
        says("unknown option 'viscous': expected advection, boundary", rill.fluid, {shape = {4, 4}, viscous = 1})
        says("option 'viscosity': expected a number, 0 or more, got number -1", rill.fluid, {shape = {4, 4},
            viscosity = -1})
        says("option 'viscosity': expected a number, 0 or more, got number nan", rill.fluid, {shape = {4, 4},
            viscosity = 0 / 0})
        says('option \'grid\': expected "mac" or "collocated", got "staggered"', rill.fluid, {shape = {4, 4},
            grid = "staggered"})
        says("option 'spacing' has 3 values, the grid has 2 dimensions", rill.fluid, {shape = {4, 4}, spacing = {1, 1,
            1}})
        says('the low side of x: expected "wall", "open", "periodic" or {velocity = {...}}, got "moving"', rill.fluid,
            {shape = {4, 4}, boundary = {x = {"moving", "wall"}}})
        says("the high side of y: 'velocity': expected a table of 2 numbers, got another table", rill.fluid,
            {shape = {4, 4}, boundary = {y = {"wall", {velocity = {1, 2, 3}}}}})
        says("x is periodic on one side only: set both sides, or neither", rill.fluid,
            {shape = {4, 4}, boundary = {x = {"periodic", "wall"}}})
        says("unknown axis 'z': expected x, y", rill.fluid, {shape = {4, 4}, boundary = {z = "wall"}})
        local f = rill.fluid {shape = {4, 5}}
        says("f:step: argument #1 'dt': expected a number of seconds above 0, got number -1", f.step, f, -1)
        says("f:step: expected a fluid before the colon, got a table", f.step, {})
        says("f:force: the force has shape 5x4, but the fluid has shape 4x5", f.force, f, rill.stream("vec2", {5, 4}))
        says("f:force: the force: expected elements of vec2, got elements of float", f.force, f, rill.stream("float",
            {4, 5}))
        says("f:carry: 's' has NaN at element 2, 3", f.carry, f, "s",
            rill.stream("float", {4, 5}, function(i, j) return i == 2 and j == 3 and 0 / 0 or 1 end))
        says("f:flow: the velocity has infinity at element 1, 1", f.flow, f,
            rill.stream("vec2", {4, 5}, function() return math.huge, 0 end))
        says("f:flow: the velocity has NaN", f.flow, f, function() return 0 / 0, 0 end)
        says("f:get: no quantity is carried under the name 'heat'", f.get, f, "heat")
        says("f:carry: unknown option 'speed': expected diffusion", f.carry, f, "s", rill.stream("float", {4, 5}),
            {speed = 1})
        says("a fluid has no field or method 'speed'", function() return f.speed end)
        local g = rill.fluid {shape = {4, 5}, buoyancy = {s = {1, 2}}}
        says("option 'buoyancy' of the fluid has 2 values for 's', whose elements are float", g.carry, g, "s",
            rill.stream("float", {4, 5}))
        assert.equal("fluid", rill.type(f))
        assert.equal("fluid[4x5], mac", tostring(f))
    end)
end)
