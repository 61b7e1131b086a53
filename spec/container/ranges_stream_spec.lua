-- t:ranges of streams of boxes on the device, and of memory, compared with points on the CPU.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local order = require "spec.support.order"
local translators = require "spec.support.translators"

local raises <const> = check.raises
local T <const>, key <const> = rill.translator, translators.key

local function as_table(point)
    return type(point) == "number" and {point} or point
end

local function plain(point)
    return #point == 1 and point[1] or point
end

local function line(box, first, last, at)
    return ("%d: %s .. %s at %s"):format(box, key(first), key(last), key(at))
end

-- Returns rows of points with consecutive addresses, found point by point; with `inverse` for a box of memory.
local function rows_of(t, boxes, inverse)
    local rows = {}
    for i, box in ipairs(boxes) do
        local from, before, start
        local function finish()
            if from and inverse then
                rows[#rows + 1] = line(i - 1, start, before, from)
            elseif from then
                rows[#rows + 1] = line(i - 1, from[1], from[2], start)
            end
            from, before, start = nil, nil, nil
        end
        local some = true
        for d = 1, #box[1] do some = some and box[1][d] <= box[2][d] end
        for p in translators.each(box[1], some and box[2] or box[1]) do
            if p[1] == box[1][1] then finish() end
            local done, q = pcall(inverse and t.inverse or t.translate, t, plain(p))
            q = some and done and q and as_table(q)
            local goes_on = q and before and key(q) == key {before[1] + 1, table.unpack(before, 2)}
            if not goes_on then finish() end
            if q then
                from = from or (inverse and {table.unpack(p)} or {{table.unpack(p)}})
                start = start or q
                if not inverse then from[2] = {table.unpack(p)} end
            end
            before = q
        end
        finish()
    end
    return rows
end

local function compare(t, boxes, inverse)
    local rank = inverse and t.to or t.rank
    local firsts, lasts = {}, {}
    for i, box in ipairs(boxes) do
        firsts[i], lasts[i] = box[1], box[2]
    end
    local found = t:ranges(translators.stream(firsts, rank), translators.stream(lasts, rank),
        inverse and "inverse" or nil)
    local first, last = translators.read(found.first, t.rank), translators.read(found.last, t.rank)
    local at, box, rows = translators.read(found.at, t.to), found.box:values(), {}
    for i = 1, #box do
        rows[i] = line(box[i], first[i], last[i], at[i])
    end
    assert.equal(table.concat(rows_of(t, boxes, inverse), "\n"), table.concat(rows, "\n"))
    for _, s in pairs(found) do s:close() end
end

-- Boxes within sizes, x first; some of them empty, some of one point.
local function boxes_in(random, sizes, count)
    local boxes = {}
    for i = 1, count do
        local first, last = translators.box(random, sizes)
        for d = 1, #sizes do last[d] = math.min(last[d], first[d] + 11) end
        if i % 5 == 0 then last = {table.unpack(first)} end
        if i % 7 == 0 then last[1] = first[1] - 1 end
        boxes[i] = {first, last}
    end
    return boxes
end

describe("ranges of streams of boxes", function()
    leaks.watch(setup, teardown)

    local function each(f)
        local random = order.generator(11)
        local levels = T.pages {shape = {32, 32}, page = {4, 4}, adaptive = true}
        levels:map({0, 0}, nil, 0, 2):map({16, 16}, {23, 19}, 4)
        f(levels, {32, 32}, {100}, random)
        local pages = T.pages {shape = {40, 50}, page = {8, 8}}
        pages:map({0, 0}, {23, 15}, 3):map({40, 30}, nil, 1)
        f(T.compose(T.fold {shape = 800, to = {20, 40}}, pages), {50, 40}, {40, 20}, random)
    end

    local function each_other(f)
        local random = order.generator(12)
        local pages = T.pages {shape = {40, 50}, page = {8, 8}}
        pages:map({0, 0}, {23, 15}, 3):map({40, 30}, nil, 1)
        f(pages, {50, 40}, {800}, random)
        f(T.fold {shape = {5, 6, 7}, to = {20, 14}, tiled = true}, {7, 6, 5}, {14, 20}, random)
        f(T.linear {shape = {2, 3, 4, 5, 3}}, {3, 5, 4, 3, 2}, {360}, random)
    end

    local function compare_rows(t, sizes, _, random) compare(t, boxes_in(random, sizes, 20)) end

    it("are the rows that points of the CPU make", function() each(compare_rows) end)

    it("are so of other translators #long", function() each_other(compare_rows) end)

    local function compare_back(t, _, memory, random)
        if t.traits.one_to_one then compare(t, boxes_in(random, memory, 12), true) end
    end

    it("go from memory to addresses, too", function() each(compare_back) end)

    it("go so through other translators #long", function() each_other(compare_back) end)

    it("are those of boxes below zero, and of boxes that leave the domain", function()
        local h = T.hash {page = {4, 4}}
        h:map({-9, -5}, {2, 2}, 0)
        compare(h, {{{-20, -6}, {5, 0}}, {{1000000, 7}, {1000003, 8}}, {{-1, -1}, {0, 0}}})
        local found = T.linear {shape = {4, 4}}:ranges(rill.from({{-2, 1}, {3, 3}}, "ivec2"),
            rill.from({{1, 5}, {9, 9}}, "ivec2"))
        assert.same({{{0, 1}, {0, 2}, {0, 3}, {3, 3}}, {{1, 1}, {1, 2}, {1, 3}, {3, 3}}, {4, 8, 12, 15}, {0, 0, 0, 1}},
            {found.first:read(), found.last:read(), found.at:values(), found.box:values()})
    end)

    it("of nothing are nothing", function()
        local t = T.linear {shape = {2, 3, 4, 5, 6}}
        for _, boxes in ipairs {{}, {{{1, 1, 1, 1, 1}, {0, 1, 1, 1, 1}}}} do
            compare(t, boxes)
            compare(t, {}, true)
        end
        local pages = T.pages {shape = {8, 8}, page = {4, 4}}
        local found = pages:ranges(rill.from({{0, 0}}, "ivec2") * 1, rill.from({{7, 7}}, "ivec2"))
        assert.same({0, "ivec2", 0, "int", 0},
            {found.first.size, found.last.type, found.at.size, found.at.type, found.box.size})
    end)

    it("name arguments that do not fit", function()
        local t, s = T.linear {shape = {9, 9}}, rill.from({{1, 1}}, "ivec2")
        raises("t:ranges: argument 'last': expected a stream of points, as for the other", t.ranges, t, s, {1, 2})
        raises("t:ranges: argument 'first': expected points of 2 coordinates, a stream of ivec2 of shape {n}, got " ..
            "stream<int>%[1%]", t.ranges, t, rill.from({1}, "int"), s)
        raises("t:ranges: 1 boxes begin, 2 end", t.ranges, t, s, rill.from({{1, 1}, {2, 2}}, "ivec2"))
        raises("t:ranges: the boxes have more than %d+ addresses: take fewer at a time", t.ranges, t, s,
            rill.from({{50000, 50000}}, "ivec2"))
        raises("argument #3 'direction': expected \"inverse\", or nothing, got string \"back\"", t.ranges, t, s, s,
            "back")
        local none = T.new {rank = 1, to = 1, glsl = "int translate(int v) { return v; }",
            cpu = function(v) return v end}
        raises("t:ranges: translator 'custom' has no inverse", none.ranges, none, 1, 2, "inverse")
    end)
end)

describe("ranges of memory", function()
    leaks.watch(setup, teardown)

    it("are in its order, and contain only its elements", function()
        local pages = T.pages {shape = {16, 16}, page = {4, 4}}
        pages:map({8, 8}, nil, 0):map({0, 0}, nil, 2)
        assert.same({{first = {8, 11}, last = {11, 11}, at = 12}, {first = {0, 0}, last = {1, 0}, at = 32}},
            pages:ranges(12, 33, "inverse"))
        assert.same({{first = {9, 8}, last = {9, 8}, at = 1}}, pages:ranges(1, nil, "inverse"))
        assert.same({}, pages:ranges(16, 31, "inverse"))
        assert.same({}, pages:ranges(5, 4, "inverse"))
        assert.same({{first = {8, 8}, last = {11, 11}, at = 0}}, pages:ranges(-5, 20, "inverse"))
        local levels = T.pages {shape = {32, 32}, page = {4, 4}, adaptive = true}
        levels:map({0, 0}, nil, 0, 3)
        assert.same({{first = {8, 0}, last = {15, 7}, at = 1, level = 3}}, levels:ranges(1, nil, "inverse"))
    end)

    it("are found address by address if the domain is not known", function()
        local t = T.new {rank = 2, to = 2, glsl = [[ivec2 translate(ivec2 v) { return v.yx; }
            ivec2 inverse(ivec2 p) { return p.yx; }]], cpu = function(x, y) return y, x end,
            cpu_inverse = function(x, y) if x ~= 3 then return y, x end end}
        assert.same({{first = {5, 2}, last = {5, 2}, at = {2, 5}}, {first = {5, 4}, last = {5, 4}, at = {4, 5}}},
            t:ranges({2, 5}, {4, 5}, "inverse"))
        assert.same({{first = {7, 1}, last = {7, 1}, at = {1, 7}}}, t:ranges({1, 7}, nil, "inverse"))
        local turned = T.compose(t, t)
        assert.same({{first = {1, 7}, last = {2, 7}, at = {1, 7}}}, turned:ranges({1, 7}, {2, 7}, "inverse"))
    end)
end)
