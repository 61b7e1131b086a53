local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local order = require "spec.support.order"

local T <const> = rill.translator
local raises <const> = check.raises

describe("pages", function()
    leaks.watch(setup, teardown)

    local makers = {
        pages = function(capacity) return T.pages {shape = {64, 64}, page = {8, 8}, levels = 2,
            capacity = capacity} end,
        adaptive = function(capacity) return T.pages {shape = {64, 64}, page = {8, 8}, adaptive = true,
            capacity = capacity} end,
        hash = function(capacity) return T.hash {page = {8, 8}, capacity = capacity} end,
    }
    for name, make in pairs(makers) do
        it("of " .. name .. " are mapped all, or none", function()
            local t = make(5)
            t:map({0, 0}, {15, 7}, 1)
            local points = rill.from({{0, 0}, {8, 0}, {16, 0}, {0, 8}}, "ivec2")
            local function unchanged()
                assert.equal(2, t.mapped)
                assert.same({64, 128, -2 ^ 31 | 0, -2 ^ 31 | 0}, t:translate(points):values())
                assert.is_nil(t:translate {16, 0})
                assert.is_nil(t:inverse(192))
            end
            unchanged()
            raises("a page of the box is mapped already, to frame 2", t.map, t, {8, 0}, {20, 0}, 3)
            raises("the capacity is 5 frames", t.map, t, {8, 0}, {20, 0}, 4)
            unchanged()
            raises("frame 2 holds a page already", t.map, t, {16, 0}, {31, 0}, 2)
            raises("frame 1 holds a page already", t.map, t, {16, 0}, nil, 1)
            raises("2 pages do not fit into frames from 4 on", t.map, t, {16, 0}, {24, 0}, 4)
            raises("1 pages do not fit into frames from %-1 on", t.map, t, {16, 0}, nil, -1)
            raises("do not fit into frames", t.map, t, {16, 0}, nil, 2 ^ 62 | 0)
            raises("argument #3 'frame': expected a whole number, got nothing", t.map, t, {16, 0}, {16, 0})
            unchanged()
            assert.equal(t, t:map({5, 5}, {4, 5}, 3))
            assert.equal(0, t:unmap {16, 0})
            unchanged()
            assert.equal(1, t:unmap({0, 0}, {7, 30}))
            assert.equal(1, t.mapped)
            assert.is_nil(t:inverse(64))
            assert.equal(1, t:unmap({0, 0}, {63, 63}))
            assert.equal(0, #t:ranges({0, 0}, {63, 63}))
        end)
    end

    it("of one hash are as many as a walk has steps", function()
        local function mixed(h)
            h = h * 0x9E3779B1 & 0xffffffff
            return h ~ h >> 15
        end
        local t, points = T.hash {rank = 2}, {}
        for i = 1, 129 do
            points[i] = {i, (mixed(i) ~ 77) << 32 >> 32}
            points[i][2] = points[i][2] >= 1 << 31 and points[i][2] - (1 << 32) or points[i][2]
        end
        local last = table.remove(points)
        for i, p in ipairs(points) do
            t:map(p, nil, i - 1)
        end
        collectgarbage()
        local before = rill.memory().bytes
        raises("the hash table is full", t.map, t, last, nil, 128)
        raises("the hash table is full", t.map, t, {last[1] - 1, last[2]}, last, 128)
        assert.is_true(rill.memory().bytes <= before + 8192)
        assert.equal(128, t.mapped)
        assert.is_nil(t:translate(last))
        for i, found in ipairs(t:translate(rill.from(points, "ivec2")):values()) do
            assert.equal(i - 1, found)
            assert.equal(i - 1, t:translate(points[i]))
        end
        assert.equal(1, t:unmap(points[1]))
        t:map(last, nil, 200)
        assert.equal(200, t:translate(rill.from({last}, "ivec2")):get(1))
    end)

    it("give back the nodes of their tables", function()
        local t = T.pages {shape = {4096, 4096}, page = {8, 8}, levels = 4}
        t:map({0, 0}, {15, 15}, 0):unmap({0, 0}, {15, 15})
        check.collect()
        collectgarbage()
        local before = rill.memory().bytes
        local random = order.generator(9)
        local x, y
        for _ = 1, 500 do
            x, y = random(4080), random(4080)
            t:map({x, y}, {x + 15, y + 15}, 0)
            assert.is_true(t:unmap({0, 0}, {4095, 4095}) >= 4)
        end
        assert.equal(0, t.mapped)
        check.collect()
        assert.is_true(rill.memory().bytes <= before + 16384)
        t:map({x, y}, {x + 15, y + 15}, 3)
        local around = rill.from({{x, y}, {x + 15, y + 15}, {x - 9, y - 9}, {0, 0}, {4095, 4095}}, "ivec2")
        for i, found in ipairs(t:translate(around):values()) do
            local p = around:get(i)
            assert.equal(p[1] >= 0 and p[2] >= 0 and t:translate(p) or -2 ^ 31 | 0, found)
        end
    end)

    it("come in ranges, page by page", function()
        local t = T.pages {shape = {20, 20}, page = {8, 8}}
        t:map({8, 0}, {19, 7}, 4):map({0, 8}, {7, 15}, 2)
        local expected = {
            {first = {8, 0}, last = {15, 7}, at = 256}, {first = {16, 0}, last = {19, 0}, at = 320},
        }
        local found = t:ranges({0, 0}, {19, 19})
        assert.same(expected, {found[1], found[2]})
        assert.same({first = {0, 8}, last = {7, 15}, at = 128}, found[#found])
        assert.same({{first = {9, 3}, last = {9, 3}, at = 281}}, t:ranges {9, 3})
        assert.same({}, t:ranges({9, 3}, {8, 3}))
        assert.same({}, t:ranges({99, 99}, {0, 0}))
        raises("argument #2 'last': {20, 0} is outside", t.ranges, t, {0, 0}, {20, 0})
    end)

    it("have a fixed number in other translators: none", function()
        local t = T.linear {shape = {4, 4}}
        raises("t:map: the mapping of translator 'linear' is fixed", t.map, t, {0, 0}, {0, 0}, 0)
        raises("t:unmap: the mapping of translator 'linear' is fixed", t.unmap, t, {0, 0})
    end)

    it("reach their composition when they are mapped later", function()
        local pages = T.pages {shape = 64, page = 8}
        local both = T.compose(pages, T.linear {shape = {8, 8}})
        local points = rill.from({{1, 2}, {3, 0}}, "ivec2")
        assert.same({-2 ^ 31 | 0, -2 ^ 31 | 0}, both:translate(points):values())
        pages:map(0, nil, 1000)
        assert.same({-2 ^ 31 | 0, 8003}, both:translate(points):values())
        assert.same({{first = {0, 0}, last = {7, 0}, at = 8000}}, both:ranges({0, 0}, {7, 7}))
        assert.same({{first = {2, 0}, last = {5, 0}, at = 8002}}, both:ranges({2, 0}, {5, 7}))
    end)

    it("of a translation allocate nothing but its result", function()
        local t = T.compose(T.fold {shape = 4096, to = {64, 64}}, T.pages {shape = {64, 64}, page = {8, 8}}:map({0,
            0}, {63, 63}, 0))
        local points = rill.stream("ivec2", 1000)
        local kept = t:translate(points)
        check.collect()
        local before = rill.memory()
        for _ = 1, 5 do
            t:translate(points):close()
        end
        local after = rill.memory()
        assert.same({before.bytes, before.streams}, {after.bytes, after.streams})
        kept:close()
    end)
end)
