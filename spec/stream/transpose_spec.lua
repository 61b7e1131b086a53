-- Copies that permute axes.
local rill = require "rill"
local check = require "spec.support.check"
local shortened = require "spec.support.shortened"
local leaks = require "spec.support.leaks"

local function product(shape)
    local n = 1
    for _, size in ipairs(shape) do
        n = n * size
    end
    return n
end

-- Permutes the axes of a flat list of components with a shape.
local function permuted(values, shape, axes, components)
    local rank, strides, stride = #shape, {}, components
    for d = rank, 1, -1 do
        strides[d], stride = stride, stride * shape[d]
    end
    local result = {}
    local function go(d, at)
        if d > rank then
            table.move(values, at + 1, at + components, #result + 1, result)
            return
        end
        for i = 0, shape[axes[d]] - 1 do
            go(d + 1, at + i * strides[axes[d]])
        end
    end
    go(1, 0)
    return result
end

local function ramp(type, shape)
    return rill.iota(product(shape)):map("x % 251"):cast "uint8":cast(type):reshape(shape)
end

local function vectors(type, components, shape)
    local values = {}
    for i = 1, product(shape) * components do
        values[i] = i % 1021
    end
    return rill.stream(type, shape, values)
end

local makers = {
    float = ramp, int8 = function(_, shape) return ramp("int", shape):map("x - 128"):cast "int8" end,
    double = ramp, half = ramp, uint8 = ramp, uint16 = ramp, bool = function(_, shape)
        return ramp("int", shape):map("x % 3"):cast "bool"
    end,
    vec2 = function(type, shape) return vectors(type, 2, shape) end,
    vec3 = function(type, shape) return vectors(type, 3, shape) end,
    dvec3 = function(type, shape) return vectors(type, 3, shape) end,
    vec4 = function(type, shape) return vectors(type, 4, shape) end,
    dvec4 = function(type, shape) return vectors(type, 4, shape) end,
    unorm8x4 = function(_, shape) return vectors("vec4", 4, shape):map("fract(x / 255.0)"):cast "unorm8x4" end,
}

describe("transpose", function()
    leaks.watch(setup, teardown)

    -- Elements are moved by their bytes.
    local widths = {"int8", "float", "vec2", "vec3", "vec4"}

    shortened(it, "of any type and size", function(whole)
        local shapes = {{8, 8}, {1, 40}, {40, 1}, {7, 33}, {32, 31}, {33, 64}, {257, 16}, {64, 130}, {65, 127}, {0, 9}}
        local types = widths
        if whole then
            types = {}
            for type in pairs(makers) do
                types[#types + 1] = type
            end
        end
        for _, type in ipairs(types) do
            for _, shape in ipairs(shapes) do
                local s = makers[type](type, shape)
                local before = s:values()
                local turned = s:transpose():copy()
                check.equal(permuted(before, shape, {2, 1}, product(shape) > 0 and #before // product(shape) or 1),
                    turned:values())
                check.equal(before, s:values())
                check.equal(before, turned:transpose():copy():values())
            end
        end
    end)

    shortened(it, "with any permutation of axes", function(whole)
        local cases = {
            {{9, 10, 12}, {{3, 2, 1}, {2, 3, 1}, {3, 1, 2}, {1, 3, 2}, {2, 1, 3}}},
            {{70, 2, 65}, {{3, 2, 1}, {3, 1, 2}}},
            {{8, 3, 16}, {{3, 2, 1}, {2, 3, 1}, {3, 1, 2}, {1, 3, 2}}},
            {{3, 8, 2, 11}, {{4, 3, 2, 1}, {4, 1, 2, 3}, {2, 1, 4, 3}, {1, 4, 3, 2}, {4, 2, 3, 1}}},
            {{2, 3, 8, 2, 9, 2}, {{6, 5, 4, 3, 2, 1}, {1, 2, 5, 4, 3, 6}, {5, 2, 4, 1, 6, 3}}},
        }
        for _, case in ipairs(cases) do
            local shape = case[1]
            for _, type in ipairs(whole and {"int8", "half", "float", "vec2", "vec3", "dvec4"} or {"int8", "vec3"}) do
                local s = makers[type](type, shape)
                local values = s:values()
                for _, axes in ipairs(case[2]) do
                    check.equal(permuted(values, shape, axes, #values // product(shape)),
                        s:transpose(axes):copy():values())
                end
            end
        end
    end)

    it("of more planes than work groups in one dimension", function()
        local s = rill.iota {66000, 8, 9}
        local turned = s:transpose {1, 3, 2}:copy()
        assert.equal(0, (turned:transpose {1, 3, 2} - s):map "abs(x)":max())
        assert.equal(66000 * 72 - 2, turned:get(66000, 8, 8))
    end)

    it("of structures", function()
        local Pair = rill.struct("Pair", "vec3 a; int b; double c;")
        local s = rill.stream(Pair, {9, 11}, function(i, j) return {a = {i, j, i * j}, b = i - j, c = i / j} end)
        local t = s:transpose():copy()
        for _, at in ipairs {{1, 1}, {9, 11}, {4, 7}, {9, 1}} do
            assert.same(s:get(at[1], at[2]), t:get(at[2], at[1]))
        end
    end)

    it("of views, and into views", function()
        local s = rill.iota {40, 50}
        local part = s:domain({3, 5}, {29, 41})
        local expected = {}
        for j = 5, 41 do
            for i = 3, 29 do
                expected[#expected + 1] = (i - 1) * 50 + j - 1
            end
        end
        check.equal(expected, part:transpose():copy():values())
        check.equal(s:transpose():values(), s:transpose():copy():values())
        for _, type in ipairs {"int", "uint8"} do
            local from = s:map("x % 200"):cast(type)
            local target = rill.stream(type, {60, 60})
            target:domain({10, 20}, {59, 59}):write(from:transpose())
            target:domain({1, 1}, {1, 1}):fill(7)
            for _, at in ipairs {{10, 20}, {59, 59}, {30, 40}, {9, 20}, {10, 19}, {59, 60}, {60, 59}} do
                local inside = at[1] >= 10 and at[1] <= 59 and at[2] >= 20 and at[2] <= 59
                assert.equal(inside and ((at[2] - 20) * 50 + at[1] - 10) % 200 or 0, target:get(at[1], at[2]))
            end
        end
        check.equal(s:stride(2, 1):transpose():values(), s:stride(2, 1):transpose():copy():values())
        check.equal(s:tile(2, 1):transpose():values(), s:tile(2, 1):transpose():copy():values())
        local turned = rill.stream("int", {50, 40})
        turned:transpose():write(s)
        check.equal(s:transpose():values(), turned:values())
    end)

    it("onto itself", function()
        local s = rill.iota {64, 64}
        local expected = s:transpose():values()
        s:write(s:transpose())
        check.equal(expected, s:values())
    end)

    it("keeps every bit", function()
        local s = rill.random({64, 32}, {type = "uint", seed = 5})
        local bits = s:bytes()
        local floats = rill.stream("float", {64, 32}, bits)
        assert.equal(bits, floats:transpose():copy():transpose():copy():bytes())
    end)

    it("of a long and of a large stream #slow", function()
        local long = rill.iota {8, 1000003}
        local turned = long:transpose():copy()
        assert.equal(0, turned:get(1, 1))
        assert.equal(1000003 * 8 - 1, turned:get(1000003, 8))
        assert.equal(5 * 1000003 + 777777, turned:get(777778, 6))
        local large = rill.random({2049, 2050}, {type = "uint", seed = 9})
        local back = large:transpose():copy():transpose():copy()
        assert.equal(large:bytes(), back:bytes())
        assert.equal(large:get(2000, 17), large:transpose():copy():get(17, 2000))
    end)
end)
