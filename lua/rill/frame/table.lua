-- Tables: named columns of the same length. A table refers to its columns; operations return new tables.
local categories = require "rill.core.categories"
local columns = require "rill.frame.columns"
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local lazy = require "rill.core.lazy"
local option = require "rill.core.options"
local suggest = lazy.module "rill.core.suggest"
local tables = require "rill.core.tables"
local text = require "rill.frame.text"
local fail <const> = errors.fail

local frame = {}

local methods <const>, meta <const> = {}, {__name = "rill.frame"}
frame.methods, frame.meta = methods, meta

local BLOCK <const> = 4096 -- rows that an iteration reads at once

-- ---- construction

-- Returns the state of a table: {names = (list), columns = (by name), rows =}.
local function state_of(t)
    return rawget(t, "_state")
end
frame.state = state_of

--- frame.is(value) returns whether a value is a table of rill.frame.
function frame.is(value)
    return getmetatable(value) == meta
end

--- frame.create(names, list [, rows]) returns a table of columns, by the list of their names. `rows`: the number of
-- rows if there are no columns.
function frame.create(names, list, rows)
    local by_name = {}
    for i, name in ipairs(names) do
        by_name[name] = list[i]
    end
    return setmetatable({_state = {
        names = names, columns = by_name, rows = list[1] and list[1].size or rows or 0,
    }}, meta)
end

local function check_name(where, name)
    if type(name) ~= "string" or name == "" then
        fail("%s: expected strings that are not empty as names of columns, got %s", where, errors.told(name))
    end
    return name
end

-- Raises if columns have different lengths.
local function check_lengths(where, names, list)
    for i, s in ipairs(list) do
        if s.size ~= list[1].size then
            fail("%s: column \"%s\" has %d row%s, but column \"%s\" has %d", where, names[i], s.size,
                s.size == 1 and "" or "s", names[1], list[1].size)
        end
    end
end

-- Returns the names and the values of the list form {{"x", value}, ...}; nil for another form.
local function pairs_of(where, list)
    if list[1] == nil or not option.is_list(list) then
        return nil
    end
    local names, values, seen = {}, {}, {}
    for i, item in ipairs(list) do
        if not option.table[1](item) or type(item[1]) ~= "string" or item[2] == nil or #item ~= 2 then
            return nil
        end
        names[i], values[i] = check_name(where, item[1]), item[2]
        if seen[names[i]] then
            fail("%s: column \"%s\" is given twice", where, names[i])
        end
        seen[names[i]] = true
    end
    return names, values
end
frame.pairs_of = pairs_of

-- Returns the names and the values of a list of rows, which are tables by name. A value that is absent is missing.
local function rows_of(where, list)
    if list[1] == nil or not option.is_list(list) then
        return nil
    end
    local by_name = {}
    for i, row in ipairs(list) do
        if not option.table[1](row) or row[1] ~= nil then
            return nil
        end
        for name, value in pairs(row) do
            check_name(where, name)
            by_name[name] = by_name[name] or {}
            by_name[name][i] = value
        end
    end
    local names, values = tables.keys(by_name), {}
    for k, name in ipairs(names) do
        local column = by_name[name]
        local absent, truth = nil, true
        for i = 1, #list do
            if column[i] == nil then
                column[i], absent = false, absent or i
            end
            truth = truth and type(column[i]) == "boolean"
        end
        if absent and truth then
            fail("%s: row %d has no value of \"%s\", and booleans have no missing values: give every row one", where,
                absent, name)
        end
        values[k] = column
    end
    return names, values
end

-- Returns the list of the names of a table by name, in the order of the option `order`, or sorted.
local function ordered(where, given, order)
    local names, seen = {}, {}
    for key in pairs(given) do
        check_name(where, key)
    end
    for _, name in ipairs(order or {}) do
        if given[name] == nil then
            fail("%s: option 'order': %s is not a column: expected %s", where, errors.told(name),
                suggest.among(name, given))
        elseif seen[name] then
            fail("%s: option 'order': column \"%s\" is given twice", where, name)
        end
        names[#names + 1], seen[name] = name, true
    end
    for _, name in ipairs(tables.keys(given)) do
        names[#names + 1] = not seen[name] and name or nil
    end
    return names
end

--- frame.new(where, given [, options]) returns a table of columns: {name = column, ...}, with the option `order`, a
-- list of names, the list {{name, column}, ...}, a list of rows {{name = value, ...}, ...}, or a table of
-- rill.csv.load or rill.npz.load.
function frame.new(where, given, options)
    if frame.is(given) then
        return given:select(state_of(given).names)
    elseif not option.table[1](given) then
        fail("%s: expected a table of columns such as {x = stream}, got %s%s", where, errors.told(given),
            type(given) == "string" and "; rill.frame.load(path) reads a file" or "")
    end
    local o = option.take(where, options, {order = {option.is_list, "a list of names"}})
    local names, values = pairs_of(where, given)
    if not names then
        names, values = rows_of(where, given)
    end
    if names and o.order then
        fail("%s: option 'order': the list form of columns has an order", where)
    elseif not names and option.is_list(given.names) and given[1] ~= nil then -- of rill.csv.load or rill.npz.load
        names, values = given.names, table.move(given, 1, #given.names, 1, {})
    elseif not names then
        names, values = ordered(where, given, o.order), {}
        for i, name in ipairs(names) do
            values[i] = given[name]
        end
    end
    local list, rows, seen = {}, nil, {}
    for i, name in ipairs(names) do
        if seen[name] then
            fail("%s: column \"%s\" is given twice", where, name)
        end
        seen[name] = true
        if option.table[1](values[i]) or rill.type(values[i]) == "stream" or rill.type(values[i]) == "expression" then
            list[i] = columns.new(where, name, values[i])
            rows = rows or list[i].size
        end
    end
    for i, name in ipairs(names) do
        list[i] = list[i] or columns.new(where, name, values[i], rows)
    end
    check_lengths(where, names, list)
    return frame.create(table.move(names, 1, #names, 1, {}), list)
end

-- ---- columns

-- Returns the state of the table before the colon of a method.
local function self_of(name, t)
    if not frame.is(t) then
        fail("frame:%s: expected a table of rill.frame before the colon, got %s", name, errors.told(t))
    end
    local state <const> = state_of(t)
    for _, each in ipairs(state.names) do
        if not core._is_open(state.columns[each]) then
            fail("frame:%s: column \"%s\" was closed", name, each)
        end
    end
    return state
end

--- frame.refuse(where, state, name) raises that a table has no column of a name.
function frame.refuse(where, state, name)
    local known = {}
    for _, each in ipairs(state.names) do
        known[each] = each
    end
    local near = type(name) == "string" and suggest.of(name, known)
    local list = table.concat(state.names, ", ", 1, math.min(#state.names, 12)) .. (#state.names > 12 and ", ..." or "")
    fail("%s: there is no column %s%s", where, type(name) == "string" and ('"%s"'):format(name) or errors.told(name),
        near and ('; did you mean "%s"?'):format(near) or ": the columns are " .. (list == "" and "none" or list))
end

--- frame.find(where, state, name) returns a column by its name; raises if there is none.
function frame.find(where, state, name)
    return type(name) == "string" and state.columns[name] or frame.refuse(where, state, name)
end

--- frame.names(where, state, list) returns the list of the different names of existing columns in a name or a list of
-- names, and the list of their columns.
function frame.names(where, state, list)
    local names, found, seen = {}, {}, {}
    if type(list) ~= "string" and not option.is_list(list) then
        fail("%s: expected a name or a list of names, got %s", where, errors.told(list))
    end
    for i, name in ipairs(type(list) == "string" and {list} or list) do
        names[i], found[i] = name, frame.find(where, state, name)
        if seen[name] then
            fail("%s: column \"%s\" is given twice", where, name)
        end
        seen[name] = true
    end
    return names, found
end

-- Returns a new table with each column replaced by f(column, name).
local function mapped(state, f)
    local list = {}
    for i, name in ipairs(state.names) do
        list[i] = f(state.columns[name], name)
    end
    return frame.create(table.move(state.names, 1, #state.names, 1, {}), list)
end

--- frame.take(state, indices) returns a new table of the rows at a stream of 0-based indices.
function frame.take(state, indices)
    if #state.names == 0 then
        return frame.create({}, {}, indices.size)
    end
    return mapped(state, function(s) return columns.take(s, indices) end)
end

-- Sets, replaces or removes (nil) a column.
local function assign(where, state, name, value)
    check_name(where, name)
    local present = state.columns[name] ~= nil
    if value == nil then
        for i, each in ipairs(state.names) do
            if each == name then
                table.remove(state.names, i)
                break
            end
        end
        state.columns[name] = nil
        return
    end
    local rows = #state.names > (present and 1 or 0) and state.rows or nil
    local s = columns.new(where, name, value, rows or state.rows)
    if rows and s.size ~= rows then
        fail("%s: column \"%s\" has %d row%s, but the table has %d", where, name, s.size, s.size == 1 and "" or "s",
            rows)
    end
    if not present then
        state.names[#state.names + 1] = name
    end
    state.columns[name], state.rows = s, s.size
end

function meta.__index(t, key)
    local state <const> = state_of(t)
    if methods[key] then
        return methods[key]
    elseif key == "names" then
        return table.move(state.names, 1, #state.names, 1, {})
    elseif key == "types" then
        local kinds = {}
        for _, name in ipairs(state.names) do
            kinds[name] = columns.kind(state.columns[name])
        end
        return kinds
    elseif type(key) == "string" and state.columns[key] then
        return state.columns[key]
    elseif math.type(key) == "integer" then
        return frame.row(state, key)
    end
    local known = {}
    for _, name in ipairs(state.names) do
        known[name] = "column '" .. name .. "'"
    end
    local near = type(key) == "string" and suggest.of(key, known)
    fail("a frame has no column or method '%s'%s", tostring(key), near and ("; did you mean %s?"):format(near) or
        suggest.hint("frame", key))
end

function meta.__newindex(t, key, value)
    if math.type(key) == "integer" then
        fail("rows of a frame cannot be assigned: assign columns, t.x = values, or add rows with t:concat")
    end
    assign("t." .. tostring(key), state_of(t), key, value)
end

function meta.__len(t)
    return state_of(t).rows
end

function meta.__pairs(t)
    local state, i = state_of(t), 0
    return function()
        i = i + 1
        local name = state.names[i]
        if name then
            return name, state.columns[name]
        end
    end
end

function meta.__tostring(t)
    return lazy.require "rill.frame.print".text(t)
end

-- ---- rows

-- Returns the element of a column at a 1-based index; false for a missing name.
local function element(s, i)
    local set = categories.of(s)
    local value = s:get(i)
    if set then
        return set.list[value + 1] or false
    end
    return value
end

--- frame.row(state, i) returns the row at a 1-based index as a table by name; nil if there is none.
function frame.row(state, i)
    if i < 1 or i > state.rows then
        return nil
    end
    local row = {}
    for _, name in ipairs(state.names) do
        row[name] = element(state.columns[name], i)
    end
    return row
end

local function count_of(where, n, default)
    n = n == nil and default or tables.whole(n)
    if math.type(n) ~= "integer" or n < 0 then
        fail("%s: argument #1 'n': expected a whole number, 0 or more, got %s", where, errors.told(n))
    end
    return n
end

--- t:head([n]) returns the first n rows, a table of views. Default: 10.
function methods.head(t, n)
    local state <const> = self_of("head", t)
    n = math.min(count_of("frame:head", n, 10), state.rows)
    return mapped(state, function(s) return columns.range(s, 1, n) end)
end

--- t:tail([n]) returns the last n rows, a table of views. Default: 10.
function methods.tail(t, n)
    local state <const> = self_of("tail", t)
    n = math.min(count_of("frame:tail", n, 10), state.rows)
    return mapped(state, function(s) return columns.range(s, state.rows - n + 1, state.rows) end)
end

--- t:rows(first [, last]) returns the rows first to last (1-based, inclusive), a table of views. Negative indices count
-- from the end. Default of last: -1, the last row.
function methods.rows(t, first, last)
    local state <const> = self_of("rows", t)
    first, last = tables.whole(first), last == nil and -1 or tables.whole(last)
    if math.type(first) ~= "integer" or math.type(last) ~= "integer" then
        fail("frame:rows: expected the indices of the first and the last row, got %s", errors.told(
            math.type(first) ~= "integer" and first or last))
    end
    local from = first < 0 and first + state.rows + 1 or first
    local to = last < 0 and last + state.rows + 1 or last
    if from < 1 or to > state.rows or to < from - 1 then
        fail("frame:rows: rows %d to %d are out of range: the table has %d rows", first, last, state.rows)
    end
    return mapped(state, function(s) return columns.range(s, from, to) end)
end

--- t:take(indices) returns the rows at 0-based indices, a stream or a list.
function methods.take(t, indices)
    local state <const> = self_of("take", t)
    if option.table[1](indices) then
        for _, i in ipairs(indices) do
            if math.type(tables.whole(i)) ~= "integer" or i < 0 or i >= state.rows then
                fail("frame:take: index %s is out of range: expected 0-based indices below %d, the number of rows",
                    errors.told(i), state.rows)
            end
        end
        indices = rill.stream("int", #indices, #indices > 0 and tables.whole(indices) or nil)
    end
    local s = errors.open("frame:take", indices, "expected a stream or a list of indices, got %s")
    if #s.shape ~= 1 or s.type ~= "int" and s.type ~= "uint" then
        fail("frame:take: expected indices of int or uint in one dimension, got %s of shape %s", s.type, s.shape)
    elseif s.size > 0 then
        local low, high = s:min(), s:max()
        if low < 0 or high >= state.rows then
            fail("frame:take: index %d is out of range: expected 0-based indices below %d, the number of rows",
                low < 0 and low or high, state.rows)
        end
    end
    return frame.take(state, s)
end

--- t:each() iterates over the rows: for i, row in t:each(). A row is a table by name.
function methods.each(t)
    local state <const> = self_of("each", t)
    local i, first, block = 0, 1, nil
    return function()
        i = i + 1
        if i > state.rows then
            return nil
        elseif not block or i >= first + BLOCK then
            first, block = i, t:rows(i, math.min(i + BLOCK - 1, state.rows)):table()
        end
        local row = {}
        for _, name in ipairs(state.names) do
            row[name] = block[name][i - first + 1]
        end
        return i, row
    end
end

--- t:table() returns the columns as Lua lists by name. A missing name of a category is false.
function methods.table(t)
    local state, lists = self_of("table", t), {}
    for _, name in ipairs(state.names) do
        local s = state.columns[name]
        lists[name] = categories.of(s) and columns.texts(s, false) or s.size > 0 and s:read() or {}
    end
    return lists
end

-- ---- choosing and changing columns

--- t:column(name) returns a column: a stream, of codes if it is a category.
function methods.column(t, name)
    return frame.find("frame:column", self_of("column", t), name)
end

--- t:select(names) returns a table of some columns, in this order.
function methods.select(t, names)
    local state <const> = self_of("select", t)
    local chosen, list = frame.names("frame:select", state, names)
    return frame.create(table.move(chosen, 1, #chosen, 1, {}), list, state.rows)
end

--- t:drop(names) returns a table without some columns.
function methods.drop(t, names)
    local state <const> = self_of("drop", t)
    local gone, left, list = {}, {}, {}
    for _, name in ipairs((frame.names("frame:drop", state, names))) do
        gone[name] = true
    end
    for _, name in ipairs(state.names) do
        if not gone[name] then
            left[#left + 1], list[#list + 1] = name, state.columns[name]
        end
    end
    return frame.create(left, list, state.rows)
end

--- t:rename(names) returns a table with other names: {old = new, ...}.
function methods.rename(t, names)
    local state <const> = self_of("rename", t)
    if not option.table[1](names) then
        fail("frame:rename: expected a table {old = new, ...}, got %s", errors.told(names))
    end
    for old, new in pairs(names) do
        frame.find("frame:rename", state, old)
        check_name("frame:rename", new)
    end
    local seen, renamed, list = {}, {}, {}
    for i, name in ipairs(state.names) do
        local new = names[name] or name
        if seen[new] then
            fail("frame:rename: two columns would be \"%s\"", new)
        end
        renamed[i], list[i], seen[new] = new, state.columns[name], true
    end
    return frame.create(renamed, list, state.rows)
end

-- Returns the column of a text of t:with: of the only column that it names, of a string in quotes, or of an expression.
local function evaluated(state, source, constants, others)
    local same = source:match "^%s*'([^'\\]*)'%s*$" or source:match '^%s*"([^"\\]*)"%s*$'
    if same then
        return columns.new("frame:with", "", same, state.rows)
    end
    local plain = type(source) == "string" and (source:match "^%s*`([^`]+)`%s*$" or
        source:match "^%s*([%a_][%w_]*)%s*$")
    if plain and state.columns[plain] then
        return state.columns[plain]
    end
    return text.evaluate("frame:with", state, source, constants, others)
end

--- t:with(columns [, constants]) returns a table with more columns, or with other values of columns. A string is an
-- expression over the columns; other values are columns as in rill.frame. A list {{name, value}, ...} gives an order,
-- and its expressions may use the columns before them. `constants`: numbers, booleans and strings by their names in the
-- expressions.
function methods.with(t, given, constants)
    local state <const> = self_of("with", t)
    if not option.table[1](given) then
        fail("frame:with: expected a table such as {z = \"x + y\"}, got %s", errors.told(given))
    end
    local result = frame.create(table.move(state.names, 1, #state.names, 1, {}), {}, state.rows)
    local target <const> = state_of(result)
    for name, s in pairs(state.columns) do
        target.columns[name] = s
    end
    local names, values = pairs_of("frame:with", given)
    local source = names and target or state
    if not names then
        names, values = {}, {}
        for name in pairs(given) do
            check_name("frame:with", name)
        end
        for i, name in ipairs(tables.keys(given)) do
            names[i], values[i] = name, given[name]
        end
    end
    for i, name in ipairs(names) do
        local value = values[i]
        if type(value) == "string" then
            value = evaluated(source, value, constants, source == state and given or nil)
        end
        assign("frame:with", target, name, value)
    end
    return result
end

--- t:filter(condition [, constants]) returns a table of the rows for which a condition holds: an expression over the
-- columns, or a mask, a stream or an expression with one element for each row.
function methods.filter(t, condition, constants)
    local state <const> = self_of("filter", t)
    if type(condition) == "string" then
        return frame.take(state, text.find("frame:filter", state, condition, constants))
    end
    if type(condition) == "boolean" then
        fail("frame:filter: expected an expression over the columns, such as \"c == 'a'\", or a mask, such as " ..
            "t.x:gt(2), got %s: == of Lua does not compare streams", condition)
    end
    local mask = errors.open("frame:filter", condition, "expected an expression over the columns (a string) or a " ..
        "mask, got %s")
    if #mask.shape ~= 1 or mask.size ~= state.rows then
        fail("frame:filter: the mask has shape %s, the table has %d rows%s", mask.shape, state.rows,
            mask.size == state.rows and (": mask:reshape(%d) has one element for each row"):format(state.rows) or "")
    end
    return frame.take(state, rill.iota(state.rows):find(mask))
end

-- ---- methods of other files

local function offer(file, ...)
    for _, name in ipairs {...} do
        methods[name] = lazy.call("rill.frame." .. file, name)
    end
end
offer("sort", "sort", "unique")
offer("group", "group", "aggregate")
offer("join", "join")
offer("reshape", "concat", "pivot", "melt")
offer("describe", "describe")
methods.save = lazy.call("rill.frame", "save")

-- The most arguments of methods, and an example of one that accepts a list of names.
local MOST_ARGUMENTS <const> = {
    head = 1, tail = 1, rows = 2, take = 1, each = 0, table = 0, column = 1, select = 1, drop = 1, rename = 1,
    with = 2, filter = 2, sort = 1, unique = 1, group = 1, join = 2, pivot = 1, melt = 1, describe = 0, save = 2,
    aggregate = 1,
}
local LISTS <const> = {select = true, drop = true, sort = true, unique = true, group = true}

-- Raises that a method was called with more arguments than it has.
local function refuse_arguments(name, most, first, second)
    if LISTS[name] and type(first) == "string" and type(second) == "string" then
        fail("frame:%s: expected one list: {\"%s\", \"%s\"}%s", name, first, second, name == "sort" and
            ("; \"-%s\" sorts in descending order"):format(first) or "")
    end
    fail("frame:%s: expected %s, got more%s", name, most == 0 and "no arguments" or most == 1 and "one argument" or
        most .. " arguments", name == "sort" and type(first) == "string" and
        (": \"-%s\" sorts in descending order"):format(first) or name == "describe" and
        ": t:select(names):describe() describes some columns" or "")
end

--- frame.limited(method, most, refuse) returns a function that calls a method of a table with up to `most` arguments,
-- and calls refuse(first argument, second argument) for more.
function frame.limited(method, most, refuse)
    return function(t, ...)
        if select("#", ...) > most then
            refuse(...)
        end
        return method(t, ...)
    end
end

for name, method in pairs(methods) do
    local most <const> = MOST_ARGUMENTS[name]
    methods[name] = errors.guard(most and frame.limited(method, most, function(first, second)
        refuse_arguments(name, most, first, second)
    end) or method, "frame:" .. name)
end

frame.self_of, frame.mapped, frame.check_name, frame.core = self_of, mapped, check_name, core
return frame
