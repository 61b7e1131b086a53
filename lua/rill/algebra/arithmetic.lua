-- The algebra of streams: its operators, methods and functions. They build nodes; expression.lua does the rest.
local core = require "rill.core"
local rill = require "rill"
local expression = require "rill.algebra.expression"
local operations = require "rill.algebra.operations"
local typing = require "rill.algebra.typing"
require("rill.support.blame").own()

local algebra = {}

local fail, types, by_parts = expression.fail, expression.types, expression.by_parts
local operand, settle, survey = typing.operand, typing.settle, typing.survey

-- ---- building

local function build(op, where, list)
    local name = op.rule(op, list, where)
    return expression.node(op, name, list, where)
end

local function binary(op, where)
    return function(a, b)
        return build(op, where, {operand(a, where, 1, op.names), operand(b, where, 2, op.names)})
    end
end

local SYMBOLS <const> = {
    add = "+", sub = "-", mul = "*", div = "/", idiv = "//", mod = "%", band = "&", bor = "|", bxor = "~", shl = "<<",
    shr = ">>",
}

local metamethods = {}
for name, symbol in pairs(SYMBOLS) do
    metamethods[name] = binary(operations[name], ("a %s b"):format(symbol))
end

local function unary(op, where)
    return function(a)
        return build(op, where, {operand(a, where, 1, op.names)})
    end
end
metamethods.unm, metamethods.bnot = unary(operations.unm, "-a"), unary(operations.bnot, "~a")

-- Small whole powers are products.
local SMALL_POWERS <const> = {[2] = operations.square, [3] = operations.cube}

local function power(where, a, b)
    local op = operations.pow
    local base = operand(a, where, 1, op.names)
    local small = type(b) == "number" and type(base) == "table" and SMALL_POWERS[b]
    if small then
        return build(small, where, {base})
    end
    return build(op, where, {base, operand(b, where, 2, op.names)})
end
local function raise(a, b)
    return power("a ^ b", a, b)
end
metamethods.pow = raise

for name, f in pairs(metamethods) do
    core._metamethod("__" .. name, f)
    expression.meta["__" .. name] = f
end

-- ---- methods that compare

for _, name in ipairs {"lt", "le", "gt", "ge", "eq", "ne"} do
    local where, op = "s:" .. name, operations[name]
    local names = {"s", "t"}
    local function compare(s, t, ...)
        if select("#", ...) > 0 then
            fail("%s: expected 1 argument, got %d", where, 1 + select("#", ...))
        end
        local list = {operand(s, where, 1, names), operand(t, where, 1, {"t"})}
        if type(list[1]) ~= "table" then
            fail("%s: argument 's': expected a stream before the colon, got %s", where, expression.describe(s))
        end
        return build(op, where, list)
    end
    core._method(name, compare)
    expression.methods[name] = compare
end

-- ---- components and fields

local swizzles = {} -- per set of letters: letter -> component
for _, set in ipairs {"xyzw", "rgba", "stpq"} do
    local letters = {}
    for i = 1, 4 do
        letters[set:sub(i, i)] = i
    end
    swizzles[#swizzles + 1] = letters
end

local components = {} -- "xy" -> an operation and the last component it asks for

local function swizzle(key)
    local found = components[key] or false
    if not found and #key <= 4 then
        for _, letters in ipairs(swizzles) do
            local last = 0
            for letter in key:gmatch "." do
                last = last and letters[letter] and math.max(last, letters[letter])
            end
            if last then
                local function works(_, given)
                    return types[given[1]].scalar, types[given[1]].components, {given[1]}
                end
                found = {op = {name = "." .. key, any = "$1." .. key, works = works}, last = last, count = #key}
            end
        end
        components[key] = found or nil -- any name may be asked for
    end
    return found
end

local fields = setmetatable({}, {__mode = "v"}) -- name -> the operation

local function field_works(_, given)
    return "float", 1, {given[1]} -- a formula that is no function: as it is
end

-- s.name of structures; nil where there is no such field.
local function field(node, key)
    local declared = node._declared or core._declare(node._view)
    local list = declared:match("struct " .. node._type .. " {(.-)}")
    for kind, name in list:gmatch "([%w_]+)%s+([%w_]+)%s*;" do
        if name == key then
            fields[key] = fields[key] or {name = "." .. key, any = "$1." .. key, works = field_works}
            local made = expression.node(fields[key], kind, {node}, "s." .. key)
            rawset(made, "_declared", not types[kind] and declared)
            return made
        end
    end
end

-- s.x, s.xy, s.rgb of a stream or an expression; nil for what is no component.
local function component(value, key)
    local node = expression.is(value) and value or expression.leaf(value, "s." .. key, 0, "s")
    if not types[node._type] then
        return field(node, key)
    end
    local found = #key <= 4 and swizzle(key)
    if not found then
        return nil
    end
    local info = types[node._type]
    if info.components == 1 then
        return nil
    end
    if found.last > info.components then
        fail("s.%s: a %s has %d components", key, node._type, info.components)
    end
    return expression.node(found.op, by_parts[info.scalar][found.count], {node}, "s." .. key)
end
expression.component = component
core._metamethod("__field", component)

-- ---- functions of rill

-- Functions of plain numbers, where all arguments are.
local function sign(x) return x > 0 and 1.0 or x < 0 and -1.0 or x end
local function round(x)
    local low = math.floor(x)
    local rest = x - low
    return rest < 0.5 and low or rest > 0.5 and low + 1 or low % 2 == 0 and low or low + 1
end
local function least(a, b) return (a ~= a or b ~= b) and a + b or math.min(a, b) end
local function most(a, b) return (a ~= a or b ~= b) and a + b or math.max(a, b) end
local function clamp(x, low, high) return least(most(x, low), high) end
local exp, log, sqrt, huge = math.exp, math.log, math.sqrt, math.huge
local plain = {
    abs = math.abs, sign = sign, floor = math.floor, ceil = math.ceil, round = round, sqrt = sqrt, exp = exp,
    sin = math.sin, cos = math.cos, tan = math.tan, asin = math.asin, acos = math.acos, atan = math.atan,
    atan2 = math.atan,
    radians = math.rad, degrees = math.deg, min = least, max = most, clamp = clamp,
    trunc = function(x) return x < 0 and math.ceil(x) or math.floor(x) end,
    fract = function(x) return x - math.floor(x) end,
    rsqrt = function(x) return 1 / sqrt(x) end,
    exp2 = function(x) return 2.0 ^ x end,
    log = function(x) return log(x) end,
    log2 = function(x) return log(x, 2) end,
    sinh = function(x) return (exp(x) - exp(-x)) / 2 end,
    cosh = function(x) return (exp(x) + exp(-x)) / 2 end,
    tanh = function(x) return 1 - 2 / (exp(2 * x) + 1) end,
    asinh = function(x) return x < 0 and -log(-x + sqrt(x * x + 1)) or log(x + sqrt(x * x + 1)) end,
    acosh = function(x) return log(x + sqrt(x * x - 1)) end,
    atanh = function(x) return log((1 + x) / (1 - x)) / 2 end,
    pow = function(x, y) return x ^ y end,
    mod = function(x, y) return x % y end,
    saturate = function(x) return clamp(x, 0.0, 1.0) end,
    mix = function(a, b, t) return a * (1 - t) + b * t end,
    step = function(edge, x) return x < edge and 0.0 or 1.0 end,
    smoothstep = function(low, high, x)
        local t = clamp((x - low) / (high - low), 0.0, 1.0)
        return t * t * (3 - 2 * t)
    end,
    fma = function(a, b, c) return a * b + c end,
    isnan = function(x) return x ~= x end,
    isinf = function(x) return x == huge or x == -huge end,
    length = math.abs, distance = function(a, b) return math.abs(a - b) end,
    dot = function(a, b) return a * b end, normalize = sign,
}

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
    fail("%s: expected %s argument%s (%s), got %d", where,
        op.least == most_count and tostring(op.least) or op.least .. " or " .. most_count,
        most_count == 1 and "" or "s", table.concat(op.names, ", "), count)
end

local function collect(op, where, count, ...)
    if count < op.least or count > #op.names then
        count_error(where, op, count)
    end
    local list = {...}
    for i = 1, count do
        list[i] = operand(list[i], where, i, op.names)
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
    fail("%s: expected a stream or an expression among its arguments", where)
end

local function element_function(name, op)
    local where, alone = "rill." .. name, plain[op.name] or plain[name]
    return function(...)
        local count = select("#", ...)
        local list = collect(op, where, count, ...)
        if alone and all_numbers(list, count) then
            return alone(table.unpack(list, 1, count))
        elseif not has_stream(list) then
            no_stream(where)
        end
        return build(op, where, list)
    end
end

local function export(name, f)
    rill[name] = f
    algebra[name] = f
end

for name in ([[abs sign floor ceil trunc round fract sqrt rsqrt exp exp2 log log2 sin cos tan asin acos sinh cosh tanh asinh
    acosh atanh mod min max clamp saturate mix step smoothstep fma isnan isinf length distance dot cross normalize reflect
    refract radians degrees atan2]]):gmatch "%w+" do
    export(name, element_function(name, operations[name]))
end

--- rill.lerp(a, b, t): rill.mix.
export("lerp", element_function("lerp", operations.mix))

--- rill.pow(x, y): x ^ y.
export("pow", function(...)
    local count = select("#", ...)
    local a, b = ...
    if count ~= 2 then
        count_error("rill.pow", operations.pow, count)
    elseif type(a) == "number" and type(b) == "number" then
        return a ^ b
    end
    local list = collect(operations.pow, "rill.pow", count, a, b)
    if not has_stream(list) then
        no_stream "rill.pow"
    end
    return power("rill.pow", a, b)
end)

--- rill.atan(y [, x]): the arc tangent; of two arguments that of y / x in the right quadrant.
local atan1, atan2 = element_function("atan", operations.atan), algebra.atan2
export("atan", function(...)
    if select("#", ...) == 2 then
        return atan2(...)
    end
    return atan1(...)
end)

--- rill.where(cond, a, b): a where cond holds (or is not zero), else b.
export("where", function(...)
    local count = select("#", ...)
    local list = collect(operations.where, "rill.where", count, ...)
    if not has_stream(list) then
        local cond, a, b = ...
        if cond and cond ~= 0 then
            return a
        end
        return b
    end
    return build(operations.where, "rill.where", list)
end)

-- rill.vec2, vec3, vec4: vectors of scalars and shorter vectors; one scalar stands for every component.
for n = 2, 4 do
    local where = "rill.vec" .. n
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
        forms[count] = {name = "vec" .. n, any = ("$T(%s)"):format(table.concat(parts, ", ")), works = works}
    end
    export("vec" .. n, function(...)
        local count = select("#", ...)
        if count < 1 or count > n then
            fail("%s: expected 1 to %d arguments, got %d", where, n, count)
        end
        local list, scalar, given = {...}, "float", 0
        for i = 1, count do
            local value = operand(list[i], where, i, names)
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
            no_stream(where)
        end
        settle(list, scalar, 1, where)
        return expression.node(forms[count], by_parts[scalar][n], list, where)
    end)
end

return algebra
