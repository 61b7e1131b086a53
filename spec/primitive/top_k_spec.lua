local rill = require "rill"
local check = require "spec.support.check"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"
local order = require "spec.support.order"

local function first(list, k)
    return table.move(list, 1, k, 1, {})
end

-- Compares the k first elements, largest and smallest first, with a stable sort in Lua.
local function assert_top(s, ...)
    local values, bytes = s:values(), s:bytes()
    for _, largest in ipairs {true, false} do
        local places = order.argsort(values, largest)
        for _, k in ipairs {...} do
            local got, at = s:top_k(k, {largest = largest})
            assert.equal(s.type, got.type)
            check.equal(first(places, k), at:values())
            check.equal(order.take(values, first(places, k)), got:values())
        end
    end
    assert.is_true(bytes == s:bytes(), "the input unchanged")
end

describe("top_k", function()
    leaks.watch(setup, teardown)

    for _, size in ipairs(fitting {0, 1, 31, 33, 256, 257, 1023, 1025, 5000}) do
        it(("of %d elements%s"):format(size, size == 1025 and " #tables" or ""), function()
            local s = rill.stream("float", size, order.mixed("float", size, size))
            assert_top(s, table.unpack(size < 2 and {0, size} or {0, 1, 2, size // 10, size // 3, size - 1, size}))
        end)
    end

    for _, type in ipairs(order.names) do
        it(("of %s #tables%s"):format(type, type == "uint" and " #long" or ""), function()
            local s = rill.stream(type, 3000, order.mixed(type, 3000, 7))
            assert_top(s, 1, 17, 500)
        end)
    end

    it("of equal elements returns the first, also with few distinct values #tables", function()
        local equal = rill.stream("int", 3000, 5)
        local values, at = equal:top_k(70)
        check.equal(rill.iota(70):values(), at:values())
        assert.equal(350, values:sum())
        local random, few = order.generator(3), {}
        for i = 1, 4000 do
            few[i] = random(3) - 1
        end
        assert_top(rill.stream("int", 4000, few), 10, 900)
    end)

    it("returns NaNs last, and orders 0 and -0 by index", function()
        local nan = 0 / 0
        local list = {}
        for i = 1, 200 do
            list[i] = i % 3 == 0 and nan or i % 3 == 1 and -0.0 or 0.0
        end
        assert_top(rill.stream("float", 200, list), 1, 10, 40, 140, 200)
        check.equal({nan, nan, nan}, rill.stream("float", 30, nan):top_k(3):values())
    end)

    it("of views and ramps #tables", function()
        local s = rill.stream("int", 4000, order.mixed("int", 4000, 11))
        for offset = 2, 5 do
            assert_top(s:domain(offset, 3990), 20)
        end
        assert_top(s:stride(2), 30)
        check.equal({999, 998}, rill.iter("int", 1000, 0, 1000):top_k(2):values())
        assert_top(rill.stream("double", 2001, order.mixed("double", 2001, 3)):domain(2, 2001), 5)
    end)

    it("gives the same bits in 100 runs #tables", function()
        local s = rill.random(30000, {seed = 5, type = "uint", low = 0, high = 300})
        local values, at = s:top_k(777)
        for _ = 1, 100 do
            local again, there = s:top_k(777)
            assert.is_true(values:bytes() == again:bytes() and at:bytes() == there:bytes())
        end
    end)

    it("rejects invalid arguments", function()
        local s = rill.iota(5)
        check.names({"s:top_k", "'k'", "0 .. 5", "got 6"}, s.top_k, s, 6)
        check.names({"s:top_k", "'k'", "got -1"}, s.top_k, s, -1)
        check.names({"s:top_k", "unknown option 'smallest'"}, s.top_k, s, 1, {smallest = true})
        check.names({"s:top_k", "options"}, s.top_k, s, 1, true)
        check.names({"s:top_k", "no order"}, function() rill.stream("vec2", 4):top_k(1) end)
        check.names({"s:top_k", "one dimension", "2x2"}, function() rill.stream("int", {2, 2}):top_k(1) end)
    end)

    it("of 2^24 elements #slow #long", function()
        local s = rill.random(1 << 24, {seed = 8, type = "uint"})
        local places = rill.argsort(s, {descending = true}):domain(1, 1000)
        local sorted = s:sort {descending = true}:domain(1, 1000)
        local values, at = s:top_k(1000)
        assert.is_true(places:bytes() == at:bytes())
        assert.is_true(sorted:bytes() == values:bytes())
    end)
end)
