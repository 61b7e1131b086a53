local core = require "rill.core"

-- A `@` marks the place of the error. It is followed by the words that the message must contain.
local function K(body)
    return "kernel void f(float x<>, float a[], int n, int k<>, out float r<>) {\n" .. body .. "\n}"
end
local function G(body) return "kernel(8) void f(float x<>, float a[], int n, out float r<>) {\n" .. body .. "\n}" end
local function F(body) return "float f(float x, int n) {\n" .. body .. "\n}" end
local S = "struct P { vec3 at; float t[2]; int n; };\n"

local unset, endless, group = "has no value on some path", "never ends", "all invocations"
local wrong = {
    -- paths without return
    {"float @f(float x) { }", "return"},
    {"float @f(float x) { if (x > 1.0) return x; }", "a path of 'f' ends without return"},
    {"float @f(float x) { if (x > 1.0) return x; else if (x > 0.0) return 2.0; else x = 3.0; }", "return"},
    {"float @f(int n) { for (int i = 0; i < n; i++) return 1.0; }", "return"},
    {"float @f(int n) { while (n > 0) { n--; return 1.0; } }", "return"},
    {"float @f(int n) { switch (n) { case 0: return 1.0; case 1: return 2.0; } }", "return"},
    {"float @f(int n) { switch (n) { case 0: return 1.0; default: break; } }", "return"},
    {"float @f(int n) { for (;;) { if (n > 3) break; n++; } }", "return"},
    {"float @f(int n) { do { if (n > 3) continue; return 1.0; } while (n++ < 9); }", "return"},
    {"P @f(int n) { P p; p.n = n; if (n > 1) return p; }", "return"},
    -- numbers
    {K "  r = @1.5.2;", "'1.5.2' is not a number"}, {K "  r = @1e1e-4;", "is not a number"},
    {K "  r = @1.0x;", "is not a number"}, {K "  r = float(@089);", "is not a number"},
    {K "  r = float(@0xg);", "is not"},
    {K "  r = float(@2h);", "write 2.0"}, {K "  r = @1.0u;", "is not a number"},
    -- streams as values, scopes, positions
    {K "  r = (x, @a);", "expected a value, got a stream of float"}, {K "  (@a, r = x);", "got a stream"},
    {K "  for (int i = 0; i < 3; i++) { float @i = x; r = i; }", "'i' is already declared"},
    {K "  float @x = 1.0; r = x;", "'x' is already declared"},
    {K "  r = sample(a, @double(x));", "cannot convert double to float"},
    -- operands
    {K "bool b = x > 0.0; r = float(-@b);", "a bool is not a number"},
    {K "int i = @~x; r = float(i);", "write ~int(...)"},
    {K "r = x + @a;", "expected a value, got a stream of float"}, {K "r = -@a;", "got a stream of float"},
    {K "r = sqrt(@a);", "got a stream of float"}, {K "if (@a == x) r = x;", "got a stream of float"},
    {S .. K "P p = P(vec3(x), float[2](x, x), n); r = @p + 1.0;", "a P is not a number"},
    {K "float y[2] = float[2](x, x); r = @y + 1.0;", "write an index: name[i]"},
    {"void g(float a, out float b) { b = a; }\n" .. K "float y; r = x + @g(x, y);", "the function returns void"},
    {K "r = @sqrt(x > 1.0);", "G is a float, a double or a vector of them"},
    -- functions and outputs
    {"float g(float a) { return a; }\nfloat @g(vec2 a) { return a.x; }\n" .. K "r = g(x);",
        "overloading is not supported"},
    {"void g(inout int k) { k += 1; }\n" .. K "float y = x; g(@y); r = y;", "takes a variable of type int, got float"},
    {"void g(inout float k) { k += 1.0; }\n" .. K "int y = n; g(@y); r = float(y);",
        "takes a variable of type float, got int"},
    {"void g(out vec3 k) { k = vec3(1.0); }\n" .. K "vec2 y; g(@y); r = y.x;",
        "takes a variable of type vec3, got vec2"},
    {"void g(float a, out float b) { @b += a; }\n" .. K "float y; g(x, y); r = y;", "assign a value to it first"},
    {"void g(float a, out float b) { float c = @b; b = a + c; }\n" .. K "float y; g(x, y); r = y;", unset},
    {"void g(float a, out vec2 b) { b.x = a; b = @b.xy; }\n" .. K "vec2 y; g(x, y); r = y.x;",
        "a part of 'b' has no value"},
    {K "@push(r, x);", "declare it 'vout float r<>'"},
    -- labels
    {K "switch (n) { case 1: r = 1.0; break; case @1: r = 2.0; }", "a case of this value already"},
    {K "switch (n) { case 1: r = 1.0; break; case @2 - 1: r = 2.0; }", "a case of this value already"},
    {K "switch (n) { case -1: r = 1.0; break; case @0xffffffff: r = 2.0; }", "a case of this value already"},
    {K "switch (n) { default: r = 1.0; break; @default: r = 2.0; }", "a default already"},
    {K "switch (n) { case @n: r = 1.0; }", "must be a constant"},
    -- syntax
    {K "r = x;\n@else r = 0.0;", "there is no 'if' before this 'else'"},
    {K "float y @== x; r = y;", "write = to give a variable its value"},
    {K "float @2nd = x; r = x;", "a name cannot begin with a digit"},
    {S .. K "P p = P(vec3(x), float[2](x, x), n); r = p@->at.x;", "write a '.'"},
    -- variables
    {K "float y; r = @y;", unset},
    {K "int i; r = a[@i];", unset},
    {K "uint i; r = float(@i);", unset},
    {K "bool b; if (@b) r = x;", unset},
    {K "float y; @y += x; r = y;", unset},
    {K "int i; @i++; r = float(i);", unset},
    {K "float y; if (x > 1.0) y = x; r = @y;", unset},
    {K "float y; if (x > 1.0) { y = x; } else { r = 2.0; } r += @y;", unset},
    {K "float y; for (int i = 0; i < n; i++) y = x; r = @y;", unset},
    {K "float y; for (int i = 3; i < 3; i++) y = x; r = @y;", unset},
    {K "float y; while (n < 3) { y = x; n++; } r = @y;", unset},
    {K "float y; for (int i = 0; i < 3; i++) { if (i == n) continue; y = x; } r = @y;", unset},
    {K "float y; for (int i = 0; i < 3; i++) { if (i == n) break; y = x; } r = @y;", unset},
    {K "float y; for (;;) { if (n > 2) break; y = x; n++; } r = @y;", unset},
    {K "float y; do { if (n > 2) break; y = x; } while (n++ < 5); r = @y;", unset},
    {K "float y; do { if (n > 2) continue; y = x; } while (n++ < 5); r = @y;", unset},
    {K "float y; switch (n) { case 0: y = x; break; case 1: y = 2.0; } r = @y;", unset},
    {K "float y; switch (n) { case 0: break; default: y = x; } r = @y;", unset},
    {K "float y; switch (n) { case 0: y = x; case 1: r = @y; break; default: r = 1.0; }", unset},
    {K "float y; bool b = n > 1 && (y = x) > 2.0; r = @y; r += float(b);", unset},
    {K "float y; if (n > 1 || (y = x) > 2.0) r = @y;", unset},
    {K "float y; float z = n > 1 ? (y = x) : x; r = @y + z;", unset},
    {K "for (int i = 0; i < 3; i++) { float y; if (i > 0) r = @y; y = x; }", unset},
    {K "float y; { float z; y = @z; } r = y;", unset},
    {K "float y, z = @y; r = z;", unset},
    {"float g(float a) { return a; }\n" .. K "float y; r = g(@y);", unset},
    {"void g(inout float a) { a += 1.0; }\n" .. K "float y; g(@y); r = y;", unset},
    {"void g(out float a) { a = 1.0; }\n" .. K "float y; if (n > 1) g(y); r = @y;", unset},
    {F "float y; return @y;", unset},
    -- components, fields, elements
    {S .. K "P p; r = @p.at.x;", unset},
    {S .. K "P p; P q = @p; r = q.at.x;", unset},
    {K "float t[3]; r = @t[0];", unset},
    {K "float t[3]; r = @t[n];", unset},
    -- loops
    {K "int i = 0; @while (i < 10) r += 1.0;", endless, "nothing in it changes"},
    {K "int i = n; @while (i < 10) { int j = 0; j++; }", endless},
    {K "@for (int i = 0; i < 10;) r += x;", endless},
    {K "@for (uint i = uint(n); i >= 0u; i--) r += x;", endless},
    {K "@for (;;) { r += x; }", endless},
    {K "@do r += x; while (true);", endless},
    {K "@while (x > 0.0 && n < 3) { r += x; }", endless},
    {K "for (int j = 0; j < 3; j++) { int i = 0; @while (i < j) r += x; }", endless},
    -- barriers
    {K "@barrier(); r = x;", "group kernels only"},
    {"void g() { barrier(); }\n" .. K "@g(); r = x;", "group kernels only"},
    {G "if (x > 2.0) @barrier(); r = x;", group, "'if'"},
    {G "if (localid() > 2) { r = x; } else { @barrier(); }", group},
    {G "if (subgroupid() > 2) @barrier(); r = x;", group},
    {G "if (subgroupElect()) @barrier(); r = x;", group},
    {G "int i = localid(); while (i < 4) { @barrier(); i++; } r = x;", group, "'while'"},
    {G "for (int i = 0; i < n; i++) { if (x > 1.0) break; @barrier(); } r = x;", group},
    {G "for (int i = 0; i < n; i++) { @barrier(); if (x > 1.0) break; } r = x;", group, "'for'"},
    {G "for (int i = 0; i < n; i++) { if (x > 1.0) continue; @barrier(); } r = x;", group, "'continue'"},
    {G "if (x > 1.0) return; @barrier(); r = x;", group, "'return'"},
    {G "float y = a[localid()]; if (y > 2.0) @barrier(); r = x;", group},
    {G "shared float s[8]; s[localid()] = x; if (s[localid()] > 2.0) @barrier(); r = x;", group},
    {G "shared int s; int i = atomicAdd(s, 1); if (i > 2) @barrier(); r = x;", group},
    {G "int m = 0; if (x > 1.0) m = 2; if (m > 1) @barrier(); r = x;", group},
    {"void g(float a, out float b) { b = a; }\n" .. G "float y; g(x, y); if (y > 1.0) @barrier(); r = x;", group},
    {"void g() { barrier(); }\n" .. G "if (x > 1.0) @g(); r = x;", group},
    {G "switch (int(x)) { case 0: @barrier(); } r = x;", group},
    -- literals
    {K "float t[4] = {1.0, 2.0, 3.0, 4.0}; r = t[@4];", "0 to 3", "float[4]"},
    {K "float t[4] = {1.0, 2.0, 3.0, 4.0}; r = t[@-1];", "range"},
    {K "vec3 v = vec3(x); r = v[@3];", "0 to 2"},
    {K "mat2x3 m = mat2x3(x); r = m[@2].x;", "0 to 1"},
    {K "mat2x3 m = mat2x3(x); m[0][@3] = x; r = m[0][0];", "0 to 2"},
    {K "r = float(k << @32);", "0 to 31"},
    {K "k <<= @-1; r = float(k);", "0 to 31"},
    {K "ivec2 v = ivec2(k) >> @(40); r = float(v.x);", "0 to 31"},
    {K "k = @2147483648; r = float(k);", "range"},
    {K "r = x * @3000000000;", "range", ".0"},
    {K "k = -@3000000000; r = float(k);", "range"},
    {K "uint u = @5000000000u; r = float(u);", "4294967295"},
    {K "k = k % @0; r = float(k);", "0"},
    {K "k /= @0; r = float(k);", "by 0"},
    {K "ivec2 v = ivec2(k) / @0; r = float(v.x);", "0"},
    {K "uint u = uint(k) / @0u; r = float(u);", "0"},
    -- statements without effect
    {K "r @== x;", "no effect", "write = to assign"},
    {K "x @* 2.0; r = x;", "no effect"},
    {K "@sin(x); r = x;", "no effect"},
    {K "@r;", "no effect"},
    {K "(x @+ 1.0); r = x;", "no effect"},
    {K "@-x; r = x;", "no effect"},
    {K "a@[0]; r = x;", "no effect"},
    {K "x > 0.0 @? 1.0 : 2.0; r = x;", "no effect"},
    {K "if (x > 1.0)@; r = 2.0;", "whole body"},
    {K "for (int i = 0; i < 10; i++)@;\n r += x;", "whole body"},
    {K "for (int i = 0, j = n; i < j; i++, j--)@;\n r += x;", "whole body"},
}

local legal = {
    G "if (subgroupsize() > 2) barrier(); r = x;",
    -- returns
    "float f(float x) { if (x > 1.0) return x; return 2.0; }",
    "float f(float x) { if (x > 1.0) { return x; } else { return 2.0; } }",
    "float f(int n) { switch (n) { case 0: return 1.0; case 1: default: return 2.0; } }",
    "float f(int n) { for (;;) { if (n > 3) return 1.0; n++; } }",
    "float f(int n) { while (true) { n++; if (n > 9) return 2.0; } }",
    "float f(int n) { do { return 1.0; } while (n > 3); }",
    "float f(int n) { for (int i = 0; i < 3; i++) { return 2.0; } }",
    "void f(int n) { if (n > 1) return; }",
    "float f(float x); float g(float x) { return f(x); } float f(float x) { return x; }",
    -- variables
    K "float y; y = x; r = y;",
    K "float y; if (n > 1) y = x; else y = 2.0; r = y;",
    K "float y; if (n > 1) { y = x; } else { return; } r = y;",
    K "float y; for (int i = 0; i < 3; i++) y = x; r = y;",
    "const int N = 4;\n" .. K "float y; for (int i = 0; i < 2 * N; i++) y = x; r = y;",
    K "float t[3] = {1.0, 2.0, 3.0}, y; for (int i = 0; i < t.length(); i++) y = t[i]; r = y;",
    K "float y; int i; for (i = 0; i < 3; i++) y = x; r = y + float(i);",
    K "float y; for (int i = 9, j = 0; i > j; i--) { y = x; if (n > i) break; } r = y;",
    K "float y; for (int i = 0; i < 3; i++) { y = x; if (n > i) continue; r += 1.0; } r += y;",
    K "float y; for (;;) { y = x; if (n > 2) break; n++; } r = y;",
    K "float y; do { y = x; if (n > 2) continue; } while (n++ < 5); r = y;",
    K "float y; do { y = x; } while (y < 0.0 && n++ < 3); r = 1.0;",
    K "float y; while (true) { if (n > 2) { y = x; break; } n++; } r = y;",
    K "float y; switch (n) { case 0: y = x; break; default: y = 2.0; } r = y;",
    K "float y; switch (n) { case 0: case 1: y = x; break; case 2: y = 1.0; default: y = 2.0; } r = y;",
    K "float y; switch (n) { case 0: return; default: y = 2.0; } r = y;",
    K "for (int i = 0; i < 3; i++) { float y; switch (i) { case 0: continue; default: y = x; } r += y; }",
    K "float y; if (n > 1 && (y = x) > 2.0) r = y;",
    K "float y; if (!(n > 1 && (y = x) > 2.0)) r = 1.0; else r = y;",
    K "float y; if (n > 1 || (y = x) > 2.0) r = 1.0; else r = y;",
    K "float y; while (n < 3 && (y = a[n]) > 0.0) { r += y; n++; }",
    K "float y; float z = n > 1 ? (y = x) : (y = 2.0); r = y + z;",
    K "float y, z; y = z = x; r = y + z;",
    K "float y; if (false) r = y; else r = x;",
    K "int e; r = frexp(x, e); r += float(e);",
    K "float w; r = modf(x, w) + w;",
    K "uint c, b; uint u = uaddCarry(3u, 5u, c) + usubBorrow(3u, 5u, b); r = float(u + c + b);",
    K "float w, s; vec2 q = sample_corners(a, x, w, s); r = dot(q, vec2(w)) + s;",
    "void g(out float a) { a = 1.0; }\n" .. K "float y; g(y); r = y;",
    K "r += x;",
    K "for (int i = 0; i < 3; i++) { float y; y = x; r += y; }",
    -- components, fields, elements
    K "vec2 v; v.x = x; v.y = x; r = dot(v, v);",
    K "vec3 v; v.xz = vec2(x); v.g = x; r = dot(v, v);",
    K "vec3 v; v.zyx.xy = vec2(x); r = v.z + v.y;",
    K "vec3 v; v[0] = x; v[1] = x; v[2] = x; r = v.x + v.z;",
    K "vec3 v; for (int i = 0; i < 3; i++) v[i] = x; r = dot(v, v);",
    K "mat2 m; m[0] = vec2(x); m[1] = vec2(x); r = (m * vec2(x)).x;",
    K "mat2 m; for (int i = 0; i < n; i++) m[i] = vec2(x); r = m[1].x;",
    S .. K "P p; p.at = vec3(x); p.n = 2; r = p.at.x + float(p.n);",
    S .. K "P p; p.n = -1; P q = p; r = float(q.n);",
    S .. "P g(float x) { P p; p.n = 3; return p; }\n" .. K "r = float(g(x).n);",
    S .. K "P p; p = P(vec3(x), float[2](x, x), 3); r = p.t[1];",
    S .. K "P p[2]; p[0].n = 2; p[1].n = 3; r = float(p[n].n);",
    K "float t[3]; for (int i = 0; i < n; i++) t[i] = x; r = t[0];",
    K "float t[3]; for (int i = 0; i < n; i++) { if (i > 0) r += t[i - 1]; t[i] = x; }",
    K "float t[2]; t[0] = x; t[1] = x; r = t[n];",
    K "float t[2]; if (n > 1) t[0] = x; else t[1] = x; r = t[n > 1 ? 0 : 1];",
    K "float t[2][2]; t[0][1] = x; r = t[0][1];",
    K "int stack[32]; int top = 0; stack[top++] = n; while (top > 0) { int i = stack[--top]; r += float(i); }",
    K "float t[600]; t[3] = x; r = t[n];",
    G "shared float s[8]; s[localid()] = x; barrier(); r = s[7 - localid()];",
    G "shared float s; if (localid() == 0) s = x; barrier(); r = s;",
    -- loops
    K "int i = 0; while (i < 3) i++;",
    K "int i = 0; while (i++ < 3) r += x;",
    K "for (int i = 0; i < 10;) { i += 2; }",
    K "for (int i = n; i >= 0; i--) r += x;",
    K "for (uint i = uint(n) - 1u; i < uint(n); i--) r += x;",
    K "for (int i = 0; i < n; i--) { r += x; i += 2; }",
    K "for (int i = 0; i < n; n--) r += x;",
    K "int v[2]; v[0] = 0; while (v[0] < 3) v[0]++;",
    K "while (n > 0) { if (x > 1.0) break; r += x; n--; }",
    K "while (n > 0) { return; }",
    K "do r += x; while (n > 9);",
    K "do r += x; while (false);",
    K "while (false) r += x;",
    "const int N = 3;\n" .. K "while (N > 4 && x > 0.0) r += 1.0;",
    "kernel void f(float x<>, inout int g[], out float r<>) { while (g[0] == 0) { r += x; } }",
    G "shared int s; while (s < 3) { atomicAdd(s, 1); }",
    "void g(inout int i) { i++; }\n" .. K "int i = 0; while (i < 3) g(i);",
    -- barriers
    G "for (int i = 0; i < n; i++) { barrier(); r += x; }",
    G "for (int i = 4; i > 0; i /= 2) { if (localid() < i) r += x; barrier(); }",
    G "if (n > 3) barrier(); r = x;",
    G "if (n > 3) return; barrier(); r = x;",
    G "if (groupid() > 3) barrier(); r = x;",
    G "if (a[n] > 3.0) barrier(); r = x;",
    G "if (sizeof_stream(a).x > 3) barrier(); r = x;",
    G "shared float s[8]; s[localid()] = x; barrier(); if (s[0] > 3.0) barrier(); r = x;",
    G "for (int i = 0; i < n; i++) { barrier(); if (x > 1.0) continue; r += x; }",
    G "for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) { if (x > 1.0) break; r += x; } barrier(); }",
    G "for (int i = localid(); i < n; i += 8) r += x; barrier();",
    G "barrier(); if (x > 1.0) return; r = x;",
    G "int i = 0; while (true) { i++; barrier(); if (i > n) break; } r = x;",
    "void g() { barrier(); }\n" .. G "if (n > 3) g(); r = x;",
    -- literals
    K "float t[4] = {1.0, 2.0, 3.0, 4.0}; r = t[3];",
    K "r = a[100];",
    K "vec4 v = vec4(x); r = v[3];",
    K "r = float(k << 31);",
    K "r = float(k >> 0);",
    K "k = 2147483647; k = -2147483648; r = float(k);",
    K "k = 0xffffffff; r = float(k);",
    K "uint u = 4294967295; u = 3000000000 + u; r = float(u ^ 2654435761);",
    K "r = float(uint(2654435761) * uint(k));",
    "uint g(uint a) { return 4000000000; }\n" .. K "r = float(g(3000000000));",
    K "uint u[2] = {3000000000, 1}; r = float(min(u[0], 4000000000));",
    K "if (uint(k) < 3000000000) r = x;",
    K "r = x / 0;",
    K "vec2 v = vec2(x) / 0; r = v.x;",
    K "r = 1.0 / 0.0;",
    -- statements
    K "n++; --n; r = float(n);",
    K "n = 2, r = x;",
    K "(r = x);",
    "void g(out float a) { a = 1.0; }\n" .. K "g(r);",
    "int g(inout int a[], int i) { a[i] = 3; return 1; }\nkernel void f(int k<>, inout int a[]) { g(a, k); }",
    "void g() { }\n" .. G "g(); memoryBarrierShared(); r = x;",
    "kernel void f(int k<>, inout int a[]) { atomicAdd(a[0], k); }",
    "kernel void f(float x<>, vout float r<>) { push(r, x); }",
    K "float w; modf(x, w); r = w;",
    K "if (x > 1.0) { } r = 2.0;",
    "#define TRACE(v)\n" .. K "if (x > 1.0) TRACE(x); r = 2.0;",
    K "if (x > 1.0) /* nothing */; r = 2.0;",
    K "int i; for (i = 0; i < n; i++); r = float(i);",
    "kernel void f(int k<>, inout int a[]) { for (int i = 0; i < k; a[i++] = 2); }",
    "kernel void f(int n<>, int g[], out int r<>) { for (int k = n; (k = g[k]) != n && (r += 1) < 9;); }",
}

local function refused(text)
    local ok, message = pcall(core._tree, text, "types")
    return not ok and message
end

describe("the checks of kernel texts", function()
    it("find mistakes, at their place", function()
        for _, case in ipairs(wrong) do
            local marked, words = case[1], table.move(case, 2, #case, 1, {})
            do
                local before = marked:match "^(.-)@"
                local line, column = select(2, before:gsub("\n", "")) + 1, #before:match "[^\n]*$" + 1
                local text = marked:gsub("@", "", 1)
                if text:find "^P " then text, line = S .. text, line + 1 end
                local message = refused(text)
                assert(message, "accepted: " .. marked)
                assert(message:find((":%d:%d: error: "):format(line, column), 1, true), marked .. "\n" .. message)
                assert.falsy(message:find "%d errors", message)
                for _, word in ipairs(words) do
                    assert(message:gsub("\n *%d+ |[^\n]*", ""):find(word, 1, true), marked .. "\n" .. message)
                end
            end
        end
    end)

    it("accept other texts", function()
        for _, text in ipairs(legal) do
            local message = refused(text)
            assert(not message, text .. "\n" .. tostring(message))
        end
    end)
end)
