-- Compares rill.image.label with a flood fill.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

local function flooded(values, rows, columns)
    local labels, count = {}, 0
    for i = 1, rows * columns do labels[i] = 0 end
    for start = 1, rows * columns do
        if values[start] and labels[start] == 0 then
            count = count + 1
            local open = {start}
            labels[start] = count
            while #open > 0 do
                local i = table.remove(open)
                local x = (i - 1) % columns
                for _, j in ipairs {x > 0 and i - 1 or 0, x < columns - 1 and i + 1 or 0, i - columns, i + columns} do
                    if values[j] and labels[j] == 0 then
                        labels[j] = count
                        open[#open + 1] = j
                    end
                end
            end
        end
    end
    return labels, count
end

local function assert_labels(mask)
    local unchanged = mask:bytes()
    local want, parts = flooded(mask:values(), mask.shape[1], mask.shape[2])
    local labels, count = rill.image.label(mask)
    assert.equal("int", labels.type)
    assert.equal("integer", math.type(count))
    assert.equal(tostring(mask.shape), tostring(labels.shape))
    assert.equal(parts, count)
    check.equal(want, labels:values())
    assert.is_true(unchanged == mask:bytes(), "the input unchanged")
end

local function random(shape, share, seed)
    return rill.random(shape, {seed = seed}):lt(share):eval()
end

-- Masks with long components: a spiral, a comb, stairs, stripes, a chessboard, and a snake through all rows.
local function long_parts(n)
    local function make(f) return rill.stream("bool", {n, n}, f) end
    return {
        make(function(i, j) return j % 2 == 1 or i == n end), make(function(i, j) return (i + j) % 3 ~= 0 end),
        make(function(_, j) return j % 2 == 1 end), make(function(i, j) return (i + j) % 2 == 1 end),
        make(function(i, j) return i % 2 == 1 or j == (i % 4 == 0 and 1 or n) end),
        make(function(i, j)
            local ring = math.min(i, j, n + 1 - i, n + 1 - j)
            return ring % 2 == 1 or i == ring + 1 and j == ring
        end),
        make(function(i, j) return j % 2 == 1 or i == (j % 4 == 0 and 1 or n) end),
    }
end

describe("rill.image.label", function()
    leaks.watch(setup, teardown)

    shortened(it, "of random masks of every shape", function(whole)
        local shapes = {{1, 1}, {1, 9}, {9, 1}, {2, 3}, {8, 16}, {19, 23}}
        if whole then
            table.move({{65, 64}, {200, 31}, {31, 257}, {128, 128}}, 1, 4, #shapes + 1, shapes)
        end
        for i, shape in ipairs(shapes) do
            for _, share in ipairs {0, 0.3, 0.6, 0.8, 1} do assert_labels(random(shape, share, i)) end
        end
    end)

    shortened(it, "of parts that are long and wind", function(whole)
        for _, mask in ipairs(long_parts(whole and 301 or 33)) do
            assert_labels(mask)
            assert_labels(mask:transpose())
        end
    end)

    it("takes numbers, views and expressions: nonzero is true", function()
        local mask = random({12, 15}, 0.6, 4)
        local want = rill.image.label(mask):bytes()
        for _, same in ipairs {mask:cast "int", rill.where(mask, 0 / 0, 0), rill.where(mask, -0.5, 0):eval()} do
            assert.equal(want, rill.image.label(same):bytes())
        end
        assert_labels(mask:domain({3, 2}, {10, 14}))
        assert_labels(mask:stride(2))
    end)

    it("does not connect across the edge, for every boundary", function()
        local mask = rill.from {{true, false, true}}
        assert.same({1, 0, 2}, rill.image.label(mask:boundary "wrap"):values())
    end)

    it("handles empty masks, and refuses arguments that are not masks", function()
        for _, shape in ipairs {{0, 4}, {4, 0}} do
            local labels, count = rill.image.label(rill.stream("bool", shape))
            assert.same({0, tostring(rill.stream("bool", shape).shape)}, {count, tostring(labels.shape)})
        end
        check.names({"rill.image.label: argument #1 'mask': expected a mask", "shape 9"}, rill.image.label,
            rill.stream("bool", 9))
    end)
end)
