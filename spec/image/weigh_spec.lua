-- Compares rill.image.convolve, correlate, separable and sobel with sums in double precision.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local pictures = require "spec.support.pictures"
local shortened = require "spec.support.shortened"

local function rows_of(m, n, seed)
    return rill.random({m, n}, {seed = seed, low = -1}):read()
end

-- way: -1 flips the weights.
local function weighed(at, rows, way)
    local m, n = #rows, #rows[1]
    return function(y, x, c)
        local sum = 0
        for j = 1, m do
            for i = 1, n do
                sum = sum + rows[j][i] * at(y + way * (j - 1 - m // 2), x + way * (i - 1 - n // 2), c)
            end
        end
        return sum
    end
end

local function assert_both(s, rows, modes)
    local at, before = pictures.reader(s, modes), s:bytes()
    local view = modes and s:boundary(table.unpack(modes)) or s
    for name, way in pairs {convolve = -1, correlate = 1} do
        local want = weighed(at, rows, way)
        pictures.equal(want, rill.image[name](view, rows), 5e-6)
        pictures.equal(want, rill.image[name](view, rill.from(rows)), 5e-6)
        pictures.equal(want, rill.image[name](s, rows, modes and {boundary = modes[2] and modes or modes[1]}), 5e-6)
    end
    assert.is_true(before == s:bytes(), "the input unchanged")
end

local function outer(wy, wx)
    local rows = {}
    for j, y in ipairs(wy) do
        rows[j] = {}
        for i, x in ipairs(wx) do rows[j][i] = y * x end
    end
    return rows
end

describe("convolution:", function()
    leaks.watch(setup, teardown)

    it("convolve and correlate with every boundary, also if wider than the image", function()
        local rows = rows_of(3, 4, 7)
        for _, modes in ipairs(pictures.borders) do
            for _, shape in ipairs {{6, 7}, {1, 1}, {1, 5}, {2, 1}} do
                assert_both(pictures.random("float", shape), rows, modes)
            end
        end
    end)

    shortened(it, "of vectors", function(whole)
        assert_both(pictures.random("vec3", {6, 7}), rows_of(3, 3, 2), {"wrap"})
        if not whole then return end
        assert_both(pictures.random("vec4", {6, 7}), rows_of(3, 3, 2))
        assert_both(pictures.random("vec3", {20, 24}), rows_of(9, 11, 3), {"mirror"})
    end)

    it("handles up to 32 weights, and more", function()
        assert_both(pictures.random("float", {12, 9}), rows_of(4, 8, 3))
        assert_both(pictures.random("float", {12, 9}), rows_of(3, 11, 3))
    end)

    shortened(it, "separable is the convolution with their products", function(whole)
        local wy, wx = {1, -2, 0.5}, {0.25, 1, 3, -1}
        for _, modes in ipairs(pictures.borders) do
            local s = pictures.random("float", {5, 6})
            local view = s:boundary(table.unpack(modes))
            local want = weighed(pictures.reader(s, modes), outer(wy, wx), -1)
            pictures.equal(want, rill.image.separable(view, wy, wx), 5e-6)
            pictures.equal(want, rill.image.separable(view, rill.from(wy), wx), 5e-6)
        end
        if not whole then return end
        local s = pictures.random("vec4", {5, 6})
        local want = weighed(pictures.reader(s), outer(wy, wx), -1)
        pictures.equal(want, rill.image.separable(s, wy, wx), 5e-6)
        pictures.equal(want, rill.image.separable(s, wy, rill.from(wx)), 5e-6)
    end)

    it("sobel returns lengths whose squares are out of range", function()
        for _, unit in ipairs {1e-30, 1e-20, 1, 1e18, 1e30} do
            for type, last in pairs {float = unit, vec3 = {unit, -unit, 0}, vec4 = {0, unit, 2 * unit, 1}} do
                local s = rill.zeros({3, 3}, type)
                s:set(last, 3, 3)
                local size, across = rill.image.sobel(s)
                local at, other = size:get(2, 2), across:get(2, 2)
                for c, x in ipairs(type == "float" and {other} or other) do
                    local want = math.abs(x) * 2 ^ 0.5
                    assert.near(want, type == "float" and at or at[c], 1e-6 * want)
                end
            end
        end
    end)

    it("sobel returns three images", function()
        for _, type in ipairs {"float", "vec3"} do
            local s = pictures.random(type, {7, 5})
            local at = pictures.reader(s, {"mirror"})
            local size, across, down = rill.image.sobel(s:boundary "mirror")
            local fx = weighed(at, {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}}, 1)
            local fy = weighed(at, {{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}}, 1)
            pictures.equal(fx, across, 2e-6)
            pictures.equal(fy, down, 2e-6)
            pictures.equal(function(...) return math.sqrt(fx(...) ^ 2 + fy(...) ^ 2) end, size, 2e-6)
        end
        local one = rill.image.sobel(rill.stream("float", {1, 1}, 3))
        assert.equal(0, one:get(1, 1))
    end)

    it("reads nothing out of range", function()
        rill.check(true)
        local done, message = pcall(function()
            rill.image.convolve(pictures.random("float", {4, 4}), rows_of(5, 5, 1)):values()
            rill.image.convolve(pictures.random("float", {4, 4}), rill.from(rows_of(5, 5, 1))):values()
        end)
        rill.check(false)
        assert.is_true(done, message)
    end)

    it("raises errors that name the argument", function()
        local s = rill.stream("float", {3, 3})
        local expected = "argument #2 'weights': expected rows of numbers of equal length, or a stream " ..
            "{rows, columns}, got "
        check.raises("rill.image.convolve: " .. expected .. "{{1, 2}, {3}}", rill.image.convolve, s, {{1, 2}, {3}})
        check.raises("rill.image.correlate: " .. expected .. "nil", rill.image.correlate, s)
        check.raises(expected, rill.image.convolve, s, {})
        check.raises(expected, rill.image.convolve, s, {{}})
        check.raises(expected, rill.image.convolve, s, {{"1"}})
        check.raises(expected, rill.image.convolve, s, rill.from {1, 2})
        check.raises(expected, rill.image.convolve, s, rill.stream("float", {0, 2}))
        check.raises("rill.image.convolve: unknown option 'border': expected boundary", rill.image.convolve, s, {{1}},
            {border = 1})
        check.raises("rill.image.convolve: option 'boundary': .*\"round\"", rill.image.convolve, s, {{1}},
            {boundary = "round"})
        check.raises("rill.image.correlate: .*got elements of ivec2", rill.image.correlate, s,
            rill.stream("ivec2", {2, 2}))
        expected = "expected a list of numbers, or a stream of one dimension, got "
        check.raises("rill.image.separable: argument #2 'wy': " .. expected .. "{}", rill.image.separable, s, {}, {1})
        check.raises("rill.image.separable: argument #3 'wx': " .. expected .. "number 1", rill.image.separable, s, {1},
            1)
    end)
end)
