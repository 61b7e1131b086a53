-- Mistakes that Lua or Brook suggest: the message says what to write. Code that looks like such a mistake, but is correct, works.
local rill = require "rill"
local check = require "spec.support.check"

describe("a mistake that Lua or Brook suggests", function()
    it("is named, with what to write", function()
        local x = rill.from {1, 2, 3}
        check.names({"'x' is a single element and has no index", "float x[]", "neighbor float x<>"}, rill.kernel,
            "kernel void f(float x<>, out float r<>) { r = x[0]; }")
        check.names({"write !="}, rill.kernel, "kernel void f(float x<>, out float r<>) { if (x ~= 2.0) r = x; }")
        check.names({"s:filter", "write !="}, function() return x:filter "x ~= 2" end)
        check.names({"s:map", "without a ';'"}, function() return x:map "x + 1;" end)
        check.names({"s:map", "cast the stream first"}, function() return rill.iota(3):map "x * 0.5" end)
        check.names({"s:map", "s.x + s.y"}, function() return rill.stream("vec3", 3):map "x.x + x.y" end)
        local k = rill.kernel "kernel void f(int n, float x<>, out float r<>) { r = x + float(n); }"
        check.names({"'n'", "2.5 does not fit int", "not whole"}, k, 2.5, x)
        local parts = rill.kernel "kernel float2 f(float2 x<>) { return float2(x[1], x[0] + 4.0); }"
        assert.same({5, 9}, parts(rill.from({{5, 5}}, "float2")):values())
    end)

    it("in a shape or a type is answered with one that is valid", function()
        local five, seven = rill.from {1, 2, 3, 4, 5}, rill.stream("float", 7)
        local add = rill.kernel "kernel void add(float x<>, float y<>, out float r<>) { r = x + y; }"
        check.names({"add", "5 and 7 of 'y'", "'y' must have the shape 5, or sizes of 1"}, add, five, seven)
        check.names({"add", "'x'", "shape 5 does not fit 7", "dimension 1 must be 7, a divisor of it, or larger"},
            add, five, five, seven)
        local pick = rill.kernel "kernel void pick(float w[], int i<>, out float r<>) { r = w[i]; }"
        check.names({"'w'", "5x3", "reshape it to 15"}, pick, rill.stream("float", {5, 3}), rill.iota(5))
        assert.same({1, 2, 3, 4, 5}, pick(five:reshape(5), rill.iota(5)):values())
        local at = rill.kernel "kernel void at(float w[][], int i<>, out float r<>) { r = w[0][i]; }"
        check.names({"'w'", "shape 5", "reshape it to 1x5"}, at, five, rill.iota(5))
        assert.same({1, 2, 3, 4, 5}, at(five:reshape {1, 5}, rill.iota(5)):values())
        check.names({"'w'", "shape 2x3x4", "reshape it to 6x4"}, at, rill.stream("float", {2, 3, 4}), rill.iota(5))
        local count = rill.kernel "kernel void count(int x<>, out int r<>) { r = x + 1; }"
        check.names({"'x'", ':cast "int"', "stream<float>[5]"}, count, five)
        check.names({"'x'", ':cast "int"', "stream<float>[5]"}, count, five * 2)
        assert.same({2, 3, 4, 5, 6}, count(five:cast "int"):values())
        local _, message = pcall(count, rill.iota(5), five) -- of an output a copy would not do
        assert.is_nil(message:find("cast", 1, true), message)
    end)

    it("is not reported for names that rill uses itself, nor for many inputs with a gather", function()
        local x = rill.from {1, 2, 3}
        for _, name in ipairs {"rill_active", "rill_length", "rill_list", "rill_e"} do
            local k = rill.kernel(("kernel void f(float %s<>, out float r<>) { r = %s + 1.0; }"):format(name, name))
            local r = rill.from {0, 0, 0}
            k {[name] = x, r = r, where = x:gt(1)}
            assert.same({0, 3, 4}, r:values(), name)
        end
        local declared, sum, streams = {}, {}, {}
        for i = 1, 46 do
            declared[i], sum[i], streams[i] = ("float x%d<>"):format(i), "x" .. i, x
        end
        streams[47] = rill.from {10}
        local k = rill.kernel(("kernel void f(%s, float g[], out float r<>) { r = g[0] + %s; }"):format(
            table.concat(declared, ", "), table.concat(sum, " + ")))
        assert.same({56, 102, 148}, k(table.unpack(streams)):values())
    end)
end)
