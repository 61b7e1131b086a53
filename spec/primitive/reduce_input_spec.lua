local core = require "rill.core"
local rill = require "rill"
local check = require "spec.support.check"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"
local reduction = require "spec.support.reduction"
local shortened = require "spec.support.shortened"

local SIZES <const> = fitting {1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 16384, 16385, 100003}
-- Operations that are compared for every size, for one size, and the others, which take long.
local OPERATIONS <const> = {"sum", "var", "argmin"}
local MORE <const> = {"prod", "max", "any", "count", "norm"}
local OTHERS <const> = {"min", "mean", "std", "all", "argmax"}

local kernels = {}
local function kernel(text)
    kernels[text] = kernels[text] or rill.kernel(text)
    return kernels[text]
end

local AXPY <const> = "kernel float axpy(float c, float u<>, float v<>) { return c * u + v; }"

-- Returns the same reduction of the stream that the kernel computes.
local function assert_same(operation, text, arguments, axis, keep)
    local made = kernel(text)(table.unpack(arguments))
    local expected = {made[operation](made, axis, keep and {keep = true})}
    local got = {core._reduce(operation, kernel(text), arguments, axis, keep)}
    if rill.type(expected[1]) == "stream" then
        assert.same(expected[1].shape, got[1].shape)
        assert.equal(expected[1].type, got[1].type)
        expected, got = expected[1]:values(), got[1]:values()
    elseif type(expected[1]) == "table" then
        expected, got = expected[1], got[1]
    end
    assert.equal(#expected, #got)
    for i, value in ipairs(expected) do
        local allowed = math.type(value) == "float" and math.abs(value) * 1e-5 + 1e-6 or 0
        reduction.assert_near(value, got[i], allowed, operation)
    end
end

describe("reductions of an input kernel", function()
    leaks.watch(setup, teardown)

    for _, size in ipairs(SIZES) do
        it(("over %d elements"):format(size), function()
            local x, y = rill.random(size, {seed = 1}), rill.random(size, {seed = 2, low = -1, high = 1})
            for _, operation in ipairs(OPERATIONS) do
                assert_same(operation, AXPY, {2.5, x, y})
            end
            for _, operation in ipairs(size == 33 and MORE or {}) do
                assert_same(operation, AXPY, {2.5, x, y})
            end
            local before = x:bytes()
            assert.equal(core._reduce("sum", kernel(AXPY), {2.5, x, y}), core._reduce("sum", kernel(AXPY), {2.5, x, y}))
            assert.equal(before, x:bytes())
        end)

        it(("over %d elements, other operations #long"):format(size), function()
            local x, y = rill.random(size, {seed = 1}), rill.random(size, {seed = 2, low = -1, high = 1})
            for _, operations in ipairs {MORE, OTHERS} do
                for _, operation in ipairs(operations) do
                    assert_same(operation, AXPY, {2.5, x, y})
                end
            end
        end)
    end

    it("against a reference in double", function()
        local x, y = rill.random(5000, {seed = 1}), rill.random(5000, {seed = 2, low = -1, high = 1})
        local sum, best, where = 0, -math.huge, 0
        local a, b = x:values(), y:values()
        for i = 1, 5000 do
            local value = 2.5 * a[i] + b[i]
            sum = sum + value
            if value > best then
                best, where = value, i
            end
        end
        reduction.assert_near(sum, core._reduce("sum", kernel(AXPY), {2.5, x, y}), 5000 * 2e-6, "sum")
        reduction.assert_near(best, core._reduce("max", kernel(AXPY), {2.5, x, y}), 1e-6, "max")
        assert.equal(where, core._reduce("argmax", kernel(AXPY), {2.5, x, y}))
    end)

    it("of mixed types: packed types, integers, vectors, bools", function()
        local h, b = rill.random(3000, {seed = 3}):cast("half"), rill.iota(3000):cast("uint8")
        local v = rill.random(3000, {seed = 4, type = "vec3"})
        local i = rill.iota(3000)
        assert_same("sum", "kernel float f(float h<>, uint b<>, vec3 v<>, int i<>) { return h * float(b) + v.y + i; }",
            {h, b, v, i})
        assert_same("max", "kernel vec3 f(vec3 v<>, float h<>) { return v * h; }", {v, h})
        assert_same("count", "kernel bool f(int i<>) { return i % 3 == 0; }", {i})
        assert_same("sum", "kernel void f(int i<>, out double d<>) { d = double(i) / 3.0lf; }", {i})
        assert.same({9, 8}, {core._reduce("argmax", kernel "kernel int f(int i<>) { return i; }",
            {rill.iota {9, 8}})})
    end)

    it("of more integers and bools #long", function()
        local i = rill.iota(3000)
        assert_same("sum", "kernel int f(int i<>, uint b<>) { return i - int(b); }", {i, i:cast "uint8"})
        assert_same("any", "kernel bool f(int i<>) { return i == 2999; }", {i})
        assert_same("sum", "kernel bool f(int i<>) { return i > 7; }", {i})
    end)

    it("with ramps, constants of any kind and gathers", function()
        local ramp = rill.iter("float", 2000, 0, 1)
        local x = rill.random(2000, {seed = 5})
        local t = rill.random(10, {seed = 6})
        local text = [[kernel float f(iter float r<>, float x<>, vec2 c, mat2 m, float t[], int i<>) {
            return r * x + (m * c).x + t[i % 10];
        }]]
        assert_same("sum", text, {ramp, x, {1, 2}, {{1, 2}, {3, 4}}, t, rill.iota(2000)})
        assert_same("min", text, {ramp, x, {1, 2}, {{1, 2}, {3, 4}}, {5, 6, 7, 8, 9, 1, 2, 3, 4, 5}, rill.iota(2000)})
        assert_same("sum", "kernel float f(iter float r<>) { return r; }", {ramp})
    end)

    local function compare_views(every)
        local m = rill.random({64, 48}, {seed = 7})
        local row, one = rill.random(48, {seed = 8}), rill.random(1, {seed = 9})
        local column = rill.random({64, 1}, {seed = 10})
        local text = "kernel float f(float m<>, float r<>, float o<>, float c<>) { return m * r + o - c; }"
        assert_same("sum", text, {m, row, one, column})
        for axis = every and 1 or 2, 2 do
            assert_same("sum", text, {m, row, one, column}, axis)
        end
        for axis = 1, every and 2 or 1 do
            assert_same("max", text, {m, row, one, column}, axis, true)
            assert_same("argmin", text, {m, row, one, column}, -axis)
        end
        local add = "kernel float f(float a<>, float b<>) { return a + b; }"
        assert_same("sum", add, {m, rill.random({48, 64}, {seed = 11}):transpose()})
        assert_same("sum", add, {m:domain({2, 3}, {10, 21}), rill.random({9, 19}, {seed = 12})})
        assert_same("sum", add, {m:stride(2, 3):tile(2, 1), rill.random({64, 16}, {seed = 13})})
    end

    it("with views, and shapes that broadcast", function() compare_views(false) end)

    it("with views, along every axis #long", function() compare_views(true) end)

    it("the same stream twice, and many streams", function()
        local x = rill.random(4000, {seed = 14})
        assert_same("sum", "kernel float f(float a<>, float b<>, float c<>) { return a * b + c; }", {x, x, x})
        local parameters, sum, arguments = {}, {}, {}
        for i = 1, 14 do
            parameters[i], sum[i] = ("float a%d<>"):format(i), ("a%d"):format(i)
            arguments[i] = rill.random(4000, {seed = 20 + i})
        end
        assert_same("sum", ("kernel float f(%s) { return %s; }"):format(table.concat(parameters, ", "),
            table.concat(sum, " + ")), arguments)
    end)

    it("of empty streams", function()
        local x = rill.stream("float", 0)
        assert.equal(0.0, core._reduce("sum", kernel(AXPY), {2, x, x}))
        assert.equal(1.0, core._reduce("prod", kernel(AXPY), {2, x, x}))
        assert.is_nil(core._reduce("max", kernel(AXPY), {2, x, x}))
        local e = rill.stream("float", {3, 0})
        assert.same({0.0, 0.0, 0.0}, core._reduce("sum", kernel(AXPY), {2, e, e}, 2):values())
        check.raises("s:max: an axis without elements", core._reduce, "max", kernel(AXPY), {2, e, e}, 2)
    end)

    it("by a reduce kernel", function()
        local affine = kernel [[
            reduce void affine(uvec2 x<>, reduce uvec2 r<>) { r = uvec2(x.x * r.x, x.x * r.y + x.y); }
        ]]
        local make = "kernel uvec2 make(int i<>, uint c) { return uvec2(uint(i) * 2654435761u | 1u, uint(i) * c); }"
        for _, size in ipairs(fitting {1, 2, 255, 256, 1025, 16385, 70000}) do
            local i = rill.iota(size)
            local made = kernel(make)(i, 77)
            assert.same(affine(made), core._reduce(affine, kernel(make), {i, 77}))
        end
        local i = rill.iota(4096)
        local made = kernel(make)(i, 77)
        check.equal(affine(made, 8):values(), core._reduce(affine, kernel(make), {i, 77}, 8):values())
        local target = rill.stream("uvec2", 16)
        assert.equal(target, core._reduce(affine, kernel(make), {i, 77}, target))
        check.equal(affine(made, 16):values(), target:values())
        assert.is_nil(core._reduce(affine, kernel(make), {rill.iota(0), 77}))
    end)

    it("by a reduce kernel with its own names, constants, structures and gathers", function()
        local pair = [[
            struct Pair { float value; int place; };
            const float BIAS = 2.0;
            float helper(float x) { return x * BIAS; }
        ]]
        local best = kernel(pair .. [[
            reduce void best(Pair x<>, float scale, float t[], reduce Pair r<>) {
                if (helper(x.value) * scale * t[0] > helper(r.value) * scale * t[0]) r = x;
            }]])
        local make = kernel(pair .. [[
            kernel Pair make(float v<>, int i<>) { return Pair(-helper(v), i); }]])
        local v = rill.random(3000, {seed = 31})
        local got = core._reduce(best, make, {v, rill.iota(3000)}, nil, {scale = 2, t = {1, 2}})
        assert.equal(v:argmin() - 1, got.place)
        check.raises("argument 't' is missing", core._reduce, best, make, {v, rill.iota(3000)}, nil, {scale = 2})
    end)

    shortened(it, "compute elements by long loops", function(all)
        for _, trips in ipairs {1000, 9000, 16000, 30000} do
            for _, unit in ipairs {1, 2.0 ^ 60} do
                local short <const> = {[9000] = "float", [30000] = "double"}
                for _, element in ipairs(all and {"float", "double"} or {short[trips]}) do
                    local k = rill.kernel((("kernel T f(T x<>) { T s = T(0); for (int k = 0; k < %d; k++) s += x; " ..
                        "return s; }"):format(trips):gsub("%f[%w]T%f[%W]", element)))
                    local s = rill.stream(element, 50, unit)
                    s:set(0, 1)
                    local whole <const> = trips * unit
                    assert.equal(49 * whole, core._reduce("sum", k, {s}))
                    assert.equal(7 * whole, core._reduce("norm", k, {s}))
                    if trips < 10000 then -- two kernels, each perhaps twice
                        assert.equal(49 * whole * whole, core._reduce("dot", k, {s}, nil, nil, k, {s}))
                    end
                    assert.near(0.14, core._reduce("std", k, {s}) / whole, 1e-12)
                end
            end
        end
    end)

    it("check loops and gathers as kernels do", function()
        local i = rill.iota(300)
        local text = "kernel int f(int i<>) { int s = 0; for (int k = 0; k < i; k++) s += k; return s; }"
        assert_same("sum", text, {i})
        local reach = "kernel float f(int i<>, float t[]) { return t[i]; }"
        assert_same("sum", reach, {i, rill.random(299, {seed = 1})})
        rill.check(true)
        local good, message = pcall(core._reduce, "sum", kernel(reach), {i, rill.random(299, {seed = 1})})
        if good then
            good, message = pcall(rill.sync)
        end
        rill.check(false)
        assert.is_false(good)
        assert.matches("f: argument 't': index 299 is out of range 0 .. 298", message)
    end)

    it("reject kernels that are not element-wise", function()
        local x = rill.stream("float", 4)
        local function fails(pattern, text)
            check.raises(pattern, core._reduce, "sum", kernel(text), {x})
        end
        fails("f: indexof has no meaning", "kernel float f(float x<>) { return x + float(indexof(x).x); }")
        fails("f: expected a kernel with one output",
            "kernel void f(float x<>, out float a<>, out float b<>) { a = x; b = x; }")
        fails("f: 'x' is not an element%-wise input", "kernel float f(neighbor float x<>) { return x[1]; }")
        check.raises("expressions have no reduction 'scan'", core._reduce, "scan", kernel(AXPY), {1, x, x})
        check.raises("shapes", core._reduce, "sum", kernel(AXPY), {1, x, rill.stream("float", 3)})
        check.raises("argmax: .*vectors have no order", core._reduce, "argmax",
            kernel "kernel vec2 f(vec2 x<>) { return x; }", {rill.stream("vec2", 3)})
    end)
end)
