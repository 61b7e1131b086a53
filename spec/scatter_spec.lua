-- rill.gather, rill.scatter and rill.gather_op against plain loops.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local sizes = {0, 1, 31, 33, 256, 1025}

-- Indices from 0 below n, pseudo-random, as a table.
local function indices(count, n, seed)
    local list, state = {}, seed or 1
    for i = 1, count do
        state = (state * 1103515245 + 12345) % 2147483648
        list[i] = state // 65536 % n
    end
    return list
end

describe("gather", function()
    leaks.watch(setup, teardown)

    it("with every kind of index", function()
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

    it("of every type, to the bit", function()
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

    it("refuses what is no index", function()
        local src = rill.iota {3, 4}
        check.raises("rill.gather: argument #1 'src': expected a stream", rill.gather, 3, src)
        check.raises("rill.gather: argument #2 'index': expected a stream", rill.gather, src)
        check.names({"rill.gather", "indices", "double"}, rill.gather, src, rill.stream("double", 3))
        check.names({"rill.gather", "3x4", "ivec3"}, rill.gather, src, rill.stream("ivec3", 3))
        check.names({"rill.gather", "bool"}, rill.gather, src, rill.stream("bool", 3))
        check.names({"rill.gather", "ivec2"}, rill.gather, rill.iota(5), rill.stream("ivec2", 3))
        check.raises("at most 2", rill.gather, src, rill.iota(2), 3)
    end)
end)

-- What a loop in index order leaves of a flat list. `combine` nil: set.
local function scattered(dst, at, src, combine)
    local result = table.move(dst, 1, #dst, 1, {})
    for i, k in ipairs(at) do
        if result[k + 1] ~= nil then
            result[k + 1] = combine and combine(result[k + 1], src[i]) or src[i]
        end
    end
    return result
end

local function wrap(x)
    x = x & 0xffffffff
    return x >= 0x80000000 and x - 0x100000000 or x
end

local integer_ops = {
    add = function(a, b) return wrap(a + b) end,
    mul = function(a, b) return wrap(a * b) end,
    min = math.min,
    max = math.max,
    ["and"] = function(a, b) return wrap(a & b) end,
    ["or"] = function(a, b) return wrap(a | b) end,
    xor = function(a, b) return wrap(a ~ b) end,
}

describe("scatter", function()
    leaks.watch(setup, teardown)

    it("sets: the last in index order stays", function()
        for _, size in ipairs(sizes) do
            for _, n in ipairs {1, 7, 300, 3000} do
                local at, src, dst = indices(size, n + 5), {}, {}
                for i = 1, size do
                    src[i], at[i] = i, at[i] - 2
                end
                for i = 1, n do
                    dst[i] = -i
                end
                local index, from, to = rill.from(at, "int"), rill.from(src, "int"), rill.from(dst, "int")
                if size == 0 then
                    index, from = rill.stream("int", 0), rill.stream("int", 0)
                end
                assert.equal(to, rill.scatter(to, index, from))
                check.equal(scattered(dst, at, src), to:values())
                check.equal(src, from:values())
                check.equal(at, index:values())
            end
        end
    end)

    it("sets elements of every type", function()
        local at = rill.from({2, 0, 2, 9, -1}, "int")
        for _, type in ipairs {"float", "half", "uint8", "int16", "double", "vec3", "dvec4", "unorm8x4", "bool"} do
            local src = rill.stream(type, 5, (rill.stream(type, 5, 0):bytes():gsub("()%z", function(i)
                return type == "bool" and (i % 4 == 1 and "\1" or "\0") or string.char(i % 120)
            end)))
            local dst = rill.stream(type, 4)
            rill.scatter(dst, at, src)
            local bytes, size = src:bytes(), #src:bytes() // 5
            local zero = ("\0"):rep(size)
            local second, third = bytes:sub(size + 1, 2 * size), bytes:sub(2 * size + 1, 3 * size)
            assert.equal(second .. zero .. third .. zero, dst:bytes())
        end
        local Pair = rill.struct("Pair", "vec3 a; int b;")
        local src = rill.stream(Pair, 5, function(i) return {a = {i, i + 1, i + 2}, b = -i} end)
        local dst = rill.stream(Pair, 3)
        rill.scatter(dst, at, src)
        assert.same({a = {3.0, 4.0, 5.0}, b = -3}, dst[3])
        assert.same({a = {2.0, 3.0, 4.0}, b = -2}, dst[1])
        assert.equal(0, dst[2].b)
    end)

    it("takes one index per dimension, views and constants", function()
        local m = rill.stream("int", {3, 4})
        local places = rill.from({{3, 2}, {0, 1}, {4, 0}, {0, 3}, {-1, 0}}, "ivec2")
        rill.scatter(m, places, rill.from({1, 2, 3, 4, 5}, "int"))
        check.equal({0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1}, m:values())
        rill.scatter(m:transpose(), rill.from({1, 3}, "uint"), 7)
        check.equal({0, 7, 0, 0, 7, 0, 0, 0, 0, 0, 0, 1}, m:values())
        rill.scatter(m:domain({2, 2}, {3, 3}), rill.from({0.9995, 3.2}), 9)
        check.equal({0, 7, 0, 0, 7, 0, 9, 0, 0, 0, 9, 1}, m:values())
        rill.scatter(m:transpose(), rill.from({{1, 0}, {1, 0}, {2, 3}}, "vec2"), rill.from({5, 6, 7}, "int"), "add")
        check.equal({0, 7, 0, 0, 18, 0, 9, 0, 0, 0, 9, 8}, m:values())
        local v = rill.stream("vec2", 3)
        rill.scatter(v, rill.from({2}, "int"), {1, 2})
        rill.scatter(v, rill.from({0}, "int"), 3)
        check.equal({3, 3, 0, 0, 1, 2}, v:values())
        local f = rill.stream("float", 3)
        rill.scatter(f, rill.from({1, 2}, "int"), rill.from({4, 5}, "uint8"))
        check.equal({0, 4, 5}, f:values())
        local half = rill.stream("uint8", 3)
        rill.scatter(half, rill.from({1, 2}, "int"), rill.from({260, 5}, "uint"))
        check.equal({0, 4, 5}, half:values())
    end)

    it("reads what it overwrites", function()
        local s = rill.iota(1000)
        local order = indices(1000, 1000, 5)
        local expected = scattered(s:values(), order, s:values())
        rill.scatter(s, rill.from(order, "int"), s)
        check.equal(expected, s:values())
        local t = rill.from(order, "int")
        expected = scattered(order, order, order)
        rill.scatter(t, t, t)
        check.equal(expected, t:values())
        t = rill.from(order, "int")
        expected = scattered(order, order, order, integer_ops.add)
        rill.scatter(t, t, t, "add")
        check.equal(expected, t:values())
    end)

    it("combines whole numbers", function()
        for name, combine in pairs(integer_ops) do
            for _, size in ipairs(sizes) do
                for _, n in ipairs {1, 13, 2000} do
                    local at, src, dst = indices(size, n + 2, size), indices(size, 1 << 15, 77), indices(n, 1 << 15, 3)
                    for i = 1, size do
                        src[i] = wrap(src[i] * 2654435761)
                    end
                    local to = rill.from(dst, "int")
                    if size > 0 then
                        rill.scatter(to, rill.from(at, "int"), rill.from(src, "int"), name)
                    end
                    check.equal(scattered(dst, at, src, combine), to:values())
                end
            end
        end
        local u = rill.from({4000000000, 5}, "uint")
        rill.scatter(u, rill.from({0, 0, 1}, "int"), rill.from({5, 3000000000, 7}, "uint"), "max")
        check.equal({4000000000, 7}, u:values())
    end)
end)
