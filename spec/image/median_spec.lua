-- Compares rill.image.median with sorted windows, bit for bit.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local pictures = require "spec.support.pictures"
local tempfiles = require "spec.support.tempfiles"

-- The order of the median: -0 before 0, NaN last.
local function before(a, b)
    if a ~= a or b ~= b then return a == a and b ~= b end
    return a < b or a == b and 1 / a < 1 / b
end

local function sorted_middle(at, radius)
    return function(y, x, c)
        local list = {}
        for j = -radius, radius do
            for i = -radius, radius do list[#list + 1] = at(y + j, x + i, c) end
        end
        table.sort(list, before)
        return list[#list // 2 + 1]
    end
end

local function assert_median(s, radius, modes)
    local unchanged = s:bytes()
    local view = modes and s:boundary(table.unpack(modes)) or s
    local r = rill.image.median(view, radius)
    assert.equal(tostring(s.shape), tostring(r.shape))
    pictures.equal(sorted_middle(pictures.reader(s, modes), radius), r, 0)
    assert.is_true(unchanged == s:bytes(), "the input unchanged")
    return r
end

describe("rill.image.median", function()
    leaks.watch(setup, teardown)

    it("agrees with sorting for every boundary and shape, also if it is wider than the image", function()
        for _, shape in ipairs {{7, 10}, {1, 1}, {1, 9}, {5, 1}, {2, 3}} do
            local s = pictures.random("float", shape)
            for i, modes in ipairs(pictures.borders) do
                assert_median(s, i % 3 + 1, modes)
            end
        end
        for radius = 0, 4 do
            assert_median(pictures.random("float", {9, 18}), radius)
        end
    end)

    it("filters vectors component by component", function()
        for _, type in ipairs {"vec3", "vec4"} do
            for radius = 0, 3, 3 do
                assert_median(pictures.random(type, {5, 7}), radius, {"mirror", 0.375})
            end
        end
        assert_median(pictures.random("vec3", {5, 7}), 1)
    end)

    it("orders NaN after all numbers, infinities, and zeros by their sign", function()
        local odd <const> = {0 / 0, -(0 / 0), 1 / 0, -1 / 0, 0.0, -0.0, 1e-40, -1e-40, 3.5, -3.5, 1e38}
        local values = {}
        for i = 1, 96 do values[i] = odd[i * i * 7 % 11 + 1] end
        local s = rill.stream("float", {8, 12}, values)
        for radius = 1, 3 do
            local r = assert_median(s, radius)
            local want = sorted_middle(pictures.reader(s), radius)
            for y = 1, 8 do
                for x = 1, 12 do
                    local v = r:get(y, x)
                    assert.is_true(v ~= v or 1 / v == 1 / want(y - 1, x - 1, 0))
                end
            end
        end
        local nothing = rill.stream("float", {4, 4}, 0 / 0)
        assert.is_true(rill.image.median(nothing, 1):get(2, 2) ~= 0)
    end)

    it("takes views, small types and expressions", function()
        local s = pictures.random("float", {12, 14})
        local part = s:domain({2, 3}, {9, 12})
        assert.equal(rill.image.median(part:copy(), 1):bytes(), rill.image.median(part, 1):bytes())
        assert.equal(rill.image.median(part:copy(), 3):bytes(), rill.image.median(part, 3):bytes())
        assert.equal(rill.image.median(s:transpose():copy(), 2):bytes(), rill.image.median(s:transpose(), 2):bytes())
        assert.equal(rill.image.median(s, 1):bytes(), rill.image.median(s + 0, 1):bytes())
        local half = s:cast "half"
        for _, radius in ipairs {0, 1, 3} do
            local r = rill.image.median(half, radius)
            assert.equal("float", r.type)
            assert.equal(rill.image.median(half:cast "float", radius):bytes(), r:bytes())
        end
    end)

    it("handles windows that are counted in parts", function()
        local s = pictures.random("float", {3, 2})
        assert_median(s, 125)
    end)

    it("reads outside of the image under rill.check", function()
        local s <const> = rill.stream("float", {2, 3}, {5, 1, 4, 2, 6, 3})
        rill.check(true)
        local done <const>, what <const> = pcall(function()
            return {rill.image.median(s, 1):values(), rill.image.median(s, 3):values()}
        end)
        rill.check(false)
        assert(done, what)
        assert.same({rill.image.median(s, 1):values(), rill.image.median(s, 3):values()}, what)
    end)

    it("handles empty images, and refuses invalid arguments", function()
        assert.equal("0x5", tostring(rill.image.median(rill.stream("float", {0, 5}), 1).shape))
        assert.equal("5x0", tostring(rill.image.median(rill.stream("vec3", {5, 0}), 4).shape))
        local s = rill.stream("float", {3, 3})
        for _, radius in ipairs {-1, 0.5, 0 / 0, 1 / 0, 2 ^ 31, "1", {}} do
            check.raises("rill.image.median: argument #2 'radius': expected a whole number from 0 to 16383",
                rill.image.median, s, radius)
        end
        check.raises("argument #2 'radius'", rill.image.median, s)
        check.raises("argument #1 's': expected an image", rill.image.median, rill.stream("float", 9), 1)
        check.raises("argument #1 's': expected an image", rill.image.median, rill.stream("int", {3, 3}), 1)
    end)

    it("agrees with sorting on camera.pgm", function()
        local data, why = tempfiles.data()
        if not data then return pending(why) end
        local s = rill.image.load(data .. "/images/camera.pgm")
        for radius, want in ipairs {{33796852, 0x41e50617}, {33793341, 0xcf1ab9f8}} do
            local bytes = rill.stream("uint8", s.shape)
            rill.kernel "kernel void to_byte(float x<>, out uint r<>) { r = uint(round(255.0 * x)); }" (
                rill.image.median(s, radius), bytes)
            assert.same(want, {bytes:cast "uint":sum(), pictures.crc32(bytes:bytes())})
        end
    end)
end)
