-- How the operations of kernels are differentiated. A rule is a table with
--   factors(y, args, b)     the partial derivatives of the result y with respect to each argument, by component; nil: 0
-- or, for other operations, with
--   adjoint(b, w, y, args, s)   adds to the adjoints of the arguments; w is the adjoint of the result of statement s
--   tangent(b, y, args, dots, s)   returns the tangent of the result; dots[i] is nil if argument i has none
-- `b` is the builder of adjoint.lua or tangent.lua: b:add(argument, e) adds to an adjoint, b:keep(e) stores an
-- expression in a variable, b.types describes types.
local ir = require "rill.grad.kernel.ir"
local types = require "rill.grad.kernel.types"

local join, literal = ir.join, ir.literal

local rules = {}

--- rules.outputs: builtin functions that write to arguments.
rules.outputs = {
    modf = true, frexp = true, uaddCarry = true, usubBorrow = true, umulExtended = true, imulExtended = true,
    sample_corners = true, eigen_symmetric = true, svd = true,
}

--- rules.bits: functions that turn floats into bits ("from"), and bits into floats ("to").
rules.bits = {
    floatBitsToInt = "from", floatBitsToUint = "from", packUnorm2x16 = "from", packSnorm2x16 = "from",
    packUnorm4x8 = "from", packSnorm4x8 = "from", packHalf2x16 = "from", unpackDouble2x32 = "from",
    intBitsToFloat = "to", uintBitsToFloat = "to", unpackUnorm2x16 = "to", unpackSnorm2x16 = "to",
    unpackUnorm4x8 = "to", unpackSnorm4x8 = "to", unpackHalf2x16 = "to", packDouble2x32 = "to",
}

--- rules.mixed: functions whose arguments have other scalar types than the result.
rules.mixed = {ldexp = true, refract = true}

-- Adds up the components of an expression for a scalar argument.
local function collapse(b, e, to)
    local from = b.types.info(e.type)
    local info = b.types.info(to)
    if from.size == info.size or info.size > 1 then return e end
    e = b:keep(e)
    local parts = {}
    for c = 0, from.columns - 1 do
        for r = 0, from.rows - 1 do
            parts[#parts + 1] = from.columns > 1 and ("%s[%d][%d]"):format(e.text, c, r) or
                ("%s.%s"):format(e.text, ("xyzw"):sub(r + 1, r + 1))
        end
    end
    local sum = ir.value(table.concat(parts, " + "), to, e.reads)
    return sum
end

local function is_one(e) return e.literal and (e.text == "1.0") end

-- Returns the product of the components of two values.
local function times(a, b, type)
    if is_one(b) then return a end
    if is_one(a) then return b end
    if b.text == "-1.0" then return join("-$1", type, a) end
    local both = a.type:find "mat" and b.type:find "mat"
    return join(both and "matrixCompMult($1, $2)" or "$1 * $2", type, a, b)
end

-- Makes a rule of a function that returns factors.
local function factors(f)
    return {
        factors = f,
        adjoint = function(b, w, y, args, s)
            local list = f(y, args, b, s)
            for i = 1, #args do
                if list[i] and not args[i].literal and b.types.info(args[i].type).real then
                    b:add(args[i], collapse(b, times(w, list[i], y.type), args[i].type))
                end
            end
        end,
        tangent = function(b, y, args, dots, s)
            local list, sum = f(y, args, b, s), nil
            for i = 1, #args do
                if list[i] and dots[i] then
                    local wide = b.types.info(list[i].type).size >= b.types.info(dots[i].type).size
                    local term = times(dots[i], list[i], wide and list[i].type or dots[i].type)
                    sum = sum and join("$1 + $2", y.type, sum, term) or term
                end
            end
            if sum and b.types.info(sum.type).size < b.types.info(y.type).size then
                sum = join(y.type .. "($1)", y.type, sum)
            end
            return sum
        end,
    }
end

local ONE <const>, MINUS <const> = literal("1.0", "float"), literal("-1.0", "float")

rules.copy = {
    adjoint = function(b, w, _, args) b:add(args[1], w) end,
    tangent = function(_, _, _, dots) return dots[1] end,
}
rules.convert = {
    adjoint = function(b, w, _, args)
        local info = b.types.info(args[1].type)
        local to = types.of(info.base, info.rows, info.columns)
        if info.real then b:add(args[1], join(to .. "($1)", to, w)) end
    end,
    tangent = function(_, y, _, dots) return dots[1] and join(y.type .. "($1)", y.type, dots[1]) end,
}
rules.negative = factors(function() return {MINUS} end)

-- The product of a matrix and a matrix, or a vector; otherwise nil.
local function algebraic(b, x, y)
    local m, n = b.types.info(x.type), b.types.info(y.type)
    return (m.columns > 1 and n.size > 1) or (n.columns > 1 and m.size > 1)
end

local product = factors(function(_, args) return {args[2], args[1]} end)
rules.binary = {
    ["+"] = factors(function() return {ONE, ONE} end),
    ["-"] = factors(function() return {ONE, MINUS} end),
    ["*"] = {
        adjoint = function(b, w, y, args, s)
            local p, q = args[1], args[2]
            if not algebraic(b, p, q) then return product.adjoint(b, w, y, args, s) end
            local m, n = b.types.info(p.type), b.types.info(q.type)
            if m.columns == 1 then -- v * M
                b:add(p, join("$1 * $2", p.type, q, w))
                b:add(q, join("outerProduct($1, $2)", q.type, p, w))
            elseif n.columns == 1 then -- M * v
                b:add(p, join("outerProduct($1, $2)", p.type, w, q))
                b:add(q, join("$1 * $2", q.type, w, p))
            else
                b:add(p, join("$1 * transpose($2)", p.type, w, q))
                b:add(q, join("transpose($1) * $2", q.type, p, w))
            end
        end,
        tangent = function(_, y, args, dots)
            local first = dots[1] and join("$1 * $2", y.type, dots[1], args[2])
            local second = dots[2] and join("$1 * $2", y.type, args[1], dots[2])
            return first and second and join("$1 + $2", y.type, first, second) or first or second
        end,
    },
    ["/"] = factors(function(y, args, b)
        local q = b:keep(join("1.0 / $1", args[2].type, args[2]))
        return {q, not args[2].literal and join("-$1 * $2", y.type, y, q) or nil}
    end),
}

rules.choice = {
    adjoint = function(b, w, y, args)
        local zero = b:zero(y.type)
        b:add(args[2], join("$1 ? $2 : $3", y.type, args[1], w, zero))
        b:add(args[3], join("$1 ? $3 : $2", y.type, args[1], w, zero))
    end,
    tangent = function(b, y, args, dots)
        local zero = b:zero(y.type)
        return (dots[2] or dots[3]) and join("$1 ? $2 : $3", y.type, args[1], dots[2] or zero, dots[3] or zero)
    end,
}

--- rules.part: reading a part of a variable, which is the field `path` of the statement, such as ".xy" or "[i]".
rules.part = {
    adjoint = function(b, w, _, args, s)
        b:add_part(args[1], s.path, w)
    end,
    tangent = function(_, y, _, dots, s)
        if not dots[1] then return nil end
        local e = join("$1" .. s.path.text, y.type, dots[1])
        table.move(s.path.reads, 1, #s.path.reads, #e.reads + 1, e.reads)
        e.atom = true
        return e
    end,
}

-- ---- constructors

-- Calls each(i, parts of the result that argument i becomes): the texts of components of `w`.
local function components(info, w)
    local list = {}
    for c = 0, info.columns - 1 do
        for r = 0, info.rows - 1 do
            list[#list + 1] = info.columns > 1 and ("%s[%d][%d]"):format(w, c, r) or info.rows > 1 and
                ("%s.%s"):format(w, ("xyzw"):sub(r + 1, r + 1)) or w
        end
    end
    return list
end

local function made(type, list, reads)
    return #list == 1 and ir.value(list[1], type, reads, true) or
        ir.value(type .. "(" .. table.concat(list, ", ") .. ")", type, reads, true)
end

rules.construct = {
    adjoint = function(b, w, y, args)
        local info = b.types.info(y.type)
        if info.fields or info.element then
            for i, arg in ipairs(args) do
                local path = info.fields and "." .. info.fields[i][1] or "[" .. (i - 1) .. "]"
                if b.types.info(arg.type).real then b:add(arg, ir.value(w.text .. path, arg.type, w.reads, true)) end
            end
            return
        end
        local first = b.types.info(args[1].type)
        if #args == 1 and first.size == 1 then
            if not first.real then return end
            if info.columns == 1 then return b:add(args[1], collapse(b, w, args[1].type)) end
            local parts = {}
            for i = 0, math.min(info.columns, info.rows) - 1 do
                parts[#parts + 1] = ("%s[%d][%d]"):format(w.text, i, i)
            end
            return b:add(args[1], ir.value(table.concat(parts, " + "), args[1].type, w.reads))
        elseif #args == 1 and first.columns > 1 then
            local list = {}
            for c = 0, first.columns - 1 do
                for r = 0, first.rows - 1 do
                    list[#list + 1] = c < info.columns and r < info.rows and
                        (info.columns > 1 and ("%s[%d][%d]"):format(w.text, c, r) or
                            ("%s[%d]"):format(w.text, c * first.rows + r)) or "0.0"
                end
            end
            return first.real and b:add(args[1], made(args[1].type, list, w.reads))
        end
        local all, at = components(info, w.text), 0
        for _, arg in ipairs(args) do
            local size, list = b.types.info(arg.type).size, {}
            for i = 1, size do list[i] = all[at + i] or "0.0" end
            at = at + size
            if b.types.info(arg.type).real then b:add(arg, made(arg.type, list, w.reads)) end
        end
    end,
    tangent = function(b, y, args, dots)
        local any, texts, reads = false, {}, {}
        local made_of = b.types.info(y.type)
        for i, arg in ipairs(args) do
            local info = b.types.info(arg.type)
            local e = dots[i]
            if not e and (made_of.fields or made_of.element) and not info.real then
                e = arg
            elseif not e then
                e = b:zero(info.real and arg.type or types.of(made_of.base, info.rows))
            end
            any = any or dots[i]
            texts[i] = e.text
            table.move(e.reads, 1, #e.reads, #reads + 1, reads)
        end
        return any and ir.value(y.type .. "(" .. table.concat(texts, ", ") .. ")", y.type, reads, true)
    end,
}

-- ---- builtin functions

local builtin = {}
rules.builtin = builtin

-- Defines the partial derivatives of a function by formulas of the arguments $1, $2 ... and the result $0, for each
-- component: with a condition a vector is made of the formulas of its components.
local function define(name, ...)
    local formulas = {...}
    builtin[name] = factors(function(y, args, b)
        local list = {}
        local info = b.types.info(y.type)
        for i, formula in ipairs(formulas) do
            local real = formula and args[i] and not args[i].literal and b.types.info(args[i].type).real
            if real and formula == "1.0" then
                list[i] = ONE
            elseif real then
                local split = info.size > 1 and formula:find "?"
                local parts = {}
                for c = 1, split and info.size or 1 do
                    local function take(e)
                        local text = e.atom and e.text or "(" .. e.text .. ")"
                        return split and b.types.info(e.type).size > 1 and text .. "." .. ("xyzw"):sub(c, c) or text
                    end
                    parts[c] = formula:gsub("%$(%d)", function(k)
                        return take(k == "0" and y or args[tonumber(k)])
                    end):gsub("%f[%w]T%(", types.of(info.base, split and 1 or info.rows) .. "("):gsub("%d%.%d%d%d%d%d+",
                        info.base == "double" and "%0LF" or "%0")
                end
                local reads = table.move(y.reads, 1, #y.reads, 1, {})
                for k = 1, #args do
                    if formula:find("$" .. k, 1, true) then
                        table.move(args[k].reads, 1, #args[k].reads, #reads + 1, reads)
                    end
                end
                if not formula:find("$0", 1, true) then table.remove(reads, 1) end
                list[i] = ir.value(split and y.type .. "(" .. table.concat(parts, ", ") .. ")" or parts[1], y.type,
                    reads)
            end
        end
        return list
    end)
end

define("radians", "T(0.017453292519943295)")
define("degrees", "T(57.29577951308232)")
define("sin", "cos($1)")
define("cos", "-sin($1)")
define("tan", "1.0 + $0 * $0")
define("asin", "inversesqrt(1.0 - $1 * $1)")
define("acos", "-inversesqrt(1.0 - $1 * $1)")
define("sinh", "cosh($1)")
define("cosh", "sinh($1)")
define("tanh", "1.0 - $0 * $0")
define("asinh", "inversesqrt($1 * $1 + 1.0)")
define("acosh", "inversesqrt($1 * $1 - 1.0)")
define("atanh", "1.0 / (1.0 - $1 * $1)")
define("pow", "$2 == 0.0 ? 0.0 : $2 * pow($1, $2 - 1.0)", "$1 > 0.0 ? $0 * log($1) : 0.0")
define("exp", "$0")
define("log", "1.0 / $1")
define("exp2", "$0 * 0.6931471805599453")
define("log2", "1.4426950408889634 / $1")
define("sqrt", "0.5 / $0")
define("inversesqrt", "-0.5 * $0 / $1")
define("cbrt", "1.0 / (3.0 * $0 * $0)")
define("expm1", "$0 + 1.0")
define("log1p", "1.0 / (1.0 + $1)")
define("erf", "1.1283791670955126 * exp(-$1 * $1)")
define("erfc", "-1.1283791670955126 * exp(-$1 * $1)")
define("erfinv", "0.88622692545275801 * exp($0 * $0)")
define("gamma", "$0 * digamma($1)")
define("lgamma", "digamma($1)")
define("digamma", "trigamma($1)")
-- (cos(pi x) - sinc(x)) / x, or near 0 its series.
define("sinc", "abs($1) < 0.25 ? 9.869604401089358 * $1 * (-0.3333333333333333 + 9.869604401089358 * $1 * $1 * " ..
    "(0.03333333333333333 + 9.869604401089358 * $1 * $1 * (-0.0011904761904761906 + 9.869604401089358 * $1 * $1 * " ..
    "(0.00002204585537918871 - 9.869604401089358 * $1 * $1 * (0.00000025052108385441720 - 9.869604401089358 * $1 * " ..
    "$1 * (0.0000000019270852604185937 - 9.869604401089358 * $1 * $1 * 0.000000000010706029224547742)))))) : " ..
    "(cos(3.141592653589793 * ($1 - 2.0 * roundEven(0.5 * $1))) - $0) / $1")
define("abs", "sign($1)")
for _, name in ipairs {"sign", "floor", "trunc", "round", "roundEven", "ceil", "step"} do define(name) end
define("fract", "1.0")
define("mod", "1.0", "-floor($1 / $2)")
define("fmod", "1.0", "-trunc($1 / $2)")
define("rill_fmod", "1.0", "-trunc($1 / $2)")
define("min", "$1 <= $2 ? 1.0 : 0.0", "$2 < $1 ? 1.0 : 0.0")
define("max", "$1 >= $2 ? 1.0 : 0.0", "$2 > $1 ? 1.0 : 0.0")
define("clamp", "$1 >= $2 && $1 <= $3 ? 1.0 : 0.0", "$1 < $2 && $2 <= $3 ? 1.0 : 0.0", "max($1, $2) > $3 ? 1.0 : 0.0")
define("saturate", "$1 >= 0.0 && $1 <= 1.0 ? 1.0 : 0.0")
define("smoothstep",
    "$3 > $1 && $3 < $2 ? 6.0 * ($3 - $1) * ($2 - $3) * ($3 - $2) / pow($2 - $1, 4.0) : 0.0",
    "$3 > $1 && $3 < $2 ? -6.0 * ($3 - $1) * ($2 - $3) * ($3 - $1) / pow($2 - $1, 4.0) : 0.0",
    "$3 > $1 && $3 < $2 ? 6.0 * ($3 - $1) * ($2 - $3) / pow($2 - $1, 3.0) : 0.0")
define("fma", "$2", "$1", "1.0")
define("ldexp", "ldexp(T(1.0), $2)")

local arc1 = factors(function(y, args) return {join("1.0 / (1.0 + $1 * $1)", y.type, args[1])} end)
local arc2 = factors(function(y, args, b)
    local s = b:keep(join("$1 * $1 + $2 * $2", y.type, args[1], args[2]))
    return {join("$1 / $2", y.type, args[2], s), join("-$1 / $2", y.type, args[1], s)}
end)
local arc = {
    adjoint = function(b, w, y, args, s) return (#args == 1 and arc1 or arc2).adjoint(b, w, y, args, s) end,
    tangent = function(b, y, args, dots, s) return (#args == 1 and arc1 or arc2).tangent(b, y, args, dots, s) end,
}
builtin.atan, builtin.atan2 = arc, arc

builtin.mix = factors(function(y, args, b)
    local t = args[3]
    if b.types.info(t.type).base == "bool" then
        local no = b.types.info(t.type).size == 1 and "(!$1)" or "(not($1))"
        return {join(y.type .. no, y.type, t), join(y.type .. "($1)", y.type, t)}
    end
    return {join("1.0 - $1", t.type, t), t, join("$1 - $2", y.type, args[2], args[1])}
end)

-- A rule for functions of vectors: adjoint(b, w, y, args) returns the adjoints of the arguments; the tangent is the
-- given expression of each argument's tangent.
local function define_vector(name, adjoint, tangent)
    builtin[name] = {
        adjoint = function(b, w, y, args)
            local list = adjoint(b, w, y, args)
            for i = 1, #args do
                if list[i] and b.types.info(args[i].type).real then b:add(args[i], list[i]) end
            end
        end,
        tangent = function(b, y, args, dots)
            local sum
            for i = 1, #args do
                local term = dots[i] and tangent(b, y, args, dots[i], i)
                sum = sum and term and join("$1 + $2", y.type, sum, term) or sum or term
            end
            return sum
        end,
    }
end

local function toward(b, w, y, x) -- x w / y, or 0 at the origin
    return b:keep(join("$2 > 0.0 ? $1 / $2 : $3", y.type, w, y, b:zero(y.type))), x
end
define_vector("length", function(b, w, y, args)
    return {join("$1 * $2", args[1].type, args[1], (toward(b, w, y)))}
end, function(b, y, args, dot)
    return join("$1 * " .. (b.types.info(args[1].type).size == 1 and "$2 * $3" or "dot($2, $3)"), y.type,
        toward(b, literal("1.0", "float"), y), args[1], dot)
end)
define_vector("distance", function(b, w, y, args)
    local d = b:keep(join("($1 - $2) * $3", args[1].type, args[1], args[2], (toward(b, w, y))))
    return {d, join("-$1", d.type, d)}
end, function(b, y, args, dot, i)
    return join((i == 2 and "-" or "") .. "$1 * dot($2 - $3, $4)", y.type, toward(b, literal("1.0", "float"), y),
        args[1],
        args[2], dot)
end)
define_vector("dot", function(_, w, _, args)
    return {join("$1 * $2", args[1].type, w, args[2]), join("$1 * $2", args[1].type, w, args[1])}
end, function(_, y, args, dot, i) return join("dot($1, $2)", y.type, dot, args[3 - i]) end)
define_vector("cross", function(_, w, y, args)
    return {join("cross($1, $2)", y.type, args[2], w), join("cross($1, $2)", y.type, w, args[1])}
end, function(_, y, args, dot, i)
    return i == 1 and join("cross($1, $2)", y.type, dot, args[2]) or join("cross($1, $2)", y.type, args[1], dot)
end)
local function along(y, args, w) -- the part of w that is orthogonal to the unit vector y, divided by the length
    return join("($1 - $2 * dot($2, $1)) / length($3)", y.type, w, y, args[1])
end
define_vector("normalize", function(_, w, y, args) return {along(y, args, w)} end,
    function(_, y, args, dot) return along(y, args, dot) end)
local function facing(_, y, args, w, i)
    local scalar = y.type:find "^d" and "double" or "float"
    return i == 1 and join("(dot($1, $2) < 0.0 ? 1.0 : -1.0) * $3", y.type, args[3], args[2], w), scalar
end
define_vector("faceforward", function(b, w, y, args) return {(facing(b, y, args, w, 1))} end,
    function(b, y, args, dot, i) return (facing(b, y, args, dot, i)) end)
define_vector("reflect", function(_, w, y, args)
    return {
        join("reflect($1, $2)", y.type, w, args[2]),
        join("-2.0 * (dot($2, $1) * $3 + dot($2, $3) * $1)", y.type, args[1], args[2], w),
    }
end, function(_, y, args, dot, i)
    return i == 1 and join("reflect($1, $2)", y.type, dot, args[2]) or
        join("-2.0 * (dot($3, $1) * $2 + dot($2, $1) * $3)", y.type, args[1], args[2], dot)
end)
define_vector("matrixCompMult", function(_, w, y, args)
    return {join("matrixCompMult($1, $2)", y.type, w, args[2]), join("matrixCompMult($1, $2)", y.type, w, args[1])}
end, function(_, y, args, dot, i) return join("matrixCompMult($1, $2)", y.type, dot, args[3 - i]) end)
define_vector("outerProduct", function(_, w, _, args)
    return {join("$1 * $2", args[1].type, w, args[2]), join("$1 * $2", args[2].type, args[1], w)}
end, function(_, y, args, dot, i)
    return i == 1 and join("outerProduct($1, $2)", y.type, dot, args[2]) or
        join("outerProduct($1, $2)", y.type, args[1], dot)
end)
define_vector("transpose", function(_, w, _, args) return {join("transpose($1)", args[1].type, w)} end,
    function(_, y, _, dot) return join("transpose($1)", y.type, dot) end)
define_vector("inverse", function(_, w, y)
    return {join("-(transpose($1) * $2 * transpose($1))", y.type, y, w)}
end, function(_, y, _, dot) return join("-($1 * $2 * $1)", y.type, y, dot) end)
-- The derivative of a determinant are the cofactors, which exist for singular matrices, too.
define_vector("determinant", function(b, w, _, args)
    local n, parts = b.types.info(args[1].type).columns, {}
    local m = args[1]
    local function minor(c, r)
        local list = {}
        for j = 0, n - 1 do
            for i = 0, n - 1 do
                if j ~= c and i ~= r then list[#list + 1] = ("%s[%d][%d]"):format(m.text, j, i) end
            end
        end
        local name = types.of(b.types.info(m.type).base, n - 1, n - 1)
        return n == 2 and list[1] or "determinant(" .. name .. "(" .. table.concat(list, ", ") .. "))"
    end
    for c = 0, n - 1 do
        for r = 0, n - 1 do
            parts[#parts + 1] = ((c + r) % 2 == 1 and "-" or "") .. minor(c, r)
        end
    end
    local cofactors = ir.value(m.type .. "(" .. table.concat(parts, ", ") .. ")", m.type, m.reads, true)
    return {join("$1 * $2", m.type, w, cofactors)}
end, function(b, y, args, dot)
    local sum
    builtin.determinant.adjoint({
        types = b.types, add = function(_, _, e) sum = b:keep(e) end,
    }, literal("1.0", "float"), y, args)
    local info, parts = b.types.info(dot.type), {}
    for c = 0, info.columns - 1 do parts[#parts + 1] = ("dot(%s[%d], %s[%d])"):format(sum.text, c, dot.text, c) end
    return ir.value(table.concat(parts, " + "), y.type, table.move(dot.reads, 1, #dot.reads, #sum.reads + 1,
        table.move(sum.reads, 1, #sum.reads, 1, {})))
end)

-- ---- complex numbers: a function with the complex derivative d has the adjoint w conj(d)

define_vector("cmul", function(_, w, y, args)
    return {join("cmul($1, conj($2))", y.type, w, args[2]), join("cmul($1, conj($2))", y.type, w, args[1])}
end, function(_, y, args, dot, i) return join("cmul($1, $2)", y.type, dot, args[3 - i]) end)
define_vector("cdiv", function(b, w, y, args)
    local q <const> = b:keep(join("cdiv($1, conj($2))", y.type, w, args[2]))
    return {q, join("-cmul($1, conj($2))", y.type, q, y)}
end, function(_, y, args, dot, i)
    return i == 1 and join("cdiv($1, $2)", y.type, dot, args[2]) or
        join("-cdiv(cmul($1, $2), $3)", y.type, y, dot, args[2])
end)
define_vector("conj", function(_, w, y) return {join("conj($1)", y.type, w)} end,
    function(_, y, _, dot) return join("conj($1)", y.type, dot) end)
define_vector("cabs", function(b, w, y, args)
    return {join("$1 * $2", args[1].type, args[1], (toward(b, w, y)))}
end, function(b, y, args, dot)
    return join("$1 * dot($2, $3)", y.type, toward(b, literal("1.0", "float"), y), args[1], dot)
end)
local function turn(args) -- the gradient of the phase, times the magnitude
    return join(args[1].type .. "(-$1.y, $1.x) / cabs($1)", args[1].type, args[1])
end
define_vector("cangle", function(_, w, _, args)
    return {join("$1 / cabs($2) * $3", args[1].type, w, args[1], turn(args))}
end, function(_, y, args, dot)
    return join("dot($1, $2) / cabs($3)", y.type, turn(args), dot, args[1])
end)
define_vector("cexp", function(_, w, y) return {join("cmul($1, conj($2))", y.type, w, y)} end,
    function(_, y, _, dot) return join("cmul($1, $2)", y.type, dot, y) end)

builtin.refract = {
    adjoint = function(b, w, y, args)
        local incident, normal, eta = args[1], args[2], args[3]
        local scalar = b.types.info(y.type).base
        local float_eta = eta
        eta = b:keep(join(scalar .. "($1)", scalar, eta))
        local d = b:keep(join("dot($1, $2)", scalar, normal, incident))
        local k = b:keep(join("1.0 - $1 * $1 * (1.0 - $2 * $2)", scalar, eta, d))
        local root = b:keep(join("sqrt(max($1, 0.0))", scalar, k))
        local on = b:keep(join("$1 >= 0.0 ? $2 : $3", y.type, k, w, b:zero(y.type)))
        local c = b:keep(join("-dot($1, $2)", scalar, on, normal))
        local inner = b:keep(join("$1 > 0.0 ? $2 * 0.5 / $1 : " .. b:zero(scalar).text, scalar, root, c))
        local toward_d = b:keep(join("$1 * $2 + 2.0 * $3 * $2 * $2 * $4", scalar, c, eta, inner, d))
        b:add(incident, join("$1 * $2 + $3 * $4", y.type, eta, on, toward_d, normal))
        b:add(normal, join("-($1 * $2 + $3) * $4 + $5 * $6", y.type, eta, d, root, on, toward_d, incident))
        b:add(float_eta, join(float_eta.type .. "($1)", float_eta.type,
            join("dot($1, $2) + $3 * $4 - 2.0 * $5 * $6 * (1.0 - $4 * $4)",
            scalar, on, incident, c, d, inner, eta)))
    end,
    tangent = function(b, y, args, dots)
        local incident, normal, eta = args[1], args[2], args[3]
        local scalar = b.types.info(y.type).base
        local zero, none = b:zero(y.type), b:zero(scalar)
        eta = b:keep(join(scalar .. "($1)", scalar, eta))
        local i1, n1, e1 = dots[1] or zero, dots[2] or zero, dots[3] or none
        local d = b:keep(join("dot($1, $2)", scalar, normal, incident))
        local d1 = b:keep(join("dot($1, $2) + dot($3, $4)", scalar, n1, incident, normal, i1))
        local k = b:keep(join("1.0 - $1 * $1 * (1.0 - $2 * $2)", scalar, eta, d))
        local root = b:keep(join("sqrt(max($1, 0.0))", scalar, k))
        local k1 = b:keep(join("2.0 * $1 * $1 * $2 * $3 - 2.0 * $1 * $4 * (1.0 - $2 * $2)", scalar, eta, d, d1, e1))
        local r1 = b:keep(join("$1 > 0.0 ? $2 * 0.5 / $1 : $3", scalar, root, k1, none))
        local first = b:keep(join("$1 * $2 + $3 * $4", y.type, eta, i1, e1, incident))
        local second = b:keep(join("$1 * $2 + $3 * $4 + $5", scalar, e1, d, eta, d1, r1))
        local third = b:keep(join("$1 * $2 + $3", scalar, eta, d, root))
        return join("$1 >= 0.0 ? $2 - $3 * $4 - $5 * $6 : $7", y.type, k, first, second, normal, third, n1, zero)
    end,
}

--- rules.none(name): the rule of a function without derivative, which is an error if it is needed.
function rules.none(name)
    local words = ("'%s' has no derivative"):format(name)
    local bits = rules.bits[name] == "to"
    return {
        adjoint = function(b, w, _, args, s)
            if bits and not b.bits then return end
            if not bits then
                for _, arg in ipairs(args) do
                    if b.types.info(arg.type).real then b:refuse(arg, w, words, s) end
                end
            else
                b:refuse(nil, w, words, s)
            end
        end,
        tangent = function(b, _, args, dots, s)
            local any = bits and b.bits
            for i = 1, #args do any = any or dots[i] end
            if any then error({refused = words, text = s.node and s.node.text}, 0) end
        end,
    }
end

-- ---- streams

rules.gather = {
    adjoint = function(b, w, _, _, s) b:contribute(s, w) end,
    tangent = function(b, y, _, _, s) return b:again(s, y) end,
}
rules.sample = {
    adjoint = function(b, w, _, args, s) b:contribute_sample(s, w, args[1]) end,
    tangent = function(b, y, args, dots, s) return b:sample_again(s, y, args[1], dots[1]) end,
}

return rules
