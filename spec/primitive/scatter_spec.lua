-- rill.scatter against plain loops.
local rill = require "rill"
local check = require "spec.support.check"
local fitting = require "spec.support.fitting"
local indices = require "spec.support.indices"
local integers = require "spec.support.integers"
local leaks = require "spec.support.leaks"

local sizes = {0, 1, 31, 33, 256, 1025}

-- Returns a flat list after a loop in index order. `combine` nil: set.
local function scattered(dst, at, src, combine)
    local result = table.move(dst, 1, #dst, 1, {})
    for i, k in ipairs(at) do
        if result[k + 1] ~= nil then
            result[k + 1] = combine and combine(result[k + 1], src[i]) or src[i]
        end
    end
    return result
end

describe("scatter", function()
    leaks.watch(setup, teardown)

    it("sets: the last element in index order remains", function()
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

    local function set_types(...)
        local at = rill.from({2, 0, 2, 9, -1}, "int")
        for _, type in ipairs {...} do
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
    end

    it("sets elements of any type", function() set_types("half", "uint8", "dvec4", "bool") end)

    it("sets elements of other types #long", function() set_types("float", "int16", "double", "vec3", "unorm8x4") end)

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
        expected = scattered(order, order, order, integers.operators.add)
        rill.scatter(t, t, t, "add")
        check.equal(expected, t:values())
    end)

    local function combine_whole(names, lengths)
        for _, name in ipairs(names) do
            local combine = integers.operators[name]
            for _, size in ipairs(lengths) do
                for _, n in ipairs {1, 13, 2000} do
                    local at, src, dst = indices(size, n + 2, size), indices(size, 1 << 15, 77), indices(n, 1 << 15, 3)
                    for i = 1, size do
                        src[i] = integers.wrap(src[i] * 2654435761)
                    end
                    local to = rill.from(dst, "int")
                    if size > 0 then
                        rill.scatter(to, rill.from(at, "int"), rill.from(src, "int"), name)
                    end
                    check.equal(scattered(dst, at, src, combine), to:values())
                end
            end
        end
    end

    it("combines whole numbers by every operator #long", function()
        combine_whole({"min", "max", "and", "or", "mul"}, sizes)
    end)

    it("combines whole numbers", function()
        combine_whole({"add", "xor"}, sizes)
        local u = rill.from({4000000000, 5}, "uint")
        rill.scatter(u, rill.from({0, 0, 1}, "int"), rill.from({5, 3000000000, 7}, "uint"), "max")
        check.equal({4000000000, 7}, u:values())
    end)
end)

-- Returns exact sums of floats, and their tolerances for any order of addition.
local function exact_sums(dst, at, src)
    local sums, magnitudes = {}, {}
    for i, x in ipairs(dst) do
        sums[i], magnitudes[i] = x, math.abs(x)
    end
    for i, k in ipairs(at) do
        if sums[k + 1] then
            sums[k + 1] = sums[k + 1] + src[i]
            magnitudes[k + 1] = magnitudes[k + 1] + math.abs(src[i])
        end
    end
    return sums, magnitudes
end

describe("scatter in index order", function()
    leaks.watch(setup, teardown)

    local function assert_sums(lengths, counts, ...)
        for _, size in ipairs(fitting(lengths)) do
            for _, n in ipairs(counts) do
                local at = indices(size, n + 1, size)
                local index = size > 0 and rill.from(at, "int") or rill.stream("int", 0)
                local src = rill.random(size, {seed = 4, low = -1, high = 1})
                for _, type in ipairs {...} do
                    local dst = rill.random(n, {seed = 5, type = type})
                    local sums, magnitudes = exact_sums(dst:values(), at, src:values())
                    rill.scatter(dst, index, src, "add")
                    for k, got in ipairs(dst:values()) do
                        assert.is_true(math.abs(got - sums[k]) <= 1e-6 * magnitudes[k] + 1e-30)
                    end
                end
            end
        end
    end

    it("adds floats #tables", function() assert_sums({0, 33, 20000}, {10}, "float") end)

    it("adds floats and doubles, any number to any #tables #long", function()
        assert_sums({0, 1, 33, 1025, 20000}, {1, 10, 3000}, "float", "double")
    end)

    it("accepts expressions, and makes expressions that read the written stream stale", function()
        local s, i, d = rill.from {1, 2, 3, 4}, rill.from({3, 0}, "int"), rill.stream("float", 4)
        check.equal({6, 4}, rill.gather(s * 2, (i + 1) // 2 + 1 - i // 3):values())
        for _, op in ipairs {"set", "add"} do
            local old = d + 1
            rill.scatter(d, i + 0, s:domain(1, 2) * 10, op)
            check.raises("eval", old.eval, old)
        end
        check.equal({40, 0, 0, 20}, d:values())
        local old = s + 1
        rill.gather_op(rill.stream("float", 2), i, s, "add")
        check.raises("eval", old.eval, old)
        check.equal({2, 2, 3, 8}, s:values())
        check.raises("rill.scatter", rill.scatter, s * 2, i, 1)
    end)

    it("adds many elements to few destinations, through views and with indices of any type #tables", function()
        local n = 6000
        local at = rill.iota(n):map "x * 7 % 23 - 2"
        local src, flat, outside = rill.iota(n):cast "float", {}, 0
        for c = 1, 20 do flat[c] = 100.0 end
        for i = 0, n - 1 do
            local c = i * 7 % 23 - 1
            if flat[c] then flat[c] = flat[c] + i else outside = outside + 1 end
        end
        for _, type in ipairs {"int", "float"} do
            local whole = rill.stream("float", {20, 2}, 100)
            rill.scatter(whole:domain({1, 2}, {20, 2}):reshape(20), at:cast(type), src, "add")
            check.equal(flat, whole:domain({1, 2}, {20, 2}):values())
            assert.equal(2000, whole:domain({1, 1}, {20, 1}):sum())
        end
        local grid = rill.stream("double", {4, 5}, 100)
        local corners = rill.kernel [[
            kernel void f(int x<>, out ivec2 r<>) { r = x < 0 ? ivec2(-1) : ivec2(x % 5, x / 5); } ]]
        rill.scatter(grid, corners(at), src, "add")
        check.equal(flat, grid:values())
        rill.check(true)
        local _, message = pcall(rill.scatter, grid, at, src, "add")
        rill.check(false)
        assert.truthy(message:find(outside .. " of 6000 indices are out of range", 1, true), message)
    end)

    it("gives the same bits 200 times #tables", function()
        local n = 5000
        for _, cells in ipairs {1, 7, 1000} do
            local index = rill.from(indices(n, cells, 3), "int")
            local src = rill.random(n, {seed = 9, low = -1e6, high = 1e6})
            local first = rill.scatter(rill.stream("float", cells), index, src, "add"):bytes()
            for _ = 1, cells == 7 and 200 or 5 do
                assert.equal(first, rill.scatter(rill.stream("float", cells), index, src, "add"):bytes())
            end
        end
    end)

    -- Operators over vectors of two and over the types.
    local function compare(ops, types)
        local at = {3, 0, 3, 9, -1, 3, 1}
        local index, src = rill.from(at, "int"), rill.from {2, -3, 0.5, 100, 100, -4, 7}
        local twice = rill.kernel "kernel void twice(float x<>, out vec2 r<>) { r = vec2(x); }"
        for name, op in pairs(ops) do
            local start = {1, 2, 3, 4}
            for _, type in ipairs(types) do
                local numbers = rill.scatter(rill.from(start, type), index, src, name)
                check.equal(scattered(start, at, src:values(), op), numbers:values())
            end
            local vectors = rill.stream("vec2", 4, {1, 5, 2, 6, 3, 7, 4, 8})
            local expected = {}
            local x = scattered({1, 2, 3, 4}, at, src:values(), op)
            local y = scattered({5, 6, 7, 8}, at, src:values(), op)
            for k = 1, 4 do
                expected[2 * k - 1], expected[2 * k] = x[k], y[k]
            end
            check.equal(expected, rill.scatter(vectors, index, twice(src), name):values())
        end
    end

    it("with every operator over floats, vectors and packed types #long", function()
        compare({
            add = function(a, b) return a + b end, mul = function(a, b) return a * b end,
            min = math.min, max = math.max,
        }, {"float", "half"})
        local flags = rill.from {true, true, false, false}
        rill.scatter(flags, rill.from({0, 1, 2, 2}, "int"), rill.from {true, false, true, true}, "xor")
        check.equal({false, true, false, false}, flags:values())
        local pairs_ = rill.stream("ivec2", 2, {1, 2, 3, 4})
        rill.scatter(pairs_, rill.from({1, 1}, "int"), {5, 6}, "add")
        check.equal({1, 2, 13, 16}, pairs_:values())
    end)

    it("of packed types", function()
        local bytes = rill.from({250, 1, 0, 7}, "uint8")
        rill.scatter(bytes, rill.from({0, 0, 2, 3}, "int"), rill.from({3, 1, 9, 1}, "uint"), "add")
        check.equal({254, 1, 9, 8}, bytes:values())
    end)

    local function compose_maps(lengths, counts)
        -- Affine maps under composition: associative, not commutative.
        local compose = rill.kernel [[
            reduce void compose(int2 f<>, reduce int2 r<>) { r = int2(f.x * r.x, f.x * r.y + f.y); }
        ]]
        for _, size in ipairs(fitting(lengths)) do
            for _, n in ipairs(counts) do
                local at, a, b = indices(size, n, 7), indices(size, 9, 2), indices(size, 100, 3)
                local maps, state = {}, {}
                for i = 1, size do
                    maps[i] = {a[i] - 4, b[i]}
                end
                for k = 1, n do
                    state[k] = {1, k}
                end
                local dst = rill.from(state, "ivec2")
                for i, k in ipairs(at) do
                    local s, f = state[k + 1], maps[i]
                    state[k + 1] = {integers.wrap(f[1] * s[1]), integers.wrap(f[1] * s[2] + f[2])}
                end
                rill.scatter(dst, rill.from(at, "int"), rill.from(maps, "ivec2"), compose)
                local expected = {}
                for k = 1, n do
                    expected[2 * k - 1], expected[2 * k] = state[k][1], state[k][2]
                end
                check.equal(expected, dst:values())
            end
        end
    end

    it("with reduce kernels that are not commutative", function() compose_maps({31, 6000}, {400}) end)

    it("with reduce kernels that are not commutative, of any length #long", function()
        compose_maps({1, 31, 1025, 6000}, {1, 3, 400})
    end)

    it("of structures", function()
        local Best = rill.struct("Best", "float cost; int who;")
        local cheaper = rill.kernel [[
            struct Best { float cost; int who; };
            reduce void cheaper(Best x<>, reduce Best r<>) { if (x.cost < r.cost) r = x; }
        ]]
        local dst = rill.stream(Best, 3, {cost = 50, who = -1})
        local src = rill.stream(Best, 5, function(i) return {cost = ({9, 70, 4, 9, 4})[i], who = i} end)
        rill.scatter(dst, rill.from({1, 2, 1, 0, 1}, "int"), src, cheaper)
        assert.same({{cost = 9.0, who = 4}, {cost = 4.0, who = 3}, {cost = 50.0, who = -1}}, dst:read())
    end)

    it("with the same index for all elements #slow", function()
        local n = 1 << 20
        local zeros, ones = rill.stream("int", n), rill.stream("float", n, 1)
        local dst = rill.stream("float", 4)
        rill.scatter(dst, zeros, ones, "add")
        check.equal({n, 0, 0, 0}, dst:values())
        rill.scatter(dst, zeros, rill.iota(n):cast "float")
        assert.equal(n - 1.0, dst[1])
    end)

    -- Lanes have more elements than one dispatch allows. Streams that begin within a texel are read word by word.
    it("adds runs of any length to many destinations #long", function()
        local n, places = (1 << 22) + 5, 1 << 18
        local at, src = rill.iota(n):map "int(uint(x) * 2654435761u >> 14)", rill.iota(n):map "x & 7":cast "float"
        for first = 1, 2 do
            local expected, dst = {}, rill.stream("float", places)
            for c = 1, places do expected[c] = 0.0 end
            for i = first - 1, n - 1 do
                local c = ((i * 2654435761 & 0xffffffff) >> 14) + 1
                expected[c] = expected[c] + (i & 7)
            end
            rill.scatter(dst, at:domain({first}, {n}), src:domain({first}, {n}), "add")
            assert.is_true(table.concat(expected, " ") == table.concat(dst:values(), " "))
        end
    end)

    it("reports indices out of range under rill.check", function()
        local dst = rill.stream("float", 3)
        rill.check(true)
        local messages = {}
        for _, op in ipairs {"set", "add"} do
            local _, message = pcall(rill.scatter, dst, rill.from({1, 3, -1, 2}, "int"), 5, op)
            messages[#messages + 1] = message
        end
        local whole = rill.stream("int", 3)
        messages[3] = select(2, pcall(rill.scatter, whole, rill.from({1, 3, -1, 2}, "int"), 5, "add"))
        local good = pcall(rill.scatter, dst, rill.from({1, 2}, "int"), 5)
        rill.check(false)
        local expected = "rill.scatter: argument #2 'index': 2 of 4 indices are out of range of a stream of shape 3"
        for _, message in ipairs(messages) do
            assert.truthy(message:find(expected, 1, true))
        end
        assert.is_true(good)
        check.equal({0, 5, 5}, whole:values())
    end)

    it("rejects invalid arguments", function()
        local d, i = rill.stream("float", 3), rill.from({1, 2}, "int")
        check.raises("argument #4 'op': expected \"set\", .*got string \"sum\"", rill.scatter, d, i, 1, "sum")
        check.raises("rill.scatter: argument #4 'op'", rill.scatter, d, i, 1, 7)
        check.raises("rill.scatter_op: argument #4 'op'", rill.scatter_op, d, i, 1)
        check.raises("the shapes of 'index' %(2%) and 'src' %(3%) differ", rill.scatter, d, i, rill.stream("float", 3))
        check.raises("rill.scatter: elements of 'src' %(vec2%)", rill.scatter, d, i, rill.stream("vec2", 2))
        check.raises("rill.scatter: argument #3 'src'", rill.scatter, d, i, {1, 2, 3})
        check.raises("rill.scatter: this view cannot be written", rill.scatter, d:tile(2), i, 1)
        check.raises("rill.scatter", rill.scatter, d, i, 1, "xor")
        local plain = rill.kernel "kernel void f(float x<>, out float r<>) { r = x; }"
        check.raises("rill.scatter: argument #4 'op'", rill.scatter, d, i, 1, plain)
        local more = rill.kernel "reduce void f(float a, float x<>, reduce float r<>) { r += a * x; }"
        check.raises("rill.scatter: argument #4 'op': f has arguments besides", rill.scatter, d, i, 1, more)
        local other = rill.kernel "reduce void f(vec2 x<>, reduce vec2 r<>) { r += x; }"
        check.raises("rill.scatter: argument #4 'op': f reduces elements of vec2", rill.scatter, d, i, 1, other)
    end)
end)
