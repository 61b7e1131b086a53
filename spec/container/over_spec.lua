local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

local raises <const> = check.raises

-- Sparse containers with some mapped pages, and streams of all their elements; 1 where a page is mapped.
local cases <const> = {
    {{45}, 7, {3, 20, 44}}, {{13, 21}, {4, 8}, {{1, 1}, {13, 21}, {6, 9}}},
    {{9, 10, 11}, {4, 4, 4}, {{9, 10, 11}, {1, 5, 1}, {5, 5, 5}}},
}

local function make(case)
    local shape = #case[1] == 1 and case[1][1] or case[1]
    local c = rill.sparse("float", shape, {page = case[2], default = 3})
    local mask = rill.sparse("float", shape, {page = case[2], default = 0})
    for i, index in ipairs(case[3]) do
        c:allocate(index)
        mask:allocate(index)
        if type(index) == "number" then
            c:set(10 * i, index)
        else
            c:set(10 * i, table.unpack(index))
        end
    end
    return c, mask:fill(1):stream(), c:stream()
end

local texts <const> = {
    "kernel void f(float x<>, float c[], out float r<>) { int i = indexof(x).x; r = x + 100.0 * float(i) + c[i + 1]; }",
    [[kernel void f(float x<>, float c[][], out float r<>) {
        ivec2 i = indexof(x).xy; r = x + 100.0 * float(i.x) + 7.0 * float(i.y) + c[i + ivec2(1, 0)];
    }]],
    [[kernel void f(float x<>, float c[][][], out float r<>) {
        ivec3 i = indexof(x).xyz; r = x + 100.0 * float(i.x) + 7.0 * float(i.y + i.z) + c[i + ivec3(1, 0, -1)];
    }]],
}

describe("a launch over the mapped part", function()
    leaks.watch(setup, teardown)

    shortened(it, "writes there only", function(whole)
        for _, case in ipairs(whole and cases or {cases[3]}) do
            local c, mask, s = make(case)
            local k, range = rill.kernel(texts[#case[1]]), c:active()
            assert.equal(mask:sum(), range.size)
            local expected = rill.where(mask:gt(0), k(s, s), -1):copy()
            local r = rill.stream("float", c.shape):fill(-1)
            k {x = c, c = c, r = r, over = range}
            assert.same(expected:values(), r:values())
            k {x = s, c = c, r = r, over = range}
            assert.same(expected:values(), r:values())
            local d = rill.sparse("float", case[1], {page = case[2], default = -1})
            k {x = c, c = s, r = d, over = range}
            assert.same(expected:values(), d:values())
            assert.equal(#case[3], d.pages.mapped)
            assert.same(rill.where(mask:gt(0), k(s, s), 0):copy():values(), k {x = c, c = c, over = range}:values())
        end
    end)

    it("first maps what it writes, or nothing", function()
        local c = make(cases[2])
        local k = rill.kernel "kernel void w(float x<>, out float r<>) { r = 2.0 * x; }"
        local d = rill.sparse("float", {13, 21}, {page = {3, 5}, default = -1, capacity = 10})
        raises("w: argument 'r': it takes 11 pages, of which 0 are mapped and 10 free: 'capacity' is 10", k,
            {x = c, r = d, over = c:active()})
        assert.equal(0, d.pages.mapped)
        local e = rill.sparse("float", {13, 21}, {page = {3, 5}, default = -1})
        k {x = c, r = e, over = c:active()}
        assert.equal(20, e:get(1, 1))
        assert.equal(40, e:get(13, 21))
        local t = rill.translator.pages {shape = {13, 21}, page = {4, 8}}
        local v = rill.virtual(t, rill.physical("float", 64))
        raises("w: argument 'r': 69 of the 69 elements to be written are not mapped", k,
            {x = c, r = v, over = c:active()})
    end)

    it("runs over domains that no launch could", function()
        local c = rill.sparse("float", {2048, 2048, 2048}, {page = {8, 8, 8}, default = 1})
        local d = rill.sparse("float", {2048, 2048, 2048}, {page = {8, 8, 8}})
        for i = 1, 40 do c:set(i, i * 50, i * 30, i * 7) end
        local before = rill.memory().peak
        local k = rill.kernel [[kernel void n(neighbor float x<>, out float r<>) {
            r = x[ivec3(0, 0, 0)] + x[ivec3(1, 0, 0)] + x[ivec3(0, 0, -1)];
        }]]
        k {x = c, r = d, over = c:active()}
        for i = 1, 40 do assert.equal(i + 2, d:get(i * 50, i * 30, i * 7)) end
        assert.equal(40, d.pages.mapped)
        assert.is_true(rill.memory().peak - before < 8 * 1024 * 1024)
        assert.equal(40 * 512, c:active().size)
    end)

    it("takes all of a container without pages, and nothing of an empty one", function()
        local a = rill.array("int", {3, 4}):fill(2)
        local k = rill.kernel "kernel void p(int x<>, out int r<>) { r = x + 1; }"
        assert.same(rill.stream("int", {3, 4}):fill(3):values(), k {x = a, over = a:active()}:values())
        local e = rill.sparse("int", {30, 30}, {page = {8, 8}, default = 4})
        assert.equal(0, e:active().size)
        assert.equal(0, k {x = e, over = e:active()}.pages.mapped)
    end)

    it("names what does not fit, and shows a range", function()
        local c = make(cases[2])
        local range = c:active()
        assert.equal("range", rill.type(range))
        assert.equal("range of 69 elements of 13x21", tostring(range))
        local k = rill.kernel "kernel void p(float x<>, out float r<>) { r = x; }"
        raises("p: option 'over': expected a range or a list of ranges, got number 1", k, {x = c, over = 1})
        raises("p: 'over' is a range of shape 13x21, the launch runs over 4x4", k,
            {x = rill.stream("float", {4, 4}), over = range})
        raises("p: expected either option 'where' or option 'over'", k,
            {x = c, over = range, where = rill.active(c:stream():gt(3))})
        raises("a range has no field or method 'sice'", function() return range.sice end)
        assert.matches("over pages only, each argument by itself",
            k:explain {x = rill.stream("float", {13, 21}), over = range})
        range:close()
        assert.equal("closed range", tostring(range))
        raises("p: option 'over': expected a range or a list of ranges, got closed range", k, {x = c, over = range})
    end)

    local inc = rill.kernel "kernel void inc(float x<>, inout float c<>) { c = c + x; }"

    it("maps only the pages of elements that `where` takes", function()
        local mask = rill.stream("bool", {64, 64}):set(true, 1, 1)
        local one = rill.stream("float", {64, 64}, 1)
        local c = rill.sparse("float", {64, 64}, {page = {8, 8}, capacity = 3}):set(1, 1, 1)
        inc {x = one, c = c, where = mask}
        assert.same({1, 2}, {c.pages.mapped, c:sum()})
        mask:set(true, 8, 9):set(true, 57, 64):set(true, 64, 57)
        local list = rill.active(mask)
        inc {x = one, c = c, where = list}
        inc {x = one, c = c, where = list}
        assert.same({3, 10}, {c.pages.mapped, c:sum()})
        list.indices:set(63, 1) -- element {1, 64}
        raises("inc: argument 'c': it takes 1 page, of which 0 are mapped and 0 free: 'capacity' is 3", inc,
            {x = one, c = c, where = list})
        assert.same({3, 10}, {c.pages.mapped, c:sum()})
        inc {x = one, c = c, where = rill.stream("bool", {64, 64})}
        assert.equal(3, c.pages.mapped)
        local copy = rill.kernel "kernel void copy(float x<>, out float r<>) { r = x; }"
        local made = copy {x = c, where = mask:fill(false):set(true, 64, 1)}
        assert.same({1, 0}, {made.pages.mapped, made:sum()})
        local t = rill.translator.pages {shape = {64, 64}, page = {8, 8}}:map({0, 0}, {7, 7}, 0)
        local v = rill.virtual(t, rill.physical("float", 64))
        inc {x = one, c = v, where = rill.stream("bool", {64, 64}):set(true, 8, 8)}
        assert.equal(1, v:get(8, 8))
        raises("inc: argument 'c': 64 of the 128 elements to be written are not mapped", inc,
            {x = one, c = v, where = rill.stream("bool", {64, 64}):set(true, 8, 8):set(true, 8, 9)})
        local q = rill.quadtree("float", {size = 32, page = 4})
        inc {x = rill.stream("float", q.shape, 1), c = q, where = rill.stream("bool", q.shape):set(true, 3, 3)}
        assert.same({1, 0, 13}, {q:get(3, 3), q:get(1, 1), q.pages.mapped})
    end)

    -- Tests a random mask of a random shape: values, mapped pages, and the contents of a snapshot.
    local function try_where(random, ranks)
        local rank, shape, page, count = random(ranks), {}, {}, 1
        for d = 1, rank do
            shape[d], page[d] = random(rank < 3 and 40 or 6), random(rank < 3 and 9 or 4)
            count = count * shape[d]
        end
        local function point(i)
            local at = {}
            for d = rank, 1, -1 do
                at[d], i = i % shape[d] + 1, i // shape[d]
            end
            return at
        end
        local c = rill.sparse("float", shape, {page = page, default = 5})
        local start = random(count) - 1
        c:set(7, table.unpack(point(start)))
        local snapshot, masked, added, expected, pages = c:snapshot(), {}, {}, {}, {}
        local density = ({0, 0.02, 0.3, 1})[random(4)]
        for i = 0, count - 1 do
            local takes = random() < density
            masked[i + 1], added[i + 1] = takes and 1 or 0, random(100)
            expected[i + 1] = (i == start and 7 or 5) + (takes and 2 * added[i + 1] or 0)
            local at = point(i)
            for d = 1, rank do
                at[d] = (at[d] - 1) // page[d]
            end
            pages[table.concat(at, " ")] = (takes or i == start) and 1 or pages[table.concat(at, " ")]
        end
        local mask = rill.from(masked, "int"):reshape(shape)
        local x = rill.from(added):reshape(shape)
        inc {x = x, c = c, where = mask}
        inc {x = x, c = c, where = rill.active(mask)}
        local mapped = 0
        for _ in pairs(pages) do
            mapped = mapped + 1
        end
        assert.same(expected, c:stream():values())
        assert.equal(mapped, c.pages.mapped)
        c:undo(snapshot)
        assert.same({1, 5 * count + 2}, {c.pages.mapped, c:stream():sum()})
    end

    shortened(it, "maps the pages of random masks", function(whole)
        math.randomseed(27)
        for _ = 1, whole and 25 or 10 do
            try_where(math.random, whole and 5 or 2)
        end
    end)
end)
