-- The methods of streams that containers apply to their mapped elements: {name, number of the argument that is an axis,
-- result = its type, doc = a remark about the result}.
local reductions = require "rill.core.reductions"

local methods <const> = {}
for _, row in ipairs(reductions) do
    methods[#methods + 1] = {row.name, (row.operands or 0) + 1}
end
for _, row in ipairs {
    {"scan", result = "container", doc = "a container mapped like this one"}, {"filter"},
    {"find", doc = "coordinates from 0, x first"}, {"partition"}, {"runs"}, {"unique"}, {"sort"},
    {"top_k", doc = "places as coordinates"}, {"histogram"}, {"stats"}, {"median", 1}, {"quantile"}, {"percentile"},
} do
    methods[#methods + 1] = row
end

return methods
