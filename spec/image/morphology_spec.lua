-- Compares rill.image.erode, dilate, open and close with plain Lua.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local pictures = require "spec.support.pictures"
local shortened = require "spec.support.shortened"
local LONG <const> = os.getenv "RILL_SUITE_LONG"

local function square(radius)
    local rows = {}
    for j = 1, 2 * radius + 1 do
        rows[j] = {}
        for i = 1, 2 * radius + 1 do rows[j][i] = 1 end
    end
    return rows
end

-- Returns the least or the largest pixel selected by a mask around each pixel; a dilation flips the mask.
local function step(at, name, rows)
    local way = name == "dilate" and -1 or 1
    return function(y, x, c)
        local best
        for j, row in ipairs(rows) do
            for i, value in ipairs(row) do
                local dy, dx = way * (j - 1 - #rows // 2), way * (i - 1 - #row // 2)
                local there = value and value ~= 0 and at(y + dy, x + dx, c)
                if there and (not best or there ~= there or name == "dilate" and there > best or
                    name == "erode" and there < best) then
                    best = there
                end
            end
        end
        return best
    end
end

local function view_of(s, modes)
    return modes and s:boundary(table.unpack(modes)) or s
end

-- `shape`: the argument for rill; rows: the mask that it stands for.
local function assert_steps(s, shape, rows, modes)
    local before, view = s:bytes(), view_of(s, modes)
    local first = {}
    for _, name in ipairs {"erode", "dilate"} do
        first[name] = rill.image[name](view, shape)
        pictures.equal(step(pictures.reader(s, modes), name, rows), first[name], 0)
    end
    local opened = step(pictures.reader(first.erode, modes), "dilate", rows)
    local closed = step(pictures.reader(first.dilate, modes), "erode", rows)
    pictures.equal(opened, rill.image.open(view, shape), 0)
    pictures.equal(closed, rill.image.close(view, shape), 0)
    assert.is_true(before == s:bytes(), "the input unchanged")
end

local ODD <const> = {{1, 0, 1, 1}, {false, true, true, false}, {0, 0, 1, 0}}

describe("morphology", function()
    leaks.watch(setup, teardown)

    it("agrees with plain Lua for squares, every boundary and shape", function()
        for _, modes in ipairs(pictures.borders) do
            for _, shape in ipairs {{6, 7}, {1, 1}, {1, 5}, {3, 1}} do
                assert_steps(pictures.random("float", shape), 2, square(2), modes)
            end
        end
    end)

    it("agrees for squares that need several passes", function()
        for _, modes in ipairs {{"mirror"}, {"clamp", -1}, LONG and {"clamp"}, LONG and {"wrap"}, LONG and {0.5}} do
            local s = pictures.random("float", {20, 36})
            local view = view_of(s, modes)
            for _, name in ipairs {"erode", "dilate"} do
                pictures.equal(step(pictures.reader(s, modes), name, square(17)), rill.image[name](view, 17), 0)
            end
        end
    end)

    shortened(it, "by masks", function(whole)
        for _, modes in ipairs(whole and pictures.borders or {{"clamp"}, {"wrap"}, {0.25}}) do
            assert_steps(pictures.random("float", {6, 7}), ODD, ODD, modes)
            assert_steps(pictures.random("float", {1, 3}), ODD, ODD, modes)
        end
        local numbers = rill.from {{1, 0, 1, 1}, {0, 1, 1, 0}, {0, 0, 1, 0}}
        assert_steps(pictures.random("float", {6, 7}), numbers, ODD)
        assert_steps(pictures.random("float", {6, 7}), numbers:gt(0), ODD)
        assert_steps(pictures.random("float", {9, 8}), square(3), square(3))
        assert_steps(pictures.random("float", {5, 5}), 0, square(0))
    end)

    shortened(it, "of vectors", function(whole)
        assert_steps(pictures.random("vec3", {5, 6}), ODD, ODD)
        if not whole then return end
        assert_steps(pictures.random("vec4", {5, 6}), 2, square(2), {"wrap"})
        assert_steps(pictures.random("vec3", {5, 6}), rill.from(square(2)), square(2), {"mirror"})
    end)

    it("handles masks that need several launches #long", function()
        local s, rows = pictures.random("float", {9, 7}), square(40)
        assert_steps(s, rows, rows)
    end)

    it("propagates NaN", function()
        local s = pictures.random("float", {5, 5})
        s:set(0 / 0, 3, 3)
        for _, shape in ipairs {1, rill.from(square(1))} do
            for _, name in ipairs {"erode", "dilate"} do
                for i, j, value in rill.image[name](s, shape):each() do
                    assert.equal(math.max(math.abs(i - 3), math.abs(j - 3)) <= 1, value ~= value)
                end
            end
        end
    end)

    it("is idempotent for open and close", function()
        local s = pictures.random("float", {13, 17})
        for _, name in ipairs {"open", "close"} do
            local once = rill.image[name](s, 2)
            assert.is_true(once:bytes() == rill.image[name](once, 2):bytes())
        end
    end)

    it("handles empty images, and refuses invalid arguments", function()
        assert.equal("0x4", tostring(rill.image.open(rill.stream("float", {0, 4}), 2).shape))
        local s = rill.stream("float", {3, 3})
        local expected = "argument #2: expected a radius, a whole number from 0 to 10000, or a mask of rows and " ..
            "columns, got "
        check.raises("rill.image.erode: " .. expected .. "number 1.5", rill.image.erode, s, 1.5)
        check.raises("rill.image.close: " .. expected .. "number %-1", rill.image.close, s, -1)
        check.raises("rill.image.open: " .. expected .. "nil", rill.image.open, s)
        check.raises("rill.image.dilate: " .. expected .. "{{1, 2}, {3}}", rill.image.dilate, s, {{1, 2}, {3}})
        check.raises(expected .. "stream", rill.image.dilate, s, rill.from {1, 2})
    end)
end)
