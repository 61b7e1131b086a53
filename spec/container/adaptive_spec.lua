local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local order = require "spec.support.order"

local T <const> = rill.translator
local raises <const> = check.raises
local NOWHERE <const> = -2 ^ 31 | 0

describe("a page table of levels", function()
    leaks.watch(setup, teardown)

    it("gives many addresses to one element, by the finest page of a place", function()
        local t = T.pages {shape = {64, 64}, page = {8, 8}, adaptive = true}
        assert.equal("translator adaptive: 64x64 to 1 dimension, 0 pages mapped", tostring(t))
        assert.is_nil(t:translate {9, 0})
        t:map({0, 0}, nil, 2, 3)
        assert.same({128, 129, 136, 191}, t:translate(rill.from({{7, 7}, {9, 0}, {0, 8}, {63, 63}}, "ivec2")):values())
        t:map({8, 0}, nil, 7, 0):map({0, 0}, nil, 1, 1)
        assert.same({91, 449, 144, 100}, t:translate(rill.from({{7, 7}, {9, 0}, {0, 16}, {8, 8}}, "ivec2")):values())
        assert.equal(449, t:translate {9, 0})
        assert.same({8, 0}, t:inverse(129))
        assert.same({56, 56}, t:inverse(191))
        assert.equal(1, t:unmap({0, 0}, nil, 1))
        assert.equal(0, t:unmap({0, 0}, nil, 1))
        assert.equal(128, t:translate {7, 7})
        assert.equal(449, t:translate {9, 0})
        assert.equal(1, t:unmap({0, 0}, {63, 63}, 3))
        assert.is_nil(t:translate {7, 7})
        assert.equal(449, t:translate {9, 0})
        assert.equal(1, t:unmap({0, 0}, {63, 63}))
        assert.equal(0, t.mapped)
    end)

    it("comes in ranges of elements", function()
        local t = T.pages {shape = {16, 16}, page = {4, 4}, adaptive = true}
        t:map({0, 0}, nil, 0, 2):map({8, 8}, nil, 1, 1)
        local found = t:ranges({0, 0}, {15, 15})
        assert.same({first = {0, 0}, last = {7, 3}, at = 0, level = 2}, found[1])
        assert.same({first = {8, 8}, last = {15, 15}, at = 16, level = 1}, found[#found])
        assert.equal(7, #found)
        assert.same({{first = {9, 9}, last = {9, 9}, at = 16, level = 1}}, t:ranges {9, 9})
        local parts = {{first = {1, 2}, last = {7, 3}, at = 0, level = 2},
            {first = {1, 4}, last = {7, 6}, at = 4, level = 2}}
        assert.same(parts, t:ranges({1, 2}, {7, 6}))
    end)

    it("is found among pages of all levels, mapped and unmapped at random, and gives nodes back", function()
        local t = T.pages {shape = {3000, 4096}, page = {8, 8}, adaptive = true, levels = 3}
        local random, pages, bytes = order.generator(4), {}, 0
        local list = {}
        for i = 1, 500 do list[i] = {random(4096), random(3000)} end
        local stream = rill.from(list, "ivec2")
        for round = 1, 3 do
            for frame = 0, 299 do
                local level = random(10)
                local p = list[1 + random(500)]
                local key = level .. "," .. (p[1] >> level + 3) .. "," .. (p[2] >> level + 3)
                if not pages[key] then
                    t:map(p, nil, frame, level)
                    pages[key] = {p, level, frame}
                end
            end
            local found = t:translate(stream):values()
            for i, p in ipairs(list) do
                local expected = NOWHERE
                for level = 9, 0, -1 do
                    local page = pages[level .. "," .. (p[1] >> level + 3) .. "," .. (p[2] >> level + 3)]
                    expected = page and page[3] * 64 + (p[2] >> level & 7) * 8 + (p[1] >> level & 7) or expected
                end
                assert.equal(expected, found[i])
                assert.equal(expected, t:translate(p) or NOWHERE)
            end
            for key, page in pairs(pages) do
                assert.equal(1, t:unmap(page[1], nil, page[2]))
                pages[key] = nil
            end
            assert.equal(0, t.mapped)
            check.collect()
            bytes = round == 1 and rill.memory().bytes or bytes
            assert.is_true(rill.memory().bytes <= bytes + 16384)
        end
    end)

    it("is read by kernels through a container", function()
        local t = T.pages {shape = {64, 64}, page = {8, 8}, adaptive = true}
        t:map({0, 0}, nil, 0, 2):map({0, 0}, nil, 1)
        local memory = rill.physical("float", 128)
        memory:write(rill.iota(128))
        local c = rill.virtual(t, memory, {default = -1})
        local k = rill.kernel "kernel void f(ivec2 p<>, float c[][], out float r<>) { r = c[p.y][p.x]; }"
        local points = rill.from({{1, 2}, {9, 0}, {31, 31}, {32, 0}}, "ivec2")
        assert.same({81.0, 2.0, 63.0, -1.0}, k(points, c):values())
        assert.same({81.0, 2.0, 63.0, -1.0}, {c:get(3, 2), c:get(1, 10), c:get(32, 32), c:get(1, 33)})
        c:fill(5)
        assert.same({5.0, 5.0, 5.0, -1.0}, k(points, c):values())
        assert.equal(memory:get(1), 0.0) -- a finer page lies over it
        assert.equal(1024 * 5 - 3072, c:stream():sum())
        raises("c:write: 64 of the 128 elements to be written are not mapped", c.write, c,
            rill.stream("float", {2, 64}), {1, 1})
    end)

    it("names wrong arguments", function()
        local t = T.pages {shape = {60, 60}, page = {8, 8}, adaptive = true, capacity = 3}
        raises("t:map: argument #4 'level': expected 0 .. 3, got 4", t.map, t, {0, 0}, nil, 0, 4)
        raises("t:unmap: argument #3 'level': expected 0 .. 3, got %-1", t.unmap, t, {0, 0}, nil, -1)
        raises("2 pages do not fit into frames from 2 on", t.map, t, {0, 0}, {40, 0}, 2, 2)
        raises("t:map: pages of translator 'pages' have no levels: create it with adaptive = true", function()
            T.pages {shape = 8, page = 4}:map(0, nil, 0, 1)
        end)
        raises("'capacity' is 67108864: pages of 1 elements reach", T.pages, {shape = 8, page = 1, adaptive = true,
            capacity = 2 ^ 26 | 0})
        raises("'page' is 4x4 and 'shape' is 8: expected the same number", T.pages, {shape = 8, page = {4, 4},
            adaptive = true})
        raises("the page table would be too large", T.pages, {shape = {2 ^ 20 | 0, 2 ^ 20 | 0}, page = {1, 1},
            adaptive = true, levels = 1})
    end)
end)
