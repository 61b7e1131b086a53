-- c:neighbors, compared with c:get and plain Lua.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"

local equal <const>, raises <const> = check.equal, check.raises

-- Returns the index that replaces one outside; nil: none.
local outside <const> = {
    clamp = function(i, n) return math.max(1, math.min(n, i)) end,
    wrap = function(i, n) return (i - 1) % n + 1 end,
    mirror = function(i, n)
        local k = (i - 1) % (2 * n)
        return (k < n and k or 2 * n - 1 - k) + 1
    end,
}

-- Compares all neighbors in a container of two dimensions with c:get, which has no boundary.
local function compare(c, reach, mode, range)
    local far, step, n = type(reach) == "table" and reach or {reach, reach}, (range or c:active()):each(), 0
    for near, i, j in c:neighbors(reach, range) do
        local y, x = step()
        equal({y, x}, {i, j})
        for v = -far[1], far[1] do
            for u = -far[2], far[2] do
                local expected = c:get(outside[mode](i + v, c.shape[1]), outside[mode](j + u, c.shape[2]))
                assert.equal(expected, near(v, u))
            end
        end
        assert.equal(c:get(i, j), near())
        n = n + 1
    end
    assert.is_nil(step())
    return n
end

describe("neighbors of a container's elements", function()
    leaks.watch(setup, teardown)

    shortened(it, "are those there are, mapped or not, across pages", function(whole)
        local s = rill.sparse("int", {20, 11}, {page = {4, 4}, default = -7})
        s:allocate({3, 3}, {6, 9}):allocate({20, 11}):update(function(_, i, j) return 100 * i + j end)
        assert.equal(s:active().size, compare(s, 1, "clamp"))
        assert.equal(12, compare(s, {2, 1}, "clamp", s:range({3, 4}, {5, 7})))
        assert.equal(0, compare(s, 1, "clamp", s:range({3, 4}, {2, 7})))
        for mode in pairs(whole and outside or {wrap = true}) do
            compare(s:boundary(mode), {1, 3}, mode, s:range({19, 10}, {20, 11}))
        end
        if not whole then
            return
        end
        local tree = rill.quadtree("float", {size = 16, page = 4})
        tree:refine(rill.from({{3, 3}, {12, 5}}, "vec2"), 0)
        tree:update(function(_, i, j) return i * i - 3 * j end)
        assert.equal(tree:active().size, compare(tree, 1, "clamp"))
        local hash = rill.hashgrid("int", {rank = 2, page = {4, 4}})
        hash:set(5, -4, 2 ^ 20 | 0):set(6, -3, 2 ^ 20 | 0)
        local found = {}
        for near, i, j in hash:neighbors(1) do
            assert.equal(hash:get(i + 1, j), near(1, 0))
            if near() == 5 then found[#found + 1] = near(1, 0) end
        end
        equal({6}, found)
    end)

    it("follow inherited boundary modes, which c:boundary replaces", function()
        local c = rill.array("float", 4):write(rill.from {1, 2, 3, 4})
        local copy = c:boundary("wrap"):copy()
        for mode, expected in pairs {wrap = {4, 1, 2, 3}, zero = {0, 1, 2, 3}} do
            local list = {}
            for near in (mode == "wrap" and copy or copy:boundary(mode)):neighbors(1) do list[#list + 1] = near(-1) end
            assert.same(expected, list)
        end
    end)

    shortened(it, "are there in one to eight dimensions", function(whole)
        for _, rank in ipairs(whole and {1, 4, 5, 8} or {1, 5}) do
            local shape, ones = {}, {}
            for d = 1, rank do shape[d], ones[d] = 2, 1 end
            local c = rill.array("int", shape):write(rill.iota(2 ^ rank | 0):reshape(shape))
            local reach = table.move(ones, 1, rank, 1, {})
            reach[1] = 0
            local n = 0
            for near, first, second in c:neighbors(rank == 1 and 1 or reach) do
                n = n + 1
                local back = {}
                for d = 1, rank do back[d] = d == rank and 1 or 0 end
                local last = rank == 1 and first or n % 2 == 1 and 1 or 2
                assert.equal(n - 1 + (last == 1 and 1 or 0), near(table.unpack(back)))
                assert.is_true(rank == 1 or first <= 2 and second <= 2)
            end
            assert.equal(2 ^ rank, n)
        end
    end)

    it("are gathered in as many parts as it takes, in the order of c:each", function()
        local c = rill.array("uint8", {61, 47}):write(rill.iota {61, 47} % 251)
        local each, reach = c:each(), {40, 21}
        for near, i, j in c:neighbors(reach) do
            local y, x, v = each()
            assert.is_true(y == i and x == j and v == near())
            local u = (i * 31 + j * 17) % 81 - 40
            local w = (i * 13 + j * 7) % 43 - 21
            local from = (outside.clamp(i + u, 61) - 1) * 47 + outside.clamp(j + w, 47) - 1
            assert.equal(from % 251, near(u, w))
        end
        assert.is_nil(each())
    end)

    it("are vectors and structures, too", function()
        local v = rill.array("vec2", {3}):generate(function(i) return {i, -i} end)
        for near, i in v:neighbors(1) do equal({math.min(i + 1, 3), -math.min(i + 1, 3)}, near(1)) end
        local Ball = rill.struct("NeighborBall", "vec2 p; int n;")
        local balls = rill.array(Ball, {4}):generate(function(i) return {p = {i, 0.5}, n = 7 * i} end)
        for near, i in balls:neighbors(1) do assert.equal(7 * math.max(i - 1, 1), near(-1).n) end
    end)

    it("name errors", function()
        local c = rill.array("int", {4, 4})
        for _, reach in ipairs {-1, 0.5, 1.5, "1", {1}, {1, 2, 3}, {1, "2"}} do
            raises("argument #1 'reach': expected a whole number, 0 or more, or a table of 2", c.neighbors, c, reach)
        end
        raises("argument #1 'reach': expected a whole number", c.neighbors, c)
        raises("a neighborhood has at most 1048576 elements", c.neighbors, c, 512)
        raises("a neighborhood has at most 1048576 elements", c.neighbors, c, math.maxinteger)
        raises("argument #2 'range': expected a range", c.neighbors, c, 1, 5)
        raises("expected at most 2 arguments, got 3", c.neighbors, c, 1, nil, 2)
        raises("argument 'c': expected a container, got stream", c.neighbors, rill.stream("int", 3), 1)
        local lists = rill.lists("int", {offsets = rill.from({0, 2, 3}, "int")})
        raises("entries of lists have no neighbors", lists.neighbors, lists, 1)
        local kept
        for near in c:neighbors({1, 2}, c:range({1, 1}, {1, 1})) do
            kept = near
            raises("near: expected 2 offsets, one per dimension, got 1", near, 1)
            raises("near: argument #1: expected a whole number from %-1 to 1, got 2", near, 2, 0)
            raises("near: argument #2: expected a whole number from %-2 to 2, got nil", near, 1, nil)
        end
        raises("near: the loop is over", kept)
        raises("the container was closed", function()
            for _ in c:neighbors(1) do c:close() end
            for _ in c:neighbors(1) do end
        end)
    end)
end)
