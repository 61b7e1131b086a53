-- Boxes of containers are copied to others, pushed onto stacks, and used as inputs of launches over other
-- boxes; compared with plain Lua.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local order = require "spec.support.order"

local raises <const> = check.raises
local T <const> = rill.translator

-- Containers of a shape with some mapped pages, and the expected value of each element.
local kinds <const> = {
    function(shape, random)
        return rill.sparse("int", shape, {page = {1 + random(6), 1 + random(6)}, default = 7})
    end,
    function(shape) return rill.array("int", shape) end,
    function(shape) return rill.sparse("int", shape, {page = {4, 8}, default = 7}) end,
    function(shape) return rill.sparse("int", shape, {page = {5, 3}, default = 9}) end,
    function(shape)
        local pages = T.pages {shape = shape, page = {4, 4}}
        local grid = T.fold {shape = {1024}, to = {32, 32}}
        local c = rill.virtual(T.compose(grid, pages), rill.physical("int", {32, 32}), {default = 7})
        pages:map({0, 0}, {shape[2] - 1, shape[1] - 1}, 0)
        return c
    end,
}

local function filled(kind, random)
    local shape = {14 + random(8), 14 + random(8)}
    local c = kinds[kind](shape, random)
    for _ = 1, 3 do
        local i, j = 1 + random(shape[1]), 1 + random(shape[2])
        local v = random(100)
        c:write({{v, v + 1}, {v + 2, v + 3}}, {math.min(i, shape[1] - 1), math.min(j, shape[2] - 1)})
    end
    return c
end

local function model_of(c)
    local rows = c:read()
    local shape = c.shape
    return {rows = rows, shape = {shape[1], shape[2]}}
end

local function compare(model, c, what)
    local got = c:read()
    for i, row in ipairs(model.rows) do
        for j, value in ipairs(row) do
            assert(got[i][j] == value, ("%s: (%d, %d) is %s, expected %s"):format(what, i, j, got[i][j], value))
        end
    end
end

local function box_in(random, shape, most)
    local first, last = {}, {}
    for d = 1, 2 do
        local size = 1 + random(math.min(shape[d], most and most[d] or 99))
        first[d] = 1 + random(shape[d] - size + 1)
        last[d] = first[d] + size - 1
    end
    return first, last
end

local function corner_for(random, shape, first, last)
    local at = {}
    for d = 1, 2 do at[d] = 1 + random(shape[d] - (last[d] - first[d])) end
    return at
end

local function write_box(model, from, first, last, at)
    for i = first[1], last[1] do
        for j = first[2], last[2] do
            model.rows[at[1] + i - first[1]][at[2] + j - first[2]] = from.rows[i][j]
        end
    end
end

local add <const> = rill.kernel "kernel void add(int x<>, int y<>, out int r<>) { r = 3 * x + y; }"

describe("boxes of containers", function()
    leaks.watch(setup, teardown)

    -- Seeds are pairs of kinds.
    local function write_boxes(first_seed, step)
        for seed = first_seed, 25, step do
            local random = order.generator(seed)
            local p, d = filled(1 + seed % #kinds, random), filled(1 + seed // #kinds % #kinds, random)
            local from, model = model_of(p), model_of(d)
            for round = 1, 3 do
                local first, last = box_in(random, p.shape, d.shape)
                local at = corner_for(random, d.shape, first, last)
                d:write(p:range(first, last), at)
                write_box(model, from, first, last, at)
                compare(model, d, ("seed %d, round %d"):format(seed, round))
            end
            local first, last = box_in(random, d.shape)
            local at = corner_for(random, d.shape, first, last)
            from = model_of(d)
            d:write(d:range(first, last), at)
            write_box(model, from, first, last, at)
            compare(model, d, ("seed %d, itself"):format(seed))
        end
    end

    it("are written to others as they read", function() write_boxes(1, 6) end)

    it("are so of any two kinds #long", function() write_boxes(1, 1) end)

    it("map only mapped elements", function()
        local p = rill.sparse("float", {2048, 2048, 2048}, {page = {8, 8, 8}, default = 2})
        local d = rill.sparse("float", {2048, 2048, 2048}, {page = {8, 8, 8}, default = 2})
        p:set(5, 1000, 1000, 1000):set(6, 7, 8, 9)
        d:set(1, 2048, 1, 1)
        local before = rill.memory()
        d:write(p)
        assert.same({2, 5, 6, 2}, {d.pages.mapped - 1, d:get(1000, 1000, 1000), d:get(7, 8, 9), d:get(2048, 1, 1)})
        assert.is_true(rill.memory().peak - before.bytes < 8 * 512 * 4 + 65536)
        d:write(p:range({1, 1, 1}, {1024, 1024, 1024}), {1025, 1025, 1025})
        assert.same({6, 5, 6}, {d:get(1031, 1032, 1033), d:get(2024, 2024, 2024), d:get(7, 8, 9)})
        local flat, q = rill.sparse("float", {64, 64}, {page = {8, 8}}), rill.sparse("float", {64, 64}, {page = {8, 8}})
        q:set(3, 20, 20)
        assert.equal(1, flat:write(q).pages.mapped)
        assert.equal(1, flat:write(q:range({17, 17}, {24, 24})).pages.mapped)
        assert.equal(2, flat:write(q:range({17, 17}, {24, 24}), {1, 1}).pages.mapped)
        assert.equal(3, flat:get(4, 4))
        local half = rill.sparse("half", {64, 64}, {page = {16, 4}}):write(q)
        assert.same({2, 3}, {half.pages.mapped, half:get(20, 20)})
    end)

    it("of any elements go where they were", function()
        local p = rill.sparse("int", {40, 40}, {page = {8, 8}}):set(4, 5, 6):set(9, 33, 34)
        local old <close> = p:snapshot()
        p:set(8, 33, 35)
        local d = rill.array("int", {40, 40}):fill(-1)
        d:write(p:diff(old))
        assert.same({9, 8, -1, -1}, {d:get(33, 34), d:get(33, 35), d:get(5, 6), d:get(32, 32)})
        d:write(p:active())
        assert.same({4, -1}, {d:get(5, 6), d:get(20, 20)})
        d:fill(-1):write(p:active(), {1, 1})
        assert.equal(4, d:get(5, 6))
        local e = rill.sparse("int", {50, 50}, {page = {10, 10}}):write(p:active(), {3, 4})
        assert.same({4, 9}, {e:get(7, 9), e:get(35, 37)})
    end)

    it("have no bounds on hash grids", function()
        local h, g = rill.hashgrid("int", {page = {4, 4}}):set(9, -5, -6), rill.hashgrid("int", {page = {3, 3}})
        g:write(h:range({-8, -8}, {0, 0}), {100, 100})
        assert.equal(9, g:get(103, 102))
        g:write(h:active())
        assert.equal(9, g:get(-5, -6))
        local a = rill.array("int", {2, 2}):write {{1, 2}, {3, 4}}
        g:write(a:range(), {-1, -1})
        assert.same({1, 4}, {g:get(-1, -1), g:get(0, 0)})
        a:write(h:range({-6, -7}, {-5, -6}), {1, 1})
        assert.same({0, 0, 0, 9}, a:values())
        g:write(g:range({-6, -7}, {-5, -6}), {-5, -6})
        assert.equal(9, g:get(-4, -5))
    end)

    local function push_boxes(seeds)
        for seed = 1, seeds do
            local random = order.generator(seed)
            local c = filled(1 + seed % #kinds, random)
            local s, expected = rill.stack "int", {}
            local function push(what, range)
                local first, last = s:push(what)
                assert.same({#expected + 1, #expected + range.size}, {first, last})
                for i, j in range:each() do expected[#expected + 1] = c:get(i, j) end
            end
            local first, last = box_in(random, c.shape)
            push(c, c:active())
            push(c:range(first, last), c:range(first, last))
            push(c:active(), c:active())
            assert.same(expected, s:stream():values())
            assert.same({#s + 1, #s + 2}, {s:push(s:range(2, 3))})
            assert.same({s:get(2), s:get(3)}, s:pop(2):values())
        end
    end

    it("are pushed onto stacks, more of them #long", function() push_boxes(15) end)

    it("are pushed onto stacks", function()
        push_boxes(3)
        local q = rill.quadtree("int", {size = 16, page = 4, default = 3})
        q:set(8, 5, 5)
        local s = rill.stack "int"
        s:push(q)
        assert.same({q:sum(), q:active().size}, {s:sum(), #s})
        local t = rill.stack "float"
        t:push(rill.array("int", 3):fill(2) * 2)
        assert.equal(12, t:sum())
        raises("c:push: argument #1 'elements': a stream of vec2 can't be converted to float", t.push, t,
            rill.array("vec2", 2))
        raises("c:push: argument 'elements': the container was closed", function()
            local a = rill.array("float", 2)
            local r = a:range()
            a:close()
            t:push(r)
        end)
        local small = rill.stack("float", {capacity = 3})
        raises("c:push: 4 elements do not fit on a stack of 0 elements: 'capacity' is 3", small.push, small,
            rill.array("float", {2, 2}):range())
        assert.equal(0, #small)
    end)

    local function launch_over_boxes(seeds)
        for seed = 1, seeds do
            local random = order.generator(seed)
            local x, y = filled(1 + seed % #kinds, random), filled(1 + seed // 2 % #kinds, random)
            local r = filled(1 + seed // 3 % 4, random)
            local a, b, model = model_of(x), model_of(y), model_of(r)
            local most = {math.min(x.shape[1], y.shape[1]), math.min(x.shape[2], y.shape[2])}
            local first, last = box_in(random, r.shape, most)
            local at, beside = corner_for(random, x.shape, first, last), corner_for(random, y.shape, first, last)
            local function box(c, from)
                return c:range(from, {from[1] + last[1] - first[1], from[2] + last[2] - first[2]})
            end
            add {x = box(x, at), y = box(y, beside), r = r, over = box(r, first)}
            local whole = add(box(x, at), box(y, beside))
            assert.equal("stream", rill.type(whole))
            local flat = whole:read()
            for i = 0, last[1] - first[1] do
                for j = 0, last[2] - first[2] do
                    local value = 3 * a.rows[at[1] + i][at[2] + j] + b.rows[beside[1] + i][beside[2] + j]
                    model.rows[first[1] + i][first[2] + j] = value
                    assert.equal(value, flat[i + 1][j + 1])
                end
            end
            compare(model, r, "seed " .. seed)
        end
    end

    it("are inputs of launches over other boxes", function() launch_over_boxes(4) end)

    it("are inputs of launches over more of them #long", function() launch_over_boxes(15) end)

    it("are combined with other inputs, and keep their indices", function()
        local c = rill.sparse("int", {64, 64}, {page = {8, 8}, default = 3}):set(5, 20, 20)
        local s = rill.stream("int", {4, 4}):fill(100)
        assert.same({103, 103, 103, 105}, add(s:domain({1, 1}, {2, 2}):copy(), c:range({19, 19}, {20, 20})):values()
            and rill.kernel "kernel void k(int x<>, int s<>, out int r<>) { r = x + s; }"
            (c:range({19, 19}, {20, 20}), s:domain({1, 1}, {2, 2})):values())
        local k = rill.kernel "kernel void k(int x<>, out ivec2 r<>) { r = indexof(r).xy + ivec2(x, 0); }"
        local d = rill.array("ivec2", {8, 8})
        k {x = c:range({20, 20}, {21, 21}), r = d, over = d:range({5, 6}, {6, 7})}
        assert.same({10, 4, 9, 4}, {d:get(5, 6)[1], d:get(5, 6)[2], d:get(5, 7)[1], d:get(5, 7)[2]})
        local h = rill.hashgrid("int", {page = {4, 4}}):set(9, -5, -6)
        local e = rill.hashgrid("int", {page = {5, 5}})
        add {x = h:range({-6, -7}, {-5, -6}), y = h:range({1, 1}, {2, 2}), r = e, over = e:range({50, 60}, {51, 61})}
        assert.equal(27, e:get(51, 61))
    end)

    it("say where they don't go", function()
        local c, d = rill.sparse("int", {20, 20}, {page = {4, 4}}), rill.array("int", {8, 8})
        raises("c:write: argument #1 'data': a range of 9x1 does not fit", d.write, d, c:range({1, 1}, {9, 1}))
        raises("c:write: argument #1 'data': a range of 2x2 does not fit", d.write, d, c:range({1, 1}, {2, 2}),
            {8, 8})
        raises("c:write: argument #1 'data': a range of 2x2 does not fit", d.write, d, c:range({1, 1}, {2, 2}),
            {1, 1}, {3, 3})
        raises("c:write: argument #1 'data': a range of 1 dimensions does not fit into a container of 2", d.write, d,
            rill.array("int", 3):range())
        raises("c:write: argument #1 'data': a stream of vec2 can't be converted to int", d.write, d,
            rill.array("vec2", {8, 8}))
        raises("c:write: argument #1 'data': a container of shape 20x20 does not fit into 8x8", d.write, d, c)
        local y = d:range({1, 1}, {2, 2})
        raises("add: argument 'x' is a range of 3x3, the launch runs over 8x8: 'over' must be a box of the same shape",
            add,
            {x = c:range({1, 1}, {3, 3}), y = 0 * rill.iota(64):cast "int":reshape {8, 8}, r = d})
        raises("add: argument 'x' is a range of 3x3, the launch runs over other elements", add,
            {x = c:range({1, 1}, {3, 3}), y = y, r = rill.array("int", {8, 8}), over = d:range({1, 1}, {2, 2})})
        raises("add: argument 'x' is a container whose memory 'r' writes", add,
            {x = d:range({3, 3}, {4, 4}), y = c:range({1, 1}, {2, 2}), r = d, over = y})
        c:set(1, 1, 1):set(1, 20, 20)
        raises("add: argument #1 'x': expected a range that is a box of elements %(c:range%), got a range that is not"
            .. " a box", add, c:active(), y)
        raises("add: argument #1 'x': expected a range of a container of int on the kernel's device, got one of vec2",
            add, rill.array("vec2", {2, 2}):range(), y)
        raises("add: argument 'x': the container was closed", function()
            local a = rill.array("int", {2, 2})
            local r = a:range()
            a:close()
            add(r, y)
        end)
        local n = rill.kernel "kernel void n(inout int r<>) { r = 1; }"
        raises("n: argument #1 'r': expected a stream of int .*, got range", n, y)
    end)
end)
