-- Reproduces table 36-1 of D. Horn's chapter: filtering 64k to 4096k records of four floats, half of which are removed, by scan, search and gather, by a bitonic
-- sort, and by rill's filter. Prints microseconds per record and the number of passes.
local rill = require "rill"
local support = require "bench.support"

local rounds = 5
local kinds = {64, 128, 256, 512, 1024, 2048, 4096} -- thousands of records, k = 1024
local pred = "x.x >= 0.5"

-- The figures printed in the chapter.
local printed = {
    {"6800 Ultra, scan/search", 0.138, 0.131, 0.158, 0.151, 0.143, 0.167, 0.161},
    {"6800 Ultra, bitonic sort", 1.029, 0.991, 1.219, 1.190, 1.455, 1.593, 1.740},
    {"X800, scan/search", 0.428, 0.267, 0.288, 0.355, 0.182, 0.169, 0.168},
    {"X800, bitonic sort", 0.762, 0.912, 0.968, 1.051, 1.175, 1.269, 1.383},
}

local ways = {
    {"scan, search in one pass", function(s) return rill.horn.filter(s, pred) end},
    {"scan, search in steps", function(s) return rill.horn.filter(s, pred, {search = "steps"}) end},
    {"bitonic sort", function(s) return rill.horn.sort_filter(s, pred) end},
    {"s:filter", function(s) return s:filter(pred) end},
}

-- Returns the seconds and the passes of each method, after checking that all give the same records.
local function measure(s)
    local contenders, passes, expected = {}, {}, nil
    for i, way in ipairs(ways) do
        local found, count = way[2](s)
        passes[i] = count or ""
        expected = expected or found:bytes()
        assert(found:bytes() == expected, way[1] .. " gives other records")
        found:close()
        contenders[i] = function()
            return support.timed(function() way[2](s):close() end, 1)
        end
    end
    return {support.race(rounds, table.unpack(contenders))}, passes
end

local function logarithm(n)
    local bits = 0
    while 1 << bits < n do bits = bits + 1 end
    return bits
end

return function()
    local header, shares = {"microseconds per record"}, {"bitonic / scan, one pass, over log2 n"}
    local per_record, passes = {}, {}
    for i, way in ipairs(ways) do per_record[i], passes[i] = {way[1]}, {way[1] .. ": passes"} end
    for column, thousands in ipairs(kinds) do
        local n = thousands * 1024
        local s <close> = rill.random(n, {type = "vec4", seed = thousands})
        local seconds, counts = measure(s)
        header[column + 1] = thousands .. "k"
        for i in ipairs(ways) do
            per_record[i][column + 1] = seconds[i] / n * 1e6
            passes[i][column + 1] = counts[i]
        end
        shares[column + 1] = seconds[3] / seconds[1] / logarithm(n)
    end
    local lines = {header}
    table.move(per_record, 1, #per_record, 2, lines)
    table.move(printed, 1, #printed, #lines + 1, lines)
    table.move(passes, 1, 3, #lines + 1, lines)
    lines[#lines + 1] = shares
    local least, most = math.min(table.unpack(shares, 2)), math.max(table.unpack(shares, 2))
    return {
        support.table("Table 36-1 (GPU Gems 2), records of four floats, half of them null", lines),
        support.note("bitonic / scan over log2 n", ("%.2f .. %.2f"):format(least, most), "0.35 .. 0.70, printed: 0.5"),
    }
end
