-- Defines the functions of one number: rounding, roots, exponentials and logarithms, angles, hyperbolic functions, the
-- error function. define.lua describes the fields of a row.
--
-- The double forms of the transcendental functions use the reductions of Cody and Waite (1980) and series that are long
-- enough for 53 bits. The float forms use GLSL's functions where devices compute them accurately. Loops are unrolled,
-- because some devices end loops early (docs/kernel.md).
local core = require "rill.core"
local define = require("rill.algebra.define").row

local exp, log, sqrt <const> = math.exp, math.log, math.sqrt

-- ---- signs and rounding: integers stay integers

define("abs", "x", "number", {
    doc = "the absolute value", any = "abs($1)", uint = "$1", number = math.abs,
    derivative = {"g * rill.sign(a)"},
})
define("sign", "x", "number", {
    derivative = {false},
    doc = "-1, 0 or 1", int = "sign($1)", uint = "min($1, $T(1u))",
    number = function(x) return x > 0 and 1.0 or x < 0 and -1.0 or x end,
    text = "T @sign(T x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }",
})
define("floor", "x", "number", {
    derivative = {false},
    doc = "rounded down", float = "floor($1)", double = "floor($1)", any = "$1", number = math.floor,
})
define("ceil", "x", "number", {
    derivative = {false},
    doc = "rounded up", float = "ceil($1)", double = "@ceil", any = "$1", number = math.ceil,
    text = {double = "double @ceil(double x) { return @signed(ceil(x), x); }"}, -- some drivers lose the sign of 0
})
define("trunc", "x", "number", {
    derivative = {false},
    doc = "rounded towards zero", float = "trunc($1)", double = "@trunc", any = "$1",
    text = {double = "double @trunc(double x) { return @signed(trunc(x), x); }"},
    number = function(x) return x < 0 and math.ceil(x) or math.floor(x) end,
})
define("round", "x", "number", {
    derivative = {false},
    doc = "rounded to the nearest integer; halves are rounded to even", float = "roundEven($1)",
    double = "@round", any = "$1", text = {double = "double @round(double x) { return @signed(roundEven(x), x); }"},
    number = function(x)
        local low = math.floor(x)
        local rest = x - low
        return rest < 0.5 and low or rest > 0.5 and low + 1 or low % 2 == 0 and low or low + 1
    end,
})
define("fract", "x", "real", {
    derivative = {"g"},
    doc = "x - floor(x)", any = "fract($1)",
    number = function(x) return x - math.floor(x) end,
})

-- ---- roots, exponentials and logarithms

-- shaders/functions/doubles.glsl defines exp, log, sin and similar functions of doubles for all kernels.

define("sqrt", "x", "real", {doc = "the square root", any = "sqrt($1)", number = sqrt, derivative = {"0.5 * g / y"}})
define("rsqrt", "x", "real", {
    derivative = {"-0.5 * g * y * y * y"},
    doc = "1 / sqrt(x)", any = "inversesqrt($1)",
    number = function(x) return 1 / sqrt(x) end,
})
define("exp", "x", "real", {
    derivative = {"g * y"},
    doc = "e to the power x", any = "exp($1)", number = exp,
    text = "T @exp(T x) { return exp(x); }",
})
define("exp2", "x", "real", {
    derivative = {"0.6931471805599453 * g * y"},
    doc = "2 to the power x", any = "exp2($1)", number = function(x) return 2.0 ^ x end,
    text = "T @exp2(T x) { return exp2(x); }",
})
define("log", "x", "real", {
    derivative = {"g / a"},
    doc = "the natural logarithm", any = "log($1)", number = function(x) return log(x) end,
    text = "T @log(T x) { return log(x); }",
})
define("log2", "x", "real", {
    derivative = {"1.4426950408889634 * g / a"},
    doc = "the logarithm to base 2", any = "log2($1)", number = function(x) return log(x, 2) end,
    text = "T @log2(T x) { return log2(x); }",
})

-- ---- angles

define("sin", "x", "real", {
    derivative = {"g * rill.cos(a)"},
    doc = "the sine of an angle in radians", any = "sin($1)", number = math.sin,
    text = "T @sin(T x) { return sin(x); }",
})
define("cos", "x", "real", {
    derivative = {"-g * rill.sin(a)"},
    doc = "the cosine of an angle in radians", any = "cos($1)", number = math.cos,
    text = "T @cos(T x) { return cos(x); }",
})
define("tan", "x", "real", {
    derivative = {"g * (1 + y * y)"},
    doc = "the tangent of an angle in radians", number = math.tan,
    text = {
        float = [[float @tan(float x) {
    // Reduces the angle in double; sine and cosine as in shaders/functions/circular.glsl.
    int q; float r = float(@turn_double(double(x), q)), z = r * r;
    float s = (-1.951398e-4 * z + 8.3321513e-3) * z - 1.666665446e-1;
    float c = (2.44316680e-5 * z - 1.38873035e-3) * z + 4.16666454e-2;
    float sine = r + (r * z) * s, cosine = (1.0 - 0.5 * z) + (z * z) * c;
    return x == 0.0 ? x : (q & 1) != 0 ? -cosine / sine : sine / cosine;
}]],
        double = [[double @tan(double x) {
    int q; double r = @turn(x, q);
    return x == 0.0 ? x : (q & 1) != 0 ? -@cosine(r) / @sine(r) : @sine(r) / @cosine(r);
}]],
    },
})
define("asin", "x", "real", {
    derivative = {"g / rill.sqrt((1 - a) * (1 + a))"},
    doc = "the arc sine", number = math.asin,
    text = [[T @asin(T x) {
    if (abs(x) > 1.0) return @none();
    if (abs(x) == 1.0) return x * 1.5707963267948966;
    return @atan(x / sqrt((1.0 - x) * (1.0 + x)));
}]],
})
define("acos", "x", "real", {
    derivative = {"-g / rill.sqrt((1 - a) * (1 + a))"},
    doc = "the arc cosine", number = math.acos,
    text = [[T @acos(T x) {
    if (abs(x) > 1.0) return @none();
    if (x == -1.0) return 3.141592653589793;
    return 2.0 * @atan(sqrt((1.0 - x) / (1.0 + x)));
}]],
})
define("atan", "y x?", "real", {
    derivative = {"g / (1 + a * a)"},
    doc = "the arc tangent of y, or of y / x in all four quadrants", full = "atan2", number = math.atan,
    text = [[T @atan(T x) {
    T a = abs(x), base = 0.0;
    if (a > 2.414213562373095) { base = 1.5707963267948966; a = -1.0 / a; }
    else if (a > 0.4142135623730950) { base = 0.7853981633974483; a = (a - 1.0) / (a + 1.0); }
    T z = a * a, r = base + (a + a * z * @arc(z));
    return x < 0.0 ? -r : x == 0.0 ? x : r;
}]],
    parts = {
        -- Returns (atan(t) / t - 1) / t^2 as a polynomial in z = t^2 for t <= tan(pi / 8), interpolated at the
        -- Chebyshev points.
        arc = {
            float = [[float @arc(float z) {
    float p = -0.0645192787;
    p = p * z + 0.107437313; p = p * z - 0.142639562; p = p * z + 0.199995399; return p * z - 0.333333313;
}]],
            double = [[double @arc(double z) {
    double p = 0.016285756855221028;
    p = p * z - 0.034570561981427744; p = p * z + 0.045515932206265493; p = p * z - 0.052304542706502442;
    p = p * z + 0.058789289978347752; p = p * z - 0.066664248857382549; p = p * z + 0.076922963750321427;
    p = p * z - 0.090909087535008773; p = p * z + 0.11111111105155447; p = p * z - 0.14285714285659828;
    p = p * z + 0.19999999999999804; return p * z - 0.33333333333333331;
}]],
        },
    },
})
define("atan2", "y x", "real", {
    derivative = {"g * b / (a * a + b * b)", "-g * a / (a * a + b * b)"},
    doc = "the arc tangent of y / x in all four quadrants", number = math.atan,
    text = [[T @atan2(T y, T x) {
    if (@nan(x) || @nan(y)) return @none();
    T ax = abs(x), ay = abs(y), r;
    if (@inf(x) && @inf(y)) r = 0.7853981633974483;
    else if (ay == 0.0) r = 0.0;
    else r = ay > ax ? 1.5707963267948966 - @atan(ax / ay) : @atan(ay / ax);
    bool left = x < 0.0 || (x == 0.0 && 1.0 / x < 0.0);
    r = left ? 3.141592653589793 - r : r;
    return y < 0.0 || (y == 0.0 && 1.0 / y < 0.0) ? -r : r;
}]],
})

-- ---- hyperbolic functions

define("sinh", "x", "real", {
    derivative = {"g * rill.cosh(a)"},
    doc = "the hyperbolic sine",
    number = function(x) return (exp(x) - exp(-x)) / 2 end,
    text = [[T @sinh(T x) {
    T a = abs(x);
    if (a < 1.0) {
        T z = x * x, p = 1.0 / 355687428096000.0;
        p = p * z + 1.0 / 1307674368000.0; p = p * z + 1.0 / 6227020800.0; p = p * z + 1.0 / 39916800.0;
        p = p * z + 1.0 / 362880.0; p = p * z + 1.0 / 5040.0; p = p * z + 1.0 / 120.0; p = p * z + 1.0 / 6.0;
        return x + x * z * p;
    }
    T r = exp(a - 0.6931471805599453) - exp(-a - 0.6931471805599453);
    return x < 0.0 ? -r : r;
}]],
})
define("cosh", "x", "real", {
    derivative = {"g * rill.sinh(a)"},
    doc = "the hyperbolic cosine",
    number = function(x) return (exp(x) + exp(-x)) / 2 end,
    text = [[T @cosh(T x) {
    T a = abs(x);
    return exp(a - 0.6931471805599453) + exp(-a - 0.6931471805599453);
}]],
})
define("tanh", "x", "real", {
    derivative = {"g / rill.cosh(a) ^ 2"},
    doc = "the hyperbolic tangent",
    number = function(x) return 1 - 2 / (exp(2 * x) + 1) end,
    text = [[T @tanh(T x) {
    T a = abs(x), r;
    if (a < 1.0) r = @sinh(a) / @cosh(a);
    else if (a > 22.0) r = 1.0;
    else r = 1.0 - 2.0 / (exp(2.0 * a) + 1.0);
    return x < 0.0 ? -r : x == 0.0 ? x : r;
}]],
})
define("asinh", "x", "real", {
    derivative = {"g / rill.sqrt(a * a + 1)"},
    doc = "the inverse of sinh",
    number = function(x) return x < 0 and -log(-x + sqrt(x * x + 1)) or log(x + sqrt(x * x + 1)) end,
    text = [[T @asinh(T x) {
    T a = abs(x);
    T r = a > 100000.0 ? log(a) + 0.6931471805599453 + 0.25 / a / a : @log1p(a + a * a / (1.0 + sqrt(1.0 + a * a)));
    return x < 0.0 ? -r : x == 0.0 ? x : r;
}]],
})
define("acosh", "x", "real", {
    derivative = {"g / (rill.sqrt(a - 1) * rill.sqrt(a + 1))"},
    doc = "the inverse of cosh",
    number = function(x) return log(x + sqrt(x * x - 1)) end,
    text = [[T @acosh(T x) {
    if (x < 1.0) return @none();
    T t = x - 1.0;
    return x > 100000.0 ? log(x) + 0.6931471805599453 - 0.25 / x / x : @log1p(t + sqrt(t * (x + 1.0)));
}]],
})
define("atanh", "x", "real", {
    derivative = {"g / ((1 - a) * (1 + a))"},
    doc = "the inverse of tanh",
    number = function(x) return log((1 + x) / (1 - x)) / 2 end,
    text = [[T @atanh(T x) {
    T a = abs(x);
    T r = a > 1.0 ? @none() : a == 1.0 ? @infinity() : 0.5 * @log1p(2.0 * a / (1.0 - a));
    return x < 0.0 ? -r : x == 0.0 ? x : r;
}]],
})

-- ---- special functions, which are functions of the kernel language (shaders/functions), and in C for plain numbers

-- Defines a special function.
local function special(name, doc, derivative)
    define(name, "x", "real", {
        doc = doc, any = name .. "($1)", derivative = derivative and {derivative},
        number = function(x) return core._special(name, x) end,
        text = ("T @%s(T x) { return %s(x); }"):format(name, name),
    })
end

special("cbrt", "the cube root, also of negative numbers", "g / (3 * y * y)")
special("expm1", "exp(x) - 1 without cancellation near 0", "g * (y + 1)")
special("log1p", "log(1 + x) without cancellation near 0", "g / (1 + a)")
special("sinc", "sin(pi x) / (pi x), and 1 for 0", "g * sinc_slope(a, y)")
special("erf", "the error function", "1.1283791670955126 * g * rill.exp(-a * a)")
special("erfc", "1 - erf(x) without cancellation", "-1.1283791670955126 * g * rill.exp(-a * a)")
special("erfinv", "the inverse of erf: NaN for |x| > 1", "0.88622692545275801 * g * rill.exp(y * y)")
special("gamma", "the gamma function: (x - 1)! for integers. NaN for negative integers", "g * y * rill.digamma(a)")
special("lgamma", "the logarithm of |gamma(x)|", "g * rill.digamma(a)")
special("digamma", "the derivative of lgamma", "g * rill.trigamma(a)")
special("trigamma", "the derivative of digamma")
