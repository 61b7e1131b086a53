-- rill.convolve and rill.correlate against sums in double.
local rill = require "rill"
local borders = require "spec.support.borders"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

-- Calls f(index) for every index of a shape, row-major, counted from 0.
local function visit(shape, f)
    local index = {}
    local function go(d)
        if d > #shape then return f(index) end
        for i = 0, shape[d] - 1 do
            index[d] = i
            go(d + 1)
        end
    end
    go(1)
end

-- The element of a flat list at index + way k + low, or nil.
local function element(values, shape, modes, index, way, k, low)
    local at = 0
    for d, n in ipairs(shape) do
        local i = borders.place(modes[d], index[d] + way * k[d] + low[d], n)
        if not i then return nil end
        at = at * n + i
    end
    return values[at + 1]
end

local function expected(a, b, flip, modes, value)
    local x, y, result, low = a:values(), b:values(), {}, {}
    for d, n in ipairs(b.shape) do low[d] = flip and n // 2 or -(n // 2) end
    visit(a.shape, function(index)
        local sum, j = 0, 0
        visit(b.shape, function(k)
            j = j + 1
            sum = sum + (element(x, a.shape, modes, index, flip and -1 or 1, k, low) or value) * y[j]
        end)
        result[#result + 1] = sum
    end)
    return result
end

local function assert_both(a, b, boundary)
    local modes, value = {}, type(boundary) == "number" and boundary or 0
    for d = 1, #a.shape do
        modes[d] = type(boundary) == "table" and boundary[d] or boundary or "clamp"
    end
    local before = a:bytes()
    for name, flip in pairs {convolve = true, correlate = false} do
        local r = rill[name](a, b, boundary and {boundary = boundary})
        assert.equal(tostring(a.shape), tostring(r.shape))
        local good = expected(a, b, flip, modes, value)
        local most = 0
        for _, x in ipairs(good) do most = math.max(most, math.abs(x)) end
        check.equal(good, r:values(), most * (r.type == "double" and 1e-14 or 2e-6))
        assert.is_true(r:bytes() == rill[name](a, b, boundary and {boundary = boundary}):bytes(), "the same bits again")
    end
    assert.is_true(before == a:bytes(), "the input unchanged")
end

local function random(shape, seed, type)
    return rill.random(shape, {seed = seed, type = type, low = -1, high = 2})
end

describe("convolve and correlate", function()
    leaks.watch(setup, teardown)

    it("with few weights, of any number", function()
        for _, n in ipairs {1, 2, 7, 40} do
            for _, m in ipairs {1, 2, 3, 6, 9} do
                assert_both(random(n, n), random(m, m + 50))
            end
        end
    end)

    shortened(it, "with many weights, by transforms", function(whole)
        assert_both(random({20, 24}, 1), random({12, 16}, 2))
        if not whole then return end
        assert_both(random(400, 1), random(300, 2))
        -- More weights than any device sums term by term.
        assert_both(random(30, 1), random(4501, 2), "wrap")
        assert_both(random({6, 5}, 1), random({70, 60}, 2))
    end)

    shortened(it, "with every boundary", function(whole)
        for _, boundary in ipairs(whole and {"clamp", "wrap", "mirror", "zero", 2.5} or {"wrap", 2.5}) do
            assert_both(random(20, 3), random(9, 4), boundary)
            assert_both(random(13, 3), random(4100, 4), boundary)
        end
        assert_both(random({5, 6}, 3), random({3, 4}, 4), {"wrap", "mirror"})
    end)

    it("of several dimensions", function()
        assert_both(random({7, 9}, 3), random({3, 4}, 4))
        assert_both(random({4, 5, 6}, 3), random({2, 3, 3}, 4))
        assert_both(random({3, 2, 4, 3}, 3), random({2, 1, 2, 3}, 4), "zero")
    end)

    it("of many dimensions by transforms #long", function()
        assert_both(random({2, 9, 4}, 3), random({17, 16, 16}, 4), "mirror")
        assert_both(random({2, 3, 2, 2}, 3), random({8, 9, 8, 8}, 4), "wrap")
    end)

    it("of vectors, each component separately, with the boundary of a view", function()
        local values = random({12, 9, 3}, 4)
        local flat = {}
        for c = 1, 3 do flat[c] = values:domain({1, 1, c}, {12, 9, c}):reshape {12, 9}:copy() end
        local a = rill.vec3(flat[1], flat[2], flat[3]):eval()
        for _, b in ipairs {random({3, 2}, 5), random({9, 9}, 6)} do
            local r = rill.convolve(a:boundary "wrap", b)
            assert.equal("vec3", r.type)
            for c, letter in ipairs {"x", "y", "z"} do
                local want = expected(flat[c], b, true, {"wrap", "wrap"}, 0)
                check.equal(want, r[letter]:eval():values(), 1e-4)
            end
        end
    end)

    it("of doubles #doubles", function()
        assert_both(random(50, 5, "double"), random(5, 6))
        assert_both(random(20, 5), random(4200, 6, "double"))
    end)

    it("of views, other types and expressions", function()
        local s = random({20, 30}, 7)
        assert_both(s:domain({3, 4}, {12, 17}), random({2, 3}, 8))
        assert_both(s:transpose(), s:domain({1, 1}, {3, 3}))
        local n, w = rill.from({1, 2, 3, 4}, "int"), rill.from({1, 1, 0}, "uint8")
        local r = rill.convolve(n, w)
        assert.equal("float", r.type)
        check.equal({3, 5, 7, 8}, r:values())
        check.equal({2, 3, 5, 7}, rill.correlate(n, w):values())
        check.equal({6, 10, 14, 16}, rill.convolve(n * 2, w):values())
    end)

    it("of an impulse gives the weights, reversed or not", function()
        local a, b = rill.stream("float", 9), rill.from {1, 2, 3, 4}
        a:set(1, 5)
        check.equal({0, 0, 1, 2, 3, 4, 0, 0, 0}, rill.convolve(a, b):values())
        check.equal({0, 0, 0, 4, 3, 2, 1, 0, 0}, rill.correlate(a, b):values())
    end)

    it("of empty streams", function()
        local none, b = rill.stream("float", {0, 3}), rill.stream("float", {3, 3}, 1)
        assert.equal("0x3", tostring(rill.convolve(none, b).shape))
    end)

    it("reads nothing out of range", function()
        rill.check(true)
        local done, message = pcall(function()
            rill.convolve(random(100, 1), random(9, 2)):values()
            rill.correlate(random(1000, 1), random(900, 2)):values()
        end)
        rill.check(false)
        assert.is_true(done, message)
    end)

    it("report lack of memory in their own name", function()
        local a <close> = rill.random({300, 300}, {seed = 1})
        local b <close> = rill.random({41, 41}, {seed = 2})
        for room = 0, 3 do
            rill.memory_limit(rill.memory().bytes + 1 + room * 500000)
            local done, message = pcall(rill.convolve, a, b)
            rill.memory_limit(0)
            assert.is_false(done)
            assert.matches("rill.convolve: out of device memory: ", message, 1, true)
        end
    end)

    it("take tables of weights", function()
        local a = rill.from {1, 2, 4, 8}
        assert.same({4, 8, 17, 26}, rill.convolve(a, {1, 2, 1 / 2}):cast "int":values())
        assert.same(rill.convolve(a, rill.from {1, 2, 0.5}):values(), rill.convolve(a, {1, 2, 0.5}):values())
        assert.same(rill.correlate(a, rill.from {1, 2, 0.5}):values(), rill.correlate(a, {1, 2, 0.5}):values())
        check.raises("rill.convolve: argument #2 'b' has no elements", rill.convolve, a, {})
    end)

    it("report errors", function()
        local a, b = rill.stream("float", 4), rill.stream("float", 3)
        check.raises("rill.convolve: argument #1 'a': expected a stream, got number", rill.convolve, 3, b)
        check.raises("rill.correlate: argument #2 'b': expected a stream, got nil", rill.correlate, a)
        check.raises("argument #1 'a': expected real numbers, float or double, got elements of ivec2", rill.convolve,
            rill.stream("ivec2", 4), b)
        check.raises("argument #2 'b': expected real numbers, float or double, got elements of vec2", rill.convolve,
            a, rill.stream("vec2", 4))
        check.raises("got elements of bool", rill.convolve, a, rill.stream("bool", 4))
        check.raises("expected streams of as many dimensions, at most 4, got shapes 4 and 2x2", rill.convolve, a,
            rill.stream("float", {2, 2}))
        local five = rill.stream("float", {1, 1, 1, 1, 1})
        check.raises("at most 4, got shapes 1x1x1x1x1 and 1x1x1x1x1", rill.convolve, five, five)
        check.raises("argument #2 'b' has no elements", rill.convolve, a, rill.stream("float", 0))
        check.raises("rill.convolve: unknown option 'border'", rill.convolve, a, b, {border = 1})
        check.raises("rill.convolve: expected a table of options, got string", rill.convolve, a, b, "wrap")
        check.raises("rill.convolve: option 'boundary': .*\"round\"", rill.convolve, a, b, {boundary = "round"})
    end)
end)
