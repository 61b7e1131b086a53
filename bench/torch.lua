-- Common operations over 2^24 floats against PyTorch on all cores: elementwise operations, reductions along each axis, sums into few bins, and operations that move
-- elements. The bandwidth of memory, which limits the first rows, is printed below the rows.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local count, side = 1 << 24, 4096

local kernels = [=[
    kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }
    kernel void exps(float x<>, out float r<>) { r = exp(x); }
    kernel void logs(float x<>, out float r<>) { r = log(x); }
    kernel void sines(float x<>, out float r<>) { r = sin(x); }
    kernel void cosines(float x<>, out float r<>) { r = cos(x); }
    kernel void powers(float x<>, float y<>, out float r<>) { r = pow(x, y); }
    kernel void stencil(neighbor float u<>, out float r<>) {
        r = 0.25 * (u[ivec2(-1, 0)] + u[ivec2(1, 0)] + u[ivec2(0, -1)] + u[ivec2(0, 1)]);
    } ]=]

-- Reductions of a stream along each of its axes.
local function along(cases, name, s)
    for axis = 1, #s.shape do
        for _, method in ipairs {"sum", "mean", "max", "argmax"} do
            local adds = method == "sum" or method == "mean"
            cases[#cases + 1] = {
                ("%s of %s along axis %d"):format(method, s.shape, axis), ("%s_%s_%d"):format(method, name, axis - 1),
                method == "sum" and 1.0 or nil, function() return s[method](s, axis) end,
                tolerance = adds and 1e-5 or nil, rounds = 5,
            }
        end
    end
end

-- Sums of x into few places, from zero. PyTorch's drift.
local function into(cases, places, index, x)
    local sums = rill.stream("float", places)
    cases[#cases + 1] = {
        ("scatter-add into %d places"):format(places), "scatter" .. places, 1.0,
        function() return rill.scatter(sums:fill(0), index, x, "add") end, keep = sums, tolerance = 1e-4, rounds = 5,
    }
    cases[#cases + 1] = {
        ("weighted bincount, %d places"):format(places), "bincount" .. places, 1.0,
        function() return rill.bincount(index, {weights = x, minlength = places}) end, tolerance = 1e-4, rounds = 5,
    }
end

return function()
    local torch <close>, missing = pipe.python "peer_torch.py"
    if not torch then return {support.note("common operations against PyTorch", missing)} end
    local given = {
        x = rill.random(count, {seed = 1}), y = rill.random(count, {seed = 2}),
        k = rill.random(count, {seed = 3, type = "int", low = 0, high = (1 << 31) - 1}),
        index = rill.random(count, {seed = 4, type = "int", low = 0, high = count - 1}),
    }
    local x, y, r = given.x, given.y, rill.stream("float", count)
    given.m, given.tall = x:reshape {side, side}, x:reshape {1 << 20, 16}
    given.flat, given.cube = x:reshape {16, 1 << 20}, x:reshape {256, 256, 256}
    for _, places in ipairs {256, 65536} do
        given["places" .. places] = rill.random(count, {seed = 5, type = "int", low = 0, high = places - 1})
    end
    for name, s in pairs(given) do torch:give(name, s) end
    local program, picture = rill.program(kernels), rill.stream("float", {side, side})
    local function map(name, ...)
        local arguments = table.pack(...)
        arguments[arguments.n + 1] = r
        return function() return program[name](table.unpack(arguments)) end
    end
    local cases = {
        {"saxpy", "saxpy", nil, function() return program.saxpy(2.5, x, y, r) end, keep = r, tolerance = 1e-6},
        {"sum", "sum", nil, function() return x:sum() end, tolerance = 1e-5},
        {"(2.5 * x + y):sum()", "fused", 8, function() return (2.5 * x + y):sum() end, tolerance = 1e-5},
        {"kernel of exp", "exp", 0.8, map("exps", x), keep = r, tolerance = 1e-6},
        {"kernel of log", "log", 0.8, map("logs", x), keep = r, tolerance = 1e-6},
        {"kernel of sin", "sin", 0.8, map("sines", x), keep = r, tolerance = 1e-6},
        {"kernel of cos", "cos", 0.8, map("cosines", x), keep = r, tolerance = 1e-6},
        {"kernel of pow", "pow", 0.8, map("powers", x, y), keep = r, tolerance = 1e-6},
    }
    along(cases, "m", given.m)
    along(cases, "tall", given.tall)
    along(cases, "flat", given.flat)
    along(cases, "cube", given.cube)
    into(cases, 256, given.places256, x)
    into(cases, 65536, given.places65536, x)
    for _, case in ipairs {
        {"scan", "scan", 3.6, function() return x:scan() end, tolerance = 1e-3},
        {"filter, half stay", "filter", 4.3, function() return x:filter "x < 0.5" end},
        {"gather at random", "gather", 2.1, function() return rill.gather(x, given.index) end, rounds = 5},
        {"transpose 4096^2", "transpose", 1.4, function() return given.m:transpose():copy() end},
        {"sort of int", "sort", 8, function() return given.k:sort() end, rounds = 3},
        {"the 100 largest", "top", 1.7, function() return (x:top_k(100)) end, rounds = 5},
        {"5-point stencil 4096^2", "stencil", 13, function() return program.stencil(given.m, picture) end,
            keep = picture, tolerance = 1e-6, rounds = 5},
    } do
        cases[#cases + 1] = case
    end
    local rows = pipe.rows(torch, torch.what, cases)
    for _, case in ipairs {
        {"saxpy, bytes moved", 12, cases[1][4]}, {"sum, bytes read", 4, cases[2][4]},
        {"device copy, bytes moved", 8, function() r:write(x) end},
    } do
        local seconds = support.race(7, function() return support.timed(case[3], 1) end)
        rows[#rows + 1] = support.note(case[1], ("%.1f GB/s"):format(case[2] * count / seconds / 1e9))
    end
    return rows
end
