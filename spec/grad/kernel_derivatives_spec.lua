-- k:gradient and k:tangent: each construct of the kernel language, against central differences and each other.
local rill = require "rill"
local derivatives = require "spec.support.derivatives"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

local function random() return math.random() * 2 - 1 end

local function list(n)
    local t = {}
    for i = 1, n do t[i] = random() end
    return t
end

local function grid(rows, columns)
    local t = {}
    for i = 1, rows do t[i] = list(columns) end
    return t
end

local function modes(t, ...)
    t.modes = {...}
    return t
end

local FLOAT <const> = {tolerance = 1e-5, step = 1e-3, difference = 1e-2}

local LONG <const> = os.getenv "RILL_SUITE_LONG" ~= nil

-- Name, text, arguments, options. #long: other cases have the same constructs.
local cases = {
    {"arithmetic", [[kernel void f(double a, double x<>, double y<>, out double r<>) {
        r = a * x * sin(y) + x / (2.0 + y) - (x - y); }]],
        function() return {a = 1.3, x = list(5), y = list(5)} end},
    {"vectors", [[kernel void f(dvec3 a, dvec3 x<>, out dvec3 r<>, out double s<>) {
        dvec3 v = x.zyx * a;
        v.xy = v.yx * 2.0;
        v.z += v.x;
        r = cross(v, a) + v.x + v.xxy;
        s = dot(r, x) + length(v) + v[1]; }]],
        function() return {a = {1, 2, 3}, x = {list(3), list(3)}} end},
    {"branches #long", [[kernel void f(double x<>, out double r<>) {
        if (x > 0.0) { r = x * x; if (x > 0.5) return; r += 1.0 * x; } else { r = sin(x); }
        r *= x; }]], function() return {x = list(8)} end},
    {"a sum in a loop #long", [=[kernel void f(double x<>, double p[], out double r<>) {
        for (int i = 0; i < 4; i++) r += p[i] * x * double(i); }]=],
        function() return {x = list(3), p = list(4)} end},
    {"a sum of Gaussians at each element #long", [=[kernel void f(dvec4 p[], double c[], double w, out double r<>) {
        dvec2 at = dvec2(indexof(r).xy) * 0.3lf;
        for (int i = 0; i < sizeof_stream(p).x; i++) {
            dvec2 d = (at - p[i].xy) * p[i].zw;
            if (d.x < 1.5) r += w * c[i] * exp(-dot(d, d));
        } }]=], function() return {p = {list(4), list(4), list(4)}, c = list(3), w = 0.7} end, {shape = {5, 4}}},
    {"forces between all pairs #long", [=[kernel void f(dvec2 x<>, dvec2 others[], double m[], out dvec2 r<>) {
        for (int i = 0; i < sizeof_stream(others).x; i++) {
            dvec2 d = others[i] - x;
            r += m[sizeof_stream(m).x - 1 - i] * d / (dot(d, d) + 0.1);
        }
        r *= x.x; }]=], function() return {x = {list(2), list(2), list(2)}, others = {list(2), list(2)},
            m = list(2)} end},
    {"polynomials #long", [=[kernel void f(double a[], double x<>, int n, out double r<>) {
        for (int i = n; i > 0; i -= 2) r += a[i] * pow(x + 2.0, double(i)) + a[i / 2 + 20];
        for (int i = 0; i < 2; i++) r = r * a[0] + a[1 + i] * x; }]=],
        function() return {a = list(9), x = list(70), n = 7} end},
    {"windows #long", [=[kernel void f(double s[][], int n, out double r<>) {
        ivec2 p = indexof(r).xy;
        r = s[p.y][p.x];
        for (int k = 1; k < n; k++) r += s[p.y][p.x + k] * s[k][0];
        for (int k = 0; k <= p.x; k++) r += s[k][1];
        for (int k = 0; k < sizeof_stream(r).x; k++) r += s[0][k] * s[0][sizeof_stream(r).y - k]; }]=],
        function() return {s = grid(3, 6), n = 3} end, {shape = {3, 4}}},
    {"a recurrence #long", [[kernel void f(double x<>, out double r<>) {
        double s = x;
        for (int i = 0; i < 5; i++) s = sin(s) * x + 0.1 * s * s;
        r = s; }]], function() return {x = list(4)} end},
    {"a loop of unknown length", [[kernel void f(double x<>, int n<>, out double r<>) {
        double s = x;
        for (int i = 0; i < n; i++) s = sin(s) * x + double(i) * 0.01 * s;
        r = s; }]], function() return {x = list(5), n = {3, 17, 0, 100, 1}} end},
    {"a counter that is used after its loop #long", [[kernel void f(double x<>, int n<>, out double r<>) {
        double s = x;
        int i;
        for (i = 10; i > n; i -= 3) s = s * 1.1 + x * double(i);
        r = s * double(i); }]], function() return {x = list(4), n = {3, 9, 10, -8}} end},
    {"while", [[kernel void f(double x<>, out double r<>) {
        double s = x * 0.01;
        int n = 0;
        while (s * s < 4.0 && n < 50) { s = s * 1.3 + 0.1 * x * x + 0.05; n++; }
        r = s * double(n); }]], function() return {x = list(6)} end},
    {"break and continue", [[kernel void f(double x<>, out double r<>) {
        r = x;
        for (int i = 0; i < 40; i++) {
            if (r > 3.0) break;
            if (i % 3 == 0) continue;
            r = r * 1.1 + 0.3 * x * x;
        } }]], function() return {x = list(6)} end},
    {"loops in loops #long", [[kernel void f(double x<>, int n, out double r<>) {
        double s = x;
        for (int i = 0; i < n; i++) {
            double t = s;
            for (int j = 0; j <= i; j++) t = t * 0.5 + sin(t * x);
            s = s + t;
        }
        r = s; }]], function() return {x = list(4), n = 6} end},
    {"do #long", [[kernel void f(double x<>, out double r<>) {
        double s = x;
        int n = 0;
        do { s = cos(s) * x; n++; } while (n < 7 && s > -0.9);
        r = s; }]], function() return {x = list(4)} end},
    {"variables that are exchanged #long", [[kernel void f(double x<>, double y<>, out double r<>) {
        double a = x, b = y;
        for (int i = 0; i < 5; i++) { double t = a; a = b * t; b = t; }
        r = a - b * b; }]], function() return {x = list(3), y = list(3)} end},
    {"calls with outputs", [[double sq(double x, out double y) { y = x * 2.0; if (x > 0.0) return x * x; return x; }
    void add(inout double x, double y) { x += y * y; }
    kernel void f(double x<>, out double r<>) {
        double y;
        r = sq(x, y);
        r *= y;
        add(r, y);
        add(y, r);
        r += y; }]], function() return {x = list(6)} end},
    {"structures", [[struct P { dvec3 o; double w; int n; };
    P make(double x) { P p; p.o = dvec3(x, 2.0 * x, 1.0); p.w = x * x; p.n = 2; return p; }
    kernel void f(double x<>, out double r<>) {
        P p = make(x);
        P q = p;
        q.o.y *= p.w;
        q.w += 1.0;
        r = dot(q.o, p.o) * q.w * double(p.n); }]], function() return {x = list(4)} end},
    {"arrays #lanes", [[kernel void f(double x<>, out double r<>) {
        double a[4];
        for (int i = 0; i < 4; i++) a[i] = x * double(i + 1);
        for (int i = 1; i < 4; i++) a[i] = a[i] * a[i - 1];
        r = a[3] + a[0]; }]], function() return {x = list(4)} end},
    {"arrays with computed indices #lanes #long", [[kernel void f(double x<>, int i<>, out double r<>) {
        double a[3] = {x, x * x, sin(x)};
        a[i] *= a[(i + 1) % 3];
        r = a[0] * a[1] * a[2]; }]], function() return {x = list(3), i = {0, 1, 2}} end},
    {"an array in a loop of unknown length #lanes #long", [[kernel void f(double x<>, int n<>, out double r<>) {
        double a[3] = {x, 0.5, x * x};
        for (int i = 0; i < n; i++) a[i % 3] = sin(a[(i + 1) % 3]) + a[i % 3] * x;
        r = a[0] * a[1] + a[2]; }]], function() return {x = list(4), n = {0, 2, 11, 40}} end},
    {"constant matrices #long", [[kernel void f(vec2 x<>, mat2 m, out vec2 r<>) {
        mat2 q = m * m + mat2(x, x.yx);
        r = q * x + x * inverse(q) * determinant(m); }]],
        function() return {x = {list(2), list(2)}, m = {{1, 2}, {0.5, 0.7}}} end, FLOAT},
    {"matrices", [[kernel void f(dvec2 x<>, out dvec2 r<>) {
        dmat2 m = dmat2(x, x.y * 2.0, 3.0);
        m[1] = x;
        m[0][1] *= x.x;
        dmat2 q = m * transpose(m) + 0.5 * m;
        r = q * x + x * q + outerProduct(x, x) * x;
        r *= determinant(q + dmat2(3.0)); }]], function() return {x = {list(2), list(2)}} end},
    {"neighbors", [=[kernel void f(neighbor double u<>, double k, out double r<>) {
        r = u + k * (u[-1] - 2.0 * u[0] + u[2] * u[1]); }]=], function() return {u = list(7), k = 0.3} end},
    {"neighbors of a periodic stream #long", [=[kernel void f(neighbor(wrap) double u<>, out double r<>) {
        r = u[-3] * u[1]; }]=], function() return {u = list(5)} end},
    {"neighbors that are reflected several times #long", [=[kernel void f(neighbor(mirror) double u<>, out double r<>) {
        r = u[-3] * u[1] + u[4]; }]=], function() return {u = list(2)} end},
    {"neighbors of one element #long", [=[kernel void f(neighbor(mirror) double u<>, out double r<>) {
        r = u[-1] * u[1] * u[5]; }]=], function() return {u = list(1)} end},
    {"neighbors in two dimensions #long", [=[kernel void f(neighbor double u<>, double x<>, out double r<>) {
        r = x * u[-1][0] * u[1][1] + u[0][-2] * u + u[2][-2] + u[ivec2(1, -1)]; }]=],
        function() return {u = grid(4, 5), x = grid(4, 5)} end},
    {"neighbors with two modes #long", [=[kernel void f(neighbor(mirror, wrap) double u<>, out double r<>) {
        r = u[-1][-1] * u[1][2] + u[2][-2]; }]=], function() return {u = grid(3, 4)} end},
    {"neighbors with a number outside #long", [=[kernel void f(neighbor(clamp, 1.5) double u<>, out double r<>) {
        r = u[-1][-1] * u[1][2] + u[2][-2]; }]=], function() return {u = grid(3, 4)} end},
    {"neighbors that are subtracted twice #long", [=[kernel void f(neighbor double u<>, out double r<>, out double q<>) {
        double t = u[-1];
        q = t - t;
        r = (q + t - q) * 0.5LF; }]=], function() return {u = list(5)} end},
    {"neighbors at computed offsets #long", [=[kernel void f(neighbor(clamp) double u<>, out double r<>) {
        for (int i = -2; i <= 2; i++) r += u[i] * u[i] * double(i + 3); }]=], function() return {u = list(6)} end},
    {"gathers", [=[kernel void f(double a[], int i<>, double x<>, out double r<>) { r = a[i] * a[i + 1] * x; }]=],
        function() return {a = list(4), i = {0, 2, 3, 5, -1}, x = list(5)} end},
    {"gathers from a periodic stream #long", [=[kernel void f(double a[], int i<>,
        out double r<>) { r = a[i] * a[i + 1]; }]=],
        function() return {a = modes(list(4), "wrap"), i = {0, 2, 3, 5, -1}} end},
    {"gathers with a number outside", [=[kernel void f(double a[], int i<>, out double r<>) { r = a[i] * a[i + 1]; }]=],
        function() return {a = modes(list(4), 2.5), i = {0, 2, 3, 5, -1}} end},
    {"gathers in two dimensions #long", [=[kernel void f(double a[][], ivec2 i<>, out double r<>) {
        r = a[i.x][i.y] * a[i] + (i.x > 1 ? a[0][0] : 1.0); }]=],
        function() return {a = grid(3, 4), i = {{0, 0}, {1, 3}, {2, 1}}} end},
    {"gathers in a loop #long", [=[kernel void f(double a[], double x<>, out double r<>) {
        r = 1.0;
        for (int i = 0; i < sizeof_stream(a).x; i++) r = r * a[i] + x; }]=],
        function() return {a = list(5), x = list(3)} end},
    {"interpolation", [=[kernel void f(float a[][], vec2 p<>, out float r<>) { r = sample(a, p) * p.x; }]=],
        function() return {a = grid(3, 4), p = {{0.3, 0.6}, {1.2, 1.7}, {2.4, 0.1}}} end, FLOAT},
    {"interpolation in one dimension #long", [=[kernel void f(float a[], float p<>, out float r<>) { r = sample(a,
        p) * p; }]=],
        function() return {a = list(4), p = {0.3, 2.4, 3.6, -0.5}} end, FLOAT},
    {"repeated inputs", "kernel void f(double x<>, double y<>, double z<>, out double r<>) { r = x * y * z; }",
        function() return {x = list(6), y = list(2), z = {1.5}} end, {shape = {6}}},
    {"inputs of fewer dimensions #long", "kernel void f(double x<>, double y<>, out double r<>) { r = x * y * y; }",
        function() return {x = grid(4, 6), y = list(3)} end, {shape = {4, 6}}},
    {"strided inputs", "kernel void f(double x<>, out double r<>) { r = x * x; }",
        function() return {x = list(7)} end, {shape = {3}}},
    {"streams that are changed in place", [[kernel void f(inout double x<>, double y<>, out double r<>) {
        r = x * y;
        x = x * x * y + r; }]], function() return {x = list(4), y = list(4)} end},
    {"variable outputs #lanes", [[kernel void f(double x<>, int n<>, vout double v<>, out double r<>) {
        r = x;
        for (int i = 0; i < n; i++) { r = r * x; push(v, r * double(i)); }
        if (x > 0.0) push(v, x); }]], function() return {x = list(5), n = {0, 1, 3, 2, 0}} end},
    {"switch", [[kernel void f(double x<>, int n<>, out double r<>) {
        switch (n) {
            case 0: r = x; break;
            case 1: r = x * x;
            case 2: r += sin(x); break;
            default: r = 3.0 * x;
        }
        r *= x; }]], function() return {x = list(5), n = {0, 1, 2, 3, 4}} end},
    {"choices", [[kernel void f(double x<>, double y<>, out double r<>) {
        r = x > y ? x * x : (y > 0.0 ? y : x * y);
        r += (x > 0.0 && sin(y) > 0.0) ? x : 0.0; }]], function() return {x = list(9), y = list(9)} end},
    {"returned values", "kernel double f(double x<>) { if (x < 0.0) return -x * x; return x * 3.0; }",
        function() return {x = list(5)} end},
    {"a return in loops #lanes #long", [[kernel double f(double x<>) {
        double s = x;
        for (int i = 0; i < 30; i++) {
            for (int j = 0; j < 3; j++) { s = s * 1.2 + 0.1; if (s > 2.0) return s * s; }
        }
        return s * 0.5; }]], function() return {x = list(6)} end},
    {"increments #long", [[kernel void f(double x<>, out double r<>) {
        double y = x;
        y++;
        r = y--;
        r *= y;
        r += --y * x; }]], function() return {x = list(3)} end},
    {"floats and doubles #long", [[kernel void f(float x<>, double y<>, out float r<>) {
        double t = x * y;
        r = float(t) * x; }]], function() return {x = list(6), y = list(6)} end, FLOAT},
}

-- Formulas of x, y, z (around 0.3) and the variable w, for each builtin function.
local formulas = [[
radians(X); degrees(X); exp(x); log(2.0 + x); sqrt(3.0 + y); atan(y, x + 3.0); atan(x); tanh(y); asin(z); acos(z)
sinh(x); cosh(y); tan(x); sin(x); cos(y); pow(2.0 + x, y); exp2(x); log2(3.0 + x); inversesqrt(2.0 + y); abs(x)
min(x, y) * max(x, 0.1); clamp(x, -0.5, 0.5); mix(x, y, z); smoothstep(-1.0, 2.0, x); smoothstep(y, y + 2.0, x)
fma(x, y, z); mod(x, 0.3); mod(x, y); fmod(x, y); fract(y); asinh(x); acosh(2.0 + x); atanh(z); sign(x) * floor(y)
trunc(x); step(x, y) * x; length(dvec2(x, y)); distance(dvec2(x, 1.0), dvec2(y, z)); dot(dvec3(x), dvec3(y, z, x))
normalize(dvec2(x, y)).x; reflect(dvec2(x, y), dvec2(y, x)).y; refract(dvec2(x, y), dvec2(0.6, 0.8), 0.7).x
refract(normalize(dvec2(x, y)), normalize(dvec2(y, z)), 0.7).x; mix(dvec2(x), dvec2(y), z).y
mix(dvec2(x), dvec2(y), bvec2(true, false)).y; faceforward(dvec2(x, y), dvec2(y, 1.0), dvec2(x, y)).x
clamp(dvec2(x, y), 0.0, 0.5).y; max(dvec2(x, y), y).x; pow(dvec2(x, y) + 2.0, dvec2(y, 1.5)).x; ldexp(x, 3)
determinant(dmat3(x, y, z, 1.0, 2.0, x, y, y, x)); determinant(dmat4(x)); inverse(dmat2(x, 2.0, y, z))[0].y
(dmat2x3(x, y, z, 1.0, 2.0, x) * dvec2(x, y)).z; (dvec3(x, y, z) * dmat2x3(x, y, z, 1.0, 2.0, x)).y
(dmat3(x) * 2.0)[1][1]; (dmat2(x, y, z, 1.0) / (y + 3.0))[0].x; matrixCompMult(dmat2(x), dmat2(y))[1].y
(dmat2(x, y, z, 1.0) * x)[0].y; (x == y ? 1.0 : 2.0) * x; double(int(x * 3.0)) * y; saturate(X)
modf(x * 3.0, w) + w * x; dmat2(dmat3(x, y, z, 1.0, 2.0, x, y, y, x))[1].y; dmat3(dmat2(x, y, z, 1.0))[0].y * 2.0
dvec3(dvec4(x, y, z, x)).z; dvec2(z).y; exp(dvec3(x, y, z)).y; sin(dvec2(x))[int(y)]; roundEven(x); ceil(x) + x
isnan(x) ? x : y; cross(dvec3(x, y, z), dvec3(y, x, 1.0)).x; outerProduct(dvec2(x, y), dvec3(z, y, x))[2].x
transpose(dmat2x3(x, y, z, 1.0, 2.0, x))[1].x; round(y) + y; mix(x, y, x < 0.3)
]]

describe("derivatives of kernels", function()
    leaks.watch(setup, teardown)

    for _, case in ipairs(cases) do
        it("of " .. case[1], function()
            math.randomseed(7)
            local kernel = rill.kernel(case[2])
            for _ = 1, LONG and 2 or 1 do
                local options = {random = random, alone = LONG}
                for key, value in pairs(case[4] or {}) do options[key] = value end
                assert.is_nil(derivatives.check(kernel, case[3](), options))
            end
        end)
    end

    it("of adjoints #lanes", function()
        math.randomseed(9)
        local sum = rill.kernel [=[kernel void f(double a[], double x<>, out double r<>) {
            r = x;
            for (int i = 0; i < sizeof_stream(a).x; i++) r = r * a[i] + x * x; }]=]
        local places = {a_size = {4, 1, 1, 1}, a_mode = {0, 0, 0, 0}}
        for _, name in ipairs(LONG and {"a", "x"} or {}) do
            local kernel = sum:gradient {wrt = {name}}
            local arguments = {a = list(4), x = list(3), r_bar = list(3)}
            for key, value in pairs(name == "a" and places or {}) do arguments[key] = value end
            assert.is_nil(derivatives.check(kernel.made.kernel, arguments, {random = random, alone = LONG,
                wrt = {"a", "x", "r_bar"}}))
        end
        local functions = {
            function(x) return sum(x, rill.from({0.5, -0.25}, "double")):sum() end,
            function(x) return sum(rill.from({0.5, -0.25}, "double"), x):sum() end,
            (function()
                local k = rill.kernel "kernel void f(neighbor double u<>, out double r<>) { r = u[-1] * u[1] * u; }"
                return function(x) return k(x):sum() end
            end)(),
            (function()
                local k = rill.kernel [[kernel void f(double x<>, vout double v<>) {
                    for (int i = 0; double(i) < 4.0 * x; i++) push(v, x * x * double(i + 1)); }]]
                return function(x) return (k(x) ^ 2):sum() end
            end)(),
        }
        for _, f in ipairs(LONG and functions or {functions[3]}) do
            local x, v = rill.from({0.3, 0.8, 0.55}, "double"), rill.from({1, -0.5, 2}, "double")
            local h, step = rill.hvp(f, x, v), 1e-5
            local g = rill.grad(f)
            local slope = (g((x + step * v):eval()) - g((x - step * v):eval())) / (2 * step)
            assert.is_true(rill.abs(slope - h):max() < 1e-6)
        end
    end)

    -- Checks a kernel whose outputs are formulas.
    local function check_formulas(group)
        local signature, body, is_float = "", "", group[1]:find "X" ~= nil
        for i, formula in ipairs(group) do
            signature = signature .. (", out double r%d<>"):format(i)
            body = body .. (" r%d = %s;"):format(i, (formula:gsub("X", "float(x)")))
        end
        local text = ("kernel void f(double x<>, double y<>%s) { double z = 0.3 + 0.2 * x, w = 0.0;%s }"):format(
            signature, body)
        local found = derivatives.check(rill.kernel(text), {x = list(6), y = list(6)}, {
            random = random, alone = false, tolerance = is_float and 1e-6 or 1e-13, difference = is_float and
                0.1 or 1e-5,
            step = is_float and 1e-3 or 1e-6, near = #group > 1 and 1e-14 or nil, -- Mesa combines constants of products
        })
        assert.is_nil(found and table.concat(group, "; ") .. ": " .. found)
    end

    shortened(it, "of builtin functions #precise", function(whole)
        math.randomseed(8)
        local count, few, floats = 0, {}, {}
        for formula in formulas:gmatch "%s*([^;\n]+)" do
            local group = formula:find "X" and floats or few
            if whole or count % 3 == 0 then group[#group + 1] = formula end
            if #group == (whole and 1 or 6) then
                check_formulas(group)
                for i = #group, 1, -1 do group[i] = nil end
            end
            count = count + 1
        end
        for _, group in ipairs {few, floats} do
            if #group > 0 then check_formulas(group) end
        end
        assert.equal(77, count)
    end)

    it("refuses floats that become bits and floats again, also in functions", function()
        local kernel = rill.kernel [[
            int key(float x) { return floatBitsToInt(x); }
            kernel void least(float x<>, float y<>, out float r<>) { r = intBitsToFloat(min(key(x), key(y))); }
        ]]
        assert.has_error(function() kernel:gradient() end,
            "k:gradient: 'least' cannot be differentiated: 'intBitsToFloat' has no derivative")
    end)
end)
