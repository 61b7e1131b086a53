-- Compares rill.image.gaussian with sums in double precision.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local pictures = require "spec.support.pictures"
local shortened = require "spec.support.shortened"
local LONG <const> = os.getenv "RILL_SUITE_LONG"

local function gauss(sigma)
    local radius, weights, total = math.ceil(3 * sigma), {}, 0
    for k = -radius, radius do
        weights[k] = k == 0 and 1 or math.exp(-k * k / (2 * sigma * sigma))
        total = total + weights[k]
    end
    for k = -radius, radius do weights[k] = weights[k] / total end
    return radius, weights
end

-- Sums over the whole square at once, which the two passes must equal.
local function blurred(at, sigma)
    local radius, weights = gauss(sigma)
    return function(y, x, c)
        local sum = 0
        for j = -radius, radius do
            for i = -radius, radius do
                sum = sum + weights[j] * weights[i] * at(y + j, x + i, c)
            end
        end
        return sum
    end
end

local function assert_blurred(s, sigma, modes)
    local before = s:bytes()
    local view = modes and s:boundary(table.unpack(modes)) or s
    local r = rill.image.gaussian(view, sigma)
    assert.equal(s.type .. tostring(s.shape), r.type .. tostring(r.shape))
    pictures.equal(blurred(pictures.reader(s, modes), sigma), r, 1e-6)
    assert.is_true(before == s:bytes(), "the input unchanged")
    assert.is_true(r:bytes() == rill.image.gaussian(view, sigma):bytes(), "the same bits again")
end

describe("rill.image.gaussian", function()
    leaks.watch(setup, teardown)

    it("agrees with plain Lua for every boundary and shape, also if it is wider than the image", function()
        for _, shape in ipairs {{9, 11}, {1, 1}, {1, 8}, {5, 1}, {2, 3}} do
            local s = pictures.random("float", shape)
            for _, modes in ipairs(LONG and pictures.borders or {{"wrap"}, {"mirror"}, {"clamp", -1.5}}) do
                assert_blurred(s, 0.6, modes)
            end
        end
    end)

    shortened(it, "of vectors", function(whole)
        assert_blurred(pictures.random("vec3", {6, 7}), 0.6)
        if not whole then return end
        assert_blurred(pictures.random("vec4", {7, 5}), 0.6, {"wrap"})
        assert_blurred(pictures.random("vec3", {2, 3}), 0.6, {"mirror"})
        assert_blurred(pictures.random("vec4", {2, 70}), 11)
    end)

    shortened(it, "of more weights than a kernel takes, part by part", function(whole)
        assert_blurred(pictures.random("float", {40, 3}), 6, {"mirror", 0.5})
        if not whole then return end
        assert_blurred(pictures.random("float", {13, 40}), 6)
        assert_blurred(pictures.random("float", {3, 4}), 50, {"wrap"})
        assert_blurred(pictures.random("float", {20, 4}), 20)
    end)

    it("takes small types, expressions and views", function()
        local s = pictures.random("float", {12, 10})
        local view = s:transpose():domain({2, 3}, {9, 9})
        local want = rill.image.gaussian(view:copy(), 0.6)
        assert.is_true(want:bytes() == rill.image.gaussian(view, 0.6):bytes())
        assert.is_true(want:bytes() == rill.image.gaussian(view * 1, 0.6):bytes())
        local half = view:cast "half"
        local r = rill.image.gaussian(half, 0.6)
        assert.equal("float", r.type)
        assert.is_true(rill.image.gaussian(half:cast "float", 0.6):bytes() == r:bytes())
    end)

    it("keeps constant images, and every image if sigma is 0", function()
        for _, value in ipairs(rill.image.gaussian(rill.stream("float", {9, 9}, 0.75), 3):values()) do
            assert.is_true(math.abs(value - 0.75) < 1e-6)
        end
        local s = pictures.random("vec3", {4, 5})
        assert.is_true(s:bytes() == rill.image.gaussian(s, 0):bytes())
    end)

    it("spreads NaN up to its radius", function()
        local s = pictures.random("float", {9, 9})
        s:set(0 / 0, 5, 5)
        local r = rill.image.gaussian(s, 0.6)
        for i, j, value in r:each() do
            assert.equal(math.max(math.abs(i - 5), math.abs(j - 5)) <= 2, value ~= value)
        end
    end)

    it("returns an empty image for an empty image", function()
        assert.equal("0x4", tostring(rill.image.gaussian(rill.stream("float", {0, 4}), 2).shape))
        assert.equal("3x0", tostring(rill.image.gaussian(rill.stream("vec3", {3, 0}), 2).shape))
    end)

    it("raises errors that name the argument", function()
        local s = rill.stream("float", {3, 3})
        local expected = "rill.image.gaussian: argument #1 's': expected an image, a stream {rows, columns} of " ..
            "float, vec3 or vec4, got "
        check.raises(expected .. "nil", rill.image.gaussian)
        check.raises(expected .. "closed stream", rill.image.gaussian, (function()
            local closed <close> = rill.stream("float", {1, 1})
            return closed
        end)(), 1)
        check.raises(expected .. "elements of int", rill.image.gaussian, rill.iota {3, 3}, 1)
        check.raises(expected .. "shape 9", rill.image.gaussian, rill.stream("float", 9), 1)
        local deviation = "argument #2 'sigma': expected a number from 0 to 100000, got "
        check.raises(deviation .. "number %-1", rill.image.gaussian, s, -1)
        check.raises(deviation .. "number nan", rill.image.gaussian, s, 0 / 0)
        check.raises(deviation .. '"2"', rill.image.gaussian, s, "2")
        check.raises(deviation .. "nil", rill.image.gaussian, s)
    end)
end)
