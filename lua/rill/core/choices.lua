-- Options of solvers that keep a state: what is none is an error that names it.
local rill = require "rill.core.public"
local given = require "rill.core.options"

local choices = {}

local function is_finite(value)
    return type(value) == "number" and value - value == 0
end

--- choices.is_finite(value): a number, neither NaN nor infinite.
choices.is_finite = is_finite

--- choices.is_positive(value): a finite number above 0.
function choices.is_positive(value)
    return is_finite(value) and value > 0
end

--- choices.is_vector(value [, n]): a table of (n) finite numbers.
function choices.is_vector(value, n)
    if type(value) ~= "table" or rill.type(value) or #value ~= (n or #value) then
        return false
    end
    for i = 1, #value do
        if not is_finite(value[i]) then
            return false
        end
    end
    return true
end

local MOST <const> = (1 << 31) - 1 -- elements of a stream

--- choices.is_shape(value, least, most): a table of `least` to `most` sizes, 1 or more, of a stream that there can be.
function choices.is_shape(value, least, most)
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

--- choices.words(names): a row for options that are one of the keys of a table.
function choices.words(names)
    local list = {}
    for name in pairs(names) do
        list[#list + 1] = ('"%s"'):format(name)
    end
    table.sort(list)
    return {function(v) return type(v) == "string" and names[v] ~= nil end, table.concat(list, " or ")}
end

--- choices.options(where, options, rows): a copy of a table of options; rows: a test and words for each.
choices.options = given.take

return choices
