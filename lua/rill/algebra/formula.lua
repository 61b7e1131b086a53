-- The GLSL of the algebra's operations: what GLSL has not, has for float only, or leaves undefined.
--
-- A formula is text with $1, $2 ... for the operands, $T for the result's type; or "@name": the function of that name below, called
-- component by component. In a function T is the scalar it works on, @name the name of another one; float literals have a point.
-- The double forms of the transcendental functions use the classic reductions (Cody and Waite 1980) and series long enough for
-- 53 bits; the float forms stay with GLSL where devices are good at it. Loops are written out: see the manual on loops.
local formula = {}

local functions = {}

functions.nan = {
    float = "bool @nan(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }",
    double = [[bool @nan(double x) {
    uvec2 w = unpackDouble2x32(x);
    uint h = w.y & 0x7fffffffu;
    return h > 0x7ff00000u || (h == 0x7ff00000u && w.x != 0u);
}]],
}
functions.inf = {
    float = "bool @inf(float x) { return (floatBitsToUint(x) & 0x7fffffffu) == 0x7f800000u; }",
    double = [[bool @inf(double x) {
    uvec2 w = unpackDouble2x32(x);
    return (w.y & 0x7fffffffu) == 0x7ff00000u && w.x == 0u;
}]],
}
-- Numbers made of bits: constant folding of 1.0/0.0 and 0.0/0.0 differs between compilers.
functions.infinity = {
    float = "float @infinity() { return uintBitsToFloat(0x7f800000u); }",
    double = "double @infinity() { return packDouble2x32(uvec2(0u, 0x7ff00000u)); }",
}
functions.none = {
    float = "float @none() { return uintBitsToFloat(0x7fc00000u); }",
    double = "double @none() { return packDouble2x32(uvec2(0u, 0x7ff80000u)); }",
}
functions.min = "T @min(T a, T b) { return @nan(a) || @nan(b) ? a + b : min(a, b); }"
functions.max = "T @max(T a, T b) { return @nan(a) || @nan(b) ? a + b : max(a, b); }"
functions.clamp = "T @clamp(T x, T low, T high) { return @min(@max(x, low), high); }"
functions.saturate = "T @saturate(T x) { return @clamp(x, 0.0, 1.0); }"
functions.sign = "T @sign(T x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }"
functions.step = "T @step(T edge, T x) { return @nan(edge) || @nan(x) ? edge + x : x < edge ? 0.0 : 1.0; }"
functions.smoothstep = [[T @smoothstep(T low, T high, T x) {
    T t = @clamp((x - low) / (high - low), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}]]

-- An exact product (Dekker 1971: fma() is not fused everywhere).
functions.product = {
    double = [[double @product(double a, double b, out double rest) {
    precise double s = a * 134217729.0, t = b * 134217729.0;
    precise double ah = s - (s - a), bh = t - (t - b);
    precise double al = a - ah, bl = b - bh, p = a * b;
    precise double e = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    rest = e;
    return p;
}]],
}
functions.less = { -- x - q * y
    double = [[double @less(double x, double q, double y) {
    double e, p = @product(q, y, e);
    precise double r = (x - p) - e;
    return r;
}]],
}
-- A quotient rounded as it should be, where a device's is a product with a reciprocal: what it leaves is divided again.
functions.quotient = {
    double = [[double @quotient(double x, double y) {
    precise double q = x / y;
    double more = @less(x, q, y) / y;
    return @nan(more) || @inf(more) ? q : q + more;
}]],
}
-- The floor of the quotient of doubles, as in Lua; rounded as floats it might have become the next whole number.
functions.idiv = {
    float = [[float @idiv(float a, float b) {
    double x = double(a), y = double(b), q = floor(x / y + 0.5LF);
    precise double rest = x - q * y;
    return float(rest * y < 0.0LF ? q - 1.0LF : q);
}]],
    double = "double @idiv(double x, double y) { return floor(@quotient(x, y)); }",
    int = [[int @idiv(int a, int b) {
    if (b == 0) return 0;
    if (b == -1) return -a;
    int q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}]],
    uint = "uint @idiv(uint a, uint b) { return b == 0u ? 0u : a / b; }",
}
-- The remainder of least size, as fmod of floats does it (kernel/codegen.c), by steps of 48 powers and exact products.
functions.exponent = {
    double = [[int @exponent(double x) {
    int e = int(unpackDouble2x32(x).y >> 20u & 0x7ffu);
    return e > 0 ? e : int(unpackDouble2x32(x * 18014398509481984.0).y >> 20u & 0x7ffu) - 54;
}]],
}
functions.remainder = {
    double = [[double @remainder(double r, double y) {
    int k = max(@exponent(r) - @exponent(y), 0) / 48 * 48;
    for (int i = 0; i < 46; i++) {
        if (k < 0) break;
        double taken = y * @two(k / 3) * @two(k / 3) * @two(k - k / 3 * 2), size = abs(taken);
        // Products must not overflow, nor reciprocals.
        double scale = size > 8.4e270 ? 5.421010862427522e-20 : size < 1.0e-250 ? 1.6069380442589903e60 : 1.0;
        double q = floor(r * scale / (taken * scale) + 0.5);
        r = q == 0.0 ? r : @less(r * scale, q, taken * scale) / scale;
        k -= 48;
    }
    return r;
}]],
}
-- x - y * floor(x / y), exactly but for the rounding of the result.
functions.mod = {
    float = [[float @mod(float a, float b) {
    if (@nan(a) || @nan(b) || @inf(a) || b == 0.0) return @none();
    if (@inf(b)) return a == 0.0 || (a < 0.0) == (b < 0.0) ? a : b;
    float r = fmod(a, b);
    return r != 0.0 && (r < 0.0) != (b < 0.0) ? r + b : r;
}]],
    double = [[double @mod(double x, double y) {
    if (@nan(x) || @nan(y) || @inf(x) || y == 0.0) return @none();
    if (@inf(y)) return x == 0.0 || (x < 0.0) == (y < 0.0) ? x : y;
    double r = @remainder(x, y);
    return r != 0.0 && (r < 0.0) != (y < 0.0) ? r + y : r;
}]],
    int = [[int @mod(int a, int b) {
    if (b == 0 || b == -1) return 0;
    int r = a - a / b * b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}]],
    uint = "uint @mod(uint a, uint b) { return b == 0u ? 0u : a % b; }",
}

-- Logical shifts of 32 bits, as Lua's of 64: a negative count shifts the other way.
functions.left = {
    uint = [[uint @left(uint a, int n) {
    return n >= 0 ? (n < 32 ? a << uint(n) : 0u) : (n > -32 ? a >> uint(-n) : 0u);
}]],
    int = "int @left(int a, int n) { return int(@left_uint(uint(a), n)); }",
}
functions.right = {
    uint = [[uint @right(uint a, int n) {
    return n >= 0 ? (n < 32 ? a >> uint(n) : 0u) : (n > -32 ? a << uint(-n) : 0u);
}]],
    int = "int @right(int a, int n) { return int(@right_uint(uint(a), n)); }",
}

-- Whole powers to 64 by squaring; of a negative base others by the parity of the exponent.
functions.pow = [[T @pow(T x, T y) {
    T n = abs(y);
    bool whole = @inf(y) || floor(y) == y;
    if (whole && n <= 64.0) {
        int k = int(n);
        T p = (k & 1) != 0 ? x : 1.0, b = x * x;
        p = (k & 2) != 0 ? p * b : p; b *= b;
        p = (k & 4) != 0 ? p * b : p; b *= b;
        p = (k & 8) != 0 ? p * b : p; b *= b;
        p = (k & 16) != 0 ? p * b : p; b *= b;
        p = (k & 32) != 0 ? p * b : p; b *= b;
        p = (k & 64) != 0 ? p * b : p;
        return y < 0.0 ? 1.0 / p : p;
    }
    if (@nan(x) || @nan(y)) return x == 1.0 ? 1.0 : @none();
    if (abs(x) == 1.0 && whole && (x > 0.0 || @inf(y))) return 1.0;
    if (x == 0.0) return y > 0.0 ? 0.0 : @infinity();
    if (x < 0.0 && !whole && !@inf(x)) return @none();
    T p = @exponential(y, abs(x));
    bool odd = whole && !@inf(y) && floor(n * 0.5) * 2.0 != n;
    return x < 0.0 && odd ? -p : p;
}]]
functions.exponential = {
    float = "float @exponential(float y, float x) { return x == 1.0 ? 1.0 : exp2(y * log2(x)); }",
    double = "double @exponential(double y, double x) { return x == 1.0 ? 1.0 : @exp(y * @log(x)); }",
}

functions.exp = {
    float = "float @exp(float x) { return exp(x); }",
    double = [[double @exp(double x) {
    if (@nan(x)) return x;
    if (x > 709.79) return @infinity();
    if (x < -745.2) return 0.0;
    double k = floor(x * 1.4426950408889634 + 0.5);
    precise double r = (x - k * 0.6931471803691238) - k * 1.9082149292705877e-10;
    double s = 1.0 / 6227020800.0;
    s = s * r + 1.0 / 479001600.0; s = s * r + 1.0 / 39916800.0; s = s * r + 1.0 / 3628800.0;
    s = s * r + 1.0 / 362880.0; s = s * r + 1.0 / 40320.0; s = s * r + 1.0 / 5040.0; s = s * r + 1.0 / 720.0;
    s = s * r + 1.0 / 120.0; s = s * r + 1.0 / 24.0; s = s * r + 1.0 / 6.0; s = s * r + 0.5;
    s = s * r * r + r + 1.0;
    int n = int(k), half_n = n / 2;
    return s * @two(half_n) * @two(n - half_n);
}]],
}
functions.two = {
    double = "double @two(int n) { return packDouble2x32(uvec2(0u, uint(n + 1023) << 20)); }",
}
functions.log = {
    float = "float @log(float x) { return log(x); }",
    double = [[double @log(double x) {
    if (@nan(x) || x < 0.0) return @none();
    if (x == 0.0) return -@infinity();
    if (@inf(x)) return x;
    int e = 0;
    if (x < 2.2250738585072014e-308) { x *= 18014398509481984.0; e = -54; }
    uvec2 w = unpackDouble2x32(x);
    e += int(w.y >> 20) - 1023;
    double m = packDouble2x32(uvec2(w.x, (w.y & 0xfffffu) | 0x3ff00000u));
    if (m > 1.4142135623730951) { m *= 0.5; e++; }
    double f = m - 1.0, s = f / (2.0 + f), z = s * s;
    double p = 1.0 / 23.0;
    p = p * z + 1.0 / 21.0; p = p * z + 1.0 / 19.0; p = p * z + 1.0 / 17.0; p = p * z + 1.0 / 15.0;
    p = p * z + 1.0 / 13.0; p = p * z + 1.0 / 11.0; p = p * z + 1.0 / 9.0; p = p * z + 1.0 / 7.0;
    p = p * z + 1.0 / 5.0; p = p * z + 1.0 / 3.0;
    double k = double(e);
    return k * 0.6931471803691238 + (2.0 * s + (2.0 * s * z * p + k * 1.9082149292705877e-10));
}]],
}
functions.exp2 = {
    double = [[double @exp2(double x) {
    if (@nan(x)) return x;
    if (@inf(x)) return x > 0.0 ? x : 0.0;
    double k = floor(x + 0.5);
    if (k > 1024.0) return @infinity();
    if (k < -1080.0) return 0.0;
    int n = int(k), half_n = n / 2;
    return @exp((x - k) * 0.6931471805599453) * @two(half_n) * @two(n - half_n);
}]],
}
functions.log2 = {
    float = "float @log2(float x) { return log2(x); }",
    double = "double @log2(double x) { return @log(x) * 1.4426950408889634; }",
}

-- Quarter turns k and the rest r of a double angle, by pi / 2 in three parts. Beyond 2^50, where doubles are eighths of a turn apart, none.
functions.turn = {
    double = [[double @turn(double x, out int quarter) {
    double k = abs(x) < 1125899906842624.0 ? floor(x * 0.6366197723675814 + 0.5) : 0.0;
    quarter = int(k - 4.0 * floor(k * 0.25));
    precise double r = @less(@less(x, k, 1.5707963267341256), k, 6.077100506303966e-11) - k * 2.0222662487959506e-21;
    return abs(x) < 1125899906842624.0 ? r : @none();
}]],
}
functions.sine = {
    double = [[double @sine(double r) {
    double z = r * r, s = 1.0 / 355687428096000.0;
    s = 1.0 / 1307674368000.0 - s * z; s = 1.0 / 6227020800.0 - s * z; s = 1.0 / 39916800.0 - s * z;
    s = 1.0 / 362880.0 - s * z; s = 1.0 / 5040.0 - s * z; s = 1.0 / 120.0 - s * z; s = 1.0 / 6.0 - s * z;
    return r - r * z * s;
}]],
}
functions.cosine = {
    double = [[double @cosine(double r) {
    double z = r * r, s = 1.0 / 6402373705728000.0;
    s = 1.0 / 20922789888000.0 - s * z; s = 1.0 / 87178291200.0 - s * z; s = 1.0 / 479001600.0 - s * z;
    s = 1.0 / 3628800.0 - s * z; s = 1.0 / 40320.0 - s * z; s = 1.0 / 720.0 - s * z; s = 1.0 / 24.0 - s * z;
    return 1.0 - z * (0.5 - z * s);
}]],
}
functions.sin = {
    double = [[double @sin(double x) {
    int q; double r = @turn(x, q);
    double s = (q & 1) != 0 ? @cosine(r) : @sine(r);
    return x == 0.0 ? x : q >= 2 ? -s : s;
}]],
}
functions.cos = {
    double = [[double @cos(double x) {
    int q; double r = @turn(x, q);
    double c = (q & 1) != 0 ? @sine(r) : @cosine(r);
    return q == 1 || q == 2 ? -c : c;
}]],
}
functions.tan = {
    double = [[double @tan(double x) {
    int q; double r = @turn(x, q);
    return x == 0.0 ? x : (q & 1) != 0 ? -@cosine(r) / @sine(r) : @sine(r) / @cosine(r);
}]],
}

-- (atan(t) / t - 1) / t^2 as a polynomial in z = t^2 up to (tan(pi / 8))^2, interpolated at Chebyshev's points.
functions.arc = {
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
}
functions.atan = [[T @atan(T x) {
    T a = abs(x), base = 0.0;
    if (a > 2.414213562373095) { base = 1.5707963267948966; a = -1.0 / a; }
    else if (a > 0.4142135623730950) { base = 0.7853981633974483; a = (a - 1.0) / (a + 1.0); }
    T z = a * a, r = base + (a + a * z * @arc(z));
    return x < 0.0 ? -r : x == 0.0 ? x : r;
}]]
functions.atan2 = [[T @atan2(T y, T x) {
    if (@nan(x) || @nan(y)) return @none();
    T ax = abs(x), ay = abs(y), r;
    if (@inf(x) && @inf(y)) r = 0.7853981633974483;
    else if (ay == 0.0) r = 0.0;
    else r = ay > ax ? 1.5707963267948966 - @atan(ax / ay) : @atan(ay / ax);
    bool left = x < 0.0 || (x == 0.0 && 1.0 / x < 0.0);
    r = left ? 3.141592653589793 - r : r;
    return y < 0.0 || (y == 0.0 && 1.0 / y < 0.0) ? -r : r;
}]]
functions.asin = [[T @asin(T x) {
    if (abs(x) > 1.0) return @none();
    if (abs(x) == 1.0) return x * 1.5707963267948966;
    return @atan(x / sqrt((1.0 - x) * (1.0 + x)));
}]]
functions.acos = [[T @acos(T x) {
    if (abs(x) > 1.0) return @none();
    if (x == -1.0) return 3.141592653589793;
    return 2.0 * @atan(sqrt((1.0 - x) / (1.0 + x)));
}]]

-- log(1 + x) without the loss near 0: 2 atanh(x / (2 + x)).
functions.log1p = [[T @log1p(T x) {
    if (abs(x) > 0.4) return @log(1.0 + x);
    T s = x / (2.0 + x), z = s * s;
    T p = 1.0 / 25.0;
    p = p * z + 1.0 / 23.0; p = p * z + 1.0 / 21.0; p = p * z + 1.0 / 19.0; p = p * z + 1.0 / 17.0;
    p = p * z + 1.0 / 15.0; p = p * z + 1.0 / 13.0; p = p * z + 1.0 / 11.0; p = p * z + 1.0 / 9.0;
    p = p * z + 1.0 / 7.0; p = p * z + 1.0 / 5.0; p = p * z + 1.0 / 3.0;
    return 2.0 * (s + s * z * p);
}]]
functions.sinh = [[T @sinh(T x) {
    T a = abs(x);
    if (a < 1.0) {
        T z = x * x, p = 1.0 / 355687428096000.0;
        p = p * z + 1.0 / 1307674368000.0; p = p * z + 1.0 / 6227020800.0; p = p * z + 1.0 / 39916800.0;
        p = p * z + 1.0 / 362880.0; p = p * z + 1.0 / 5040.0; p = p * z + 1.0 / 120.0; p = p * z + 1.0 / 6.0;
        return x + x * z * p;
    }
    T r = @exp(a - 0.6931471805599453) - @exp(-a - 0.6931471805599453);
    return x < 0.0 ? -r : r;
}]]
functions.cosh = [[T @cosh(T x) {
    T a = abs(x);
    return @exp(a - 0.6931471805599453) + @exp(-a - 0.6931471805599453);
}]]
functions.tanh = [[T @tanh(T x) {
    T a = abs(x), r;
    if (a < 1.0) r = @sinh(a) / @cosh(a);
    else if (a > 22.0) r = 1.0;
    else r = 1.0 - 2.0 / (@exp(2.0 * a) + 1.0);
    return x < 0.0 ? -r : x == 0.0 ? x : r;
}]]
functions.asinh = [[T @asinh(T x) {
    T a = abs(x);
    T r = a > 100000.0 ? @log(a) + 0.6931471805599453 + 0.25 / a / a : @log1p(a + a * a / (1.0 + sqrt(1.0 + a * a)));
    return x < 0.0 ? -r : x == 0.0 ? x : r;
}]]
functions.acosh = [[T @acosh(T x) {
    if (x < 1.0) return @none();
    T t = x - 1.0;
    return x > 100000.0 ? @log(x) + 0.6931471805599453 - 0.25 / x / x : @log1p(t + sqrt(t * (x + 1.0)));
}]]
functions.atanh = [[T @atanh(T x) {
    T a = abs(x);
    T r = a > 1.0 ? @none() : a == 1.0 ? @infinity() : 0.5 * @log1p(2.0 * a / (1.0 - a));
    return x < 0.0 ? -r : x == 0.0 ? x : r;
}]]

local function function_text(name, scalar)
    local found = functions[name]
    if type(found) == "table" then
        found = found[scalar] or found.real
    end
    return assert(found, name .. " " .. scalar)
end

-- Float literals of a function for double have the suffix that makes them doubles.
local function literals(text, scalar)
    return scalar == "double" and text:gsub("%f[%w_.]%d+%.%d+[e%-%d]*", "%0LF") or text
end

-- Adds a function and what it calls to the list `out` (texts in order of use), once; returns its name.
local function need(out, prefix, name, scalar)
    local own = name:match "_(u?int)$"
    local base = own and name:sub(1, -2 - #own) or name
    scalar = own or scalar
    local full = prefix .. base .. "_" .. scalar
    if not out[full] then
        out[full] = true
        local text = literals(function_text(base, scalar), scalar):gsub("%f[%w_]T%f[^%w_]", scalar)
        text = text:gsub("@([%w_]+)", function(called)
            return called == base and full or need(out, prefix, called, scalar)
        end)
        out[#out + 1] = text
    end
    return full
end

local COMPONENTS <const> = {"x", "y", "z", "w"}

--- The GLSL of one operation. `text`: a formula; `scalar` and `components` of what it works on; operands: their GLSL, all of that
-- type or scalars (then `flat[i]`); result: the result's type. Functions it needs are added to `out`.
function formula.write(text, out, prefix, scalar, components, operands, flat, result)
    local name = text:match "^@(.*)$"
    if not name then
        return (text:gsub("%$(%w)", function(what)
            return what == "T" and result or operands[tonumber(what)]
        end))
    end
    local called = need(out, prefix, name, scalar)
    if components == 1 then
        return ("%s(%s)"):format(called, table.concat(operands, ", "))
    end
    local parts = {}
    for c = 1, components do
        local own = {}
        for i, operand in ipairs(operands) do
            own[i] = flat[i] and operand or operand .. "." .. COMPONENTS[c]
        end
        parts[c] = ("%s(%s)"):format(called, table.concat(own, ", "))
    end
    if result == "bool" then
        return table.concat(parts, " || ")
    end
    return ("%s(%s)"):format(result, table.concat(parts, ", "))
end

return formula
