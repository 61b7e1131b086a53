-- Compares rill.image.label with a flood fill.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

local function flooded(values, rows, columns, connectivity)
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
                local left, right = x > 0, x < columns - 1
                local around = {left and i - 1 or 0, right and i + 1 or 0, i - columns, i + columns}
                if connectivity == 8 then
                    table.move({left and i - columns - 1 or 0, right and i - columns + 1 or 0,
                        left and i + columns - 1 or 0, right and i + columns + 1 or 0}, 1, 4, 5, around)
                end
                for _, j in ipairs(around) do
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

-- Compares the properties of regions with those of flat lists of labels.
local function assert_regions(want, count, labels)
    local columns <const> = labels.shape[2]
    local area, sums, box = {}, {}, {}
    for k = 1, count do
        area[k], sums[k], box[k] = 0, {0, 0}, {math.huge, math.huge, -math.huge, -math.huge}
    end
    for i, k in ipairs(want) do
        local y, x, b = (i - 1) // columns, (i - 1) % columns, box[k]
        if b then
            area[k], sums[k] = area[k] + 1, {sums[k][1] + y, sums[k][2] + x}
            box[k] = {math.min(b[1], y), math.min(b[2], x), math.max(b[3], y), math.max(b[4], x)}
        end
    end
    local r = rill.image.regions(labels, count)
    assert.equal(count, r.count)
    check.equal(area, r.area:values())
    local centroid, first, last = {}, {}, {}
    for k = 1, count do
        local n = area[k]
        centroid[2 * k - 1], centroid[2 * k] = check.float32(sums[k][1] / n), check.float32(sums[k][2] / n)
        first[2 * k - 1], first[2 * k] = n > 0 and box[k][1] or 0, n > 0 and box[k][2] or 0
        last[2 * k - 1], last[2 * k] = n > 0 and box[k][3] or -1, n > 0 and box[k][4] or -1
    end
    check.equal(centroid, r.centroid:values())
    check.equal(first, r.first:values())
    check.equal(last, r.last:values())
end

local function assert_labels(mask)
    local unchanged = mask:bytes()
    for _, connectivity in ipairs {4, 8} do
        local want, parts = flooded(mask:values(), mask.shape[1], mask.shape[2], connectivity)
        local labels, count = rill.image.label(mask, connectivity == 8 and {connectivity = 8} or nil)
        assert.equal("int", labels.type)
        assert.equal("integer", math.type(count))
        assert.equal(tostring(mask.shape), tostring(labels.shape))
        assert.equal(parts, count)
        check.equal(want, labels:values())
        assert.is_true(unchanged == mask:bytes(), "the input unchanged")
        assert_regions(want, parts, labels)
    end
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

    it("refuses other connectivities", function()
        local mask = rill.from {{true}}
        check.names({"rill.image.label: option 'connectivity': expected 4 or 8, got number 6"}, rill.image.label, mask,
            {connectivity = 6})
        check.names({"rill.image.label: argument #3: expected none"}, rill.image.label, mask, {}, 1)
    end)
end)

describe("rill.image.regions", function()
    leaks.watch(setup, teardown)

    it("ignores labels out of range, and takes every integer type and view", function()
        for i, type in ipairs {"int", "uint", "uint8", "int16"} do
            local labels = rill.random({70, 33}, {type = "int", low = type:find "^u" and 0 or -2, high = 9, seed = i})
            labels = labels:cast(type)
            for _, view in ipairs {labels, labels:transpose(), labels:domain({5, 3}, {66, 9}), labels:flip(1),
                labels:stride(2)} do
                assert_regions(view:values(), 7, view)
                assert_regions(view:values(), 12, view)
            end
        end
        local labels = rill.from({{0, 3}, {-1, 3}}, "int")
        local r = rill.image.regions(labels)
        assert.equal(3, r.count)
        check.equal({0, 0, 2}, r.area:values())
        check.equal({0 / 0, 0 / 0}, r.centroid:get(1))
        check.equal({0.5, 1}, r.centroid:get(3))
        assert_regions(labels:values(), 3, labels)
        assert_regions((labels + 1):eval():values(), 4, labels + 1)
    end)

    it("has exact sums where they exceed 32 bits", function()
        local r = rill.image.regions(rill.ones({3, 100001}, "int"))
        check.equal({300003}, r.area:values())
        check.equal({1, 50000}, r.centroid:get(1))
        r = rill.image.regions(rill.ones({100001, 3}, "int"))
        check.equal({50000, 1}, r.centroid:get(1))
        check.equal({100000, 2}, r.last:get(1))
    end)

    it("handles no labels, and refuses other arguments", function()
        for _, labels in ipairs {rill.zeros({2, 3}, "int"), rill.stream("int", {0, 4})} do
            local r = rill.image.regions(labels)
            assert.equal(0, r.count)
            for _, name in ipairs {"area", "centroid", "first", "last"} do
                assert.equal(0, r[name].size)
            end
        end
        for text, f in pairs {
            ["rill.image.regions: argument #1 'labels': expected labels, a stream {rows, columns} of integers, got "] =
                function() rill.image.regions(3) end,
            ["got stream<float>[2x2]"] = function() rill.image.regions(rill.ones {2, 2}) end,
            ["got stream<int>[4]"] = function() rill.image.regions(rill.ones(4, "int")) end,
            ["argument #2 'count': expected a whole number from 0 to 536870911, got number -1"] =
                function() rill.image.regions(rill.ones({2, 2}, "int"), -1) end,
            ["the largest label is 2000000000: expected up to 536870911"] =
                function() rill.image.regions(rill.full({1, 1}, 2000000000, "int")) end,
        } do
            check.names({text}, f)
        end
    end)
end)
