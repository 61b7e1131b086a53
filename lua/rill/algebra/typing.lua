-- The types of the algebra: which values are operands, the types of constants, and the rules that determine the type
-- of a result.
local categories = require "rill.core.categories"
local rill = require "rill.core.public"
local expression = require "rill.algebra.expression"
require("rill.core.error").own()

local typing = {}

local fail, types, by_parts = expression.fail, expression.types, expression.by_parts
local RANK <const> = {bool = 1, int = 2, uint = 3, float = 4, double = 5}

-- ---- operands

-- The first operand of an operation that can be a category, by its rule. Default: none.
local OF_CODES <const> = {order = 1, equal = 1, choice = 2}

-- Returns an operand: a stream or a container as a leaf; expressions, numbers, booleans and tables of numbers
-- unchanged. Raises an error for other values, and for categories except in comparisons and choices.
local function operand(value, where, i, names, op)
    if expression.is(value) then
        return value
    end
    local kind = type(value)
    if kind == "number" or kind == "boolean" then
        return value
    elseif kind == "userdata" and (rill.type(value) == "stream" or rill.type(value) == "container") then
        if categories.of(value) and i < (op.codes and 1 or OF_CODES[op.rule] or math.huge) then
            categories.none(value, ("%s: argument #%d '%s'"):format(where, i, names[i]))
        end
        return expression.leaf(value, where, i, names[i])
    elseif kind == "table" and getmetatable(value) == nil and #value >= 2 and #value <= 4 then
        return value
    end
    fail("%s: argument #%d '%s': expected a stream, an expression, a number or a vector, got %s%s", where, i, names[i],
        expression.describe(value), value == nil and " (s[i] is nil if i is larger than s.shape[1])" or
        kind == "string" and "; a frame compares a category with a text: t:filter \"name == 'text'\"" or "")
end

-- Returns the widest scalar among the streams, the largest number of components, and whether there is a stream.
-- Raises an error if vectors of different sizes are combined.
local function survey(list, where)
    local scalar, components, found = "bool", 1, false
    for i = 1, #list do
        local node = list[i]
        if type(node) == "table" and node._op then
            local info = types[node._type]
            if not info then
                fail("%s: elements of structure %s: name a field of it, like s.field%s", where, node._type,
                    expression.fields(node))
            end
            found = true
            scalar = RANK[info.scalar] > RANK[scalar] and info.scalar or scalar
            if info.components > 1 then
                if components > 1 and components ~= info.components then
                    fail("%s: vectors of %d and of %d components don't match", where, components, info.components)
                end
                components = info.components
            end
        end
    end
    return scalar, components, found
end

local function is_real(value)
    return math.type(value) == "float"
end

-- Returns the scalar of the result: a float among the constants makes integers floats. Otherwise a Lua number never
-- makes the type wider.
local function widen(list, scalar)
    if RANK[scalar] >= RANK.float then
        return scalar
    end
    for i = 1, #list do
        local value = list[i]
        if is_real(value) then
            return "float"
        elseif type(value) == "table" and not value._op then
            for _, number in ipairs(value) do
                if is_real(number) then
                    return "float"
                end
            end
        end
    end
    return scalar
end

local LOW <const> = {int = -2 ^ 31 | 0, uint = 0, bool = 0}
local HIGH <const> = {int = 2 ^ 31 - 1 | 0, uint = 2 ^ 32 - 1 | 0, bool = 1}

-- Returns one number of a constant as a scalar type represents it. `bits`: any pattern of 32 bits is allowed. Raises
-- an error if it does not fit.
local function number_as(value, scalar, bits, where)
    if type(value) == "boolean" then
        if scalar == "bool" then
            return value
        end
        value = value and 1 or 0
    elseif type(value) ~= "number" then
        fail("%s: expected a number in a vector, got %s", where, expression.describe(value))
    end
    if scalar == "float" or scalar == "double" then
        return value
    end
    local whole = math.tointeger(value)
    if whole and bits and scalar ~= "bool" and whole >= LOW.int and whole <= HIGH.uint then
        whole = whole & 0xFFFFFFFF
        return scalar == "int" and whole > HIGH.int and whole - (1 << 32) or whole
    elseif not whole or whole < LOW[scalar] or whole > HIGH[scalar] then
        fail("%s: number %s does not fit %s", where, tostring(value), scalar)
    end
    return scalar == "bool" and whole ~= 0 or whole
end

-- Replaces constants in the list of operands by nodes of a scalar type. Tables must have this number of components.
local function settle(list, scalar, components, where, bits)
    for i = 1, #list do
        local value = list[i]
        if type(value) ~= "table" then
            list[i] = expression.constant(number_as(value, scalar, bits, where), scalar)
        elseif not value._op then
            if #value ~= components then
                local one = "a number (tables of numbers go with vector streams; rill.from makes a stream)"
                fail("%s: expected %s, got a table of %d numbers", where,
                    components == 1 and one or ("a number or a table of %d numbers"):format(components), #value)
            end
            local numbers = {}
            for c, number in ipairs(value) do
                numbers[c] = number_as(number, scalar, bits, where)
            end
            list[i] = expression.constant(numbers, by_parts[scalar][components])
        end
    end
end

-- ---- rules: the types an operation takes and gives
-- A rule is called with the operation, the operands and the name of the function (for messages). It replaces the
-- constants by nodes and returns the type of the result. `works` tells the code generator what an operation works on:
-- the scalar, the components, and the type to which every operand is converted (false: the operand's components of
-- this scalar).

local function widest(given)
    local scalar, components = "bool", 1
    for _, name in ipairs(given) do
        local info = types[name]
        scalar = RANK[info.scalar] > RANK[scalar] and info.scalar or scalar
        components = math.max(components, info.components)
    end
    return scalar, components
end

-- Converts all operands to one type for formulas. Functions that are called by component keep scalar operands.
local function alike(op, scalar, components, count)
    local wanted = {}
    local text = op[scalar] or op.any
    for i = 1, count do
        wanted[i] = not text:find "^@" and by_parts[scalar][components]
    end
    return scalar, components, wanted
end

local rules = {}

local function not_bool(scalar)
    return scalar == "bool" and "int" or scalar
end

local function real(scalar)
    return scalar == "double" and scalar or "float"
end

-- Numbers of any type. Bools count as 0 and 1.
rules.number = {
    type = function(_, list, where)
        local scalar, components = survey(list, where)
        scalar = not_bool(widen(list, scalar))
        settle(list, scalar, components, where)
        return by_parts[scalar][components]
    end,
    works = function(op, given)
        local scalar, components = widest(given)
        return alike(op, not_bool(scalar), components, #given)
    end,
}

-- Floats. Integers are converted to float.
rules.real = {
    type = function(_, list, where)
        local scalar, components = survey(list, where)
        scalar = real(scalar)
        settle(list, scalar, components, where)
        return by_parts[scalar][components]
    end,
    works = function(op, given)
        local scalar, components = widest(given)
        return alike(op, real(scalar), components, #given)
    end,
}

-- Floats, as above, but ints are not converted: large ints are not floats, and the sign of a power depends on the last
-- bit.
rules.power = {
    type = function(_, list, where)
        local scalar, components = survey(list, where)
        scalar = widen(list, scalar)
        settle(list, RANK[scalar] <= RANK.int and "int" or real(scalar), components, where)
        return by_parts[real(scalar)][components]
    end,
    works = function(op, given)
        local scalar, components = widest(given)
        return alike(op, RANK[scalar] <= RANK.int and "int" or real(scalar), components, #given)
    end,
}

-- Tests of floats, with a bool as the result. For vectors the result is whether any component passes.
rules.test = {
    type = function(_, list, where)
        survey(list, where)
        return "bool"
    end,
    works = function(_, given)
        local scalar, components = widest(given)
        return RANK[scalar] < RANK.float and "int" or scalar, components, {}
    end,
}

-- Bit operations of int and uint, and logical operations of bools.
rules.bits = {
    type = function(op, list, where)
        local scalar, components = survey(list, where)
        for i, value in ipairs(list) do
            local name = type(value) == "table" and value._type
            if is_real(value) and not math.tointeger(value) or name and RANK[types[name].scalar] >= RANK.float then
                fail("%s: argument #%d '%s': expected int, uint or bool, got %s", where, i, op.names[i],
                    name or expression.describe(value))
            end
            if scalar == "bool" and type(value) == "number" then
                scalar = "int"
            end
        end
        scalar = op.shift and not_bool(scalar) or scalar
        settle(list, scalar, components, where, true)
        return by_parts[scalar][components]
    end,
    works = function(op, given)
        local scalar, components = widest(given)
        return alike(op, scalar, components, #given)
    end,
}

-- Converts unsigned counts to int. All counts from 32 on have the same result.
local capped = {
    name = "count", any = "min($1, 64u)",
    works = function(_, given)
        return "uint", types[given[1]].components, {given[1]}
    end,
}

-- a << b has the type of a (of b if a is a number). b is converted to int.
rules.shift = {
    type = function(op, list, where)
        local count = {list[2]}
        for i = 1, 2 do
            local value = list[i]
            local name = type(value) == "table" and value._type
            if name and not (types[name] and RANK[types[name].scalar] < RANK.float) or is_real(value) then
                fail("%s: argument #%d '%s': expected int, uint or bool, got %s", where, i, op.names[i],
                    name or expression.describe(value))
            end
        end
        local _, components = survey(list, where)
        local typed = list[1]
        if type(typed) ~= "table" or not typed._op then
            typed = list[2]
        end
        local scalar = not_bool(types[typed._type].scalar)
        local first = {list[1]}
        settle(first, scalar, components, where, true)
        if type(count[1]) == "number" then -- counts beyond the bits of the word have the same result
            count[1] = math.max(-64, math.min(64, math.tointeger(count[1])))
        end
        if type(count[1]) == "table" and count[1]._op and types[count[1]._type].scalar == "uint" then
            count[1] = expression.node(capped, count[1]._type, count, where)
        end
        settle(count, "int", components, where)
        list[1], list[2] = first[1], count[1]
        return by_parts[scalar][components]
    end,
    works = function(_, given, result)
        local info = types[result]
        local n = types[given[2]].components
        return info.scalar, info.components, {by_parts[info.scalar][types[given[1]].components], by_parts.int[n]}
    end,
}

-- Order comparisons of scalars, with a bool as the result.
rules.order = {
    type = function(_, list, where)
        local scalar, components = survey(list, where)
        if components > 1 then
            fail("%s: vectors have no order: compare components, like s.x:lt(t.x)", where)
        end
        scalar = widen(list, scalar)
        settle(list, not_bool(scalar), 1, where)
        return "bool"
    end,
    works = function(op, given)
        local scalar = widest(given)
        return alike(op, not_bool(scalar), 1, #given)
    end,
}

-- Equality, with a bool as the result. Vectors are compared as a whole.
rules.equal = {
    type = function(_, list, where)
        local scalar, components = survey(list, where)
        scalar = widen(list, scalar)
        for _, value in ipairs(list) do
            scalar = scalar == "bool" and type(value) == "number" and "int" or scalar
        end
        settle(list, scalar, components, where)
        return "bool"
    end,
    works = function(op, given)
        local scalar, components = widest(given)
        return alike(op, scalar, components, #given)
    end,
}

--- typing.condition(value, where) raises an error if a condition is a table of Lua.
function typing.condition(value, where)
    if type(value) == "table" and not value._op then
        fail("%s: argument #1 'cond': expected a bool, a number or a stream, got table of %d: rill.from makes a " ..
            "stream of a table", where, #value)
    end
end

-- where(c, a, b): c is a condition; a and b are numbers or bools.
rules.choice = {
    type = function(_, list, where)
        local condition = {list[1]}
        typing.condition(list[1], where)
        local _, components = survey(condition, where)
        if components > 1 then
            fail("%s: argument #1 'cond': expected a bool or a number for each element, got %s", where, list[1]._type)
        end
        local values = {list[2], list[3]}
        local scalar
        scalar, components = survey(values, where)
        scalar = widen(values, scalar)
        for _, value in ipairs(values) do
            scalar = scalar == "bool" and type(value) == "number" and math.type(value) == "integer" and "int" or scalar
        end
        settle(condition, type(list[1]) == "boolean" and "bool" or is_real(list[1]) and "float" or "int", 1, where)
        settle(values, scalar, components, where)
        list[1], list[2], list[3] = condition[1], values[1], values[2]
        return by_parts[scalar][components]
    end,
    works = function(_, _, result)
        local info = types[result]
        return info.scalar, info.components, {"bool", result, result}
    end,
}

-- Functions of whole vectors of floats. `op.result` is "scalar" if the result is a scalar, else nil.
rules.geometry = {
    type = function(op, list, where)
        local scalar, components = survey(list, where)
        scalar = real(scalar)
        if op.only and components ~= op.only then
            fail("%s: expected vectors of %d components, got %s", where, op.only,
                components == 1 and "scalars" or components)
        end
        settle(list, scalar, components, where)
        return by_parts[scalar][op.result == "scalar" and 1 or components]
    end,
    works = function(_, given)
        local scalar, components = widest(given)
        scalar = real(scalar)
        local wanted = {}
        for i = 1, #given do
            wanted[i] = by_parts[scalar][components]
        end
        return scalar, components, wanted
    end,
}

-- Makes a complex number of a real one.
local as_complex = {
    name = "complex", any = "$T($1, $2)", vector = true,
    works = function(_, _, result)
        local scalar = types[result].scalar
        return scalar, 2, {scalar, scalar}
    end,
}

-- Functions of complex numbers, vectors of two components. Numbers are complex numbers with the imaginary part 0.
rules.complex = {
    type = function(op, list, where)
        local parts = {}
        for i, value in ipairs(list) do
            local info <const> = type(value) == "table" and value._op and (types[value._type] or survey({value}, where))
            parts[i] = info and info.components or type(value) == "table" and #value or 1
            if parts[i] > 2 then
                fail("%s: argument #%d '%s': expected complex numbers, vectors of 2 components, got %s", where, i,
                    op.names[i], info and value._type or "a table of " .. parts[i])
            end
        end
        local scalar <const> = real((survey(list, where)))
        for i, value in ipairs(list) do
            local node <const>, components <const> = type(value) == "table" and value._op, parts[i]
            if node and components == 1 then
                list[i] = expression.node(as_complex, by_parts[scalar][2],
                    {value, expression.constant(0.0, scalar)}, where)
            elseif components == 1 then
                list[i] = {value, 0}
            end
        end
        settle(list, scalar, 2, where)
        return by_parts[scalar][op.result == "scalar" and 1 or 2]
    end,
    works = rules.geometry.works,
}

rules.refract = {
    type = function(_, list, where)
        local name = rules.geometry.type({}, list, where)
        if types[list[3]._type].components > 1 then
            fail("%s: argument #3 'eta': expected a number or a scalar stream", where)
        end
        return name
    end,
    works = function(_, _, result)
        local info = types[result]
        return info.scalar, info.components, {result, result, "float"}
    end,
}

typing.rules, typing.operand, typing.survey, typing.settle = rules, operand, survey, settle

return typing
