-- Checks the arguments of the constructors of sparse matrices: shapes, and streams or tables of entries.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local matrix = require "rill.sparse.matrix"
local tables = require "rill.core.tables"
local fail <const> = errors.fail
local MOST <const> = matrix.MOST

errors.own()

local arguments = {}

--- arguments.is_size(value) returns whether a value is a number of rows or columns.
function arguments.is_size(value)
    return math.type(value) == "integer" and value >= 0 and value <= MOST
end

--- arguments.options(name, options, known) checks the options of rill.sparse.NAME, and returns the two numbers of the
-- option 'shape'.
function arguments.options(name, options, known)
    if type(options) ~= "table" or rill.type(options) then
        fail("rill.sparse.%s: argument #1 'options': expected a table like {shape = {m, n}, ...}, got %s", name,
            rill.type(options) or type(options))
    end
    option.check("rill.sparse." .. name, options, known)
    local shape = tables.whole(options.shape)
    if type(shape) ~= "table" or rill.type(shape) or #shape ~= 2 or not arguments.is_size(shape[1]) or
        not arguments.is_size(shape[2]) then
        fail("rill.sparse.%s: option 'shape': expected {rows, columns}, up to %d each", name, MOST)
    end
    return shape[1], shape[2]
end

--- arguments.range(name, key, s, most, none) raises an error if an element is outside of 0 .. most - 1; -1 is allowed
-- if `none` is set.
function arguments.range(name, key, s, most, none)
    if s.size == 0 then
        return
    end
    local least, largest = s:min(), s:max()
    if least < (none and -1 or 0) or largest >= most then
        local low = least < (none and -1 or 0)
        local where = table.concat({(low and s.argmin or s.argmax)(s)}, ", ")
        fail("rill.sparse.%s: '%s' has %d as element %s: expected 0 .. %d%s", name, key, low and least or largest,
            where, most - 1, none and ", or -1 for an empty slot" or "")
    end
end

--- arguments.take(name, key, value, whole, rank, most) returns a copy of an option's stream, or a stream of its table,
-- with `rank` dimensions. Its elements are integers if `whole` is set, else float or double. `key` can also be the name
-- of an argument: "argument #1 'matrix'".
function arguments.take(name, key, value, whole, rank, most)
    local what <const> = ("rill.sparse.%s: %s"):format(name, key:find " " and key or ("option '%s'"):format(key))
    if type(value) == "table" and not rill.type(value) then
        local done, list
        if next(value) == nil then
            done, list = true, rill.stream(whole and "int" or "float", rank == 2 and {0, 0} or 0)
        else
            done, list = pcall(rill.from, value, whole and "int" or nil)
        end
        if not done then
            fail("%s%s", what .. ": ", (list:gsub("^.-rill%.from: ", "")))
        end
        value = list
    end
    local other = errors.not_open(value)
    if other then
        fail("%s: expected an open stream or a table, got %s", what, other)
    end
    local kind = value.type
    if whole and kind ~= "int" and kind ~= "uint" or not whole and not matrix.REAL[kind] then
        fail("%s: expected elements of %s, got elements of %s", what,
            whole and "int" or "float or double", tostring(kind))
    elseif #value.shape ~= rank then
        fail("%s: expected %d dimension%s, got shape %s", what, rank,
            rank == 1 and "" or "s", tostring(value.shape))
    end
    if kind == "uint" then
        arguments.range(name, key, value, most or MOST)
    end
    return whole and value:cast "int" or value:copy()
end

--- arguments.same(name, one, a, other, b) raises an error if two streams have different shapes.
function arguments.same(name, one, a, other, b)
    if a.shape ~= b.shape then
        fail("rill.sparse.%s: '%s' has shape %s, '%s' has %s", name, one, tostring(a.shape), other, tostring(b.shape))
    end
end

return arguments
