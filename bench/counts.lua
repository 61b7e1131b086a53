-- Counts what primitives do in the family `gpu`, on any device: GL calls, bytes, sectors, bank conflicts and others. docs/cost.md explains the figures.
--     make bench BENCH=counts                         prints the table
--     lua5.4 bench/counts.lua fft "sort 2^16"         the cases whose names begin with these texts, with all accesses
--     lua5.4 bench/counts.lua --write "sort 2^16"     writes their figures to docs/cost.md, too; without names: all
-- The last two commands need the environment that `make -s env` prints.
local probe = require "spec.support.probe"

local CASES <const> = "spec.support.probe_cases"

local function begins_with(prefixes)
    return function(case)
        for _, prefix in ipairs(prefixes) do
            if case.name:sub(1, #prefix) == prefix then return true end
        end
        return #prefixes == 0
    end
end

local function main(prefixes)
    local writes = prefixes[1] == "--write" and table.remove(prefixes, 1)
    local details = #prefixes > 0
    local results, out = probe.measure(CASES, {choose = begins_with(prefixes), details = details})
    if details then io.write((out:gsub("[^\n]+\t[^\n]+\t[^\n]+\n", ""))) end
    for _, line in ipairs(probe.lines(results)) do
        for i, cell in ipairs(line) do line[i] = i == 1 and ("%-24s"):format(cell) or ("%14s"):format(cell) end
        print(table.concat(line, " "))
    end
    if writes then probe.write(CASES, results) end
end

if arg and arg[0] and arg[0]:find "counts%.lua$" then main(arg) end

return function()
    local support = require "bench.support"
    if probe.missing then return {support.note("counts", probe.missing)} end
    return {support.table("what primitives do in the family gpu", probe.lines((probe.measure(CASES))))}
end
