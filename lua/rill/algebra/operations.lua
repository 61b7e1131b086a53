-- The operations of the algebra: the names of their operands, the rule of their types, and their GLSL by scalar (formula.lua).
local typing = require "rill.algebra.typing"
require("rill.support.blame").own()

local rules = typing.rules
local operations = {}

local function define(name, names, rule, formulas)
    local op = formulas
    op.name, op.rule, op.works = name, rules[rule].type, rules[rule].works
    op.names, op.least = {}, 0
    for word, optional in names:gmatch "(%a%w*)(%??)" do
        op.names[#op.names + 1] = word
        op.least = optional == "" and #op.names or op.least
    end
    operations[name] = op
    return op
end

define("add", "a b", "number", {any = "$1 + $2"})
define("sub", "a b", "number", {any = "$1 - $2"})
define("mul", "a b", "number", {any = "$1 * $2"})
define("div", "a b", "real", {any = "$1 / $2"})
define("idiv", "a b", "number", {any = "@idiv"})
define("mod", "a b", "number", {any = "@mod"})
define("pow", "a b", "real", {any = "@pow"})
define("square", "a", "real", {any = "$1 * $1"})
define("cube", "a", "real", {any = "$1 * $1 * $1"})
define("unm", "a", "number", {any = "-$1"})
define("band", "a b", "bits", {any = "$1 & $2", bool = "$1 && $2"})
define("bor", "a b", "bits", {any = "$1 | $2", bool = "$1 || $2"})
define("bxor", "a b", "bits", {any = "$1 ^ $2", bool = "$1 != $2"})
define("bnot", "a", "bits", {any = "~$1", bool = "!$1"})
define("shl", "a n", "shift", {any = "@left"})
define("shr", "a n", "shift", {any = "@right"})
define("lt", "a b", "order", {any = "$1 < $2"})
define("le", "a b", "order", {any = "$1 <= $2"})
define("gt", "a b", "order", {any = "$1 > $2"})
define("ge", "a b", "order", {any = "$1 >= $2"})
define("eq", "a b", "equal", {any = "$1 == $2"})
define("ne", "a b", "equal", {any = "$1 != $2"})
define("where", "cond a b", "choice", {any = "$1 ? $2 : $3"})

define("isnan", "x", "test", {float = "@nan", double = "@nan", int = "$1 != $1"})
define("isinf", "x", "test", {float = "@inf", double = "@inf", int = "$1 != $1"})

-- Element by element on every kind of number.
define("abs", "x", "number", {any = "abs($1)", uint = "$1"})
define("sign", "x", "number", {float = "@sign", double = "@sign", int = "sign($1)", uint = "min($1, $T(1u))"})
define("min", "a b", "number", {float = "@min", double = "@min", any = "min($1, $2)"})
define("max", "a b", "number", {float = "@max", double = "@max", any = "max($1, $2)"})
define("clamp", "x low high", "number", {float = "@clamp", double = "@clamp", any = "min(max($1, $2), $3)"})
define("fma", "a b c", "number", {float = "fma($1, $2, $3)", double = "fma($1, $2, $3)", any = "$1 * $2 + $3"})
for name, text in pairs {floor = "floor($1)", ceil = "ceil($1)", trunc = "trunc($1)", round = "roundEven($1)"} do
    define(name, "x", "number", {float = text, double = text, any = "$1"})
end

-- Element by element on floats.
for name, text in pairs {
    fract = "fract($1)", sqrt = "sqrt($1)", rsqrt = "inversesqrt($1)", radians = "$1 * $T(0.017453292519943295)",
    degrees = "$1 * $T(57.29577951308232)", saturate = "@saturate",
} do
    define(name, "x", "real", {float = text, double = text:gsub("%d+%.%d+", "%0LF")})
end
for name, text in pairs {exp = "exp($1)", exp2 = "exp2($1)", sin = "sin($1)", cos = "cos($1)", tan = "tan($1)"} do
    define(name, "x", "real", {float = text, double = "@" .. name})
end
for name in ("log log2 asin acos sinh cosh tanh asinh acosh atanh"):gmatch "%w+" do
    define(name, "x", "real", {any = "@" .. name})
end
define("atan", "y x?", "real", {any = "@atan"})
define("atan2", "y x", "real", {any = "@atan2"})
define("step", "edge x", "real", {any = "@step"})
define("smoothstep", "low high x", "real", {any = "@smoothstep"})
define("mix", "a b t", "real", {any = "mix($1, $2, $3)"})

-- Vectors as a whole.
define("length", "v", "geometry", {any = "length($1)", result = "scalar"})
define("distance", "a b", "geometry", {any = "distance($1, $2)", result = "scalar"})
define("dot", "a b", "geometry", {any = "dot($1, $2)", result = "scalar"})
define("cross", "a b", "geometry", {any = "cross($1, $2)", only = 3})
define("normalize", "v", "geometry", {any = "normalize($1)"})
define("reflect", "incident normal", "geometry", {any = "reflect($1, $2)"})
define("refract", "incident normal eta", "refract", {any = "refract($1, $2, $3)"})

return operations
