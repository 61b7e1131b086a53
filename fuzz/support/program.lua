-- Random well-typed programs of the kernel language: structures, constants, functions, and bodies of statements, as trees.
-- program_text.lua writes them, program_run.lua interprets them.
local expressions = require "fuzz.support.program_expressions"
local run = require "fuzz.support.program_run"
local types = require "fuzz.support.program_types"

local program = {}

local scalar, vector = types.scalar, types.vector
local expression, literal, operand = expressions.expression, expressions.literal, expressions.operand
local add, scope_of, visible = expressions.add, expressions.scope, expressions.visible

local NAMES <const> = {"a", "b", "c", "v", "input", "sample", "t", "half", "filter", "output", "n", "gamma", "common",
    "length", "shared_", "active", "mixed_", "x0", "e", "f", "lf", "u", "kept1", "texture", "noise"}
local MOST_NODES <const> = 200 -- expressions in a statement
local FIELDS <const> = {"x", "p", "xy", "r", "length", "input", "next", "s"}

-- Returns a name that is not in use in this scope; it may hide one outside. `apart`: in no scope outside, either.
local function name_of(d, scope, apart)
    local used = {}
    local at = scope
    while at do
        for _, variable in ipairs(at.variables) do
            used[variable.name] = true
        end
        at = (apart or at.merged) and at.outer or nil
    end
    local name = d:pick(NAMES)
    local number = 1
    while used[name] or scope.taken[name] do
        number = number + 1
        name = d:pick(NAMES) .. number
    end
    return name
end

-- ---- statements

local block, statement

local function inner_of(scope, changes)
    local inner = scope_of(scope)
    for key, value in pairs(changes or {}) do
        inner[key] = value
    end
    return inner
end

local function braced(d, scope, changes, most, before)
    local inner = inner_of(scope, changes)
    local list = before and before(inner) or {}
    return {kind = "block", list = block(d, inner, most, list)}
end

-- A list {...} or T(...) of initial values.
local function initial(d, scope, type)
    local value = operand(d, scope, type, 2, {exclude = {}})
    if value.kind == "construct" and (type.kind == "array" or type.kind == "structure") and not scope.brook
        and d:chance(1, 2) then
        value.braces, value.parentheses = true, nil
    end
    return value
end

local function declare(d, scope)
    local type = d:pick(scope.types)
    local const = d:chance(1, 6)
    local list = {}
    for i = 1, d:weighted {{4, 1}, {1, 2}, {1, 3}} do
        local value
        if const and d:chance(1, 2) then
            value = literal(d, type)
        else
            value = initial(d, scope, type)
        end
        local variable = {type = type, value = value, fixed = const or nil}
        variable.name = name_of(d, scope)
        variable.lengths_last = type.kind == "array" and (i > 1 or list[1] and list[1].lengths_last or d:chance(1, 2))
        if i > 1 and type.kind == "array" and not list[1].lengths_last then
            break
        end
        list[i] = add(scope, variable)
    end
    return {kind = "declare", list = list, const = const}
end

local function evaluate(d, scope)
    local type = d:pick(scope.types)
    local kind = d:below(4)
    local value = kind == 1 and expressions.changing_call(d, scope, nil, {})
        or expressions.effect(d, scope, type, 3, {exclude = {}}, true)
    return value and {kind = "evaluate", value = value} or declare(d, scope)
end

local function condition(d, scope, depth)
    return expression(d, scope, scalar "bool", depth or 2, {exclude = {}})
end

local function branch(d, scope)
    local function part()
        if d:chance(1, 4) then
            return evaluate(d, inner_of(scope, {types = scope.types}))
        end
        return braced(d, scope, nil, 3)
    end
    local test = condition(d, scope)
    local chosen = part()
    if chosen.kind == "declare" then
        chosen = {kind = "block", list = {chosen}}
    end
    local other = d:chance(1, 2) and part() or nil
    if other and other.kind == "declare" then
        other = {kind = "block", list = {other}}
    end
    return {kind = "if", test = test, chosen = chosen, other = other}
end

local function number_of(type, value)
    return {kind = "literal", type = type, value = value}
end

local function read(variable)
    return {kind = "variable", type = variable.type, variable = variable}
end

local function also(d, scope, test)
    if d:chance(1, 4) then
        return {kind = "logical", op = "&&", type = scalar "bool", a = test, b = condition(d, scope, 1)}
    end
    return test
end

-- Loops with at most `trips` iterations, counted by a variable of their own.
local function loop(d, scope)
    local trips, type = d:int(1, 5), scalar(d:pick {"int", "int", "uint"})
    if scope.trips * trips > 60 then
        return evaluate(d, scope)
    end
    local changes = {trips = scope.trips * trips, looped = true, switched = false, merged = true}
    local kind = d:below(6)
    local outer = scope_of(scope)
    local counter = {name = name_of(d, scope, true), type = type, fixed = true}
    local function test_of(op, bound)
        return {kind = "compare", op = op, type = scalar "bool", a = read(counter), b = bound}
    end
    if kind <= 2 then
        local down = kind == 2 and type.base == "int"
        counter.value = number_of(type, down and trips - 1 or 0)
        add(outer, counter)
        local assigned = d:chance(1, 5)
        counter.below = not assigned and trips or nil
        local step = {kind = "step", op = down and "--" or "++", type = type, target = read(counter),
            postfix = d:chance(1, 2)}
        if d:chance(1, 4) then
            step = {kind = "assign", op = down and "-=" or "+=", type = type, target = read(counter),
                value = number_of(type, d:int(1, 2))}
        end
        local test = down and test_of(">=", number_of(type, 0)) or test_of(d:pick {"<", "!="}, number_of(type, trips))
        if not down and (test.op ~= "!=" or step.kind == "assign" or assigned) then
            test.op = "<"
            if d:chance(1, 3) then
                test = test_of("<", {kind = "builtin", name = "min", type = type, list = {
                    expression(d, scope, type, 1), number_of(type, trips)}})
            end
        end
        test = also(d, outer, test)
        local body = braced(d, outer, changes, 3, function()
            return assigned and {{kind = "if", test = condition(d, outer, 1), chosen = {kind = "evaluate", value = {
                kind = "assign", op = down and "-=" or "+=", type = type, target = read(counter),
                value = number_of(type, 1)}}}} or {}
        end)
        return {kind = "loop", word = "for", first = {kind = "declare", list = {counter}}, test = test, step = step,
            body = body}
    end
    -- The counter is declared before the loop and changed first in its body.
    counter.value = number_of(type, 0)
    add(outer, counter)
    local test = test_of("<", number_of(type, trips))
    local advance = {kind = "evaluate", value = {kind = "step", op = "++", type = type, target = read(counter),
        postfix = d:chance(1, 2)}}
    local node
    if kind == 3 then
        local inside = d:chance(1, 3)
        test = inside and {kind = "compare", op = "<", type = scalar "bool", a = {kind = "step", op = "++", type = type,
            target = read(counter), postfix = true}, b = number_of(type, trips)} or also(d, outer, test)
        node = {kind = "loop", word = "while", test = test, body = braced(d, outer, changes, 3, function()
            return inside and {} or {advance}
        end)}
    elseif kind == 4 then
        node = {kind = "loop", late = true, test = also(d, outer, test), body = braced(d, outer, changes, 3,
            function() return {advance} end)}
    else
        local leave = {kind = "if", test = {kind = "compare", op = ">=", type = scalar "bool", a = read(counter),
            b = number_of(type, trips)}, chosen = {kind = "break"}}
        node = {kind = "loop", word = "for", body = braced(d, outer, changes, 3, function()
            return {leave, advance}
        end)}
    end
    return {kind = "block", list = {{kind = "declare", list = {counter}}, node}}
end

local function switch(d, scope)
    local type = scalar(d:pick {"int", "uint"})
    local value = {kind = "binary", op = d:pick {"&", "%"}, type = type, a = expression(d, scope, type, 2),
        b = number_of(type, 3)}
    local cases, labels = {}, {0, 1, 2, 3, "default"}
    if type.base == "int" then
        labels[6] = -1
    end
    local count = d:int(1, 4)
    for i = 1, count do
        local case = {labels = {}, list = {}}
        for k = 1, d:weighted {{3, 1}, {1, 2}} do
            case.labels[k] = #labels > 0 and table.remove(labels, d:below(#labels) + 1) or nil
        end
        if #case.labels == 0 then
            break
        end
        local inner = inner_of(scope, {switched = true})
        for k = 1, d:below(3) do
            local made = statement(d, inner)
            case.list[k] = made.kind == "declare" and {kind = "block", list = {made}} or made
            inner = inner_of(scope, {switched = true})
            if made.kind == "break" or made.kind == "continue" or made.kind == "return" then
                break
            end
        end
        local last = case.list[#case.list]
        if (i == count or d:chance(1, 2)) and not (last and (last.kind == "break" or last.kind == "return"
            or last.kind == "continue")) then
            case.list[#case.list + 1] = {kind = "break"}
        end
        cases[i] = case
    end
    local final = cases[#cases].list
    if #final == 0 then
        final[1] = {kind = "break"}
    end
    return {kind = "switch", value = value, cases = cases}
end

local function leave(d, scope)
    local kind = d:below(3)
    if kind == 1 and scope.looped then
        return {kind = "continue"}
    elseif kind == 2 and scope.returns then
        local type = scope.returns ~= true and scope.returns
        return {kind = "return", value = type and operand(d, scope, type, 2, {exclude = {}})}
    end
    return (scope.looped or scope.switched) and {kind = "break"} or evaluate(d, scope)
end

function statement(d, scope)
    scope.size.nodes = MOST_NODES
    if scope.size.left <= 0 then
        return evaluate(d, scope)
    end
    scope.size.left = scope.size.left - 1
    local kind = d:below(16)
    if kind <= 4 then
        return evaluate(d, scope)
    elseif kind <= 7 then
        return declare(d, scope)
    elseif kind <= 9 then
        return branch(d, scope)
    elseif kind <= 11 then
        return loop(d, scope)
    elseif kind == 12 then
        return switch(d, scope)
    elseif kind == 13 then
        return braced(d, scope, nil, 3)
    elseif kind == 14 and (scope.looped or scope.returns) then
        -- Statements after a jump are never reached: a condition before it.
        return {kind = "if", test = condition(d, scope), chosen = leave(d, inner_of(scope))}
    end
    return evaluate(d, scope)
end

-- Returns a list of statements: `list` and more. The last may be a jump.
function block(d, scope, most, list)
    local count = d:int(1, most)
    for _ = 1, count do
        list[#list + 1] = statement(d, scope)
    end
    for i, node in ipairs(list) do
        local chosen = node.kind == "if" and node.chosen
        if chosen and chosen.kind == "declare" then
            list[i] = {kind = "if", test = node.test, chosen = {kind = "block", list = {chosen}}}
        end
    end
    if (scope.looped or scope.switched) and d:chance(1, 10) then
        list[#list + 1] = leave(d, scope)
    end
    return list
end

-- ---- functions

-- Adds the bits of the variables of a scope to the variable `sum`: statements.
local function sums(scope, sum)
    local list = {}
    local uint = scalar "uint"
    local function put(node, type)
        if type.kind == "scalar" then
            local callee = scope.mixing[type.base]
            list[#list + 1] = {kind = "evaluate", value = {kind = "assign", op = "=", type = uint, target = read(sum),
                value = {kind = "call", type = uint, callee = callee, list = {read(sum), node}}}}
            return
        end
        for i = 1, type.n do
            local part = types.part(type, i)
            local at = type.kind == "structure" and {kind = "part", type = part, of = node, k = i}
                or {kind = "index", type = part, of = node, index = number_of(scalar "int", i - 1)}
            put(at, part)
        end
    end
    for _, variable in ipairs(visible(scope, function(v)
        return v.type and v ~= sum and not v.stream and not v.global and not v.element
    end)) do
        put(read(variable), variable.type)
    end
    return list
end

local function mixing(base)
    local uint, type = scalar "uint", scalar(base)
    return {name = "mixed_" .. base, result = uint, cost = 1, parameters = {{slot = 1}, {slot = 2}},
        run = function(R) return "return", types.mix(R[1], R[2], type) end}
end

-- A function with random parameters and a body.
local function helper(d, scope, name)
    local inner = scope_of(scope)
    inner.trips, inner.size, inner.counts, inner.taken = 1, {left = 5, nodes = MOST_NODES}, {slots = 0}, {}
    local result = d:chance(1, 5) and nil or d:pick(scope.types)
    local callee = {name = name, result = result, parameters = {}}
    for i = 1, d:int(1, 4) do
        local stream = d:chance(1, 6) and #scope.streams > 0 and d:pick(scope.streams)
        local parameter
        if stream then
            parameter = {name = name_of(d, inner), stream = stream.stream, of = stream.of, rank = stream.rank}
        else
            parameter = {name = name_of(d, inner), type = d:pick(scope.types),
                written = d:pick {false, false, "inout", "out"} or nil}
        end
        callee.changes = callee.changes or parameter.written
        callee.parameters[i] = parameter
        inner.taken[parameter.name] = true
        if parameter.written ~= "out" then
            add(inner, parameter)
        else
            inner.counts.slots = inner.counts.slots + 1
            parameter.slot = inner.counts.slots
        end
    end
    if not result and not callee.changes then
        result = scalar "int"
        callee.result = result
    end
    inner.returns = result or true
    local list = {}
    for _, parameter in ipairs(callee.parameters) do
        if parameter.written == "out" then
            local value = expression(d, inner, parameter.type, 2)
            add(inner, parameter)
            list[#list + 1] = {kind = "evaluate", value = {kind = "assign", op = "=", type = parameter.type,
                target = read(parameter), value = value}}
        end
    end
    -- A declaration may not hide a parameter: the parameters are in the scope of the body.
    list = block(d, inner, 4, list)
    if result then
        list[#list + 1] = {kind = "return", value = operand(d, inner, result, 2)}
    end
    callee.list, callee.cost = list, 20
    return callee
end

-- ---- modules

-- Returns whether a structure can have a field of a type.
local function stored(type)
    if type.kind == "array" then
        return stored(type.of)
    end
    return type.kind ~= "matrix" and not (type.kind == "vector" and type.base == "bool")
end

local function structures(d, scope)
    local list = {}
    for _, type in ipairs(scope.types) do
        list[#list + 1] = stored(type) and type or nil
    end
    for i = 1, d:below(3) do
        local fields, used = {}, {}
        for k = 1, d:int(1, 4) do
            local name = d:pick(FIELDS)
            while used[name] do
                name = name .. k
            end
            used[name] = true
            fields[k] = {name = name, type = d:pick(list)}
        end
        scope.structures[i] = types.structure("S" .. i, fields)
        table.insert(list, scope.structures[i])
        table.insert(scope.types, scope.structures[i])
    end
end

local function type_list(d, scope)
    local bases = {"int", "float", "uint", "bool"}
    if scope.doubles then
        bases[5] = "double"
    end
    local list = {}
    for i, base in ipairs(bases) do
        list[i] = scalar(base)
    end
    for _ = 1, d:below(3) do
        list[#list + 1] = vector(d:pick(bases), d:int(2, 4))
    end
    scope.types = list
    if d:chance(1, 4) then
        list[#list + 1] = types.matrix(d:int(2, 4), d:int(2, 4))
    end
    structures(d, scope)
    for _ = 1, d:below(3) do
        list[#list + 1] = types.array(d:pick(list), d:int(2, 4))
    end
end

-- Returns a module: structures, constants and functions.
function program.module(d, brook, streams)
    local scope = scope_of(nil)
    scope.brook, scope.doubles, scope.trips, scope.counts = brook, d:chance(1, 4), 1, {slots = 0}
    scope.structures, scope.functions, scope.globals, scope.taken = {}, {}, {}, {}
    scope.mixing = {int = mixing "int", uint = mixing "uint", float = mixing "float", bool = mixing "bool",
        double = mixing "double"}
    scope.streams = streams
    type_list(d, scope)
    scope.constants = {}
    for i = 1, d:below(3) do
        local type = d:pick(scope.types)
        local variable = {name = "K" .. i, type = type, value = literal(d, type), fixed = true, global = scope.globals}
        scope.globals[scope.counts.slots + 1] = run.value(variable.value) {}
        scope.constants[i] = add(scope, variable)
    end
    for i = 1, d:below(3) do
        table.insert(scope.functions, helper(d, scope, "F" .. i))
    end
    return scope
end

-- Returns a body: statements, and the sum of the bits of its variables in the variable `sum`.
function program.body(d, scope, sum, size)
    scope.size = {left = size, nodes = MOST_NODES}
    local list = {{kind = "declare", list = {sum}}}
    list = block(d, scope, size, list)
    local added = sums(scope, sum)
    return table.move(added, 1, #added, #list + 1, list)
end

return program
