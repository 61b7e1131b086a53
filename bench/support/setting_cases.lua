-- The work that bench/gpu_settings.lua times in processes with different environments.
local rill = require "rill"

local module = {}

function module.cases()
    local small = os.getenv "RILL_BENCH_SMALL"
    local function size(exponent) return 1 << (small and exponent // 2 or exponent) end
    local tiny, x = rill.random(1024), rill.random(size(24))
    local index = rill.random(size(24), {type = "int", low = 0, high = size(22) - 1})
    local side = size(11)
    local square = rill.random {side, side}
    local keys = rill.random(size(26), {type = "uint"})
    local few = keys:domain(1, size(20)):copy()
    local line = rill.kernel "kernel void line(float a, float x<>, out float r<>) { r = a * x + 1.0; }"
    local blur = rill.kernel [[kernel void blur(neighbor float u<>, out float r<>) {
        r = u[0][0] + u[0][-1] + u[0][1] + u[-1][0] + u[1][0]; }]]
    local lines, blurred = rill.stream("float", x.size), rill.stream("float", {side, side})
    local grid = rill.sparse.diags({-1, -1, 4, -1, -1}, {-side, -1, 0, 1, side}, {side * side, side * side})
    local unknowns = square:reshape(side * side)
    local signals = {}
    for _, exponent in ipairs {16, 20, 24} do
        signals[exponent] = rill.stream("vec2", size(exponent), rill.random(2 * size(exponent)):bytes())
    end
    local cases = {
        scalar = function() tiny:sum() end,
        download = function() x:bytes() end,
        gather = function() rill.gather(x:domain(1, size(22)), index):close() end,
        transpose = function() square:transpose():copy():close() end,
        sort = function() keys:sort():close() end,
        sort20 = function() few:sort():close() end,
        map = function() line(2.5, x, lines) end,
        stencil = function() blur(square, blurred) end,
        spmv = function() grid:multiply(unknowns):close() end,
        sgemm = function() rill.matmul(square, square):close() end,
    }
    local text = x:bytes()
    function cases.upload() x:write(text) end
    for exponent, s in pairs(signals) do
        cases["fft" .. exponent] = function() rill.fft(s):close() end
    end
    for name, run in pairs(cases) do cases[name] = {run = run} end
    return cases
end

return module
