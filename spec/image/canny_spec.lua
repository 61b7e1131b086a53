-- Compares rill.image.canny with plain Lua. Images have small integers and are not smoothed, so that gradients and thresholds are exact.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local pictures = require "spec.support.pictures"
local shortened = require "spec.support.shortened"

-- Returns the squares of gradients, in 64ths, and the offset along each.
local function gradients(at, rows, columns)
    local sizes, ways = {}, {}
    for y = 0, rows - 1 do
        for x = 0, columns - 1 do
            local a, b, c, d = at(y - 1, x - 1, 0), at(y - 1, x + 1, 0), at(y + 1, x - 1, 0), at(y + 1, x + 1, 0)
            local gx = b - a + 2 * (at(y, x + 1, 0) - at(y, x - 1, 0)) + d - c
            local gy = c - a + 2 * (at(y + 1, x, 0) - at(y - 1, x, 0)) + d - b
            local tangent, k = math.tan(math.pi / 8), y * columns + x
            sizes[k] = gx * gx + gy * gy
            local slanted = (gx > 0) == (gy > 0) and {1, 1} or {-1, 1}
            ways[k] = math.abs(gy) <= tangent * math.abs(gx) and {1, 0} or
                math.abs(gx) <= tangent * math.abs(gy) and {0, 1} or slanted
        end
    end
    return sizes, ways
end

local function ridges(at, rows, columns, low, high)
    local sizes, ways = gradients(at, rows, columns)
    local function size(y, x) return y >= 0 and y < rows and x >= 0 and x < columns and sizes[y * columns + x] or 0 end
    local marks = {}
    for y = 0, rows - 1 do
        for x = 0, columns - 1 do
            local here, way = size(y, x), ways[y * columns + x]
            local ridge = here > 0 and here > size(y - way[2], x - way[1]) and here >= size(y + way[2], x + way[1])
            marks[y * columns + x] = ridge and (here >= (8 * high) ^ 2 and 2 or here >= (8 * low) ^ 2 and 1) or 0
        end
    end
    return marks
end

-- Flood fill from the strong ridges.
local function kept(marks, rows, columns)
    local found, stack = {}, {}
    for k, mark in pairs(marks) do
        if mark == 2 then found[k], stack[#stack + 1] = true, k end
    end
    while #stack > 0 do
        local k = table.remove(stack)
        for y = math.max(0, k // columns - 1), math.min(rows - 1, k // columns + 1) do
            for x = math.max(0, k % columns - 1), math.min(columns - 1, k % columns + 1) do
                local n = y * columns + x
                if marks[n] > 0 and not found[n] then found[n], stack[#stack + 1] = true, n end
            end
        end
    end
    return found
end

local function whole_numbers(rows, columns, most, seed)
    return rill.random({rows, columns}, {seed = seed, high = most}):map "floor(x)"
end

-- Returns the number of edges, and the number of ridges that are not edges.
local function assert_edges(s, low, high, modes)
    local rows, columns = s.shape[1], s.shape[2]
    local marks = ridges(pictures.reader(s, modes), rows, columns, low, high)
    local want, before = kept(marks, rows, columns), s:bytes()
    local view = modes and s:boundary(table.unpack(modes)) or s
    local got = rill.image.canny(view, {low = low, high = high, sigma = 0})
    assert.equal("bool", got.type)
    local edges, others = 0, 0
    for i, j, value in got:each() do
        local k = (i - 1) * columns + j - 1
        assert.equal(want[k] or false, value, ("row %d, column %d"):format(i, j))
        edges, others = edges + (value and 1 or 0), others + (marks[k] > 0 and not value and 1 or 0)
    end
    assert.is_true(before == s:bytes(), "the input unchanged")
    return edges, others
end

-- A weak wall in the shape of a spiral, which is strong only at its inner end.
local function spiral(n)
    local rows, x, y, dx, dy, length = {}, n // 2, n // 2, 1, 0, 2
    for j = 1, n do rows[j] = {} for i = 1, n do rows[j][i] = 0 end end
    rows[y][x] = 9
    while length < n do
        for _ = 1, 2 do
            for _ = 1, length do
                x, y = x + dx, y + dy
                if rows[y] and rows[y][x] then rows[y][x] = rows[y][x] == 9 and 9 or 1 end
            end
            dx, dy = -dy, dx
        end
        length = length + 4
    end
    return rill.from(rows)
end

describe("rill.image.canny", function()
    leaks.watch(setup, teardown)

    it("finds the same edges as plain Lua, with every boundary", function()
        for i, modes in ipairs(pictures.borders) do
            local edges, others = assert_edges(whole_numbers(23, 31, 9, i), 1.05, 3.1, modes)
            assert.is_true(edges > 0 and (i > 1 or others > 0))
        end
        for _, shape in ipairs {{1, 1}, {1, 9}, {9, 1}, {2, 2}} do
            assert_edges(whole_numbers(shape[1], shape[2], 9, 5), 0.55, 2.1)
        end
    end)

    shortened(it, "follows weak edges to their end", function(whole)
        for _, n in ipairs(whole and {20, 64, 301} or {40}) do
            local s = spiral(n)
            local edges = assert_edges(s, 0.2, 1.5)
            assert.is_true(edges > 4 * n, "a long one")
            assert.equal(0, (assert_edges(s, 0.2, 100)))
        end
    end)

    it("agrees with a flood fill on large images #long", function()
        assert_edges(whole_numbers(301, 517, 5, 3), 0.55, 2.1)
    end)

    it("finds one line at a step, with and without smoothing, in color and gray images", function()
        local step = rill.stream("float", {9, 20}, function(_, j) return j > 10 and 1 or 0 end)
        local colors = rill.stream("vec4", {9, 20}, function(_, j)
            local v = j > 10 and 1 or 0
            return v, v, v, 0.5
        end)
        for _, s in ipairs {step, colors} do
            local mask = rill.image.canny(s)
            for _, j, value in mask:each() do assert.equal(j == 10, value) end
        end
        assert.is_false(rill.image.canny(rill.stream("float", {5, 5}, 0.3)):any())
        assert.equal("0x7", tostring(rill.image.canny(rill.stream("float", {0, 7})).shape))
        assert.is_false(rill.image.canny(rill.stream("float", {5, 5}, 0 / 0)):any())
    end)

    it("raises errors that name the argument", function()
        local s = rill.stream("float", {3, 3})
        check.raises("rill.image.canny: option 'low' is 0.5, above 'high', 0.1", rill.image.canny, s, {low = 0.5})
        check.raises("rill.image.canny: option 'sigma': expected a number from 0 to 100000, got number %-1",
            rill.image.canny, s, {sigma = -1})
        check.raises("rill.image.canny: unknown option 'radius': expected high, low, sigma", rill.image.canny, s,
            {radius = 1})
    end)
end)
