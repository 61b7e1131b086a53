-- Defines the operators, methods and functions of the algebra. They build nodes, which expression.lua evaluates.
-- Components and fields are in members.lua.
local categories = require "rill.core.categories"
local core = require "rill.core"
local rill = require "rill.core.public"
local expression = require "rill.algebra.expression"
local operations = require "rill.algebra.operations"
local typing = require "rill.algebra.typing"
require("rill.core.error").own()

local fail, types, by_parts = expression.fail, expression.types, expression.by_parts
local operand, settle, survey, rules = typing.operand, typing.settle, typing.survey, typing.rules

for _, op in ipairs(operations.list) do
    if op.rule ~= "vector" then
        op.settle, op.works = rules[op.rule].type, rules[op.rule].works
    end
end

-- ---- building

local function build(op, where, list)
    local name = op.settle(op, list, where)
    return expression.node(op, name, list, where)
end

-- Replaces small integer powers by products.
local function power(op, where, list)
    local small = type(list[2]) == "number" and type(list[1]) == "table" and op.powers[list[2]]
    if small then
        return build(operations.named[small], where, {list[1]})
    end
    return build(op, where, list)
end

-- ---- operators

local function binary(op, where)
    local names = op.doc and {"a", "b"} or op.names -- the names of a function are for its arguments
    local make = op.powers and power or build
    return function(a, b)
        return make(op, where, {operand(a, where, 1, names, op), operand(b, where, 2, names, op)})
    end
end

local function unary(op, where)
    return function(a)
        return build(op, where, {operand(a, where, 1, op.names, op)})
    end
end

local function metamethod(op)
    if #op.names == 1 then
        return unary(op, op.operator .. "a")
    end
    return binary(op, ("a %s b"):format(op.operator))
end

for _, op in ipairs(operations.list) do
    if op.operator then
        local f, name = metamethod(op), "__" .. op.name
        core._metamethod(name, f)
        core._container_metamethod(name, f)
        expression.meta[name] = f
    end
end

-- ---- methods that compare

local function comparison(op)
    local where = "s:" .. op.name
    return function(s, t, ...)
        if select("#", ...) > 0 then
            fail("%s: expected 1 argument, got %d", where, 1 + select("#", ...))
        end
        local list = {operand(s, where, 1, op.names, op), operand(t, where, 1, {"t"}, op)}
        if categories.of(s) and categories.of(t) and not categories.same(s, t) then
            fail("%s: argument #1 't': the categories have different names, so their codes do not compare: write a " ..
                "comparison for t:filter or t:with, such as \"a == b\"", where)
        end
        if type(list[1]) ~= "table" then
            fail("%s: argument 's': expected a stream before the colon, got %s", where, expression.describe(s))
        end
        return build(op, where, list)
    end
end

for _, op in ipairs(operations.list) do
    if op.method then
        local f = comparison(op)
        core._method(op.name, f)
        core._container_method(op.name, f)
        expression.methods[op.name] = f
    end
end

-- ---- functions of rill

local function all_numbers(values, count)
    for i = 1, count do
        if type(values[i]) ~= "number" then
            return false
        end
    end
    return true
end

local function count_error(where, op, count)
    local most_count = #op.names
    local reduces = count == 1 and (where == "rill.min" or where == "rill.max")
    fail("%s: expected %s argument%s (%s), got %d%s", where,
        op.least == most_count and tostring(op.least) or op.least .. " or " .. most_count,
        most_count == 1 and "" or "s", table.concat(op.names, ", "), count,
        reduces and ("; the method s:%s() reduces a stream"):format(where:sub(6)) or "")
end

local function collect(op, where, count, ...)
    if count < op.least or count > #op.names then
        count_error(where, op, count)
    end
    local list = {...}
    for i = 1, count do
        list[i] = operand(list[i], where, i, op.names, op)
    end
    return list
end

local function has_stream(list)
    for _, value in ipairs(list) do
        if type(value) == "table" and value._op then
            return true
        end
    end
    return false
end

local function no_stream(where)
    fail("%s: expected a stream or an expression among its arguments (rill.from makes a stream of a table)", where)
end

local functions = {}

local function element_function(op)
    local where, number, value = "rill." .. op.title, op.number, op.value
    local make = op.powers and power or build
    return function(...)
        local count = select("#", ...)
        if op.full and count == #op.names then
            return functions[op.full](...)
        end
        local list = collect(op, where, count, ...)
        if number and all_numbers(list, count) then
            return number(...)
        elseif not has_stream(list) then
            if value then
                typing.condition(list[1], where)
                return value(...)
            end
            no_stream(where)
        end
        return make(op, where, list)
    end
end

-- Returns the function that makes vectors from scalars and shorter vectors. A single scalar is used for every
-- component.
local function vector_function(op)
    local n, where = op.size, "rill." .. op.title
    local names = {"x", "y", "z", "w"}
    local works = function(_, given, result)
        local scalar, wanted = types[result].scalar, {}
        for i, name in ipairs(given) do
            wanted[i] = by_parts[scalar][types[name].components]
        end
        return scalar, n, wanted
    end
    local forms = {}
    for count = 1, 4 do
        local parts = {}
        for i = 1, count do
            parts[i] = "$" .. i
        end
        local text <const> = ("$T(%s)"):format(table.concat(parts, ", "))
        forms[count] = {name = op.name, any = text, works = works, vector = true}
    end
    return function(...)
        local count = select("#", ...)
        if count < 1 or count > n then
            fail("%s: expected 1 to %d arguments, got %d", where, n, count)
        end
        local list, scalar, given = {...}, "float", 0
        for i = 1, count do
            local value = operand(list[i], where, i, names, op)
            list[i] = value
            if type(value) == "table" and value._op then
                local info = types[value._type] or survey({value}, where)
                scalar = info.scalar == "double" and "double" or scalar
                given = given + info.components
            elseif type(value) == "table" then
                fail("%s: argument #%d '%s': expected a number, a stream or an expression, got a table", where, i,
                    names[i])
            else
                given = given + 1
            end
        end
        if given ~= n and not (count == 1 and given == 1) then
            fail("%s: expected %d components in all, got %d", where, n, given)
        elseif not has_stream(list) then
            local constant = {}
            for i = 1, n do
                constant[i] = tostring(list[count == 1 and 1 or i])
            end
            fail("%s: expected a stream or an expression among its arguments: the constant vector is the table {%s}",
                where, table.concat(constant, ", "))
        end
        settle(list, scalar, 1, where)
        return expression.node(forms[count], by_parts[scalar][n], list, where)
    end
end

-- Returns the function __each of the metatable of the first argument that has one: it calls a function of elements with
-- the streams of which such an argument consists.
local function each_of(count, ...)
    for i = 1, count do
        local value = select(i, ...)
        local metatable = type(value) == "table" and getmetatable(value)
        local each = type(metatable) == "table" and rawget(metatable, "__each")
        if each then
            return each
        end
    end
end

local function public(f, where)
    return function(...)
        local each = each_of(select("#", ...), ...)
        if each then
            return each(f, where, ...)
        end
        return f(...)
    end
end

for _, op in ipairs(operations.list) do
    if op.doc and not op.method then
        local f = op.rule == "vector" and vector_function(op) or element_function(op)
        functions[op.title], rill[op.title] = f, public(f, "rill." .. op.title)
    end
end
