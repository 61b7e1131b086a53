local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

describe("rill.iota", function()
    leaks.watch(setup, teardown)

    it("counts from 0 in memory of its own", function()
        local s = rill.iota {2, 3}
        assert.equal("int", s.type)
        assert.same({{0, 1, 2}, {3, 4, 5}}, s:read())
        s[1] = 7
        assert.equal(7, s:get(1, 2))
        assert.equal(0, rill.iota(0).size)
    end)
end)

describe("rill.iter", function()
    leaks.watch(setup, teardown)

    it("is a linear ramp that leaves its end out", function()
        local s = rill.iter("float", 5, 0, 1)
        for i = 1, 5 do
            assert.equal(check.float32(check.float32(0.2) * (i - 1)), s[i])
        end
        assert.same({{0.0, 1.0}, {2.0, 3.0}}, rill.iter("float", {2, 2}, 0, 4):read())
        assert.same({10, 8, 6}, rill.iter("int", 3, 10, 4):values())
        assert.equal(0, rill.iter("float", 0, 0, 1).size)
    end)

    it("of a vector: x runs along the fastest dimension", function()
        assert.same({{{0.0, 0.0}, {1.0, 0.0}}, {{0.0, 5.0}, {1.0, 5.0}}},
            rill.iter("vec2", {2, 2}, 0, {2, 10}):read())
        assert.same({{0.0, 10.0}, {1.0, 11.0}}, rill.iter("vec2", 2, {0, 10}, {2, 12}):read())
    end)

    it("takes no memory, whatever its size", function()
        collectgarbage()
        local before = rill.memory().bytes
        local s = rill.iter("float", 1 << 30, 0, 1)
        assert.equal(before, rill.memory().bytes)
        assert.equal(0.5, s[(1 << 29) + 1])
    end)

    it("has views", function()
        assert.same({0, 0, 3, 3, 0, 0, 3, 3}, rill.iter("int", 2, 0, 6):replicate(2):tile(2):values())
        assert.same({1.0, 3.0}, rill.iter("float", 5, 0, 5):domain(2, 5):stride(2):values())
        assert.same({{0.0, 2.0}, {1.0, 3.0}}, rill.iter("float", {2, 2}, 0, 4):transpose():read())
    end)

    it("is read in every way and written in none", function()
        local s = rill.iter("float", 5, 0, 1)
        local values = {}
        for i, v in s:each() do
            values[i] = v
        end
        check.equal(s:values(), values)
        check.equal(s:values(), s:request():values())
        local map <close> = s:map_cpu {lazy = true}
        assert.equal(values[2], map[2])
        check.raises("cannot be written", function() map[1] = 1 end)
        check.raises("cannot be written", s.set, s, 1, 1)
        check.raises("cannot be written", s.fill, s, 1)
        check.raises("cannot be written", s.write, s, {1})
        local copy = s:copy()
        copy[1] = 9
        assert.equal(9.0, copy[1])
        assert.equal(0.0, s[1])
    end)

    it("is of 32-bit numbers, in whole steps for integers", function()
        check.raises("not a whole number", rill.iter, "int", 3, 0, 1)
        check.raises("does not fit uint", rill.iter, "uint", 3, -3, 0)
        check.raises("an iterator stream must be of", rill.iter, "half", 3, 0, 1)
    end)
end)
