-- Compares rill.image.distance with brute force, to the last bit of a float.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

-- Returns the root of the least squared distance, for flat tables of booleans in row-major order.
local function by_trying_all(values, rows, columns)
    local zeros, r = {}, {}
    for i, v in ipairs(values) do
        if not v then zeros[#zeros + 1] = {(i - 1) // columns, (i - 1) % columns} end
    end
    for i = 0, rows * columns - 1 do
        local y, x, least = i // columns, i % columns, math.huge
        for _, zero in ipairs(zeros) do
            least = math.min(least, (y - zero[1]) ^ 2 + (x - zero[2]) ^ 2)
        end
        r[i + 1] = check.float32(math.sqrt(least))
    end
    return r
end

local function assert_distance(mask)
    local unchanged = mask:bytes()
    local want = by_trying_all(mask:values(), mask.shape[1], mask.shape[2])
    local r = rill.image.distance(mask)
    assert.equal("float", r.type)
    assert.equal(tostring(mask.shape), tostring(r.shape))
    check.equal(want, r:values())
    assert.is_true(unchanged == mask:bytes(), "the input unchanged")
    assert.is_true(r:bytes() == rill.image.distance(mask):bytes(), "the same bits again")
end

local function random(shape, share, seed)
    return rill.random(shape, {seed = seed or 1}):lt(share):eval()
end

describe("rill.image.distance", function()
    leaks.watch(setup, teardown)

    shortened(it, "of random masks, dense and sparse, of every shape", function(whole)
        local shapes = {{1, 1}, {1, 9}, {9, 1}, {2, 3}, {8, 8}, {17, 13}, {33, 6}}
        if whole then
            table.move({{31, 32}, {64, 33}, {65, 31}, {7, 130}, {129, 8}}, 1, 5, #shapes + 1, shapes)
        end
        for i, shape in ipairs(shapes) do
            for _, share in ipairs {0, 0.3, 0.9, 0.98, 1} do assert_distance(random(shape, share, i)) end
        end
    end)

    it("is exact for one false pixel at any position", function()
        for _, place in ipairs {{1, 1}, {11, 19}, {6, 10}, {1, 19}} do
            local mask = rill.stream("bool", {11, 19}, true)
            mask:set(false, table.unpack(place))
            assert_distance(mask)
        end
    end)

    it("is infinite if no pixel is false, and empty for an empty mask", function()
        assert.equal(math.huge, rill.image.distance(rill.stream("bool", {3, 4}, true)):min())
        assert.equal("0x4", tostring(rill.image.distance(rill.stream("bool", {0, 4})).shape))
        assert.equal("4x0", tostring(rill.image.distance(rill.stream("bool", {4, 0})).shape))
    end)

    it("takes numbers, views and expressions: nonzero is true", function()
        local s = rill.random({12, 15}, {seed = 4})
        local mask = s:gt(0.1):eval()
        local want = rill.image.distance(mask):bytes()
        assert.equal(want, rill.image.distance(s:gt(0.1)):bytes())
        assert.equal(want, rill.image.distance(mask:cast "int"):bytes())
        assert.equal(want, rill.image.distance(rill.where(mask, -0.5, 0)):bytes())
        assert.equal(want, rill.image.distance(rill.where(mask, 0 / 0, 0)):bytes())
        assert_distance(mask:domain({3, 2}, {10, 14}))
        assert_distance(mask:transpose())
        assert_distance(mask:stride(2))
    end)

    it("handles sizes whose squares exceed 32 bits", function()
        for _, shape in ipairs {{1, 70000}, {70000, 1}} do
            local mask = rill.stream("bool", shape, true)
            mask:set(false, 1, 1)
            local r = rill.image.distance(mask)
            assert.equal(69999.0, r:get(table.unpack(shape)))
            assert.equal(69999.0 * 35000, r:cast "double":sum())
        end
    end)

    it("handles a large image with two false pixels #long", function()
        local rows <const>, columns <const> = 1500, 2100
        local mask = rill.stream("bool", {rows, columns}, true)
        mask:set(false, 41, 2001):set(false, 1401, 301)
        local off = rill.kernel [[
            kernel double off(float r<>) {
                dvec2 p = dvec2(indexof(r).xy), a = p - dvec2(2000, 40), b = p - dvec2(300, 1400);
                return abs(double(r) - double(float(sqrt(min(dot(a, a), dot(b, b))))));
            }
        ]]
        assert.equal(0.0, off(rill.image.distance(mask)):max())
    end)

    it("refuses arguments that are not masks", function()
        local expected <const> = "rill.image.distance: argument #1 'mask': expected a mask, a stream " ..
            "{rows, columns} of bool or numbers, got "
        for _, case in ipairs {
            {nil, "nil"}, {3, "number 3"}, {{}, "{}"}, {rill.stream("bool", 9), "shape 9"},
            {rill.stream("bool", {2, 2, 2}), "shape 2x2x2"}, {rill.stream("vec3", {2, 2}), "elements of vec3"},
        } do
            check.names({expected .. case[2]}, rill.image.distance, case[1])
        end
        local closed = rill.stream("bool", {2, 2})
        closed:close()
        check.names({"closed stream"}, rill.image.distance, closed)
    end)
end)
