-- The constructs of GLSL 4.30 that bodies can contain, in both dialects, over streams, in group kernels, and with a
-- gather from a container. Expected values are computed in Lua.
local rill = require "rill"
local check = require "spec.support.check"
local kernels = require "spec.support.kernels"
local leaks = require "spec.support.leaks"

local COUNT <const> = 64
local LONG <const> = os.getenv "RILL_SUITE_LONG"

-- Each case: its name, a body that sets r to a float for the int n (0 to 63), the same in Lua, and functions that
-- the body calls. V(i) is i, read from a stream, a container or shared memory.
local cases = {
    -- statements
    {"switch with fall-through and default", [[
        r = 0.0;
        switch (V(n) % 5) {
        case 0: r += 1.0;
        case 1: r += 10.0; break;
        default: r += 100.0;
        case 3: { float t = 1000.0; r += t; }
        case 2 + 2: r += 10000.0;
        } ]], function(n) return ({[0] = 11, 10, 11100, 11000, 10000})[n % 5] end},
    {"switch with the default first, of an unsigned value, in a loop", [[
        r = 0.0;
        for (uint i = 0u; i < 6u; i++) {
            switch (i) {
            default: r += 1.0; break;
            case 2u: case 4u: if (V(n) > 9) continue; r += 10.0; break;
            case 5u: r = -r; continue;
            }
            r += 100.0;
        } ]], function(n) return n > 9 and -303 or -523 end},
    {"a return in a switch in a loop", [[ r = float(chosen(V(n))); ]],
        function(n) return n < 4 and n * 10 or -1 end, [[
        int chosen(int n) {
            for (int i = 0; i < 4; ++i) { switch (i - n) { case 0: return i * 10; } }
            return -1;
        } ]]},
    {"nested switches", [[
        int t = 0;
        switch (V(n) & 1) {
        case 0:
            switch (n & 2) { case 0: t = 1; break; case 2: t = 2; }
            break;
        case 1: t = 3;
        }
        r = float(t); ]], function(n) return n & 1 == 1 and 3 or n & 2 == 2 and 2 or 1 end},
    {"continue and break in all loops", [[
        int s = 0;
        for (int i = 0; i < 10; i++) { if (i == 3) continue; if (i == 7) break; s += i; }
        int j = 0;
        while (true) { j++; if (j % 2 == 0) continue; if (j > V(n)) break; s += j; }
        int k = 0;
        do { k++; if (k == 2) continue; if (k == 5) break; s += 1000 * k; } while (k < 8);
        r = float(s); ]], function(n)
        local s = 0 + 1 + 2 + 4 + 5 + 6
        for j = 1, n, 2 do s = s + j end
        return s + 1000 * (1 + 3 + 4)
    end},
    {"a do loop, which runs once", [[ r = 0.0; do r += 1.0; while (r < float(V(n))); ]],
        function(n) return math.max(n, 1) end},
    {"for with two counters and comma operators", [[
        int s = 0, i, j;
        for (i = 0, j = V(n); i < j; i++, j -= 2) s += i * j;
        for (int a = 1, b = 10; a < b; a *= 2, --b) s += 1000 * (a + b);
        r = float((i++, s += i, s)); ]], function(n)
        local s, i, j = 0, 0, n
        while i < j do s, i, j = s + i * j, i + 1, j - 2 end
        local a, b = 1, 10
        while a < b do s, a, b = s + 1000 * (a + b), a * 2, b - 1 end
        return s + i + 1
    end},
    {"nested loops, which are left one by one", [[
        int s = 0;
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                if (j == i) continue;
                int k = 0;
                while (k < 3) { if (k == j) break; s += i + 10 * j + 100 * V(k); k++; }
            }
        r = float(s); ]], function()
        local s = 0
        for i = 0, 3 do for j = 0, 3 do if i ~= j then
            for k = 0, 2 do if k == j then break end s = s + i + 10 * j + 100 * k end
        end end end
        return s
    end},
    {"while with a declaration in its condition", [[
        int left = V(n); r = 0.0; while (bool more = left > 0) { r += more ? 2.0 : 0.0; left--; } ]],
        function(n) return 2 * n end},
    {"for without parts", [[ int i = 0; for (;;) { if (i >= V(n)) break; i += 3; } r = float(i); ]],
        function(n) return (n + 2) // 3 * 3 end},
    {"else if and empty statements", [[
        ; if (V(n) < 3) r = 1.0; else if (n < 5) r = 2.0; else { r = 3.0; ; } ]],
        function(n) return n < 3 and 1 or n < 5 and 2 or 3 end},
    {"names in blocks", [[
        int a = V(n); { int a = a + 1; { float a = float(a) * 2.0; r = a; } a++; r += float(a); } r += float(a); ]],
        function(n) return 2 * (n + 1) + n + 2 + n end},
    {"return in the middle", [[ r = 1.0; if (V(n) > 5) { r = 2.0; return; } for (;;) { r = 3.0; return; } ]],
        function(n) return n > 5 and 2 or 3 end},

    -- operators
    {"exclusive or of bools", [[ bool a = V(n) > 3, b = n > 7; r = a ^^ b ? 1.0 : 0.0;
        r += (a ^^ b ^^ true) ? 10.0 : 0.0; ]],
        function(n) return (n > 3) ~= (n > 7) and 1 or 10 end},
    {"the conditional operator with vectors, matrices and structures", [[
        vec3 a = vec3(V(n), 1, 2), b = vec3(7.0);
        vec3 c = n > 4 ? a : b;
        mat2 m = n > 6 ? mat2(1.0) : mat2(1.0, 2.0, 3.0, 4.0);
        Couple p = Couple(1.0, 2), q = Couple(3.0, 4);
        Couple w = n > 8 ? p : q;
        ivec2 nested = n < 2 ? ivec2(1) : n < 5 ? ivec2(2, 3) : ivec2(4);
        r = c.x + 100.0 * m[1].x + w.f + float(w.i) + 1000.0 * float(nested.y); ]],
        function(n)
            return (n > 4 and n or 7) + (n > 6 and 0 or 300) + (n > 8 and 3 or 7) +
                1000 * (n < 2 and 1 or n < 5 and 3 or 4)
        end, "struct Couple { float f; int i; };"},
    {"integer operators on vectors", [[
        ivec3 a = ivec3(V(n), 77, 1024), b = ivec3(3, 5, 7);
        uvec2 u = uvec2(n, 0xffu);
        ivec3 c = (a & b) + (a | 8) - (a ^ b) + ~a + (a << 2) + (a >> b) + a / b + a % b;
        u = (u << uvec2(1, 2)) ^ (u >> 1u); u |= 1u; u &= uvec2(0xfffu); u ^= 5u; u <<= 1; u >>= 2u; u %= 100u;
        c += ivec3(u, -1); c <<= 1; c |= ivec3(1); c %= 10007;
        r = float(c.x + 3 * c.y + 5 * c.z); ]],
        function(n)
            local a, b, c = {n, 77, 1024}, {3, 5, 7}, {}
            for i = 1, 3 do
                c[i] = (a[i] & b[i]) + (a[i] | 8) - (a[i] ~ b[i]) + ~a[i] + (a[i] << 2) + (a[i] >> b[i]) +
                    a[i] // b[i] + a[i] % b[i]
            end
            local function u(x, k) return ((((x << k ~ x >> 1) | 1) & 0xfff ~ 5) << 1 >> 2) % 100 end
            c[1], c[2], c[3] = c[1] + u(n, 1), c[2] + u(255, 2), c[3] - 1
            for i = 1, 3 do c[i] = math.fmod(c[i] * 2 | 1, 10007) end
            return c[1] + 3 * c[2] + 5 * c[3]
        end},
    {"shifts by vectors and signs", [[
        int a = -V(n) - 1; ivec2 b = ivec2(a, -a) >> ivec2(1, 2); uint c = uint(a) >> 28;
        r = float(b.x + 100 * b.y + 10000 * int(c)); ]],
        function(n) return (-n - 1) // 2 + 100 * ((n + 1) // 4) + 150000 end},
    {"steps of vectors, components and elements", [[
        ivec3 a = ivec3(V(n)); ivec3 b = a++ + ++a; vec2 f = vec2(n); f--; --f; f.y++; uint u = 0u; u--;
        int t[3] = int[3](n, 2, 3); int k = 0; t[k++]++; ++t[k]; t[2]--; int old = t[k--]--;
        r = float(a.x + b.y) + f.x + f.y + float(t[0] + 10 * t[1] + 100 * t[2] + 1000 * old + k)
        + (u == 0xffffffffu ? 0.5 : 0.0); ]],
        function(n) return n + 2 + 2 * n + 2 + (n - 2) + (n - 1) + (n + 1) + 20 + 200 + 3000 + 0.5 end},
    {"swizzles as targets", [[
        vec4 a = vec4(V(n), 1, 2, 3); a.wx = a.xy; a.gb += vec2(10.0, 20.0); a.t *= 2.0;
        a.zyx.yx = vec2(100.0, 200.0);
        ivec2 p = ivec2(0); p.yx = ivec2(n, 5); p.x++; mat2 m = mat2(0.0); m[1].yx = vec2(1.0, 2.0); m[0][1] = 3.0;
        Held h; h.v = vec3(0.0); h.v.zx = vec2(7.0, 8.0); vec3 t[2]; t[0] = t[1] = vec3(0.0);
        t[n & 1].yz = vec2(1.0, 2.0);
        r = a.x + a.y + a.z + a.w + float(p.x + p.y) + m[1].x + 10.0 * m[1].y + m[0].y + h.v.x + 2.0 * h.v.z
        + t[n & 1].z; ]],
        function(n) return 1 + 100 + 200 + n + n + 6 + 2 + 10 + 3 + 8 + 14 + 2 end, "struct Held { vec3 v; };"},
    {"swizzles of swizzles and of values", [[
        vec3 a = vec3(V(n), 2, 3); vec4 b = a.zzyx.wzyx; r = b.x + 10.0 * (a * 2.0).z + 100.0 * vec2(1.0, 4.0).yx.x
            + 1000.0 * a.stp.pts.s; ]],
        function(n) return n + 60 + 400 + 3000 end},
    {"assignments as values", [[
        int a, b; a = b = V(n); a += b *= 2; vec2 v; vec2 w = v = vec2(a, b); r = (w.x = w.x + 1.0) + v.y; ]],
        function(n) return 3 * n + 1 + 2 * n end},
    {"hexadecimal and octal literals, and all forms of floats", [[
        r = float(0x1F + 017 + 0 + int(0XffU) + int(07u)) + 1e1 + .5 + 2. + 1.5e-1F * 10.0f + 25E+1 + float(1.0lf
        + 2.LF) + float(V(n)); ]],
        function(n) return 31 + 15 + 255 + 7 + 10 + 0.5 + 2 + 1.5 + 250 + 3 + n end},
    {"precedence of operators", [[
        int a = V(n); bool c = a < 3 == true || a > 5 && a != 7 ^^ a == 8;
        int k = 1 + 2 * 3 - 8 / 2 % 3 << 1 & 14 | 32 ^ 7;
        r = (c ? 1000.0 : 0.0) + float(k + - -a * 2 + ~-a - (k += 0, 1)); ]],
        function(n) return ((n < 3 or (n > 5 and n ~= 7) ~= (n == 8)) and 1000 or 0) + 47 + 2 * n + n - 1 - 1 end},
    {"comparison of vectors, matrices, arrays and structures as a whole", [[
        int t[2] = int[2](V(n), 1), u[2] = int[2](3, 1); mat2 m = mat2(n), w = mat2(4.0);
        Whole a = Whole(n, vec2(1.0)), b = Whole(5, vec2(1.0));
        r = 0.0; if (t == u) r += 1.0; if (m == w) r += 10.0; if (a == b) r += 100.0; if (t != u) r += 1000.0;
        if (m != w) r += 0.5; if (a != b) r += 0.25; ]],
        function(n) return (n == 3 and 1 or 1000) + (n == 4 and 10 or 0.5) + (n == 5 and 100 or 0.25) end,
        "struct Whole { int i; vec2 v; };"},

    -- arrays and structures
    {"arrays of arrays, in both notations #lanes", [[
        float a[3][2] = {{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}};
        float[3][2] b = float[3][2](float[2](1.0, 2.0), float[2](3.0, 4.0), float[2](5.0, 6.0));
        float[2] c[3] = {{10.0, 20.0}, {30.0, 40.0}, {50.0, 60.0}};
        float d[][2] = {{7.0, 8.0}, {9.0, 10.0}};
        float e[][] = float[][](float[](1.0, 2.0, 3.0), float[](4.0, 5.0, 6.0));
        int i = V(n) % 3, j = n % 2;
        c[i] = a[i]; float[2] row = b[i]; row[j]++; b[i] = row;
        r = a[i][j] + 10.0 * b[i][j] + 100.0 * c[i][j] + 1000.0 * c[(i + 1) % 3][j] + d[j][1] + e[1][i]
            + float(a.length() + a[0].length() + c.length() + c[0].length() + d.length() + e.length()
            + e[0].length()); ]],
        function(n)
            local i, j = n % 3, n % 2
            local at, next = 2 * i + j + 1, 2 * ((i + 1) % 3) + j + 1
            return at + 10 * (at + 1) + 100 * at + 10000 * next + 8 + 2 * j + 4 + i + 3 + 2 + 3 + 2 + 2 + 2 + 3
        end},
    {"length of arrays, vectors and matrices", [[
        int a[5]; a[4] = V(n); vec3 b = vec3(0.0); mat3x2 c = mat3x2(1.0); const int l = a.length();
        float d[l + c.length()];
        d[7] = 1.0; r = float(a.length() + 10 * b.length() + 100 * c.length() + 1000 * c[0].length()
        + 10000 * d.length() + a[4]); ]],
        function(n) return 5 + 30 + 300 + 2000 + 80000 + n end},
    {"arrays of const lengths", [[
        const int m = 3, k = m * 2 - 1; const uint w = 2u; int a[m][k]; int b[w]; int c[SIDE + 1];
        for (int i = 0; i < m; i++) for (int j = 0; j < k; j++) a[i][j] = i * 10 + j;
        b[0] = b[1] = 7; c[SIDE] = V(n); r = float(a[2][4] + a.length() + a[0].length() + b[1] + c[SIDE]
        + c.length()); ]],
        function(n) return 24 + 3 + 5 + 7 + n + 5 end, "const int SIDE = 4;"},
    {"structures in arrays #lanes", [[
        Item a[3]; for (int i = 0; i < 3; i++) { a[i].f = float(i); a[i].v = ivec2(i, V(n)); a[i].t[0] = 1.0;
        a[i].t[1] = 2.0; }
        Item b[] = {{1.0, ivec2(2), {3.0, 4.0}}, Item(5.0, ivec2(6), float[2](7.0, 8.0))};
        Item[2] c = Item[2](b[1], b[0]); a[n % 3].v.x += 100; a[1] = c[n % 2]; c[0].t[n % 2]++;
        r = a[0].f + a[1].f + float(a[n % 3].v.x) + float(a[2].v.y) + c[0].t[n % 2] + b[0].t[1]
        + float(b.length()); ]],
        function(n)
            local second = n % 2 == 0 and 5 or 1
            local x = n % 3 == 0 and 100 or n % 3 == 1 and (n % 2 == 0 and 6 or 2) or 102
            return second + x + n + (n % 2 == 0 and 8 or 9) + 4 + 2
        end, "struct Item { float f; ivec2 v; float t[2]; };"},
    {"structures in structures", [[
        Outer o = Outer(Inner(1.0, int[2](2, 3)), Inner[2](Inner(4.0, int[2](5, 6)), Inner(7.0, int[2](8, 9))),
        mat2(2.0));
        Outer p = {{1.0, {2, 3}}, {{4.0, {5, 6}}, {7.0, {8, 9}}}, {{2.0, 0.0}, {0.0, 2.0}}};
        o.many[n & 1].t[1] += V(n); Outer q = o; q.one.f = 100.0; q.many[1].t[0]++; q.m[1][0] = 50.0;
        r = o.one.f + q.one.f + float(q.many[n & 1].t[1]) + float(q.many[1].t[0] + p.many[1].t[0]) + q.m[1].x
        + (o == p ? 1000.0 : 0.0); ]],
        function(n)
            return 1 + 100 + (n & 1 == 0 and 6 or 9) + n + 9 + 8 + 50 + (n == 0 and 1000 or 0)
        end, [[struct Inner { float f; int t[2]; }; struct Outer { Inner one; Inner many[2]; mat2 m; };]]},
    {"a structure that is declared in a body", [[
        struct Point { float x; ivec2 y; }; Point p; p.x = float(V(n)); p.y = ivec2(1, 2);
        Point q = Point(3.0, ivec2(4, 5));
        Point t[2] = Point[2](p, q); r = t[0].x + 10.0 * t[1].x + float(p.y.y + q.y.x); ]],
        function(n) return n + 30 + 6 end},
    {"a structure that is declared with its variables", [[
        struct Point { float x, y[2]; } p, q[2]; p.x = float(V(n)); p.y[0] = 2.0; p.y[1] = 3.0; q[1] = p;
        q[0] = q[1]; q[0].y[1]++;
        Point s = q[0]; struct { int a; } unnamed; unnamed.a = 1000;
        r = s.x + 10.0 * s.y[0] + 100.0 * s.y[1] + float(unnamed.a); ]],
        function(n) return n + 20 + 400 + 1000 end},
    {"structures of the same name in two blocks and functions", [[
        { struct Pair { float a; }; Pair p = Pair(1.0); r = p.a; }
        { struct Pair { int b, c; }; Pair p = Pair(V(n), 2); r += float(p.b + p.c); }
        r += pairs(n); ]], function(n) return 3 + n + 5 end,
        "float pairs(int n) { struct Pair { vec2 d; } p; p.d = vec2(2.0, 3.0); return p.d.x + p.d.y; }"},
    {"a structure in a body that has a structure of the body, and a constant length", [[
        const int m = 2; struct In { float t[m]; }; struct Out { In a[m]; In b; }; Out o;
        o.a[1].t[0] = float(V(n)); o.b.t[1] = 2.0; r = o.a[1].t[0] + o.b.t[1]
        + float(o.a.length() * o.b.t.length()); ]],
        function(n) return n + 2 + 4 end},

    -- functions
    {"out and inout parameters of all types", [[
        float f; int i = V(n); uint u; bool b; vec3 v = vec3(1.0); mat2x3 m; float t[3]; Full s; Full many[2];
        double d; dvec2 w; ivec2 k = ivec2(1, 2);
        many[0] = many[1] = Full(0.0, int[2](0, 0));
        fill(f, i, u, b, v, m, t, s, many, d, w, k); fill(f, i, u, b, v, m, t, s, many, d, w, k);
        r = f + float(i) + float(u) + (b ? 100.0 : 0.0) + v.x + v.y + m[1].z + t[2] + s.f + float(s.t[1])
        + many[1].f + float(many[0].t[0] + many[1].t[0]) + float(d + w.y) + float(k.x * 10 + k.y); ]],
        function(n) return 1.5 + n + 2 + 3 + 100 + 4 + 2 + 6 + 5 + 7 + 8 + 2 * 2 + 2 + 9 + 10 + 12 end, [[
        struct Full { float f; int t[2]; };
        void fill(out float f, inout int i, out uint u, out bool b, inout vec3 v, out mat2x3 m, out float t[3],
        out Full s, inout Full many[2],
                  out double d, out dvec2 w, inout ivec2 k) {
            f = 1.5; i++; u = 3u; b = true; v.x += 1.5; v.y *= 1.0; v.y += 0.5; m = mat2x3(1.0);
            m[1] = vec3(4.0, 5.0, 6.0);
            t[0] = t[1] = 1.0; t[2] = 5.0; s = Full(7.0, int[2](0, 8)); many[1].f += 2.0; many[0].t[0]++;
            d = 9.0lf; w = dvec2(0.0, 10.0); k.yx = k;
        } ]]},
    {"out parameters that are components, elements and fields #lanes", [[
        vec3 w = vec3(0.0); int t[3] = int[3](0, 0, 0); Slot s; s.v = vec2(0.0); s.t[0] = s.t[1] = 0.0;
        mat2 m = mat2(0.0);
        put(w.y, 1.0); put(w[2], 2.0); put(s.v.x, 3.0); put(s.t[n & 1], 4.0); put(m[1][0], 5.0);
        put2(w.zx, vec2(6.0, 7.0)); put2(m[0], vec2(8.0, 9.0));
        puti(t[V(n) % 3], 10); r = w.x + 2.0 * w.y + 3.0 * w.z + s.v.x + s.t[n & 1] + m[1].x + m[0].y
        + float(t[n % 3]); ]],
        function() return 7 + 2 + 18 + 3 + 4 + 5 + 9 + 10 end, [[
        struct Slot { vec2 v; float t[2]; };
        void put(out float a, float x) { a = x; } void put2(out vec2 a, in vec2 x) { a = x;
        } void puti(inout int a, const int x) { a += x; } ]]},
    {"results and parameters that are arrays and structures", [[
        float t[3] = made(float(V(n))); Rows s = wrapped(t); r = total(s.t) + total(made(1.0)) + wrapped(t).t[1]
        + made(5.0)[2] + float(grid(n)[1][0]); ]],
        function(n) return 3 * n + 3 + 6 + n + 1 + 7 + n + 2 end, [[
        float[3] made(float x) { return float[3](x, x + 1.0, x + 2.0); }
        float total(const in float t[3]) { return t[0] + t[1] + t[2]; }
        struct Rows { float t[3]; }; Rows wrapped(float[3] t) { Rows s; s.t = t; return s; }
        int[2][2] grid(int n) { int g[2][2] = {{n, n + 1}, {n + 2, n + 3}}; return g; } ]]},
    {"parameters that are changed, prototypes, and functions before their definition", [[
        int k = V(n); r = float(half_of(k) + k + later(2)); ]],
        function(n) return n // 2 + n + 4 end,
        "int later(int); int half_of(int k) { k /= 2; return k; } int later(int x) { return x * x; }"},
    {"void functions, void parameters and returns", [[ int k = 0; none(); stop(k, V(n)); r = float(k + one()); ]],
        function(n) return (n > 3 and 1 or 2) + 1 end,
        "void none(void) { ; } int one() { return 1; } void stop(out int k, int n) { k = 1; if (n > 3) return; " ..
        "k = 2; }"},
    {"constants of all types", [[
        r = TABLE[V(n) % 3] + PLACE.y + TURN[1][0] + GRID[1][n & 1] + LAST.f + float(LAST.i) + (YES ? 0.5 : 0.0)
        + float(COUNT); ]],
        function(n) return ({1, 2, 4})[n % 3 + 1] + 20 + 3 + (n & 1 == 0 and 7 or 8) + 9 + 10 + 0.5 + 6 end, [[
        const float TABLE[3] = float[3](1.0, 2.0, 4.0); const vec2 PLACE = vec2(10.0, 20.0);
        const mat2 TURN = mat2(1.0, 2.0, 3.0, 4.0);
        const float GRID[2][2] = {{5.0, 6.0}, {7.0, 8.0}}; struct Last { float f; int i; };
        const Last LAST = Last(9.0, 10);
        const bool YES = true; const int COUNT = TABLE.length() * 2; ]]},
    {"constants that are matrices of four columns and two rows", [[
        r = WIDE[0].x + 10.0 * WIDE[1].y + 100.0 * WIDE[2].x + 1000.0 * WIDE[3].x
            + float(DEEP[1].y + DEEP[3].x + V(n)); ]],
        function(n) return 22 + 3 + n end, "const mat4x2 WIDE = mat4x2(2.0); const dmat4x2 DEEP = dmat4x2(3);"},
    {"constructors of all kinds", [[
        vec4 a = vec4(vec2(V(n), 1), 2, true); ivec2 b = ivec2(vec3(1.9, -2.9, 5.0)); uint c = uint(-1);
        bvec3 d = bvec3(0, 1.5, n);
        mat3 e = mat3(2.0); mat2 f = mat2(e); mat4x2 g = mat4x2(mat2(1.0, 2.0, 3.0, 4.0));
        mat2x3 h = mat2x3(vec3(1.0), 2.0, vec2(3.0));
        float i = float(ivec3(7, 8, 9)); bool j = bool(n); mat2 k = mat2(vec4(1.0, 2.0, 3.0, 4.0));
        vec2 l = vec2(f[0]); vec3 o = vec3(a);
        r = a.x + a.z + a.w + float(b.x + 10 * b.y) + (c == 0xffffffffu ? 100.0 : 0.0) + (d.z ? 200.0 : 0.0)
        + (d.y && !d.x ? 400.0 : 0.0)
            + f[1].y + g[1].y + g[3].y + h[1].x + i + (j ? 0.5 : 0.0) + k[1].x + l.x + o.y; ]],
        function(n) return n + 3 + 1 - 20 + 100 + (n > 0 and 200.5 or 0) + 400 + 2 + 4 + 0 + 2 + 7 + 3 + 2 + 1 end},
    {"bools in vectors and arrays", [[
        bvec2 a = bvec2(V(n) > 2, n > 5); bvec2 b = not(a); a.x = b.y; bool t[2]; t[0] = a.x; t[1] = a[1];
        r = (any(a) ? 1.0 : 0.0) + (all(b) ? 10.0 : 0.0) + (t[0] ? 100.0 : 0.0) + (t[1] ? 1000.0 : 0.0); ]],
        function(n) return 1 + (n <= 2 and 10 or 0) + (n <= 5 and 100 or 0) + (n > 5 and 1000 or 0) end},
}

-- The functions of the table in src/kernel/tree/functions.c: statements that set y, and the same in Lua, for
-- x = n / 4 - 4. The fourth value is the tolerance if the driver computes a function less exactly. Functions of
-- subgroups are tested in subgroup_spec.lua.
local function bits(x) return (string.unpack("<i4", string.pack("<f", x))) end
local function round_even(x)
    local r = math.floor(x + 0.5)
    return x + 0.5 == r and r % 2 == 1 and r - 1 or r
end
local function near(x) return x end
local functions = {
    {"radians", "y = radians(x * 90.0);", function(x) return x * math.pi / 2 end},
    {"degrees", "y = degrees(x);", function(x) return x * 180 / math.pi end},
    {"sin", "y = sin(x);", math.sin}, {"cos", "y = cos(vec2(x, 1.0)).x;", math.cos},
    {"tan", "y = tan(x);", math.tan}, {"asin", "y = asin(x / 16.0);", function(x) return math.asin(x / 16) end, 3e-4},
    {"acos", "y = acos(x / 16.0);", function(x) return math.acos(x / 16) end, 3e-4},
    {"atan", "y = atan(x) + 10.0 * atan(x, -2.0);", function(x) return math.atan(x) + 10 * math.atan(x, -2) end},
    {"atan2", "y = atan2(x, 3.0);", function(x) return math.atan(x, 3) end},
    {"sinh", "y = sinh(x);", function(x) return (math.exp(x) - math.exp(-x)) / 2 end},
    {"cosh", "y = cosh(x);", function(x) return (math.exp(x) + math.exp(-x)) / 2 end},
    {"tanh", "y = tanh(x);", function(x) return 1 - 2 / (math.exp(2 * x) + 1) end},
    {"asinh", "y = asinh(x);", function(x) return math.log(x + math.sqrt(x * x + 1)) end},
    {"acosh", "y = acosh(x + 5.0);", function(x) return math.log(x + 5 + math.sqrt((x + 5) ^ 2 - 1)) end},
    {"atanh", "y = atanh(x / 16.0);", function(x) return math.log((16 + x) / (16 - x)) / 2 end},
    {"pow", "y = pow(x + 5.0, 1.5);", function(x) return (x + 5) ^ 1.5 end}, {"exp", "y = exp(x);", math.exp},
    {"log", "y = log(x + 5.0);", function(x) return math.log(x + 5) end},
    {"exp2", "y = exp2(x);", function(x) return 2 ^ x end}, {"log2", "y = log2(x + 5.0);",
        function(x) return math.log(x + 5, 2) end},
    {"sqrt", "y = sqrt(x + 5.0);", function(x) return (x + 5) ^ 0.5 end},
    {"inversesqrt", "y = inversesqrt(x + 5.0) + rsqrt(4.0);", function(x) return (x + 5) ^ -0.5 + 0.5 end},
    {"abs", "y = abs(x) + float(abs(ivec2(-n, 1)).x);", function(x, n) return math.abs(x) + n end},
    {"sign", "y = sign(x) + 10.0 * float(sign(n - 5));", function(x, n)
        return (x > 0 and 1 or x < 0 and -1 or 0) + (n > 5 and 10 or n < 5 and -10 or 0) end},
    {"floor", "y = floor(x);", math.floor}, {"ceil", "y = ceil(x);", math.ceil},
    {"trunc", "y = trunc(x);", function(x) return x < 0 and math.ceil(x) or math.floor(x) end},
    {"round", "y = round(x + 0.125);", function(x) return math.floor(x + 0.625) end},
    {"roundEven", "y = roundEven(x);", round_even},
    {"fract", "y = fract(x) + frac(2.25);", function(x) return x - math.floor(x) + 0.25 end},
    {"mod", "y = mod(x, 3.0) + mod(vec2(x), vec2(1.0, 5.0)).y;", function(x) return x % 3 + x % 5 end},
    {"fmod", "y = fmod(x, 3.0) + fmod(vec2(x), 5.0).y;", function(x) return math.fmod(x, 3) + math.fmod(x, 5) end},
    {"modf", "float w; y = modf(x, w) + 10.0 * w; vec2 v; y += modf(vec2(x, 2.5), v).y + v.y;", function(x)
        local w = x < 0 and math.ceil(x) or math.floor(x)
        return x - w + 10 * w + 2.5 end},
    {"min", "y = min(x, 1.5) + float(min(n, 3)) + float(min(uvec2(n, 2), 9u).x);", function(x, n)
        return math.min(x, 1.5) + math.min(n, 3) + math.min(n, 9) end},
    {"max", "y = max(vec3(x), 1.5).z + float(max(ivec2(n), ivec2(3, 8)).y);", function(x, n)
        return math.max(x, 1.5) + math.max(n, 8) end},
    {"clamp", "y = clamp(x, -1.0, 2.0) + float(clamp(n, 3, 9)) + clamp(vec2(x), vec2(0.0), vec2(1.0, 5.0)).y;",
        function(x, n)
        return math.max(-1, math.min(x, 2)) + math.max(3, math.min(n, 9)) + math.max(0, math.min(x, 5)) end},
    {"saturate", "y = saturate(x) + saturate(vec2(x, 3.0)).y;",
        function(x) return math.max(0, math.min(x, 1)) + 1 end},
    {"mix", "y = mix(x, 10.0, 0.25) + mix(vec2(x), vec2(1.0), vec2(0.5)).y + mix(vec2(x), vec2(7.0), bvec2(true, " ..
        "x > 0.0)).y "
        .. "+ lerp(0.0, 4.0, 0.5);", function(x) return 0.75 * x + 2.5 + 0.5 * x + 0.5 + (x > 0 and 7 or x) + 2 end},
    {"step", "y = step(1.5, x) + 10.0 * step(vec2(1.0, 3.0), vec2(x)).y;",
        function(x) return (x >= 1.5 and 1 or 0) + (x >= 3 and 10 or 0) end},
    {"smoothstep", "y = smoothstep(-2.0, 6.0, x);",
        function(x) local t = math.max(0, math.min((x + 2) / 8, 1)) return t * t * (3 - 2 * t) end},
    {"isnan", "float z = x - 2.0; y = isnan(z / z) ? 1.0 : 0.0;", function(x) return x == 2 and 1 or 0 end},
    {"isinf", "float z = x - 2.0; y = isinf(1.0 / z) ? 1.0 : 0.0;", function(x) return x == 2 and 1 or 0 end},
    {"floatBitsToInt", "y = float(floatBitsToInt(x) >> 16);",
        function(x) return bits(x) >> 16 << 48 >> 48 ~ (bits(x) < 0 and -1 << 16 or 0) end},
    {"floatBitsToUint", "y = float(floatBitsToUint(x) >> 16u);", function(x) return (bits(x) & 0xffffffff) >> 16 end},
    {"intBitsToFloat", "y = intBitsToFloat(0x3f800000 + n * 65536);",
        function(_, n) return (string.unpack("<f", string.pack("<i4", 0x3f800000 + n * 65536))) end},
    {"uintBitsToFloat", "y = uintBitsToFloat(uvec2(0x40000000u + uint(n), 0u)).x;",
        function(_, n) return 2 + n * 2 ^ -22 end},
    {"fma", "y = fma(x, 2.0, 3.0);", function(x) return 2 * x + 3 end},
    {"frexp", "int k; y = frexp(x + 5.0, k) + float(k) * 10.0;", function(x)
        local k = math.floor(math.log(x + 5, 2)) + 1
        return (x + 5) / 2 ^ k + 10 * k end},
    {"ldexp", "y = ldexp(x, n % 5 - 2);", function(x, n) return x * 2 ^ (n % 5 - 2) end},
    {"packUnorm2x16",
        "y = float(packUnorm2x16(vec2(x / 16.0, 2.0)) & 0xffffu) + float(packUnorm2x16(vec2(x, 2.0)) >> 16u);",
            function(x)
        return round_even(math.max(0, math.min(x / 16, 1)) * 65535) + 65535 end},
    {"packSnorm2x16", "y = float(int(packSnorm2x16(vec2(x / 16.0, -1.0))) << 16 >> 16);",
        function(x) return math.floor(x / 16 * 32767 + 0.5) end},
    {"packUnorm4x8", "y = float(packUnorm4x8(vec4(x / 16.0, 1.0, 0.0, 1.0)));", function(x)
        return 0xff00ff00 + math.floor(math.max(0, math.min(x / 16, 1)) * 255 + 0.5) end},
    {"packSnorm4x8", "y = float(packSnorm4x8(vec4(x / 16.0, 1.0, 0.0, -1.0)) >> 8u);",
        function() return 0x81007f end},
    {"unpackUnorm2x16", "y = unpackUnorm2x16(uint(n) | 0xffff0000u).x * 65535.0 + unpackUnorm2x16(0xffff0000u).y;",
        function(_, n) return n + 1 end},
    {"unpackSnorm2x16", "y = unpackSnorm2x16(uint(-n)).x * 32767.0;", function(_, n) return -n end},
    {"unpackUnorm4x8", "y = unpackUnorm4x8(uint(n) << 8u).y * 255.0;", function(_, n) return n end},
    {"unpackSnorm4x8", "y = unpackSnorm4x8(uint(-n) << 24u).w * 127.0;", function(_, n) return -n end},
    {"packHalf2x16", "y = float(packHalf2x16(vec2(1.0 + float(n) / 1024.0, 2.0)));",
        function(_, n) return 0x40003c00 + n end},
    {"unpackHalf2x16", "y = unpackHalf2x16(0x3c00u + uint(n)).x;", function(_, n) return 1 + n / 1024 end},
    {"packDouble2x32", "y = float(packDouble2x32(uvec2(0u, 0x3ff00000u + uint(n))));",
        function(_, n) return 1 + n * 2 ^ -20 end},
    {"unpackDouble2x32", "y = float(unpackDouble2x32(double(x + 5.0)).y >> 16u);",
        function(x) return string.unpack("<I8", string.pack("<d", x + 5)) >> 48 end},
    {"length", "y = length(vec3(x, 3.0, 4.0)) + length(x);",
        function(x) return math.sqrt(x * x + 25) + math.abs(x) end},
    {"distance", "y = distance(vec2(x, 1.0), vec2(1.0, 2.0));", function(x) return math.sqrt((x - 1) ^ 2 + 1) end},
    {"dot", "y = dot(vec4(x, 1.0, 2.0, 3.0), vec4(2.0));", function(x) return 2 * x + 12 end},
    {"cross", "y = cross(vec3(x, 2.0, 3.0), vec3(4.0, 5.0, 6.0)).y + float(cross(dvec3(x, 2.0, 3.0), dvec3(4.0, " ..
        "5.0, 6.0)).z);",
        function(x) return 12 - 6 * x + 5 * x - 8 end},
    {"normalize", "y = normalize(vec2(x, 3.0)).x;", function(x) return x / math.sqrt(x * x + 9) end},
    {"faceforward", "y = faceforward(vec2(1.0, 2.0), vec2(x, 0.0), vec2(1.0, 0.0)).y;",
        function(x) return x < 0 and 2 or -2 end},
    {"reflect", "y = reflect(vec2(x, 2.0), vec2(0.6, 0.8)).x;", function(x) return x - 2 * (0.6 * x + 1.6) * 0.6 end},
    {"refract", "vec2 v = refract(normalize(vec2(x, -2.0)), vec2(0.0, 1.0), 0.5); y = v.x + 10.0 * v.y;", function(x)
        local l = math.sqrt(x * x + 4)
        local dx, dy = x / l, -2 / l
        local k = 1 - 0.25 * (1 - dy * dy)
        return 0.5 * dx + 10 * (0.5 * dy - (0.5 * dy + math.sqrt(k))) end},
    {"matrixCompMult", "y = matrixCompMult(mat2(x), mat2(2.0, 3.0, 4.0, 5.0))[1].y;", function(x) return 5 * x end},
    {"outerProduct", "y = outerProduct(vec2(x, 2.0), vec3(3.0, 4.0, 5.0))[2].x;", function(x) return 5 * x end},
    {"transpose", "y = transpose(mat2x3(1.0, x, 3.0, 4.0, 5.0, 6.0))[1].x;", near},
    {"determinant", "y = determinant(mat3(x, 1.0, 0.0, 2.0, 3.0, 0.0, 0.0, 0.0, 2.0));",
        function(x) return 2 * (3 * x - 2) end},
    {"inverse", "y = inverse(mat2(x + 5.0, 1.0, 0.0, 2.0))[0].x;", function(x) return 1 / (x + 5) end},
    {"lessThan", "y = lessThan(vec2(x), vec2(1.0, 2.0)).y ? 1.0 : 0.0;", function(x) return x < 2 and 1 or 0 end},
    {"lessThanEqual", "y = lessThanEqual(ivec2(n), ivec2(1, 9)).y ? 1.0 : 0.0;",
        function(_, n) return n <= 9 and 1 or 0 end},
    {"greaterThan", "y = greaterThan(uvec2(n), uvec2(1, 9)).y ? 1.0 : 0.0;",
        function(_, n) return n > 9 and 1 or 0 end},
    {"greaterThanEqual", "y = greaterThanEqual(vec3(x), vec3(2.0)).z ? 1.0 : 0.0;",
        function(x) return x >= 2 and 1 or 0 end},
    {"equal", "y = equal(bvec2(n > 3), bvec2(true)).y ? 1.0 : 0.0;", function(_, n) return n > 3 and 1 or 0 end},
    {"notEqual", "y = notEqual(ivec2(n), ivec2(3)).y ? 1.0 : 0.0;", function(_, n) return n ~= 3 and 1 or 0 end},
    {"any", "y = any(bvec3(false, false, n > 5)) ? 1.0 : 0.0;", function(_, n) return n > 5 and 1 or 0 end},
    {"all", "y = all(bvec2(true, n > 5)) ? 1.0 : 0.0;", function(_, n) return n > 5 and 1 or 0 end},
    {"not", "y = not(bvec2(true, n > 5)).y ? 1.0 : 0.0;", function(_, n) return n > 5 and 0 or 1 end},
    {"uaddCarry", "uint c; y = float(uaddCarry(0xfffffff0u, uint(n), c)) + 0.5 * float(c);",
        function(_, n) return (0xfffffff0 + n & 0xffffffff) + (n > 15 and 0.5 or 0) end},
    {"usubBorrow", "uint c; y = float(usubBorrow(uint(n), 9u, c) & 255u) + 0.5 * float(c);",
        function(_, n) return (n - 9 & 255) + (n < 9 and 0.5 or 0) end},
    {"umulExtended", "uint h, l; umulExtended(0x80000000u, uint(n), h, l); y = float(h) + (l == 0u ? 0.0 : 0.5);",
        function(_, n) return n // 2 + n % 2 * 0.5 end},
    {"imulExtended", "int h, l; imulExtended(-0x40000000, n, h, l); y = float(h);",
        function(_, n) return -n // 4 end},
    {"bitfieldExtract", "y = float(bitfieldExtract(-n, 1, 5) + int(bitfieldExtract(uint(n), 2, 3)));", function(_, n)
        local k = -n >> 1 & 31
        return (k > 15 and k - 32 or k) + (n >> 2 & 7) end},
    {"bitfieldInsert", "y = float(bitfieldInsert(n, 5, 1, 3));", function(_, n) return n & ~14 | 10 end},
    {"bitfieldReverse", "y = float(bitfieldReverse(uint(n)) >> 26u);", function(_, n)
        local k = 0
        for i = 0, 5 do k = k | (n >> i & 1) << 5 - i end
        return k end},
    {"bitCount", "y = float(bitCount(n) + bitCount(uvec2(n, 7)).y);", function(_, n)
        local k = 3
        for i = 0, 5 do k = k + (n >> i & 1) end
        return k end},
    {"findLSB", "y = float(findLSB(n));",
        function(_, n) return n == 0 and -1 or math.floor(math.log(n & -n, 2) + 0.5) end},
    {"findMSB", "y = float(findMSB(n) + findMSB(-1 - n));",
        function(_, n) return n == 0 and -2 or 2 * math.floor(math.log(n + 0.5, 2)) end},
    {"isfinite", "float z = x - 2.0; y = isfinite(1.0 / z) ? 1.0 : 0.0;",
        function(x) return x == 2 and 0 or 1 end, brook = true},
    {"indexof", "y = float(int(indexof(n).x));", function(_, n) return n end},
    {"sizeof_stream", "y = float(sizeof_stream(given).x + sizeof_stream(n, 0));", function() return 128 end},
    {"sizeof_list", "y = float(sizeof_list(given));", function() return 64 end},
    {"spacingof", "y = float(spacingof(n));", function() return 1 end},
    {"localid", "y = float(localid());", function(_, n) return n end},
    {"groupid", "y = float(groupid());", function() return 0 end},
    {"sample", "y = sample(s, float(n) + 1.0);", function(_, n) return math.min(63, n + 1) end},
    {"sample_corners", "float w, d; vec2 c = sample_corners(s, float(n) + 0.75, w, d); " ..
        "y = c.x + c.y + w + 100.0 * d;", function(_, n)
        return n + math.min(63, n + 1) + 100.75 end},
    {"atomicAdd", "y = float(atomicAdd(t[n], 2)); y += 100.0 * float(t[n]);",
        function(_, n) return n + 100 * (n + 2) end},
    {"atomicMin", "atomicMin(t[n], 9); y = float(t[n]);", function(_, n) return math.min(n, 9) end},
    {"atomicMax", "atomicMax(t[n], 9); y = float(t[n]);", function(_, n) return math.max(n, 9) end},
    {"atomicAnd", "atomicAnd(t[n], 9); y = float(t[n]);", function(_, n) return n & 9 end},
    {"atomicOr", "atomicOr(t[n], 9); y = float(t[n]);", function(_, n) return n | 9 end},
    {"atomicXor", "atomicXor(t[n], 9); y = float(t[n]);", function(_, n) return n ~ 9 end},
    {"atomicExchange", "y = float(atomicExchange(t[n], 9) + 100 * t[n]);", function(_, n) return n + 900 end},
    {"atomicCompSwap", "atomicCompSwap(t[n], 5, 99); y = float(t[n]);", function(_, n) return n == 5 and 99 or n end},
    {"barrier", "t[63 - n] = 2 * n; memoryBarrierShared(); barrier(); y = float(t[n]);",
        function(_, n) return 2 * (63 - n) end},
    {"memoryBarrierShared", "memoryBarrierShared(); y = x;", near}, {"memoryBarrier", "memoryBarrier(); " ..
        "y = x;", near},
    {"memoryBarrierBuffer", "memoryBarrierBuffer(); y = x;", near}, {"groupMemoryBarrier", "groupMemoryBarrier(); " ..
        "y = x;", near},
}

local frames <const> = {
    stream = "#define V(i) given[i]\nHELPERS kernel void k(int n<>, int given[], out TYPE r<>) { BODY }",
    group = "#define V(i) shares[i]\nHELPERS kernel(64) void k(int n<>, int given[], out TYPE r<>) " ..
        "{ shared int shares[64]; shares[localid()] = given[n]; barrier(); BODY }",
}

local function_frame <const> = [=[
    kernel(64) void k(int n<>, int given[], float s[], out float y<>) {
        shared int t[64]; t[localid()] = given[n]; barrier(); float x = float(n) * 0.25 - 4.0; BODY
    } ]=]

-- Returns the results of a body for all n.
local function results(dialect, frame, source, case)
    local words = {HELPERS = case.helpers or "", BODY = case.body, TYPE = case.type or "float"}
    local k = rill.kernel(frames[frame]:gsub("%u+", words), {dialect = dialect})
    return k(rill.iota(COUNT), source):values()
end

-- Compares the results of a case over streams, in a group kernel, and over a container. In the short mode `number`
-- chooses one of them.
local function compare(dialect, case, number)
    local wanted <const> = kernels.list(COUNT, function(i) return case.expected(i - 1) end)
    local dense <close> = rill.iota(COUNT)
    local sparse <close> = rill.sparse("int", {COUNT}, {page = {8}}):write(dense)
    for k, row in ipairs {{"stream", dense}, {"group", dense}, {"stream", sparse}} do
        if LONG or number % 3 == k - 1 then check.equal(wanted, results(dialect, row[1], row[2], case)) end
    end
end

-- Returns the sum that matrix_case computes.
local function matrix_sum(n, columns, rows)
    local m, o, s = {}, {}, 0
    for c = 1, columns do
        m[c], o[c] = {}, {}
        for i = 1, rows do
            m[c][i] = c - 1 + 2 * (i - 1) + n % 4 + (c == 2 and i == 1 and 1 or 0)
            o[c][i] = 2 * m[c][i]
        end
    end
    for c = 1, columns do
        for i = 1, rows do
            local weight <const> = (c - 1) * rows + i
            s = s + weight * (2 * o[c][i] + 3 * m[c][i] + 4 * m[c][i] * o[c][i] + 5 * c * i)
            s = s + m[c][i] * i * c + m[c][i] * c * i -- (w m) and (m v)
            for k = 1, columns do
                s = s + m[c][i] * m[k][i] * (c - 1 + 2 * (k - 1) + 1)
            end
        end
    end
    local function element(c, i)
        return m[c][i] + (c == n % columns + 1 and i == n % rows + 1 and 5 or 0)
    end
    local changed <const> = {}
    for c = 1, columns do
        changed[c] = {}
        for i = 1, rows do changed[c][i] = element(c == 1 and columns or c, i) end
    end
    changed[2][2], changed[2][1] = 7, 8
    for c = 1, columns do
        for i = 1, rows do
            s = s + ((c - 1) * rows + i) * (-2 * changed[c][i] + (c == i and 3 or 0))
        end
    end
    return s + (columns == rows and 0.5 + 2 ^ columns or 0)
end

-- Returns a case about matrices of one size: products, indices, steps, parameters and results.
local function matrix_case(scalar, columns, rows)
    local d <const> = scalar == "double" and "d" or ""
    local function matrix(c, r) return ("%smat%dx%d"):format(d, c, r) end
    local words <const> = {M = matrix(columns, rows), N = matrix(rows, columns), P = matrix(columns, columns),
        A = d .. "vec" .. columns, B = d .. "vec" .. rows, F = scalar, C = columns, R = rows}
    local ramp <const> = "1.0, 2.0, 3.0, 4.0"
    local function filled(count) return ramp:sub(1, 5 * count - 2) end
    local inverse <const> = columns == rows and [[
        @P unit = inverse(@P(2.0)); s += unit[1][1] + determinant(@P(2.0)) + unit[0][1]; ]] or ""
    local body <const> = ([[
        @M m = filled(@F(V(n) % 4)), o; change(m, o);
        @N t = transpose(m); @P p = t * m; @A e = @A(LEFT); @B w = @B(RIGHT); @B mv = m * e; @A wm = w * m;
        @M q = matrixCompMult(m, o) + m - o / 2.0; @M z = outerProduct(w, e);
        m[n % @C][V(n) % @R] += 5.0; m[0] = m[@C - 1]; m[1].yx = vec2(7.0, 8.0); m++; --m; m *= 2.0;
        m = -m + @M(@F(1.0)) * @F(3.0);
        @F s = @F(0.0); INVERSE
        for (int c = 0; c < @C; c++) {
            for (int i = 0; i < @R; i++) {
                s += @F(c * @R + i + 1) * (m[c][i] + 2.0 * o[c][i] + 3.0 * t[i][c] + 4.0 * q[c][i] + 5.0 * z[c][i]);
            }
            for (int k = 0; k < @C; k++) s += p[c][k] * @F(c + 2 * k + 1);
            s += wm[c] * @F(c + 1);
        }
        for (int i = 0; i < @R; i++) s += mv[i] * @F(i + 1);
        r = float(s); ]]):gsub("%u%u%u+", {LEFT = filled(columns), RIGHT = filled(rows), INVERSE = inverse})
    local helpers <const> = [[
        @M filled(@F first) { @M m; for (int c = 0; c < @C; c++) for (int i = 0; i < @R;
        i++) m[c][i] = @F(c + 2 * i) + first; return m; }
        void change(inout @M m, out @M o) { m[1][0] += @F(1.0); o = @F(2.0) * m; } ]]
    return {
        body = body:gsub("@(%u)", words), helpers = helpers:gsub("@(%u)", words),
        expected = function(n) return matrix_sum(n, columns, rows) end,
    }
end

-- Returns a case about matrices that are made of known matrices of all sizes: each is an identity matrix.
local function identity_case(scalar, columns, rows)
    local d <const> = scalar == "double" and "d" or ""
    local text <const>, wanted = {"r = 0.0;"}, 0
    local made <const> = ("%smat%dx%d"):format(d, columns, rows)
    for _, from in ipairs {"scalar", "2x2", "2x3", "2x4", "3x2", "3x3", "3x4", "4x2", "4x3", "4x4"} do
        local value <const> = from == "scalar" and "1.0" or ("%smat%s(1.0)"):format(d, from)
        text[#text + 1] = ("{ %s m = %s(%s);"):format(made, made, value)
        for c = 0, columns - 1 do
            for i = 0, rows - 1 do
                text[#text + 1] = ("r += float(m[%d][%d]) * %d.0;"):format(c, i, 1 << c * rows + i)
                wanted = wanted + (c == i and 1 << c * rows + i or 0)
            end
        end
        text[#text + 1] = "}"
    end
    return {body = table.concat(text, " "), expected = function() return wanted end}
end

describe("kernel text", function()
    leaks.watch(setup, teardown)

    it("has tests of all functions", function()
        local known <const> = {push = true, eigen_symmetric = true, svd = true, -- vout_spec.lua, jacobi_spec.lua
            cmul = true, cdiv = true, conj = true, cabs = true, cangle = true, cexp = true} -- complex_spec.lua
        for _, row in ipairs(functions) do
            known[row[1]] = true
        end
        for word in ("cbrt expm1 log1p sinc erf erfc erfinv gamma lgamma digamma trigamma"):gmatch "%w+" do
            known[word] = true -- special_functions_spec.lua
        end
        for line in io.lines "src/kernel/tree/functions.c" do
            local name = line:match '^    {"([%w_]+)", NODE_'
            assert.is_true(not name or known[name] or name:find "^subgroup" ~= nil or name:find "^rill_" ~= nil
                or name:find "^random" ~= nil, name) -- random: random_kernel_spec.lua
        end
    end)

    for turn, dialect in ipairs {"rill", "brook"} do
        for i, row in ipairs(functions) do
            local name, body, expected = table.unpack(row)
            -- The dialects have the same functions: in the short mode each of them has half of these.
            local long <const> = not row.brook and i % 2 == turn - 1 and " #long" or ""
            local tolerance <const> = row[4] or 2e-6
            if dialect == "brook" or not row.brook then
                it(("of dialect %s has the function %s%s"):format(dialect, name, long), function()
                    local k = rill.kernel((function_frame:gsub("BODY", {BODY = body})), {dialect = dialect})
                    local n <close> = rill.iota(COUNT)
                    local s <close> = rill.iter("float", COUNT, 0, COUNT):copy()
                    for at, value in ipairs(k(n, n, s):values()) do
                        local wanted <const> = expected((at - 1) / 4 - 4, at - 1)
                        assert.near(wanted, value, tolerance * math.abs(wanted) + tolerance, ("of %d"):format(at - 1))
                    end
                end)
            end
        end
        for i, row in ipairs(cases) do
            local name, body, expected, helpers = table.unpack(row)
            -- In the short mode each construct is tested in one dialect.
            it(("of dialect %s has %s%s"):format(dialect, name, i % 2 == turn - 1 and " #long" or ""), function()
                compare(dialect, {body = body, expected = expected, helpers = helpers}, i // 2)
            end)
        end
        for _, scalar in ipairs {"float", "double"} do
            for columns = 2, 4 do
                for rows = 2, 4 do
                    -- In the short mode each dialect and type has one size of each number of columns and of rows.
                    local number <const> = turn + (scalar == "float" and 0 or 1)
                    local short <const> = (columns + rows + number) % 3 == 1
                    it(("of dialect %s has %s matrices of %d columns and %d rows #lanes%s%s"):format(dialect, scalar,
                    columns, rows, scalar == "double" and " #doubles" or "", short and "" or " #long"), function()
                        compare(dialect, matrix_case(scalar, columns, rows), columns)
                        compare(dialect, identity_case(scalar, columns, rows), rows)
                    end)
                end
            end
        end
    end
end)
