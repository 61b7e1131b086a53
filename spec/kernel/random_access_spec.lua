-- inout T name[]: random reads and writes, atomics, and indices out of range.
local rill = require "rill"
local check = require "spec.support.check"
local kernels = require "spec.support.kernels"
local leaks = require "spec.support.leaks"

describe("random access", function()
    leaks.watch(setup, teardown)

    it("writes, changes and reads back", function()
        local k = rill.program [=[
            kernel void scalar(int i<>, inout float d[]) {
                d[i] = 1.5;
                d[i] += d[i] * 2.0;
                d[i]++;
                if (d[i] > 5.0) d[i] -= 0.5; else d[i] = -1.0;
            }
            kernel void vector(int i<>, inout float4 d[]) { d[i].xy = float2(i, 7); d[i].w *= 2.0; d[i][2] = d[i].y + 1.0; }
            kernel void three(int i<>, inout float3 d[]) {
                d[i] = float3(1, 2, 3) * float(i);
                d[i].y += 10.0;
                for (int j = 0; j < 2; j++) d[i].z += 1.0;
                if (i == 1) d[i].x = -1.0;
                else { d[i].x = d[i].y; }
            }
            kernel void grid(int2 p<>, inout int d[][]) { d[p.y][p.x] = 10 * p.y + p.x; d[p]++; }
            kernel void flag(int i<>, inout bool d[]) { if (!d[i]) d[i] = i % 2 == 0; }
            kernel void twice(int i<>, inout double d[]) { d[i] = d[i] * 2.0lf + double(i); }
        ]=]
        local i <close> = rill.from({3, 1, 0}, "int")
        local d <close> = rill.stream("float", 5, 9)
        k.scalar(i, d)
        check.equal({5, 5, 9, 5, 9}, d:values())
        local v <close> = rill.stream("vec4", 4, {1, 2, 3, 4})
        k.vector(i, v)
        check.equal({0, 7, 8, 8, 1, 7, 8, 8, 1, 2, 3, 4, 3, 7, 8, 8}, v:values())
        local t <close> = rill.stream("vec3", 5, 100)
        k.three(i, t)
        check.equal({10, 10, 2, -1, 12, 5, 100, 100, 100, 16, 16, 11, 100, 100, 100}, t:values())
        local p <close> = rill.from({{2, 0}, {1, 1}}, "ivec2")
        local g <close> = rill.stream("int", {2, 3})
        k.grid(p, g)
        check.equal({0, 0, 3, 0, 12, 0}, g:values())
        local f <close> = rill.stream("bool", 4)
        k.flag(i, f)
        check.equal({true, false, false, false}, f:values())
        local dd <close> = rill.stream("double", 4, 0.25)
        k.twice(i, dd)
        check.equal({0.5, 1.5, 0.25, 3.5}, dd:values())
    end)

    it("changes structures", function()
        local k = rill.program [=[
            struct Cell { float3 at; int count; };
            void bump(inout float x) { x += 1.0; }
            kernel void f(int i<>, inout Cell c[]) {
                c[i].count += 2;
                c[i].at.y = 5.0;
                c[i].at *= 2.0;
                Cell whole = c[i];
                bump(whole.at.x);
                whole.count++;
                c[i] = whole;
            }
        ]=]
        local i <close> = rill.from({2, 0}, "int")
        local c <close> = rill.stream(k.Cell, 3, {at = {1, 2, 3}, count = 4})
        k.f(i, c)
        check.equal({3, 10, 6, 7, 1, 2, 3, 4, 3, 10, 6, 7}, c:values())
    end)

    it("hands elements to functions that change them", function()
        local k = rill.kernel [=[
            void bump(inout float x, float by) { x += by; }
            void set(out float4 x) { x = float4(1, 2, 3, 4); }
            kernel void f(int i<>, inout float d[], inout float4 v[]) { bump(d[i], 2.0); (d[i + 1]) = 7.0; set(v[i]); }
        ]=]
        local i <close> = rill.from({0, 2, 5, -1}, "int")
        local d <close> = rill.stream("float", 4)
        local v <close> = rill.stream("vec4", 4)
        k(i, d, v)
        check.equal({d:get(1), 7, 2, 7}, d:values())
        check.equal({1, 2, 3, 4, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0}, v:values())
    end)

    it("counts with atomics", function()
        local k = rill.program [=[
            kernel void count(int x<>, inout int bins[], inout uint all[]) {
                atomicAdd(bins[x % 10], 1);
                uint before = atomicAdd(all[0], 1u);
                atomicMax(all[1], uint(x));
                atomicMin(all[2], before);
                atomicOr(all[3], 1u << uint(x % 10));
                atomicExchange(bins[10], 5);
                atomicCompSwap(bins[11], 0, 77);
            }
        ]=]
        local x <close> = rill.iota(1025)
        local bins <close> = rill.stream("int", 12)
        local all <close> = rill.from({0, 0, 99, 0}, "uint")
        k.count(x, bins, all)
        check.equal({103, 103, 103, 103, 103, 102, 102, 102, 102, 102, 5, 77}, bins:values())
        check.equal({1025, 1024, 0, 1023}, all:values())
    end)

    it("drops writes out of range and reads the clamped element", function()
        local k = rill.program [=[
            kernel void one(int i<>, inout float d[], out float r<>) { r = d[i]; d[i] = 99.0; }
            kernel void three(int i<>, inout float3 d[]) { d[i] = float3(9, 9, 9); d[i].x += 1.0; }
            kernel void two(int2 p<>, inout int2 d[][]) { d[p] = int2(9, 9); d[p.y][p.x].x = 8; atomicAdd(d[p].y, 1); }
            kernel void wide(int i<>, inout double4 d[]) { d[i] = double4(9, 9, 9, 9); }
        ]=]
        local far = {-1, -2147483648, 2147483647, 100, 8, 7}
        local i <close> = rill.from(far, "int")
        local whole <close> = rill.stream("float", 24, 1)
        local view <close> = whole:domain(9, 15)
        local r <close> = k.one(i, view)
        for e = 1, 5 do
            assert.equal(1, r:get(e))
        end
        check.equal(kernels.list(24, function() return 1 end), whole:values())
        local v <close> = rill.stream("vec3", 24, 1)
        k.three(i, v:domain(9, 15))
        check.equal(kernels.list(72, function() return 1 end), v:values())
        local g <close> = rill.stream("ivec2", {4, 5}, 1)
        local p <close> = rill.from({{-1, 0}, {0, -1}, {3, 0}, {0, 2}, {100, 100}}, "ivec2")
        k.two(p, g:domain({2, 2}, {3, 4}))
        check.equal(kernels.list(40, function() return 1 end), g:values())
        local w <close> = rill.stream("dvec4", 7, 1)
        k.wide(i, w)
        check.equal(kernels.list(28, function() return 1 end), w:values())
        k.one(i, rill.stream("float", 0))
    end)

    it("reaches views", function()
        local k = rill.kernel [=[ kernel void f(int2 p<>, inout int d[][]) { d[p] = 10 * p.x + p.y; } ]=]
        local s <close> = rill.stream("int", {3, 4})
        local points <close> = rill.from({{0, 0}, {2, 1}, {1, 3}}, "ivec2")
        k(points, s:transpose())
        check.equal({0, 0, 0, 0, 0, 0, 0, 13, 0, 21, 0, 0}, s:values())
        k(points, s:stride(2, 2))
        check.equal({0, 0, 0, 0, 0, 0, 0, 13, 0, 21, 0, 0}, s:values())
        check.names({"'d'", "can't be written"}, k, points, s:tile(2, 1))
    end)

    it("is not for packed types, nor for changes inside expressions of those it loads whole", function()
        local k = rill.kernel [=[ kernel void f(int i<>, inout float d[]) { d[i] = 1.0; } ]=]
        check.names({"f: argument #2 'd'", "half"}, k, rill.iota(2), rill.stream("half", 2))
        check.names({"f: argument #2 'd'", "int"}, k, rill.iota(2), rill.stream("int", 2))
        check.names({"'d'", "name[i] = value"}, rill.kernel,
            "kernel void f(int i<>, inout float3 d[]) { float3 x = d[i] = float3(1, 1, 1); }")
        check.names({"expected float, got a stream of float", "name[i]"}, rill.kernel,
            "kernel void f(int i<>, inout float d[]) { float x = d; }")
    end)

    it("is changed in the bodies of loops and choices without braces, whatever the type", function()
        for _, case in ipairs {
            {"for (int k = 0; k < n; k++) d[k] = v;", {1, 1, 0, 0}},
            {"for (int k = 0; k < n; k++) for (int j = k; j < n; j++) d[k + j] += v;", {1, 1, 1, 0}},
            {"int k = 0; while (k < n) d[k++] = v;", {1, 1, 0, 0}},
            {"int k = 0; do d[k] += v; while (++k < n);", {1, 1, 0, 0}},
            {"for (int k = 0; k < 4; k++) if (k < n) d[k] = v; else d[k] = 2 * v;", {1, 1, 2, 2}},
            {"for (int k = 0; k < n; k++) d[0] += v; d[3] = v;", {2, 0, 0, 1}},
        } do
            for _, kind in ipairs {"int", "vec3"} do
                local text = ("kernel void f(%s one<>, int n, inout %s d[]) { %s v = one; %s }"):format(kind, kind,
                    kind, (case[1]:gsub("2 %* v", "v + v")))
                local d, width = rill.stream(kind, 4), kind == "int" and 1 or tonumber(kind:sub(-1))
                rill.kernel(text)(rill.stream(kind, 1, 1), 2, d)
                local expected = {}
                for i, number in ipairs(case[2]) do
                    for c = 1, width do expected[width * (i - 1) + c] = number end
                end
                check.equal(expected, d:values())
            end
        end
    end)

    it("is passed on to kernels", function()
        local k = rill.kernel [=[
            kernel void put(int at, float x, inout float t[]) { t[at] = x; }
            kernel float get(float t[], int at) { return t[at]; }
            kernel void f(int i<>, inout float a[], inout float b[], out float r<>) {
                put(i, 10.0 * i, a); put(2 - i, get(a, i) + 1.0, b); r = get(b, 2 - i); } ]=]
        local i <close> = rill.iota(3)
        local a <close> = rill.stream("float", 3)
        local b <close> = rill.stream("float", 3)
        local r <close> = k(i, a, b)
        check.equal({0, 10, 20}, a:values())
        check.equal({21, 11, 1}, b:values())
        check.equal({1, 11, 21}, r:values())
    end)
end)
