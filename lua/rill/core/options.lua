-- Checks tables of options.
local errors = require "rill.core.error"
local rill = require "rill.core.public"
local suggest = require "rill.core.lazy".module "rill.core.suggest"
local tables = require "rill.core.tables"
local fail <const> = errors.fail

local option = {}

--- option.refuse(where, key, known) raises that `key` is not an option. The options are the keys of `known`.
function option.refuse(where, key, known)
    fail("%s: unknown option %s: expected %s", where, type(key) == "string" and "'" .. key .. "'" or errors.told(key),
        suggest.among(key, known))
end

--- option.check(where, options, known) raises if `options` is neither nil nor a table of options, or has a key that is
-- not in `known`.
function option.check(where, options, known)
    errors.options(where, options, known)
    for key in pairs(options or {}) do
        if not known[key] then
            option.refuse(where, key, known)
        end
    end
end

--- option.take(where, options, known) returns a checked copy of a table of options with defaults; nil is an empty
-- table. Floats with integer values become integers where an option must be one. `known`: a row for each option name,
-- {test, words for messages, default, required (boolean)}. `aliases`: the names of options by their old names.
function option.take(where, options, known, aliases)
    errors.options(where, options, known)
    local taken = {}
    for given, value in pairs(options or {}) do
        local key = aliases and aliases[given] or given
        local row = known[key]
        if not row then
            option.refuse(where, key, known)
        end
        local whole = row[1](value) and value or tables.whole(value) -- 2.0 is accepted where 2 is
        if not row[1](whole) then
            fail("%s: option '%s': expected %s, got %s", where, key, row[2], errors.told(value))
        end
        if key ~= given and options[key] ~= nil then
            fail("%s: options '%s' and '%s' are the same: give one of them", where, key, given)
        end
        taken[key] = whole
    end
    for key, row in pairs(known) do
        if taken[key] == nil then
            if row[4] then
                fail("%s: option '%s' is missing: expected %s", where, key, row[2])
            end
            taken[key] = row[3]
        end
    end
    return taken
end

local function is_finite(value)
    return type(value) == "number" and value - value == 0
end

--- option.is_finite(value) returns whether a value is a number, neither NaN nor infinite.
option.is_finite = is_finite

--- option.is_positive(value) returns whether a value is a finite number above 0.
function option.is_positive(value)
    return is_finite(value) and value > 0
end

--- option.is_list(value) returns whether a value is a table of Lua whose only keys are 1 to #value.
function option.is_list(value)
    if type(value) ~= "table" or rill.type(value) then
        return false
    end
    local count = 0
    for _ in pairs(value) do
        count = count + 1
    end
    return count == #value
end

--- option.is_data(value) returns whether a value is a table, an open stream, or an expression whose value is a stream.
function option.is_data(value)
    return type(value) == "table" or not errors.not_open(value)
end

--- option.is_vector(value [, n]) returns whether a value is a table of n finite numbers. Default of n: any length.
function option.is_vector(value, n)
    if not option.is_list(value) or #value ~= (n or #value) then
        return false
    end
    for i = 1, #value do
        if not is_finite(value[i]) then
            return false
        end
    end
    return true
end

--- option.is_matrix(value, most) returns whether a value is four rows of four numbers from -most to most; and whether
-- its last row is 0, 0, 0, 1.
function option.is_matrix(value, most)
    local good = option.is_list(value) and #value == 4
    for i = 1, good and 4 or 0 do
        local row = value[i]
        good = good and option.is_vector(row, 4) and math.max(table.unpack(row)) <= most and
            math.min(table.unpack(row)) >= -most
    end
    local last = good and value[4]
    return good, good and last[1] == 0 and last[2] == 0 and last[3] == 0 and last[4] == 1
end

local MOST <const> = (1 << 31) - 1 -- the largest number of elements of a stream

--- option.is_shape(value, least, most) returns whether a value is a table of `least` to `most` sizes, 1 or more each,
-- of a possible stream.
function option.is_shape(value, least, most)
    if type(value) ~= "table" or rill.type(value) or #value < least or #value > most then
        return false
    end
    local size = 1
    for _, n in ipairs(value) do
        if math.type(n) ~= "integer" or n < 1 or n > MOST // size then
            return false
        end
        size = size * n
    end
    return true
end

--- Rows of options: a test and its words for messages.
option.finite = {is_finite, "a number"}
option.positive = {option.is_positive, "a number above 0"}
option.not_negative = {function(v) return is_finite(v) and v >= 0 end, "a number, 0 or more"}
option.count = {function(v) return math.type(v) == "integer" and v >= 1 end, "a whole number, 1 or more"}
option.flag = {function(v) return type(v) == "boolean" end, "true or false"}
option.stream = {function(v) return not errors.not_open(v) end, "an open stream"}
option.vector = {function(v) return option.is_vector(v, 3) end, "a table of 3 numbers"}
option.angle = {function(v) return option.is_positive(v) and v < 180 end, "degrees above 0 and below 180"}
option.table = {function(v) return type(v) == "table" and not rill.type(v) end, "a table"}

--- option.default(row, value) returns a row with a default.
function option.default(row, value)
    return {row[1], row[2], value}
end

--- option.some(holds) returns a test that accepts a value which passes the test `holds`, or a non-empty array of such
-- values.
function option.some(holds)
    return function(value)
        if not option.table[1](value) then
            return holds(value)
        end
        for key, item in pairs(value) do
            if math.type(key) ~= "integer" or key < 1 or key > #value or not holds(item) then
                return false
            end
        end
        return #value > 0
    end
end

--- option.number(low, high [, default [, above]]) returns the row of an option that is a number from low to high, or
-- above low if `above` is true. If `low` is an integer, the option must be one. Without a default the option is
-- required.
function option.number(low, high, default, above)
    local whole <const> = math.type(low) == "integer"
    local words = (whole and "a whole number from %d to %d" or above and "a number above %g, at most %g" or
        "a number from %g to %g"):format(low, high)
    return {function(v)
        return type(v) == "number" and (v > low or not above and v == low) and v <= high and
            (not whole or math.type(v) == "integer")
    end, words, default, default == nil}
end

--- option.choice(names [, default]) returns the row of an optional option that is one of several names.
function option.choice(names, default)
    local set = {}
    for _, name in ipairs(names) do
        set[name] = true
    end
    local words = ('"%s" or "%s"'):format(table.concat(names, '", "', 1, #names - 1), names[#names])
    return {function(v) return set[v] end, words, default}
end

--- option.per_dimension(where, name, value, rank [, what]) returns an array of `rank` values (1 to 8) of an option that
-- is one value, or an array of one per dimension; and the same array with the last dimension first, as in kernels.
-- what: the words of messages for what has the dimensions. Default: "the grid has".
function option.per_dimension(where, name, value, rank, what)
    assert(rank <= 8)
    local list, reversed, several = {}, {}, option.table[1](value)
    if several and #value ~= rank then
        fail("%s: option '%s' has %d value%s, %s %d dimension%s", where, name, #value,
            #value == 1 and "" or "s", what or "the grid has", rank, rank == 1 and "" or "s")
    end
    for d = 1, rank do
        if several then list[d] = value[d] else list[d] = value end
        reversed[rank + 1 - d] = list[d]
    end
    return list, reversed
end

--- option.words(names [, default]) returns a row for options that are one of the keys of a table, or of the items of an
-- array.
function option.words(names, default)
    local list, set = {}, {}
    for key, name in pairs(names) do
        name = type(key) == "string" and key or name
        list[#list + 1], set[name] = ('"%s"'):format(name), true
    end
    if not names[1] then
        table.sort(list)
    end
    return {function(v) return set[v] end, table.concat(list, " or "), default}
end

--- option.bounded(where, s, modes) returns a view of s with the option 'boundary', which is a mode, or a list of one
-- for each dimension. If it is nil, returns s.
function option.bounded(where, s, modes)
    if modes == nil then
        return s
    end
    local done, view = pcall(s.boundary, s, table.unpack(type(modes) == "table" and modes or {modes}))
    if not done then
        fail("%s: option 'boundary': %s", where, (view:gsub("^.-s:boundary: ", "")))
    end
    return view
end

--- The row of the option 'boundary', for option.bounded.
option.boundary = {function(v) return not rill.type(v) end, "a mode, a number (the value outside), or a list of them"}

return option
