-- Defines the operators, the comparisons, rill.where, and the constructors of vectors. define.lua describes the fields
-- of a row.
local define = require("rill.algebra.define").row

define("add", "a b", "number", {operator = "+", any = "$1 + $2", derivative = {"g", "g"}})
define("sub", "a b", "number", {operator = "-", any = "$1 - $2", derivative = {"g", "-g"}})
define("mul", "a b", "number", {operator = "*", any = "$1 * $2", derivative = {"g * b", "g * a"}})
define("div", "a b", "real", {operator = "/", any = "$1 / $2", derivative = {"g / b", "-g * y / b"}})
-- Returns the floor of the quotient, as Lua does. It is computed in double precision, since a quotient rounded to float
-- could reach the next integer.
define("idiv", "a b", "number", {
    derivative = {false, false},
    operator = "//",
    text = {
        float = [[float @idiv(float a, float b) {
    double x = double(a), y = double(b), q = floor(x / y + 0.5LF);
    precise double rest = x - q * y;
    float r = float(rest * y < 0.0LF ? q - 1.0LF : q);
    return r == 0.0 ? @signed(r, uintBitsToFloat(floatBitsToUint(a) ^ floatBitsToUint(b))) : r; // -5 // infinity is -0
}]],
        double = "double @idiv(double x, double y) { return floor(@quotient(x, y)); }",
        -- Some drivers also compute the branch that is not taken. They must not divide the smallest int by -1:
        -- processors trap there.
        int = [[int @idiv(int a, int b) {
    int q = a / (b == -1 ? 1 : b);
    q = q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
    return b == 0 ? 0 : b == -1 ? -a : q;
}]],
        uint = "uint @idiv(uint a, uint b) { return b == 0u ? 0u : a / b; }",
    },
    parts = {
        -- Returns the correctly rounded quotient. Some devices multiply by a reciprocal, so the remainder is divided
        -- once more.
        quotient = {
            double = [[double @quotient(double x, double y) {
    precise double q = x / y;
    double more = @less(x, q, y) / y;
    return @nan(more) || @inf(more) || more == 0.0 ? q : q + more; // -0 stays
}]],
        },
    },
})
define("square", "a", "real", {any = "$1 * $1", derivative = {"2 * g * a"}})
define("cube", "a", "real", {any = "$1 * $1 * $1", derivative = {"3 * g * a * a"}})
define("unm", "a", "number", {operator = "-", any = "-$1", derivative = {"-g"}})
define("band", "a b", "bits", {operator = "&", any = "$1 & $2", bool = "$1 && $2"})
define("bor", "a b", "bits", {operator = "|", any = "$1 | $2", bool = "$1 || $2"})
define("bxor", "a b", "bits", {operator = "~", any = "$1 ^ $2", bool = "$1 != $2"})
define("bnot", "a", "bits", {operator = "~", any = "~$1", bool = "!$1"})
-- Logical shifts of 32 bits. A negative count shifts in the other direction, as in Lua.
define("shl", "a b", "shift", {
    operator = "<<",
    text = {
        uint = [[uint @shl(uint a, int n) {
    return n >= 0 ? (n < 32 ? a << uint(n) : 0u) : (n > -32 ? a >> uint(-n) : 0u);
}]],
        int = "int @shl(int a, int n) { return int(@shl_uint(uint(a), n)); }",
    },
})
define("shr", "a b", "shift", {
    operator = ">>",
    text = {
        uint = [[uint @shr(uint a, int n) {
    return n >= 0 ? (n < 32 ? a >> uint(n) : 0u) : (n > -32 ? a << uint(-n) : 0u);
}]],
        int = "int @shr(int a, int n) { return int(@shr_uint(uint(a), n)); }",
    },
})

define("lt", "s t", "order", {method = true, doc = "s < t for each element", any = "$1 < $2"})
define("le", "s t", "order", {method = true, doc = "s <= t for each element", any = "$1 <= $2"})
define("gt", "s t", "order", {method = true, doc = "s > t for each element", any = "$1 > $2"})
define("ge", "s t", "order", {method = true, doc = "s >= t for each element", any = "$1 >= $2"})
define("eq", "s t", "equal", {
    method = true, any = "$1 == $2",
    doc = "s == t for each element; vectors are compared as a whole. In `if` the result is always true: " ..
        "use (s:eq(t)):all()",
})
define("ne", "s t", "equal", {
    method = true, any = "$1 != $2",
    doc = "s ~= t for each element; vectors are compared as a whole. In `if` the result is always true: " ..
        "use (s:ne(t)):any()",
})

define("where", "cond a b", "choice", {
    derivative = {false, "rill.where(a, g, 0)", "rill.where(a, 0, g)"},
    doc = "a where the condition is true or not zero, else b", any = "$1 ? $2 : $3",
    value = function(cond, a, b)
        if cond and cond ~= 0 then
            return a
        end
        return b
    end,
})

define("vec2", "...", "vector", {
    size = 2, doc = "vectors of two components from scalars and vectors; a single scalar is used for all components",
})
define("vec3", "...", "vector", {size = 3, doc = "vectors of three components, as rill.vec2"})
define("vec4", "...", "vector", {size = 4, doc = "vectors of four components, as rill.vec2"})
