-- rill.gather against plain loops.
local rill = require "rill"
local check = require "spec.support.check"
local indices = require "spec.support.indices"
local leaks = require "spec.support.leaks"

local sizes = {0, 1, 31, 33, 256, 1025}

describe("gather", function()
    leaks.watch(setup, teardown)

    it("with every type of index", function()
        for _, size in ipairs(sizes) do
            local src = rill.iota(1000):map "x * 3"
            local at = indices(size, 1000)
            local expected = {}
            for i, k in ipairs(at) do
                expected[i] = 3 * k
            end
            for _, type in ipairs {"int", "uint", "float", "uint16", "int16"} do
                check.equal(expected, rill.gather(src, rill.from(at, type)):values())
            end
        end
        local src = rill.from {10, 20, 30}
        check.equal({10, 10, 20, 20, 30}, rill.gather(src, rill.from {0, 0.9985, 0.9995, 1.5, 2}):values())
        check.equal({10, 30}, rill.gather(src, rill.from({0, 2}, "uint8")):values())
        check.equal({20, 10}, rill.gather(src, rill.from({1.5, 0.25}, "half")):values())
    end)

    it("of one index per dimension, x the fastest", function()
        local m, cube = rill.iota {3, 4}, rill.iota {3, 4, 5}
        check.equal({11, 4, 1}, rill.gather(m, rill.from({{3, 2}, {0, 1}, {1, 0}}, "ivec2")):values())
        check.equal({11, 4, 1}, rill.gather(m, rill.from({{3.5, 2}, {0, 1.9}, {0.9995, 0}}, "vec2")):values())
        check.equal({59, 20, 7}, rill.gather(cube, rill.from({{4, 3, 2}, {0, 0, 1}, {2, 1, 0}}, "uvec3")):values())
        local four = rill.iota {2, 3, 4, 5}
        check.equal({119, 5 + 2}, rill.gather(four, rill.from({{4, 3, 2, 1}, {2, 1, 0, 0}}, "ivec4")):values())
        check.equal({0, 7, 59}, rill.gather(cube, rill.from({0, 7, 59}, "int")):values())
        check.equal({1, 4, 8}, rill.gather(m:transpose(), rill.from({3, 1, 2}, "int")):values())
        local grid = rill.gather(m, rill.from({{1, 2}, {3, 4}, {5, 6}}, "int"))
        assert.equal("3x2", tostring(grid.shape))
        check.equal({1, 2, 3, 4, 5, 6}, grid:values())
    end)

    it("of every type, bit by bit", function()
        local at = rill.from({3, 0, 3, 1}, "int")
        local order = {4, 1, 4, 2}
        local bytes = {half = 2, uint8 = 1, int16 = 2, float = 4, double = 8, vec2 = 8, vec3 = 12, dvec4 = 32,
            unorm8x4 = 4, uint = 4, bool = 4}
        for type, size in pairs(bytes) do
            local parts = {}
            for i = 1, 4 do
                local bits = string.char(17 * i, 255, 200 + i, 127 + i):rep(8):sub(1, size)
                parts[i] = type == "bool" and string.pack("<I4", i % 2) or bits
            end
            local src = rill.stream(type, 4, table.concat(parts))
            local expected = {}
            for i, k in ipairs(order) do
                expected[i] = parts[k]
            end
            local result = rill.gather(src, at)
            assert.equal(type, result.type)
            assert.equal(table.concat(expected), result:bytes())
        end
        local Pair = rill.struct("Pair", "vec3 a; int b;")
        local s = rill.stream(Pair, 4, function(i) return {a = {i, i + 1, i + 2}, b = -i} end)
        assert.same({a = {4.0, 5.0, 6.0}, b = -4}, rill.gather(s, at)[3])
        check.equal({6, 0, 6, 2}, rill.gather(rill.iter("float", 4, 0, 8), at):values())
    end)

    it("out of range reads as a kernel does", function()
        local src = rill.from {10, 20, 30}
        local at = rill.from({-1, 3, 1, -2147483648, 2147483647}, "int")
        check.equal({10, 30, 20, 10, 30}, rill.gather(src, at):values())
        check.equal({30, 10, 20}, rill.gather(src:boundary "wrap", rill.from({-1, 3, 1}, "int")):values())
        check.equal({7.5, 7.5, 20}, rill.gather(src:boundary(7.5), rill.from({-1, 3, 1}, "int")):values())
        check.equal({0, 0}, rill.gather(rill.stream("float", 0), rill.from({0, 5}, "int")):values())
        rill.check(true)
        local good, message = pcall(function() return rill.gather(src, rill.from({1, 3, 2}, "int")):values() end)
        local quiet = rill.gather(src:boundary "wrap", rill.from({-1, 3, 1}, "int")):values()
        rill.check(false)
        assert.is_false(good)
        assert.truthy(message:find "gather: argument 'src': index 3 is out of range 0 .. 2")
        check.equal({30, 10, 20}, quiet)
    end)

    it("rejects invalid indices", function()
        local src = rill.iota {3, 4}
        check.raises("rill.gather: argument #1 'src': expected a stream", rill.gather, 3, src)
        check.raises("rill.gather: argument #2 'index': expected a stream, got nothing", rill.gather, src)
        assert.same({1, 0}, rill.gather(src, {1, 0}):values())
        check.raises("rill.gather: argument #2 'index': ", rill.gather, src, {"a"})
        check.raises("rill.gather: argument #2 'index': ", rill.gather, src, {1.5})
        check.names({"rill.gather", "indices", "double"}, rill.gather, src, rill.stream("double", 3))
        check.names({"rill.gather", "3x4", "ivec3"}, rill.gather, src, rill.stream("ivec3", 3))
        check.names({"rill.gather", "bool"}, rill.gather, src, rill.stream("bool", 3))
        check.names({"rill.gather", "ivec2"}, rill.gather, rill.iota(5), rill.stream("ivec2", 3))
        check.raises("at most 2", rill.gather, src, rill.iota(2), 3)
    end)
end)
