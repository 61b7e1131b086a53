local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local raises <const> = check.raises

local shapes <const> = {{{45}, {7}}, {{13, 21}, {4, 8}}, {{5, 7, 6}, {2, 3, 4}}, {{3, 4, 3, 5}, {2, 2, 2, 3}}}

local function one(list)
    return #list == 1 and list[1] or list
end

local function sparse(type, shape, page, default)
    local c = rill.sparse(type, one(shape), {page = one(page), default = default})
    for i = 1, 6 do
        local index = {}
        for d = 1, #shape do index[d] = math.random(shape[d]) end
        c:set(i, table.unpack(index))
    end
    return c
end

describe("in Lua, a container", function()
    leaks.watch(setup, teardown)

    local function iterate(from, to)
        for number = from, to do
            local case = shapes[number]
            local shape = case[1]
            local c = sparse("float", shape, case[2], 9)
            local addresses, count = c:active():addresses():values(), 0
            for a, b, d, e, f in c:each() do
                local index = {a, b, d, e, f}
                local value = table.remove(index)
                assert.equal(value, c:get(table.unpack(index)))
                for k = 1, #shape do
                    assert.equal(addresses[count * #shape + k], index[#shape + 1 - k] - 1)
                end
                count = count + 1
            end
            assert.equal(c:active().size, count)
            for _ in pairs(c) do count = count - 1 end
            assert.equal(0, count)
        end
    end

    it("is iterated over in other dimensions #long", function()
        iterate(1, 1)
        iterate(3, 4)
    end)

    it("is iterated over where it is mapped, in address order", function()
        iterate(2, 2)
        for _ in rill.sparse("float", 9, {page = 4}):each() do error "nothing is mapped" end
        local sum = 0
        for i, j, v in rill.array("int", {3, 4}):fill(2):each() do sum = sum + v * (10 * i + j) end
        assert.equal(2 * (4 * 60 + 3 * 10), sum)
        raises("c:each: argument 'c': expected a container, got number", rill.array("int", 3).each, 1)
    end)

    local function view_boxes(from, to)
        for _, lazy in ipairs {true, false} do
            for number = from, to do
                local case = shapes[number]
                local shape = case[1]
                local c = sparse("float", shape, case[2], 9)
                local first, last = {}, {}
                for d = 1, #shape do
                    first[d] = math.random(shape[d])
                    last[d] = math.random(first[d], shape[d])
                end
                local oracle = c:values(one(first), one(last))
                local m = c:map_cpu {first = one(first), last = one(last), lazy = lazy}
                assert.equal(#oracle, #m)
                for i = 1, #m do assert.equal(oracle[i], m[i]) end
                assert.is_nil(m[#m + 1])
                local all = c:copy()
                for i = 1, #m, 3 do
                    oracle[i] = -i
                    m[i] = -i
                end
                assert.equal(-1, m[1])
                m:unmap()
                assert.same(oracle, c:values(one(first), one(last)))
                c:write(all:stream():domain(one(first), one(last)), one(first), one(last))
                assert.same(all:values(), c:values())
            end
        end
    end

    it("is a view of a box in other dimensions #long", function()
        view_boxes(1, 1)
        view_boxes(3, 4)
    end)

    it("is a view of a box, page by page", function()
        view_boxes(2, 2)
        local large = rill.sparse("vec2", {2048, 2048, 2048}, {page = {8, 8, 8}, default = 2})
        local m = large:map_cpu {lazy = true}
        m[#m] = {4, 5}
        assert.same({{4.0, 5.0}, {2.0, 2.0}, 8589934592}, {m[#m], m[1], #m})
        m:unmap()
        assert.same({1, {4.0, 5.0}}, {large.pages.mapped, large:get(2048, 2048, 2048)})
        local h = rill.hashgrid("int", {page = {4, 4}, default = -1}):set(5, -3, 2)
        local k = h:map_cpu {first = {-4, 0}, last = {3, 3}}
        assert.same({32, -1, 5}, {#k, k[1], k[7]})
        k[32] = 8
        k:unmap()
        assert.same({8, 5, 2}, {h:get(3, 3), h:get(-3, 2), h.pages.mapped})
        local sum = 0
        for i, j, v in h:each() do sum = sum + (v > 0 and v * (i + 10 * j) or 0) end
        assert.equal(5 * 17 + 8 * 33, sum)
        raises("c:map_cpu: option 'first': expected an index of a container of 2 dimensions", h.map_cpu, h)
        local a = rill.array("int", {3, 4})
        do
            local view <close> = a:map_cpu()
            view[5] = 7
            assert.equal("mapped container<int> of 12", tostring(view))
        end
        assert.equal(7, a:get(2, 1))
        local function forget()
            a:map_cpu()[1] = 3
        end
        forget()
        check.collect()
        assert.equal(3, a:get(1, 1))
    end)

    it("says what a mapped view can't do", function()
        local c = rill.sparse("float", {8, 8}, {page = {4, 4}, capacity = 1})
        local m = c:map_cpu()
        m[1] = 2
        raises("c:allocate: it takes 1 page, of which 0 are mapped and 0 free", function() m[64] = 1 end)
        raises("m%[i%] = v: index 65 is out of range 1 .. 64", function() m[65] = 1 end)
        raises("m%[i%]: argument #1 'i': expected an index from 1, got 0", function() return m[0] end)
        raises("a mapped container has no field or method 'size'", function() return m.size end)
        m:unmap()
        raises("m%[i%]: the container was unmapped", function() return m[1] end)
        assert.equal("unmapped container", tostring(m))
        assert.equal(2, c:get(1, 1))
        raises("c:map_cpu: unknown option 'lasy'", c.map_cpu, c, {lasy = true})
        raises("c:map_cpu: option 'lazy': expected true or false, got number", c.map_cpu, c, {lazy = 1})
        raises("c:map_cpu: option 'first': expected an index of a container of shape 8x8", c.map_cpu, c, {first = 9})
        raises("c:map_cpu: dimension 2: 3 .. 2 is not a box", c.map_cpu, c, {first = {1, 3}, last = {8, 2}})
        raises("c:map_cpu: argument #1 'options': expected a table of options, got number 1", c.map_cpu, c, 1)
    end)

    local function compare_boundaries(c, list)
        local k <const> = rill.kernel [[kernel void n(neighbor float x<>, float g[][], out float r<>) {
            r = x[ivec2(-2, 1)] + 10.0 * g[indexof(x).xy + ivec2(3, 0)];
        }]]
        for _, modes in ipairs(list) do
            local view, s = c:boundary(table.unpack(modes)), c:stream():boundary(table.unpack(modes))
            assert.same(k(s, s):values(), k {x = view, g = view, over = c:range()}:values())
        end
        return k
    end

    it("has one of the other boundaries #long", function()
        compare_boundaries(sparse("float", {13, 21}, {4, 8}, 5), {{"wrap"}, {"mirror"}, {"zero"}, {"clamp"}})
    end)

    it("has a boundary, and no other views", function()
        local c = sparse("float", {13, 21}, {4, 8}, 5)
        local k = compare_boundaries(c, {{7}, {"wrap", "mirror"}})
        local view = c:boundary "wrap"
        view:set(3, 1, 1)
        c:allocate({1, 1}, {13, 21}):set(4, 13, 21) -- memory has grown
        assert.same({3, 4}, {c:get(1, 1), view:get(13, 21)})
        assert.same(k(c:stream():boundary "wrap", c:stream()):values(), k(view, c):values())
        c:close()
        assert.equal(3, view:get(1, 1))
        for _, name in ipairs {"domain", "stride", "tile", "replicate", "group", "reshape", "transpose"} do
            raises("c:" .. name .. ": containers do not have this method of streams: c:range is a part for a launch",
                view[name], view, 1)
        end
        raises('c:boundary: argument #1 \'mode\': expected "clamp", "wrap"', view.boundary, view, "far")
        raises("c:boundary: expected one mode, or one for each of 2 dimensions, got 3 arguments", view.boundary, view,
            1, 2, 3)
    end)

    it("has methods of the user's own", function()
        local c = rill.sparse("float", {13, 21}, {page = {4, 8}}):set(5, 1, 1)
        local own = rill.container(c, {
            get = function(_, ...) return -c:get(...) end, add = function(self, i, j) return self:set(8, i, j) end,
        })
        assert.equal("container", rill.type(own))
        assert.equal(tostring(c), tostring(own))
        assert.equal(-8, own:add(13, 21):get(13, 21))
        assert.same({8, 2}, {c:get(13, 21), own.pages.mapped})
        assert.equal(-8, own:copy():get(13, 21))
        assert.equal(-8, own:boundary("wrap"):get(13, 21))
        assert.same((2 * c):values(), (2 * own):values())
        c:close()
        assert.same(13 + 0.0, own:stream():sum())
        raises("rill.container: argument #1 'virtual': expected a container, got number 1", rill.container, 1, {})
        raises("rill.container: argument #2 'methods': expected a table of functions by name", rill.container, own)
        raises("rill.container: argument #2 'methods': expected functions by name, got number 3 under 'x'",
            rill.container, own, {x = 3})
        raises("a container has no field or method 'ad'", function() return own.ad end)
    end)

    it("is drawn as where it is mapped", function()
        local function lines(c, width)
            local list = {}
            for line in rill.show(c, {mode = "ascii", width = width, text = true}):gmatch "[^\n]+" do
                list[#list + 1] = line
            end
            return list
        end
        local c = rill.sparse("float", {32, 64}, {page = {16, 16}}):allocate({1, 17}):allocate({17, 49})
        local drawn = lines(c, 8)
        assert.same({"  @@    ", "      @@"}, {drawn[1], drawn[#drawn]})
        assert.same({("@"):rep(10)}, lines(rill.array("int", 30), 10))
        local h = rill.hashgrid("int", {page = {4, 4}}):set(1, -7, -7):set(1, 1, 1)
        drawn = lines(h, 12)
        assert.same({"@@@@        ", "        @@@@"}, {drawn[1], drawn[#drawn]})
        local t = rill.translator.pages {shape = {64, 64}, page = {8, 8}, adaptive = true}
        t:map({0, 0}, {7, 7}, 0, 0)
        t:map({0, 0}, nil, 1, 2)
        local first = lines(rill.virtual(t, rill.physical("float", 64 * 8)), 8)[1]
        assert.matches("^#(%p)%1%1    $", first)
        assert.not_equal("#", first:sub(2, 2))
        assert.matches("^ *$", lines(rill.sparse("float", 8, {page = 4}), 8)[1])
        -- Trees: coarser leaves are darker. The last nodes belong to the previous leaves.
        local q = rill.quadtree("float", {size = 16, page = 2})
        drawn = lines(q, 17)
        assert.equal((":"):rep(17), drawn[1])
        assert.equal(drawn[1], drawn[#drawn])
        q:refine(rill.from({{3, 3}}, "ivec2"), 0)
        drawn = lines(q, 17)
        local fine, next, coarse = "@@@@####+++++++++", "########+++++++++", ("+"):rep(17)
        assert.same({fine, fine, next, next, coarse, coarse}, {table.unpack(drawn, 1, 6)})
        local o = rill.octree("float", {size = 16, page = 2})
        o:refine(rill.from({{3, 3, 9}, {14, 14, 3}}, "ivec3"), rill.from({0, 1}, "int"))
        drawn = lines(o, 17) -- the finest of several pages
        assert.same({fine, fine, next, next}, {table.unpack(drawn, 1, 4)})
        assert.equal("++++++++#########", drawn[#drawn])
    end)

    it("counts pages that are held", function()
        check.collect() -- containers of other tests
        local before = rill.memory().pages
        local c = rill.sparse("float", {13, 21}, {page = {4, 8}}):allocate({1, 1}, {8, 8})
        assert.equal(before + 2, rill.memory().pages)
        local s = c:snapshot()
        c:fill(1)
        assert.equal(before + 4, rill.memory().pages)
        s:close()
        c:release({1, 1})
        assert.equal(before + 1, rill.memory().pages)
        c:close()
        assert.equal(before, rill.memory().pages)
    end)

    it("is copied into another", function()
        local c, d = sparse("float", {13, 21}, {4, 8}, 5), sparse("half", {13, 21}, {3, 5}, 1)
        assert.same(c:values(), d:write(c):values())
        local a = rill.array("float", {20, 30})
        assert.same(c:values(), a:write(c, {3, 4}):values({3, 4}, {15, 24}))
        assert.same((c * 2):values(), a:write(2 * c, {8, 10}):values({8, 10}, {20, 30}))
        raises("c:write: argument #1 'data': a container of shape 13x21 does not fit into 20x30", a.write, a, c)
        raises("c:write: argument #1 'data'", a.write, a, {1, 2, "x"})
    end)
end)
