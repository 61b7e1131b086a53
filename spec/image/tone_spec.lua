-- Compares rill.image.tonemap, cel and convert with double precision.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local pictures = require "spec.support.pictures"
local shortened = require "spec.support.shortened"

local WEIGHTS <const> = {0.2126, 0.7152, 0.0722}

local function luminance(p)
    return #p == 1 and p[1] or WEIGHTS[1] * p[1] + WEIGHTS[2] * p[2] + WEIGHTS[3] * p[3]
end

-- Returns the pixels as lists of numbers.
local function pixels_of(s)
    local list, values, n = {}, s:values(), pictures.components[s.type]
    for i = 1, #values, n do list[#list + 1] = {table.unpack(values, i, i + n - 1)} end
    return list
end

-- Returns f(pixel) for each pixel of s; alpha does not change.
local function assert_mapped(s, f, r, tolerance)
    local want = {}
    for i, p in ipairs(pixels_of(s)) do
        local q = f(p)
        want[i] = #p == 4 and #q >= 3 and {q[1], q[2], q[3], p[4]} or q
    end
    local columns = s.shape[2]
    pictures.equal(function(y, x, c) return want[y * columns + x + 1][c + 1] end, r, tolerance)
end

-- ---- colors

local function each(f) return function(p) return {f(p[1]), f(p[2]), f(p[3])} end end

local SPACES <const> = {}
SPACES.linear = each(function(x) return x <= 0.04045 and x / 12.92 or ((x + 0.055) / 1.055) ^ 2.4 end)
function SPACES.gray(p) return {luminance(p)} end
function SPACES.ycbcr(p)
    return {0.299 * p[1] + 0.587 * p[2] + 0.114 * p[3],
        0.5 - 0.168735892 * p[1] - 0.331264108 * p[2] + 0.5 * p[3],
        0.5 + 0.5 * p[1] - 0.418687589 * p[2] - 0.081312411 * p[3]}
end
function SPACES.hsv(p)
    local r, g, b = p[1], p[2], p[3]
    local most, least = math.max(r, g, b), math.min(r, g, b)
    local d = most - least
    local h = d == 0 and 0 or most == r and (g - b) / d % 6 or most == g and (b - r) / d + 2 or (r - g) / d + 4
    return {h / 6, most == 0 and 0 or d / most, most}
end
function SPACES.lab(p)
    local c = SPACES.linear(p)
    local function f(t) return t > (6 / 29) ^ 3 and t ^ (1 / 3) or t * (29 / 6) ^ 2 / 3 + 4 / 29 end
    local x = f((0.4124564 * c[1] + 0.3575761 * c[2] + 0.1804375 * c[3]) / 0.95047)
    local y = f(0.2126729 * c[1] + 0.7151522 * c[2] + 0.0721750 * c[3])
    local z = f((0.0193339 * c[1] + 0.1191920 * c[2] + 0.9503041 * c[3]) / 1.08883)
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)}
end

local function colors(type)
    local s = pictures.random(type, {5, 9}, 3)
    local corners = {{0, 0, 0}, {1, 1, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}, {0.5, 0.5, 0.5}, {0.02, 0.01, 0}}
    for i, c in ipairs(corners) do
        s:set(type == "vec4" and {c[1], c[2], c[3], 0.25} or c, 1, i)
    end
    return s
end

describe("tones and colors", function()
    leaks.watch(setup, teardown)

    shortened(it, "convert there and back, alpha as it is", function(whole)
        for _, type in ipairs(whole and {"vec3", "vec4"} or {"vec3"}) do
            local s = colors(type)
            for name, f in pairs(SPACES) do
                local r = rill.image.convert(s, "srgb", name)
                assert_mapped(s, f, r, name == "lab" and 1e-4 or 1e-6)
                if name ~= "gray" then
                    pictures.equal(pictures.reader(s), rill.image.convert(r, name, "srgb"),
                        rill.device().traits.exact_division and 5e-6 or 1e-5)
                end
            end
        end
    end)

    it("restore colors outside of the range, and keep NaN", function()
        local list, state = {
            {-1, -2, -3}, {0, -1, -2}, {-1, -1, -1}, {0, 0, 0}, {-0.5, 0, 0}, {1e-30, -1, 0}, {0, 0, -1},
            {-1e-20, -2e-20, -1}, {0, -1e10, -3}, {0, -1e-30, -2e-30}, {2, 3, 4},
        }, 5
        local function random()
            state = (state * 1103515245 + 12345) & 0x7fffffff
            return (state >> 8) % 2001 / 1000 - 1
        end
        for _ = 1, 60 do list[#list + 1] = {random(), -math.abs(random()), -math.abs(random())} end
        local s = rill.from({list}, "vec3")
        for _, name in ipairs {"linear", "hsv", "lab", "ycbcr"} do
            local back = pixels_of(rill.image.convert(rill.image.convert(s, "srgb", name), name, "srgb"))
            for i, p in ipairs(name == "hsv" and list or {table.unpack(list, 12)}) do
                local got = back[name == "hsv" and i or i + 11]
                local most = math.max(math.abs(p[1]), math.abs(p[2]), math.abs(p[3]))
                check.equal(p, got, name == "hsv" and 1e-6 * most or 2e-4)
            end
        end
        local broken = {}
        for i = 0, 23 do
            local p = {0.5 - i % 3, 0.25, -0.75}
            p[i // 3 % 3 + 1] = 0 / 0
            broken[i + 1] = p
        end
        s = rill.from({broken}, "vec3")
        for _, name in ipairs {"linear", "hsv", "lab", "ycbcr"} do
            local back = pixels_of(rill.image.convert(rill.image.convert(s, "srgb", name), name, "srgb"))
            for i, p in ipairs(broken) do
                for c = 1, 3 do assert.is_true(p[c] == p[c] or back[i][c] ~= back[i][c], name .. " " .. i) end
            end
        end
        assert.is_true(rill.isnan(rill.image.convert(rill.from({{{0 / 0, 0.5, 1}}}, "vec3"), "hsv", "srgb").x):all())
    end)

    it("convert between any two color spaces", function()
        local s = colors "vec4"
        local lab = rill.image.convert(rill.image.convert(s, "srgb", "hsv"), "hsv", "lab")
        assert_mapped(s, SPACES.lab, lab, 1e-4)
        local gray = rill.image.convert(s, "srgb", "gray")
        assert.equal("float", gray.type)
        local back = rill.image.convert(gray, "gray", "srgb")
        assert.equal("vec3", back.type)
        assert_mapped(gray, function(p) return {p[1], p[1], p[1]} end, back, 0)
        assert.is_true(s:bytes() == rill.image.convert(s, "lab", "lab"):bytes())
        assert.equal("0x3", tostring(rill.image.convert(rill.stream("vec3", {0, 3}), "srgb", "hsv").shape))
    end)

    shortened(it, "tonemap, linear and as Reinhard and others", function(whole)
        for _, type in ipairs(whole and {"float", "vec3", "vec4"} or {"float", "vec3"}) do
            local s = pictures.random(type, {6, 7}):map(("x * x * %s(40)"):format(type))
            local most, brightest, level, list = 0, 0, 0, pixels_of(s)
            for _, p in ipairs(list) do
                most = math.max(most, p[1], p[2] or 0, p[3] or 0)
                brightest = math.max(brightest, luminance(p))
                level = level + math.log(1e-6 + luminance(p)) / #list
            end
            local function scaled(p, f) return {f * p[1], p[2] and f * p[2], p[3] and f * p[3]} end
            local linear = rill.image.tonemap(s, {operator = "linear"})
            assert_mapped(s, function(p) return scaled(p, 1 / most) end, linear, 1e-6)
            local function reinhard(key, white)
                local to = key / math.exp(level)
                white = white or to * brightest
                return function(p)
                    local l = to * luminance(p)
                    return scaled(p, to * (1 + l / white ^ 2) / (1 + l))
                end
            end
            assert_mapped(s, reinhard(0.18), rill.image.tonemap(s), 5e-6)
            assert_mapped(s, reinhard(0.4, 3), rill.image.tonemap(s, {key = 0.4, white = 3}), 5e-6)
        end
    end)

    it("tonemap black pictures, single pixels and NaN", function()
        local black = rill.stream("vec3", {3, 2})
        for _, operator in ipairs {"linear", "reinhard"} do
            assert.is_true(black:bytes() == rill.image.tonemap(black, {operator = operator}):bytes())
            local one = rill.image.tonemap(rill.stream("float", {1, 1}, 7), {operator = operator})
            assert.is_true(math.abs(one:get(1, 1) - 1) < 1e-5)
            local s = rill.from {{1, 0 / 0, 4}}
            local with, without = rill.image.tonemap(s, {operator = operator}), s:get(1, 2)
            assert.is_true(without ~= without and math.abs(with:get(1, 3) - 1) < 1e-5)
            assert.equal("2x0", tostring(rill.image.tonemap(rill.stream("float", {2, 0}), {operator = operator}).shape))
        end
    end)

    it("tonemap ignores negative, NaN and infinite components", function()
        local nan <const>, inf <const> = 0 / 0, math.huge
        local s = rill.from({{{1, 2, 3}, {0, 0, 0}, {nan, 1, 1}, {100, 0, 0}, {inf, 2, nan}, {-inf, -3, 1}}}, "vec3")
        local black = rill.from({{{1, 2, 3}, {0, 0, 0}, {0, 1, 1}, {100, 0, 0}, {0, 2, 0}, {0, 0, 1}}}, "vec3")
        for _, operator in ipairs {"linear", "reinhard"} do
            local got = rill.image.tonemap(s, {operator = operator}):values()
            local want = rill.image.tonemap(black, {operator = operator}):values()
            for i, v in ipairs(s:values()) do
                if v ~= v or v == inf or v == -inf then
                    assert.equal(tostring(math.abs(v)), tostring(math.abs(got[i])))
                elseif v >= 0 then
                    assert.near(want[i], got[i], 1e-6, operator .. " component " .. i)
                end
            end
            assert(got[8] > 0 and math.max(got[8], got[9]) <= 1)
            for _, row in ipairs {{inf, nan}, {-inf, 0}, {-1, -2}} do
                local one = rill.from {row}
                assert.equal(table.concat(one:values(), " "),
                    table.concat(rill.image.tonemap(one, {operator = operator}):values(), " "))
            end
        end
    end)

    it("tonemap does not depend on the unit of light", function()
        local row = {1, 0.1, 0.25, 0.5, 0.01}
        for _, operator in ipairs {"linear", "reinhard"} do
            local want = rill.image.tonemap(rill.from {row}, {operator = operator}):values()
            local least = rill.device().traits.denormals and -132 or -110
            for _, power in ipairs {least, math.max(least, -126), -100, -64, -63, -20, 20, 64, 65, 127} do
                local scaled = {}
                for i, v in ipairs(row) do scaled[i] = v * 2.0 ^ power end
                check.equal(want, rill.image.tonemap(rill.from {scaled}, {operator = operator}):values(),
                    power < -126 and 2e-2 or 1e-5)
            end
        end
        if rill.device().traits.denormals then
            local dim = rill.image.tonemap(rill.from {{1e-40, 1e-41}}, {operator = "linear"})
            check.equal({1, 0.1}, dim:values(), 1e-4)
        end
        for _, white in ipairs {1e-30, 1e30} do
            local r = rill.image.tonemap(rill.from {{0, 1}}, {white = white}):values()
            assert.equal(0, r[1])
        end
    end)

    it("cel gives the requested number of levels in every component", function()
        local ramp = rill.stream("float", {1, 14}, function(_, j) return (j - 3) / 8 end)
        ramp:set(0 / 0, 1, 14)
        local want = {0, 0, 0, 0, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 1, 1, 1, 1, 1, 0 / 0}
        check.equal(want, rill.image.cel(ramp):values(), 1e-6)
        for _, type in ipairs {"vec3", "vec4"} do
            local s = pictures.random(type, {4, 5})
            assert_mapped(s, function(p)
                return {math.floor(3 * p[1]) / 2, math.floor(3 * p[2]) / 2, math.floor(3 * p[3]) / 2}
            end, rill.image.cel(s, {levels = 3}), 1e-6)
        end
    end)

    it("handle a single pixel", function()
        local gray, color = rill.from {{0.25}}, rill.from({{{0.1, 0.2, 0.3}}}, "vec3")
        assert.same({{0.25}}, rill.image.equalize(gray):read())
        assert.equal(0.25, rill.image.otsu(gray))
        assert.same({{true}}, rill.image.threshold(gray, 0.2):read())
        check.equal({1 / 3}, rill.image.cel(gray):values(), 1e-6)
        check.equal({7 / 12, 2 / 3, 0.3}, rill.image.convert(color, "srgb", "hsv"):values(), 1e-6)
    end)

    it("raise errors that name the argument", function()
        local s, c = rill.stream("float", {2, 2}), rill.stream("vec3", {2, 2})
        check.raises("rill.image.tonemap: option 'operator': expected \"linear\" or \"reinhard\", got \"log\"",
            rill.image.tonemap, s, {operator = "log"})
        check.raises("rill.image.tonemap: option 'white': expected a number above 0, got number 0", rill.image.tonemap,
            s, {white = 0})
        check.raises("rill.image.cel: option 'levels': expected a whole number from 2 to 1048576, got number 1",
            rill.image.cel, s, {levels = 1})
        local expected = "expected \"srgb\", \"linear\", \"hsv\", \"lab\", \"ycbcr\" or \"gray\", got "
        check.raises("rill.image.convert: argument #2 'from': " .. expected .. "\"rgb\"", rill.image.convert, c, "rgb",
            "lab")
        check.raises("rill.image.convert: argument #3 'to': " .. expected .. "nil", rill.image.convert, c, "srgb")
        check.raises("rill.image.convert: an image in 'lab' must be of vec3 or vec4, got float", rill.image.convert,
            s, "lab", "srgb")
        check.raises("rill.image.convert: an image in 'gray' must be of float, got vec3", rill.image.convert, c,
            "gray", "srgb")
    end)
end)
