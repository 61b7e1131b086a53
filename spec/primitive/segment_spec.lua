local rill = require "rill"
local check = require "spec.support.check"
local fitting = require "spec.support.fitting"
local leaks = require "spec.support.leaks"

local SIZES <const> = fitting {0, 1, 2, 31, 32, 33, 257, 1024, 1025, 4097, 20011}
local INF <const> = math.huge

local kernels = {}
local function kernel(text)
    kernels[text] = kernels[text] or rill.kernel(text)
    return kernels[text]
end

local LAST <const> = "reduce void last(int x<>, reduce int r<>) { r = x; }"
-- Base 7 digits appended: associative on pairs of (value, 7^length), and the order matters.
local DIGITS <const> = "reduce void digits(uvec2 x<>, reduce uvec2 r<>) { r = uvec2(r.x * x.y + x.x, r.y * x.y); }"

local operators = {
    add = {function(a, b) return a + b end, 0}, mul = {function(a, b) return a * b end, 1},
    min = {math.min, 2147483647}, max = {math.max, -2147483648},
    ["and"] = {function(a, b) return a & b end, -1}, ["or"] = {function(a, b) return a | b end, 0},
    xor = {function(a, b) return a ~ b end, 0},
}

local function wrap(value)
    value = value & 0xffffffff
    return value >= 1 << 31 and value - (1 << 32) or value
end

-- Lengths of segments of a list of `size` elements: about one in `average` starts one; some are empty with `holes`.
local function random_lengths(size, average, holes)
    local lengths, left = {}, size
    while left > 0 do
        local n = math.min(left, average == 1 and 1 or math.random(1, 2 * average - 1))
        lengths[#lengths + 1], left = n, left - n
        if holes and math.random(3) == 1 then
            lengths[#lengths + 1] = 0
        end
    end
    return lengths
end

local function flags_of(size, lengths)
    local flags, at = {}, 1
    for i = 1, size do
        flags[i] = false
    end
    for _, n in ipairs(lengths) do
        if n > 0 then
            flags[at] = true
            at = at + n
        end
    end
    return flags
end

-- Returns one value per segment; f is the operator, `none` the value of an empty segment.
local function reduced(list, lengths, f, none)
    local result, at = {}, 1
    for s, n in ipairs(lengths) do
        local acc = none
        for i = at, at + n - 1 do
            acc = i == at and list[i] or f(acc, list[i])
        end
        result[s], at = acc, at + n
    end
    return result
end

-- A scan of every segment.
local function scanned(list, lengths, f, none, options)
    local result, at = {}, 1
    for _, n in ipairs(lengths) do
        local from, to, step = at, at + n - 1, 1
        if options.reverse then
            from, to, step = to, from, -1
        end
        local acc
        for i = from, to, step do
            local before = acc
            acc = i == from and list[i] or f(acc, list[i])
            result[i] = options.exclusive and (i == from and none or before) or acc
        end
        at = at + n
    end
    return result
end

local function uints(list)
    return rill.stream("uint", #list, list)
end

describe("segments", function()
    leaks.watch(setup, teardown)

    -- `every`: by every operator, and scans in every way.
    local function compare(size, every)
        math.randomseed(size)
        local s = rill.random(size, {seed = size, type = "int", low = -99, high = 99})
        local list, before = s:values(), s:bytes()
        for _, average in ipairs {1, 7, 300, 1 << 30} do
            local lengths = random_lengths(size, average)
            local flags = rill.stream("bool", size, flags_of(size, lengths))
            for name, row in pairs(every and average == 7 and operators or {add = operators.add}) do
                local f = function(a, b) return wrap(row[1](a, b)) end
                local expected = reduced(list, lengths, f, row[2])
                check.equal(expected, rill.segmented_reduce(s, flags, name):values())
                check.equal(expected, rill.segmented_reduce(s, uints(lengths), name):values())
            end
            for k = 0, 3, every and 1 or 3 do
                local options = {exclusive = k % 2 == 1, reverse = k > 1}
                local expected = scanned(list, lengths, operators.add[1], 0, options)
                for i, segments in ipairs {flags, lengths} do
                    options.segments = segments
                    if every or (i == 1) == (k == 0) then
                        check.equal(expected, s:scan("add", options):values())
                    end
                end
            end
            if every then
                check.equal(reduced(list, lengths, function(_, b) return b end),
                    rill.segmented_reduce(s, flags, kernel(LAST)):values())
            end
        end
        assert.equal(before, s:bytes())
    end

    for _, size in ipairs(SIZES) do
        it(("of %d elements"):format(size), function() compare(size, false) end)

        it(("of %d elements, by every operator #long"):format(size), function() compare(size, true) end)
    end

    local function compare_empty(chosen)
        math.randomseed(5)
        for _, size in ipairs {0, 1, 50, 3000} do
            local s = rill.random(size, {seed = 1, type = "int", low = -99, high = 99})
            local lengths = random_lengths(size, 5, true)
            table.insert(lengths, 1, 0)
            for name, row in pairs(chosen) do
                local f = function(a, b) return wrap(row[1](a, b)) end
                check.equal(reduced(s:values(), lengths, f, row[2]), rill.segmented_reduce(s, lengths, name):values())
            end
            check.equal(scanned(s:values(), lengths, math.max, 0, {}), s:scan("max", {segments = lengths}):values())
            check.raises("last: a segment has no elements", rill.segmented_reduce, s, lengths, kernel(LAST))
        end
    end

    it("without elements have the neutral element, of every operator #long", function() compare_empty(operators) end)

    it("without elements have the neutral element", function()
        compare_empty {min = operators.min}
        local f = rill.from {3, 1, 2}
        assert.same({INF, 1.0, INF, 2.0}, rill.segmented_reduce(f, {0, 2, 0, 1}, "min"):values())
        assert.same({0.0, 0.0}, rill.segmented_reduce(rill.stream("float", 0), {0, 0}):values())
        local b = rill.from {true, false, true}
        assert.same({true, false, true}, rill.segmented_reduce(b, {0, 2, 1}, "and"):values())
    end)

    it("combined in order by operators that are not commutative", function()
        for _, size in ipairs(fitting {5, 300, 10000}) do
            local list = {}
            for i = 1, size do
                list[i] = {i * 31 % 7, 7}
            end
            local s = rill.stream("uvec2", size, list)
            local lengths = random_lengths(size, 40)
            local expected = {}
            for i, pair in ipairs(reduced(list, lengths, function(a, b)
                return {a[1] * b[2] + b[1] & 0xffffffff, a[2] * b[2] & 0xffffffff}
            end)) do
                expected[2 * i - 1], expected[2 * i] = pair[1], pair[2]
            end
            check.equal(expected, rill.segmented_reduce(s, lengths, kernel(DIGITS)):values())
        end
    end)

    it("of vectors #long", function()
        local v = rill.random(100, {seed = 3, type = "vec3"})
        local got = rill.segmented_reduce(v, {60, 40}, "max"):read()
        assert.same({v:domain(1, 60):max(), v:domain(61, 100):max()}, got)
    end)

    it("of floats and several dimensions", function()
        math.randomseed(8)
        local s = rill.random(9000, {seed = 2, low = -1, high = 1})
        local lengths = random_lengths(9000, 100)
        check.equal(reduced(s:values(), lengths, operators.add[1]), rill.segmented_reduce(s, lengths):values(), 1e-5)
        check.equal(scanned(s:values(), lengths, operators.add[1], 0, {}),
            s:scan("add", {segments = lengths}):values(), 1e-5)
        local m = rill.iota {4, 6}
        assert.same({15, 63, 198}, rill.segmented_reduce(m, {6, 7, 11}):values())
        local flags = m:map("x % 4 == 0 ? 1 : 0"):cast "bool"
        local rows = m:scan("add", {segments = rill.stream("bool", {4, 6}, function(_, j) return j == 5 end), axis = 2})
        check.equal({0, 1, 3, 6, 4, 9, 6, 13, 21, 30, 10, 21, 12, 25, 39, 54, 16, 33, 18, 37, 57, 78, 22, 45},
            rows:values())
        assert.same({4, 6}, m:scan("add", {segments = flags}).shape)
    end)

    it("one huge, or a million of one element #slow", function()
        local n <const> = 1 << 20
        local ones = rill.stream("int", n, 1)
        local one, all = rill.stream("uint", 1, n), rill.stream("uint", n, 1)
        assert.same({n}, rill.segmented_reduce(ones, one):values())
        local each = rill.segmented_reduce(ones, all)
        assert.same({n, 1, 1}, {each.size, each:min(), each:max()})
        assert.equal(n, ones:scan("add", {segments = one})[n])
        assert.equal(1, ones:scan("add", {segments = all}):max())
        local keys, sums = rill.reduce_by_key(rill.iota(n), ones)
        assert.same({n, n}, {keys.size, sums:sum()})
    end)

    it("are the same bits on every run", function()
        local s = rill.random(30000, {seed = 4, low = -1, high = 1})
        local flags = rill.random(30000, {seed = 5}):map("x < 0.01 ? 1.0 : 0.0"):cast "bool"
        local first = rill.segmented_reduce(s, flags):bytes()
        for _ = 1, 10 do
            assert.is_true(first == rill.segmented_reduce(s, flags):bytes())
        end
    end)

    it("that do not cover the stream, and other errors", function()
        local s = rill.iota(10)
        check.raises("rill.segmented_reduce: the segments' lengths add up to 9, but the stream has 10 elements",
            rill.segmented_reduce, s, {4, 5})
        check.raises("s:scan: the segments' lengths add up to 11, but the stream has 10 elements", s.scan, s, "add",
            {segments = {4, 7}})
        check.raises("a segment has the length %-1", rill.segmented_reduce, s, {11, -1})
        check.raises("the flags of 'segments' have shape 9, the stream has 10", rill.segmented_reduce, s,
            rill.stream("bool", 9))
        check.raises("argument #2 'segments': expected a bool stream .* got stream<float>", rill.segmented_reduce, s,
            rill.stream("float", 10))
        check.raises("argument #3 'op': unknown operator 'mean'", rill.segmented_reduce, s, {10}, "mean")
        check.raises("argument #1 'values'", rill.segmented_reduce, 3, {10})
        check.raises("no 'or'", rill.segmented_reduce, rill.stream("float", 1), {1}, "or")
    end)
end)

describe("reduce_by_key", function()
    leaks.watch(setup, teardown)

    -- Keys and values of runs, by a plain loop.
    local function by_key(keys, values, f)
        local k, v = {}, {}
        for i = 1, #keys do
            if i > 1 and keys[i] == keys[i - 1] then
                v[#v] = f(v[#v], values[i])
            else
                k[#k + 1], v[#v + 1] = keys[i], values[i]
            end
        end
        return k, v
    end

    local function compare_keys(size, name)
        local values = rill.random(size, {seed = 1, type = "int", low = -99, high = 99})
        for _, kinds in ipairs {1, 2, 50, 1 << 20} do
            local keys = rill.random(size, {seed = 2, type = "int", low = 1, high = kinds})
            for _, sorted in ipairs {false, true} do
                local list = keys:values()
                if sorted then
                    table.sort(list)
                end
                local k = rill.stream("int", size, list)
                local wanted, expected = by_key(list, values:values(), operators[name][1])
                local got, reduced_values = rill.reduce_by_key(k, values, name)
                check.equal(wanted, got:values())
                check.equal(expected, reduced_values:values())
            end
        end
    end

    for _, size in ipairs(SIZES) do
        it(("of %d elements"):format(size), function() compare_keys(size, "add") end)

        it(("of %d elements, by max #long"):format(size), function() compare_keys(size, "max") end)
    end

    local function compare_types(...)
        for _, name in ipairs {...} do
            local keys = rill.iota(1000):map("x / 7"):cast(name)
            local wanted, expected = by_key(keys:values(), rill.iota(1000):values(), operators.add[1])
            local k, v = rill.reduce_by_key(keys, rill.iota(1000))
            assert.equal(name, k.type)
            check.equal(wanted, k:values())
            check.equal(expected, v:values())
        end
    end

    it("of keys of other types #long", function() compare_types("uint8", "half", "uint", "int16") end)

    it("of keys and values of any types", function()
        compare_types "double"
        local keys = rill.stream("ivec2", 6, {{1, 2}, {1, 2}, {1, 3}, {2, 3}, {2, 3}, {1, 2}})
        local k, v = rill.reduce_by_key(keys, rill.from {1, 2, 3, 4, 5, 6}, "mul")
        assert.same({{1, 2}, {1, 3}, {2, 3}, {1, 2}}, k:read())
        assert.same({2.0, 3.0, 20.0, 6.0}, v:values())
        local Cell = rill.struct("SegmentCell", "int x; float y;")
        local cells = rill.stream(Cell, 5, function(i) return {x = i // 3, y = 1} end)
        k, v = rill.reduce_by_key(cells, rill.iota(5), kernel(LAST))
        assert.same({{x = 0, y = 1.0}, {x = 1, y = 1.0}}, k:read())
        assert.same({1, 4}, v:values())
    end)

    local function compare_wide(...)
        local program = rill.program [[
            struct WideKey { vec4 a; int n; double d; };
            struct ThinKey { float a; };
            kernel void wide(int i<>, out WideKey r<>) {
                r.a = vec4(i / 9); r.n = i / 9 % 5; r.d = 0.0lf;
            }
            kernel void thin(int i<>, out ThinKey r<>) { r.a = float(i / 9); }
            kernel void four(int i<>, out dvec4 r<>) { r = dvec4(double(i / 9), 1.0lf, 2.0lf, 3.0lf); }
            kernel void three(int i<>, out dvec3 r<>) { r = dvec3(1.0lf, double(i), 2.0lf); }
        ]]
        for _, size in ipairs(fitting {4096, 4097, 10007}) do
            local count, sums = (size + 8) // 9, {}
            for k = 1, count do
                local first, last = 9 * (k - 1), math.min(9 * k, size) - 1
                sums[k] = {last - first + 1.0, (first + last) * (last - first + 1) / 2, 2.0 * (last - first + 1)}
            end
            for _, name in ipairs {...} do
                local numbers <close> = rill.iota(size)
                local keys <close> = program[name](numbers)
                local k, v = rill.reduce_by_key(keys, program.three(numbers))
                assert.equal(count, k.size)
                assert(program[name](rill.iota(count):map "x * 9"):bytes() == k:bytes())
                assert.same(sums, v:read())
            end
        end
    end

    it("of wide keys and wide values, about one level of the scan and far beyond #doubles", function()
        compare_wide "wide"
    end)

    it("of thin and of four keys and wide values #doubles #long", function() compare_wide("thin", "four") end)

    it("take flags, lengths and values that are expressions", function()
        local s = rill.iota(5)
        check.equal({0, 1, 3, 3, 4}, s:scan("add", {segments = s:gt(2)}):values())
        check.equal({0, 2, 4, 10, 18}, (s * 2):scan("add", {segments = rill.from({2, 3}, "int") + 0}):values())
        check.equal({3, 3, 4}, rill.segmented_reduce(s, s:gt(2)):values())
        check.equal({2, 18}, rill.segmented_reduce(s * 2, rill.from({2, 3}, "int") + 0):values())
        check.raises("a bool stream", rill.segmented_reduce, s, s * 0.5)
    end)

    local function compare_counted(every)
        for _, size in ipairs(fitting {0, 1, 300, 5000, 70000}) do
            local function counted()
                return rill.reduce_by_key(rill.iota(size):map("x / 10"), rill.stream("int", size, 1))
            end
            local k, v = counted()
            local expected = {}
            for i = 1, (size + 9) // 10 do
                expected[i] = math.min(10 * i, size)
            end
            check.equal(expected, v:scan():values())
            local again, total = rill.reduce_by_key(k:map("x / 100"), v)
            local settled, sums = rill.reduce_by_key(rill.iota(size):map("x / 1000"), rill.stream("int", size, 1))
            check.equal(settled:values(), again:values())
            check.equal(sums:values(), total:values())
            if every then
                k, v = counted()
                check.equal(expected, v:map("x * 2"):scan("add", {axis = 1}):map("x / 2"):values())
                check.equal(k:values(), k:scan("max"):values())
            end
            v = select(2, counted())
            assert.equal(size, v:scan("add", {reverse = true}):values()[1] or 0)
        end
    end

    it("and scans take streams whose length only the device knows", function() compare_counted(false) end)

    it("and scans in every way take streams whose length only the device knows #long", function()
        compare_counted(true)
    end)

    it("rejects keys and values of different length", function()
        check.raises("rill.reduce_by_key: the keys have shape 3, the values 4", rill.reduce_by_key, rill.iota(3),
            rill.iota(4))
        check.raises("unknown operator", rill.reduce_by_key, rill.iota(3), rill.iota(3), "first")
        check.raises("has no 'xor'", rill.reduce_by_key, rill.iota(3), rill.stream("vec2", 3), "xor")
    end)
end)
