--- Rays, distances and containment, compared with double precision in Lua, and between trees for large meshes.
local rill = require "rill"
local leaks = require "spec.support.leaks"
local LONG <const> = os.getenv "RILL_SUITE_LONG"

-- ---- a reference of other methods, in doubles: all triangles, one by one

local function sub(a, b) return {a[1] - b[1], a[2] - b[2], a[3] - b[3]} end
local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
local function cross(a, b)
    return {a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]}
end
local function along(a, t, d) return {a[1] + t * d[1], a[2] + t * d[2], a[3] + t * d[3]} end
local function length(v) return math.sqrt(dot(v, v)) end

local function corners_of(m)
    local list, p = {}, {}
    for i = 1, m.vertices do p[i - 1] = m.positions:get(i) end
    for i = 1, m.faces do
        local t = m.triangles:get(i)
        list[i] = {p[t[1]], p[t[2]], p[t[3]]}
    end
    return list
end

-- Moeller and Trumbore 1997, and the distance of the hit from the nearest edge (1: the height of the triangle).
local function struck(c, o, d)
    local e, f = sub(c[2], c[1]), sub(c[3], c[1])
    local p = cross(d, f)
    local det = dot(e, p)
    local s = sub(o, c[1])
    local q = cross(s, e)
    local u, v, t = dot(s, p) / det, dot(d, q) / det, dot(f, q) / det
    return det ~= 0 and u >= 0 and v >= 0 and u + v <= 1 and t >= 0 and t or math.huge, math.min(u, v, 1 - u - v)
end

local function first_struck(list, o, d)
    local best, edge = math.huge, math.huge
    for i = 1, #list do
        local t, near = struck(list[i], o, d)
        best = math.min(best, t)
        edge = math.min(edge, math.abs(near))
    end
    return best, edge
end

-- The nearest point by C. Ericson, Real-Time Collision Detection (2005), 5.1.5: by the regions around a triangle.
local function nearest(c, p)
    local ab, ac, ap = sub(c[2], c[1]), sub(c[3], c[1]), sub(p, c[1])
    local d1, d2 = dot(ab, ap), dot(ac, ap)
    if d1 <= 0 and d2 <= 0 then return c[1] end
    local bp = sub(p, c[2])
    local d3, d4 = dot(ab, bp), dot(ac, bp)
    if d3 >= 0 and d4 <= d3 then return c[2] end
    local vc = d1 * d4 - d3 * d2
    if vc <= 0 and d1 >= 0 and d3 <= 0 then return along(c[1], d1 / (d1 - d3), ab) end
    local cp = sub(p, c[3])
    local d5, d6 = dot(ab, cp), dot(ac, cp)
    if d6 >= 0 and d5 <= d6 then return c[3] end
    local vb = d5 * d2 - d1 * d6
    if vb <= 0 and d2 >= 0 and d6 <= 0 then return along(c[1], d2 / (d2 - d6), ac) end
    local va = d3 * d6 - d5 * d4
    if va <= 0 and d4 >= d3 and d5 >= d6 then
        return along(c[2], (d4 - d3) / ((d4 - d3) + (d5 - d6)), sub(c[3], c[2]))
    end
    local s = va + vb + vc
    return along(along(c[1], vb / s, ab), vc / s, ac)
end

local function least_distance(list, p)
    local best = math.huge
    for i = 1, #list do best = math.min(best, length(sub(nearest(list[i], p), p))) end
    return best
end

-- Solid angles (A. van Oosterom and J. Strackee 1983): the winding number of a surface around a point.
local function winding(list, p)
    local sum = 0
    for i = 1, #list do
        local a, b, c = sub(list[i][1], p), sub(list[i][2], p), sub(list[i][3], p)
        local x, y, z = length(a), length(b), length(c)
        sum = sum + 2 * math.atan(dot(a, cross(b, c)), x * y * z + dot(a, b) * z + dot(b, c) * x + dot(c, a) * y)
    end
    return sum / (4 * math.pi)
end

-- ---- meshes and points

local state
local function draw(low, high)
    state = (state * 1103515245 + 12345) % 2147483648
    return low + (high - low) * (state // 65536 / 32768)
end

local function scattered(n, reach, seed)
    local list = {}
    state = seed
    for i = 1, n do list[i] = {draw(-reach, reach), draw(-reach, reach), draw(-reach, reach)} end
    return list
end

local function shapes()
    return {torus = rill.mesh.torus {segments = {24, 9}}, ball = rill.mesh.icosphere(2),
        box = rill.mesh.box {size = {1, 2, 0.25}}}
end

local kinds = {"bvh", "obbtree"}

-- Calls f with trees of every kind and some leaves.
local function each_tree(m, f)
    for _, kind in ipairs(kinds) do
        for _, leaf in ipairs {1, 3} do f(rill.collide[kind](m, {leaf = leaf}), kind .. " " .. leaf) end
    end
end

local function words(s)
    local list = {}
    for i = 1, s.size do
        local v = s:get(i)
        list[i] = type(v) == "table" and table.concat(v, " ") or tostring(v)
    end
    return table.concat(list, ",")
end

local function near(expected, found, off, what)
    assert(expected == found or math.abs(expected - found) <= off, ("%s: %s, not %s"):format(what, found, expected))
end

describe("trees of rill.collide", function()
    -- Few points are visited in the order of the stream, many along a curve.
    it("treat many points as they treat few, in any shape", function()
        local meshes = shapes()
        for faces = 1, 5, LONG and 1 or 2 do -- trees of 0 to 3 levels
            local list = {}
            for i = 1, faces do list[i] = {i - 1, i, i + 1} end
            meshes[faces] = rill.mesh.new {positions = scattered(faces + 2, 1, faces), triangles = list}
        end
        meshes.none = rill.mesh.new {positions = {}, triangles = {}}
        local count <const>, few <const> = 1500, 500
        local given = scattered(count, 2, 5)
        given[7], given[700], given[1400] = {0 / 0, 0, 0}, {0, 1 / 0, 0}, {1e30, -1e30, 0}
        for i = 1, 100 do given[1200 + i] = given[1100 + i] end
        local points = rill.from(given, "vec3")
        local grid = points:reshape {30, 50}
        local view = rill.stream("vec3", {30, 60})
        view:domain({1, 6}, {30, 55}):write(grid)
        for name, m in pairs(meshes) do
            each_tree(m, function(t, which)
                local function queries(p)
                    local d, k, q = t:distance(p)
                    local c = type(name) == "string" and name ~= "none" and t:contains(p) or d
                    return {d:bytes(), k:bytes(), q:bytes(), c:bytes()}
                end
                local parts = {"", "", "", ""}
                for i = 1, count, few do
                    for j, text in ipairs(queries(points:domain(i, i + few - 1))) do parts[j] = parts[j] .. text end
                end
                for _, p in ipairs {points, grid, view:domain({1, 6}, {30, 55})} do
                    assert(table.concat(parts) == table.concat(queries(p)), name .. " " .. which)
                end
            end)
        end
    end)

    it("intersect rays as double precision does", function()
        for name, m in pairs(shapes()) do
            local list = corners_of(m)
            local o, d = scattered(60, 2, 7), scattered(60, 1, 8)
            local first
            local expected = {}
            for i = 1, #o do expected[i] = {first_struck(list, o[i], d[i])} end
            each_tree(m, function(t, which)
                local distance, triangle = t:ray(o, d)
                first = first or words(triangle)
                assert.equal(first, words(triangle), which)
                for i = 1, #o do
                    local far, edge = table.unpack(expected[i])
                    if edge > 1e-5 then -- o and d are doubles here and floats there
                        near(far, distance:get(i), 1e-5 * far, name .. " " .. which .. " ray " .. i)
                    end
                    local k = triangle:get(i)
                    if k >= 0 then near(struck(list[k + 1], o[i], d[i]), distance:get(i), 1e-4, "its triangle") end
                end
            end)
            assert(first:find "%d" and first:find "-1")
        end
    end)

    it("let no ray pass through an edge or a vertex, from inside or outside", function()
        local m = rill.mesh.icosphere(2)
        local p = m.positions
        local edges = m:adjacency().edges
        local k = rill.kernel [=[
            kernel void aim(ivec2 e<>, vec3 p[], float share, out vec3 way<>) { way = mix(p[e.x], p[e.y], share); }
        ]=]
        each_tree(m, function(t)
            for _, share in ipairs {0, 0.3} do
                for _, from in ipairs {{0, 0, 0}, {0.1, -0.2, 0.3}} do
                    local way = (k(edges, p, share) - rill.from({from}, "vec3"):reshape(1)):eval()
                    local distance, triangle = t:ray({from}, way)
                    assert(triangle:min() >= 0 and distance:max() < 1.00001 and distance:min() > 0.97)
                    local back = rill.from({{0, 0, 0}}, "vec3"):reshape(1)
                    local outside = (back + way * 4):eval()
                    assert(select(2, t:ray(outside, (way * -1):eval())):min() >= 0)
                end
            end
        end)
    end)

    it("measure distances as doubles do, to the same triangle with every tree", function()
        for name, m in pairs(shapes()) do
            local list, points = corners_of(m), scattered(60, 1.5, 9)
            points[61], points[62] = {0, 0, 0}, {1e6, 2, 3}
            local first
            local least = {}
            for i, p in ipairs(points) do least[i] = least_distance(list, p) end
            each_tree(m, function(t, which)
                local distance, triangle, point = t:distance(points)
                first = first or words(triangle)
                assert.equal(first, words(triangle), which)
                for i, p in ipairs(points) do
                    local expected, k = least[i], triangle:get(i)
                    near(expected, distance:get(i), 1e-6 * (1 + expected), name .. " " .. which .. " point " .. i)
                    near(expected, length(sub(nearest(list[k + 1], p), p)), 1e-6 * (1 + expected), "its triangle")
                    near(0, length(sub(nearest(list[k + 1], p), point:get(i))), 1e-6, "its point")
                end
            end)
        end
    end)

    -- A tree of a single leaf tests all triangles, without boxes. The boxes of trees with small leaves have many directions and sides.
    it("measure the same distances in boxes of any shape as without boxes", function()
        local text = rill.program [=[
            kernel void corners(vec3 p[], vec3 d[], float scale, float shift, out vec3 q<>) {
                int i = indexof(q).x, k = i / 3;
                vec3 side = i % 3 == 0 ? vec3(0.0) : (i % 3 == 1 ? d[k] : cross(d[k], p[k]) * exp2(-float(k % 25)));
                if (k % 5 == 4) side = vec3(side.xy, 0.0);
                q = (p[k / 4 * 4] + 0.02 * p[k] + 0.2 * exp2(-float(k % 7)) * side + shift) * scale;
            }
            kernel void near(vec3 p[], vec3 d<>, float by, out vec3 q<>) { q = p[indexof(d).x % 1500] + by * d; }
        ]=]
        local faces <const>, list = 500, {}
        for i = 1, faces do list[i] = {3 * i - 3, 3 * i - 2, 3 * i - 1} end
        local p, d = rill.from(scattered(faces, 1, 3), "vec3"), rill.from(scattered(1500, 1, 4), "vec3")
        for _, place in ipairs(LONG and {{1, 0}, {1e-12, 0}, {1e12, 0}, {1, 100}} or {{1e-12, 0}, {1, 100}}) do
            local scale <const>, shift <const> = table.unpack(place)
            local corners = text.corners {p = p, d = d, scale = scale, shift = shift, shape = 3 * faces}
            local m <close> = rill.mesh.new {positions = corners, triangles = list}
            local all <close> = rill.collide.bvh(m, {leaf = faces})
            for _, by in ipairs {1e-4, 0.1, 3, 1e5} do
                local points = text.near(corners, d, by * scale)
                local expected <const> = {all:distance(points)}
                each_tree(m, function(t, which)
                    for i, s in ipairs {t:distance(points)} do
                        local what <const> = ("%s, scale %g, shift %g, %g"):format(which, scale, shift, by)
                        assert(s:bytes() == expected[i]:bytes(), what)
                    end
                end)
            end
        end
    end)

    it("return the lowest triangle at the nearest vertex or edge", function()
        local two = rill.mesh.new {positions = {{0.7, 0, 0}, {0.9, 0.9, 0.7}, {0, 0.5, 0}, {0, 0, 0.7}},
            triangles = {{0, 1, 2}, {1, 3, 0}}}
        assert.equal(0, (select(2, rill.collide.bvh(two):distance {{0.9, 0.9, 0.7}}):get(1)))
        local m = rill.mesh.icosphere(2)
        local lowest, edges, apart = {}, {}, m:adjacency().edges
        for i = 1, m.faces do
            local t = m.triangles:get(i)
            for k = 1, 3 do
                local a, b = t[k], t[k % 3 + 1]
                local edge = math.min(a, b) .. " " .. math.max(a, b)
                lowest[a], edges[edge] = lowest[a] or i - 1, edges[edge] or i - 1
            end
        end
        local middles = rill.kernel [=[
            kernel void middle(ivec2 e<>, vec3 p[], out vec3 m<>) { m = 0.5 * (p[e.x] + p[e.y]); }
        ]=]
        local ends, middle = m.positions, middles(apart, m.positions)
        each_tree(m, function(tree, which)
            for _, height in ipairs {1, 1.5, 1e6, 1e20, 1e38} do
                local away, at_vertex, point = tree:distance((ends * height):eval())
                for i = 1, m.vertices do
                    assert.equal(lowest[i - 1], at_vertex:get(i), ("%s: vertex %d from %g"):format(which, i, height))
                    assert.same(ends:get(i), point:get(i))
                    if height == 1 then assert.equal(0, away:get(i)) end
                end
            end
            local at_edge = select(2, tree:distance((middle * 1.5):eval()))
            for i = 1, apart.size do
                local e = apart:get(i)
                local expected = edges[math.min(e[1], e[2]) .. " " .. math.max(e[1], e[2])]
                assert.equal(expected, at_edge:get(i), ("%s: edge %d"):format(which, i))
            end
            local at_end = select(2, tree:ray((ends * 2):eval(), (ends * -1):eval()))
            for i = 1, m.vertices do assert.equal(lowest[i - 1], at_end:get(i), which .. ": a ray at vertex " .. i) end
        end)
    end)

    it("are correct at any distance", function()
        local box = rill.mesh.box {}
        each_tree(box, function(tree, which)
            for power = 0, 38 do
                local x = 10.0 ^ power
                local what = which .. " from 1e" .. power
                local far, hit = tree:ray({{x, 0, 0}, {x, x, 0}, {x, 0.25, 0.125}, {x, 0.75, 0}, {0.25, -x, 0.125}},
                    {{-1, 0, 0}, {-1, -1, 0}, {-1, 0, 0}, {-1, 0, 0}, {0, 1e-30, 0}})
                for i = 1, 3 do near(x - 0.5, far:get(i), 1e-6 * x, what) end
                assert.equal(math.huge, far:get(4), what)
                assert(hit:get(5) >= 0, what)
                assert.equal(hit:get(1), select(2, tree:ray({{2, 0, 0}}, {{-1, 0, 0}})):get(1), what)
                local away, _, point = tree:distance {{x, 0, 0}, {x, 0.25, 0.125}, {x, x, 0.125}, {-x, x, -x}}
                for i, expected in ipairs {{0.5, 0, 0}, {0.5, 0.25, 0.125}, {0.5, 0.5, 0.125}, {-0.5, 0.5, -0.5}} do
                    assert.same(expected, point:get(i), what)
                end
                near(x - 0.5, away:get(1), 1e-6 * x, what)
            end
        end)
    end)

    it("contain points inside a surface of any orientation", function()
        for name, m in pairs(shapes()) do
            local list, points, around, count = corners_of(m), scattered(100, 1.2, 10), {}, 0
            for i, p in ipairs(points) do around[i] = winding(list, p) > 0.5 end
            each_tree(m, function(t, which)
                local inside = t:contains(points)
                for i = 1, #points do
                    assert.equal(around[i], inside:get(i), name .. " " .. which .. " point " .. i)
                    count = count + (inside:get(i) and 1 or 0)
                end
            end)
            assert(count > 0, name)
        end
    end)

    it("contain points straight above vertices and edges, and each point of touching bodies once", function()
        local left, right = rill.mesh.box(), rill.mesh.box {center = {1, 0, 0}}
        local points = {}
        for x = -2, 6 do
            for y = -2, 2 do
                for z = -2, 2 do points[#points + 1] = {x / 4, y / 4, z / 4} end
            end
        end
        each_tree(left, function(t, which)
            local a, b = t:contains(points), rill.collide.bvh(right):contains(points)
            for i, p in ipairs(points) do
                local inner = math.abs(p[2]) < 0.5 and math.abs(p[3]) < 0.5
                local said = which .. " at " .. table.concat(p, " ")
                assert(not (a:get(i) and b:get(i)), said)
                if inner and p[1] > -0.5 and p[1] < 1.5 then assert(a:get(i) or b:get(i), said) end
                if math.abs(p[2]) > 0.5 or math.abs(p[3]) > 0.5 then assert(not a:get(i), said) end
            end
        end)
    end)

    it("accept surfaces with inconsistent orientation, doubled, degenerate and unconnected triangles", function()
        local m = rill.mesh.icosphere(1)
        local list, soup, number = corners_of(m), {}, {}
        for i, c in ipairs(list) do
            for k = 1, 3 do soup[#soup + 1] = c[i % 2 == 0 and 4 - k or k] end
            number[i] = {3 * i - 3, 3 * i - 2, 3 * i - 1}
        end
        number[#number + 1] = {0, 0, 1} -- a segment along an edge
        number[#number + 1] = {4, 4, 4}
        for _ = 1, 2 do number[#number + 1] = {0, 100, 200} end -- a wall twice, within
        soup[#soup + 1] = {9, 9, 9} -- of no triangle
        local turned = rill.mesh.new {positions = soup, triangles = number}
        local points = scattered(200, 1.2, 11)
        local o, d = scattered(50, 3, 12), scattered(50, 1, 13)
        local plain = rill.collide.bvh(m)
        each_tree(turned, function(t, which)
            assert.equal(words(plain:contains(points)), words(t:contains(points)), which)
            for i = 1, #o do
                local t_there, edge = first_struck(corners_of(turned), o[i], d[i])
                if edge > 1e-5 then near(t_there, t:ray({o[i]}, {d[i]}):get(1), 1e-5 * t_there, which) end
            end
        end)
    end)

    it("accept streams of any shape, empty ones, and NaN", function()
        local inf, nan = math.huge, 0 / 0
        each_tree(rill.mesh.new {positions = {}, triangles = {}}, function(none)
            local distance, triangle = none:ray({{0, 0, 0}}, {{0, 0, 1}})
            assert.equal("inf -1", words(distance) .. " " .. words(triangle))
            distance, triangle = none:distance {{0, 0, 0}}
            local inside = none:contains {{0, 0, 0}}
            assert.equal("inf -1 false", words(distance) .. " " .. words(triangle) .. " " .. words(inside))
        end)
        each_tree(rill.mesh.icosphere(1), function(t)
            local o = {{0, 0, 0}, {nan, 0, 0}, {0, 0, 0}, {0, -inf, 0}, {0, 0, -3}, {0, 0, -3e20}}
            local d = {{0, 0, 0}, {1, 0, 0}, {0, nan, 1}, {0, 1, 0}, {0, 0, 1e30}, {0, 0, 1e-20}}
            local distance, triangle = t:ray(o, d)
            for i = 1, 4 do assert.equal("inf -1", distance:get(i) .. " " .. triangle:get(i)) end
            near(2e-30, distance:get(5), 1e-32, "a long direction")
            assert.equal("true", tostring(triangle:get(6) >= 0 and distance:get(6) == inf)) -- 3e40
            local away, none, point = t:distance {{0, nan, 0}, {0, 0, inf}, {0, 0, 3e38}}
            for i = 1, 2 do
                assert(away:get(i) ~= away:get(i) and none:get(i) == -1 and point:get(i)[1] ~= point:get(i)[1])
            end
            assert(none:get(3) >= 0 and math.abs(away:get(3) / 3e38 - 1) < 1e-6)
            assert.equal("false,false,true", words(t:contains {{0, nan, 0}, {0, 0, inf}, {0, 0, 0}}))
            local grid = rill.stream("vec3", {3, 5}, {0.1, 0.2, 0.3})
            local one = {{0, 0, 1}}
            for _, s in ipairs {t:contains(grid), t:distance(grid), t:ray(grid, one), (t:ray(one, grid))} do
                assert.equal("3x5", table.concat(s.shape, "x"))
            end
            assert.equal("2x2", table.concat(t:distance(grid:domain({2, 2}, {3, 3})).shape, "x"))
            assert.equal(0, t:contains({}).size + t:distance({}).size + t:ray({}, {}).size + t:ray({}, one).size)
        end)
    end)

    it("continue over as many launches as a large tree needs #long", function()
        local m = rill.mesh.icosphere(6)
        local all, t = rill.collide.bvh(m, {leaf = 32768}), rill.collide.bvh(m)
        local o, d = scattered(300, 1.5, 21), scattered(300, 1, 22)
        o[1] = {0, 0, 0} -- as far from all of it
        for _, name in ipairs {"distance", "ray"} do
            local x, i = t[name](t, o, d)
            local y, j = all[name](all, o, d)
            assert.equal(words(x) .. words(i), words(y) .. words(j), name)
        end
        assert.equal(words(t:contains(o)), words(all:contains(o)))
        local distance = t:distance(o)
        near(0.9997, distance:get(1), 3e-4, "from the middle")
    end)

    it("free the streams of a traversal, and name invalid arguments", function()
        local t <close> = rill.collide.bvh(rill.mesh.icosphere(1))
        local o <close> = rill.stream("vec3", 10)
        t:contains(o):close()
        for _, s in ipairs {t:distance(o)} do s:close() end
        collectgarbage()
        collectgarbage "stop"
        local before = rill.memory().streams
        for _, name in ipairs {"contains", "ray", "distance"} do
            for _, s in ipairs {t[name](t, o, name == "ray" and o or nil)} do s:close() end
        end
        local after = rill.memory().streams
        collectgarbage "restart"
        assert.equal(before, after)
        local function refused(message, ...)
            local done, said = pcall(...)
            assert(not done and said:find(message, 1, true), said)
        end
        refused("T:ray: argument #1 'origins': expected a stream of vec3 or a list of {x, y, z}, got number 3", t.ray,
            t, 3, o)
        refused("'origins': element [2]: component 2: expected a number for float, got string", t.ray, t,
            {{0, 0, 1}, {0, "x", 1}}, o)
        refused("'directions': element [1]: expected a table of 3 numbers for vec3, got table of 2", t.ray, t, o,
            {{0, 0}})
        refused("'directions': expected the shape of the origins {10}, or a single origin or direction, "
            .. "got shape {2}", t.ray, t, o,
            {{0, 0, 1}, {0, 0, 1}})
        refused("'points': expected a stream of vec3 or a list of {x, y, z}, got a stream of float", t.contains, t,
            rill.stream("float", 3))
        refused("T:distance: the tree before the colon: expected a tree of rill.collide, got number 1", t.distance, 1)
        refused("T:contains: the surface is not closed", rill.collide.bvh(rill.mesh.grid()).contains,
            rill.collide.bvh(rill.mesh.grid()), o)
    end)

    it("report which mesh is inside the other if no triangles intersect", function()
        local function at(x, y) return {{1, 0, 0, x}, {0, 1, 0, y or 0}, {0, 0, 1, 0}, {0, 0, 0, 1}} end
        local function contained(a, b, how) return select(2, rill.collide.pairs(a, b, how)).contained end
        local twice = rill.mesh.new {positions = {}, triangles = {}}
        for _, kind in ipairs(kinds) do
            local big = rill.collide[kind](rill.mesh.icosphere(2))
            local small = rill.collide[kind](rill.mesh.box {size = 0.2})
            assert.equal("b a", contained(big, small) .. " " .. contained(small, big))
            assert.equal("nil nil", tostring(contained(small, big, {b = at(0.95)})) .. " " ..
                tostring(contained(small, big, {b = at(0.8, 0.8)})))
            assert.equal("a", contained(small, big, {a = at(0.4), b = at(-0.3)}))
            assert.equal(nil, contained(small, big, {contained = false}))
            for _, stop in ipairs {"all", "first", "any"} do
                local said = contained(small, big, {b = {at(0), at(0.95), at(3), at(-0.3), at(0.8, 0.8)}, stop = stop})
                assert.equal("a nil nil a nil", ("%s %s %s %s %s"):format(said[1], said[2], said[3], said[4], said[5]))
            end
            assert.equal(nil, contained(rill.collide[kind](twice), big))
            local flat = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 1}} -- no way back
            assert.equal(nil, contained(small, big, {b = flat}))
        end
    end)

    it("report it for each part of a mesh, and not for open meshes", function()
        local function parts(...) -- boxes in one mesh: their middles and sides
            local positions, triangles = {}, {}
            for k, b in ipairs {...} do
                local box = rill.mesh.box {center = b[1], size = b[2]}
                for i = 1, box.vertices do positions[#positions + 1] = box.positions:get(i) end
                for i = 1, box.faces do
                    local t = box.triangles:get(i)
                    triangles[#triangles + 1] = {t[1] + 8 * k - 8, t[2] + 8 * k - 8, t[3] + 8 * k - 8}
                end
            end
            return rill.mesh.new {positions = positions, triangles = triangles}
        end
        local hollow = rill.collide.bvh(parts({{0, 0, 0}, 4}, {{0, 0, 0}, 2}))
        local far_and_near = rill.collide.obbtree(parts({{9, 0, 0}, 1}, {{1.5, 0, 0}, 0.5}))
        local function contained(a, b) return select(2, rill.collide.pairs(a, b)).contained end
        assert.equal("b", contained(hollow, far_and_near))
        assert.equal(nil, contained(hollow, rill.collide.bvh(rill.mesh.box()))) -- in the cavity
        local left = parts({{0, 0, 0}, 2}, {{9, 0, 0}, 1})
        local right = parts({{0, 0, 0}, 1}, {{9, 0, 0}, 2})
        assert.equal("both", contained(rill.collide.bvh(left), rill.collide.obbtree(right)))
        local sheet = rill.mesh.grid {size = {0.5, 0.5}}
        assert.equal("b", contained(rill.collide.bvh(left), rill.collide.bvh(sheet)))
        assert.equal("a", contained(rill.collide.bvh(sheet), rill.collide.bvh(left)))
        assert.equal(nil, contained(rill.collide.bvh(sheet), rill.collide.bvh(rill.mesh.grid():transform {
            {0, 0, 1, 3}, {0, 1, 0, 0}, {-1, 0, 0, 0.2}, {0, 0, 0, 1}})))
    end)

    it("close temporary streams", function()
        local t, far = rill.collide.bvh(rill.mesh.icosphere(1)), rill.from({{0, 0, 3}}, "vec3")
        leaks.none(function()
            t:contains({{0, 0, 0}}):close()
            t:contains(far):close()
            for _, call in ipairs {
                {t.distance, {{0, 0, 3}}}, {t.distance, far}, {t.ray, {{0, 0, 3}}, {{0, 0, -1}}},
                {t.ray, far, {{0, 0, 1}, {0, 0, -1}}},
            } do
                for _, s in ipairs {call[1](t, table.unpack(call, 2))} do s:close() end
            end
        end, "queries")
    end)
end)
