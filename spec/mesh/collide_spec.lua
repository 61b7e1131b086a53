--- Intersecting triangles, compared with exact integer arithmetic, and trees of every type, compared with testing all
-- pairs.
local rill = require "rill"
local turned <const> = require "spec.support.motions".turned
local LONG <const> = os.getenv "RILL_SUITE_LONG"

-- ---- a reference of another method: edges against triangles, in Lua's integers

local function orient(a, b, c, d)
    local ux, uy, uz = b[1] - a[1], b[2] - a[2], b[3] - a[3]
    local vx, vy, vz = c[1] - a[1], c[2] - a[2], c[3] - a[3]
    local wx, wy, wz = d[1] - a[1], d[2] - a[2], d[3] - a[3]
    return (uy * vz - uz * vy) * wx + (uz * vx - ux * vz) * wy + (ux * vy - uy * vx) * wz
end

local function side(a, b, p, u, v) return (b[u] - a[u]) * (p[v] - a[v]) - (b[v] - a[v]) * (p[u] - a[u]) end

local function on_segment(a, b, p, u, v)
    return side(a, b, p, u, v) == 0 and math.min(a[u], b[u]) <= p[u] and p[u] <= math.max(a[u], b[u]) and
        math.min(a[v], b[v]) <= p[v] and p[v] <= math.max(a[v], b[v])
end

-- Two segments, or a segment and a triangle, in one plane, projected along an axis.
local function cross_in_plane(p, q, a, b, u, v)
    local s, t, x, y = side(p, q, a, u, v), side(p, q, b, u, v), side(a, b, p, u, v), side(a, b, q, u, v)
    return (s < 0) ~= (t < 0) and (x < 0) ~= (y < 0) and s ~= 0 and t ~= 0 and x ~= 0 and y ~= 0 or
        on_segment(p, q, a, u, v) or on_segment(p, q, b, u, v) or on_segment(a, b, p, u, v) or on_segment(a, b, q, u, v)
end

local function in_every_view(holds)
    return holds(1, 2) and holds(2, 3) and holds(3, 1)
end

local function segments_meet(p, q, a, b)
    return orient(p, q, a, b) == 0 and in_every_view(function(u, v) return cross_in_plane(p, q, a, b, u, v) end)
end

local function inside(t, p, u, v)
    local x, y, z = side(t[1], t[2], p, u, v), side(t[2], t[3], p, u, v), side(t[3], t[1], p, u, v)
    return x >= 0 and y >= 0 and z >= 0 or x <= 0 and y <= 0 and z <= 0
end

local function has_no_area(t)
    local function flat(u, v) return side(t[1], t[2], t[3], u, v) == 0 end
    return in_every_view(flat)
end

local function any_edge(t, holds)
    return holds(t[1], t[2]) or holds(t[2], t[3]) or holds(t[3], t[1])
end

local function edge_meets(p, q, t)
    if any_edge(t, function(a, b) return segments_meet(p, q, a, b) end) then return true end
    if has_no_area(t) then return false end
    local s, e = orient(t[1], t[2], t[3], p), orient(t[1], t[2], t[3], q)
    if s == 0 and e == 0 then return in_every_view(function(u, v) return inside(t, p, u, v) end) end
    if s > 0 and e > 0 or s < 0 and e < 0 then return false end
    local x, y, z = orient(p, q, t[1], t[2]), orient(p, q, t[2], t[3]), orient(p, q, t[3], t[1])
    return x >= 0 and y >= 0 and z >= 0 or x <= 0 and y <= 0 and z <= 0
end

local function meet(s, t)
    return any_edge(s, function(p, q) return edge_meets(p, q, t) end) or
        any_edge(t, function(p, q) return edge_meets(p, q, s) end)
end

-- ---- meshes

-- Triangles with corners on a small lattice: many touch, share planes and edges, or have no area.
local function soup(n, most, seed)
    local state = seed
    local function draw()
        state = (state * 1103515245 + 12345) % 2147483648
        return state // 65536 % (most + 1)
    end
    local positions, triangles, list = {}, {}, {}
    for k = 1, n do
        list[k] = {}
        for c = 1, 3 do
            list[k][c] = {draw(), draw(), draw()}
            positions[#positions + 1] = list[k][c]
        end
        triangles[k] = {3 * k - 3, 3 * k - 2, 3 * k - 1}
    end
    return rill.mesh.new {positions = positions, triangles = triangles}, list
end

local function words(stream)
    local list = {}
    for i = 1, stream.size do list[i] = table.concat(stream:get(i), " ") end
    return table.concat(list, ",")
end

-- The result as {pose, a, b} in one text, computed separately for each pose.
local function one_by_one(a, b, poses, stop)
    local list = {}
    for k, pose in ipairs(poses) do
        local found = rill.collide.pairs(a, b, {b = pose, stop = stop})
        for i = 1, found.size do list[#list + 1] = ("%d %d %d"):format(k - 1, table.unpack(found:get(i))) end
    end
    return table.concat(list, ",")
end

local kinds = {"bvh", "obbtree"}

describe("rill.collide", function()
    it("agrees with exact arithmetic on a lattice, also for touching, coplanar and degenerate triangles", function()
        for seed = 1, LONG and 3 or 1 do
            local m, s = soup(33, seed + 1, seed)
            local n, t = soup(40, seed + 1, 100 + seed)
            local expected = {}
            for i = 1, #s do
                for j = 1, #t do
                    if meet(s[i], t[j]) then expected[#expected + 1] = ("%d %d"):format(i - 1, j - 1) end
                end
            end
            assert(#expected > 20 and #expected < #s * #t)
            for _, kind in ipairs(kinds) do
                for _, leaf in ipairs {1, 3, 64} do
                    local found = rill.collide.pairs(rill.collide[kind](m, {leaf = leaf}), rill.collide[kind](n))
                    assert.equal(table.concat(expected, ","), words(found), kind .. " " .. leaf .. " seed " .. seed)
                end
            end
        end
    end)

    it("agrees with testing all pairs, for every type of tree, leaf size and transform", function()
        local m, n = rill.mesh.torus {segments = {24, 9}}, rill.mesh.icosphere(2)
        local all_m, all_n = rill.collide.bvh(m, {leaf = m.faces}), rill.collide.bvh(n, {leaf = n.faces})
        assert.equal(0, all_m.levels)
        local sheared = {{1, 0.5, 0, 0.3}, {0, 2, 0, 0}, {0, 0.25, -0.5, 0.25}, {0, 0, 0, 1}}
        local near, aside = turned({1, 2, 3}, 0.8, {0.7, 0.2, -0.1}), turned({0, 1, 0}, 2, {0.5, 0, 0})
        for _, how in ipairs {{}, {b = near}, {a = sheared, b = aside}} do
            local expected, report = rill.collide.pairs(all_m, all_n, how)
            assert.equal(m.faces * n.faces, report.triangles)
            assert(expected.size > 10)
            for _, kind in ipairs(kinds) do
                for _, other in ipairs(kinds) do
                    local found = rill.collide.pairs(rill.collide[kind](m), rill.collide[other](n, {leaf = 2}), how)
                    assert.equal(words(expected), words(found), kind .. " " .. other)
                end
            end
        end
    end)

    it("finds the same pairs by as many tests in any unit of length", function()
        local positions = rill.mesh.torus().positions
        local expected, tests = {}, {}
        for _, power in ipairs(LONG and {0, -110, -90, -70, -60, -50, -40, -39, -20, 20, 50} or {0, -110, -40, 50}) do
            local unit <const> = 2.0 ^ power
            local m = rill.mesh.torus()
            m.positions:write((positions * unit):eval())
            local how = {b = turned({1, 2, 3}, 0.8, {0.9 * unit, 0.2 * unit, 0.3 * unit})}
            for _, kind in ipairs(kinds) do
                local t = rill.collide[kind](m)
                local found, report = rill.collide.pairs(t, t, how)
                expected[kind], tests[kind] = expected[kind] or words(found), tests[kind] or report.tests
                assert.equal(expected[kind], words(found), kind .. " in units of 2^" .. power)
                local off = rill.device().traits.denormals and 0.01 or 0.02
                assert.near(tests[kind], report.tests, off * tests[kind])
            end
        end
        assert.equal(expected.bvh, expected.obbtree)
    end)

    it("reports levels, tests and the length of the list at each level", function()
        local t = rill.collide.bvh(rill.mesh.icosphere(2))
        local found, report = rill.collide.pairs(t, t, {b = turned({0, 0, 1}, 0, {0.5, 0, 0})})
        local sum = 0
        for _, length in ipairs(report.lists) do sum = sum + length end
        assert(found.size > 0 and #report.lists == report.levels and sum == report.tests and report.lists[1] == 1)
        assert(report.levels <= 2 * t.levels + 1)
        local none, short = rill.collide.pairs(t, t, {b = turned({0, 0, 1}, 0, {5, 0, 0})})
        assert.equal("0 ivec2 1 0", ("%d %s %d %d"):format(none.size, none.type, short.tests, short.triangles))
    end)

    it("returns all pairs, the smallest pair of each pose, or whether there is any, for lists of poses", function()
        local a, b, poses = rill.collide.bvh(rill.mesh.box()), rill.collide.bvh(rill.mesh.icosphere(1)), {}
        for k = 1, 9 do poses[k] = turned({k, 1, 2}, k, {0.25 * k, 0, 0.1}) end
        assert.equal(one_by_one(a, b, poses, "all"), words((rill.collide.pairs(a, b, {b = poses}))))
        assert.equal(one_by_one(a, b, poses, "first"), words((rill.collide.pairs(a, b, {b = poses, stop = "first"}))))
        local any, hits = rill.collide.pairs(a, b, {b = poses, stop = "any"}), 0
        for k, pose in ipairs(poses) do
            assert.equal(any:get(k), rill.collide.pairs(a, b, {b = pose, stop = "any"}))
            assert.equal(any:get(k), rill.collide.pairs(a, b, {b = pose}).size > 0)
            hits = hits + (any:get(k) and 1 or 0)
        end
        assert(hits > 0 and hits < #poses)
        assert.equal(0, rill.collide.pairs(a, b, {b = {}}).size)
    end)

    it("accepts meshes of no, one and two triangles, points and segments", function()
        local corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.25, 0.25, 0}}
        local function tree(kind, triangles)
            return rill.collide[kind](rill.mesh.new {positions = corners, triangles = triangles})
        end
        for _, kind in ipairs(kinds) do
            local none, one = tree(kind, {}), tree(kind, {{0, 1, 2}})
            local two = tree(kind, {{0, 1, 2}, {1, 3, 2}})
            local point, segment = tree(kind, {{4, 4, 4}}), tree(kind, {{3, 4, 3}})
            assert.equal(0, rill.collide.pairs(none, two).size)
            local wide = rill.collide[kind](rill.mesh.box(), {leaf = 32768})
            local found, report = rill.collide.pairs(wide, wide)
            assert.equal(12 * 12, report.triangles)
            assert(found.size > 12 and wide.leaf == 12 and none.leaf == 1)
            assert.equal(false, (rill.collide.pairs(one, none, {stop = "any"})))
            assert.equal("0 0,0 1", words((rill.collide.pairs(one, two))))
            assert.equal("0 0", words((rill.collide.pairs(two, point))))
            assert.equal("0 0,1 0", words((rill.collide.pairs(two, segment))))
            assert.equal("0 0", words((rill.collide.pairs(point, segment))))
        end
    end)

    it("ignores vertices without triangles", function()
        local m = rill.mesh.torus {segments = {24, 9}}
        local positions = {}
        for i = 1, m.vertices do positions[i] = m.positions:get(i) end
        positions[#positions + 1] = {3e38, -1e30, 0}
        local more = rill.mesh.new {positions = positions, triangles = m.triangles}
        for _, kind in ipairs(kinds) do
            local a, b = rill.collide[kind](m), rill.collide[kind](more)
            local how = {b = turned({1, 1, 0}, 0.7, {0.9, 0.2, 0.1})}
            local expected, before = rill.collide.pairs(a, a, how)
            local found, after = rill.collide.pairs(b, b, how)
            assert(expected.size > 10 and words(expected) == words(found), kind)
            assert.equal(table.concat(before.lists, " "), table.concat(after.lists, " "))
        end
    end)

    it("frees its lists without the garbage collector", function()
        local t <close>, poses = rill.collide.bvh(rill.mesh.icosphere(2)), {}
        for k = 1, 5 do poses[k] = turned({0, 0, 1}, k, {0.3 * k, 0, 0}) end
        rill.collide.pairs(t, t, {b = poses}) -- creates what a tree keeps for queries
        collectgarbage()
        collectgarbage "stop"
        local before = rill.memory().streams
        rill.collide.pairs(t, t, {b = poses, stop = "any"}):close()
        rill.collide.pairs(t, t, {stop = "any"})
        local after = rill.memory().streams
        collectgarbage "restart"
        assert.equal(before, after)
    end)

    it("says how to make a tree of a mesh", function()
        local m, t = rill.mesh.box {}, rill.collide.bvh(rill.mesh.box {})
        local remedy <const> = "expected a tree of rill.collide, got mesh; rill.collide.bvh(m) makes one of a mesh"
        local done, said = pcall(rill.collide.pairs, m, t)
        assert(not done and said:find("argument #1 'a': " .. remedy, 1, true), said)
        done, said = pcall(rill.collide.pairs, t, m)
        assert(not done and said:find("argument #2 'b': " .. remedy, 1, true), said)
    end)

    it("names invalid arguments, and closes", function()
        local t = rill.collide.bvh(rill.mesh.box())
        local function refused(message, ...)
            local done, said = pcall(...)
            assert(not done and said:find(message, 1, true), said)
        end
        refused("argument #1 'm': expected a mesh, got number 3", rill.collide.bvh, 3)
        local gone = rill.mesh.box()
        gone:close()
        refused("argument #1 'm': expected a mesh, got a closed mesh", rill.collide.bvh, gone)
        for d = 1, 3 do
            for corner = 1, 8 do
                local odd, place = rill.mesh.box(), {0.5, 0.5, 0.5}
                place[d] = 0 / 0
                odd.positions:set(place, corner)
                refused("argument #1 'm': expected coordinates up to 1e18, got nan", rill.collide.bvh, odd)
            end
        end
        refused("option 'leaf': expected a whole number from 1 to 32768, got number 0", rill.collide.bvh,
            rill.mesh.box(), {leaf = 0})
        refused("argument #2 'b': expected a tree of rill.collide, got number 1", rill.collide.pairs, t, 1)
        refused("option 'stop': expected \"all\", \"first\" or \"any\"", rill.collide.pairs, t, t, {stop = "some"})
        refused("option 'b': expected 4 rows of 4 finite numbers", rill.collide.pairs, t, t, {b = {{1, 0, 0, 0 / 0}}})
        local unit <const> = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}
        refused("option 'b': element [2]: expected 4 rows of 4 finite numbers up to 1e18, got {{1, 0}}",
            rill.collide.pairs, t, t, {b = {unit, {{1, 0}}}})
        refused("option 'a': expected the last row 0, 0, 0, 1, got 0, 0, 1, 0", rill.collide.pairs, t, t,
            {a = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 1, 0}}})
        t:close()
        refused("the tree was closed", rill.collide.pairs, t, t)
        refused("no field or method 'depth'", function() return t.depth end)
    end)
end)
