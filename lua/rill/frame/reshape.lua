-- Tables in other forms: t:concat, t:pivot and t:melt.
local aggregate = require "rill.frame.aggregate"
local categories = require "rill.core.categories"
local columns = require "rill.frame.columns"
local core = require "rill.core"
local frame = require "rill.frame.table"
local keys = require "rill.frame.keys"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local fail <const> = errors.fail

local reshape = {}

-- ---- concat

-- Returns a table of the rows of the tables in a list, of which the first one is open. `item`: the format of the index
-- of a table in messages; `before`: the number of tables before the one with index 1.
local function joined(where, tables, item, before)
    local states = {}
    local function told(i) return (where .. ": " .. item):format(i - before) end
    for i, u in ipairs(tables) do
        if not frame.is(u) then
            fail("%s: expected a table of rill.frame, got %s", told(i), errors.told(u))
        end
        states[i] = frame.self_of("concat", u)
    end
    local list, state = {}, states[1]
    for i, u in ipairs(states) do
        for _, name in ipairs(u.names) do
            if not state.columns[name] then
                fail("%s: the table has a column \"%s\", which the first table does not have", told(i), name)
            end
        end
    end
    for k, name in ipairs(state.names) do
        local parts = {}
        for i, u in ipairs(states) do
            parts[i] = u.columns[name] or fail("%s: the table has no column \"%s\"", told(i), name)
        end
        list[k] = columns.concat(parts)
        if not list[k] then
            local kinds = {}
            for i, s in ipairs(parts) do
                kinds[i] = columns.kind(s)
            end
            fail("%s: column \"%s\": types that do not fit together: %s", where, name, table.concat(kinds, " and "))
        end
    end
    local rows = 0
    for _, u in ipairs(states) do
        rows = rows + u.rows
    end
    return frame.create(table.move(state.names, 1, #state.names, 1, {}), list, rows)
end

--- t:concat(u, ...) returns a table of the rows of t, followed by those of other tables with the same columns. Numbers
-- of different types become double; the names of categories are combined.
function reshape.concat(t, ...)
    local others = {...}
    frame.self_of("concat", t)
    if #others == 1 and option.is_list(others[1]) then
        others = others[1]
    end
    return joined("frame:concat", table.move(others, 1, #others, 2, {t}), "argument #%d", 1)
end

--- reshape.all(list) returns a table of the rows of the tables in a list: rill.frame.concat.
reshape.all = errors.guard(function(list)
    if not option.is_list(list) or #list == 0 then
        fail("rill.frame.concat: argument #1 'list': expected a list of tables, {t, u}, got %s",
            option.is_list(list) and "an empty list" or frame.is(list) and "a table: t:concat(u) appends one" or
            errors.told(list))
    end
    return joined("rill.frame.concat", list, "argument #1 'list': item %d", 0)
end, "rill.frame.concat")

-- ---- pivot

local WIDEST <const> = 10000 -- new columns

local function is_names(v)
    return type(v) == "string" or option.is_list(v) and #v > 0
end

local PIVOT <const> = {
    index = {is_names, "a name or a list of names", nil, true},
    columns = {function(v) return type(v) == "string" end, "the name of a column", nil, true},
    values = {function(v) return type(v) == "string" end, "the name of a column", nil, true},
    with = {function(v) return type(v) == "string" or option.is_list(v) end,
        'the name of a function of aggregate, such as "sum"', "sum"},
    default = {function(v) return type(v) == "number" or type(v) == "boolean" end, "a number or a boolean"},
}

-- Returns the names of new columns: the texts of the values of a column.
local function texts_of(s)
    if categories.of(s) then
        return columns.texts(s, "missing")
    end
    local texts = core._element_texts(s, 0)
    for i, value in ipairs(columns.is_float(s) and s:values() or {}) do
        local whole = math.tointeger(value)
        texts[i] = value ~= value and "missing" or whole and tostring(whole) or texts[i]
    end
    return texts
end

--- t:pivot(options) returns a table with a row for each different value of the columns `index`, and a column for each
-- different value of the column `columns`, which has the aggregate `with` of the column `values`. Options: index,
-- columns, values, with (Default: "sum"), default (the value of integers and booleans where there is no row. Default: 0
-- for count, else an error).
function reshape.pivot(t, options)
    local where <const>, state <const> = "frame:pivot", frame.self_of("pivot", t)
    local o <const> = option.take(where, options, PIVOT)
    local names, index = frame.names(where .. ": option 'index'", state, o.index)
    local across = frame.find(where .. ": option 'columns'", state, o.columns)
    local values = frame.find(where .. ": option 'values'", state, o.values)
    local rows, wide = keys.number(where, names, index), keys.number(where, {o.columns}, {across})
    if wide.count > WIDEST then
        fail("%s: option 'columns': \"%s\" has %d different values, and the limit is %d columns", where, o.columns,
            wide.count, WIDEST)
    end
    local with = type(o.with) == "table" and o.with or {o.with:match "^%s*(%S*)%s*(.-)%s*$"}
    local q = with[2] ~= "" and (tonumber(with[2]) or with[2]) or nil
    if q ~= nil and with[1] ~= "quantile" then
        fail("%s: option 'with': expected the name of a function, such as \"sum\", got %s; the option 'values' is the "
            .. "column", where, errors.told(o.with))
    end
    with = {with[1], o.values, q}
    local specification = aggregate.parse(where .. ": option 'with'", function() return values end, o.values, with)
    local result_names, result = table.move(names, 1, #names, 1, {}), table.move(rows.columns, 1, #names, 1, {})
    if state.rows == 0 then
        return frame.create(result_names, result)
    end
    local both = keys.number(where, {"row", "column"}, {rows.codes, wide.codes})
    local found = aggregate.run(where, specification, aggregate.values(both, values))
    local place = both.columns[2] * rows.count + both.columns[1]
    local cells = rows.count * wide.count
    if cells >= 2 ^ 31 then
        fail("%s: the result would have %d rows and %d columns, but a table has at most 2^31 - 1 cells", where,
            rows.count, wide.count)
    end
    local at = rill.stream("int", cells)
    at:fill(-1)
    rill.scatter(at, place:eval(), rill.iota(both.count))
    local some, default = both.count < cells, o.default
    if some and default == nil and specification.name == "count" then
        default = 0
    end
    local value, lacks = nil, false
    if some then
        value, lacks = columns.missing(where, o.values, found, default)
    end
    if lacks then
        fail("%s: '%s' of \"%s\" is %s, and %d combinations have no row: give the option 'default'", where,
            specification.name, o.values, found.type, cells - both.count)
    end
    local used, texts = {}, texts_of(wide.columns[1])
    for _, name in ipairs(names) do
        used[name] = true
    end
    for k = 1, wide.count do
        local name = texts[k] == "" and "c" .. k or texts[k]
        if used[name] then
            fail("%s: option 'columns': two columns would be \"%s\"", where, name)
        end
        local own = at:domain((k - 1) * rows.count + 1, k * rows.count)
        result_names[#result_names + 1], used[name] = name, true
        result[#result + 1] = some and columns.take_or(found, own, value) or columns.take(found, own)
    end
    return frame.create(result_names, result)
end

-- ---- melt

local MELT <const> = {
    id = {is_names, "a name or a list of names", {}}, values = {is_names, "a name or a list of names"},
    variable = {function(v) return type(v) == "string" and v ~= "" end, "a name", "variable"},
    value = {function(v) return type(v) == "string" and v ~= "" end, "a name", "value"},
}

--- t:melt([options]) returns a table in which several columns follow one another in one column: with the columns `id`,
-- a category of the names of the columns, and their values. Options: id (names. Default: none), values (names. Default:
-- all other columns), variable and value (the names of the new columns. Defaults: "variable", "value").
function reshape.melt(t, options)
    local where <const>, state <const> = "frame:melt", frame.self_of("melt", t)
    local o <const> = option.take(where, options, MELT)
    local ids, fixed = frame.names(where .. ": option 'id'", state, o.id)
    local is_id, chosen = {}, {}
    for _, name in ipairs(ids) do
        is_id[name] = true
    end
    for _, name in ipairs(o.values == nil and state.names or {}) do
        chosen[#chosen + 1] = not is_id[name] and name or nil
    end
    local names, list = frame.names(where .. ": option 'values'", state, o.values or chosen)
    if #names == 0 then
        fail("%s: option 'values': expected at least one column", where)
    end
    local value = columns.concat(list)
    if not value then
        local kinds = {}
        for i, s in ipairs(list) do
            kinds[i] = ("\"%s\" is %s"):format(names[i], columns.kind(s))
        end
        fail("%s: option 'values': %s: expected columns of numbers, or of categories", where, table.concat(kinds, ", "))
    end
    errors.fits(where, {state.rows * #names})
    local result_names, result = table.move(ids, 1, #ids, 1, {}), {}
    for i, s in ipairs(fixed) do
        local copies = {}
        for k = 1, #names do
            copies[k] = s
        end
        result[i] = columns.concat(copies)
    end
    for _, name in ipairs {o.variable, o.value} do
        if is_id[name] or name == result_names[#result_names] then
            fail("%s: two columns would be \"%s\"", where, name)
        end
        result_names[#result_names + 1] = name
    end
    local codes = rill.stream("uint", state.rows * #names)
    if codes.size > 0 then
        codes:write(rill.iota(codes.size) // state.rows)
    end
    result[#result + 1] = columns.named(codes, table.move(names, 1, #names, 1, {}))
    result[#result + 1] = value
    return frame.create(result_names, result)
end

return reshape
