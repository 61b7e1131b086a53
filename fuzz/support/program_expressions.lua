-- Random well-typed expressions of the kernel language, as trees: see fuzz/support/program.lua. A side effect is only
-- generated where its order is defined: as a statement, in operands of &&, ||, ?: and commas, and beside literals.
local types = require "fuzz.support.program_types"

local expressions = {}

local scalar, vector = types.scalar, types.vector
local expression, literal, path

-- ---- scopes: lists of variables; a name hides the variables of the same name outside

function expressions.scope(outer)
    return setmetatable({variables = {}, outer = outer}, {__index = outer})
end

function expressions.add(scope, variable)
    scope.counts.slots = scope.counts.slots + 1
    variable.slot = variable.slot or scope.counts.slots
    table.insert(scope.variables, variable)
    return variable
end

-- Returns the variables that a name means at this place and that satisfy `fits`, innermost first.
local function visible(scope, fits)
    local list, seen = {}, {}
    local at = scope
    while at do
        for i = #at.variables, 1, -1 do
            local variable = at.variables[i]
            if not seen[variable.name] then
                seen[variable.name] = true
                if fits(variable) then
                    list[#list + 1] = variable
                end
            end
        end
        at = at.outer
    end
    return list
end
expressions.visible = visible

local function bare(type)
    return type.kind == "scalar" or type.kind == "vector"
end

-- ---- leaves

local VALUES <const> = {
    int = {0, 1, 2, 3, 7, 31, 255, 65536, 2147483647, 1000003},
    uint = {0, 1, 2, 5, 31, 255, 65535, 2147483648, 4294967295},
    float = {0.0, 1.0, 2.0, 0.5, 3.25, 0.1, 1e-3, 100.0, 16777216.0, 1.5e8},
    double = {0.0, 1.0, 2.0, 0.1, 3.25, 1e-5, 123456.789, 9007199254740993.0},
}

function literal(d, type, small)
    if type.kind == "scalar" then
        if type.base == "bool" then
            return {kind = "literal", type = type, value = d:chance(1, 2)}
        end
        local value = small and d:below(6) or d:pick(VALUES[type.base])
        local node = {kind = "literal", type = type, value = types.rounded[type.base](value
            + ((type.base == "int" or type.base == "uint") and 0 or 0.0))}
        if (type.base == "int" or type.base == "uint") and d:chance(1, 8) then
            node.text = ("0x%x%s"):format(node.value, type.base == "uint" and "u" or "")
        elseif type.base == "float" and d:chance(1, 8) then
            node.text = ("%.9gf"):format(node.value):gsub("^(%d+)f$", "%1.f")
        end
        return node
    end
    local list = {}
    if type.kind == "vector" and d:chance(1, 3) then
        list[1] = literal(d, scalar(type.base), small)
    else
        for i = 1, type.n do
            list[i] = literal(d, types.part(type, i), small)
        end
    end
    return {kind = "construct", type = type, list = list}
end

-- Returns an index below n. `steady`: without other expressions.
local function index_below(d, scope, n, steady)
    local counters = visible(scope, function(v) return v.below and v.below <= n end)
    local kind = d:below(4)
    if kind == 1 and #counters > 0 then
        local counter = d:pick(counters)
        return {kind = "variable", type = counter.type, variable = counter}
    elseif kind >= 2 and not steady and scope.size.nodes > 0 then
        local int = scalar "int"
        local value = expression(d, scope, int, 1)
        if kind == 3 then
            local uint = scalar "uint"
            return {kind = "binary", op = "%", type = uint, a = {kind = "convert", type = uint, a = value},
                b = {kind = "literal", type = scalar "uint", value = n}}
        end
        return {kind = "builtin", name = "min", type = int, list = {{kind = "builtin", name = "max", type = int,
            list = {value, {kind = "literal", type = int, value = 0}}}, {kind = "literal", type = int, value = n - 1}}}
    end
    return {kind = "literal", type = scalar(d:pick {"int", "uint"}), value = d:below(n)}
end

local function swizzle_of(d, node, type, distinct)
    local list, used = {}, {}
    for i = 1, type.n do
        local k = d:below(node.type.n) + 1
        while distinct and used[k] do
            k = k % node.type.n + 1
        end
        list[i], used[k] = k, true
    end
    return {kind = "swizzle", type = type, of = node, list = list, letters = d:pick {1, 1, 2, 3}}
end

-- Returns whether a value of type `from` may contain one of type `to`.
local function contains(from, to)
    if from == to then
        return true
    elseif from.kind == "vector" or from.kind == "matrix" then
        return bare(to) and to.base == from.base and (from.kind == "vector" and to.n <= from.n
            or from.kind == "matrix" and to.n <= from.rows)
    elseif from.kind == "array" then
        return contains(from.of, to)
    elseif from.kind == "structure" then
        for _, field in ipairs(from.fields) do
            if contains(field.type, to) then
                return true
            end
        end
    end
    return false
end

-- Returns the node of a part with the type `to` of a value. `written`: a place that is assigned.
function path(d, scope, node, to, written, steady)
    local from = node.type
    if from == to and not (from.kind == "vector" and d:chance(1, 4)) then
        return node
    elseif from.kind == "vector" then
        if to.kind == "scalar" and d:chance(1, 2) then
            return {kind = "index", type = to, of = node, index = index_below(d, scope, from.n, steady)}
        end
        return swizzle_of(d, node, to, written)
    elseif from.kind == "matrix" then
        return path(d, scope, {kind = "index", type = types.part(from, 1), of = node,
            index = index_below(d, scope, from.n, steady)}, to, written, steady)
    elseif from.kind == "array" then
        return path(d, scope, {kind = "index", type = from.of, of = node,
            index = index_below(d, scope, from.n, steady)}, to, written, steady)
    end
    local fields = {}
    for k, field in ipairs(from.fields) do
        if contains(field.type, to) then
            fields[#fields + 1] = k
        end
    end
    local k = d:pick(fields)
    return path(d, scope, {kind = "part", type = from.fields[k].type, of = node, k = k}, to, written, steady)
end

local function element_of(d, variable)
    return {kind = "element", type = variable.type, variable = variable, at = variable.at, k = d:below(2)}
end

local function start(d, variable)
    return variable.element and element_of(d, variable)
        or {kind = "variable", type = variable.type, variable = variable}
end

local function leaf(d, scope, type)
    local list = visible(scope, function(v) return v.type and not v.stream and contains(v.type, type) end)
    if #list == 0 or d:chance(1, 5) then
        return literal(d, type)
    end
    return path(d, scope, start(d, d:pick(list)), type)
end

-- Returns a place of a type that can be assigned, and its variable; or nil. `excluded` are variables.
function expressions.place(d, scope, type, excluded, steady, statement)
    local list = visible(scope, function(v)
        return v.type and not v.stream and not v.fixed and contains(v.type, type) and not excluded[v]
            and (statement or not v.statement)
    end)
    if #list == 0 then
        return nil
    end
    local variable = d:pick(list)
    return path(d, scope, start(d, variable), type, true, steady), variable
end

-- ---- operators

-- An implicit conversion to each type is possible from these.
local LOWER <const> = {uint = {"int"}, float = {"int", "uint"}, double = {"float", "int"}}

-- An expression of a type, or of one that is converted to it.
local function operand(d, scope, type, depth, fx)
    local lower = bare(type) and LOWER[type.base]
    if lower and not scope.brook and d:chance(1, 8) then
        local from = vector(d:pick(lower), type.n)
        return {kind = "convert", implicit = true, type = type, a = expression(d, scope, from, depth, fx)}
    end
    return expression(d, scope, type, depth, fx)
end
expressions.operand = operand

local function call_of(d, scope, callee, depth)
    local list = {}
    for i, parameter in ipairs(callee.parameters) do
        if parameter.stream then
            local bound = visible(scope, function(v)
                return v.stream == parameter.stream and v.of == parameter.of and v.rank == parameter.rank
            end)
            if #bound == 0 then
                return nil
            end
            list[i] = {kind = "variable", variable = d:pick(bound)}
        elseif not parameter.written then
            list[i] = operand(d, scope, parameter.type, depth)
        end
    end
    return {kind = "call", type = callee.result, callee = callee, list = list}
end

local function affordable(scope, callee)
    return callee.cost * scope.trips <= 400
end

-- Returns a call without side effects, or nil.
local function call(d, scope, type, depth)
    local list = {}
    for _, callee in ipairs(scope.functions) do
        if callee.result == type and not callee.changes and affordable(scope, callee) then
            list[#list + 1] = callee
        end
    end
    return #list > 0 and call_of(d, scope, d:pick(list), depth) or nil
end

-- Returns a call of a function with outputs, or nil. `type`: that of its result; nil: any.
function expressions.changing_call(d, scope, type, excluded)
    local list = {}
    for _, callee in ipairs(scope.functions) do
        if callee.changes and (not type or callee.result == type) and affordable(scope, callee) then
            list[#list + 1] = callee
        end
    end
    local made = #list > 0 and call_of(d, scope, d:pick(list), 1)
    if not made then
        return nil
    end
    local used = setmetatable({}, {__index = excluded})
    for i, parameter in ipairs(made.callee.parameters) do
        if parameter.written then
            local place, variable = expressions.place(d, scope, parameter.type, used, true)
            if not place or variable.element then
                return nil
            end
            made.list[i], used[variable] = place, true
        end
    end
    return made
end

-- A nonzero number for a division of whole numbers.
local function divisor(d, scope, type)
    local base = type.base
    if d:chance(1, 3) then
        local positive = {kind = "binary", op = "&", type = type, a = expression(d, scope, type, 1),
            b = literal(d, scalar(base), true)}
        return {kind = "binary", op = "+", type = type, a = positive,
            b = {kind = "literal", type = scalar(base), value = 1}}
    end
    return {kind = "literal", type = scalar(base), value = d:pick {3, 2, 7, 1, 10, 255}}
end

local function count_of_shift(d, scope, type)
    local base = scope.brook and type.base or d:pick {"int", "uint"}
    if d:chance(1, 2) then
        return {kind = "literal", type = scalar(base), value = d:below(32)}
    end
    return {kind = "binary", op = "&", type = vector(base, type.n), a = expression(d, scope, vector(base, type.n), 1),
        b = {kind = "literal", type = scalar(base), value = 31}}
end

-- Makes one operand of a vector operation a scalar.
local function sides(d, type)
    local kind = type.n > 1 and d:below(4) or 0
    return kind == 1 and scalar(type.base) or type, kind == 2 and scalar(type.base) or type
end

local function arithmetic(d, scope, type, depth, fx)
    local whole = type.base == "int" or type.base == "uint"
    local op = d:pick(whole and {"+", "-", "*", "&", "|", "^", "/", "%", "<<", ">>"} or {"+", "-", "*", "/"})
    local a, b
    if whole and (op == "/" or op == "%") then
        a, b = expression(d, scope, type, depth), divisor(d, scope, type)
    elseif op == "<<" or op == ">>" then
        a, b = expression(d, scope, type, depth), count_of_shift(d, scope, type)
    elseif fx and d:chance(1, 2) then
        a, b = expression(d, scope, type, depth, fx), literal(d, type)
        if d:chance(1, 2) then
            a, b = b, a
        end
    else
        local left, right = sides(d, type)
        a = (right == type and operand or expression)(d, scope, left, depth)
        b = (a.implicit or left ~= type) and expression(d, scope, right, depth) or operand(d, scope, right, depth)
        -- The type of the result is that of an operand.
        if (a.implicit and b.type ~= type) or (b.implicit and a.type ~= type) then
            a, b = expression(d, scope, type, depth), expression(d, scope, type, depth)
        end
    end
    return {kind = "binary", op = op, type = type, a = a, b = b}
end

local function unary(d, scope, type, depth, fx)
    local ops = type.base == "bool" and {"!"} or (type.base == "int" or type.base == "uint") and {"-", "~"} or {"-"}
    return {kind = "unary", op = d:pick(ops), type = type, a = expression(d, scope, type, depth, fx)}
end

local function conversion(d, scope, type, depth, fx)
    local bases = {"int", "uint", "float", "bool", "double"}
    local base = d:pick(bases)
    if base == "double" and not scope.doubles or base == type.base then
        base = type.base == "int" and "uint" or "int"
    end
    local value = expression(d, scope, vector(base, type.n), depth, fx)
    return {kind = "convert", type = type, a = value, cast = type.kind == "scalar" and d:chance(1, 4)}
end

local function choice(d, scope, type, depth, fx)
    local a = expression(d, scope, type, depth, fx)
    return {kind = "choice", type = type, c = expression(d, scope, scalar "bool", depth, fx), a = a,
        b = operand(d, scope, type, depth, fx)}
end

local function builtin(d, scope, type, depth)
    local real = type.base == "float" or type.base == "double"
    local names = {"min", "max"}
    if type.base ~= "uint" then
        names[3] = "abs"
    end
    if real then
        names[4] = "floor"
        names[5] = "sqrt"
    end
    local name = d:pick(names)
    if name == "sqrt" then
        return {kind = "builtin", name = name, type = type, list = {{kind = "builtin", name = "abs", type = type,
            list = {expression(d, scope, type, depth)}}}}
    elseif name == "abs" or name == "floor" then
        return {kind = "builtin", name = name, type = type, list = {expression(d, scope, type, depth)}}
    end
    local second = type.n > 1 and d:chance(1, 3) and scalar(type.base) or type
    return {kind = "builtin", name = name, type = type, list = {expression(d, scope, type, depth),
        expression(d, scope, second, depth)}}
end

local function stream(d, scope, type)
    local list = visible(scope, function(v) return v.stream and contains(v.of, type) end)
    if #list == 0 then
        return leaf(d, scope, type)
    end
    local variable = d:pick(list)
    local node = {kind = variable.stream, type = variable.of, variable = variable}
    local function index()
        if d:chance(1, 8) then
            local int = expression(d, scope, scalar "int", 1)
            local near = {kind = "binary", op = "%", type = scalar "int", a = int,
                b = {kind = "literal", type = scalar "int", value = 7}}
            return {kind = "binary", op = "+", type = scalar "float",
                a = {kind = "convert", type = scalar "float", a = near},
                b = {kind = "literal", type = scalar "float", value = 0.5}}
        end
        return expression(d, scope, scalar(d:pick {"int", "int", "uint"}), 1)
    end
    if variable.stream == "gather" then
        node.indices = {}
        for k = 1, variable.rank do
            node.indices[k] = index()
        end
        node.vector = variable.rank == 2 and d:chance(1, 3)
        for k = 1, variable.rank do
            if node.vector then
                node.indices[k] = expression(d, scope, scalar "int", 1)
            end
        end
    elseif d:chance(3, 4) then
        local int = scalar "int"
        local offset = literal(d, int, true)
        if d:chance(1, 3) then
            offset = {kind = "binary", op = "%", type = int, a = expression(d, scope, int, 1),
                b = {kind = "literal", type = int, value = 9}}
        end
        node.offset = d:chance(1, 2) and offset or {kind = "unary", op = "-", type = int, a = offset}
    end
    return path(d, scope, node, type)
end

-- ---- side effects

local function assignment(d, scope, type, depth, fx, statement)
    local place, variable = expressions.place(d, scope, type, fx.exclude, false, statement)
    if not place then
        return nil
    end
    local ops = {"="}
    if bare(type) and type.base ~= "bool" then
        ops = (type.base == "int" or type.base == "uint") and {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
            "<<=", ">>="} or {"=", "+=", "-=", "*=", "/="}
    elseif type.kind == "matrix" then
        ops = {"=", "+=", "-="}
    end
    local op = d:pick(ops)
    local whole = type.base == "int" or type.base == "uint"
    local value
    if op == "=" then
        local plain = place.kind == "variable" and {exclude = setmetatable({[variable] = true}, {__index = fx.exclude})}
        value = operand(d, scope, type, depth, plain or nil)
    elseif whole and (op == "/=" or op == "%=") then
        value = divisor(d, scope, type)
    elseif op == "<<=" or op == ">>=" then
        value = count_of_shift(d, scope, type)
    else
        local single = type.kind == "vector" and d:chance(1, 3)
        value = operand(d, scope, single and scalar(type.base) or type, depth)
    end
    return {kind = "assign", op = op, type = type, target = place, value = value}
end

local function step(d, scope, type, fx)
    local place = type.kind ~= "matrix" and expressions.place(d, scope, type, fx.exclude)
    return place and {kind = "step", op = d:pick {"++", "--"}, type = type, target = place, postfix = d:chance(1, 2)}
end

local function atomic(d, scope, type)
    local list = visible(scope, function(v) return v.element and v.type == type end)
    if #list == 0 or type.kind ~= "scalar" or not (type.base == "int" or type.base == "uint") then
        return nil
    end
    return {kind = "atomic", name = d:pick {"Add", "Min", "Max", "And", "Or", "Xor", "Exchange"}, type = type,
        target = element_of(d, d:pick(list)), value = expression(d, scope, type, 1)}
end

local DRAWS <const> = {"random", "random2", "random3", "random4"}

-- Returns a call that draws random numbers, or nil.
local function draw(d, type)
    if type.base == "float" and bare(type) then
        return {kind = "draw", name = DRAWS[type.n or 1], type = type, words = type.n or 1}
    elseif type.kind == "scalar" and (type.base == "int" or type.base == "uint") then
        return {kind = "draw", name = "random_int", type = type, words = 1,
            limit = literal(d, type)}
    end
end

-- Returns an expression with a side effect, or nil. `type`: of its value.
local function effect(d, scope, type, depth, fx, statement)
    local kind = d:below(scope.draws and 11 or 8)
    if kind >= 8 then
        return draw(d, type)
    elseif kind == 1 and bare(type) and type.base ~= "bool" then
        return step(d, scope, type, fx)
    elseif kind == 2 then
        return expressions.changing_call(d, scope, type, fx.exclude)
    elseif kind == 3 then
        return atomic(d, scope, type)
    elseif kind == 4 and depth > 1 then
        local first = effect(d, scope, scalar(d:pick {"int", "float", "uint"}), depth - 1, fx)
        while first and first.kind == "comma" do -- its last value would have no effect
            first = first.a
        end
        return first and {kind = "comma", type = type, a = first, b = expression(d, scope, type, depth - 1, fx)}
    end
    return assignment(d, scope, type, depth, fx, statement)
end
expressions.effect = effect

-- ---- expressions by type

local function truth(d, scope, type, depth, fx)
    local kind = d:below(7)
    if kind <= 2 then
        local base = d:pick {"int", "float", "uint", scope.doubles and "double" or "int"}
        local op = d:pick {"<", ">", "<=", ">=", "==", "!="}
        local of = scalar(base)
        if fx and d:chance(1, 2) then
            return {kind = "compare", op = op, type = type, a = expression(d, scope, of, depth, fx), b = literal(d, of)}
        end
        local a = expression(d, scope, of, depth)
        return {kind = "compare", op = op, type = type, a = a, b = operand(d, scope, of, depth)}
    elseif kind == 3 then
        local of = scope.brook and scalar "bool" or d:pick(scope.types)
        return {kind = "compare", op = d:pick {"==", "!="}, type = type, a = expression(d, scope, of, depth),
            b = expression(d, scope, of, depth)}
    elseif kind <= 5 then
        local op = d:pick {"&&", "||", "^^"}
        local either = op ~= "^^" and fx or nil
        return {kind = "logical", op = op, type = type, a = expression(d, scope, type, depth, either),
            b = expression(d, scope, type, depth, either)}
    end
    return unary(d, scope, type, depth, fx)
end

local function construct(d, scope, type, depth)
    local list = {}
    if type.kind == "vector" then
        local left = type.n
        while left > 0 do
            local n = d:int(1, math.min(left, 3))
            n = n == type.n and 1 or n
            list[#list + 1] = expression(d, scope, vector(type.base, n), depth)
            left = left - n
        end
        return {kind = "construct", type = type, list = list}
    elseif type.kind == "matrix" and d:chance(1, 3) then
        return {kind = "construct", type = type, diagonal = true, list = {expression(d, scope, scalar "float", depth)}}
    elseif type.kind == "matrix" and d:chance(1, 3) then
        for i = 1, type.n * type.rows do
            list[i] = expression(d, scope, scalar "float", 1)
        end
    else
        for i = 1, type.n do
            list[i] = (type.kind == "matrix" and expression or operand)(d, scope, types.part(type, i), depth)
        end
    end
    return {kind = "construct", type = type, list = list}
end

local function matrix(d, scope, type, depth)
    local kind = d:below(3)
    if kind == 0 then
        return construct(d, scope, type, depth)
    elseif kind == 1 then
        return {kind = "binary", op = d:pick {"+", "-"}, type = type, a = expression(d, scope, type, depth),
            b = expression(d, scope, type, depth)}
    end
    local a, b = expression(d, scope, type, depth), expression(d, scope, scalar "float", depth)
    if d:chance(1, 2) then
        a, b = b, a
    end
    return {kind = "binary", op = "*", type = type, a = a, b = b}
end

local function general(d, scope, type, depth, fx)
    local kind = d:below(10)
    if kind == 0 then
        return leaf(d, scope, type)
    elseif kind == 1 then
        return type.kind ~= "array" and not (scope.brook and not bare(type)) and choice(d, scope, type, depth, fx)
    elseif kind == 2 then
        return call(d, scope, type, depth)
    elseif kind == 3 then
        return stream(d, scope, type)
    elseif fx and (kind == 4 or kind == 5) then
        return effect(d, scope, type, depth, fx)
    elseif not bare(type) then
        return type.kind == "matrix" and matrix(d, scope, type, depth) or construct(d, scope, type, depth)
    elseif kind == 4 then
        return conversion(d, scope, type, depth, fx)
    elseif kind == 5 and type.kind == "vector" then
        return construct(d, scope, type, depth)
    elseif kind == 5 and type.kind == "scalar" then
        local from = vector(type.base, d:int(2, 4))
        return swizzle_of(d, expression(d, scope, from, depth), type)
    elseif type.base == "bool" then
        return type.kind == "scalar" and truth(d, scope, type, depth, fx)
    elseif kind == 6 then
        return builtin(d, scope, type, depth)
    elseif kind == 7 then
        return unary(d, scope, type, depth, fx)
    end
    return arithmetic(d, scope, type, depth, fx)
end

-- Returns an expression. `fx`: side effects are possible, except to the variables of fx.exclude. Indices, divisors and
-- counts of shifts are expressions whatever the depth, and their variables may have indices too. Therefore a limit of
-- the number of expressions in a statement ends the recursion.
function expression(d, scope, type, depth, fx)
    scope.size.nodes = scope.size.nodes - 1
    local node = depth > 0 and scope.size.nodes > 0 and general(d, scope, type, depth - 1, fx) or leaf(d, scope, type)
    node.parentheses = node.kind ~= "literal" and d:chance(1, 12) or nil
    return node
end

expressions.expression, expressions.literal = expression, literal

return expressions
