-- Sorting and distinct rows of tables.
local categories = require "rill.core.categories"
local frame = require "rill.frame.table"
local keys = require "rill.frame.keys"
local lexsort = require "rill.stream.lexsort"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local types = require "rill.core.types"
local fail <const> = errors.fail

local sort = {}

-- Returns the key of a column for lexsort.order.
local function key_of(where, name, s, descending)
    local set = categories.of(s)
    if not types.scalar(s.type) then
        fail("%s: column \"%s\": expected numbers or a category as a key, got elements of %s", where, name, s.type)
    end
    return {s = s, descending = descending, limit = set and #set.list or nil}
end

-- Returns the name and the direction of a key: "-x" is descending, unless a column has this name, and so is {"x",
-- descending = true}.
local function direction(state, item)
    if option.table[1](item) then
        return item[1], item.descending == true
    end
    local down = type(item) == "string" and not state.columns[item] and item:match "^%-(.+)$"
    return down or item, down and true or false
end

-- Returns the names and directions of a list of keys.
local function directions(where, state, list)
    local names, descending, seen = {}, {}, {}
    if type(list) ~= "string" and not option.is_list(list) or #list == 0 then
        fail("%s: expected a name or a list of names, such as {\"a\", \"-b\"}, got %s", where, errors.told(list))
    end
    for i, name in ipairs(type(list) == "string" and {list} or list) do
        names[i], descending[i] = direction(state, name)
        frame.find(where, state, names[i])
        if seen[names[i]] then
            fail("%s: column \"%s\" is given twice", where, names[i])
        end
        seen[names[i]] = true
    end
    return names, descending
end

--- t:sort(names) returns the rows sorted by a column, or by several: the first name is the most important one. "-x" is
-- descending order, and so is {"x", descending = true}. The sort is stable; NaN and missing values are last.
function sort.sort(t, list)
    local state <const> = frame.self_of("sort", t)
    local names, descending = directions("frame:sort", state, list)
    local list_of_keys = {}
    for i, name in ipairs(names) do
        list_of_keys[i] = key_of("frame:sort", name, state.columns[name], descending[i])
    end
    if state.rows < 2 then
        return t:select(state.names)
    end
    return frame.take(state, lexsort.order(list_of_keys))
end

--- t:unique([names]) returns the first row of each combination of the values of some columns, in the order of the
-- table. Default: all columns.
function sort.unique(t, list)
    local state <const> = frame.self_of("unique", t)
    local names, found = frame.names("frame:unique", state, list == nil and state.names or list)
    if #names == 0 then
        fail("frame:unique: expected at least one column")
    elseif state.rows == 0 then
        return t:select(state.names)
    end
    local groups = keys.number("frame:unique", names, found)
    local order = rill.argsort(groups.codes)
    local starts = groups.occurrences:scan("add", {exclusive = true})
    local first <close> = rill.gather(order, starts)
    return frame.take(state, first:sort())
end

return sort
