local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

local RANGES <const> = {
    int = {-(1 << 31), (1 << 31) - 1}, uint = {0, (1 << 32) - 1}, int8 = {-128, 127}, uint8 = {0, 255},
    int16 = {-32768, 32767}, uint16 = {0, 65535},
}
local TYPES <const> = {
    "int", "uint", "float", "double", "bool", "int8", "uint8", "int16", "uint16", "half", "unorm8",
}
local FEW <const> = {"int", "double", "uint8"}
local NAN <const> = 0 / 0
local SPECIAL <const> = {NAN, math.huge, -math.huge, -0.0, 0.0}

local function number(kind, wide)
    local range <const> = RANGES[kind]
    if kind == "bool" then
        return math.random(2) == 1
    elseif kind == "unorm8" then
        return math.random(0, 5) / 255
    elseif not range then
        return SPECIAL[math.random(10)] or math.random(-3, 3) * 0.5
    end
    return wide and range[math.random(4)] or math.random(wide and range[1] or 0, wide and range[2] or 3)
end

-- Returns a stream, often a view, of n random elements of one of the types.
local function column(n, types)
    local kind <const>, wide <const>, list = types[math.random(#types)], math.random(2) == 1, {}
    for i = 1, n do
        list[i] = number(kind, wide)
    end
    local s <const> = rill.from(list, kind)
    return math.random(3) == 1 and s:flip() or n > 0 and math.random(3) == 1 and s:replicate(2):stride(2) or s
end

local function precedes(a, b, descending)
    if type(a) == "boolean" then
        a, b = a and 1 or 0, b and 1 or 0
    end
    if a ~= a or b ~= b then
        return a == a
    end
    if descending then
        return a > b
    end
    return a < b
end

-- Returns the order of rows by lists of values.
local function expected(lists, descending, n)
    local order = {}
    for i = 1, n do
        order[i] = i - 1
    end
    table.sort(order, function(i, j)
        for k, list in ipairs(lists) do
            local a, b = list[i + 1], list[j + 1]
            if precedes(a, b, descending[k]) then return true end
            if precedes(b, a, descending[k]) then return false end
        end
        return i < j
    end)
    return order
end

describe("rill.lexsort", function()
    leaks.watch(setup, teardown)

    shortened(it, "orders rows of all types as a sort in Lua", function(whole)
        math.randomseed(7)
        for trial = 1, whole and 120 or 24 do
            local n <const> = trial % 5 == 0 and trial // 5 % 4 or math.random(60)
            local keys, lists, descending = {}, {}, {}
            for k = 1, math.random(4) do
                keys[k] = column(n, whole and TYPES or FEW)
                lists[k], descending[k] = keys[k]:values(), math.random(2) == 1
            end
            local found <const> = rill.lexsort(keys, {descending = descending})
            assert.equal("int", found.type)
            check.equal(expected(lists, descending, n), found:values())
        end
    end)

    it("compares keys that need several words", function()
        local a, b = rill.from({1, 1 << 31, 1, 1 << 31}, "uint"), rill.from {1, 2, 0, -1}
        local c <const> = rill.from({2 ^ -1074, 0, -2 ^ -1074, 1}, "double")
        check.equal({2, 0, 3, 1}, rill.lexsort({a, b, c}):values())
        check.equal({2, 1, 0, 3}, rill.lexsort({c, a, b}):values())
        check.equal({3, 0, 1, 2}, rill.lexsort({c, a, b}, {descending = true}):values())
    end)

    shortened(it, "sorts many whole floats, which are packed", function(all)
        local n <const> = 70001
        local tie <const> = rill.random(n, {seed = 4, type = "int", low = 0, high = 3})
        local whole <const> = rill.random(n, {seed = 3, type = "int", low = -500, high = 500}):cast "double"
        for _, other in ipairs(all and {0.5, NAN, math.huge, 1e9, 5e9, -0.0} or {NAN, 5e9}) do
            local s <const> = whole:copy()
            s:set(other, 5)
            s:set(NAN, 9)
            for _, descending in ipairs(all and {false, true} or {other == 5e9}) do
                local options <const> = {descending = {descending, true}}
                local first <const> = rill.argsort(tie, {descending = true})
                local second <const> = rill.argsort(rill.gather(s, first), {descending = descending})
                local wanted <const> = rill.gather(first, second)
                assert.is_true(rill.lexsort({s, tie}, options):eq(wanted):all())
                assert.is_true(rill.lexsort({s:cast "float", tie}, options):eq(wanted):all())
                local alone <const> = rill.argsort(s, {descending = descending})
                assert.is_true(rill.lexsort({s}, {descending = descending}):eq(alone):all())
            end
        end
        local none <const> = rill.full(n, NAN, "double")
        assert.is_true(rill.lexsort({none, tie}):eq(rill.argsort(tie)):all())
    end)

    it("sorts many rows", function()
        local n <const> = 100003
        local a <const> = rill.random(n, {seed = 1, type = "int", low = 0, high = 9})
        local b <const> = rill.random(n, {seed = 2})
        local rows <const> = rill.lexsort({a, b}, {descending = {false, true}})
        local after <const> = rill.kernel [[
            kernel int after(neighbor int a<>, neighbor float b<>) {
                return indexof(a).x > 0 && (a[-1] > a[0] || a[-1] == a[0] && b[-1] < b[0]) ? 1 : 0;
            }
        ]]
        assert.equal(0, after(rill.gather(a, rows), rill.gather(b, rows)):sum())
        assert.equal(n * (n - 1) // 2, rows:sum())
    end)

    it("names errors", function()
        local s <const> = rill.from {1, 2, 3}
        check.names({"rill.lexsort", "#1 'keys'", "{s, t}", "stream"}, rill.lexsort, s)
        check.names({"rill.lexsort", "#1 'keys'", "{s, t}", "{}"}, rill.lexsort, {})
        check.names({"item 2", "3 elements", "got 2"}, rill.lexsort, {s, rill.from {1, 2}})
        check.names({"item 1", "one dimension", "3x1"}, rill.lexsort, {s:reshape {3, 1}})
        check.names({"item 2", "open stream", "number"}, rill.lexsort, {s, 5})
        check.names({"item 1", "vec2", "s.x"}, rill.lexsort, {rill.stream("vec2", 3)})
        check.names({"option 'descending'", "1 keys", "got 2"}, rill.lexsort, {s}, {descending = {true, false}})
        check.names({"option 'descending'", "a boolean"}, rill.lexsort, {s}, {descending = 1})
        check.names({"'down'"}, rill.lexsort, {s}, {down = true})
    end)

    it("has no gradient, as other indices", function()
        local g <const> = rill.grad(function(x) return rill.gather(x, rill.lexsort {x, x}):domain(1, 1):sum() end)
        check.equal({0, 1, 0}, g(rill.from {2, 1, 3}):values())
    end)
end)
