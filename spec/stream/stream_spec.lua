local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

describe("a stream", function()
    leaks.watch(setup, teardown)

    it("has type, shape, size, nbytes and length", function()
        local s = rill.stream("vec3", {4, 5})
        assert.equal("vec3", s.type)
        assert.equal("4x5", tostring(s.shape))
        assert.equal(20, s.size)
        assert.equal(20, #s)
        assert.equal(240, s.nbytes)
        assert.equal(96, s:domain({1, 2}, {2, 5}).nbytes)
    end)

    it("is recognized by rill.type", function()
        assert.equal("stream", rill.type(rill.iota(1)))
        assert.equal("device", rill.type(rill.device()))
        assert.equal("kernel", rill.type(rill.kernel "kernel void f(float x<>, out float r<>) { r = x; }"))
        for _, value in ipairs {3, "s", {}, io.stdout, print, true} do
            assert.is_nil(rill.type(value))
        end
        assert.is_nil(rill.type(nil))
    end)

    it("names an unknown field, method or option", function()
        local s = rill.iota(3)
        check.raises("no field or method 'foo'", function() return s.foo end)
        check.raises("no field 'foo' to be set", function() s.foo = 1 end)
        check.raises("no field or method boolean", function() return s[true] end)
        check.raises("no field 'size' to be set", function() s.size = 1 end)
        check.raises("rill has no field or module 'nothing'", function() return rill.nothing end)
        check.raises("s:read: argument 's': expected a stream.*, got number 3", s.read, 3)
    end)

    it("is equal to itself only, and not compared by < and <=", function()
        local s = rill.iota(3)
        assert.is_true(s == s)
        assert.is_false(s == s:copy())
        check.raises("s:lt%(t%)", function() return s < s end)
        check.raises("s:le", function() return s <= 1 end)
    end)

    it("returns its storage for another renderer", function()
        local s = rill.stream("vec4", {4, 5})
        local name, offset, length, layout = s:domain({2, 2}, {3, 4}):gl()
        assert.is_true(name > 0)
        assert.equal(16 * 6, offset)
        assert.equal(16 * 8, length)
        assert.equal("vec4", layout.type)
        assert.same({80, 16}, {layout.strides[1], layout.strides[2]})
        assert.is_false(layout.contiguous)
        assert.is_true(select(4, s:gl()).contiguous)
        check.raises("copy", s.gl, s:tile(2))
        check.raises("s:gl", s.gl, rill.iter("float", 3, 0, 1))
    end)
end)

describe("a closed stream", function()
    leaks.watch(setup, teardown)

    local function closed()
        local s = rill.iota(3)
        s:close()
        return s
    end

    for _, method in ipairs {
        "read", "values", "bytes", "write", "get", "set", "fill", "copy", "cast", "domain", "stride", "tile",
        "replicate", "group", "reshape", "transpose", "boundary", "each", "map_cpu", "request", "gl", "like", "map",
        "save", "sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "count", "argmin", "argmax", "norm",
        "dot",
    } do
        it("is rejected by " .. method, function()
            local s = closed()
            local message = check.raises("closed stream", s[method], s, 1)
            assert.is_not_nil(message:find(method, 1, true), message)
        end)
    end

    it("has no fields, no length, no elements", function()
        local s = closed()
        for _, field in ipairs {"type", "shape", "size", "nbytes"} do
            check.raises("s%." .. field .. ": .*closed stream", function() return s[field] end)
        end
        check.raises("closed stream", function() return #s end)
        check.raises("closed stream", function() return s[1] end)
        check.raises("closed stream", function() s[1] = 1 end)
        check.raises("closed stream", pairs, s)
        assert.equal("closed stream", tostring(s))
        assert.equal("stream", rill.type(s))
    end)

    it("is rejected as an argument, by name", function()
        local s = rill.iota(3)
        check.raises("s:write: .*closed stream", s.write, s, closed())
        check.raises("s:dot: argument #1 't': .*closed stream", s.dot, s, closed())
        check.raises("rill%.concat: .*closed stream", rill.concat, {s, closed()})
        local kernel = rill.kernel "kernel void f(int left<>, int right[], out int r<>) { r = left + right[0]; }"
        check.raises("f: argument #1 'left': .*closed stream", kernel, closed(), s)
        check.raises("f: argument #2 'right': .*closed stream", kernel, s, closed())
        check.raises("f: argument #3 'r': .*closed stream", kernel, s, s, closed())
        check.raises("f: argument .*'right': .*closed stream", kernel, {left = s, right = closed()})
        check.raises("rill%.image%.save: .*closed stream", rill.image.save, closed(), "never.png")
        assert.same({0, 1, 2}, kernel(s, s):values())
    end)

    it("may be closed again, and by leaving its scope", function()
        local s = closed()
        s:close()
        local kept
        do
            local t <close> = rill.iota(2)
            kept = t
        end
        check.raises("closed", function() return kept[1] end)
    end)

    it("leaves its views valid", function()
        local s = rill.iota(3)
        local view = s:domain(2, 3)
        s:close()
        assert.same({1, 2}, view:values())
        view[1] = 7
        assert.same({7, 2}, view:values())
    end)
end)

describe("a stream of another device", function()
    it("is rejected by name", function()
        local devices = rill.devices()
        if #devices < 2 then
            pending "there is only one device here"
            return
        end
        local first = rill.open(1)
        local s <close> = rill.iota(3)
        rill.open(2)
        local t <close> = rill.iota(3)
        local kernel = rill.kernel "kernel void f(int x<>, int y<>, out int r<>) { r = x + y; }"
        check.raises("device", kernel, s, t)
        check.raises("device", t.write, t, s)
        check.raises("device", rill.concat, {s, t})
        check.raises("device", t.dot, t, s)
        rill.open(1)
        assert.equal(first, rill.device())
        assert.same({0, 1, 2}, s:values())
        assert.same({0, 1, 2}, t:values())
    end)
end)
