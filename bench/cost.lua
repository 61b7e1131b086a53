-- The cost of primitives in bytes per element: the bytes that any algorithm must move, the bytes that rill's algorithm moves, and the rate of the former
-- compared with this machine's copy of a stream. docs/cost.md explains the columns.
local rill = require "rill"
local support = require "bench.support"

local count, rounds, side, bins = 1 << 24, 7, 4096, 1024

-- Name, least bytes per element, moved bytes per element, the workload.
local function cases()
    local x, y = rill.random(count, {seed = 1}), rill.random(count, {seed = 2})
    local u = rill.random(count, {seed = 5, type = "uint"})
    local keys = rill.random(count, {seed = 3, type = "int", low = 0, high = bins - 1})
    local index = rill.random(count, {seed = 4, type = "int", low = 0, high = count - 1})
    local m, r = x:reshape {side, side}, rill.stream("float", count)
    local saxpy = rill.kernel "kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }"
    local copy = rill.kernel "kernel void copy(float x<>, out float r<>) { r = x; }"
    return {
        {"copy", 8, 8, function() copy(x, r) end},
        {"saxpy", 12, 12, function() saxpy(2.5, x, y, r) end},
        {"sum", 4, 4, function() x:sum() end},
        {"(2.5 * x + y):sum()", 8, 8, function() return (2.5 * x + y):sum() end},
        {"scan", 8, 12, function() x:scan():close() end},
        {"filter, half stays", 6, 13, function() x:filter("x < 0.5"):close() end},
        {"find, half stays", 6, 9, function() x:find("x < 0.5"):close() end},
        {"bincount, 1024 bins", 4, 4, function() rill.bincount(keys, {minlength = bins}):close() end},
        {"gather, at random", 12, 12, function() rill.gather(x, index):close() end},
        {"transpose", 8, 8, function() m:transpose():copy():close() end},
        {"sort uint", 8, 48, function() u:sort():close() end},
        {"argsort uint", 8, 72, function() rill.argsort(u):close() end},
    }
end

return function()
    local lines = {{"2^24 elements", "ms", "least B", "moved B", "least GB/s", "moved GB/s", "share of copy"}}
    local list, contenders = cases(), {}
    for i, case in ipairs(list) do
        contenders[i] = function() return support.timed(case[4], 2) end
    end
    local seconds = {support.race(rounds, table.unpack(contenders))}
    local copied = list[1][2] / seconds[1]
    for i, case in ipairs(list) do
        local name, least, moved = table.unpack(case)
        local each = seconds[i] / count
        lines[i + 1] = {name, seconds[i] * 1e3, least, moved, least / each * 1e-9, moved / each * 1e-9,
            least / seconds[i] / copied}
    end
    return {support.table("Cost of primitives", lines, "%.2f")}
end
