-- Interprets the trees of fuzz/support/program.lua: each node becomes a Lua function of the frame of its function, in
-- which every variable has a number. A vector, matrix, array or structure is a list, copied where it is stored.
local types = require "fuzz.support.program_types"
local philox = require "spec.support.philox"

local run = {}

local copy, compare = types.copy, types.compare
local value_of, place_of

-- ---- operators on scalars and vectors

local function part_base(type)
    return type.base
end

-- Applies a function of two scalars to the components; a scalar operand is repeated.
local function each(f, a, b)
    if type(a) == "table" then
        local list = {}
        for i, x in ipairs(a) do
            list[i] = each(f, x, type(b) == "table" and b[i] or b)
        end
        return list
    elseif type(b) == "table" then
        local list = {}
        for i, y in ipairs(b) do
            list[i] = each(f, a, y)
        end
        return list
    end
    return f(a, b)
end

-- `b` may be false, so each() takes a list for it: booleans have no operators of two vectors.
local function each_one(f, a)
    if type(a) ~= "table" then
        return f(a)
    end
    local list = {}
    for i, x in ipairs(a) do
        list[i] = each_one(f, x)
    end
    return list
end

local values = {}

function values.literal(node)
    local value = node.value
    return function() return value end
end

function values.variable(node)
    local slot = node.variable.slot
    if node.variable.global then
        local globals = node.variable.global
        return function() return globals[slot] end
    end
    return function(R) return R[slot] end
end

function values.part(node)
    local of, k = value_of(node.of), node.k
    return function(R) return of(R)[k] end
end

function values.index(node)
    local of, index = value_of(node.of), value_of(node.index)
    return function(R) return of(R)[index(R) + 1] end
end

function values.swizzle(node)
    local of, list = value_of(node.of), node.list
    if #list == 1 then
        local k = list[1]
        return function(R) return of(R)[k] end
    end
    return function(R)
        local from, got = of(R), {}
        for i, k in ipairs(list) do
            got[i] = from[k]
        end
        return got
    end
end

function values.unary(node)
    local f, a = types.operation_of_one(node.op, part_base(node.type)), value_of(node.a)
    return function(R) return each_one(f, a(R)) end
end

function values.binary(node)
    local a, b, op = value_of(node.a), value_of(node.b), node.op
    local f = types.operation(op, part_base(node.type))
    return function(R)
        local x = a(R)
        return each(f, x, b(R))
    end
end

function values.compare(node)
    local a, b, op = value_of(node.a), value_of(node.b), node.op
    if compare[op] then
        local f = compare[op]
        return function(R)
            local x = a(R)
            return f(x, b(R))
        end
    end
    local wanted = op == "=="
    return function(R)
        local x = a(R)
        return types.equal(x, b(R)) == wanted
    end
end

function values.logical(node)
    local a, b, op = value_of(node.a), value_of(node.b), node.op
    if op == "&&" then
        return function(R) return a(R) and b(R) end
    elseif op == "||" then
        return function(R) return a(R) or b(R) end
    end
    return function(R)
        local x = a(R)
        return x ~= b(R)
    end
end

function values.choice(node)
    local c, a, b = value_of(node.c), value_of(node.a), value_of(node.b)
    return function(R)
        if c(R) then
            return a(R)
        end
        return b(R)
    end
end

function values.comma(node)
    local a, b = value_of(node.a), value_of(node.b)
    return function(R)
        a(R)
        return b(R)
    end
end

function values.convert(node)
    local a, from, to = value_of(node.a), part_base(node.a.type), part_base(node.type)
    local function f(x) return types.convert(x, from, to) end
    return function(R) return each_one(f, a(R)) end
end

local function evaluated(list)
    local all = {}
    for i, node in ipairs(list) do
        all[i] = value_of(node)
    end
    return all
end

-- T(values): of a vector from scalars and vectors, of a matrix from columns or scalars, of an array or a structure.
function values.construct(node)
    local all, type_, flat = evaluated(node.list), node.type, {}
    for i, part in ipairs(node.list) do
        flat[i] = part.type.kind == "vector" and type_.kind == "vector"
    end
    return function(R)
        local made = {}
        for i, f in ipairs(all) do
            local value = f(R)
            if flat[i] then
                table.move(value, 1, #value, #made + 1, made)
            else
                made[#made + 1] = copy(value)
            end
        end
        if type_.kind == "vector" and #made == 1 and type_.n > 1 then
            for i = 2, type_.n do
                made[i] = made[1]
            end
        elseif type_.kind == "matrix" and node.diagonal then
            local diagonal = made[1]
            for i = 1, type_.n do
                made[i] = {}
                for j = 1, type_.rows do
                    made[i][j] = i == j and diagonal or 0.0
                end
            end
        elseif type_.kind == "matrix" and type(made[1]) ~= "table" then
            local columns = {}
            for i = 1, type_.n do
                columns[i] = table.move(made, (i - 1) * type_.rows + 1, i * type_.rows, 1, {})
            end
            return columns
        end
        return made
    end
end

function values.builtin(node)
    local base = part_base(node.type)
    local a, b = value_of(node.list[1]), node.list[2] and value_of(node.list[2])
    local f = b and types.operation(node.name, base) or types.operation_of_one(node.name, base)
    return function(R)
        local x = a(R)
        if b then
            return each(f, x, b(R))
        end
        return each_one(f, x)
    end
end

-- ---- streams

local function clamp(i, n)
    return i < 0 and 0 or i >= n and n - 1 or i
end

function values.gather(node)
    local slot, indices = node.variable.slot, evaluated(node.indices)
    return function(R)
        local g = R[slot]
        local at = 0
        for k, f in ipairs(indices) do
            local i = f(R)
            at = at * g.shape[k] + clamp(math.type(i) == "float" and math.floor(i) or i, g.shape[k])
        end
        return g[at + 1]
    end
end

function values.neighbor(node)
    local slot, offset = node.variable.slot, node.offset and value_of(node.offset)
    return function(R)
        local u = R[slot]
        return u[clamp(u.at + (offset and offset(R) or 0), #u) + 1]
    end
end

local function element(node)
    local slot, at, k = node.variable.slot, node.at.slot, node.k
    return function(R)
        local w = R[slot]
        if w.undefined then
            error(types.undefined, 0)
        end
        return w, 2 * R[at] + k + 1
    end
end

function values.element(node)
    local place = element(node)
    return function(R)
        local w, k = place(R)
        return w[k]
    end
end

-- ---- places: functions that return the list and the index of what is assigned, and the components of a swizzle

local places = {element = element}

function places.variable(node)
    local slot = node.variable.slot
    return function(R) return R, slot end
end

function places.part(node)
    local of, part = place_of(node.of), node.k
    return function(R)
        local list, k = of(R)
        return list[k], part
    end
end

function places.index(node)
    local of, index = place_of(node.of), value_of(node.index)
    return function(R)
        local i = index(R) + 1
        local list, k = of(R)
        return list[k], i
    end
end

function places.swizzle(node)
    local of, list = place_of(node.of), node.list
    if #list == 1 then
        return function(R)
            local from, k = of(R)
            return from[k], list[1]
        end
    end
    return function(R)
        local from, k = of(R)
        return from, k, list
    end
end

function place_of(node)
    return places[node.kind](node)
end

local function load_from(list, k, parts)
    if not parts then
        return list[k]
    end
    local got = {}
    for i, part in ipairs(parts) do
        got[i] = list[k][part]
    end
    return got
end

local function store_to(list, k, parts, value)
    if not parts then
        list[k] = copy(value)
        return
    end
    for i, x in ipairs(copy(value)) do -- it may be the list itself
        list[k][parts[i]] = x
    end
end

function values.assign(node)
    local place, value = place_of(node.target), value_of(node.value)
    local f = node.op ~= "=" and types.operation(node.op:sub(1, -2), part_base(node.type))
    return function(R)
        local right = copy(value(R))
        local list, k, parts = place(R)
        if f then
            right = each(f, load_from(list, k, parts), right)
        end
        store_to(list, k, parts, right)
        return right
    end
end

function values.step(node)
    local place, base = place_of(node.target), part_base(node.type)
    local f = types.operation(node.op:sub(1, 1), base)
    local one = (base == "float" or base == "double") and 1.0 or 1
    return function(R)
        local list, k, parts = place(R)
        local before = copy(load_from(list, k, parts))
        local after = each(f, before, one)
        store_to(list, k, parts, after)
        return node.postfix and before or after
    end
end

local atomics = {Add = "+", Min = "min", Max = "max", And = "&", Or = "|", Xor = "^"}

function values.atomic(node)
    local place, value = place_of(node.target), value_of(node.value)
    local f = atomics[node.name] and types.operation(atomics[node.name], part_base(node.type))
    return function(R)
        local right = value(R)
        local list, k = place(R)
        local before = list[k]
        list[k] = f and f(before, right) or right
        return before
    end
end

--- run.draw(n): returns the next n random words of the element; set by the generator.
run.draw = nil

function values.draw(node)
    local limit, words = node.limit and node.limit.value, node.words
    if limit then
        return function() return (philox.below(math.max(limit, 0), run.draw)) end
    elseif words == 1 then
        return function() return philox.unit(run.draw(1)) end
    end
    return function()
        local list = {run.draw(words)}
        for i, word in ipairs(list) do list[i] = philox.unit(word) end
        return list
    end
end

-- ---- calls

function values.call(node)
    local callee, list, parameters = node.callee, {}, node.callee.parameters
    for i, argument in ipairs(node.list) do
        list[i] = parameters[i].written and place_of(argument) or value_of(argument)
    end
    return function(R)
        local frame, kept = {}, {}
        for i, parameter in ipairs(parameters) do
            if parameter.written then
                local of, k, parts = list[i](R)
                kept[i] = {of, k, parts}
                if parameter.written == "inout" then
                    frame[parameter.slot] = copy(load_from(of, k, parts))
                end
            elseif parameter.stream then
                frame[parameter.slot] = list[i](R)
            else
                frame[parameter.slot] = copy(list[i](R))
            end
        end
        local _, result = callee.run(frame)
        for i, to in pairs(kept) do
            store_to(to[1], to[2], to[3], frame[parameters[i].slot])
        end
        return result
    end
end

function value_of(node)
    return values[node.kind](node)
end

-- ---- statements: functions that return how they ended ("break", "continue", "return"), and a result

local statements = {}
local statement_of

local function block_of(list)
    local all = {}
    for i, node in ipairs(list) do
        all[i] = statement_of(node)
    end
    return function(R)
        for _, f in ipairs(all) do
            local how, result = f(R)
            if how then
                return how, result
            end
        end
    end
end

function statements.block(node)
    return block_of(node.list)
end

function statements.declare(node)
    local list = {}
    for i, variable in ipairs(node.list) do
        list[i] = {variable.slot, variable.value and value_of(variable.value), variable.type}
    end
    local function empty(type)
        local made = {}
        for i = 1, type.kind == "array" and type.n or 0 do
            made[i] = empty(type.of)
        end
        return made
    end
    return function(R)
        for _, item in ipairs(list) do
            if item[2] then
                R[item[1]] = copy(item[2](R))
            else
                R[item[1]] = empty(item[3])
            end
        end
    end
end

function statements.evaluate(node)
    local f = value_of(node.value)
    return function(R) f(R) end
end

statements["if"] = function(node)
    local test, chosen, other = value_of(node.test), statement_of(node.chosen), node.other and statement_of(node.other)
    return function(R)
        if test(R) then
            return chosen(R)
        elseif other then
            return other(R)
        end
    end
end

-- Loops: `first` and `step` may be missing; `late`: the condition follows the body.
function statements.loop(node)
    local first, step = node.first and statement_of(node.first), node.step and value_of(node.step)
    local test, body = node.test and value_of(node.test), statement_of(node.body)
    return function(R)
        if first then
            first(R)
        end
        local late = node.late
        while late or not test or test(R) do
            late = false
            local how, result = body(R)
            if how == "return" then
                return how, result
            elseif how == "break" then
                break
            end
            if step then
                step(R)
            end
        end
    end
end

function statements.switch(node)
    local value, list, start, default = value_of(node.value), {}, {}, nil
    for _, case in ipairs(node.cases) do
        for _, label in ipairs(case.labels) do
            if label == "default" then
                default = #list + 1
            else
                start[label] = #list + 1
            end
        end
        list[#list + 1] = block_of(case.list)
    end
    return function(R)
        for i = start[value(R)] or default or #list + 1, #list do
            local how, result = list[i](R)
            if how == "break" then
                return
            elseif how then
                return how, result
            end
        end
    end
end

statements["break"] = function() return function() return "break" end end
statements["continue"] = function() return function() return "continue" end end
statements["return"] = function(node)
    local value = node.value and value_of(node.value)
    return function(R)
        return "return", value and copy(value(R))
    end
end

function statement_of(node)
    return statements[node.kind](node)
end

run.value, run.block = value_of, block_of

return run
