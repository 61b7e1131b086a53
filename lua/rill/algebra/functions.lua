-- Writes the GLSL of an operation from its formula. Also defines the functions that several operations call, because
-- GLSL does not have them, has them for float only, or does not define their result.
--
-- A formula is text with $1, $2 ... for the operands and $T for the type of the result; or "@name", a function that
-- is called component by component; or "@@name", a function that is called with whole vectors. In a function, T is
-- the scalar that it works on, V the vector, @name another function, @name_int the other function for int and
-- @name_double for double. Float literals have a decimal point. A function is one text, one text per scalar, or a Lua
-- function that returns the text.
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
-- Infinity and NaN are made from bits, since compilers fold 1.0/0.0 and 0.0/0.0 differently.
functions.infinity = {
    float = "float @infinity() { return uintBitsToFloat(0x7f800000u); }",
    double = "double @infinity() { return packDouble2x32(uvec2(0u, 0x7ff00000u)); }",
}
functions.none = {
    float = "float @none() { return uintBitsToFloat(0x7fc00000u); }",
    double = "double @none() { return packDouble2x32(uvec2(0u, 0x7ff80000u)); }",
}

-- Returns r, and with the sign of x if r is 0.
functions.signed = {
    float = [[float @signed(float r, float x) {
    return uintBitsToFloat((floatBitsToUint(r) & 0x7fffffffu) | (floatBitsToUint(x) & 0x80000000u));
}]],
    double = [[double @signed(double r, double x) {
    uvec2 w = unpackDouble2x32(r);
    return packDouble2x32(uvec2(w.x, (w.y & 0x7fffffffu) | (unpackDouble2x32(x).y & 0x80000000u)));
}]],
}
-- Returns a power of two. If the components are multiplied by it, their squares and the sum of four squares neither
-- overflow nor underflow.
functions.scale = {
    float = [[float @@scale(V v) {
    float l = length(v);
    return l > 1.0e18 ? 1.3552527156068805e-20 : l < 1.0e-15 ? 1267650600228229401496703205376.0 : 1.0;
}]],
    double = [[double @@scale(V v) {
    double l = length(v);
    return l > 1.0e150 ? 2.4099198651028841e-181 : l < 1.0e-150 ? 4.1495155688809930e180 : 1.0;
}]],
}

-- Returns a product and its rounding error (Dekker 1971; fma() is not fused on every device).
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
functions.two = {
    double = "double @two(int n) { return packDouble2x32(uvec2(0u, uint(n + 1023) << 20)); }",
}

-- Reduces a double angle by quarter turns: returns the remainder, computed with pi / 2 in three parts. From 2^50 on,
-- where doubles are an eighth of a turn apart, it is NaN.
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

--- Adds the function of an operation, or a function that it calls. Each name is added once.
function formula.add(name, text)
    assert(not functions[name], name)
    functions[name] = text
end

local function function_text(name, scalar)
    local found = functions[name]
    if type(found) == "table" then
        found = found[scalar]
    elseif type(found) == "function" then
        found = found()
    end
    return assert(found, ("@%s has no function for %s: GLSL's own is called without the @"):format(name, scalar))
end

-- Adds the suffix of doubles to float literals in a function for double.
local function literals(text, scalar)
    return scalar == "double" and text:gsub("%f[%w_.]%d+%.%d+[e%-%d]*", "%0LF") or text
end

-- Adds a function and the functions that it calls to the list `out`, each once, callees first. Returns its name.
-- `vector`: the vector type with which it is called as a whole.
local function need(out, prefix, name, scalar, vector)
    local own = name:match "_(u?int)$" or name:match "_(double)$"
    local base = own and name:sub(1, -2 - #own) or name
    scalar = own or scalar
    local full = prefix .. base .. "_" .. (vector or scalar)
    if not out[full] then
        out[full] = true
        local text = literals(function_text(base, scalar), scalar):gsub("%f[%w_]T%f[^%w_]", scalar)
        text = text:gsub("%f[%w_]V%f[^%w_]", vector or scalar):gsub("@@([%w_]+)", function(called)
            return called == base and full or need(out, prefix, called, scalar, vector)
        end)
        text = text:gsub("@([%w_]+)", function(called)
            return called == base and full or need(out, prefix, called, scalar)
        end)
        out[#out + 1] = text
    end
    return full
end

local COMPONENTS <const> = {"x", "y", "z", "w"}

--- formula.write(text, out, prefix, scalar, components, vector, operands, flat, result) returns the GLSL of one
-- operation. `text`: a formula. `scalar`, `components`: of the values that it works on; `vector`: their type.
-- `operands`: GLSL of this type, or of scalars where flat[i] is true. `result`: the type of the result. Adds the
-- functions that it needs to `out`.
function formula.write(text, out, prefix, scalar, components, vector, operands, flat, result)
    local whole = text:match "^@@(.*)$"
    if whole then
        return ("%s(%s)"):format(need(out, prefix, whole, scalar, vector), table.concat(operands, ", "))
    end
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
