-- Counts what primitives do in the family `gpu`, on any device: GL calls, bytes, sectors, bank conflicts and others.
--     make bench BENCH=counts                    prints the table
--     lua5.4 bench/counts.lua fft "sort 2^16"    the cases whose names begin with these texts, with all accesses
-- The second command needs the environment that `make -s env` prints.
local probe = require "spec.support.probe"

-- Title, name of the figure, format.
local columns <const> = {
    {"dispatches", "dispatches", "%.0f"}, {"copies", "copies", "%.0f"}, {"waits", "waits", "%.0f"},
    {"queries", "queries", "%.0f"}, {"bytes/least", "ratio", "%.2f"}, {"load sectors", "load", "%.2f"},
    {"least", "load_ideal", "%.2f"}, {"store sectors", "store", "%.2f"}, {"least", "store_ideal", "%.2f"},
    {"conflicts", "conflicts", "%.2f"}, {"barriers", "barriers", "%.0f"}, {"div/element", "divisions", "%.2f"},
    {"private", "private", "%.0f"}, {"chain", "chain", "%.0f"}, {"with shared", "shared_chain", "%.0f"},
    {"groups", "work_groups", "%.0f"},
}

-- Returns the lines of a table of results.
local function lines(results)
    local list = {{"case"}}
    for _, column in ipairs(columns) do table.insert(list[1], column[1]) end
    for _, result in ipairs(results) do
        local line = {result.name .. (result.figures.lost > 0 and " (incomplete)" or "")}
        for _, column in ipairs(columns) do line[#line + 1] = column[3]:format(result.figures[column[2]]) end
        list[#list + 1] = line
    end
    return list
end

local function begins_with(prefixes)
    return function(case)
        for _, prefix in ipairs(prefixes) do
            if case.name:sub(1, #prefix) == prefix then return true end
        end
        return false
    end
end

local function main(prefixes)
    local results, out = probe.measure("spec.support.probe_cases",
        {choose = #prefixes > 0 and begins_with(prefixes) or nil, details = #prefixes > 0})
    if #prefixes > 0 then io.write((out:gsub("[^\n]+\t[^\n]+\t[^\n]+\n", ""))) end
    for _, line in ipairs(lines(results)) do
        for i, cell in ipairs(line) do line[i] = i == 1 and ("%-24s"):format(cell) or ("%13s"):format(cell) end
        print(table.concat(line, " "))
    end
end

if arg and arg[0] and arg[0]:find "counts%.lua$" then main(arg) end

return function()
    local support = require "bench.support"
    if probe.missing then return {support.note("counts", probe.missing)} end
    local results = probe.measure "spec.support.probe_cases"
    return {support.table("what primitives do in the family gpu", lines(results))}
end
