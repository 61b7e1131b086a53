local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

describe("shapes", function()
    leaks.watch(setup, teardown)

    it("are fresh tables that compare and print", function()
        local s = rill.stream("float", {512, 256})
        assert.equal("512x256", tostring(s.shape))
        assert.equal("a 512x256", "a " .. s.shape)
        assert.is_true(s.shape == rill.stream("int", {512, 256}).shape)
        assert.is_true(s.shape ~= rill.iota(3).shape)
        assert.is_false(rawequal(s.shape, s.shape))
        s.shape[1] = 7
        assert.equal(512, s.shape[1])
        assert.equal(512 * 256, rill.stream("int", s.shape).size)
    end)

    it("have 1 to 8 dimensions", function()
        for rank = 1, 8 do
            local shape = {}
            for d = 1, rank do
                shape[d] = d % 3 + 1
            end
            local s = rill.iota(shape)
            assert.equal(rank, #s.shape)
            local size = 1
            for d = 1, rank do
                assert.equal(shape[d], s.shape[d])
                size = size * shape[d]
            end
            assert.equal(size, s.size)
            assert.equal(size, #s)
            assert.equal(size - 1, s:get(table.unpack(shape)))
        end
        check.raises("1 to 8 dim", rill.stream, "float", {1, 1, 1, 1, 1, 1, 1, 1, 1})
        check.raises("1 to 8 dim", rill.stream, "float", {})
    end)

    it("may be empty", function()
        assert.equal(0, rill.stream("float", {3, 0}).size)
        assert.equal(0, rill.stream("float", {1 << 30, 0}).size)
        assert.same({}, rill.stream("float", 0):read())
        assert.same({{}, {}}, rill.stream("float", {2, 0}):read())
        assert.equal(0, rill.stream("float", 0, {}).size)
        assert.equal(0, rill.stream("vec3", {2, 0}, {{}, {}}).size)
        assert.equal(0, rill.stream("vec3", 0, {}).size)
        assert.equal("stream<float>[0x3] 0 bytes", (tostring(rill.stream("float", {0, 3})):gsub("\n.*", "")))
    end)

    for _, case in ipairs {
        {-1, "negative"}, {1.5, "whole number"}, {{2, 2.5}, "whole number"}, {{2, -2}, "negative"},
        {{1 << 40, 1 << 40}, "more than 2147483647 elements"}, {{1 << 33, 1 << 33}, "more than 2147483647"},
        {2 ^ 63, "whole number"}, {{2 ^ 63, 2}, "whole number"}, {math.maxinteger, "more than 2147483647"},
        {1 << 31, "more than 2147483647"}, {0 / 0, "whole number"}, {math.huge, "whole number"},
        {"x", "expected a shape"}, {{"x"}, "whole number"}, {true, "expected a shape"}, {nil, "expected a shape"},
    } do
        local shape, message = case[1], case[2]
        it(("cannot be %s%s"):format(type(shape), type(shape) == "number" and " " .. shape or ""), function()
            check.raises("rill%.stream: argument #2 'shape': .*" .. message, rill.stream, "float", shape)
            check.raises(message, rill.iota, shape)
            check.raises(message, rill.random, shape)
        end)
    end

    it("count arguments", function()
        check.raises("rill%.stream: expected at most 3 arguments, got 4", rill.stream, "float", 1, 1, 1)
    end)
end)
