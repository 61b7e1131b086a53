-- Values of rill are refused where other values are expected. No message comes from Lua itself, or names a private field or another function.
local rill = require "rill"
local check = require "spec.support.check"

local function matrix()
    return rill.sparse.coo {shape = {1, 1}, rows = {0}, columns = {0}, values = {1}}
end

local function closed(value)
    value:close()
    return value
end

describe("a value of rill", function()
    it("is not a table of options", function()
        local s, c = rill.from {1, 2}, rill.sparse("float", {4}, {page = {2}})
        local k = rill.kernel "kernel void f(float a, float x<>, out float r<>) { r = a * x; }"
        for _, value in ipairs {rill.mesh.box(), matrix(), s + 1, rill.collide.bvh(rill.mesh.box())} do
            local kind = rill.type(value)
            check.raises("s:sum: argument #2 'options': .*got " .. kind, s.sum, s, 1, value)
            check.raises("rill.random: argument #2 'options': .*got " .. kind, rill.random, 3, value)
            check.raises("rill.sparse: argument #3 'options': .*got " .. kind, rill.sparse, "float", {4}, value)
            check.raises("c:histogram: argument #1 'options': expected a table of options, got ", c.histogram, c, value)
            check.raises("kernel:specialize: argument #1 'constants': .*got " .. kind, k.specialize, k, value)
            check.raises("rill.translator.new: .*'traits': .*got " .. kind, rill.translator.new,
                {rank = 1, to = 1, traits = value, cpu = print, glsl = "x"})
        end
    end)

    it("is not a list of sizes, modes or streams", function()
        local M, A = rill.mesh.box(), matrix()
        local c, i = rill.sparse("float", {4}, {page = {2}}), rill.iota(3)
        for _, value in ipairs {M, A} do
            check.raises("rill.concat: argument #1 'list': .*got m", rill.concat, value)
            check.raises("rill.convolve: option 'boundary': expected .*got m", rill.convolve, i, i,
                {boundary = value})
            check.raises("rill.sparse.csr: option 'shape': expected", rill.sparse.csr, {shape = value})
            check.raises("rill.image.resize: argument #2 'shape': .*got m", rill.image.resize, rill.random {2, 2},
                value)
            check.raises("c:map_cpu: option 'first': expected an index", c.map_cpu, c, {first = value})
            check.raises("c:neighbors: argument #1 'reach': expected", c.neighbors, c, value)
            check.raises("rill.subdivide.loop: option 'creases': expected", rill.subdivide.loop, M,
                {levels = 1, creases = value})
        end
    end)

    it("that is closed is called closed", function()
        local c, s, m = closed(rill.array("float", 2)), closed(rill.iota(2)), closed(rill.mesh.box())
        check.raises("rill.active: argument #1 'mask': .*got closed container", rill.active, c)
        check.raises("rill.branch: argument #1 'cond': .*got closed container", rill.branch, c, nil, nil)
        check.raises("rill.volume: argument #1 's': .*got closed container", rill.volume, c)
        check.raises("rill.mesh.marching_cubes: argument #1 's': .*got closed container", rill.mesh.marching_cubes, c,
            1)
        check.raises("c:map: argument 's': .*got closed container", c.map, c, "x")
        check.raises("c:like: argument 'c': .*got closed container", c.like, c)
        check.raises("c:cast: argument 'c': .*got closed container", c.cast, c, "int")
        check.raises("c:map_cpu: argument 'c': .*got closed container", c.map_cpu, c)
        check.raises("c:neighbors: argument 'c': .*got closed container", c.neighbors, c, 1)
        check.raises("rill.plot: expected a stream or a table of numbers, got closed stream", rill.plot, s)
        check.raises("rill.plot: series 1: .*got closed stream", rill.plot, {s})
        check.raises("rill.show: argument #1 's': .*got closed mesh", rill.show, m)
    end)

    it("is not accepted for another type before the colon", function()
        local p, F = rill.progress(3), rill.solve.lu(rill.from {{1}})
        local h, T = rill.solve.hierarchy {shape = {4, 4}}, rill.collide.bvh(rill.mesh.box())
        for _, value in ipairs {false, 1, {}, rill.iota(1), rill.iota(1) + 1, rill.mesh.box(), print} do
            check.raises("^[^:]*:?%d*:? ?p:step: expected a progress bar before the colon, got ", p.step, value)
            check.raises("p:close: expected a progress bar before the colon", p.close, value)
            check.raises("F:close: expected factors before the colon", F.close, value)
            check.raises("h:close: expected a hierarchy before the colon", h.close, value)
            check.raises("T:close: expected a tree before the colon", T.close, value)
        end
        check.raises("rill.type: argument #1 'value': expected a value, got nothing", rill.type)
        check.raises("c:like: argument #1 'type': unknown type 'flot'", function()
            return rill.array("float", 2):like "flot"
        end)
    end)
end)

describe("sizes beyond what a stream can have", function()
    it("are refused by the option", function()
        local huge = {1 << 31, 1 << 31}
        for _, name in ipairs {"fluid", "wave", "heat", "cloth"} do
            check.raises("rill." .. name .. ": option 'shape': expected .*2147483647 elements, got", rill[name],
                {shape = huge})
        end
        check.raises("C:picture: option 'size': expected .*from 1 to 16384", function()
            rill.cloth {shape = {2, 2}}:picture {size = huge}
        end)
        check.raises("rill.show: option 'width': expected 1 to 10000 characters", rill.show, rill.random {2, 2},
            {width = math.maxinteger, text = true})
    end)
end)

describe("a function that fills a fluid", function()
    it("is named by the option that it fills", function()
        check.raises("spec.lua:%d+: rill.fluid: the velocity: the function called for element 1: expected a number",
            function()
                local f = rill.fluid {shape = {3, 3}, velocity = function() end}
                return f
            end)
        local f = rill.fluid {shape = {3, 3}}
        check.raises("f:force: the force: the function called for element 1: returned 0 values for vec2", f.force, f,
            function() end)
    end)
end)
