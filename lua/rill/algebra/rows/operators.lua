-- Operators, comparisons, the choice between two values, and vectors of scalars. define.lua says what a row is made of.
local define = require("rill.algebra.define").row

define("add", "a b", "number", {operator = "+", any = "$1 + $2"})
define("sub", "a b", "number", {operator = "-", any = "$1 - $2"})
define("mul", "a b", "number", {operator = "*", any = "$1 * $2"})
define("div", "a b", "real", {operator = "/", any = "$1 / $2"})
-- The floor of the quotient of doubles, as in Lua; rounded as floats it might have become the next whole number.
define("idiv", "a b", "number", {
    operator = "//",
    text = {
        float = [[float @idiv(float a, float b) {
    double x = double(a), y = double(b), q = floor(x / y + 0.5LF);
    precise double rest = x - q * y;
    float r = float(rest * y < 0.0LF ? q - 1.0LF : q);
    return r == 0.0 ? @signed(r, uintBitsToFloat(floatBitsToUint(a) ^ floatBitsToUint(b))) : r; // -5 // infinity is -0
}]],
        double = "double @idiv(double x, double y) { return floor(@quotient(x, y)); }",
        -- Drivers that compute branches not taken, too, must not divide the least int by -1: processors trap there.
        int = [[int @idiv(int a, int b) {
    int q = a / (b == -1 ? 1 : b);
    q = q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
    return b == 0 ? 0 : b == -1 ? -a : q;
}]],
        uint = "uint @idiv(uint a, uint b) { return b == 0u ? 0u : a / b; }",
    },
    parts = {
        -- A quotient rounded as it should be, where a device's is a product with a reciprocal: what it leaves is divided again.
        quotient = {
            double = [[double @quotient(double x, double y) {
    precise double q = x / y;
    double more = @less(x, q, y) / y;
    return @nan(more) || @inf(more) || more == 0.0 ? q : q + more; // -0 stays
}]],
        },
    },
})
define("square", "a", "real", {any = "$1 * $1"})
define("cube", "a", "real", {any = "$1 * $1 * $1"})
define("unm", "a", "number", {operator = "-", any = "-$1"})
define("band", "a b", "bits", {operator = "&", any = "$1 & $2", bool = "$1 && $2"})
define("bor", "a b", "bits", {operator = "|", any = "$1 | $2", bool = "$1 || $2"})
define("bxor", "a b", "bits", {operator = "~", any = "$1 ^ $2", bool = "$1 != $2"})
define("bnot", "a", "bits", {operator = "~", any = "~$1", bool = "!$1"})
-- Logical shifts of 32 bits, as Lua's of 64: a negative count shifts the other way.
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

define("lt", "s t", "order", {method = true, doc = "element by element: s < t", any = "$1 < $2"})
define("le", "s t", "order", {method = true, doc = "element by element: s <= t", any = "$1 <= $2"})
define("gt", "s t", "order", {method = true, doc = "element by element: s > t", any = "$1 > $2"})
define("ge", "s t", "order", {method = true, doc = "element by element: s >= t", any = "$1 >= $2"})
define("eq", "s t", "equal", {
    method = true, any = "$1 == $2",
    doc = "element by element: s == t; of vectors, whole elements. Always true in `if`, where you want (s:eq(t)):all()",
})
define("ne", "s t", "equal", {
    method = true, any = "$1 != $2",
    doc = "element by element: s ~= t; of vectors, whole elements. Always true in `if`, where you want (s:ne(t)):any()",
})

define("where", "cond a b", "choice", {
    doc = "a where the condition holds or is not zero, else b", any = "$1 ? $2 : $3",
    value = function(cond, a, b)
        if cond and cond ~= 0 then
            return a
        end
        return b
    end,
})

define("vec2", "...", "vector", {
    size = 2, doc = "vectors of two components, of scalars and shorter vectors; one scalar stands for both",
})
define("vec3", "...", "vector", {size = 3, doc = "vectors of three components"})
define("vec4", "...", "vector", {size = 4, doc = "vectors of four components"})
