-- Launches over domains of 2048^3 and 131,072^2: peak memory, compared with the memory of mapped pages and
-- tables.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local order = require "spec.support.order"

local function sparse(type, size, page)
    return rill.sparse(type, #page == 2 and {size, size} or {size, size, size}, {page = page})
end

local function hashgrid(type, _, page)
    return rill.hashgrid(type, {page = page})
end

local function tree(type, size, page)
    return rill[#page == 2 and "quadtree" or "octree"](type, {size = size, page = page})
end

-- `nodes`: nodes of a tree's page along each dimension. `near`: distance of pages.
local cases <const> = {
    {name = "a sparse container of 2048^3", make = sparse, size = 2048, page = {8, 8, 8}},
    {name = "a hash grid of 2048^3", make = hashgrid, size = 2048, page = {8, 8, 8}},
    {name = "an octree of 2048^3 #long", make = tree, size = 2048, page = {8, 8, 8}, nodes = 9},
    {name = "a sparse container of 2048^3, in one place", make = sparse, size = 2048, page = {8, 8, 8}, near = 200},
    {name = "a sparse container of 131072^2 #long", make = sparse, size = 131072, page = {16, 16}},
    {name = "a sparse container of 131072^2, in one place #long", make = sparse, size = 131072, page = {16, 16},
        near = 2000},
    {name = "a hash grid of 131072^2 #long", make = hashgrid, size = 131072, page = {16, 16}},
    {name = "a quadtree of 131072^2", make = tree, size = 131072, page = {16, 16}, nodes = 17},
}

-- Scattered pages, and some adjacent ones.
local function places(case)
    local random, list, rank = order.generator(5), {}, #case.page
    for i = 1, case.nodes and 60 or 200 do
        list[i] = {}
        local far = not case.near and i % 2 == 0
        for d = 1, rank do list[i][d] = far and random(case.size) or 1000 + random(case.near or 64) end
    end
    return rill.from(list, "ivec" .. rank)
end

local function map(case, c, points)
    return case.nodes and c:refine(points, 0) or c:allocate(points)
end

-- Bytes of the tables: twice the elements' size adds as much as elements take.
local function tables(case, points)
    local float <close> = case.make("float", case.size, case.page)
    local double <close> = case.make("double", case.size, case.page)
    map(case, float, points)
    map(case, double, points)
    return 2 * float.nbytes - double.nbytes
end

describe("memory is at most 1.2 times that of pages and tables with", function()
    leaks.watch(setup, teardown)

    for _, case in ipairs(cases) do
        it(case.name, function()
            local rank, points = #case.page, places(case)
            local table_bytes, page_bytes = tables(case, points), 4
            for d = 1, rank do page_bytes = page_bytes * (case.nodes or case.page[d]) end
            local set = rill.kernel "kernel void set(inout float x<>) { x = x + 1.0; }"
            local get = rill.kernel(("kernel float get(ivec%d p<>, float c%s) { return c[p]; }"):format(rank,
                ("[]"):rep(rank)))
            local near = rill.kernel(("kernel void near(neighbor float x<>, out float r<>) { r = x + x[%s]; }"):format(
                rank == 2 and "ivec2(1, -1)" or "ivec3(1, -1, 0)"))
            check.collect()
            local before, made = rill.memory().bytes, {}
            local function within(what, f)
                local peak, allowed = rill.profile(f).peak - before, 0
                for _, one in ipairs(made) do allowed = allowed + one.pages.mapped * page_bytes + table_bytes end
                assert(peak <= 1.2 * allowed, ("%s: %d bytes, of pages and tables %d"):format(what, peak, allowed))
            end
            local c <close> = case.make("float", case.size, case.page)
            made[1] = map(case, c, points)
            assert.is_true(c.pages.mapped > 100)
            within("write", function() set {x = c} end)
            within("read", function() assert.equal(points.size, get(points, c):sum()) end)
            local d
            local function first() d = near(c) made[2] = d end
            within("neighbors into a new one", first)
            within("neighbors", function() near {x = c, r = d} end)
            within("write again", function() set {x = d} end)
            assert.equal(c.pages.mapped, d.pages.mapped)
            d:close()
        end)
    end

    -- Tables that are larger than the elements: a growing table replaces the old one.
    for _, case in ipairs {
        {name = "a page table grows", make = sparse, size = 2048, page = {8, 8, 8}, count = 1000},
        {name = "a page table of wide nodes grows", make = sparse, size = 131072, page = {16, 16}, count = 300},
        {name = "a hash table grows #tables", make = hashgrid, size = 131072, page = {2, 2}, count = 10000},
    } do
        it(case.name .. ", at once and page by page", function()
            local random, list, rank = order.generator(6), {}, #case.page
            for i = 1, case.count do
                list[i] = {}
                for d = 1, rank do list[i][d] = random(case.size) end
            end
            local points = rill.from(list, "ivec" .. rank)
            local function allocate_all(c) c:allocate(points) end
            local function allocate_each(c)
                for _, p in ipairs(list) do
                    c:allocate(rank == 2 and {p[2] + 1, p[1] + 1} or {p[3] + 1, p[2] + 1, p[1] + 1})
                end
            end
            for name, allocate in pairs {["at once"] = allocate_all, ["page by page"] = allocate_each} do
                check.collect()
                collectgarbage()
                local before = rill.memory().bytes
                local c <close> = case.make("uint8", case.size, case.page)
                local peak = rill.profile(function() allocate(c) end).peak - before
                assert(peak <= 1.2 * c.nbytes, ("%s: %d bytes, of pages and tables %d"):format(name, peak, c.nbytes))
            end
        end)
    end

    it("tables that find no memory stay as they were", function()
        local set = rill.kernel "kernel void set(inout float x<>) { x = x + 1.0; }"
        local c <close> = sparse("float", 131072, {16, 16})
        c:set(5, 1, 1):set(6, 131072, 131072)
        local mapped, random, list = c.pages.mapped, order.generator(7), {}
        for i = 1, 300 do list[i] = {random(131072), random(131072)} end
        local points = rill.from(list, "ivec2")
        check.collect()
        rill.memory_limit(rill.memory().bytes + 2 ^ 20)
        local done, message = pcall(c.allocate, c, points)
        assert.is_false(done)
        assert.matches("out of device memory", message)
        assert.equal(mapped, c.pages.mapped)
        assert.is_true(c.nbytes < 2 ^ 20)
        c:set(7, 2, 20) -- in an existing node
        set {x = c}
        rill.memory_limit(0)
        assert.same({6.0, 7.0, 8.0, 0.0},
            {c:get(1, 1), c:get(131072, 131072), c:get(2, 20), c:get(list[1][2] + 1, list[1][1] + 1)})
        assert.equal(300 + mapped + 1, c:allocate(points).pages.mapped)
        set {x = c}
        assert.same({7.0, 1.0}, {c:get(1, 1), c:get(list[1][2] + 1, list[1][1] + 1)})
    end)
end)
