-- Kernels compute what their text says: every operation as required by IEEE 754, remainders as in C. RILL_FUZZ
-- is the number of random kernels that are compared with Lua, RILL_FUZZ_SEED their seed.
local rill = require "rill"
local leaks = require "spec.support.leaks"

local inf <const>, nan <const> = 1 / 0, 0 / 0

-- Converts numbers to texts that distinguish NaN and the signs of zeros.
local function shown(values)
    local out = {}
    for _, value in ipairs(values) do
        for _, v in ipairs(type(value) == "table" and value or {value}) do
            out[#out + 1] = v ~= v and "nan" or math.type(v) == "integer" and tostring(v) or ("%.17g"):format(v)
        end
    end
    return table.concat(out, " ")
end

local LONG <const> = os.getenv "RILL_SUITE_LONG"

-- Returns a list, or in the short mode every second of its items.
local function some(list)
    if LONG then return list end
    local out = {}
    for i = 1, #list, 2 do out[#out + 1] = list[i] end
    return out
end

local function result(text, ...)
    return shown(rill.kernel(text)(...):values())
end

local function of_one(body, x, type)
    type = type or "float"
    return result(("kernel void f(%s x<>, out %s r<>) { %s }"):format(type, type, body), x)
end

describe("kernels", function()
    leaks.watch(setup, teardown)

    it("keep operations on matrices", function()
        local a = rill.from {1, 3, 5}
        local head = "kernel void f(float a<>, out float r<>) { mat2 x = mat2(a); "
        for _, body in ipairs {
            "x = (x + mat2(1e8)) - mat2(1e8); r = x[0][0]; }", "x = (1e8 + x) - 1e8; r = x[1][1]; }",
            "x += 1e8; x -= mat2(1e8); r = x[0][0]; }", "x--; x++; x += 1e8; r = (x -= 1e8)[0][0]; }",
            "x += mat2(1e8); mat2 y = x++; r = (y - mat2(1e8))[0][0]; }",
            "mat2 v[2]; v[1] = x; ++v[1]; --v[1]; v[1] += 1e8; v[1] -= 1e8; r = v[1][0][0]; }",
        } do
            assert.equal("0 0 8", result(head .. body, a), body)
        end
        assert.equal("0", result("kernel void f(float a<>, out float r<>) { "
            .. "mat2x4 x = mat2x4(vec4(3.0, 0.0, 1e8, 1.0), vec4(1.0)); "
            .. "r = (x - (x - mat2x4(vec4(0.5), vec4(0.5))))[0][2]; }", rill.from {1}))
    end)

    it("make matrices from one constant as from one variable", function()
        for k, value in ipairs {"%s", "mat2(%s)", "mat3x2(%s)", "mat4x2(%s)", "mat4x3(%s)", "mat2x3(%s)"} do
            for n, type in ipairs {"mat4x2", "mat3", "mat4"} do
                if not LONG and (k + n) % 3 > 0 then goto next end
                local body = "kernel void f(float a<>, out float r<>) { " .. type .. " m = " .. type .. "(" .. value
                    .. "); r = m[2][%d] + 10.0 * m[%d][0] + 100.0 * m[1][1]; }"
                local last = type == "mat3" and 2 or 3
                local row = type == "mat4x2" and 1 or 2
                assert.equal(result(body:format("a", row, last), rill.from {7}),
                    result(body:format("7.0", row, last), rill.from {7}), body)
                ::next::
            end
        end
    end)

    it("keep steps of elements with random access", function()
        for _, step in ipairs {"w[0]--", "--w[0]", "r += w[0]--", "w[0]++", "r = -(++w[0])"} do
            local w = rill.from {33554432}
            rill.kernel("kernel void f(float x<>, inout float w[], out float r<>) { r = 0.0; "
                .. "for (int i = 0; i < 4; i++) { " .. step .. "; } }")(rill.from {1}, w)
            assert.equal("33554432", shown(w:values()), step)
        end
        local w, k = rill.from {5}, rill.kernel [=[kernel void f(float x<>, inout float w[], out vec4 r<>) {
            r = vec4(w[0]++, 0.0, 0.0, 0.0);
            r.y = ++w[0]; r.z = w[0]--; r.w = -(--w[0]);
        }]=]
        assert.equal("5 7 7 -5", shown(k(rill.from {1}, w):values()))
    end)

    it("keep the order of sums", function()
        local a, b = rill.from {1, 3, 5}, rill.from {1e8, 1e8, 1e8}
        local head = "kernel void f(float a<>, float b<>, out float r<>) "
        for _, body in ipairs(some {
            "{ r = (a + b) - b; }", "{ r = a; r += b; r -= b; }",
                "{ float2 v = float2(a, b); v.x += v.y; v.x -= v.y; r = v.x; }",
            "{ float v[2]; v[0] = a + b; v[1] = v[0] - b; r = v[1]; }", "{ r = a > 0.0 ? (a + b) - b : 0.0; }",
            "{ r = 0.0; if (a + b - b == 0.0) r = 0.0; else r = 8.0; }",
                "{ r = 8.0; while (a + b - b == 0.0 && r > 0.0) r = 0.0; }",
            "{ r = 8.0; for (int i = 0; i < 3; i++) if (!((a + b) - b != 0.0)) { r = 0.0; break; } }",
            "{ const float c = (a + b) - b; r = c; }", "{ precise float c = (a + b) - b; r = c; }",
        }) do
            assert.equal("0 0 8", result(head .. body, a, b), body)
        end
        for _, text in ipairs(some {
            "float g(float x, float y) { return (x + y) - y; } " .. head .. "{ r = g(a, b); }",
            "float g(float x) { return x; } " .. head .. "{ r = g((a + b) - b); }",
            "float g(float v[2]) { return v[1]; } " .. head .. "{ r = g(float[2](a, (a + b) - b)); }",
            head .. "{ r = float[](a, (a + b) - b)[1]; }",
            "void g(float x, inout float y) { y = x + y; y -= x; } " .. head .. "{ r = a; g(b, r); }",
            "struct S { float x; float y; }; " .. head .. "{ S s; s.x = a + b; s.y = s.x - b; r = s.y; }",
            "kernel float f(float a<>, float b<>) { return (a + b) - b; }",
            "kernel void f(float a<>, float b<>, vout float r<>) { push(r, (a + b) - b); }",
            "kernel(3) void f(float a<>, float b<>, out float r<>) { shared float s[3]; int i = localid(); " ..
                "s[i] = a + b; s[i] -= b; r = s[i]; }",
        }) do
            assert.equal("0 0 8", result(text, a, b), text)
        end
        assert.equal("0 0 8", shown(rill.kernel(head .. "{ r = (a + b) - b; }", {dialect = "brook"})(a, b):values()))
    end)

    it("keep the order of sums in streams that are written at random", function()
        for _, body in ipairs {"g[i] = a + b - b;", "g[i] = a; g[i] += b; g[i] -= b;", "g[i] += (a + b) - b;"} do
            local g = rill.from {0, 0, 0}
            rill.kernel("kernel void f(float a<>, float b<>, inout float g[]) { int i = indexof(a).x; " .. body ..
                " }")(
                rill.from {1, 3, 5}, rill.from {1e8, 1e8, 1e8}, g)
            assert.equal("0 0 8", shown(g:values()), body)
        end
    end)

    it("keep the order of sums in values that are not assigned to a variable", function()
        local a, b, E = rill.from {1, 3, 5}, rill.from {1e8, 1e8, 1e8}, "((a + b) - b)"
        local head = "kernel void f(float a<>, float b<>, out float r<>) "
        for _, body in ipairs(some {
            "switch (int(E)) { case 0: r = 0.0; break; case 8: r = 8.0; break; default: r = 1.0; }",
            "r = 8.0; do { if (E == 0.0) r = 0.0; } while (false);", "r = float(int(E) % 9);",
            "r = normalize(float2(E, 0.0)).x == 1.0 ? 8.0 : 0.0;", "r = !(E == 0.0) && a > 0.0 ? 8.0 : 0.0;",
            "float x[10]; for (int i = 0; i < 10; i++) x[i] = float(i); r = x[int(E)];",
            "r = 1.0 / E > 1.0 ? 0.0 : 8.0;", "r = exp2(E) == 1.0 ? 0.0 : exp2(E) == 256.0 ? 8.0 : 1.0;",
            "r = bool(E) ? 8.0 : 0.0;", "r = float(double(E));", "r = 0.0; while (r < E) r += 1.0;",
        }) do
            assert.equal("0 0 8", result(head .. "{ " .. body:gsub("E", E) .. " }", a, b), body)
        end
        for _, text in ipairs(some {
            "float g(float x) { return x; } HEAD { r = g(a > 0.0 ? E : 1.0); }",
            "float2 g(float2 x) { return x; } HEAD { r = g(float2(E, E)).y; }",
            "mat2 g(mat2 x) { return x; } HEAD { r = g(mat2(E, E, E, E))[1].y; }",
            "struct S { float x; float y; }; float g(S s) { return s.y; } HEAD { r = g(S(E, E)); }",
            "float g(float x, float y) { if (x + y - y == 0.0) return 0.0; return 8.0; } HEAD { r = g(a, b); }",
            "kernel void f(float a<>, float b<>, vout float r<>) { push(r, a > 0.0 ? E : 1.0); }",
            "kernel void f(float a<>, float b<>, vout float r<>) { r = a; r += b; r -= b; push(r); }",
            "kernel void f(float a<>, float b<>, vout float r<>) { if (E == 0.0) push(r, 0.0); else push(r, 8.0); }",
            "kernel(3) void f(float a<>, float b<>, out float r<>) { shared int s[3]; int i = localid(); s[i] = 0; " ..
                "atomicAdd(s[i], int(E)); barrier(); r = float(s[i]); }",
        }) do
            assert.equal("0 0 8", result((text:gsub("HEAD", head):gsub("%f[%w]E%f[%W]", E)), a, b), text)
        end
        for type, statements in pairs {
            float = {
                "g[i] = a > 0.0 ? E : 1.0;", "g[i] = 1.0; g[i] *= E;", "g[i] = 1.0; g[i] /= 1.0 / E;", "h(g[i], E);",
            },
            int = {
                "g[i] |= int(E);", "atomicAdd(g[i], int(E));", "atomicMax(g[i], int(E));",
                "atomicExchange(g[i], int(E));", "atomicCompSwap(g[i], 0, int(E));",
                "g[i] = 100; g[i] %= int(E) == 0 ? 100 : 92;",
            },
        } do
            for _, statement in ipairs(some(statements)) do
                local g = rill.from({0, 0, 0}, type)
                rill.kernel("void h(out float x, float y) { x = y; } " ..
                    "kernel void f(float a<>, float b<>, inout " .. type .. " g[]) { int i = indexof(a).x; " ..
                    statement:gsub("E%f[%W]", E) .. " }")(a, b, g)
                assert.equal("0 0 8", shown(g:values()), statement)
            end
        end
        local g = rill.from({{0, 0}, {0, 0}, {0, 0}}, "float2")
        rill.kernel [[kernel void f(float a<>, float b<>, inout float2 g[]) {
            int i = indexof(a).x; g[i].xy = float2(a); g[i].yx += float2(b); g[i] -= float2(b); }]](a, b, g)
        assert.equal("0 0 0 0 8 8", shown(g:values()))
    end)

    it("keep what compensates rounding", function()
        local k = rill.kernel [[
            reduce void total(float2 x<>, reduce float2 a<>) {
                float s = a.x + x.x, z = s - a.x;
                a.y += (a.x - (s - z)) + (x.x - z) + x.y;
                a.x = s;
            }]]
        local values, exact = {}, 0
        for i = 1, 3001 do
            values[i] = {i % 3 == 0 and 1e8 or i % 3 == 1 and -1e8 + 8 or 0.5 ^ (i % 7), 0}
            exact = exact + values[i][1]
        end
        local sum = k(rill.from(values, "vec2"))
        assert.near(exact, sum[1] + sum[2], 1e-3)
    end)

    it("heed NaN, infinities and signs of zero", function()
        local x = rill.from {inf, -inf, nan, 2, -0.0}
        assert.equal("nan nan nan 0 -0", of_one("r = x * 0.0;", x))
        assert.equal("nan nan nan 0 -0", of_one("r = 0 * x;", x))
        assert.equal("nan nan nan 0 0", of_one("r = x - x;", x))
        assert.equal("inf -inf nan 2 0", of_one("r = x + 0.0;", x))
        assert.equal("-inf inf nan -2 0", of_one("r = 0.0 - x;", x))
        assert.equal("nan nan nan 1 nan", of_one("r = x / x;", x))
        assert.equal("nan nan nan 0 -0", of_one("r = 0.0; r = x * r;", x))
        assert.equal("nan nan nan 0 -0", of_one("r *= x;", x))
        assert.equal("0 0 1 0 0", of_one("r = !(x < 3.0) && !(x >= 3.0) ? 1.0 : 0.0;", x))
        assert.equal("nan nan nan 0 0", of_one("r = 1.0; for (int i = 0; i < 2; i++) r = x * float(i) * r;", x))
        assert.equal("nan nan nan 0 -0", of_one("r = x * 0.0LF;", x:cast "double", "double"))
        assert.equal("nan nan nan 0 0", of_one("r = x - x;", x:cast "double", "double"))
        assert.equal("nan 0 nan 0 nan 0", result(
            "kernel void f(float x<>, out float2 r<>) { r = float2(x, 2.0) * float2(0, 0); }",
            rill.from {inf, -inf, nan}))
    end)

    it("multiply by whole numbers that are zero and become floats", function()
        local x = rill.from {inf, nan, 2}
        for _, body in ipairs {
            "const int k = 0; r = x * k;", "int k = 0; r = x * k;", "r = x * (n - n);", "int k = 0; r = x; r *= k;",
            "int k = 0; float y = k; r = x * y;", "r = x * -0;", "uint k = 0u; r = k * x;", "r = x * (n > 0 ? 0 : 1);",
            "ivec2 k = ivec2(0); vec2 v = vec2(x) * k; r = v.y;", "r = product(x, n - n);", "r = x * zero(n);",
            "r = x * (1.0 - 1.0);", "r = (0.5 * 2.0 - 1.0) * x;",
            "const float c = 2.0; r = x * (c - 2.0);", "r = x * -(1.0 - 1.0) + 0.0;",
            "r = 0.0; for (int i = 0; i < 2; i++) r += x * i; r = r - 2.0;",
        } do
            local k = rill.kernel("float product(float a, float b) { return a * b; }\n" ..
                "float zero(int n) { return n - n; }\n" ..
                "kernel void f(float x<>, int n, out float r<>) { " .. body .. " }")
            assert.equal("nan nan 0", shown(k(x, 3):values()), body)
        end
        local k = rill.kernel "kernel void f(int a, float x<>, out float r<>) { r = a * x; }"
        assert.equal("nan nan 0", shown(k:specialize {a = 0}(x):values()))
    end)

    it("convert by rounding", function()
        assert.equal("16777216 -16777216 5", shown(rill.from({16777217, -16777217, 5},
            "int"):map "int(float(x))":values()))
        assert.equal("16777216 -16777216 5", of_one("float y = x; r = int(y);", rill.from({16777217, -16777217, 5},
            "int"), "int"))
    end)

    it("divide by zero", function()
        local x = rill.from {2.7, -1, 0, nan, inf}
        for _, body in ipairs {
            "r = x / 0.0;", "r = x / 0;", "r = x; r /= 0.0;", "float d = 0.0; r = x / d;",
                "float d = 3.0 - 3.0; r = x / d;",
            "int n = 0; r = x / float(n);", "r = x / (float)0;", "r = (float2(x, x) / float2(0.0, 1.0)).x;",
            "r = 0.0; for (int i = 0; i < 2; i++) r += x / float(i);", "const float d[2] = {0.0, 1.0}; r = x / d[0];",
            "r = (x + 1.0) / (d * 0.0) - 1.0 / (d * 0.0);",
        } do
            local want = body:find "1.0 / %(" and "nan nan nan nan nan" or "inf -inf nan nan inf"
            local text = "const float d = 1.0; kernel void f(float x<>, out float r<>) { " .. body .. " }"
            assert.equal(want, result(text, x), body)
        end
        assert.equal("inf -inf nan nan inf", result(
            "const float z = 0.0; kernel void f(float x<>, out float r<>) { r = x / z; }", x))
        assert.equal("inf -inf nan nan inf", result(
            "const float z[2] = {1.0, 0.0}; kernel void f(float x<>, out float r<>) { r = x / z[1]; }", x))
        assert.equal("inf 7 7 7 inf", of_one("float d = 0.0; r = x > 0.0 ? 100.0 + x / d : 7.0;", x))
        assert.equal("nan nan nan nan nan", of_one("r = mod(x, 0.0);", x))
        assert.equal("nan nan nan nan nan", result(
            "kernel void f(float x<>, float y<>, out float r<>) { r = mod(x, y); }",
            x, rill.from {0, 0, 0, 0, 0}))
        assert.equal("inf -inf nan nan inf", of_one("r = x / 0.0LF;", x:cast "double", "double"))
        assert.equal("inf -inf nan nan inf", shown(x:map "x / 0.0":values()))
    end)

    it("divide by zero where it is a constant that is fixed", function()
        local x = rill.from {2.7, -1, 0}
        local want = "inf -inf nan"
        local function fixed(type, zero, expression)
            local k = rill.kernel(("kernel void f(%s a, float x<>, out float r<>) { r = %s; }"):format(type,
                expression))
            return shown(k:specialize {a = zero}(x):values()), shown(k(zero, x):values())
        end
        for _, case in ipairs {
            {"float", 0, "x / a"}, {"float3", {1, 0, 1}, "x / a.y"}, {"float2", {0, 1}, "(float2(x, x) / a).x"},
                {"double", 0, "float(x / a)"},
            {"int", 0, "x / float(a)"}, {"mat2", {{1, 0}, {0, 1}}, "x / a[0][1]"}, {"half", 0, "x / a"},
        } do
            local one, other = fixed(table.unpack(case))
            assert.same({want, want}, {one, other}, case[1])
        end
        assert.equal("nan 0", shown(rill.kernel "kernel void f(float a, float x<>, out float r<>) { r = a * x; }"
            :specialize {a = 0}(rill.from {inf, 3}):values()))
    end)

    it("compute remainders as in C", function()
        local x = rill.from({-7, -8, 7, -2147483648, 2147483647}, "int")
        for body, want in pairs {
            ["r = x % 3;"] = "-1 -2 1 -2 1", ["r = x % -3;"] = "-1 -2 1 -2 1", ["r = x % -1;"] = "0 0 0 0 0",
                ["r = x; r %= 3;"] = "-1 -2 1 -2 1",
            ["r = 2 + (x % 5 * 3 - -x % 3) % 7 - 1 * 2;"] = "0 -4 0 0 0",
                ["int b[2]; b[1] = x; b[1] %= 4; r = b[1];"] = "-3 0 3 0 3",
            ["r = (int)(x) % 3;"] = "-1 -2 1 -2 1", ["r = x < 0 ? x % 3 : -(x % 4);"] = "-1 -2 -3 -2 -3",
                ["r = x % 100 % 7;"] = "0 -1 0 -6 5",
            ["int b[7 % 4]; b[0] = x; const int n = 8; int c[n % 5]; c[2] = b[0]; r = c[N % 3] % N;"] = "-2 -3 2 -3 2",
            ["switch (x % 4) { case -7 % 4: r = 1; break; case 3: r = 2; break; default: r = 3; }"] = "1 3 2 3 2",
        } do
            assert.equal(want, result("const int N = 5; kernel void f(int x<>, out int r<>) { " .. body .. " }", x),
                body)
        end
        local y = rill.from({-7, -8, 7}, "int")
        for body, want in pairs {
            ["r = int2(x, 9) % int2(3, -4);"] = "-1 1 -2 1 1 1", ["r = int2(x, 9) % 4;"] = "-3 1 0 1 3 1",
                ["r = 10 % int2(x, -x);"] = "3 3 2 2 3 3",
            ["r = int2(x, 9); r %= int2(3, 2);"] = "-1 1 -2 1 1 1", ["r = int2(x, 9); r %= 3; r.y %= 2;"] =
                "-1 0 -2 0 1 0",
            ["r = int2(int3(x, x, x) % int3(2, 3, 4)); r.y = int4(x).z % 3;"] = "-1 -1 0 -2 1 1",
        } do
            assert.equal(want, result("kernel void f(int x<>, out int2 r<>) { " .. body .. " }", y), body)
        end
        assert.equal("0 2 1", result("kernel void f(int x<>, out uint r<>) { r = uint(x) % 3u; }", y))
        assert.equal("1 0 1", result("kernel void f(int x<>, out uint r<>) { r = uint(x); r %= 2; }", y))
        assert.equal("-1 -2 1", shown(y:map "x % 3":values()))
        for _, body in ipairs {"r = x % 3;", "r = x; r %= 3;"} do
            assert.equal("-1 -2 1", shown(rill.kernel("kernel void f(int x<>, out int r<>) { " .. body .. " }",
                {dialect = "brook"})(y):values()))
            assert.equal("-1 -2 1", shown(rill.kernel("kernel void f(int x<>, out int r<>) { " .. body .. " }",
                {fast = true})(y):values()))
        end
        local g, h = rill.from({-7, -8, 7}, "int"), rill.from({{-7, 1, 2}, {-8, 1, 2}, {7, 1, 2}}, "int3")
        rill.kernel "kernel void f(int x<>, inout int g[]) { g[indexof(x).x] %= 3; }"(y, g)
        rill.kernel "kernel void f(int x<>, inout int3 g[]) { g[indexof(x).x].x %= 3; }"(y, h)
        assert.equal("-1 -2 1", shown(g:values()))
        assert.equal("-1 1 2 -2 1 2 1 1 2", shown(h:values()))
    end)

    it("handle nested conditional operators", function()
        local x = rill.from {1, 2, 3, 4}
        local choice = "x > 1.5 ? (x > 2.5 ? 1.0 : 2.0) : 4.0"
        for _, body in ipairs {
            "r = float2(CHOICE, 1.0).x;", "r = float(CHOICE);", "r = 1.0; r *= CHOICE;",
            "r = 8.0; r /= 8.0 / (CHOICE);", "r = 8.0 / (float)(CHOICE); r = 8.0 / r;",
            "float v[2] = {CHOICE, 0.0}; r = v[0];", "r = max(0, CHOICE);",
        } do
            assert.equal("4 2 1 1", of_one(body:gsub("CHOICE", choice), x), body)
        end
        assert.equal("4 2 1 1", result("float g(float x) { return " .. choice .. "; } " ..
            "kernel void f(float x<>, out float r<>) { r = g(x); }", x))
        local g = rill.from {0, 0, 0, 0}
        rill.kernel("kernel void f(float x<>, inout float g[]) { g[indexof(x).x] = " .. choice .. "; }")(x, g)
        assert.equal("4 2 1 1", shown(g:values()))
        assert.equal("1 2 1 1", of_one("r = 5; r %= x > 1 ? (x > 2 ? 2 : 3) : 4;", rill.from({1, 2, 3, 4}, "int"),
            "int"))
    end)

    it("compute an index that has effects once", function()
        local x = rill.from {1, 2, 3, 4}
        for _, index in ipairs {"atomicAdd(n[0], 1)", "(k += 2) - 1", "(k *= 2) + 1", "k++"} do
            local g, n = rill.from {0, 0, 0, 0, 0, 0, 0, 0}, rill.from({0}, "int")
            rill.kernel("kernel void f(float x<>, inout float g[], inout int n[]) { int k = indexof(x).x; g[" ..
                index .. "] += 2.0; n[0] += 0; }")(x, g, n)
            local want = {
                ["(k += 2) - 1"] = "0 2 2 2 2 0 0 0", ["(k *= 2) + 1"] = "0 2 0 2 0 2 0 2",
            }
            assert.equal(want[index] or "2 2 2 2 0 0 0 0", shown(g:values()), index)
            assert.equal(index:find "atomic" and "4" or "0", shown(n:values()), index)
        end
    end)

    it("join conditions as GLSL does", function()
        local x = rill.from {1, 2, 3}
        local p, q, n = "x + 1.0 > 0.0", "x - 1.0 > 0.5", "x - 9.0 > 0.0"
        assert.equal("1 1 1", of_one(("r = %s ^^ %s && %s ? 1.0 : 0.0;"):format(p, p, n), x))
        assert.equal("1 0 0", of_one(("r = %s && %s ^^ %s ? 1.0 : 0.0;"):format(p, p, q), x))
        assert.equal("0 1 1", of_one(("r = 0.0; if (%s || %s ^^ %s && %s) r = 1.0;"):format(n, n, p, q), x))
        assert.equal("1 1 1", of_one(("bool b = %s ^^ %s || %s && %s; r = b ? 1.0 : 0.0;"):format(p, n, q, n), x))
    end)

    it("divide by whole constants that are zero", function()
        local x = rill.from {2.7, -1, 0}
        for _, body in ipairs {
            "r = x / N;", "const int n = 0; r = x / n;", "r = x / 0u;", "r = x; r /= 0u;", "r = x / (N * 2);",
            "const uint n = 0u; r = x / n;", "const int n = 3 - 3; r = x / float(n);",
        } do
            assert.equal("inf -inf nan", result("const int N = 0; kernel void f(float x<>, out float r<>) { " ..
                body .. " }", x), body)
        end
        assert.equal("nan 0", of_one("r = x * 0u;", rill.from {inf, 3}))
        assert.equal("nan 0", of_one("const float d = 3.0 - 3.0; r = x * d;", rill.from {inf, 3}))
        assert.equal("nan 0", of_one("const double d = 0.0lf; r = x * d;", rill.from({inf, 3}, "double"), "double"))
    end)

    it("leave lengths and labels as they are", function()
        local x = rill.from {1, 2, 3}
        for _, body in ipairs {
            "const float d = 2.0; const int n = int(8.0 / d); float a[n]; a[3] = x; r = a[3];",
            "const int n = int(0.0) + 4; float a[n]; a[3] = x; r = a[3];",
            "const float z = 0.0, y = 1.0 - z; const int n = int(z + y) + 3; float a[n]; a[3] = x / y - z; r = a[3];",
            "const int n = max(8 / N, 1) + 2; float a[n], b[7 % n]; a[3] = x; b[2] = a[3]; r = b[2];",
            "const int k = int(x), n = 4; float a[n]; a[3] = x; r = a[3] + float(k - int(x));",
            "float[8 % N] a = float[8 % N](0, x); r = a[1] + a[0];", "float a[2] = float[](0, x); r = a[1];",
            "switch (int(x)) { case 7 % N: r = 1.0; break; case N - 1 > 1 ? 2 : 9: r = 2.0; break; " ..
                "case 9 / N: r = 3.0; break; default: r = 0.0; }",
        } do
            local text = "const int N = 3; kernel void f(float x<>, out float r<>) { " .. body .. " }"
            assert.equal("1 2 3", result(text, x), body)
        end
        assert.equal("-1 -2 0", of_one("const int n = 4, m = -x % 3; r = m + n - 4;", rill.from({1, 2, 3}, "int"),
            "int"))
    end)

    it("say what operands must be", function()
        for body, message in pairs {
            ["r = x % 2.0;"] = "write mod(x, y)", ["x %= 2.0; r = x;"] = "write mod(x, y)",
            ["r = x / true;"] = "a bool is not a number", ["g[0] = g; r = x;"] = "expected float, got a stream",
            ["g[0] = x > 1.0; r = x;"] = "cannot convert bool to float",
            ["r = 0.0; if (x * 2.0) r = 1.0;"] = "a condition must be a bool, got float",
            ["r = x * 2.0 ? 1.0 : 0.0;"] = "expected a bool, got float",
            ["g[0] = mat2(x); r = x;"] = "cannot convert mat2 to float",
        } do
            local good, said = pcall(rill.kernel, "kernel void f(float x<>, inout float g[], out float r<>) { " ..
                body .. " }")
            assert.falsy(good, body)
            assert.truthy(said:find(message, 1, true) and not said:find "rill_", body .. ": " .. said)
        end
    end)

    it("are computed as the compiler likes where they are fast", function()
        local k = rill.kernel("kernel void f(float a<>, out float r<>) { float b = a * 2.0; r = b; }", {fast = true})
        assert.equal("2 4", shown(k(rill.from {1, 2}):values()))
        assert.falsy(k:source():find("precise float u_b", 1, true))
        local exact = rill.kernel "kernel void f(float a<>, out float r<>) { float b = a * 2.0; r = b; }"
        exact(rill.from {1, 2})
        assert.truthy(exact:source():find("precise float r?0?u_b"))
        assert.has_error(function() rill.kernel("kernel void f(float a<>, out float r<>) { r = a; }", {fast = 1}) end)
    end)
end)

-- ---- random kernels

local seed = tonumber(os.getenv "RILL_FUZZ_SEED" or 1)
local function random(n)
    seed = seed * 6364136223846793005 + 1442695040888963407
    return (seed >> 33) % n + 1
end

local small -- whether a number occurred that devices may treat as 0

local function single(x)
    local y = string.unpack("f", string.pack("f", x))
    small = small or y ~= 0 and math.abs(y) < 1.1754943508222875e-38
    return y
end

local function double(x)
    small = small or x ~= 0 and math.abs(x) < 2.2250738585072014e-308
    return x
end

local function whole(x)
    x = x & 0xffffffff
    return x >= 0x80000000 and x - 0x100000000 or x
end

-- An expression is a text, a function of the variables, and whether it consists only of numbers of the text: products
-- and sums with a 0 computed from these may lose a NaN or a sign (docs/kernel.md). `known`: the variables with such values.
local known

local function of_known(zero, value)
    small = small or zero and value == 0
end

local types = {float = single, double = double}
local operations = {
    ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end,
    ["*"] = function(a, b) return a * b end, ["/"] = function(a, b) return a / b end,
}
local comparisons = {
    {"<", function(a, b) return a < b end}, {"<=", function(a, b) return a <= b end}, {">", function(a,
        b) return a > b end},
    {">=", function(a, b) return a >= b end}, {"==", function(a, b) return a == b end}, {"!=", function(a,
        b) return a ~= b end},
}
local numbers = {"0.0", "0.0", "1.0", "0.5", "3.0", "1e8", "0.1", "16777216.0", "-2.0"}

local real, int, bool

local function leaf(names, T)
    if random(3) == 1 then
        local text = numbers[random(#numbers)]
        local value = types[T](tonumber(text))
        text = T == "double" and text .. "LF" or text
        return (text:find "^-" and "(%s)" or "%s"):format(text), function() return value end, value ~= 0
    end
    local name = names[random(#names)]
    return name, function(v) return v[name] end, known[name]
end

function real(names, T, depth)
    local round = types[T]
    local kind = depth <= 0 and 0 or random(14)
    if kind <= 2 then
        return leaf(names, T)
    elseif kind <= 9 then
        local op = ("+-*/"):sub(random(4)):sub(1, 1)
        local a, f, p = real(names, T, depth - 1)
        local b, g, q = real(names, T, depth - 1)
        if random(8) == 1 then
            b, g, q = a, f, p
        end
        local do_it = operations[op]
        return ("(%s %s %s)"):format(a, op, b), function(v)
            local x, y = f(v), g(v)
            of_known(p, x)
            of_known(q, y)
            return round(do_it(x, y))
        end, p and q
    elseif kind == 10 then
        local a, f, p = real(names, T, depth - 1)
        return ("-(%s)"):format(a), function(v) return -f(v) end, p
    elseif kind == 11 then
        local c, h, k = bool(names, T, depth - 1)
        local a, f, p = real(names, T, depth - 1)
        local b, g, q = real(names, T, depth - 1)
        return ("(%s ? %s : %s)"):format(c, a, b), function(v)
            local x, y = f(v), g(v)
            return h(v) and x or not h(v) and y
        end, k or p and q
    elseif kind == 12 then
        local a, f = int(names, T, depth - 1)
        return (random(2) == 1 and "%s(%s)" or "(%s)(%s)"):format(T, a), function(v) return round(f(v) + 0.0) end
    elseif kind == 13 then
        local a, f, p = real(names, T, depth - 1)
        local b, g, q = real(names, T, depth - 1)
        return ("lost(%s, %s)"):format(a, b), function(v)
            local x, y = f(v), g(v)
            local s = round(x + y)
            of_known(p, x)
            of_known(q, y)
            of_known(p and q, s)
            return round(x - round(s - y))
        end, p and q
    end
    local a, f = real(names, T, depth - 1)
    return (T == "float" and "float(double(%s) * 0.1LF)" or "double(float(%s))"):format(a), function(v)
        return T == "float" and single(double(f(v) * 0.1)) or single(f(v))
    end
end

function int(names, T, depth)
    local kind = depth <= 0 and 1 or random(6)
    if kind <= 2 then
        local name = ({"i", "j", "0", "7", "-3", "n"})[random(6)]
        local value = math.tointeger(name)
        return value and ("(%s)"):format(name) or name, function(v) return value or v[name] end
    elseif kind <= 4 then
        local a, f = int(names, T, depth - 1)
        local b, g = int(names, T, depth - 1)
        local op = ("+-*"):sub(random(3)):sub(1, 1)
        return ("(%s %s %s)"):format(a, op, b), function(v) return whole(operations[op](f(v), g(v))) end
    elseif kind == 5 then
        local a, f = int(names, T, depth - 1)
        local b = ({3, -3, 7, 16, -1, 1000003})[random(6)]
        return (random(2) == 1 and "(%s %% %d)" or "(%s %% (%d))"):format(a, b), function(v) return math.fmod(f(v),
            b) end
    end
    local a, f = int(names, T, depth - 1)
    return ("int(float(%s %% 1000000007))"):format(a), function(v) return math.tointeger(single(math.fmod(f(v),
        1000000007))) end
end

function bool(names, T, depth)
    local kind = random(5)
    if depth > 0 and kind == 1 then
        local a, f, p = bool(names, T, depth - 1)
        return ("!%s"):format(a), function(v) return not f(v) end, p
    elseif depth > 0 and kind == 2 then
        local a, f, p = bool(names, T, depth - 1)
        local b, g, q = bool(names, T, depth - 1)
        return ("(%s && %s)"):format(a, b), function(v) return f(v) and g(v) end, p or q
    end
    local a, f, p = real(names, T, depth - 1)
    local b, g, q = real(names, T, depth - 1)
    local op = comparisons[random(#comparisons)]
    return ("(%s %s %s)"):format(a, op[1], b), function(v) return op[2](f(v), g(v)) end, p and q
end

-- Returns a body of some statements that stores its result in r.
local function body_of(T, c_known)
    local round, names, out, steps = types[T], {"a", "b", "c"}, {}, {}
    known = {c = c_known}
    local function add(text, step)
        out[#out + 1] = text
        steps[#steps + 1] = step
    end
    for k = 1, 1 + random(3) do
        local name, kind = "v" .. k, random(5)
        local e, f, p = real(names, T, 3)
        known[name] = p
        if kind == 1 then
            local c, h, u = bool(names, T, 2)
            local d, g, q = real(names, T, 2)
            known[name] = u or p and q
            add(("%s %s = %s; if (%s) %s = %s;"):format(T, name, e, c, name, d), function(v)
                v[name] = f(v)
                v[name] = h(v) and g(v) or not h(v) and v[name]
            end)
        elseif kind == 2 then
            local op = ("+-*/"):sub(random(4)):sub(1, 1)
            local d, g, q = real(names, T, 2)
            known[name] = p and q
            add(("%s %s = %s; %s %s= %s;"):format(T, name, e, name, op, d), function(v)
                v[name] = f(v)
                local y = g(v)
                of_known(p, v[name])
                of_known(q, y)
                v[name] = round(operations[op](v[name], y))
            end)
        elseif kind == 3 then
            local op = ("+-*/"):sub(random(4)):sub(1, 1)
            local d, g, q = real(names, T, 2)
            known[name] = p and q
            add(("%s %s = %s; for (int i = 0; i < 3; i++) %s = %s %s (%s);"):format(T, name, e, name, name, op, d),
                function(v)
                v[name] = f(v)
                local kept = v.i
                for i = 0, 2 do
                    v.i = i
                    local y = g(v)
                    of_known(p and (q or i == 0), v[name])
                    of_known(q, y)
                    v[name] = round(operations[op](v[name], y))
                end
                v.i = kept
            end)
        else
            add(("%s %s = %s;"):format(T, name, e), function(v) v[name] = f(v) end)
        end
        names[#names + 1] = name
    end
    local e, f = real(names, T, 2)
    local text = ("%s lost(%s x, %s y) { %s s = x + y; return x - (s - y); }\n"):format(T, T, T, T) ..
        ("kernel void f(%s c, int n, %s a<>, %s b<>, int i<>, int j<>, out %s r<>) {\n    %s\n    r = %s;\n}"):format(
            T, T, T, T, table.concat(out, "\n    "), e)
    return text, function(v)
        for _, step in ipairs(steps) do
            step(v)
        end
        return f(v)
    end
end

describe("random kernels", function()
    it("compute what the same computes in Lua", function()
        local special = {0.0, -0.0, inf, -inf, nan, 1.0, -1.0, 1e8, 3.5, 0.1, 16777217.0, -7.25}
        local compared = 0
        local cases <const> = tonumber(os.getenv "RILL_FUZZ" or LONG and 150 or 30)
        for case = 1, cases do
            local T, specialized = random(4) == 1 and "double" or "float", case % 2 == 0
            local c, n = types[T](special[random(#special)]), ({0, 5, -2})[random(3)]
            local text, reference = body_of(T, specialized and c ~= 0)
            local a, b, i, j = {}, {}, {}, {}
            for k = 1, 37 do
                a[k], b[k] = types[T](special[random(#special)]), types[T](special[random(#special)])
                i[k], j[k] = ({0, 1, -1, 7, -8, 16777217, 2147483647})[random(7)], random(100) - 50
            end
            local kernel = rill.kernel(text, case % 3 == 0 and {dialect = "brook"} or nil)
            local inputs = {a = rill.from(a, T), b = rill.from(b, T), i = rill.from(i, "int"), j = rill.from(j, "int")}
            if specialized then
                kernel = kernel:specialize {c = c, n = n}
            else
                inputs.c, inputs.n = c, n
            end
            local got = kernel(inputs):values()
            for k = 1, #a do
                small = false
                local want = reference {a = a[k], b = b[k], c = c, i = i[k], j = j[k], n = n}
                if not small then
                    compared = compared + 1
                    assert.equal(shown {want}, shown {got[k]}, (
                        "case %d, a = %s, b = %s, c = %s, i = %d, j = %d, n = %d\n%s"):format(
                        case, a[k], b[k], c, i[k], j[k], n, text))
                end
            end
        end
        assert(compared > 7 * cases)
    end)
end)
