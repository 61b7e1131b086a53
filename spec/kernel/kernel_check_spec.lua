-- What GLSL leaves undefined, and statements without effect, are errors of a kernel text (src/kernel/check/check.h).
local rill = require "rill"
local check = require "spec.support.check"

local HEAD <const> = "kernel void f(float x<>, int n, int g[], inout int w[], out float r<>) {\n"

-- Bodies with an error, and words of the message. `@` marks the position.
local wrong <const> = {
    {"float y; r = @y;", "'y' has no value on some path to here"},
    {"float y; if (x > 1.0) y = x; r = @y;", "'y' has no value"},
    {"float y; while (x > r) { y = x; r = 1.0; } r += @y;", "'y' has no value"},
    {"float y; for (int i = 0; i < n; i++) y = x; r = @y;", "'y' has no value"},
    {"float y; for (int i = 3; i < 3; i++) y = x; r = @y;", "'y' has no value"},
    {"float y; for (;;) { if (x > 1.0) break; y = x; if (x > 2.0) break; } r = @y;", "'y' has no value"},
    {"float y; switch (n) { case 0: y = 1.0; break; case 1: y = 2.0; } r = @y;", "'y' has no value"},
    {"float y; switch (n) { case 0: y = 1.0; break; default: break; } r = @y;", "'y' has no value"},
    {"float y; r = x > 1.0 && (y = x) > 2.0 ? 1.0 : @y;", "'y' has no value"},
    {"float y; @y += x; r = y;", "'y' has no value"},
    {"int k; @k++; r = x;", "'k' has no value"},
    {"vec3 v; r = @v.x;", "'v' has no value"},
    {"float a[3]; r = @a[1];", "'a' has no value"},
    {"vec3 v; v.x = x; r = @v.y;", "a part of 'v' has no value on some path to here"},
    {"vec3 v; v.xy = vec2(x); r = dot(@v, v);", "a part of 'v' has no value"},
    {"vec3 v; v.zx = vec2(x); r = length(@v.zy);", "a part of 'v' has no value"},
    {"vec3 v; if (x > 1.0) v = vec3(x); else v.xy = vec2(x); r = @v.z;", "a part of 'v' has no value"},
    {"mat2 m; m[0] = vec2(x); r = @m[1].x;", "a part of 'm' has no value"},
    {"mat2 m; m[0].y = x; r = @m[0].x;", "a part of 'm' has no value"},
    {"float a[3]; a[0] = x; a[2] = x; r = @a[1];", "a part of 'a' has no value"},
    {"float a[2][2]; a[0][0] = x; a[1][0] = x; r = a[1][0] + @a[1][1];", "a part of 'a' has no value"},
    {"vec2 v; v.x = x; @v.y += 1.0; r = v.x;", "a part of 'v' has no value"},
    {"for (int i = 0; i < 2; i++) { float y; if (i > 0) r = @y; y = x; r = y; }", "'y' has no value"},
    {"float y; do { if (x > 1.0) continue; y = x; } while (x > r); r = @y;", "'y' has no value"},
    {"r = x; @for (;;) { r += 1.0; }", "this loop never ends"},
    {"r = x; @while (true) { r += 1.0; }", "this loop never ends"},
    {"r = x; @while (n < 10) r += 1.0;", "this loop never ends once it begins"},
    {"r = x; @for (int i = 0; i < 10;) r += 1.0;", "this loop never ends once it begins"},
    {"r = x; @for (int i = 0; i < 10; i--) r += 1.0;", "moves 'i' away from the bound"},
    {"r = x; @for (int i = 10; i > 0; i += 2) r += 1.0;", "moves 'i' away from the bound"},
    {"r = float(n << @32);", "a shift by 32 is undefined"},
    {"r = float(n >> @-1);", "a shift by -1 is undefined"},
    {"int k = n; k <<= @40; r = x;", "a shift by 40"},
    {"r = float(n / @0);", "by 0 is undefined"},
    {"r = float(n % @0);", "by 0 is undefined"},
    {"int k = @3000000000; r = x;", "3000000000 is out of range"},
    {"r = float(n + @2147483648);", "2147483648 is out of range"},
    {"uint k = @5000000000u; r = x;", "is out of range"},
    {"float a[4]; a[@4] = x; r = x;", "index 4 is out of range: a float[4] has elements 0 to 3"},
    {"vec3 v = vec3(x); r = v[@3];", "index 3 is out of range: a vec3 has elements 0 to 2"},
    {"mat2 m = mat2(x); r = m[@2].x;", "index 2 is out of range"},
    {"float a[2]; a[@-1] = x; r = x;", "index -1 is out of range"},
    {"const int k = 1; float a[2]; a[@k - 2] = x; r = x;", "index -1 is out of range"},
    {"float a[2]; a[@2 * 3] = x; r = x;", "index 6 is out of range"},
    {"r @== x;", "'==' has no effect"},
    {"x @* 2.0; r = x;", "'*' has no effect"},
    {"@sin(x); r = x;", "'sin' has no effect"},
    {"@-x; r = x;", "'-' has no effect"},
    {"r = x; if (x > 1.0)@; r = 2.0;", "whole body of the 'if'"},
    {"r = x; for (int i = 0; i < n; i++)@; r += 1.0;", "whole body of the 'for'"},
    {"r = x; @barrier();", "group kernels only"},
}

-- Bodies that look like them, but are correct.
local legal <const> = {
    "float y; if (x > 1.0) y = x; else y = 0.0; r = y;",
    "float y; if (x > 1.0) { r = 1.0; return; } else y = 2.0; r = y;",
    "float y; for (int i = 0; i < 3; i++) y = x; r = y;",
    "vec3 v; v.x = x; r = v.x;",
    "vec3 v; v.z = x; v.xy = vec2(x); r = length(v);",
    "vec3 v; for (int c = 0; c < 3; c++) v[c] = x; r = length(v);",
    "mat2 m; m[0] = vec2(x); m[1] = m[0]; r = determinant(m);",
    "float a[3]; a[0] = x; r = a[n % 1];",
    "float a[3]; for (int i = 0; i < 3; i++) a[i] = x; r = a[0] + a[2];",
    "float a[100]; a[0] = x; r = a[1];",
    "float y; for (int i = 3; i >= 0; i--) { y = x; if (x > 1.0) continue; } r = y;",
    "float y; for (;;) { y = x; if (x > 0.0) break; break; } r = y;",
    "float y; while (true) { y = x; break; } r = y;",
    "float y; do { y = x; if (x > 1.0) continue; y += 1.0; } while (y < 0.0); r = y;",
    "float y; switch (n) { case 0: y = 1.0; break; default: y = 2.0; } r = y;",
    "float y; switch (n) { case 0: case 1: y = 1.0; break; case 2: r = 1.0; return; default: y = 3.0; break; } r = y;",
    "float y; r = (y = x) > 2.0 && y < 3.0 ? y : 0.0;",
    "float y; r = x > 1.0 ? (y = 1.0) : (y = 2.0); r += y;",
    "vec3 v; v.x = x; v.yz = vec2(x); r = v.y;",
    "float a[3]; for (int i = 0; i < n; i++) a[i] = x; a[0] = x; r = a[0];",
    "int e; float m = frexp(x, e); float i; float q = modf(x, i); r = m + float(e) + i + q;",
    "uint hi, lo; umulExtended(3u, 5u, hi, lo); r = float(hi + lo);",
    "uint c; uint s = uaddCarry(1u, 2u, c); r = float(c + s);",
    "float y = x, z = y; r = z;",
    "r = x; do { r += 1.0; } while (n > 10); do { r += 1.0; } while (false);",
    "int k = n; while (k < 10) { k++; } r = float(k);",
    "int k = 0; while (g[k] > 0) k++; r = float(k);",
    "while (w[0] > 0) { w[0] = w[0] - 1; } r = x;",
    "r = x; for (int i = 0; i < 10; i++) { if (r > 5.0) return; r += 1.0; }",
    "r = x; for (int i = 10; i > 0; i--) r += 1.0;",
    "r = x; for (int i = 0; i < 10; i -= -2) r += 1.0;",
    "r = x; for (;;) { r += 1.0; if (r > 10.0) break; }",
    "int k = 0; for (; g[k] > 0 && k < 9; k++); r = float(k);",
    "int k = -2147483648; uint u = 4294967295u, v = 2654435761; r = float(k) + float(u * 2654435761 + v);",
    "r = x / 0; r = x / 0.0;",
    "r = float((n << 31) >> 31) + float(0x7fffffff) + float(0xffffffffu);",
    "mat3 m = mat3(x); float a[2]; a[1] = x; r = m[2][2] + a[1];",
    "int k = n; k++; --k; k += 1; r = float(k);",
    "if (x > 1.0) { } r = x;",
    "atomicAdd(w[0], 1); r = x;",
}

describe("a kernel text", function()
    it("must not do what is undefined, nor contain statements without effect", function()
        for _, case in ipairs(wrong) do
            local at = case[1]:find("@", 1, true)
            local message = check.failure(rill.kernel, HEAD .. case[1]:gsub("@", "", 1) .. "\n}")
            assert(message:find((":2:%d: error: "):format(at), 1, true) and message:find(case[2], 1, true),
                case[1] .. ": " .. message)
        end
    end)

    it("is accepted if it only looks as if it did", function()
        for _, body in ipairs(legal) do
            local done, message = pcall(rill.kernel, HEAD .. body .. "\n}")
            assert(done, body .. ": " .. tostring(message))
        end
    end)

    it("has a value for each field of a structure that it reads", function()
        local outer = "struct P { vec2 at; float w; };\nstruct Q { P p; int k; };\n"
        local function refused(body)
            local at = body:find("@", 1, true)
            local message = check.failure(rill.kernel, outer .. HEAD .. body:gsub("@", "", 1) .. "\n}")
            assert(message:find((":4:%d: error: a part of "):format(at), 1, true), message)
        end
        refused "P p; p.at = vec2(x); r = @p.w;"
        refused "P p; p.at.x = x; p.w = x; r = @p.at.y;"
        refused "Q q; q.p.at = vec2(x); q.k = n; P p = q.p; r = @q.p.w;"
        refused "Q q[2]; q[1].p.w = x; r = @q[0].p.w;"
        for _, body in ipairs {
            "P p; p.at = vec2(x); r = p.at.y;", "Q q; q.p.at = vec2(x); q.p.w = x; P p = q.p; r = p.w;",
            "Q q[2]; q[0].p.w = x; r = q[0].p.w;", "Q q; q.p.w = x; P p = q.p; r = p.w;",
            "P p; p.at = vec2(x); p.w = x; P o = p; r = o.w;",
        } do
            assert(pcall(rill.kernel, outer .. HEAD .. body .. "\n}"), body)
        end
    end)

    it("returns a value on all paths of a function", function()
        for text, says in pairs {
            ["float @g(float a) { if (a > 1.0) return a; }"] = "a path of 'g' ends without return",
            ["float @g(float a) { }"] = "a path of 'g' ends without return",
            ["float @g(float a) { while (a > 1.0) return a; }"] = "a path of 'g'",
            ["float @g(float a) { switch (int(a)) { case 0: return 1.0; } }"] = "a path of 'g'",
            ["float @g(float a) { for (;;) { if (a > 1.0) break; } }"] = "a path of 'g'",
        } do
            local at = text:find("@", 1, true)
            local message = check.failure(rill.kernel, text:gsub("@", "", 1) ..
                "\nkernel void f(float x<>, out float r<>) { r = g(x); }")
            assert(message:find(("1:%d: error: "):format(at), 1, true) and message:find(says, 1, true), message)
        end
        for _, text in ipairs {
            "float g(float a) { if (a > 0.0) { return a; } else { return -a; } }",
            "float g(float a) { for (;;) { a += 1.0; if (a > 9.0) return a; } }",
            "float g(float a) { while (true) { a += 1.0; if (a > 9.0) return a; } }",
            "float g(float a) { switch (int(a)) { case 0: return 1.0; default: return 2.0; } }",
            "float g(float a) { do { return a; } while (a > 1.0); }",
        } do
            assert(pcall(rill.kernel, text .. "\nkernel void f(float x<>, out float r<>) { r = g(x); }"), text)
        end
    end)

    it("computes constants of ints, uints and bools as the device does", function()
        for expression, value in pairs {
            ["7 / 2"] = 3, ["7 % 4"] = 3, ["1 << 3u"] = 8, ["~3 & 7"] = 4, ["6 ^ 3"] = 5, ["4 | 1"] = 5,
            ["-9 >> 1"] = -5, ["uint(-255) % 4u"] = 1, ["int(0u - 2u)"] = -2,
            ["int(-1 > 0u)"] = 1, ["int(-1 > 0)"] = 0,
            ["0xFFFFFFFF / 2"] = 0, ["int(0xFFFFFFFFu / 2u)"] = 2147483647,
            ["2147483647 + 3"] = -2147483646, ["int(bool(6)) + 1"] = 2,
            ["int(4.75)"] = 4, ["int(2 > 1 && 1 > 2) + 1"] = 1, ["int(true ^^ false)"] = 1,
            ["true ? 3 : 4"] = 3, ["bool(0u) ? 3 : 4"] = 4, ["010 + 0x10"] = 24,
        } do
            local text = ([[kernel void f(out int r<>) {
                const int c = int(%s);
                float a[9 + (c & 1023)];
                r = a.length();
            }]]):format(expression)
            assert.equal(9 + (value & 1023), rill.kernel(text) {shape = 1}:get(1), expression)
            text = ("kernel void f(out int r<>) { int a[4] = int[](1, 2, 3, 4); r = a[%s]; }"):format(expression)
            local good, message = pcall(rill.kernel, text)
            assert.equal(value >= 0 and value < 4, good, expression)
            assert(good or message:find(("index %d is out of range"):format(value), 1, true), message)
        end
    end)
end)
