-- Section 5.2: the number of launches from which the device is faster in spite of its transfers, as rill.cost predicts it and as whole programs measure it: uploading
-- the data, m launches and downloading the result, compared with m launches on one core, which is llvmpipe without threads in a separate process.
local rill = require "rill"
local pipe = require "bench.support.pipe"
local support = require "bench.support"
local loops = require "bench.support.loops"

local launches <const>, rounds <const> = {1, 2, 3, 4, 6}, 25

-- Fits a line through points by least squares, weighted by relative error. Returns its value at 0 and its slope.
local function line_through(xs, ys)
    local n, sx, sy, sxx, sxy = 0, 0, 0, 0, 0
    for i, x in ipairs(xs) do
        local w = 1 / (x * x)
        n, sx, sy, sxx, sxy = n + w, sx + w * x, sy + w * ys[i], sxx + w * x * x, sxy + w * x * ys[i]
    end
    local slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    return (sy - slope * sx) / n, slope
end

-- Returns the seconds that the device takes more than the core, for each number of launches.
local function differences(case, contender)
    local texts, contenders = {}, {}
    for i, s in ipairs(case.up) do texts[i] = s:bytes() end
    for _, m in ipairs(launches) do
        local function program()
            for i, s in ipairs(case.up) do s:write(texts[i]) end
            for _ = 1, m do case.run() end
            for _, s in ipairs(case.down) do s:bytes() end
        end
        contenders[#contenders + 1] = function() return support.timed(program, 1) end
        contenders[#contenders + 1] = contender(m)
    end
    local seconds, apart = support.least(rounds, table.unpack(contenders)), {}
    for i = 1, #launches do apart[i] = seconds[2 * i - 1] - seconds[2 * i] end
    return apart
end

return function()
    local core <close> = assert(pipe.rill("LP_NUM_THREADS=0 RILL_DEVICE=llvmpipe", "bench.support.loops"))
    local cases, lines = loops.cases(), {{"2^20 floats", "speedup", "intensity", "predicted", "measured", "off"}}
    for _, name in ipairs(loops.names) do
        local case = cases[name]
        local cost = rill.cost(case.kernel, table.unpack(case.arguments))
        local at_once, each = line_through(launches, differences(case, function(m)
            return core:contender(name .. " " .. m)
        end))
        local measured = each < 0 and -at_once / each or math.huge
        local both = cost.break_even and cost.break_even + measured < math.huge
        lines[#lines + 1] = {name, cost.speedup or "-", cost.intensity, cost.break_even or "-", measured,
            both and ("%.0f %%"):format((cost.break_even / measured - 1) * 100) or "-"}
    end
    return {support.table("Break-even in launches over the same data, rill.cost and whole programs; goal: 25 %", lines,
        "%.2f")}
end
