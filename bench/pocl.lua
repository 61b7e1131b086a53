-- The same kernels over 2^24 elements with OpenCL on the CPU (PoCL) through PyOpenCL; reductions and scans are PyOpenCL's.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local count, side = 1 << 24, 4096

local kernels = rill.program [=[
    kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }
    kernel void stencil(neighbor float u<>, out float r<>) {
        r = 0.25 * (u[ivec2(-1, 0)] + u[ivec2(1, 0)] + u[ivec2(0, -1)] + u[ivec2(0, 1)]);
    }
    kernel void take(float x[], int index<>, out float r<>) { r = x[index]; }
    kernel void heavy(float x<>, out float r<>) {
        float v = x;
        for (int k = 0; k < 32; k++) v = v * (1.5 - v * v * 0.25);
        r = v;
    } ]=]

return function()
    local pocl <close>, missing = pipe.python "peer_pocl.py"
    if not pocl then return {support.note("kernels against PoCL", missing)} end
    local x, y = rill.random(count, {seed = 1}), rill.random(count, {seed = 2})
    local index = rill.random(count, {seed = 4, type = "int", low = 0, high = count - 1})
    local m = x:reshape {side, side}
    for name, s in pairs {x = x, y = y, index = index, m = m} do pocl:give(name, s) end
    local r = rill.stream("float", count)
    local grid = r:reshape {side, side}
    return pipe.rows(pocl, pocl.what:match "PoCL [%d.]+" or pocl.what, {
        {"saxpy 2^24", "saxpy", 0.5, function() return kernels.saxpy(2.5, x, y, r) end, keep = r, tolerance = 1e-6},
        {"sum 2^24", "sum", 0.5, function() return x:sum() end, tolerance = 1e-5},
        {"scan 2^24", "scan", 0.5, function() return x:scan() end, tolerance = 1e-5},
        {"5-point stencil 4096^2", "stencil", 0.5, function() return kernels.stencil(m, grid) end, keep = grid,
            tolerance = 1e-6},
        {"gather 2^24", "gather", 0.5, function() return kernels.take(x, index, r) end, keep = r},
        {"32 multiply-adds, 2^24", "heavy", 0.5, function() return kernels.heavy(x, r) end, keep = r, tolerance = 1e-4},
    })
end
