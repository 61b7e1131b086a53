-- k:gradient and k:tangent of programs: side effects, exits of loops, targets with indices, arrays and structures in
-- functions, names, and the random kernels of make fuzz CASES=derivatives.
local rill = require "rill"
local derivatives = require "spec.support.derivatives"
local leaks = require "spec.support.leaks"

local lua <const> = os.getenv "RILL_LUA" or "lua5.4"
local X <const>, I <const> = {0.31, -0.72, 0.55, 0.9}, {0, 1, 2, 3}

-- Name, text, arguments. #long: other cases have the same constructs.
local cases = {
    {"a condition of do after break", [[kernel void f(double x<>, int n<>, out double r<>) {
        double s = x;
        int i = 0;
        do { s = sin(s) + x; if (i == n) break; } while (i++ < 2);
        r = s * double(i); }]], {x = X, n = I}},
    {"continue in do #long", [[kernel void f(double x<>, int n<>, out double r<>) {
        double s = x;
        int i = 0;
        do { s = sin(s) + x; if (i == n) continue; s *= x; } while (i++ < 2);
        r = s * double(i); }]], {x = X, n = I}},
    {"a counter after break", [[kernel void f(double x<>, int n<>, out double r<>) {
        double s = x;
        int i;
        for (i = 0; i < 10; i += 2) { s = sin(s) + x; if (i > n) break; s *= x; }
        uint j;
        for (j = 7u; j > 2u; j -= 2u) s *= x;
        r = s * double(i) * double(j); }]], {x = X, n = I}},
    {"a condition of for that assigns #long", [[kernel void f(double x<>, out double r<>) {
        double s = x;
        int i;
        for (i = 0; (s = sin(s) + x) < 1.2LF && i < 4; i++) s *= x;
        r = s * double(i); }]], {x = X}},
    {"a number of iterations from a double #long", [[kernel void f(double x<>, out double r<>) {
        double s = x;
        int i;
        for (i = 0; i < int(x * 5.0); i++) s = sin(s) + x;
        r = s * double(i); }]], {x = X}},
    {"indices with side effects", [[kernel void f(double x<>, out double r<>) {
        double a[4] = {x, x * x, 1.0, 2.0};
        int i = 0;
        a[i++] *= x;
        a[i++] += x * x;
        a[i++]++;
        r = a[0] * a[1] + a[2] * a[3] + double(i); }]], {x = X}},
    {"indices of arguments that a call changes #long", [[void g(inout int i, inout double v) { v = v * v; i = i + 1; }
    kernel void f(double x<>, out double r<>) {
        double a[4] = {x, x * x, 1.0, 2.0};
        int i = 0;
        g(i, a[i]);
        g(i, a[i]);
        r = a[0] * a[1] + x + a[2]; }]], {x = X}},
    {"the same value on both sides of a branch #long", [[kernel void f(double x<>, int n<>, out double r<>) {
        double v = x;
        switch (n) {
            case 0: v *= 0.5;
            case 1: if (x < 0.0) return; if (x > 100.0) break; v *= 0.25; break;
            case 2: r = 3.0 + x; break;
        }
        if (n > 1) v = x; else v = x;
        r += v; }]], {x = X, n = I}},
    {"declarations in switch #long", [[kernel void f(double x<>, int n<>, out double r<>) {
        switch (n) {
            case 0: double t; double a[2]; t = x; a[1] = t; r = t * a[1]; break;
            case 1: t = x * x; a[0] = x * t; a[1] = 2.0; r = t * a[0]; break;
            default: r = x;
        } }]], {x = X, n = I}},
    {"switch in a loop #long", [[kernel void f(double x<>, int n<>, out double r<>) {
        double s = x;
        for (int i = 0; i < 6; i++) {
            switch ((i + n) % 4) {
                case 0: continue;
                case 1: s = sin(s) + x;
                case 2: s *= x; if (s > 0.4) break; s += x; break;
                default: if (i > 4) return; s -= 0.5 * x;
            }
            s = s * 0.9 + 0.1 * x;
            r = s * s;
        } }]], {x = X, n = I}},
    {"arrays as inout and out #long", [[void g(inout double a[3], double k) { a[1] *= k; a[2] = a[0] * a[1]; }
    void h(out double a[3], double k) { a[0] = k; a[1] = k * k; a[2] = a[0] * a[1]; }
    kernel void f(double x<>, out double r<>) {
        double a[3] = {x, 2.0, 1.0}, b[3];
        g(a, x);
        g(a, a[2]);
        h(b, a[2]);
        h(a, x);
        r = a[0] * a[1] * a[2] + b[2]; }]], {x = X}},
    {"arrays as results", [[double[3] g(double k) {
        double a[3];
        a[0] = k;
        a[1] = k * k;
        a[2] = a[0] * a[1];
        if (k > 0.0) return a;
        a[0] = 3.0;
        return a;
    }
    kernel void f(double x<>, out double r<>) {
        double a[3] = g(x), b[3] = g(a[1]);
        b = a;
        r = a[0] * b[1] * g(b[2])[2]; }]], {x = X}},
    {"arrays that are read in one branch #long", [[kernel void f(double x<>, int n<>, out double r<>) {
        double a[3] = {x, 1.0, 2.0};
        if (n > 1) r = a[2] * a[0]; else for (int i = 0; i < n; i++) a[i] = sin(a[i + 1]) * x;
        r += a[0]; }]], {x = X, n = I}},
    {"structures as results", [[struct S { double a; dvec2 v; double w[2]; int n; };
    S make(double x) { S s; s.a = x; s.v = dvec2(x, x * x); s.w[0] = 1.0; s.w[1] = x; s.n = 2; return s; }
    void change(inout S s, out S t) { t = s; s.v.yx = s.v; s.w[1] *= s.a; if (s.a > 0.0) return; s.a = 2.0; }
    kernel void f(double x<>, out double r<>) {
        S s = make(x), t;
        change(s, t);
        change(t, s);
        S q[2] = S[](s, S(x, t.v, double[](x, 1.0), 3));
        r = s.a * s.v.x + t.v.y * t.w[1] + dot(s.v, t.v) * double(q[1].n) * q[1].a; }]], {x = X}},
    {"arrays of arrays and of structures #long", [[struct S { double a; dvec2 v; };
    kernel void f(double x<>, int n<>, out double r<>) {
        double a[2][3];
        S q[3];
        for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) a[i][j] = x * double(i + j);
        for (int i = 0; i < 3; i++) { q[i].a = x; q[i].v = dvec2(x, double(i)); }
        for (int k = 0; k <= n; k++) {
            a[k % 2][(k + 1) % 3] = sin(a[(k + 1) % 2][k % 3]);
            q[k % 3].v.yx *= q[(k + 1) % 3].v;
            q[k % 3].a += q[k % 3].v[k % 2];
            S t = q[0];
            q[0] = q[1];
            q[1] = t;
        }
        a[1] = a[0];
        r = a[1][2] * a[0][1] + a[1][1] + q[0].a * q[1].v.x + q[2].v.y; }]], {x = X, n = I}},
    {"long arrays #long", [[kernel void f(double x<>, int n<>, out double r<>) {
        double a[40];
        for (int i = 0; i < 40; i++) a[i] = x * double(i) * 0.1;
        for (int i = 0; i < n; i++) a[i * 7] = sin(a[i * 7 + 1]) * a[i];
        for (int i = 0; i < 40; i++) r += a[i] * a[i]; }]], {x = X, n = I}},
    {"loops without iterations", [[kernel void f(double x<>, out double r<>) {
        double s = x;
        for (int i = 3; i < 3; i++) s = sin(s) * x;
        for (int i = 0; i < 0; i++) s *= s;
        r = s; }]], {x = X}},
    {"loops without conditions #long", [[kernel void f(double x<>, int n<>, out double r<>) {
        double s = x;
        int i = 0;
        while (true) { s = sin(s) * x + x; if (i++ >= n) break; }
        r = s * double(i);
        for (;;) { r *= 1.5; if (r > 10.0 || i++ > 20) return; } }]], {x = X, n = I}},
    {"a long loop #long", [[kernel void f(double x<>, out double r<>) {
        double s = x;
        for (int i = 0; i < 1000; i++) s = sin(s * 1.1) + 0.01 * x;
        r = s; }]], {x = X}},
    {"nested choices", [[kernel void f(double x<>, int n<>, out double r<>) {
        r = n == 0 ? sin(x) : n == 1 ? cos(x) : n == 2 ? x * x : n == 3 ? x * x * x : n == 4 ? exp(x) : n == 5 ? x :
            n == 6 ? sqrt(x) : n == 7 ? x + 1.0 : n == 8 ? x - 2.0 : n == 9 ? 2.0 * x : n == 10 ? 3.0 * x :
            n == 11 ? 4.0 * x : n == 12 ? 5.0 * x : n == 13 ? 6.0 * x : n == 14 ? 7.0 * x : n == 15 ? 8.0 * x :
            n == 16 ? 9.0 * x : n == 17 ? 1.1 * x : n == 18 ? 1.2 * x : n == 19 ? 1.3 * x : n == 20 ? 1.4 * x :
            n == 21 ? 1.5 * x : n == 22 ? 1.6 * x : n == 23 ? 1.7 * x : n == 24 ? 1.8 * x : 1.9 * x; }]],
        {x = X, n = I}},
    {"calls of kernels", [[kernel void g(double x<>, out double r<>) { r = x * x; r *= x; }
    kernel void f(double x<>, out double r<>) { double t; g(x, t); g(t, r); r += x; }]], {x = X}},
    {"operations of ints", [[struct S { int n; ivec2 k; double a; };
    kernel void f(double x<>, int n<>, out double r<>) {
        int m = n << 1 | 1;
        m ^= 5;
        int k = -m;
        m -= k--;
        ivec2 v = ivec2(m, k);
        v.yx = v + 1;
        v.x++;
        S s = S(n, ivec2(n, 2), x);
        s.k.x += s.n++;
        s.k[n % 2] *= 3;
        S t = s;
        t.a *= double(t.k.x + s.k.y) * s.a;
        r = t.a + s.a * double(s.n) + x * double(v.x * v.y); }]], {x = X, n = I}},
    {"fields that are named like components #long", [[struct S { dvec2 start; double st; dvec3 xx; };
    kernel void f(double x<>, out double r<>) {
        S s = S(dvec2(x, 2.0), x * x, dvec3(x));
        s.start *= s.xx.xx * s.start.yx;
        r = s.start.x * s.st + s.xx.z * s.start.y + dot(s.xx.zzy, s.xx); }]], {x = X}},
    {"many gathers #long", [=[kernel void f(double a[], int n<>, out double r<>) {
        r = a[n] * a[n + 1] + a[n * n] * a[2 * n] * a[3] + sin(a[n * 3] * a[5 - n]) * a[n % 2];
        if (n > 1) r *= a[n - 1] + a[n - 2] * a[0] - a[1] * a[n / 2]; }]=],
        {n = I, a = {0.3, 0.5, 0.2, 0.9, 0.7, 0.4}}},
    {"shadowed names", [[kernel void f(double x<>, out double r<>) {
        double t = x;
        { double t = x * x; r += t; { double t = 3.0 * x; t *= t; r += t; } r *= t; }
        for (int t = 0; t < 3; t++) r += x * double(t);
        r *= t; }]], {x = X}},
}

describe("derivatives of programs", function()
    leaks.watch(setup, teardown)

    for _, case in ipairs(cases) do
        it("with " .. case[1], function()
            math.randomseed(9)
            local options = {random = function() return math.random() * 2 - 1 end, difference = 1e-5}
            assert.is_nil(derivatives.check(rill.kernel(case[2]), case[3], options))
        end)
    end

    it("refuse names that a derivative needs", function()
        local texts = {
            "kernel void f(double x<>, double x_dot<>, out double r<>) { r = x * x_dot; }",
            "kernel void f(double x<>, double r_bar, out double r<>) { r = x * r_bar; }",
            "kernel void f(inout double x<>, double x_new) { x = x * x * x_new; }",
            "kernel void f(double x<>, double v_first, vout double v<>) { if (x > 0.0) push(v, x * v_first); }",
        }
        for _, text in ipairs(texts) do
            local kernel = rill.kernel(text)
            assert.error_matches(function()
                kernel:tangent()
                kernel:gradient()
            end, "'f' cannot be differentiated: its derivative has a parameter '%w+_%l+' of its own")
        end
    end)

    it("of neighbors at computed offsets with the modes of the signature", function()
        for _, mode in ipairs(os.getenv "RILL_SUITE_LONG" and
            {"wrap", "mirror", "zero", "1.5", "clamp"} or {"1.5"}) do
            local text = "kernel void f(neighbor(%s) double u<>, int n<>, out double r<>) { r = sin(u[n - 2]) * u; }"
            local options = {random = function() return math.random() * 2 - 1 end}
            assert.is_nil(derivatives.check(rill.kernel(text:format(mode)), {u = X, n = {0, 1, 3, 5}}, options), mode)
        end
    end)

    -- #long: neighbors and pushed elements have tests of their own.
    it("of neighbors that are pushed #long", function()
        local text = "kernel void f(neighbor double u<>, vout double v<>) { push(v, sin(u[1]) * u); }"
        local options = {random = function() return math.random() * 2 - 1 end}
        assert.is_nil(derivatives.check(rill.kernel(text), {u = X}, options))
    end)

    -- Runs the cases of seeds after `seed` in a process of their own. Nothing is refused.
    local function random_programs(seed, count)
        local path = os.tmpname()
        local command = "timeout %d %s fuzz/worker.lua derivatives %d %d 65536 true %s"
        assert.is_true(os.execute(command:format(120 + 5 * count, lua, seed, count, path)))
        local good = 0
        for line in io.lines(path) do
            assert.is_nil(line:match "^left.*" or line:match "^fail.*")
            good = good + (line:find "^good" and 1 or 0)
        end
        os.remove(path)
        assert.equal(count, good)
    end

    it("at random", function() random_programs(0, os.getenv "RILL_SUITE_LONG" and 5 or 1) end)
    it("at random, 12 programs #long", function() random_programs(10, 12) end)
end)
