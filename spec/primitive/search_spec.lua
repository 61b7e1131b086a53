local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local order = require "spec.support.order"

local sizes = {0, 1, 2, 31, 32, 33, 255, 257, 1023, 1024, 1025}

-- How many elements of a sorted list go before a value; "right": or are equal to it.
local function count(list, value, side)
    local n = 0
    for _, element in ipairs(list) do
        local goes = side == "right" and not order.before(value, element) or order.before(element, value)
        n = n + (goes and 1 or 0)
    end
    return n
end

local function assert_found(sorted, values)
    local list, wanted = sorted:values(), values:values()
    for _, side in ipairs {"left", "right"} do
        local expected = {}
        for i, value in ipairs(wanted) do
            expected[i] = count(list, value, side)
        end
        local found = rill.searchsorted(sorted, values, {side = side})
        assert.equal("int", found.type)
        assert.is_true(found.shape == values.shape)
        check.equal(expected, found:values())
    end
end

-- Devices that flush small floats to 0 compare them as 0.
local function mixed(type, n, seed)
    local list = order.mixed(type, n, seed)
    if type == "float" and not rill.device().traits.denormals then
        for i, x in ipairs(list) do list[i] = math.abs(x) < 0x1p-126 and 0.0 or x end
    end
    return list
end

describe("searchsorted", function()
    leaks.watch(setup, teardown)

    local in_elements = {
        function(size)
            local sorted = rill.stream("float", size, mixed("float", size, 2)):sort()
            assert_found(sorted, rill.stream("float", 60, mixed("float", 60, 5)))
        end,
        function(size)
            local whole = rill.random(size, {seed = 1, type = "int", low = 0, high = 300}):sort()
            assert_found(whole, rill.iter("int", 50, -20, 330))
            assert_found(whole, rill.stream("int", 0))
        end,
    }
    for i, size in ipairs(sizes) do
        it(("in %d elements"):format(size), function() in_elements[i % 2 + 1](size) end)

        it(("in %d elements of the other type #long"):format(size), function() in_elements[2 - i % 2](size) end)
    end

    for _, type in ipairs(order.names) do
        local chosen = type == "float" or type == "double" or type == "uint8"
        it(("of %s%s"):format(type, chosen and "" or " #long"), function()
            local sorted = rill.stream(type, 300, mixed(type, 300, 7)):sort()
            assert_found(sorted, rill.stream(type, 100, mixed(type, 100, 8)))
        end)
    end

    it("of values of another type, of views and of more dimensions", function()
        local sorted = rill.from {1, 2, 2, 3.5}
        assert.same({{0, 1}, {1, 3}}, rill.searchsorted(sorted, rill.from({{1, 2}, {2, 3}}, "int")):read())
        check.equal({0, 1, 3}, rill.searchsorted(rill.from({1, 2, 2, 4}, "int"), rill.from {0.5, 1.5, 2.5}):values())
        local every = rill.iota(1000):stride(3)
        assert_found(every, rill.iota(100):stride(7))
        assert_found(rill.iter("float", 100, 0, 10), rill.from {-1, 0, 4.95, 5, 11})
        assert.equal(2, rill.searchsorted(rill.from {1, 1, 2}, rill.from {1}, {side = "right"}):get(1))
    end)

    it("finds the index of every element of a large stream #slow", function()
        local sorted = rill.random((1 << 20) + 1, {seed = 3, type = "uint"}):sort()
        local left, right = rill.searchsorted(sorted, sorted), rill.searchsorted(sorted, sorted, {side = "right"})
        local wrong = rill.kernel [[
            kernel int wrong(uint s[], int left<>, int right<>) {
                int at = indexof(left).x;
                return at < left || at >= right || s[left] != s[at] || s[right - 1] != s[at]
                    || (left > 0 && s[left - 1] >= s[at]) ? 1 : 0;
            }
        ]]
        assert.equal(0, wrong(sorted, left, right):sum())
    end)

    it("rejects types without an order", function()
        local s, v = rill.iota(5), rill.stream("vec2", 5)
        check.names({"rill.searchsorted", "'values'", "no order"}, rill.searchsorted, s, v)
        check.names({"rill.searchsorted", "'sorted'", "no order"}, rill.searchsorted, v, s)
        check.names({"rill.searchsorted", "one dimension", "5x1"}, rill.searchsorted, s:reshape {5, 1}, s)
        check.names({"rill.searchsorted", "option 'side'", "middle"}, rill.searchsorted, s, s, {side = "middle"})
        check.names({"rill.searchsorted", "unknown option 'right'"}, rill.searchsorted, s, s, {right = true})
        check.names({"can't be compared", "bool"}, rill.searchsorted, s, rill.stream("bool", 3))
    end)
end)

describe("merge", function()
    leaks.watch(setup, teardown)

    -- The bytes of a's and b's elements in the order of a stable sort of both.
    local function assert_merges(type, list_a, list_b, descending)
        local options = descending and {descending = true} or nil
        local a = rill.stream(type, #list_a, list_a):sort(options)
        local b = rill.stream(type, #list_b, list_b):sort(options)
        local merged = rill.merge(a, b, options)
        assert.equal(type, merged.type)
        assert.is_true(rill.concat {a, b}:sort(options):bytes() == merged:bytes())
        check.equal(order.take(rill.concat {a, b}:values(), order.argsort(rill.concat {a, b}:values(), descending)),
            merged:values())
    end

    for _, size in ipairs(sizes) do
        it(("of %d elements and others"):format(size), function()
            for _, other in ipairs {0, 1, 100, 1500} do
                assert_merges("float", mixed("float", size, 1), mixed("float", other, 2), false)
                assert_merges("int", mixed("int", other, 3), mixed("int", size, 4), true)
            end
        end)
    end

    for _, type in ipairs(order.names) do
        it("of " .. type, function()
            assert_merges(type, mixed(type, 700, 1), mixed(type, 500, 2), false)
            assert_merges(type, mixed(type, 300, 3), mixed(type, 801, 4), true)
        end)
    end

    it("puts equal elements of the first stream first", function()
        local zeros, negative = rill.stream("float", 600, 0.0), rill.stream("float", 500, -0.0)
        assert.equal(zeros:bytes() .. negative:bytes(), rill.merge(zeros, negative):bytes())
        assert.equal(negative:bytes() .. zeros:bytes(), rill.merge(negative, zeros):bytes())
    end)

    it("of views, and of streams that do not interleave", function()
        local s = rill.iota(3000)
        local a, b = s:domain(2, 1501), s:domain(4, 2503)
        check.equal(rill.concat {a, b}:sort():values(), rill.merge(a, b):values())
        check.equal(s:values(), rill.merge(s:stride(2), s:domain(2, 3000):stride(2)):values())
        check.equal(s:values(), rill.merge(s:domain(2001, 3000), s:domain(1, 2000)):values())
    end)

    for _, bits in ipairs {20, 22} do
        it(("of 2^%d elements and half as many #slow%s"):format(bits, bits == 22 and " #long" or ""), function()
            local a = rill.random(1 << bits, {seed = 1, type = "uint"}):sort()
            local b = rill.random((1 << bits - 1) + 3, {seed = 2, type = "uint"}):sort()
            assert.is_true(rill.concat {a, b}:sort():bytes() == rill.merge(a, b):bytes())
        end)
    end

    it("rejects streams that do not fit", function()
        local s = rill.iota(5)
        check.names({"rill.merge", "'b'", "int", "float"}, rill.merge, s, s:cast "float")
        check.names({"rill.merge", "'a'", "one dimension"}, rill.merge, s:reshape {5, 1}, s)
        check.names({"rill.merge", "no order"}, rill.merge, rill.stream("vec2", 2), rill.stream("vec2", 2))
        check.names({"rill.merge", "unknown option 'axis'"}, rill.merge, s, s, {axis = 1})
    end)
end)
