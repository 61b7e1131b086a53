-- rill.blas against numpy and scipy with the installed BLAS (such as OpenBLAS) on all cores.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local blas = rill.blas
local count, side = 1 << 24, 4096

local function growth()
    local lines = {{"gemm n x n", "ms", "GFLOP/s"}}
    for _, n in ipairs {128, 256, 512, 1024} do
        local a <close> = rill.random({n, n}, {seed = 1})
        local c <close> = rill.stream("float", {n, n})
        local seconds = support.race(5, function()
            return support.timed(function() blas.gemm(1.0, a, a, 0.0, c) end, 1)
        end)
        lines[#lines + 1] = {n, seconds * 1e3, 2 * n ^ 3 / seconds / 1e9}
    end
    return support.table("rill's cost over size", lines)
end

return function()
    local numpy <close>, missing = pipe.python "peer_blas.py"
    if not numpy then return {support.note("rill.blas", missing)} end
    local given = {
        m = rill.random({side, side}, {seed = 1, low = -1}), x = rill.random(side, {seed = 2}),
        v = rill.random(count, {seed = 3}), w = rill.random(count, {seed = 4}),
        p = rill.random({4096, 16, 16}, {seed = 5}), q = rill.random({4096, 16, 16}, {seed = 6}),
    }
    for _, n in ipairs {256, 1024} do
        given["a" .. n] = rill.random({n, n}, {seed = 7})
        given["b" .. n] = rill.random({n, n}, {seed = 8})
    end
    for name, s in pairs(given) do numpy:give(name, s) end
    local function product(n)
        local c = rill.stream("float", {n, n})
        return {"sgemm " .. n, "gemm" .. n, n == 1024 and 0.4 or nil, function()
            return blas.gemm(1.0, given["a" .. n], given["b" .. n], 0.0, c)
        end, keep = c, tolerance = 1e-5}
    end
    local y, z, w = rill.stream("float", side), rill.stream("float", {4096, 16, 16}), given.w:copy()
    local rows = pipe.rows(numpy, numpy.what, {
        product(256), product(1024),
        {"sgemm of 4096 batches, 16 x 16", "batch", nil, function()
            return blas.gemm(1.0, given.p, given.q, 0.0, z)
        end, keep = z, tolerance = 1e-5},
        {"sgemv 4096", "gemv", 0.5, function() return blas.gemv(1.0, given.m, given.x, 0.0, y) end, keep = y,
            tolerance = 1e-4},
        {"sgemv 4096, transposed", "gemv_turned", 0.5, function()
            return blas.gemv(1.0, given.m, given.x, 0.0, y, {transpose = true})
        end, keep = y, tolerance = 1e-4},
        {"saxpy 2^24", "axpy", nil, function() return blas.axpy(0.0001, given.v, w) end, keep = w, tolerance = 1e-3},
        {"sdot 2^24", "dot", nil, function() return blas.dot(given.v, given.w) end, tolerance = 1e-3},
        {"snrm2 2^24", "nrm2", nil, function() return blas.nrm2(given.v) end, tolerance = 1e-3},
        {"sasum 2^24", "asum", nil, function() return blas.asum(given.v) end, tolerance = 1e-3},
    })
    rows[#rows + 1] = growth()
    return rows
end
