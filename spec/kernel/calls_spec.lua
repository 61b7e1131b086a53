-- Kernels that call kernels and helpers, and names.
local rill = require "rill"
local check = require "spec.support.check"
local kernels = require "spec.support.kernels"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

local function ramp(n) return rill.stream("float", n, function(i) return i end) end

describe("a call", function()
    leaks.watch(setup, teardown)

    it("of a kernel by a kernel hands over streams, outputs and gathers", function()
        local k = rill.program [=[
            kernel float scaled(float x<>, float w[], float by) { return x * by + w[0]; }
            kernel void split(out float low<>, float x<>, out float high<>) { low = x - 1.0; high = x + 1.0; }
            kernel float left(neighbor float v<>, float scale) { return v[-1] * scale; }
            kernel float pick(float a[], float b[], int i) { return a[i] - b[i]; }
            kernel void all(float x<>, float w[], float u[], neighbor float v<>, out float r<>, out float s<>) {
                float low, high;
                split(low, x, high);
                r = scaled(x, w, 2.0) + scaled(low, u, 3.0) + left(v, 10.0);
                split(s, high, low);
                s += pick(w, u, 1) + 100.0 * pick(u, w, 1) + scaled(1.0, w, 0.0);
            }
        ]=]
        local x <close> = ramp(70)
        local w <close> = rill.from {7, 8}
        local u <close> = rill.from {0.5, 3}
        local r, s = k.all(x, w, u, x)
        check.equal(kernels.list(70, function(i) return 2 * i + 7 + 3 * (i - 1) + 0.5 + 10 * math.max(1, i - 1) end),
            r:values())
        check.equal(kernels.list(70, function(i) return i + 5 - 500 + 7 end), s:values())
        local one <close> = k.scaled(x, w, 3)
        check.equal(kernels.list(70, function(i) return 3 * i + 7 end), one:values())
    end)

    it("passes and returns arrays whose length is part of the type", function()
        local k = rill.kernel [=[
            const float[2] weights = {0.0, 3.0};
            float sum(float[2] v) { return v[0] + 10.0 * v[1]; }
            int last(int[2] v[3]) { return v[2][1]; }
            float[2] swapped(inout float[2] v) { v = float[2](v[1], v[0]); return v; }
            kernel void f(float x<>, out vec4 r<>) {
                float v[2] = {x, 2.0};
                const float[2] zero = {0.0, 1.0};
                r.x = sum(float[2](x, 2.0));
                r.y = swapped(v)[0] + 10.0 * v[1];
                r.z = float(last(int[3][2](int[2](1, 2), int[2](3, 4), int[2](5, 6))));
                r.w = zero[0] + zero[1] + weights[1];
            }
        ]=]
        check.equal({21, 2 + 10, 6, 4}, k(rill.from {1}):values())
        local brook = rill.kernel([=[
            int[2] both(out float x) { x = 2.5; return int[2](3, 4); }
            kernel void f(float x<>, out float r<>) { int i = 0; r = both(i)[1] + 10 * i; }
        ]=], {dialect = "brook"})
        check.equal({24}, brook(rill.from {1}):values())
    end)

    it("returns indexof of the stream that was passed", function()
        local k = rill.kernel [=[
            kernel int own(float x<>) { return indexof(x).x + 10 * indexof(x).y; }
            kernel int output(out float r<>) { r = 1.0; return indexof(r).x; }
            kernel int4 size(float w[][]) { return sizeof_stream(w); }
            kernel void f(float x<>, float y<>, float w[][], out float a<>, out int b<>, out int c<>) {
                b = own(x) + 100 * own(y) + 10000 * own(x + 1.0);
                c = output(a) + 100 * size(w).y;
            } ]=]
        local x <close> = rill.stream("float", {2, 2})
        local y <close> = rill.stream("float", {4, 4})
        local _, b, c = k {x = x, y = y, w = y, shape = {4, 4}}
        local eb, ec = {}, {}
        for i = 0, 3 do
            for j = 0, 3 do
                eb[#eb + 1] = j // 2 + 10 * (i // 2) + 100 * (j + 10 * i) + 10000 * (j + 10 * i)
                ec[#ec + 1] = j + 400
            end
        end
        check.equal(eb, b:values())
        check.equal(ec, c:values())
    end)

    it("of a helper passes values, arrays and whole gathers", function()
        local k = rill.kernel [=[
            float later(float x);
            float sum(float a[3]) { return a[0] + a[1] + a[2]; }
            void fill(out float a[3], inout float n, const float x) { for (int i = 0; i < 3; i++) { a[i] = x; n += 1.0; } }
            float at(float w[], int i) { return w[i] + w[i + 1]; }
            bool3 above(float3 a, float3 b) { return greaterThan(a, b); }
            mat2 turn(float a) { return mat2(cos(a), sin(a), -sin(a), cos(a)); }
            kernel float f(float x<>, float w[], out float t<>) {
                float a[3], n = 0.0;
                fill(a, n, x);
                bool3 output = above(float3(x, 2, 1), float3(1, 2, 0));
                t = n + (output.x ? 10.0 : 0.0) + (any(output) ? 100.0 : 0.0) + (turn(0.0) * float2(x, 1)).x * 1000.0;
                return sum(a) + at(w, 1) + later(x);
            }
            float later(float x) { return -x; }
        ]=]
        local x <close> = ramp(3)
        local w <close> = rill.from {1, 20, 300}
        local t, r = k(x, w)
        check.equal({320 + 2, 320 + 4, 320 + 6}, r:values())
        check.equal({3 + 100 + 1000, 3 + 110 + 2000, 3 + 110 + 3000}, t:values())
    end)

    it("with wrong arguments is reported at its position", function()
        local function raises(texts, text)
            check.names(texts, rill.kernel, text)
        end
        local g = "kernel float g(float w[], float y<>) { return w[0] + y; }\n"
        raises({":2:", "'g' takes 2 arguments"}, g .. "kernel float f(float x<>, float w[]) { return g(w); }")
        raises({":2:", "'g' takes 2 arguments"}, g .. "kernel float f(float x<>, float w[]) { return g(w, x, x); }")
        local gather <const> = "'w' of 'g' takes the name of a gather with 1 dimension"
        raises({":2:", gather}, g .. "kernel float f(float x<>, float w[]) { return g(x, x); }")
        raises({":2:", gather}, g .. "kernel float f(float x<>, float w[][]) { return g(w, x); }")
        raises({":2:", "'y' of 'g' takes a value, and this is a stream"},
            g .. "kernel float f(float x<>, float w[]) { return g(w, w); }")
        raises({":2:", "expected an expression"}, g .. "kernel float f(float x<>, float w[]) { return g(w, ); }")
        raises({":1:", "recursion", "'f'"}, "kernel float f(float x<>) { return f(x); }")
        raises({":1:", "recursion", "'a'"}, "float a(float x) { return b(x); } float b(float x) { return a(x); }\n"
            .. "kernel float f(float x<>) { return a(x); }")
        raises({"'f' is already declared (line 1)", "overloading"},
            "float f(float x) { return x; } float f(int x) { return 1.0; }")
        raises({"constant", "'h'"},
            "float h(float x) { return x; } const float c = h(1.0);\nkernel float f(float x<>) { return c; }")
    end)

    it("is written out no more than a bounded number of times", function()
        local text = {"kernel float k0(float a[], float b[], float c[], int i) { return a[i] - b[i] + c[i]; }"}
        for level = 1, 30 do
            text[#text + 1] = ("kernel float k%d(float a[], float b[], float c[], int i) {"
                .. " return k%d(a, b, c, i) + k%d(b, c, a, i) + k%d(c, b, a, i); }"):format(level, level - 1,
                    level - 1, level - 1)
        end
        local k = rill.program(table.concat(text, "\n", 1, 4))
        local a <close> = rill.from {1, 2}
        local b <close> = rill.from {10, 20}
        assert.equal(27 * 2, k.k3 {a = a, b = a, c = a, i = 1, shape = 1}:get(1))
        assert.equal(2, k.k0 {a = a, b = b, c = b, i = 1, shape = 1}:get(1))
        check.names({"is too large"}, rill.kernel, table.concat(text, "\n"))
        local params, permuted = {}, {}
        for p = 1, 12 do
            params[p], permuted[p] = "float p" .. p .. "[]", "p" .. p % 12 + 1
        end
        local swapped = {table.unpack(permuted)}
        swapped[1], swapped[2] = swapped[2], swapped[1]
        text = {("kernel float k0(%s) { return p1[0]; }"):format(table.concat(params, ", "))}
        for level = 1, 40 do
            text[#text + 1] = ("kernel float k%d(%s) { return k%d(%s) + k%d(%s); }"):format(level,
                table.concat(params, ", "),
                level - 1, table.concat(permuted, ", "), level - 1, table.concat(swapped, ", "))
        end
        check.names({"is too large"}, rill.kernel, table.concat(text, "\n"))
    end)
end)

describe("a name", function()
    leaks.watch(setup, teardown)

    it("may be any word that GLSL keeps for itself", function()
        local words = {
            "input", "output", "filter", "sample", "fixed", "active", "common", "partition", "texture", "buffer",
            "shared_",
            "resource", "template", "this", "namespace", "class", "union", "enum", "noise1", "image2D", "main",
            "layout",
            "varying", "attribute", "precise", "smooth", "flat", "goto", "cast", "extern", "sampler2D", "patch",
            "subroutine",
            "using", "public", "long", "short", "external", "interface", "superp", "gl_FragColor", "rill_x", "_x",
            "__y",
        }
        for first = 1, #words, 4 do
            local a, b, c, d = table.unpack(words, first, first + 3)
            local k = rill.kernel(([=[
                struct S { float $a; float2 $b; };
                float $d(float $a) { float $c = $a * 2.0; return $c; }
                kernel void f(float $a<>, float $b[], out float $c<>) {
                    S s = S($a, float2(1, 2));
                    s.$b.x += s.$a;
                    $c = $d($a) + $b[1] + s.$b.x;
                }
            ]=]):gsub("%$(%a)", {a = a, b = b, c = c, d = d}) .. "")
            local x <close> = rill.from {1, 2}
            local r <close> = k(x, {10, 20})
            check.equal({2 + 20 + 2, 4 + 20 + 3}, r:values())
            assert.equal(a, k.params[1].name)
        end
    end)

    it("of a kernel may be reserved, and equal a parameter's", function()
        local k = rill.program [=[
            kernel void filter(float filter<>, out float output<>) { output = filter; }
            kernel float input(float half_<>, float float_) { float input = half_ + float_; return input; }
            kernel float result(float result<>) { return result; }
        ]=]
        local x <close> = rill.from {1}
        local a <close> = k.filter(x)
        check.equal({1}, a:values())
        check.equal({3}, k.input(x, 2):values())
        check.equal({1}, k.result(x):values())
    end)

    it("of a function of GLSL may be given to a kernel that calls it", function()
        local k = rill.program [=[
            kernel void sqrt(float x<>, out float r<>) { r = sqrt(x) + abs(-1.0); }
            inline float lerp(float a, float b) { return lerp(a, b, 0.5); }
            static float abs(float x) { static const float two = 2.0; return two * abs(x); }
            kernel float mean(float x<>) { return lerp(x, abs(x)); }
        ]=]
        local x <close> = rill.from {4, 16}
        check.equal({4, 6}, k.sqrt(x):values())
        check.equal({6, 24}, k.mean(x):values())
    end)

    it("gives outputs of functions 0 on paths that assign nothing", function()
        local k = rill.kernel [=[
            bool enters(float x, out float t, out ivec2 i, out mat2 m) {
                if (x < 2.0) return false;
                t = x;
                i = ivec2(x);
                if (x > 2.0) m = mat2(x);
                return true;
            }
            kernel void f(float x<>, out float r<>, out int s<>, out float u<>) {
                float t = 7.0;
                ivec2 i = ivec2(7);
                mat2 m = mat2(7.0);
                bool b = enters(x, t, i, m);
                r = t + float(b);
                s = i.y;
                u = m[1].y;
            } ]=]
        local r, s, u = k(rill.from {1, 2, 3})
        check.equal({0, 3, 4}, r:values())
        check.equal({0, 2, 3}, s:values())
        check.equal({0, 0, 3}, u:values())
    end)

    it("may hide a function or a name outside", function()
        local k = rill.kernel [=[
            const float c = 100.0;
            kernel float f(float x<>, float y<>) {
                float max = 3.0, sin = x;
                float c = c + 1.0;
                { float x = 5.0; max += x; { int x = 7; max += float(x); } max += x; }
                for (int x = 0, y = 1; x < 2; x++) max += float(x + y);
                if (y > 0.0) { float y = 1000.0; max += y; }
                for (int y = 0; y < 3; y++) { float c = 0.5; max += c; }
                return max + x + y + sin + c + max(1.0, 2.0) + sin(0.0);
            } ]=]
        local x <close> = rill.from {1}
        local y <close> = rill.from {10}
        check.equal({3 + 5 + 7 + 5 + 1 + 2 + 1000 + 1.5 + 1 + 10 + 1 + 101 + 2}, k(x, y):values())
    end)

    shortened(it, "that ends in a number keeps apart from its neighbors", function(whole)
        local text, args, type = {}, {}, whole and "float4" or "float"
        for _, name in ipairs {"x", "x1", "x_1", "x11", "r", "r1", "r_1", "r10", "r1_0"} do
            text[#text + 1] = (name:sub(1, 1) == "r" and "out " or "") .. type .. " " .. name .. "<>"
        end
        for i = 1, 4 do
            args[i] = rill.stream(type, 9, function(e)
                if whole then return i, e, i * e, 1 end
                return i + 10 * e
            end)
        end
        local k = rill.kernel("kernel void f(" .. table.concat(text, ", ") .. ", out uint u<>)"
            .. "{ r = x; r1 = x1; r_1 = x_1; r10 = x11; r1_0 = x + x1; u = 7u; }")
        local out = {k(args[1], args[2], args[3], args[4], nil, nil, nil, nil, nil, rill.stream("uint8", 9))}
        for i = 1, 4 do
            check.equal(args[i]:values(), out[i]:values())
        end
        assert.same(whole and {3, 2, 3, 2} or 23, out[5]:get(1))
    end)
end)
