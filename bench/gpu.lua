-- On a GPU: what calls and transfers take, primitives over 2^28 elements as a share of the device's copy rate, and against CuPy, whose scans and sorts are
-- CUB's and whose FFT and products are cuFFT's and cuBLAS's, and PyTorch. Each case begins with 200 ms of warm-up, and its row ends with the clock of the
-- processors in MHz. Does nothing without a GPU, unless RILL_BENCH_SMALL is set: then small sizes try the script itself on any device.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"

local small = os.getenv "RILL_BENCH_SMALL"
local exponent <const> = small and 16 or 28
local count <const>, side <const>, rounds <const> = 1 << exponent, 1 << exponent // 2, 9
local WARM_UP <const> = small and 0.001 or 0.2 -- seconds
local square <const> = small and 64 or 4096
local lengths <const> = small and {8, 10, 12} or {16, 20, 24} -- exponents of FFTs
local grid <const> = small and 64 or 1024
local mib <const> = small and 4 or 1024

-- Returns " at N MHz", if nvidia-smi is found.
local function clock()
    local tool <close> = io.popen "nvidia-smi --query-gpu=clocks.sm --format=csv,noheader,nounits 2>/dev/null"
    local value = tool and tonumber(tool:read "l")
    return value and (" at %d MHz"):format(value) or ""
end

-- Returns what a call of each contender takes, in turn, after the warm-up.
local function race(runs, ...)
    local contenders = {}
    for i, run in ipairs {...} do
        support.warm(run, WARM_UP)
        contenders[i] = function() return support.timed(run, runs) end
    end
    return support.race(rounds, table.unpack(contenders))
end

local function close(value)
    if rill.type(value) == "stream" then value:close() end
end

-- What a call costs, without a peer: the goals are times.
local function calls(rows, kernels, x)
    local function row(case, seconds, goal)
        rows[#rows + 1] = {case = case, rill = seconds, result = clock(), goal = "<= " .. support.duration(goal)}
    end
    local tiny, out = rill.random(1024), rill.stream("float", 1024)
    local function launch() kernels.copy(tiny, out) end
    row("launch and wait", (race(1, launch)), 15e-6)
    row("launch of 100, each", race(1, function() for _ = 1, 100 do launch() end end) / 100, 11e-6)
    row("a scalar result", (race(100, function() tiny:sum() end)), 40e-6)
    local part = x:domain(1, math.min(x.size, mib << 18))
    local text = part:bytes()
    local per_gib = 1024 / (#text / (1 << 20))
    row("upload, per GiB", race(1, function() part:write(text) end) * per_gib, 0.1)
    row("download, per GiB", race(1, function() part:bytes() end) * per_gib, 0.3)
    local b, u = rill.random({grid, grid}, {low = -1, high = 1}), rill.stream("float", {grid, grid})
    local grids <close> = rill.solve.hierarchy {shape = {grid, grid}}
    local function cycle() grids:cycle(u, b) end
    row(("a multigrid cycle on %d^2"):format(grid), (race(1, cycle)), 0.9e-3)
end

return function()
    if rill.device().software and not small then return {support.note("on a GPU", "no GPU")} end
    local rows = {}
    local x, y = rill.random(count, {seed = 1}), rill.random(count, {seed = 2})
    local k = rill.random(count, {seed = 3, type = "int", low = 0, high = (1 << 31) - 1})
    local index = rill.random(count // 4, {seed = 4, type = "int", low = 0, high = count // 4 - 1})
    local quarter = x:domain(1, count // 4)
    local m, r = x:reshape {side, side}, rill.stream("float", count)
    local a, b = rill.random({square, square}, {seed = 5}), rill.random({square, square}, {seed = 6})
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
        gather = function() return rill.gather(quarter, index) end,
        matmul = function() return rill.matmul(a, b) end,
    }
    calls(rows, kernels, x)
    -- A copy by the driver moves 8 bytes per element, the other workloads at least that.
    for _, case in ipairs {{"saxpy", 12}, {"sum", 4}, {"scan", 8}, {"transpose", 8}} do
        local name, bytes = case[1], case[2]
        local ours, copied = race(5, function()
            local result = work[name]()
            if result ~= r then close(result) end
        end, function() r:write(x) end)
        local row = support.faster(("%s 2^%d, bytes per second"):format(name, exponent), ours, "device copy",
            copied * bytes / 8, 0.9)
        row.result = row.result .. clock()
        rows[#rows + 1] = row
    end
    local signals = {}
    for i, n in ipairs(lengths) do
        local data = rill.random({1 << n, 2}, {seed = 10 + i, low = -1, high = 1})
        local s = support.complex(data)
        local function run() return rill.fft(s) end
        local passes = rill.profile(function() run():close() end).launches
        signals[i] = {name = "fft" .. i, data = data, run = run, title = ("fft 2^%d, %d launches"):format(n, passes)}
    end
    local size = (" 2^%d"):format(exponent)
    for _, library in ipairs {"cupy", "torch"} do
        local peer <close>, missing = pipe.python("peer_cuda.py", library)
        if peer then
            local cub = library == "cupy"
            for name, s in pairs {x = x, y = y, m = m, k = k, a = a, b = b, quarter = quarter, index = index} do
                peer:give(name, s)
            end
            local cases = {
                {"saxpy" .. size, "saxpy", nil, work.saxpy, keep = r, tolerance = 1e-6},
                {"sum" .. size, "sum", nil, work.sum, tolerance = 1e-4},
                {"scan" .. size, "scan", cub and 0.85 or nil, work.scan, tolerance = 1e-4},
                {"filter" .. size .. ", half stay", "filter", 1, work.filter},
                {("transpose %d^2"):format(side), "transpose", nil, work.transpose},
                {"sort" .. size .. " int", "sort", cub and 0.8 or nil, work.sort},
                {("gather 2^%d at random"):format(exponent - 2), "gather", nil, work.gather},
                {("sgemm %d, without TF32"):format(square), "matmul", 0.8, work.matmul, tolerance = 1e-4},
            }
            for _, signal in ipairs(signals) do
                peer:give(signal.name, signal.data)
                cases[#cases + 1] = {signal.title, signal.name, 0.6, signal.run, as = support.floats, tolerance = 1e-5}
            end
            for _, case in ipairs(cases) do
                case.warm, case.note = WARM_UP, clock
            end
            table.move(pipe.rows(peer, peer.what, cases), 1, #cases, #rows + 1, rows)
        else
            rows[#rows + 1] = support.note("primitives against " .. library, missing)
        end
    end
    return rows
end
