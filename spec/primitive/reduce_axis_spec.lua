local rill = require "rill"
local check = require "spec.support.check"
local elements = require "spec.support.elements"
local leaks = require "spec.support.leaks"
local reduction = require "spec.support.reduction"
local reference = require "spec.support.reference"

local assert_near = reduction.assert_near

describe("reductions along an axis", function()
    leaks.watch(setup, teardown)

    -- The lists along an axis (from 1) of a flat list, in the order of the result.
    local function along(flat, shape, axis)
        local inner, outer = 1, 1
        for d, n in ipairs(shape) do
            inner = d > axis and inner * n or inner
            outer = d < axis and outer * n or outer
        end
        local lists = {}
        for o = 0, outer - 1 do
            for i = 0, inner - 1 do
                local list = {}
                for k = 0, shape[axis] - 1 do
                    list[k + 1] = flat[(o * shape[axis] + k) * inner + i + 1]
                end
                lists[#lists + 1] = list
            end
        end
        return lists
    end

    -- Returns the result of argmin or argmax along an axis: 0-based.
    local function expected_of(operation, list)
        local value = reference[operation](list, list)
        return operation:find "^arg" and value - 1 or value
    end

    local function assert_axis(operation, name, s, flat, shape, axis)
        local got = operation == "dot" and s:dot(s, axis) or s[operation](s, axis)
        local left = {}
        for d, n in ipairs(shape) do
            if d ~= axis then
                left[#left + 1] = n
            end
        end
        assert.equal(#left == 0 and "1" or table.concat(left, "x"), tostring(got.shape))
        local values = got:values()
        for i, list in ipairs(along(flat, shape, axis)) do
            local what = ("%s of %s along %d, result %d"):format(operation, name, axis, i)
            local expected = expected_of(operation, list)
            if type(expected) == "number" and got.type == "int" then
                expected = reference.wrap(expected)
            end
            assert_near(expected, values[i], reduction.tolerance(operation, elements.types[name][1], list), what)
        end
        local kept = operation == "dot" and s:dot(s, axis, {keep = true}) or s[operation](s, axis, {keep = true})
        left = table.move(shape, 1, #shape, 1, {})
        left[axis] = 1
        assert.equal(table.concat(left, "x"), tostring(kept.shape))
        check.equal(values, kept:values())
    end

    local function assert_axes(name, shapes, operations)
        for _, shape in ipairs(shapes) do
            local size = 1
            for _, n in ipairs(shape) do
                size = size * n
            end
            local _, flat = elements.list(name, size)
            local s = rill.stream(name, shape, flat)
            for axis = 1, #shape do
                for _, operation in ipairs(operations) do
                    assert_axis(operation, name, s, flat, shape, axis)
                end
            end
        end
    end

    -- By type: operations that are implemented differently.
    for name, operations in pairs {
        float = {"sum", "max", "var", "norm", "argmin"}, int = {"prod", "mean", "argmax"}, double = {"sum", "var"},
        bool = {"sum", "any", "all"}, half = {"max", "dot"},
    } do
        it("of " .. name, function() assert_axes(name, {{5, 3}, {2, 3, 2, 3}}, operations) end)

        it("of " .. name .. ", every operation and axis #long", function()
            assert_axes(name, {{7}, {5, 3}, {2, 1, 4}, {2, 3, 2, 3}}, reduction.operations)
        end)
    end

    it("of one dimension, and of an axis of one element", function()
        assert_axes("float", {{7}, {2, 1, 4}}, {"sum", "argmin", "dot"})
    end)

    local function assert_long(...)
        for _, shape in ipairs {{1025, 3}, {3, 1025}, {65, 33, 2}, {2, 20000}, {20000, 2}} do
            local s = rill.iota(shape):map "x % 97"
            local flat = s:values()
            for axis = 1, #shape do
                for _, operation in ipairs {...} do
                    assert_axis(operation, "int", s, flat, shape, axis)
                end
            end
        end
    end

    it("of long and short axes", function() assert_long "sum" end)

    it("of long and short axes, also max and argmin #long", function() assert_long("max", "argmin") end)

    it("accept negative axes", function()
        local s = rill.iota {2, 3}
        assert.same({3, 12}, s:sum(-1):values())
        assert.same({3, 5, 7}, s:sum(-2):values())
        assert.same({3, 5, 7}, s:sum(1):values())
    end)

    it("of vectors keep their components", function()
        local s = rill.stream("vec3", {2, 3}, function(i, j) return i, j, i * j end)
        assert.same({{3.0, 2.0, 3.0}, {3.0, 4.0, 6.0}, {3.0, 6.0, 9.0}}, s:sum(1):read())
        assert.same({{1.0, 3.0, 3.0}, {2.0, 3.0, 6.0}}, s:max(2):read())
        assert.same({12.0, 33.0, 68.0}, s:dot(s, 1):values())
    end)

    it("wrap sums of integers", function()
        local s = rill.stream("int", {2, 3}, 2147483647)
        assert.same({-2, -2, -2}, s:sum(1):values())
        assert.same({2147483645, 2147483645}, s:sum(2):values())
        assert.same({4294967294}, rill.stream("uint", {2, 1}, 4294967295):sum(1):values())
    end)

    it("of empty axes are the neutral element, or an error if there is none", function()
        local s = rill.stream("float", {3, 0})
        assert.same({0.0, 0.0, 0.0}, s:sum(2):values())
        assert.same({1.0, 1.0, 1.0}, s:prod(2):values())
        assert.same({true, true, true}, s:all(2):values())
        assert.same({false, false, false}, s:any(2):values())
        assert.same({0, 0, 0}, s:count(2):values())
        check.raises("s:max: .*no max", s.max, s, 2)
        assert.same({}, s:max(1):values())
    end)

    it("report an invalid axis or option", function()
        local s = rill.iota {2, 3}
        check.raises("s:sum: argument #1 'axis': expected 1 %.%. 2, or %-1 for the last, got 3", s.sum, s, 3)
        check.raises("argument #1 'axis': .*got 0", s.max, s, 0)
        check.raises("argument #1 'axis': .*whole number", s.max, s, 1.5)
        check.raises("unknown option 'kep'", s.sum, s, 1, {kep = true})
        check.raises("argument #2 'options'", s.sum, s, 1, true)
        check.raises("s:sum: expected at most 2 arguments", s.sum, s, 1, {}, 1)
    end)
end)
