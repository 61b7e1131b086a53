-- Constants of expressions that are texts: {k = 2} for "x > k". They are arguments of the kernel that is made from the
-- text, so that other values do not require compilation.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local tables = require "rill.core.tables"
local types = require "rill.core.types"

local constants = {}

-- The first letters of vector types, by scalar.
local vector_letters = { float = "", double = "d", int = "i", uint = "u", bool = "" }

--- constants.scalar(value) returns the scalar of a type: "float" for "vec3", "int" for "ivec2"; nil for a structure.
function constants.scalar(value)
    if vector_letters[value] then
        return value
    end
    local letter = value:match "^([diu]?)vec[234]$"
    return letter and ({ [""] = "float", d = "double", i = "int", u = "uint" })[letter]
end

-- Returns the scalar type of a constant for elements of a scalar type. Integers remain integers if the elements are
-- integers.
local function constant_scalar(scalar, numbers)
    if scalar == "float" or scalar == "double" then
        return scalar
    end
    local least = 0
    for _, number in ipairs(numbers) do
        if math.type(number) ~= "integer" then
            return "float"
        end
        least = math.min(least, number)
    end
    return scalar == "uint" and least >= 0 and "uint" or "int"
end

local function is_numbers(value)
    if type(value) ~= "table" or #value < 2 or #value > 4 then
        return false
    end
    for _, number in ipairs(value) do
        if type(number) ~= "number" then
            return false
        end
    end
    return true
end

-- Returns the type of a constant for elements of a scalar type; nil if the value cannot be a constant.
local function constant_type(scalar, value)
    if type(value) == "boolean" then
        return "bool"
    elseif type(value) == "number" then
        return constant_scalar(scalar, { value })
    elseif is_numbers(value) then
        return vector_letters[constant_scalar(scalar, value)] .. "vec" .. #value
    end
end

local function name_error(where, reserved, name)
    local names = {}
    for other, meaning in pairs(reserved) do
        names[#names + 1] = ("%s is %s"):format(other, meaning)
    end
    table.sort(names, function(a, b) return a > b end)
    errors.fail("%s: argument #2 'constants': expected names for use in the expression (%s), got %s", where,
        table.concat(names, ", "), type(name) == "string" and "'" .. name .. "'" or tostring(name))
end

--- constants.declare(where, scalar, given, reserved, streams) returns the values of a table of constants in the order
-- of their names, and their declarations as parameters. Messages begin with `where`. `reserved` are the other names in
-- the expression, with their meanings. With `streams`, open streams of the shape of x are allowed, and are input
-- streams.
function constants.declare(where, scalar, given, reserved, streams)
    if given ~= nil and (type(given) ~= "table" or rill.type(given)) then
        errors.fail("%s: argument #2 'constants': expected a table like {c = 2}, got %s", where,
            rill.type(given) or type(given))
    end
    local names, values, declared = {}, {}, {}
    for name in pairs(given or {}) do
        if type(name) ~= "string" or not name:find "^[%a_][%w_]*$" or reserved[name] then
            name_error(where, reserved, name)
        end
        names[#names + 1] = name
    end
    table.sort(names)
    for i, name in ipairs(names) do
        local stream = streams and rill.type(given[name]) == "stream" and types.list[given[name].type]
        local declaration = stream and stream.seen or constant_type(scalar, given[name])
        if not declaration then
            local expected = "expected a number, a boolean or a table of 2 to 4 numbers"
            errors.fail("%s: argument #2 'constants': '%s': %s, got %s", where, name, expected,
                rill.type(given[name]) or type(given[name]))
        end
        values[i], declared[i] = given[name], ("%s %s%s, "):format(declaration, name, stream and "<>" or "")
    end
    return values, table.concat(declared)
end

--- constants.seed(text, given) returns the seed of the random numbers that a text draws, which is given among its
-- constants, and the other constants. If the text contains the name seed, it is a constant.
function constants.seed(text, given)
    if type(given) ~= "table" or rill.type(given) or given.seed == nil or text:find "%f[%w_]seed%f[^%w_]" then
        return nil, given
    end
    local rest = tables.copy(given)
    rest.seed = nil
    return given.seed, rest
end

--- constants.seeded(where, kernel, seed) returns the kernel of a text with a seed, or the kernel if it is nil.
function constants.seeded(where, kernel, seed)
    if seed == nil then
        return kernel
    elseif not core._is_random(kernel) then
        errors.fail("%s: constant 'seed': the expression does not contain it, and draws no random numbers", where)
    elseif not math.tointeger(seed) or type(seed) == "string" then
        errors.fail("%s: constant 'seed': expected a whole number, got %s", where, errors.told(seed))
    end
    return kernel:seed(math.tointeger(seed))
end

return constants
