-- Compares sorts by several keys, lookups, sets, searches of equal rows and quantiles by key with plain Lua: keys of
-- all types, and of different types on both sides, views, sizes at the limits of blocks, NaN, -0, extreme integers.
local makers = require "fuzz.case.primitive.keys"

local keys = {batch = 30}

-- {weight, name}
local kinds = {{2, "lexsort"}, {3, "match"}, {2, "lookup"}, {2, "sets"}, {1, "quantiles_by_key"}}

function keys.scripts(draws)
    local list = {}
    for i, d in ipairs(draws) do
        list[i] = makers[d:weighted(kinds)](d)
    end
    return list
end

return keys
