-- On a GPU: primitives over 2^28 elements as a share of the device's copy rate, and against CuPy, whose scans and sorts are CUB's, and PyTorch. Does
-- nothing without a GPU.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local count, side, rounds = 1 << 28, 1 << 14, 9

return function()
    if rill.device().software then return {support.note("on a GPU", "no GPU")} end
    local x, y = rill.random(count, {seed = 1}), rill.random(count, {seed = 2})
    local k = rill.random(count, {seed = 3, type = "int", low = 0, high = (1 << 31) - 1})
    local m, r = x:reshape {side, side}, rill.stream("float", count)
    local kernels = rill.program [[
        kernel void copy(float x<>, out float r<>) { r = x; }
        kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; } ]]
    local work = {
        copy = function() return kernels.copy(x, r) end,
        saxpy = function() return kernels.saxpy(2.5, x, y, r) end,
        sum = function() return x:sum() end,
        scan = function() return x:scan() end,
        filter = function() return x:filter "x < 0.5" end,
        transpose = function() return m:transpose():copy() end,
        sort = function() return k:sort() end,
    }
    local rows = {}
    -- A copy by the driver moves 8 bytes per element, the other workloads at least that.
    for _, case in ipairs {{"saxpy", 12}, {"sum", 4}, {"transpose", 8}} do
        local name, bytes = case[1], case[2]
        local ours, copied = support.race(rounds,
            function() return support.timed(work[name], 5) end,
            function() return support.timed(function() r:write(x) end, 5) end)
        local title = name .. " 2^28, bytes per second"
        rows[#rows + 1] = support.faster(title, ours, "device copy", copied * bytes / 8, 0.95)
    end
    for _, library in ipairs {"cupy", "torch"} do
        local peer <close>, missing = pipe.python("peer_cuda.py", library)
        if peer then
            local cub = library == "cupy"
            for name, s in pairs {x = x, y = y, m = m, k = k} do peer:give(name, s) end
            table.move(pipe.rows(peer, peer.what, {
                {"saxpy 2^28", "saxpy", nil, work.saxpy, keep = r, tolerance = 1e-6},
                {"sum 2^28", "sum", nil, work.sum, tolerance = 1e-4},
                {"scan 2^28", "scan", cub and 0.85 or nil, work.scan, tolerance = 1e-4},
                {"filter 2^28, half stay", "filter", cub and 0.85 or nil, work.filter},
                {"transpose 16384^2", "transpose", nil, work.transpose},
                {"sort 2^28 int", "sort", cub and 0.7 or nil, work.sort},
            }), 1, 6, #rows + 1, rows)
        else
            rows[#rows + 1] = support.note("primitives against " .. library, missing)
        end
    end
    return rows
end
