local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

local product = require "rill.core.tables".product

-- Returns the groups of values of a stream that have the same indices outside of the axes, in row-major order.
local function groups(shape, values, reduced)
    local list, rest, kept = {}, {}, {}
    for d, size in ipairs(shape) do
        kept[d] = reduced[d] and 1 or size
        rest[#rest + 1] = not reduced[d] and size or nil
    end
    for k = 1, product(rest) do
        list[k] = {}
    end
    for flat = 0, #values - 1 do
        local left, at, scale = flat, 0, 1
        for d = #shape, 1, -1 do
            local i = left % shape[d]
            left = left // shape[d]
            if not reduced[d] then
                at, scale = at + i * scale, scale * shape[d]
            end
        end
        table.insert(list[at + 1], values[flat + 1])
    end
    return list, #rest > 0 and rest or {1}, kept
end

local function deviations(v, ddof)
    local mean, sum = 0, 0
    for _, x in ipairs(v) do mean = mean + x / #v end
    for _, x in ipairs(v) do sum = sum + (x - mean) ^ 2 end
    return sum / (#v - ddof)
end

local function fold(f, start)
    return function(v)
        local result = start or v[1]
        for i = start and 1 or 2, #v do result = f(result, v[i]) end
        return result
    end
end

local MODELS <const> = {
    sum = fold(function(a, b) return a + b end, 0), min = fold(math.min), max = fold(math.max),
    mean = function(v) return fold(function(a, b) return a + b end, 0)(v) / #v end,
    var = function(v) return deviations(v, 0) end, std = function(v) return deviations(v, 0) ^ 0.5 end,
    count = fold(function(a, b) return a + (b ~= 0 and 1 or 0) end, 0),
    norm = function(v) return fold(function(a, b) return a + b * b end, 0)(v) ^ 0.5 end,
}

describe("reductions over several axes", function()
    leaks.watch(setup, teardown)

    it("have the documented results", function()
        local s = rill.iota {2, 3, 4}
        assert.same({60, 92, 124}, s:sum {1, 3}:values())
        assert.equal("1x3x1", tostring(s:sum({1, 3}, {keep = true}).shape))
        assert.same({276}, s:sum {1, 2, 3}:values())
        assert.same({{{276}}}, s:sum({1, 2, 3}, {keep = true}):read())
        assert.same({{{276}}}, s:sum(nil, {keep = true}):read())
        assert.same({11, 23}, s:max {2, -1}:values())
        assert.same({6, 22, 38}, s:domain({1, 1, 1}, {1, 3, 4}):sum {1, 3}:values())
        assert.same({12, 44, 76}, (s * 2):domain({1, 1, 1}, {1, 3, 4}):sum {1, 3}:values())
        assert.same({66, 210}, (s + 0):sum {2, 3}:values())
        assert.same({true, true}, s:ge(0):all {2, 3}:values())
        assert.same({4.0, 6.0}, rill.from({{{1, 2}, {3, 4}}}, "vec2"):sum {1, 2}:read()[1])
        assert.same({0, 0}, rill.zeros({0, 2, 3}, "int"):sum {1, 3}:values())
    end)

    shortened(it, "equal their model", function(whole)
        math.randomseed(7)
        for _ = 1, whole and 25 or 12 do
            local shape, reduced, axes = {}, {}, {}
            for d = 1, math.random(2, 4) do
                shape[d] = math.random(4)
                reduced[d] = math.random(2) == 1
                if reduced[d] then
                    table.insert(axes, math.random(#axes + 1), d)
                end
            end
            local s = rill.random(shape, {type = "int", low = -9, high = 9, seed = math.random(1 << 30)})
            if math.random(2) == 1 then
                s = s:cast(math.random(2) == 1 and "float" or "double")
            end
            if math.random(3) == 1 then
                s = s:flip(math.random(#shape))
            end
            if #axes > 0 then
                local lists, rest, kept = groups(shape, s:values(), reduced)
                for name, model in pairs(whole and MODELS or {sum = MODELS.sum, max = MODELS.max}) do
                    local expected = {}
                    for k, list in ipairs(lists) do
                        expected[k] = model(list)
                    end
                    local got = s[name](s, axes)
                    assert.equal(table.concat(rest, "x"), tostring(got.shape))
                    check.equal(expected, got:values(), 1e-4)
                    local wide = s[name](s, axes, {keep = true})
                    assert.equal(table.concat(kept, "x"), tostring(wide.shape))
                    check.equal(expected, wide:values(), 1e-4)
                end
                local expected = {}
                for k, list in ipairs(lists) do
                    expected[k] = deviations(list, 0.5)
                end
                check.equal(expected, s:var(axes, {ddof = 0.5}):values(), 1e-3)
            end
        end
    end)

    it("var and std with ddof", function()
        local s = rill.from {1, 2, 3, 4}
        assert.near(5 / 3, s:var {ddof = 1}, 1e-6)
        local whole <const> = rill.from {3, 1, 2}
        assert.equal(1.0, whole:var {ddof = 1})
        assert.equal(1.0, whole:std {ddof = 1})
        assert.near(1, whole:cast "double":var {ddof = 1}, 1e-15)
        assert.near(5 / 3, s:var(nil, {ddof = 1}), 1e-6)
        assert.near((5 / 3) ^ 0.5, s:std {ddof = 1}, 1e-6)
        assert.near(1.25, s:var {ddof = 0}, 1e-6)
        assert.near(5 / 3, (s + 1):var {ddof = 1}, 1e-6)
        check.equal({2, 2}, rill.from {{1, 3}, {5, 7}}:var(2, {ddof = 1}):values(), 1e-6)
        assert.equal("2x1", tostring(rill.from {{1, 3}, {5, 7}}:std(2, {ddof = 1, keep = true}).shape))
        assert.is_nil(rill.zeros(0):var {ddof = 1})
        local one = rill.ones(1):var {ddof = 1}
        assert.is_true(one ~= one)
        check.equal({2, 8}, rill.from({{1, 2}, {3, 6}}, "vec2"):var {ddof = 1}, 1e-5)
    end)

    shortened(it, "take the axis as an option", function(whole)
        local s = rill.from {{1, 5, 3}, {4, 2, 6}}
        local c = rill.array("float", {2, 3}):write(s)
        for _, x in ipairs {s, s * 1, s:transpose():copy():transpose(), c} do
            for _, name in ipairs(whole and {"sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "count",
                "argmin", "argmax", "norm", "median"} or {"sum", "argmin", "median"}) do
                for _, axis in ipairs {1, 2, -1} do
                    assert.same(x[name](x, axis):values(), x[name](x, {axis = axis}):values(), name)
                end
            end
            assert.same({9, 12}, x:sum {axis = 2}:values())
            assert.equal("1x3", tostring(x:sum {axis = 1, keep = true}.shape))
            assert.same({21}, x:sum {axis = {1, 2}}:values())
            check.equal({4, 4}, x:var {axis = 2, ddof = 1}:values(), 1e-6)
        end
        check.raises("argument #1 'axis': expected 1 .. 2, or %-1 for the last, got 3", s.sum, s, {axis = 3})
        check.raises("s:sum: unknown option 'axis': expected keep", s.sum, s, 1, {axis = 1})
        check.raises("s:median: unknown option 'axis': expected keep", s.median, s, 1, {axis = 1})
    end)

    it("name invalid arguments", function()
        local s = rill.zeros {2, 3}
        check.raises("s:sum: argument #1 'axis': expected different axes from 1 to 2", s.sum, s, {1, 3})
        check.raises("s:sum: argument #1 'axis': expected different axes from 1 to 2", s.sum, s, {1, -2})
        check.raises("s:sum: argument #1 'axis': expected a table of axes, got an empty table", s.sum, s, {})
        check.raises("s:sum: unknown option 'ddof'", s.sum, s, 1, {ddof = 1})
        check.raises("s:var: option 'ddof': expected a number from 0", s.var, s, 1, {ddof = -1})
        check.raises("s:argmax: argument #1 'axis': expected one axis", s.argmax, s, {1, 2})
    end)
end)
