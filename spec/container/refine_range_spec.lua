local rill = require "rill"
local leaks = require "spec.support.leaks"

-- The range that q:refine returns: a launch over it gives the same values as a launch over all leaves.
describe("the new leaves of refine", function()
    leaks.watch(setup, teardown)

    local k = rill.program [=[
        float hashed(ivec3 p) { return fract(sin(dot(vec3(p), vec3(12.9898, 78.233, 37.719))) * 43758.5453); }
        kernel int level(float u<>) { return int(4.0 * u); }
        kernel void plane(out float r<>) { r = hashed(ivec3(indexof(r).xy, 0)); }
        kernel void shifted(float shift, out float r<>) { r = hashed(ivec3(indexof(r).xy, 0)) + shift; }
        kernel vec2 held(vec2 u<>, vec2 low, vec2 high) { return mix(low, high, u); }
        kernel void space(out float r<>) { r = hashed(indexof(r).xyz); }
        kernel void look(vec2 p<>, float q[][], out float r<>) { r = sample(q, p); }
        kernel void look3(vec3 p<>, float q[][][], out float r<>) { r = sample(q, p); }
    ]=]

    -- Points near a position, so that leaves of many levels are adjacent.
    local function spots(n, seed, type, size)
        local middle = rill.random(n, {type = type, seed = seed}) * size
        local around = rill.random(n, {type = type, seed = seed + 1})
        return (middle * 0.2 + 0.4 * size + (around - 0.5) * (size / 20)):eval()
    end

    local function rounds(make, draw, look, type, size, seed)
        local some, all = make(), make()
        draw {r = some}
        draw {r = all}
        for round = 1, 6 do
            local points = spots(round % 2 == 0 and 3 or 12, seed + 10 * round, type, size)
            local levels = k.level(rill.random(points.size, {seed = seed + round}))
            local same, fresh = some:refine(points, levels)
            assert.are.equal(some, same)
            all:refine(points, levels)
            assert.is_true(fresh.size < some:active().size or round == 1)
            draw {r = some, over = fresh}
            draw {r = all}
            local at = (rill.random(20000, {type = type, seed = seed + round}) * size):eval()
            local a, b = look(at, some), look(at, all)
            assert.is_true(a:bytes() == b:bytes(), ("round %d of seed %d"):format(round, seed))
            some:boundary "clamp" -- has all nodes follow
            assert.is_true(look(at, some):bytes() == b:bytes(), ("round %d, seed %d"):format(round, seed))
        end
        local _, nothing = some:refine(spots(5, seed, type, size), 31)
        assert.are.equal(0, nothing.size)
        draw {r = some, over = nothing}
    end

    it("are the leaves that differ after everything is written again", function()
        for seed = 1, 4 do
            rounds(function() return rill.quadtree("float", {size = 1024, page = 4}) end, k.plane, k.look, "vec2", 1024,
                100 * seed)
        end
    end)

    it("is so in three dimensions #long", function()
        rounds(function() return rill.octree("float", {size = 64, page = 2}) end, k.space, k.look3, "vec3", 64, 7)
    end)

    it("synchronize shared and hanging nodes, also next to coarse leaves", function()
        for seed = 1, 6 do
            local q = rill.quadtree("float", {size = 1024, page = 2})
            k.plane {r = q}
            for round = 1, 6 do
                local points = (rill.random(6, {type = "vec2", seed = seed + 10 * round}) * 1024):eval()
                local _, fresh = q:refine(points, k.level(rill.random(6, {seed = seed + round})))
                k.shifted {r = q, over = fresh, shift = 3 * round}
                local at = (rill.random(50000, {type = "vec2", seed = seed + round}) * 1024):eval()
                local before = k.look(at, q)
                q:boundary "clamp"
                assert.is_true(k.look(at, q):bytes() == before:bytes(), ("round %d of seed %d"):format(round, seed))
            end
        end
    end)

    it("synchronize nodes hanging on a coarse leaf, far from the leaf that holds the coarse node", function()
        local q = rill.quadtree("float", {size = 1024, page = 2})
        q:refine((rill.random(60, {type = "vec2", seed = 3}) * 400 + 600):eval(), 0)
        q:refine(rill.from({{641, 31}, {641, 65}}, "vec2"), rill.from({0, 1}, "int"))
        k.plane {r = q}
        local _, fresh = q:refine(rill.from({{641, 65}}, "vec2"), 0)
        k.shifted {r = q, over = fresh, shift = 5}
        local at = k.held(rill.random(2000, {type = "vec2", seed = 8}), {640, 30}, {642, 40})
        local before = k.look(at, q)
        assert.are.equal(6, q:level(rill.from({{630, 30}}, "vec2")):get(1))
        q:boundary "clamp"
        assert.is_true(k.look(at, q):bytes() == before:bytes())
    end)

    it("are all leaves that were split, and finer ones above them", function()
        local q = rill.quadtree("float", {size = 64, page = 4})
        local _, first = q:refine(rill.from({{40, 1}}, "vec2"), 1)
        assert.are.equal(q:active().size, first.size)
        -- The leaf to the left of finer leaves is split from level 3 to 2: of the nodes on their left sides, which are 2
        -- apart, those at multiples of 4 no longer hang. The others still do, so no launch visits them.
        local _, second = q:refine(rill.from({{25, 1}}, "vec2"), 2)
        local expected, count, seen = {}, 0, {}
        local function nodes(x, y, width, height, spacing)
            for j = y, y + height - 1, spacing do
                for i = x, x + width - 1, spacing do
                    if i ~= 32 or j % 4 == 0 then expected[j .. " " .. i], count = true, count + 1 end
                end
            end
        end
        nodes(0, 0, 32, 32, 4) -- the new leaves
        nodes(32, 0, 8, 16, 2) -- two leaves of level 1, which are finer
        nodes(32, 16, 16, 16, 4) -- a leaf of level 2
        for y, x in second:each() do
            local place = (y - 1) .. " " .. (x - 1)
            assert.is_nil(seen[place])
            seen[place] = true
        end
        assert.are.same(expected, seen)
        assert.are.same({64 + 28 + 16, count}, {count, second.size})
    end)

    it("is given by masks, too", function()
        local q = rill.quadtree("float", {size = 64, page = 4, depth = 1})
        local _, fresh = q:refine(rill.kernel [=[
            kernel void corner(float r<>, out bool m<>) { m = indexof(r).x + indexof(r).y < 3; }]=])
        assert.are.equal(64, fresh.size)
    end)
end)
