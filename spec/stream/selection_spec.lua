local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local LONG <const> = os.getenv "RILL_SUITE_LONG"
local product = require "rill.core.tables".product

-- Calls f(index) for each 0-based index of a shape in row-major order.
local function each(shape, f)
    for flat = 0, product(shape) - 1 do
        local index, rest = {}, flat
        for d = #shape, 1, -1 do
            index[d], rest = rest % shape[d], rest // shape[d]
        end
        f(index)
    end
end

-- Returns the flat list of source(index) of a model {shape =, values =}; source returns an index, or nil and a value.
local function rebuilt(model, shape, source)
    local values = {}
    each(shape, function(index)
        local from, value = source(index)
        if from then
            local flat = 0
            for d, size in ipairs(model.shape) do
                flat = flat * size + from[d]
            end
            value = model.values[flat + 1]
        end
        values[#values + 1] = value
    end)
    return {shape = shape, values = values}
end

local function same(model, s)
    assert.equal(table.concat(model.shape, "x"), tostring(s.shape))
    check.equal(model.values, s:values())
end

local function changed(list, d, value)
    local copy = table.move(list, 1, #list, 1, {})
    copy[d] = value
    return copy
end

local TYPES <const> = {"float", "double", "int", "uint8"}

-- Returns a random stream, often a view, and its model.
local function random_stream(least)
    local shape, rank = {}, math.random(3)
    for d = 1, rank do
        shape[d] = math.random(math.random(8) == 1 and least or 1, 5)
    end
    local s = rill.random(shape, {type = "int", low = 0, high = 100, seed = math.random(1 << 30)})
    s = s:cast(TYPES[math.random(#TYPES)])
    local way = math.random(4)
    if way == 1 then
        s = s:flip(math.random(rank))
    elseif way == 2 then
        s = s:transpose()
    elseif way == 3 and s.size > 0 then
        s = s:stride(2)
    end
    return s, {shape = table.move(s.shape, 1, rank, 1, {}), values = s:values()}
end

local function fuzz(rounds, least, f)
    math.randomseed(3131)
    for _ = 1, LONG and rounds or rounds // 3 do
        local s, model = random_stream(least)
        local axis = math.random(#model.shape)
        f(s, model, axis, math.random(2) == 1 and axis or axis - #model.shape - 1)
    end
end

describe("taking along an axis", function()
    leaks.watch(setup, teardown)

    it("agrees with a model, for views, types and repeated dimensions", function()
        math.randomseed(31)
        for _ = 1, LONG and 150 or 50 do
            local s, model = random_stream(1)
            local rank, shape = #model.shape, {}
            local axis = math.random(rank)
            for d, size in ipairs(model.shape) do
                shape[d] = d == axis and math.random(0, 4) or math.random(4) == 1 and 1 or size
            end
            local lacks <const> = rank > 1 and math.random(3) == 1
            shape[axis] = lacks and 1 or shape[axis]
            local n <const>, list = model.shape[axis], {}
            for i = 1, product(shape) do list[i] = math.random(-n, n - 1) end
            local full = {}
            for d, size in ipairs(model.shape) do full[d] = d == axis and shape[d] or size end
            local expected = rebuilt(model, full, function(index)
                local flat = 0
                for d, size in ipairs(shape) do flat = flat * size + (size == 1 and 0 or index[d]) end
                return changed(index, axis, list[flat + 1] % n)
            end)
            local own = table.move(shape, 1, rank, 1, {})
            if lacks then
                table.remove(own, axis)
                table.remove(expected.shape, axis)
            end
            local at = #list > 0 and rill.from(list, "int"):reshape(own) or rill.stream("int", own)
            same(expected, rill.take_along(s, at, math.random(2) == 1 and axis or axis - rank - 1))
        end
    end)

    it("accepts the results of argmin, argmax and argsort", function()
        local s = rill.random({4, 5, 6}, {seed = 8})
        for axis = 1, 3 do
            assert.equal(s:max(axis):bytes(), rill.take_along(s, s:argmax(axis), axis):bytes())
            local kept = rill.take_along(s, s:argmin(axis, {keep = true}), axis)
            assert.equal(s:min(axis, {keep = true}):bytes(), kept:bytes())
            assert.equal("int", s:argmin(axis).type)
            local order = rill.argsort(s, {axis = axis})
            assert.equal(s:sort {axis = axis}:bytes(), rill.take_along(s, order, axis):bytes())
        end
        assert.equal(s:sort():bytes(), rill.take_along(s, rill.argsort(s)):bytes())
        local line = rill.from {3, 1, 2}
        assert.same({3}, rill.take_along(line, line:argmax(1)):values())
        -- numpy.take_along_axis(m, [[1, 1, 0]], 0), with a result that repeats a row of m
        local m = rill.from {{3, 1, 2}, {9, 7, 8}}
        assert.same({9, 7, 2}, rill.take_along(m, {{1, 1, 0}}, 1):values())
        assert.same({3, 8}, rill.take_along(m, {{-3}, {-1}}):values())
        assert.same({3, 1, 9, 7}, rill.take_along(m:domain({1, 1}, {2, 2}) * 1, {{0, 1}}):values())
        local v = rill.from({{{1, 2}, {3, 4}}}, "float"):reshape {2, 2}:as "vec2"
        assert.same({3, 4}, rill.take_along(v, {1})[1])
        assert.equal("0x3", tostring(rill.take_along(rill.zeros {0, 3}, rill.stream("int", {0, 3})).shape))
    end)

    it("refuses other arguments", function()
        local m = rill.iota {2, 3}
        check.raises("rill.take_along: argument #1 's': expected an open stream", rill.take_along, 3, {0})
        check.raises("rill.take_along: argument #2 'indices': expected integers, got elements of float",
            rill.take_along, m, rill.zeros {2, 3})
        check.raises("rill.take_along: argument #2 'indices': shape 3x3 does not fit shape 2x3 of the elements along "
            .. "axis 2: the other dimensions must be the same, or 1", rill.take_along, m, rill.zeros({3, 3}, "int"))
        check.raises("argument #2 'indices': shape 1x1x1 does not fit", rill.take_along, m,
            rill.zeros({1, 1, 1}, "int"))
        check.raises("rill.take_along: argument #2 'indices': index 3 is out of range: expected 0%-based indices from "
            .. "%-3 to 2", rill.take_along, m, {{3}})
        check.raises("rill.take_along: argument #3 'axis': expected 1 .. 2", rill.take_along, m, {{0}}, 3)
        check.raises("rill.take_along: argument #1 's': dimension 2 has no elements", rill.take_along,
            rill.zeros {2, 0}, rill.zeros({2, 1}, "int"))
        check.raises("rill.take_along: argument #4: expected none", rill.take_along, m, {{0}}, 2, 1)
    end)
end)

describe("selecting and shaping", function()
    leaks.watch(setup, teardown)

    it("select is numpy's take", function()
        local s = rill.from {{1, 2, 3}, {4, 5, 6}}
        assert.same({6.0, 1.0, 6.0}, s:select {5, 0, -1}:values())
        assert.same({{4.0, 5.0, 6.0}, {1.0, 2.0, 3.0}}, s:select({1, 0}, 1):read())
        assert.same({{3.0, 1.0}, {6.0, 4.0}}, s:select({-1, 0}, 2):read())
        assert.same({{{3.0}, {1.0}}, {{6.0}, {4.0}}}, s:select({{2}, {0}}, 2):read())
        assert.same({{4.0, 5.0, 6.0}}, s:select {false, true}:read())
        assert.same({{1.0, 3.0}, {4.0, 6.0}}, s:select(rill.from {true, false, true}, -1):read())
        assert.same({4.0, 5.0, 6.0}, s:select(s:gt(3)):values())
        assert.equal("0x3", tostring(s:select({}, 1).shape))
        assert.equal("0x3", tostring(s:select({false, false}).shape))
        assert.same({2, 3}, rill.iota(4):select(rill.iota(2) + 2):values())
        assert.same({0, 3}, rill.iota(4):select(rill.from({0, 3}, "uint8")):values())
        assert.same({9, 0}, rill.iota(10):select(rill.from({99, -99}, "int")):values()) -- as gather reads outside
        local P = rill.struct("SelectionPoint", "float a; int b;")
        local p = rill.stream(P, 3, {{a = 1, b = 2}, {a = 3, b = 4}, {a = 5, b = 6}})
        assert.same({{a = 5.0, b = 6}, {a = 1.0, b = 2}}, p:select {2, 0}:read())
        assert.same({{a = 3.0, b = 4}}, p:select({false, true, false}, 1):read())
        assert.same({{3.0, 4.0}}, rill.from({{1, 2}, {3, 4}}, "vec2"):select {1}:read())
        assert.same({true, false}, rill.from {false, true}:select {1, 0}:values())
    end)

    it("select equals its model", function()
        fuzz(40, 0, function(s, model, axis, given)
            local n, list = model.shape[axis], {}
            if n == 0 then
                return
            end
            for k = 1, math.random(0, 5) do
                list[k] = math.random(-n, n - 1)
            end
            same(rebuilt(model, changed(model.shape, axis, #list), function(index)
                return changed(index, axis, list[index[axis] + 1] % n)
            end), s:select(math.random(2) == 1 and list or rill.from(list, "int"), given))
            local mask, kept = {}, {}
            for k = 1, n do
                mask[k] = math.random(2) == 1
                kept[#kept + 1] = mask[k] and k - 1 or nil
            end
            same(rebuilt(model, changed(model.shape, axis, #kept), function(index)
                return changed(index, axis, kept[index[axis] + 1])
            end), s:select(mask, given))
        end)
    end)

    it("select keeps every type", function()
        local all <const> = {"float", "double", "int", "uint", "half", "int8", "uint8", "int16", "uint16"}
        for _, kind in ipairs(LONG and all or {"double", "int", "half", "uint8"}) do
            local s = rill.iota {2, 3}:cast(kind)
            local picked = s:select({2, 0}, 2)
            assert.equal(kind, picked.type)
            check.equal({2, 0, 5, 3}, picked:values())
            check.equal({0, 2, 0, 1, 0, 3, 5, 3, 4, 3}, s:select({0, 2, 0, 1, 0}, 2):values())
            assert.equal(kind, s:pad({before = 1, boundary = "wrap"}).type)
            check.equal({5, 4, 3, 2, 1, 0}, s:select {-1, -2, -3, -4, -5, -6}:values())
        end
    end)

    it("roll equals its model", function()
        assert.same({4, 0, 1, 2, 3}, rill.iota(5):roll(1):values())
        assert.same({1, 2, 3, 4, 0}, rill.iota(5):roll(-1):values())
        assert.same({{5, 0, 1}, {2, 3, 4}}, rill.iota {2, 3}:roll(1):read())
        assert.same({{5, 3, 4}, {2, 0, 1}}, rill.iota {2, 3}:roll({1, 1}, {1, 2}):read())
        assert.same({2, 3, 4, 0, 1}, (rill.iota(5) + 0):roll(103):values())
        fuzz(60, 0, function(s, model, axis, given)
            local n = math.random(-12, 12)
            same(rebuilt(model, model.shape, function(index)
                return changed(index, axis, (index[axis] - n) % model.shape[axis])
            end), s:roll(n, given))
        end)
    end)

    it("pad equals its model", function()
        assert.same({0.0, 1.0, 2.0, 0.0, 0.0}, rill.from {1, 2}:pad {before = 1, after = 2}:values())
        assert.same({7.0, 7.0, 1.0, 2.0}, rill.from {1, 2}:pad {before = 2, value = 7}:values())
        assert.same({1.0, 2.0, 1.0, 2.0, 1.0}, rill.from {1, 2}:pad {before = 2, after = 1, boundary = "wrap"}:values())
        local pair = rill.from {1, 2}
        assert.same({2.0, 1.0, 1.0, 2.0, 2.0}, pair:pad {before = 2, after = 1, boundary = "mirror"}:values())
        assert.same({1.0, 1.0, 2.0, 2.0}, rill.from {1, 2}:pad {before = 1, after = 1, boundary = "clamp"}:values())
        assert.same({{0.0, 0.0}, {1.0, 2.0}}, rill.from({{1, 2}}, "vec2"):pad {before = 1}:read())
        assert.same({true, false}, rill.from {true}:pad {after = 1}:values())
        assert.equal(4, rill.zeros(0):pad {before = 4, value = 1}:sum())
        assert.same({0.0, 1.0, 2.0, 0.0}, rill.from {1, 2}:pad {before = 1, after = 1, boundary = "zero"}:values())
        assert.same({false, true}, rill.from {true}:pad {before = 1, boundary = "zero"}:values())
        assert.same({0, 0}, rill.zeros(0, "int"):pad {after = 2, boundary = "zero"}:values())
        local Padded = rill.struct("Padded", "float x; int n;")
        assert.same({{x = 0.0, n = 0}, {x = 1.0, n = 2}}, rill.from({{x = 1, n = 2}}, Padded):pad {before = 1,
            boundary = "zero"}:read())
        local outside = {
            clamp = function(i, n) return math.max(0, math.min(n - 1, i)) end,
            wrap = function(i, n) return i % n end,
            mirror = function(i, n)
                i = i % (2 * n)
                return i < n and i or 2 * n - 1 - i
            end,
        }
        fuzz(25, 0, function(s, model)
            local before, after, new = {}, {}, {}
            for d, size in ipairs(model.shape) do
                before[d], after[d] = math.random(0, 7), math.random(0, 3)
                new[d] = size + before[d] + after[d]
            end
            same(rebuilt(model, new, function(index)
                local from = {}
                for d, i in ipairs(index) do
                    from[d] = i - before[d]
                    if from[d] < 0 or from[d] >= model.shape[d] then
                        return nil, 5
                    end
                end
                return from
            end), s:pad {before = before, after = after, value = 5})
            for mode, at in pairs(s.size > 0 and outside or {}) do
                same(rebuilt(model, new, function(index)
                    local from = {}
                    for d, i in ipairs(index) do
                        from[d] = at(i - before[d], model.shape[d])
                    end
                    return from
                end), s:pad {before = before, after = after, boundary = mode})
            end
        end)
    end)

    it("diff equals its model", function()
        assert.same({1.0, 3.0, -5.0}, rill.from {1, 2, 5, 0}:diff():values())
        assert.same({2.0, -8.0}, rill.from {1, 2, 5, 0}:diff(2):values())
        assert.same({{3, 3, 3}}, rill.iota {2, 3}:diff(1, 1):read())
        assert.same({true, false}, rill.from {true, false, false}:diff():values())
        assert.same({4294967295}, rill.from({1, 0}, "uint"):diff():values())
        for type, values in pairs {uint8 = {254, 6}, int8 = {-2, 6}, uint16 = {65534, 6}, half = {-2.0, 6.0}} do
            local d = rill.from({5, 3, 9}, type):diff()
            assert.equal(type, d.type)
            assert.same(values, d:values())
        end
        assert.equal(0, rill.zeros(1):diff().size)
        assert.equal(0, rill.zeros(0):diff(3).size)
        assert.equal(0, rill.zeros(3):diff(9).size)
        assert.is_true(rill.isnan(rill.from {1, 0 / 0, 2}:diff()):all())
        fuzz(40, 0, function(s, model, axis, given)
            local n, signed = math.random(0, 3), s:cast "int"
            local expected = {shape = model.shape, values = signed:values()}
            for _ = 1, math.min(n, model.shape[axis]) do
                local now = expected
                local shape = changed(now.shape, axis, now.shape[axis] - 1)
                local high = rebuilt(now, shape, function(i) return changed(i, axis, i[axis] + 1) end)
                local low = rebuilt(now, shape, function(i) return i end)
                for k, value in ipairs(low.values) do
                    high.values[k] = high.values[k] - value
                end
                expected = high
            end
            same(expected, signed:diff(n, given))
            same(expected, s:cast "double":diff(n, given))
        end)
    end)

    it("split and stack are inverse", function()
        local halves = rill.iota(6):split(2)
        assert.same({{0, 1, 2}, {3, 4, 5}}, {halves[1]:values(), halves[2]:values()})
        assert.same({{0, 2}, {1, 3}}, rill.stack({rill.iota(2), rill.iota(2) + 2}, -1):read())
        fuzz(40, 0, function(s, model, axis, given)
            local parts = s:split(math.max(1, model.shape[axis]), given)
            if model.shape[axis] > 0 then
                for k, part in ipairs(parts) do
                    assert.equal(1, part.shape[axis])
                    parts[k] = #model.shape > 1 and part:squeeze(axis) or part
                end
                same(#model.shape > 1 and model or {shape = {model.shape[1], 1}, values = model.values},
                    rill.stack(parts, #model.shape > 1 and given or 1))
            end
            same(model, rill.concat(s:split(1, axis), axis))
        end)
        local container = rill.stack("float", {capacity = 4})
        assert.equal("container", rill.type(container))
        container:close()
    end)

    it("split returns views", function()
        local s = rill.iota(4)
        s:split(2)[2]:fill(9)
        assert.same({0, 1, 9, 9}, s:values())
        assert.equal(3, #rill.zeros(0):split(3))
    end)

    it("squeeze and expand change dimensions of size 1", function()
        assert.equal("2x3", tostring(rill.zeros {1, 2, 1, 3}:squeeze().shape))
        assert.equal("2x1x3", tostring(rill.zeros {1, 2, 1, 3}:squeeze(1).shape))
        assert.equal("1", tostring(rill.zeros {1, 1}:squeeze().shape))
        assert.equal("1", tostring(rill.zeros(1):squeeze(1).shape))
        assert.equal("0x2", tostring(rill.zeros {0, 1, 2}:squeeze().shape))
        fuzz(40, 0, function(s, model)
            local axis = math.random(#model.shape + 1)
            local shape = table.move(model.shape, 1, #model.shape, 1, {})
            table.insert(shape, axis, 1)
            local wide = s:expand(math.random(2) == 1 and axis or axis - #shape - 1)
            same({shape = shape, values = model.values}, wide)
            same(model, wide:squeeze(axis))
        end)
    end)

    it("names invalid arguments", function()
        local s = rill.zeros {2, 3}
        check.raises("s:select: argument #1 'indices': index 6 is out of range: expected 0%-based indices from %-6",
            s.select, s, {6})
        check.raises("s:select: argument #1 'indices': index 9223372036854775807 is out of range", s.select, s,
            {math.maxinteger})
        check.raises("s:select: argument #1 'indices': expected only integers or only booleans, got number 0.5",
            s.select, s, {1, 0.5})
        check.raises("s:select: argument #1 'indices': expected only integers or only booleans, got true",
            s.select, s, {1, true})
        assert.same({2, 0}, rill.iota(6):select {2.0, 0}:values())
        check.raises("s:pad: option 'value': expected a table of 3 numbers for vec3, got table of 2", s.pad,
            rill.stream("vec3", 2), {after = 1, value = {1, 2}})
        check.raises("s:pad: option 'value': expected a number for float, got string", s.pad, s, {value = "x"})
        check.raises("s:pad: shape %d+ has more than 2147483647 elements", s.pad, rill.iota(5),
            {before = (1 << 31) - 1})
        check.raises("s:select: argument #1 'indices': index %-4 is out of range", s.select, s, {-4}, 2)
        check.raises("s:select: argument #1 'indices': expected integers or booleans, got float", s.select, s, s)
        check.raises("expected a stream or a table, got number; put a number into a table", s.select, s, 1)
        check.raises("got boolean; s == t compares identity, s:eq%(t%) makes a mask", s.select, s, s == 1)
        check.raises("s:select: argument #1 'indices': expected a stream or a table, got string$", s.select, s, "1")
        check.raises("s:select: argument #1 'indices': a mask of shape 3 does not fit dimension 1 of shape 2x3",
            s.select, s, {true, true, false})
        check.raises("s:select: argument #2 'axis': expected 1 .. 2", s.select, s, {0}, 3)
        check.raises("s:select: argument 's': a stream without elements", s.select, rill.zeros(0), {0})
        check.raises("s:select: argument 's': a stream without elements", s.select, rill.zeros(0), rill.iota(1))
        check.raises("s:select: argument #1 'indices'", s.select, s)
        check.raises("s:roll: argument #1 'n'", s.roll, s, 1.5)
        check.raises("s:roll: argument #1 'n'", s.roll, s, {1, 2})
        check.raises("s:roll: argument #2 'axis'", s.roll, s, 1, 0)
        check.raises("s:pad: option 'before'", s.pad, s, {before = -1})
        check.raises("s:pad: option 'before' has 3 values", s.pad, s, {before = {1, 2, 3}})
        check.raises("s:pad: expected the option 'value' or", s.pad, s, {value = 1, boundary = "wrap"})
        check.raises("s:pad: option 'boundary': dimension 1 has no elements", s.pad, rill.zeros(0),
            {before = 1, boundary = "wrap"})
        local P = rill.struct("SelectionPoint", "float a; int b;")
        check.raises("s:pad: option 'value' is missing", s.pad, rill.stream(P, 2), {before = 1})
        check.raises("s:diff: argument #1 'n'", s.diff, s, -1)
        check.raises("s:diff: argument 's': expected numbers", s.diff, rill.stream(P, 2))
        check.raises("s:split: argument #1 'n': 2 parts do not divide dimension 2, whose size is 3", s.split, s, 2, 2)
        check.raises("s:pad: expected a table of options, got number 1; the options are after, before, boundary, value",
            s.pad, s, 1)
        for name, join in pairs {["rill.stack"] = rill.stack, ["rill.concat"] = rill.concat} do
            check.raises(name .. ": argument #1 'list': expected a table of streams, such as {s, t}, got", join, s, s)
        end
        for _, n in ipairs {0, (1 << 20) + 1, 2 ^ 53, math.maxinteger} do
            check.raises("s:split: argument #1 'n': expected a whole number from 1 to 1048576", s.split, s, n)
            check.raises("s:split: argument #1 'n': expected a whole number from 1 to 1048576", rill.zeros(0).split,
                rill.zeros(0), n)
        end
        check.raises("s:squeeze: argument #1 'axis': dimension 2 has 3 elements", s.squeeze, s, 2)
        check.raises("s:expand: argument #1 'axis': expected 1 .. 3", s.expand, s, 4)
        check.raises("s:expand: a stream has at most 8", s.expand, rill.zeros {1, 1, 1, 1, 1, 1, 1, 1}, 1)
        check.raises("rill.stack: a stream has at most 8", rill.stack, {rill.zeros {1, 1, 1, 1, 1, 1, 1, 1}})
        check.raises("rill.stack: argument #1 'list': item 2: stream<int>%[2%] does not fit stream<float>%[3%]",
            rill.stack, {rill.zeros(3), rill.iota(2)})
        check.raises("rill.stack: argument #1 'list': expected a table of streams, got an empty", rill.stack, {})
        check.raises("the result would have 9 dimensions", s.select, rill.zeros {1, 1, 1, 1, 1, 1, 1, 1}, {{0}}, 1)
        local closed = rill.zeros(2)
        closed:close()
        for _, name in ipairs {"select", "roll", "pad", "diff", "split", "squeeze", "expand"} do
            check.raises("s:" .. name .. ": argument 's': expected an open stream, got closed stream", s[name], closed)
        end
    end)
end)
