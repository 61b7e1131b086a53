-- Defines the functions of several numbers (powers, remainders, bounds, interpolation, steps) and the tests for NaN and
-- infinity. define.lua describes the fields of a row.
local define = require("rill.algebra.define").row

local huge <const> = math.huge

local function least(a, b) return (a ~= a or b ~= b) and a + b or math.min(a, b) end
local function most(a, b) return (a ~= a or b ~= b) and a + b or math.max(a, b) end
local function clamp(x, low, high) return least(most(x, low), high) end

define("pow", "x y", "power", {
    derivative = {"base(a, b, g)", "exponent(a, y, g)"},
    operator = "^", powers = {[2] = "square", [3] = "cube"},
    doc = "x ^ y; a negative base is allowed if y is an integer",
    number = function(x, y) return x ^ y end,
    text = {
        float = "float @pow(float x, float y) { return pow(x, y); }",
        double = "double @pow(double x, double y) { return pow(x, y); }",
        int = "float @pow(int x, int y) { return float(pow(double(x), double(y))); }",
    },
})
-- Returns x - y * floor(x / y), computed exactly and rounded once.
define("mod", "x y", "number", {
    derivative = {"g", "-g * (a // b)"},
    operator = "%", doc = "x % y as in Lua: the result has the sign of y",
    number = function(x, y)
        if y == 0 and math.type(x) == "integer" and math.type(y) == "integer" then
            -- Not at the top of the file: the tool that writes the annotations reads these rows without the shared
            -- object.
            require("rill.core.error").fail("rill.mod: argument #2 'y': expected a whole number other than 0, got 0")
        end
        return x % y
    end,
    text = {
        float = [[float @mod(float a, float b) {
    if (@nan(a) || @nan(b) || @inf(a) || b == 0.0) return @none();
    if (@inf(b)) return a == 0.0 || (a < 0.0) == (b < 0.0) ? a : b;
    float r = fmod(a, b);
    return r == 0.0 ? @signed(r, a) : (r < 0.0) != (b < 0.0) ? r + b : r;
}]],
        double = [[double @mod(double x, double y) {
    if (@nan(x) || @nan(y) || @inf(x) || y == 0.0) return @none();
    if (@inf(y)) return x == 0.0 || (x < 0.0) == (y < 0.0) ? x : y;
    double r = @remainder(x, y);
    return r == 0.0 ? @signed(r, x) : (r < 0.0) != (y < 0.0) ? r + y : r;
}]],
        int = [[int @mod(int a, int b) {
    int r = a - a / (b == -1 ? 1 : b) * b; // see idiv
    r = r != 0 && (r < 0) != (b < 0) ? r + b : r;
    return b == 0 || b == -1 ? 0 : r;
}]],
        uint = "uint @mod(uint a, uint b) { return b == 0u ? 0u : a % b; }",
    },
    parts = {
        exponent = {
            double = [[int @exponent(double x) {
    int e = int(unpackDouble2x32(x).y >> 20u & 0x7ffu);
    return e > 0 ? e : int(unpackDouble2x32(x * 18014398509481984.0).y >> 20u & 0x7ffu) - 54;
}]],
        },
        -- Returns the remainder with the smallest magnitude, in steps of 48 binary digits with exact products, as fmod
        -- of floats (shaders/functions/remainder.glsl).
        remainder = {
            double = [[double @remainder(double r, double y) {
    int k = max(@exponent(r) - @exponent(y), 0) / 48 * 48;
    for (int i = 0; i < 46; i++) {
        if (k < 0) break;
        double taken = y * @two(k / 3) * @two(k / 3) * @two(k - k / 3 * 2), size = abs(taken);
        // Neither products nor reciprocals may overflow.
        double scale = size > 8.4e270 ? 5.421010862427522e-20 : size < 1.0e-250 ? 1.6069380442589903e60 : 1.0;
        double q = floor(r * scale / (taken * scale) + 0.5);
        r = q == 0.0 ? r : @less(r * scale, q, taken * scale) / scale;
        k -= 48;
    }
    return r;
}]],
        },
    },
})
define("min", "a b", "number", {
    codes = true,
    derivative = {"le(a, b, g)", "gt(a, b, g)"},
    doc = "the smaller of each pair; NaN if one of them is NaN. s:min() reduces",
    float = "@min", double = "@min", any = "min($1, $2)", number = least,
    text = "T @min(T a, T b) { return @nan(a) || @nan(b) ? a + b : min(a, b); }",
})
define("max", "a b", "number", {
    codes = true,
    derivative = {"le(b, a, g)", "gt(b, a, g)"},
    doc = "the larger of each pair; NaN if one of them is NaN. s:max() reduces",
    float = "@max", double = "@max", any = "max($1, $2)", number = most,
    text = "T @max(T a, T b) { return @nan(a) || @nan(b) ? a + b : max(a, b); }",
})
define("clamp", "x low high", "number", {
    codes = true,
    derivative = {"le(b, a, le(a, c, g))", "gt(b, a, le(b, c, g))", "gt(rill.max(a, b), c, g)"},
    doc = "x limited to low .. high",
    float = "@clamp", double = "@clamp", any = "min(max($1, $2), $3)", number = clamp,
    text = "T @clamp(T x, T low, T high) { return @min(@max(x, low), high); }",
})
define("saturate", "x", "real", {
    derivative = {"le(0, a, le(a, 1, g))"},
    doc = "x limited to 0 .. 1",
    number = function(x) return clamp(x, 0.0, 1.0) end,
    text = "T @saturate(T x) { return @clamp(x, 0.0, 1.0); }",
})
define("mix", "a b t", "real", {
    derivative = {"g * (1 - c)", "g * c", "g * (b - a)"},
    doc = "linear interpolation: a + t (b - a)", any = "mix($1, $2, $3)",
    number = function(a, b, t) return a * (1 - t) + b * t end,
})
define("lerp", "a b t", "real", {same = "mix", doc = "the same function as rill.mix"})
define("step", "edge x", "real", {
    derivative = {false, false},
    doc = "0 where x < edge, else 1",
    number = function(edge, x) return x < edge and 0.0 or 1.0 end,
    text = "T @step(T edge, T x) { return @nan(edge) || @nan(x) ? edge + x : x < edge ? 0.0 : 1.0; }",
})
define("smoothstep", "low high x", "real", {
    derivative = {
        "-6 * g * between(a, b, c) * (1 - between(a, b, c)) ^ 2 / (b - a)",
        "-6 * g * between(a, b, c) ^ 2 * (1 - between(a, b, c)) / (b - a)",
        "6 * g * between(a, b, c) * (1 - between(a, b, c)) / (b - a)",
    },
    doc = "0 below low, 1 above high, a smooth cubic between",
    number = function(low, high, x)
        local t = clamp((0.5 * x - 0.5 * low) / (0.5 * high - 0.5 * low), 0.0, 1.0)
        return t * t * (3 - 2 * t)
    end,
    text = [[T @smoothstep(T low, T high, T x) {
    T h = max(abs(low), abs(high)) > T(4.0e37) ? T(0.25) : T(1.0);
    T t = @clamp((x * h - low * h) / (high * h - low * h), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}]],
})
define("fma", "a b c", "number", {
    derivative = {"g * b", "g * a", "g"},
    doc = "a * b + c, rounded once for floats",
    float = "fma($1, $2, $3)", double = "fma($1, $2, $3)", any = "$1 * $2 + $3",
    number = function(a, b, c) return a * b + c end,
})

define("isnan", "x", "test", {
    doc = "whether x is NaN; for vectors, whether any component is", int = "$1 != $1", any = "@nan",
    number = function(x) return x ~= x end,
})
define("isinf", "x", "test", {
    doc = "whether x is infinite; for vectors, whether any component is", int = "$1 != $1", any = "@inf",
    number = function(x) return x == huge or x == -huge end,
})
