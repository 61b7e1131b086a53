-- The cells of a table panel.
local rill = require "rill.core.public"
local expression = require "rill.algebra.expression"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local types = require "rill.core.types"
local json = require "rill.live.json"
local fail <const> = errors.fail

local LONGEST <const> = 200 -- bytes of a cell

local OPTIONS <const> = {
    columns = {function(v) return option.is_list(v) and #v > 0 end, "a list of names of columns"},
    rows = {function(v) return math.type(v) == "integer" and v >= 1 and v <= 10000 end,
        "a whole number from 1 to 10000",
        200},
}

local cells = {}

local function text_of(value)
    if value == nil then
        return ""
    elseif math.type(value) == "float" then
        return ("%.6g"):format(value)
    end
    local text = tostring(value)
    return #text > LONGEST and text:sub(1, LONGEST) .. "..." or text
end

-- Raises unless a value can be a column: a list, or a stream of numbers of one dimension.
local function check_column(where, value)
    local kind = rill.type(value)
    if kind == "stream" or kind == "expression" then
        local problem = errors.not_open(value)
        if problem then
            fail("%s: expected a list or an open stream of numbers, got %s", where, problem)
        elseif kind == "expression" then
            expression.check(value)
        end
        if not types.scalar(value.type) or #value.shape ~= 1 then
            fail("%s: expected a stream of numbers of one dimension, got stream<%s>[%s]", where, value.type,
                tostring(value.shape))
        end
    elseif type(value) ~= "table" or kind then
        fail("%s: expected a list or a stream of numbers, got %s", where, errors.told(value))
    end
end

-- Returns the values of a column, at most `most`, and the number of all.
local function column_of(where, value, most)
    check_column(where, value)
    if rill.type(value) then
        local s = errors.open(where, value)
        return s.size > most and s:domain(1, most):values() or s:values(), s.size
    end
    return value, #value
end

-- Returns whether data is a list of rows, or a table of columns by name.
local function has_rows(data)
    return #data > 0 or next(data) == nil
end

-- Returns columns by name, and their names, of a list of rows.
local function by_rows(_, data, names, most)
    local columns, found = {}, {}
    for i, row in ipairs(data) do
        for key in pairs(i <= most and row or {}) do
            found[key] = true
        end
    end
    if not names then
        names = {}
        for key in pairs(found) do
            names[#names + 1] = key
        end
        table.sort(names, function(a, b)
            if type(a) == type(b) and (type(a) == "number" or type(a) == "string") then return a < b end
            return type(a) < type(b)
        end)
    end
    for k, name in ipairs(names) do
        columns[k] = {}
        for i = 1, math.min(#data, most) do
            columns[k][i] = data[i][name]
        end
    end
    return columns, names, #data
end

local function by_columns(where, data, names, most)
    local columns, total = {}, 0
    names = names or tables.keys(data)
    for k, name in ipairs(names) do
        local count
        columns[k], count = column_of(("%s: column '%s'"):format(where, tostring(name)), data[name], most)
        total = math.max(total, count)
    end
    return columns, names, total
end

--- cells.take(where, data, options) checks what is passed to v:table. Returns the options.
function cells.take(where, data, options)
    if type(data) ~= "table" or rill.type(data) then
        fail("%s: argument #2 'data': expected a list of rows or a table of columns by name, got %s", where,
            errors.told(data))
    end
    for i, row in ipairs(data) do
        if type(row) ~= "table" or rill.type(row) then
            fail("%s: row %d: expected a table, got %s", where, i, errors.told(row))
        end
    end
    local taken = option.take(where, options, OPTIONS)
    for _, name in ipairs(has_rows(data) and {} or taken.columns or tables.keys(data)) do
        check_column(("%s: column '%s'"):format(where, tostring(name)), data[name])
    end
    return taken
end

--- cells.is_closed(data) returns whether a column was closed since it was passed, or the memory of an expression was
-- written.
function cells.is_closed(data)
    for _, value in pairs(has_rows(data) and {} or data) do
        if rill.type(value) == "stream" and errors.not_open(value) or expression.is_stale(value) then
            return true
        end
    end
    return false
end

--- cells.message(where, data, options) returns the members of the header. Columns of numbers are aligned to the right;
-- with options.right, all columns but the first are.
function cells.message(where, data, options)
    local make = has_rows(data) and by_rows or by_columns
    local columns, names, total = make(where, data, options.columns, options.rows)
    local heads, rows = {}, {}
    for k, name in ipairs(names) do
        local numeric = type(columns[k][1]) == "number" or options.right and k > 1
        heads[k] = json.object("name", json.text(tostring(name)), "type", numeric and '"number"' or '"text"')
    end
    for i = 1, math.min(total, options.rows) do
        local row = {}
        for k = 1, #names do
            row[k] = json.text(text_of(columns[k][i]))
        end
        rows[i] = json.list(row)
    end
    return {"columns", json.list(heads), "rows", json.list(rows), "total", json.number(total)}
end

return cells
