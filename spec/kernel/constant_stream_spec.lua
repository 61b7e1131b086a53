-- Streams of one element as constants: the launch reads them on the device.
local rill = require "rill"
local check = require "spec.support.check"

describe("a stream of one element", function()
    local axpy = rill.kernel "kernel void axpy(float a, float x<>, float b, out float r<>) { r = a * x + b; }"
    local x = rill.from {1, 2, 3}

    it("is accepted as a constant, by position and by name", function()
        local a, b = x:sum(1, {keep = true}), rill.from {10}
        assert.same({16, 22, 28}, axpy(a, x, b):values())
        assert.same({7, 13, 19}, axpy(a:reshape {1, 1}, x, 1):values())
        assert.same({12, 14, 16}, axpy {a = 2, x = x, b = b}:values())
        local r = rill.stream("float", 3)
        axpy(a, x, 0, r)
        assert.same({6, 12, 18}, r:values())
    end)

    it("is read when the launch runs, without waiting for it", function()
        local a = rill.from {1}
        local before = axpy(a, x, 0)
        a:set(5, 1)
        local after = axpy(a, x, 0)
        assert.same({1, 2, 3}, before:values())
        assert.same({5, 10, 15}, after:values())
        local report = rill.profile(function() axpy(a, x, 0) end)
        assert.equal(1, report.launches)
    end)

    it("may have any type that the constant takes", function()
        for _, case in ipairs {{"int", 3}, {"uint", 4}, {"double", 0.5}, {"half", 0.25}, {"vec3", {1, 2, 3}}} do
            local type, value = table.unpack(case)
            local k = rill.kernel(("kernel %s f(%s a, %s x<>) { return a + x; }"):format(type, type, type))
            local s = rill.from({value}, type)
            assert.same(k(value, s):values(), k(s, s):values(), type)
        end
        assert.same({2, 4, 6}, axpy(rill.from({2}, "int"), x, 0):values())
    end)

    it("works with expressions, in group kernels and with views", function()
        assert.same({4, 6, 8}, axpy(rill.from {9, 2}:domain(2, 2), x + 1, 0):values())
        local group = rill.kernel "kernel(4) void h(float a, float x[], out float r<>) { r = x[localid()] * a; }"
        local r = rill.stream("float", 4)
        group(rill.from {2}, rill.from {1, 2, 3, 4}, r)
        assert.same({2, 4, 6, 8}, r:values())
    end)

    it("works in kernels with variable outputs", function()
        local above = rill.kernel [[
            kernel void above(float limit, float x<>, float g[], vout float r<>) { if (x > limit) push(r, x * g[0]); }]]
        local g = rill.from {2}
        assert.same({4, 6}, above(rill.from {1.5}, x, g):values())
        assert.same({6}, above {limit = rill.from {2}, x = x, g = g}:values())
        assert.same(0, #above(rill.from {3}, x, g))
    end)

    it("is an error if there are more elements, or none", function()
        check.names({"argument #1 'a'", "stream<float>[3]"}, axpy, x, x, 1)
        check.names({"argument #1 'a'"}, axpy, rill.stream("float", 0), x, 1)
    end)
end)
