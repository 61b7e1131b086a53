-- Compares reductions, scans, sorts, compaction, gathers, scatters, searches, histograms, products and eliminations
-- with plain Lua: types, views, ranks, axes, sizes at the limits of blocks, NaN, -0, extreme integers, lengths that
-- only the device knows.
local primitives = {batch = 30}

-- name -> function(draw) that returns the text of a case
local makers = {}
for _, module in ipairs {"reductions", "scans", "orders", "indexed", "chains", "eliminations"} do
    for name, maker in pairs(require("fuzz.case.primitive." .. module)) do
        makers[name] = maker
    end
end

-- {weight, name}
local kinds = {
    {4, "reduce"}, {3, "scan"}, {2, "segments"}, {1, "by_key"}, {3, "sort"}, {2, "top_k"}, {2, "filter"}, {2, "runs"},
    {1, "bincount"}, {2, "histogram"}, {2, "gather"}, {3, "scatter"}, {2, "gather_op"}, {1, "search"}, {1, "merge"},
    {1, "matmul"}, {1, "transpose"}, {1, "random"}, {2, "chain"}, {1, "raw_bool"}, {1, "elimination"},
}

function primitives.scripts(draws)
    local list = {}
    for i, d in ipairs(draws) do
        list[i] = makers[d:weighted(kinds)](d)
    end
    return list
end

return primitives
