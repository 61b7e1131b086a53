local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local match = require "rill.stream.match"

local LONG <const> = os.getenv "RILL_SUITE_LONG"
local NAN <const> = 0 / 0

-- Values for each type: in a small range, spread over the range of the type, and special ones.
local VALUES <const> = {
    int = {-3, -2, -1, 0, 1, 2, 3, 1 << 30, -(1 << 31), (1 << 31) - 1, 123456789},
    uint = {0, 1, 2, 3, 4, 5, 6, 1 << 30, (1 << 32) - 1, (1 << 31), 123456789},
    uint8 = {0, 1, 2, 3, 254, 255},
    int16 = {-3, -1, 0, 2, 32767, -32768},
    bool = {true, false},
    float = {0, -0.0, 1, 2, 3, -1, 0.5, 1e30, -1e-30, math.huge, -math.huge, NAN, 1 << 30},
    half = {0, 1, 2, 3, 0.5, NAN, 65504},
    double = {0, -0.0, 1, 2, 3, -1, 0.5, 0.1, 2 ^ 52 + 0.5, 1e300, math.huge, NAN, (1 << 32) - 1, 1 << 30, 255},
}
local KINDS <const> = {"int", "uint", "uint8", "int16", "bool", "float", "half", "double"}

-- Returns a stream, often a view, of n random values, and the list of its values.
local function column(kind, n, few)
    local from <const>, list = VALUES[kind], {}
    for i = 1, n do
        list[i] = from[math.random(few and math.min(#from, 7) or #from)]
    end
    local s = rill.from(list, kind)
    s = math.random(3) == 1 and s:flip() or n > 0 and math.random(3) == 1 and s:replicate(2):stride(2) or s
    return s, s:values()
end

-- Returns a key of Lua tables that is equal for equal values.
local function word(v)
    if type(v) == "boolean" then
        v = v and 1 or 0
    end
    return v ~= v and "nan" or v == 0 and "0" or ("%.17g"):format(v)
end

local function row_word(lists, i)
    local words = {}
    for k, list in ipairs(lists) do
        words[k] = word(list[i])
    end
    return table.concat(words, " ")
end

-- Returns lists of streams and of values for a table and for keys with columns of the same or of other types.
local function tables(n, m)
    local t, t_lists, keys, key_lists = {}, {}, {}, {}
    local few <const> = math.random(2) == 1
    for k = 1, math.random(3) do
        local kind <const> = KINDS[math.random(#KINDS)]
        t[k], t_lists[k] = column(kind, n, few)
        keys[k], key_lists[k] = column(math.random(2) == 1 and kind or KINDS[math.random(#KINDS)], m, few)
    end
    return t, t_lists, keys, key_lists
end

local function size(trial)
    return trial % 6 == 0 and math.random(0, 2) or math.random(20)
end

describe("searches of keys", function()
    leaks.watch(setup, teardown)

    it("find equal rows of one to three columns of all types", function()
        math.randomseed(11)
        for trial = 1, LONG and 12 or 4 do
            local n <const>, m <const> = size(trial), size(trial + 1)
            local t, t_lists, keys, key_lists = tables(n, m)
            local rows, repeated = {}, nil
            for i = 1, n do
                local w <const> = row_word(t_lists, i)
                rows[w] = rows[w] or {}
                repeated = repeated or rows[w][1] and i - 1
                table.insert(rows[w], i - 1)
            end
            local found = match.find(keys, t, {repeats = true}):values()
            local order, first, count = match.ranges(keys, t)
            local left, right = match.pairs(order, first, count, true)
            local pairs_left, pairs_right = {}, {}
            for i = 1, m do
                local all <const> = rows[row_word(key_lists, i)]
                assert.equal(all ~= nil, found[i] >= 0)
                if all then
                    assert.equal(all, rows[row_word(t_lists, found[i] + 1)])
                end
                for _, row in ipairs(all or {-1}) do
                    pairs_left[#pairs_left + 1], pairs_right[#pairs_right + 1] = i - 1, row
                end
            end
            check.equal(pairs_left, left:values())
            check.equal(pairs_right, right:values())
            local one, row = match.find(keys, t, {unique = true, missing = n})
            assert.equal(repeated, row)
            if not repeated then
                for i, at in ipairs(one:values()) do
                    assert.equal((rows[row_word(key_lists, i)] or {n})[1], at)
                end
            end
        end
    end)

    it("find rows of large tables", function()
        local n <const> = 50021
        local spread = rill.kernel "kernel int spread(int x<>) { return x * int(2654435769u); }"
        local t <const>, keys <const> = spread(rill.permutation(n, {seed = 1})), spread(rill.iota(n + 10))
        local wanted <const> = rill.iota(n + 10):lt(n)
        for _, way in ipairs {
            {{keys}, {t}}, {{keys:cast "double"}, {t}}, {{keys, (keys * 0.1):eval()}, {t, (t * 0.1):eval()}},
        } do
            local at <const> = match.find(way[1], way[2], {unique = true})
            assert.is_true(at:ge(0):eq(wanted):all())
            assert.is_true(rill.gather(t, rill.max(at, 0):eval()):eq(keys):eq(wanted):all())
        end
    end)
end)

describe("rill.lookup", function()
    leaks.watch(setup, teardown)

    local keys <const> = rill.from({{5, 1}, {9, 2}}, "int")
    local names <const>, values <const> = rill.from({1, 2, 5}, "int"), rill.from {10, 20, 50}

    it("returns values of equal keys in the shape of the keys", function()
        local found <const> = rill.lookup(keys, names, values)
        assert.equal("2x2", tostring(found.shape))
        check.equal({50, 10, NAN, 20}, found:values())
        check.equal({50, 10, -1, 20}, rill.lookup(keys, names, values:cast "int", -1):values())
        check.equal({50, 10, 0.1, 20}, rill.lookup(keys, names, values:cast "double", 0.1):values())
        local pairs_of <const> = rill.from({{1, 2}, {3, 4}, {5, 6}}, "vec2")
        check.equal({5, 6, 1, 2, 7, 8, 3, 4}, rill.lookup(keys, names, pairs_of, {7, 8}):as("float"):values())
        check.equal({0, 0}, rill.lookup(rill.from {1, 2}, rill.zeros(0), rill.zeros(0), 0):values())
        assert.equal(0, rill.lookup(rill.zeros(0), names, values).size)
    end)

    it("names errors", function()
        local whole <const> = values:cast "int"
        check.names({"rill.lookup", "'keys'", "element 3 is 9", "'default'"}, rill.lookup, keys, names, whole)
        check.names({"'table_keys'", "key 2.0 ", "element 3"}, rill.lookup, keys, rill.from {1, 2, 2}, values)
        check.names({"'table_keys'", "key nan", "element 2"}, rill.lookup, keys, rill.from {NAN, NAN, 2e9}, values)
        check.names({"'table_values'", "3 elements", "got 2"}, rill.lookup, keys, names, rill.zeros(2))
        check.names({"'default'", "0.5", "int"}, rill.lookup, keys, names, whole, 0.5)
        check.names({"'table_keys'", "one dimension"}, rill.lookup, keys, keys, values)
        check.names({"'keys'", "vec2"}, rill.lookup, rill.stream("vec2", 2), names, values)
    end)

    it("has a gradient with respect to the values", function()
        local g <const> = rill.grad(function(v) return (rill.lookup(keys, names, v, 3) ^ 2):sum() end)
        check.equal({20, 40, 100}, g(values):values())
    end)
end)

describe("sets", function()
    leaks.watch(setup, teardown)

    it("agree with tables of Lua", function()
        math.randomseed(12)
        for trial = 1, LONG and 12 or 4 do
            local kind <const>, few <const> = KINDS[math.random(#KINDS)], math.random(2) == 1
            local a, a_list = column(kind, size(trial), few)
            local b, b_list = column(kind, size(trial + 1), few)
            local in_a, in_b, inside = {}, {}, {}
            for _, v in ipairs(b_list) do in_b[word(v)] = v end
            for i, v in ipairs(a_list) do in_a[word(v)], inside[i] = v, in_b[word(v)] ~= nil end
            check.equal(inside, a:isin(b):values())
            for _, name in ipairs {"union", "intersect", "difference"} do
                local expected = {}
                for w, v in pairs(in_a) do
                    local keep = name == "union" or (name == "intersect") == (in_b[w] ~= nil)
                    if keep then expected[#expected + 1] = v end
                end
                for w, v in pairs(name == "union" and in_b or {}) do
                    if in_a[w] == nil then expected[#expected + 1] = v end
                end
                table.sort(expected, function(x, y)
                    if type(x) == "boolean" then return not x and y end
                    return x == x and (y ~= y or x < y)
                end)
                check.equal(expected, rill[name](a, b):values())
            end
        end
    end)

    it("take tables of numbers", function()
        check.equal({true, false, true}, rill.from({0.1, 0.2, 3}):isin({0.1, 3}):values())
        check.equal({true, false}, rill.from({255, 0}, "uint8"):isin({255, 300, 0.5}):values())
        check.equal({false, true}, rill.from({math.huge, 2}, "float"):isin({1e300, 2}):values())
        check.equal({false, true}, rill.from({-math.huge, 2}, "half"):isin({-1e6, 2}):values())
        check.equal({true, true}, rill.from({math.huge, 0.1}, "float"):isin({math.huge, 0.1}):values())
        check.equal({false, false}, rill.from({255, 0}, "uint8"):isin({}):values())
        assert.equal("2x1", tostring(rill.zeros {2, 1}:isin({0}).shape))
    end)

    it("name errors", function()
        local s <const> = rill.from {1, 2}
        check.names({"s:isin", "'t'", "got number"}, s.isin, s, 5)
        check.names({"s:isin", "'t'", "table of numbers", '"a"'}, s.isin, s, {"a"})
        check.names({"rill.union", "'b'", "float", "got int", "s:cast"}, rill.union, s, s:cast "int")
        check.names({"rill.intersect", "'b'", "number"}, rill.intersect, s, 2)
        check.names({"rill.difference", "'a'", "vec2"}, rill.difference, rill.stream("vec2", 1), s)
    end)
end)
