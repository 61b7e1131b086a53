local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

describe("elements", function()
    leaks.watch(setup, teardown)

    it("of one dimension: s[i], nil past the end", function()
        local s = rill.iota(3)
        assert.equal(0, s[1])
        assert.equal(2, s[3])
        assert.is_nil(s[4])
        assert.is_nil(rill.iota(0)[1])
        assert.equal(1, s[2.0])
        s[2] = 7
        assert.equal(7, s[2])
    end)

    it("of more: s[i] is the view of row i", function()
        local s = rill.iota {3, 4}
        assert.equal("4", tostring(s[2].shape))
        assert.same({4, 5, 6, 7}, s[2]:values())
        assert.equal(6, s[2][3])
        s[2][3] = 60
        assert.equal(60, s:get(2, 3))
        s[3] = {1, 2, 3, 4}
        assert.same({1, 2, 3, 4}, s[3]:values())
        s[1] = rill.iota(4)
        assert.same({0, 1, 2, 3}, s[1]:values())
        assert.is_nil(s[4])
    end)

    it("get and set by index", function()
        local s = rill.stream("vec2", {2, 2})
        assert.equal(s, s:set({1, 2}, 2, 1))
        assert.same({1.0, 2.0}, s:get(2, 1))
        assert.same({0.0, 0.0}, s:get(1, 2))
    end)

    it("fill sets every one, of views too", function()
        local s = rill.stream("int", {3, 4})
        assert.equal(s, s:fill(5))
        s:domain({1, 2}, {3, 3}):fill(6)
        assert.same({{5, 6, 6, 5}, {5, 6, 6, 5}, {5, 6, 6, 5}}, s:read())
        assert.same({3.0, 3.0, 3.0}, rill.stream("vec3", 1):fill(3):values())
    end)

    it("an index outside, fractional or of another rank is an error", function()
        local s = rill.iota(3)
        check.raises("index from 1", function() return s[0] end)
        check.raises("index from 1", function() return s[-1] end)
        check.raises("whole number", function() return s[1.5] end)
        check.raises("s:get: expected 1 index", s.get, s, 1, 2)
        check.raises("s:get: .*index 4 of dimension 1 is out of range 1 %.%. 3", s.get, s, 4)
        check.raises("index 4 is out of range", function() s[4] = 1 end)
        check.raises("s:set: ", s.set, s, 1)
        check.raises("s:set: ", s.set, s, 1, 4)
        check.raises("expected", s.set, s, "x", 1)
        check.raises("expected", s.set, s, {1, 2}, 1)
        assert.same({0, 1, 2}, s:values())
    end)
end)

describe("each, pairs, ipairs", function()
    leaks.watch(setup, teardown)

    it("go through a stream in order, with every index", function()
        local seen = {}
        for i, j, v in rill.iota({2, 3}):each() do
            seen[#seen + 1] = {i, j, v}
        end
        assert.same({{1, 1, 0}, {1, 2, 1}, {1, 3, 2}, {2, 1, 3}, {2, 2, 4}, {2, 3, 5}}, seen)
        seen = {}
        for i, v in pairs(rill.iota(3)) do
            seen[i] = v
        end
        assert.same({0, 1, 2}, seen)
        seen = {}
        for i, row in ipairs(rill.iota {3, 2}) do
            seen[i] = row:values()
        end
        assert.same({{0, 1}, {2, 3}, {4, 5}}, seen)
    end)

    it("read large streams and views in blocks", function()
        local n, sum = 100003, 0
        for i, v in rill.iota(n):each() do
            assert(v == i - 1)
            sum = sum + v
        end
        assert.equal(n * (n - 1) // 2, sum)
        local count = 0
        for i, j, v in rill.iota({300, 200}):transpose():each() do
            assert(v == (j - 1) * 200 + i - 1)
            count = count + 1
        end
        assert.equal(60000, count)
    end)

    it("can be left, and leave nothing behind", function()
        local before = leaks.snapshot()
        for _, j in rill.iota({100, 100}):transpose():each() do
            if j == 3 then
                break
            end
        end
        assert.same(before, leaks.snapshot())
    end)

    it("stop with an error when the stream is closed meanwhile, or go on with what they hold", function()
        local s = rill.iota(100000)
        local good, message = pcall(function()
            for i in s:each() do
                if i == 1 then
                    s:close()
                end
            end
        end)
        assert.is_true(good or message:find "closed" ~= nil)
    end)
end)
