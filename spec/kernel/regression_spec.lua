-- Numbered regressions: each was seen failing before its fix.
local core = require "rill.core"
local rill = require "rill"
local check = require "spec.support.check"
local shortened = require "spec.support.shortened"

describe("regression", function()
    it("1: reduce kernels of one name and different bodies keep apart", function()
        local add = rill.kernel "reduce void f(float x<>, reduce float r<>) { r += x; }"
        local multiply = rill.kernel "reduce void f(float x<>, reduce float r<>) { r *= x; }"
        local x = rill.from{1, 2, 3, 4}
        assert.equal(10, add(x))
        assert.equal(24, multiply(x))
    end)

    it("2: bounded loops in a reduce body are not stopped over long runs", function()
        local k = rill.kernel [[
            reduce void f(int x<>, reduce int r<>) {
                int s = 0;
                for (int i = 0; i < 200; i++) s += 1;
                r = max(r, x + s - 200);
            }
        ]]
        assert.equal((1 << 20) - 1, k(rill.iota(1 << 20)))
    end)

    it("3: a reduction over nearly 2^31 elements counts them all #large #long", function()
        assert.equal(2147483647, rill.stream("int", 1, 1):replicate(2147483647):sum())
    end)

    it("4: many short blocks fit in the lanes of either family", function()
        local sums = rill.stream("float", {1, 33}, 1):replicate(65536, 1):sum(2)
        assert.equal(33, sums:get(65536))
    end)

    it("5: a finalizer that closes a stream in use waits for the call", function()
        local before = rill.memory().limit
        rill.memory_limit(rill.memory().bytes + (24 << 20))
        local k = rill.kernel "kernel void f(float x<>, out float r<>) { r = x + 1.0; }"
        local x = rill.stream("float", 2 << 20, 1)
        for _ = 1, 8 do
            setmetatable({}, {__gc = function() x:close() end})
            local good, r = pcall(k, x)
            if not good then break end -- closed by the call before
            assert.equal(2, r:get(1))
        end
        check.raises("closed", k, x)
        rill.memory_limit(before)
    end)

    it("6: gathers of a reduce kernel are checked for their dimensions, and empty ones read zero", function()
        local k = rill.kernel "reduce void f(float w[][], float x<>, reduce float r<>) { r += x * w[0][0]; }"
        check.names({"f", "w", "2 dimensions"}, k, rill.from{1, 2}, rill.from{1})
        local g = rill.kernel "reduce void g(float w[], float x<>, reduce float r<>) { r += x + w[3]; }"
        assert.equal(6, g(rill.stream("float", 0), rill.from{1, 2, 3}))
    end)

    it("7: a result that is also gathered from is not written while it is read", function()
        local k = rill.kernel "reduce void f(int w[], int x<>, reduce int r<>) { r += x + w[0]; }"
        local w = rill.stream("int", 1024, 1)
        k(w, rill.stream("int", 4096, 1), w)
        assert.equal(4 + 3, w:get(1))
        assert.equal(4 + 3, w:get(1024))
    end)

    it("8: double iterators and boundary values keep their digits", function()
        local steps = rill.iter("double", 10, 0, 1)
        assert.equal(0.1, steps:copy():get(2))
        local k = rill.kernel "kernel void f(int i<>, double a[], out double r<>) { r = a[i]; }"
        assert.equal(0.1, k(rill.from({-1}, "int"), rill.stream("double", 3, 1):boundary(0.1)):get(1))
        local whole = rill.kernel "kernel void f(int i<>, int a[], out int r<>) { r = a[i]; }"
        assert.equal(16777217, whole(rill.from({-1}, "int"), rill.iota(3):boundary(16777217)):get(1))
    end)

    it("9: huge offsets and positions stay in range", function()
        local k = rill.kernel "kernel void f(int o, neighbor float x<>, out float r<>) { r = x[o]; }"
        assert.same({3, 3, 3}, k(2147483647, rill.from{1, 2, 3}):values())
        local s = rill.kernel "kernel void f(float p<>, float x[], out float r<>) { r = sample(x, p); }"
        assert.same({3, 3, 1}, s(rill.from{1e9 + 64, math.huge, -math.huge}, rill.from{1, 2, 3}):values())
    end)

    it("10: an output or a gather that was forgotten to be marked is an error", function()
        check.names({"no output", "out"}, rill.kernel, "kernel void f(float x<>, float r<>) { r = x; }")
        check.names({"gather", "inout"}, rill.kernel,
            "kernel void f(float a[], out float r<>) { a[0] = 1.0; r = a[0]; }")
    end)

    it("11: structures too large for a group's shared memory are reduced in either family #long", function()
        local fields, value = {}, {}
        for i = 1, 35 do
            fields[i], value["a" .. i] = "vec4 a" .. i .. ";", {i, i, i, i}
        end
        local text = table.concat(fields, " ")
        local k = rill.kernel("struct S { " .. text .. " }; reduce void f(S x<>, reduce S r<>) { r.a35 += x.a35; }")
        local x = rill.stream(rill.struct("S", text), 20000, value)
        assert.equal(35 * 20000, k(x).a35[4])
    end)

    it("12: the number of steps survives the bases of many streams", function()
        local k = rill.kernel [[
          kernel void k(int a<>, int b<>, int c<>, int d<>, int e<>, int f<>, int g<>, int h<>, int i<>, out int r<>,
                        out int s<>) {
            r = a + b + c + d + e + f + g + h + i;
            s = r - a;
          }
        ]]
        local x = rill.iota(101)
        local r, s = k(x, x, x, x, x, x, x, x, x)
        assert.equal(9 * 5050, r:sum())
        assert.equal(8 * 5050, s:sum())
    end)

    it("13: a filtered stream is filtered by a mask that was not counted with it", function()
        local x, mask = rill.iota(1000), rill.iota(500):map "x % 3 == 0 ? 1 : 0"
        local function kept() return x:filter "x % 2 == 1" end
        local expected = {}
        for i = 0, 499, 3 do
            expected[#expected + 1] = 2 * i + 1
        end
        check.equal(expected, kept():filter(mask):values())
        check.equal(expected, kept():filter(mask:gt(0)):values())
        local yes, no = kept():partition(mask)
        check.equal(expected, yes:values())
        assert.equal(500 - #expected, no.size)
    end)

    it("14: structures of one name keep apart in expressions", function()
        local x = rill.from{1, 2, 3}
        local function made(fields, factor)
            local text = "struct P { %s }; kernel void make(float x<>, out P r<>) { r.a = x; r.b = %d.0 * x; }"
            return rill.program(text:format(fields, factor)).make(x)
        end
        local p, q = made("float a; float b;", 2), made("float b; float a;", 3)
        check.equal({3, 5, 7}, (p.b + 1):eval():values())
        check.equal({4, 7, 10}, (q.b + 1):eval():values())
    end)

    it("15: an expression is no table", function()
        local x = rill.from{1, 2, 3, 4, 5, 6}
        check.equal({1, 3, 3, 7, 12, 18}, x:scan("add", {segments = x:eq(3)}):values())
        check.equal({3, 18}, rill.segmented_reduce(x, x:eq(3)):values())
        check.equal({3, 18}, rill.segmented_reduce(x, rill.from({1, 3}, "int") + 1):values())
        check.names({"rill.from", "table", "expression<float>[6]"}, rill.from, x + 1)
    end)

    it("16: kernels of more element-wise inputs than an expression has know them apart", function()
        local parameters, terms = {}, {}
        for i = 1, 30 do
            parameters[i], terms[i] = ("float a%d<>"):format(i), ("%d.0 * a%d"):format(i, i)
        end
        local k = rill.kernel(("kernel float f(%s) { return %s; }"):format(table.concat(parameters, ", "),
            table.concat(terms, " + ")))
        local zero, one = rill.from{0, 0, 0}, rill.from{1, 1, 1}
        local function total(last)
            local arguments = {one}
            for i = 2, 30 do
                arguments[i] = i == last and one or zero
            end
            return core._reduce("sum", k, arguments)
        end
        assert.equal(3 * (1 + 29), total(29))
        assert.equal(3 * (1 + 30), total(30))
    end)

    shortened(it, "17: reduce kernels with long loops are scanned and reduced in short runs #slow", function(whole)
        for trips, n in pairs(whole and {[5000] = 100, [20000] = 20} or {[20000] = 20}) do
            local text = "reduce void f(int x<>, reduce int r<>) { int s = 0; for (int i = 0; i < %d; i++) s += 1; "
                .. "r += x + s - %d; }"
            local k = rill.kernel(text:format(trips, trips))
            local x = rill.stream("int", n, 1)
            assert.equal(n, k(x))
            check.equal(rill.iota(n):map("x + 1"):values(), x:scan(k):values())
        end
    end)

    shortened(it, "18: long streams of structures are filtered and reduced by key", function(whole)
        local k = rill.program [[
            struct P { float a; int b; vec3 c; };
            kernel void make(int i<>, out P r<>) { r.a = float(i); r.b = i / 100; r.c = vec3(i); }
            kernel void key(int i<>, out P r<>) { r.a = float(i / 100); r.b = i / 100; r.c = vec3(0.0); }
        ]]
        local n = 50000
        local s = k.make(rill.iota(n))
        assert.equal(n // 100 * 30, s:filter("x.b * 100 + 70 <= int(x.a)").size)
        local keys, counts = rill.reduce_by_key(k.key(rill.iota(n)), rill.stream("int", n, 1))
        assert.equal(n // 100, keys.size)
        assert.equal(n // 100 - 1, keys:get(keys.size).b)
        check.equal(rill.stream("int", n // 100, 100):values(), counts:values())
        if not whole then return end
        local yes, no = s:partition "x.b % 2 == 0"
        assert.equal(n // 2, yes.size)
        assert.equal(n - 1.0, no:get(no.size).a)
        local values, lengths = s:runs()
        assert.equal(n, values.size)
        assert.equal(n, lengths:sum())
    end)

    it("19: two different structures with one name are a clear error", function()
        local function made(field)
            local text = "struct P { int %s; }; kernel void make(int i<>, out P r<>) { r.%s = i; } "
                .. "reduce void add(P x<>, reduce P r<>) { r.%s += x.%s; }"
            local k = rill.program(text:format(field, field, field, field))
            return k.make(rill.iota(4)), k.add
        end
        local p = made "a"
        local q, add = made "b"
        check.names({"reduce_by_key", "'P'", "rename"}, rill.reduce_by_key, p, q, add)
        check.names({"'P'", "rename"}, function() return (p.a + q.b):eval() end)
        check.equal({0, 2, 4, 6}, (p.a + p.a):eval():values())
    end)

    it("20: errors use the caller's names and say what to do", function()
        local s, v = rill.iota(5), rill.stream("vec2", 3)
        check.raises("rill.choice: argument #2 'shape': expected a shape", rill.choice, 5)
        check.raises("rill.choice: argument #2 'shape': .* negative: %-1", rill.choice, 5, -1)
        check.raises("rill.choice: .*'from': .* 0 to 2147483647", rill.choice, 1 << 31, 2)
        check.raises("rill.permutation: .* 0 to 2147483647, got 2147483648", rill.permutation, 1 << 31)
        check.raises("rill.argsort: .* have no order: take a scalar component of each", rill.argsort, v)
        check.raises("rill.sort_by_key: .*: take a scalar component of each", rill.sort_by_key, v, v)
        check.raises("rill.searchsorted: .*: take a scalar component of each", rill.searchsorted, v, v)
        check.raises("s:top_k: .*: take a scalar component of each", v.top_k, v, 1)
        check.raises("s:unique: .*: take a scalar component of each", v.unique, v)
        check.raises("have no order: take a scalar field", rill.argsort, rill.stream(rill.struct("X", "int a;"), 2))
        check.raises("regression_spec.lua:%d+: s:sort: .* like key = ", function() return (v:sort()) end)
        check.raises("s:top_k: argument 's': .*one dimension, got shape 3x3", s.top_k, rill.iota{3, 3}, 1)
        local refused = "an expression can't be written: e:eval%(%) makes it a stream"
        check.raises("rill.scatter: argument #1 'dst': " .. refused, rill.scatter, s + 1, s, s)
        check.raises("rill.scatter_op: argument #1 'dst': " .. refused, rill.scatter_op, s + 1, s, s, "add")
        check.raises("rill.gather_op: argument #3 'src': " .. refused, rill.gather_op, s, s, s + 1, "add")
        rill.check(true)
        local message = check.failure(function() return rill.gather(s, rill.from({1, 9}, "int")):values() end)
        rill.check(false)
        assert.truthy(message:find "gather: argument 'src': index 9", message)
        assert.falsy(message:find("gather: gather", 1, true), message)
    end)

    it("21: options that are flags are true or false", function()
        local s = rill.from {3, 1, 2}
        local flag = ": option '%s': expected true or false, got "
        check.raises("s:scan" .. flag:format "exclusive", s.scan, s, "add", {exclusive = "no"})
        check.raises("s:scan" .. flag:format "reverse", function() return (s + 1):scan {reverse = 1} end)
        check.raises("regression_spec.lua:%d+: s:sort" .. flag:format "descending",
            function() return (s:sort {descending = 1}) end)
        check.raises("s:sort" .. flag:format "descending", s.sort, s, {descending = 0, key = "-x"})
        check.raises("rill.argsort" .. flag:format "descending", rill.argsort, s, {descending = "false"})
        check.raises("rill.merge" .. flag:format "descending", rill.merge, s, s, {descending = 1})
        check.raises("s:top_k" .. flag:format "largest", s.top_k, s, 1, {largest = 0})
        check.raises("sum" .. flag:format "keep", s.sum, s, 1, {keep = 1})
        check.raises("sum" .. flag:format "keep", function() return (s + 1):sum(1, {keep = "yes"}) end)
        check.equal({3, 2, 1}, s:sort {descending = true}:values())
        check.equal({1, 2, 3}, s:sort {descending = false}:values())
        check.equal({1, 2}, s:top_k(2, {largest = false}):values())
        check.equal({6}, (s + 0):sum(1, {keep = true}):values())
    end)

    it("22: directives that kernel text does not have are named; a missing return is found in the text", function()
        for _, directive in ipairs {'include "a"', "include <a>", 'error "x"', 'line 3 "b"'} do
            check.raises("'#" .. directive:match "%a+" .. "' is not supported in kernel text", rill.kernel,
                "# " .. directive .. "\nkernel float f(float x<>) { return x; }")
        end
        check.raises("kernel text has no strings", rill.kernel,
            '#define A "a"\nkernel float f(float x<>) { return A; }')
        local pattern = "regression_spec.lua:%d+:%d+: error: .*return.*\n" ..
            " +%d+ | +kernel float f%(float x<>%) { }\n +| +%^"
        check.raises(pattern, function()
            return rill.kernel [[
                kernel float f(float x<>) { }
            ]](rill.from {1})
        end)
    end)
end)
