-- Compares rill.image.integral, equalize, otsu and threshold with plain Lua in double precision.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local pictures = require "spec.support.pictures"
local tempfiles = require "spec.support.tempfiles"

local image <const> = rill.image

-- Returns the curve of one component, for 256 bins from 0 to 1, as a function of a value.
local function equalizer(values)
    local counts, total = {}, 0
    local function bin(v) return math.max(0, math.min(255, v * 256 // 1)) end
    for _, v in ipairs(values) do
        if v == v then
            counts[bin(v)] = (counts[bin(v)] or 0) + 1
            total = total + 1
        end
    end
    local lowest = 0
    while lowest < 255 and not counts[lowest] do lowest = lowest + 1 end
    return function(v)
        local sum = 0
        if v ~= v or total == counts[lowest] then return v end
        for k = lowest + 1, bin(v) do sum = sum + (counts[k] or 0) end
        return check.float32(sum / (total - counts[lowest]))
    end
end

local function assert_equalized(s)
    local values, n = s:values(), pictures.components[s.type]
    local colored = math.min(n, 3)
    local curves = {}
    for c = 1, colored do
        local plane = {}
        for i = c, #values, n do plane[#plane + 1] = values[i] end
        curves[c] = equalizer(plane)
    end
    local unchanged = s:bytes()
    local want = {}
    for i, v in ipairs(values) do
        local c = (i - 1) % n + 1
        want[i] = c <= colored and curves[c](v) or v
    end
    check.equal(want, image.equalize(s):values())
    assert.is_true(unchanged == s:bytes(), "the input unchanged")
end

-- Tries all thresholds that are values of the image.
local function otsu_by_trying(values)
    local best, most
    table.sort(values)
    for i = 1, #values - 1 do
        if values[i] ~= values[i + 1] then
            local low, high = 0, 0
            for k = 1, i do low = low + values[k] end
            for k = i + 1, #values do high = high + values[k] end
            local apart = i * (#values - i) * (low / i - high / (#values - i)) ^ 2
            if not most or apart > most * (1 + 1e-12) then
                best, most = values[i], apart
            end
        end
    end
    return best or values[1]
end

describe("rill.image.integral", function()
    leaks.watch(setup, teardown)

    it("is the sum of the pixels above and to the left", function()
        for _, case in ipairs {
            {"float", {7, 9}}, {"vec3", {5, 6}}, {"vec4", {1, 4}}, {"float", {1, 1}}, {"float", {40, 1}},
        } do
            local s = pictures.random(case[1], case[2])
            local at = pictures.reader(s)
            pictures.equal(function(y, x, c)
                local sum = 0
                for j = 0, y do
                    for i = 0, x do sum = sum + at(j, i, c) end
                end
                return sum
            end, image.integral(s), 1e-5)
        end
        local s = rill.stream("float", {300, 500}, 1)
        assert.equal(150000.0, image.integral(s):get(300, 500))
        assert.equal("0x3", tostring(image.integral(rill.stream("float", {0, 3})).shape))
    end)
end)

describe("rill.image.equalize", function()
    leaks.watch(setup, teardown)

    it("spreads each component's levels, bit for bit as the reference", function()
        assert_equalized(pictures.random("float", {13, 17}))
        assert_equalized((pictures.random("float", {13, 17}) * 0.3 - 0.1):eval())
        assert_equalized(pictures.random("vec3", {9, 8}))
        assert_equalized(pictures.random("vec4", {9, 8}))
        assert_equalized(rill.stream("float", {4, 4}, 0.25))
        assert_equalized(rill.from {{0 / 0, 0.5, 1 / 0, -1 / 0, 1, 0}})
        local levels = rill.stream("float", {16, 16}, function(i, j) return (16 * (i - 1) + j - 1) / 255 end)
        check.equal(levels:values(), image.equalize(levels):values(), 1e-7)
        assert.equal("0x3", tostring(image.equalize(rill.stream("vec3", {0, 3})).shape))
    end)

    it("takes the options bins, min and max", function()
        local s = rill.from {{0, 10, 20, 30, 40}}
        local part = check.float32(2 / 3)
        check.equal({0, 0, part, part, 1}, image.equalize(s, {bins = 3, min = 0, max = 48}):values())
        check.raises("rill.image.equalize: options 'min' and 'max': expected min below max", image.equalize, s,
            {min = 2, max = 1})
        check.raises("option 'bins': expected a whole number from 1 to 16384, got number 0", image.equalize, s,
            {bins = 0})
    end)
end)

describe("rill.image.otsu", function()
    leaks.watch(setup, teardown)

    it("returns the best of all thresholds", function()
        for seed = 1, 6 do
            local s = rill.random({11, 14}, {seed = seed, type = "int", low = 10, high = 200})
            s = seed % 2 == 0 and (s * s):eval() or s
            local gray = (s:cast "float" / 255):eval()
            assert.equal(otsu_by_trying(gray:values()), image.otsu(gray, {bins = 65536}))
        end
        assert.equal(0.25, image.otsu(rill.from {{0.25, 0.25, 0.75}}))
        assert.equal(0.25, image.otsu(rill.from {{0.25, 0 / 0, 1 / 0, 0.75, -1 / 0, 0.125}}))
    end)

    it("handles images of one level and without values", function()
        assert.equal(0.5, image.otsu(rill.stream("float", {3, 3}, 0.5)))
        assert.is_nil(image.otsu(rill.stream("float", {0, 3})))
        assert.is_nil(image.otsu(rill.stream("float", {2, 2}, 0 / 0)))
        check.names({"rill.image.otsu: argument #1 's': expected an image of float", "vec3"}, image.otsu,
            rill.stream("vec3", {2, 2}))
    end)

    it("agrees with the reference on camera.pgm and its histogram", function()
        local data, why = tempfiles.data()
        if not data then return pending(why) end
        local s = image.load(data .. "/images/camera.pgm")
        assert.equal(check.float32(102 / 255), image.otsu(s))
        local h = s:histogram {bins = 256, min = 0, max = 1}:values()
        assert.same({1, 700, 271, 4957}, {h[1], h[129], h[256], h[28]})
    end)
end)

describe("rill.image.threshold", function()
    leaks.watch(setup, teardown)

    it("is true above the threshold, not at it", function()
        local s = rill.from {{0, 0.5, 1, 0 / 0, -1 / 0, 1 / 0}}
        assert.same({false, false, true, false, false, true}, image.threshold(s, 0.5):values())
        assert.equal("bool", image.threshold(s, 0.5).type)
        check.raises("rill.image.threshold: argument #2 't': expected a number", image.threshold, s, 0 / 0)
        check.raises("argument #2 't'", image.threshold, s)
        check.raises("argument #1 's': expected an image of float", image.threshold, rill.stream("vec3", {2, 2}), 1)
    end)
end)
