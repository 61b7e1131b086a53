local rill = require "rill"
local tables = require "rill.core.tables"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local equal <const>, raises <const> = check.equal, check.raises
local T <const> = rill.translator

-- Returns the mapped elements in address order, read one by one: values, and 1-based indices.
local function listed(c, page)
    local shape, values, indices, grid, count = c.shape, {}, {}, {}, 1
    for d, size in ipairs(shape) do
        grid[d] = (size + page[d] - 1) // page[d]
        count = count * grid[d]
    end
    local mapped = c:copy():fill(-77)
    local whole, marks = c:values(), mapped:values()
    local elements = 1
    for _, size in ipairs(page) do elements = elements * size end
    for p = 0, count - 1 do
        local at, rest = {}, p
        for d = #shape, 1, -1 do at[d], rest = rest % grid[d] * page[d], rest // grid[d] end
        for e = 0, elements - 1 do
            local index, inside, flat = {}, true, 0
            rest = e
            for d = #shape, 1, -1 do index[d], rest = at[d] + rest % page[d] + 1, rest // page[d] end
            for d, size in ipairs(shape) do
                inside = inside and index[d] <= size
                flat = flat * size + index[d] - 1
            end
            if inside and marks[flat + 1] == -77 then
                values[#values + 1], indices[#indices + 1] = whole[flat + 1], index
            end
        end
    end
    mapped:close()
    return values, indices
end

local cases <const> = {
    {{64}, {16}}, {{45}, {7}}, {{16, 24}, {4, 8}}, {{13, 21}, {4, 8}}, {{8, 8, 16}, {4, 4, 8}},
    {{9, 10, 11}, {4, 4, 4}},
    {{4, 6, 5, 8}, {2, 3, 4, 4}},
}

local function filled(case, pages)
    local shape = case[1]
    local c = rill.sparse("float", #shape == 1 and shape[1] or shape, {page = case[2], default = 5})
    for _ = 1, pages do
        local at = {}
        for d, size in ipairs(shape) do at[d] = math.random(size) end
        c:allocate(at)
    end
    local put = rill.kernel "kernel void put(float x<>, out float r<>) { r = x; }"
    local s = rill.stream("float", shape, function() return math.random(0, 9) end)
    put {x = s, r = c, over = c:active()}
    return c, s
end

-- Returns the first indices of a value in row-major order.
local function first_of(values, indices, value)
    local first
    for k, at in ipairs(indices) do
        if values[k] == value and (not first or tables.precedes(at, first)) then
            first = at
        end
    end
    return first
end

describe("primitives of a container", function()
    leaks.watch(setup, teardown)

    -- `all`: includes the methods that parts_spec compares.
    local function compare(numbers, reductions, all)
        for _, number in ipairs(numbers) do
            local case = cases[number]
            local c, s = filled(case, 3)
            local values, indices = listed(c, case[2])
            local line = rill.from(values, "float")
            if all then
                assert.same({line:any(), line:all()}, {c:any(), c:all()})
                assert.same(first_of(values, indices, line:max()), {c:argmax()})
                assert.same(first_of(values, indices, line:min()), {c:argmin()})
                assert.near(line:dot(line), c:dot(s), 1e-2)
                assert.near(line:dot(line), c:dot(c), 1e-2)
            end
            for _, name in ipairs(reductions) do
                assert.near(line[name](line), c[name](c), 1e-4, name)
            end
            equal(line:filter("x > 4.0"):values(), c:filter("x > 4.0"):values())
            equal(line:sort():values(), c:sort():values())
            equal(line:top_k(5):values(), c:top_k(5):values())
            equal(line:runs():values(), c:runs():values())
            equal(line:unique():values(), c:unique():values())
            local kept, others = c:partition "x == 3.0"
            assert.equal(#values, kept.size + others.size)
            local bins = {bins = 4, min = 0, max = 10}
            equal(line:histogram(bins):values(), c:histogram(bins):values())
            local found = c:find "x > 4.0"
            local at = {}
            for k, value in ipairs(values) do
                if value > 4 then at[#at + 1] = indices[k] end
            end
            assert.equal(#at, found.size)
            local flat, rank = found:values(), #case[1]
            for k, index in ipairs(at) do
                for d = 1, rank do assert.equal(index[rank + 1 - d] - 1, flat[(k - 1) * rank + d]) end
            end
            local scanned, sums = c:scan(), line:scan():values()
            assert.equal("container", rill.type(scanned))
            assert.equal(c.pages.mapped, scanned.pages.mapped)
            for k, index in ipairs(indices) do assert.equal(sums[k], scanned:get(table.unpack(index))) end
            assert.near(sums[#sums], scanned:max(), 1e-3)
            equal(rill.argsort(line):values(), rill.argsort(c):values())
            local _, places = rill.sort_by_key(c, s)
            equal(line:sort():values(), places:values())
            assert.equal(line:count(), c:filter(s).size)
        end
    end

    it("take the mapped elements, once, in address order", function()
        compare({4}, {"sum", "prod", "max"})
    end)

    it("do so in other shapes and pages #long", function()
        compare({1, 2, 3, 4, 5, 6, 7}, {"sum", "prod", "min", "max", "mean", "var", "std", "count", "norm"}, true)
    end)

    it("take other containers where the first is mapped", function()
        local c, d = filled({{13, 21}, {4, 8}}, 2), filled({{13, 21}, {5, 5}}, 4)
        local s = d:stream()
        assert.near(c:dot(s), c:dot(d), 1e-3)
        equal(c:filter(s):values(), c:filter(d):values())
        local keys, values = rill.sort_by_key(c, d)
        local same, expected = rill.sort_by_key(c, s)
        equal(same:values(), keys:values())
        equal(expected:values(), values:values())
        equal(c:filter(s:gt(4)):values(), c:filter(d:gt(4)):values())
        assert.near(c:dot(s), c:dot(2 * d) / 2, 1e-3)
        equal(c:find(s:gt(4)):values(), c:find(d:gt(4)):values())
        raises("c:dot: the shapes differ: 13x21 and 3x3", c.dot, c, rill.sparse("float", {3, 3}, {page = {2, 2}}))
        assert.equal(c:count() + d:count(), rill.merge(c:sort(), d:sort()):count())
        c:fill(1)
        d:fill(2)
        assert.equal(c:sum() + d:sum(), rill.merge(c, d):sum())
        assert.equal(c:active().size, rill.searchsorted(d, c).size)
    end)

    it("take no unmapped elements", function()
        local c = rill.sparse("float", {2048, 2048, 2048}, {page = {8, 8, 8}, default = 3})
        assert.same({0, 1, false, true}, {c:sum(), c:prod(), c:any(), c:all()})
        assert.is_nil(c:max())
        assert.is_nil(c:argmax())
        assert.equal(0, c:filter("x > 0.0").size)
        assert.equal(0, c:find("x > 0.0").size)
        assert.equal(0, c:sort().size)
        assert.equal(0, c:scan():sum())
        local before = rill.memory().peak
        c:set(7, 2048, 1, 5)
        assert.equal(7 + 511 * 3, c:sum())
        assert.same({2048, 1, 5}, {c:argmax()})
        assert.same({{4, 0, 2047}}, c:find("x == 7.0"):read())
        assert.is_true(rill.memory().peak - before < 8 * 1024 * 1024)
        local h = rill.hashgrid("int", {page = {4, 4}, default = 1}):set(9, -5, 7)
        assert.equal(24, h:sum())
        assert.same({-5, 7}, {h:argmax()})
        assert.same({{6, -6}}, h:find("x == 9"):read())
    end)

    it("take all elements of a complete container", function()
        local a = rill.array("float", {3, 4}):write(rill.iota(12):reshape {3, 4})
        assert.same({66, 11}, {a:sum(), a:max()})
        assert.same({12, 15, 18, 21}, a:sum(1):values())
        assert.same({3, 4}, {a:argmax()})
        collectgarbage()
        local before = rill.memory().bytes
        local total = a:sum()
        assert.equal(66, total)
        assert.is_true(rill.memory().bytes <= before)
        assert.same({11, 10, 9}, a:sort({descending = true}):values(1, 3))
        assert.same({3, 2, 1, 0}, a:sort({descending = true, axis = 2}):values({1, 1}, {1, 4}))
        assert.same({{3, 2}}, a:find("x > 10.5"):read())
        assert.equal(66, a:scan():get(3, 4))
        local memory = rill.physical("float", {6, 8})
        local tiles = rill.virtual(T.fold {shape = {2, 3, 4}, to = {6, 8}, tiled = true}, memory)
        tiles:write(rill.iota(24):reshape {2, 3, 4})
        assert.equal(276, tiles:sum())
        assert.equal(276, tiles:scan():get(2, 3, 4))
        local l = rill.lists("float", {counts = rill.from({2, 0, 1}, "int"), values = rill.from {4, 5, 6}})
        assert.same({15, 6}, {l:sum(), l:max()})
        assert.same({2}, l:find("x == 6.0"):values())
        assert.equal(15, l:scan():get(3, 1))
        local stack = rill.stack "float"
        stack:push(rill.from {1, 2, 3})
        assert.equal(6, stack:sum())
    end)

    it("use pages in place if they are stored in order", function()
        local c = rill.sparse("float", {8, 16}, {page = {4, 8}}):write(rill.iota(128):reshape {8, 16})
        collectgarbage()
        local before = rill.memory().bytes
        assert.equal(8128, c:sum())
        assert.is_true(rill.memory().bytes <= before)
        local function first() return c:filter("x >= 0.0"):values() end
        assert.same({0, 16, 8, 64, 127}, {first()[1], first()[9], first()[33], first()[65], first()[128]})
        c:release {1, 1}
        assert.equal(96, c:filter("x >= 0.0").size)
        c:set(5, 1, 1)
        assert.same({5, 0}, {first()[1], first()[2]})
        local old <close> = c:snapshot()
        c:set(500, 8, 16)
        assert.equal(500, first()[128])
        c:undo(old)
        assert.same({5, 127}, {first()[1], first()[128]})
    end)

    it("take all elements of large pages that are there in part", function() -- watched loops would be terminated
        local t = T.pages {shape = {600, 500}, page = {300, 500}}
        t:map({0, 0}, {499, 599}, 0)
        local memory = rill.physical("int", 150000 + 100003):write(rill.iota(250003))
        local c = rill.virtual(t, memory)
        assert.equal(250003, c:active().size)
        assert.equal(0, c:filter("x >= 0"):ne(rill.iota(250003)):count())
    end)

    it("take kernels that reduce", function()
        local c = filled({{13, 21}, {4, 8}}, 3)
        local sum = rill.kernel "reduce void sum(float x<>, reduce float r<>) { r += x; }"
        assert.near(c:sum(), sum(c), 1e-3)
        assert.near(c:sum(), sum {x = c}, 1e-3)
        assert.near(c:sum(), c:scan(sum):max(), 1e-3)
        assert.equal(12, sum(rill.array("float", {3, 4}):fill(1)))
    end)

    it("name what they cannot do", function()
        local c = filled({{13, 21}, {4, 8}}, 2)
        raises("c:sum: a container that is partly mapped has no axes", c.sum, c, 1)
        raises("c:sort: a container that is partly mapped has no axes", c.sort, c, {axis = 1})
        raises("rill.argsort: a container that is partly mapped has no axes", rill.argsort, c, {axis = 1})
        local deep = rill.sparse("float", {2, 2, 2, 2, 2}, {page = {1, 1, 1, 1, 1}}):set(3, 1, 2, 1, 2, 1)
        assert.equal(3, deep:sum())
        raises("c:find: points of 5 dimensions cannot be elements of a stream", deep.find, deep, "x > 0.0")
        local glsl = "int translate(int x) { return x < 4 ? x : -1; }"
        local function cpu(x) return x < 4 and x or nil end
        local t = T.new {name = "half", rank = 1, to = 1, shape = 8, glsl = glsl, cpu = cpu}
        local half = rill.virtual(t, rill.physical("float", 8))
        raises("c:sum: a container that is partly mapped has no axes", half.sum, half, 1)
        local pages, changes <const> = T.pages {shape = 8, page = 2}, {}
        local back = T.new {name = "back", rank = 1, to = 1, shape = 8, glsl = "int translate(int x) { return 7 - x; }",
            cpu = function(x)
                if changes[x] then pages:map({x}, {x + 1}, changes[x]) end
                changes[x] = nil
                return 7 - x
            end}
        pages:map({0}, {1}, 0)
        local both = rill.virtual(T.compose(pages, back), rill.physical("float", 8))
        changes[4] = 1
        raises("c:active: a function of translator 'compose' changed the mapping while",
            both.active, both)
        assert.equal(4, #both:active():addresses())
        c:close()
        raises("c:sum: argument 'c': the container was closed", c.sum, c)
        local open = rill.array("int", 3)
        raises("c:mean: expected an open container .*got closed container", open.mean, open, c)
        raises("c:dot: expected an open container .*got closed container", open.dot, open, c)
        raises("rill.sort_by_key: expected an open container .*got closed container", rill.sort_by_key, open, c)
    end)
end)
