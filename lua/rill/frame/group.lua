-- Groups of the rows of a table with equal keys: t:group.
local aggregate = require "rill.frame.aggregate"
local class = require "rill.core.class"
local frame = require "rill.frame.table"
local keys = require "rill.frame.keys"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local fail <const> = errors.fail

local group = {}

local groups <const> = class.define {
    type = "rill.groups", letter = "groups", one = "a grouped frame",
    describe = function(state)
        return ("groups: %d by %s"):format(state.found.count, table.concat(state.names, ", "))
    end,
}
local methods <const> = groups.methods

--- t:group(names) returns the groups of the rows with equal values of a column, or of several columns. NaN and missing
-- values are one key, the last. Later assignments to columns of t do not change the groups.
function group.group(t, list)
    local state <const> = frame.self_of("group", t)
    local names, found = frame.names("frame:group", state, list)
    if #names == 0 then
        fail("frame:group: expected at least one column")
    end
    local own = frame.state(frame.mapped(state, function(s) return s end))
    return groups.create {frame = own, names = table.move(names, 1, #names, 1, {}),
        found = keys.number("frame:group", names, found), values = {}}
end

function groups.metatable.__len(g)
    return groups.check(g, "size").found.count
end

-- Returns the names of new columns and their specifications.
local function specified(where, given)
    if not option.table[1](given) then
        fail("%s: expected a table such as {m = \"mean x\"}, got %s", where, errors.told(given))
    end
    local names, list = frame.pairs_of(where, given)
    if not names then
        names, list = {}, {}
        for name in pairs(given) do
            frame.check_name(where, name)
        end
        for i, name in ipairs(tables.keys(given)) do
            names[i], list[i] = name, given[name]
        end
    end
    return names, list
end

-- Returns a table with a row for each group: the keys, and new columns.
local function aggregated(where, state, given)
    local names, list = specified(where, given)
    local result_names = table.move(state.names, 1, #state.names, 1, {})
    local result = table.move(state.found.columns, 1, #state.names, 1, {})
    local taken, specifications = {}, {}
    for _, name in ipairs(state.names) do
        taken[name] = true
    end
    for i, name in ipairs(names) do
        if taken[name] then
            fail("%s: column \"%s\" is a key: expected another name", where, name)
        end
        specifications[i] = aggregate.parse(where, function(column)
            if type(column) == "string" and not state.frame.columns[column] and column:find "[^%w_ ]" then
                fail("%s: column \"%s\": there is no column \"%s\": an aggregate takes the name of a column; " ..
                    "t:with {x = \"%s\"} adds a column with an expression", where, name, column, column)
            end
            return frame.find(where, state.frame, column)
        end, name, list[i])
    end
    for i, name in ipairs(names) do
        local column = specifications[i].column
        local values = column and state.values[column]
        if not column then
            values = {occurrences = state.found.occurrences}
        elseif not values then
            values = aggregate.values(state.found, state.frame.columns[column])
            state.values[column] = values
        end
        result_names[#result_names + 1] = name
        result[#result + 1] = aggregate.run(where, specifications[i], values)
    end
    return frame.create(result_names, result)
end

--- g:aggregate(columns) returns a table with a row for each group: the keys, in ascending order, and new columns: {m =
-- "mean x"}, or {m = {"mean", "x"}}.
function methods.aggregate(g, given)
    return aggregated("groups:aggregate", groups.check(g, "aggregate"), given)
end

--- t:aggregate(columns) returns a table of one row, with the aggregates of all rows: {m = "mean x"}. A table without
-- rows gives no row.
function group.aggregate(t, given)
    local state <const> = frame.self_of("aggregate", t)
    local count <const> = math.min(state.rows, 1)
    local codes = rill.stream("uint", state.rows)
    if count > 0 then
        codes:fill(0)
    end
    return aggregated("frame:aggregate", {frame = state, names = {}, values = {}, found = {codes = codes, count = count,
        occurrences = rill.stream("int", count, count > 0 and {state.rows} or nil), columns = {}}}, given)
end

--- g:positions() returns an int stream of the 0-based position of each row in its group, in the order of the rows of
-- the table.
function methods.positions(g)
    local found <const> = groups.check(g, "positions").found
    local result = rill.stream("int", found.codes.size)
    if result.size > 0 then
        local order <close> = rill.argsort(found.codes)
        local starts <close> = found.occurrences:scan("add", {exclusive = true})
        local sorted <close> = rill.gather(found.codes, order)
        local first <close> = rill.gather(starts, sorted)
        rill.scatter(result, order, (rill.iota(result.size) - first):eval())
    end
    return result
end

--- g:each() iterates over the groups: for keys, t in g:each(). `keys` is a table of the keys by name, `t` the table of
-- the rows of the group, in their order.
function methods.each(g)
    local state <const> = groups.check(g, "each")
    local key_table = frame.create(state.names, state.found.columns)
    local order = rill.argsort(state.found.codes)
    local sorted = frame.take(state.frame, order)
    local counts = state.found.count > 0 and state.found.occurrences:values() or {}
    local next_key, _, _ = key_table:each()
    local first, i = 1, 0
    return function()
        i = i + 1
        if i > state.found.count then
            return nil
        end
        local from = first
        first = first + counts[i]
        local _, row = next_key()
        return row, sorted:rows(from, first - 1)
    end
end

for name, method in pairs(methods) do
    local most <const> = name == "aggregate" and 1 or 0
    methods[name] = frame.limited(method, most, function()
        fail("groups:%s: expected %s, got more", name, most == 0 and "no arguments" or "one table of columns")
    end)
end
class.guard(methods, "groups")
return group
