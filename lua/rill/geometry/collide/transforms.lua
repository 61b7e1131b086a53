-- Converts transforms from scripts (four rows of four numbers, x' = M x) to streams for kernels (three rows each, in
-- doubles).
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local fail <const> = errors.fail

local transforms = {}

local UNIT <const> = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}
local LARGEST <const> = 1e18 -- its square must not overflow a float

local function check(where, name, element, m)
    local good, moves = option.is_matrix(m, LARGEST)
    if not good then
        fail("%s: option '%s': %sexpected 4 rows of 4 finite numbers up to 1e18, got %s", where, name, element,
            errors.told(m))
    elseif not moves then
        fail("%s: option '%s': %sexpected the last row 0, 0, 0, 1, got %s", where, name, element,
            table.concat(m[4], ", "))
    end
end

-- Returns a stream of the first three rows of each transform of a list.
local function streams_of(where, name, list)
    local rows = {}
    for number, m in ipairs(list) do
        check(where, name, #list > 1 and ("element [%d]: "):format(number) or "", m)
        for i = 1, 3 do rows[#rows + 1] = m[i] end
    end
    return rill.stream("dvec4", #rows, #rows > 0 and rows or nil)
end

--- transforms.one(where, name, m) returns the rows of one transform (nil: the identity), and a list with it.
function transforms.one(where, name, m)
    local list = {m == nil and UNIT or m}
    return streams_of(where, name, list), list
end

--- transforms.several(where, name, value) returns the rows of one transform or of a list, whether it is a list, and
-- the list.
function transforms.several(where, name, value)
    local many = type(value) == "table" and not rill.type(value) and
        (#value == 0 or type(value[1]) == "table" and type(value[1][1]) == "table")
    local list = many and value or {value == nil and UNIT or value}
    return streams_of(where, name, list), many, list
end

return transforms
