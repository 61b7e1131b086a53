-- Loop subdivision, compared with a simple implementation in doubles, and with known limits.
local rill = require "rill"
local leaks = require "spec.support.leaks"
local tempfiles = require "spec.support.tempfiles"
local LONG <const> = os.getenv "RILL_SUITE_LONG"
local loop <const> = rill.subdivide.loop

-- One level in doubles. p: points, t: triangles, creases: set of keys; indices are 0-based. Vertex V + e belongs to
-- edge e in the order of their ends.
local function plain(p, t, creases)
    local edges, keys, around = {}, {}, {}
    local function key(a, b) return math.min(a, b) << 32 | math.max(a, b) end
    for _, v in ipairs(t) do
        for k = 1, 3 do
            local id = key(v[k], v[k % 3 + 1])
            if not edges[id] then edges[id], keys[#keys + 1] = {}, id end
            table.insert(edges[id], v[(k + 1) % 3 + 1])
        end
    end
    table.sort(keys)
    local q, n, more = {}, #p, {}
    for i, id in ipairs(keys) do
        local a, b, opposite = id >> 32, id & 0xffffffff, edges[id]
        local sharp, x = #opposite ~= 2 or creases[id], {}
        for d = 1, 3 do
            x[d] = sharp and (p[a + 1][d] + p[b + 1][d]) / 2 or 3 / 8 * (p[a + 1][d] + p[b + 1][d]) +
                (p[opposite[1] + 1][d] + p[opposite[2] + 1][d]) / 8
        end
        q[n + i], opposite.number = x, n + i - 1
        for _, pair in ipairs {{a, b}, {b, a}} do
            local ring = around[pair[1]] or {all = {}, sharp = {}}
            around[pair[1]] = ring
            table.insert(ring.all, pair[2])
            if sharp then table.insert(ring.sharp, pair[2]) end
        end
        if creases[id] then more[key(a, n + i - 1)], more[key(b, n + i - 1)] = true, true end
    end
    for v = 1, n do
        local ring, x = around[v - 1] or {all = {}, sharp = {1, 1, 1}}, {}
        local k, s = #ring.all, #ring.sharp
        local list = s < 2 and ring.all or ring.sharp
        local w = s > 2 and 0 or s == 2 and 1 / 8 or k == 3 and 3 / 16 or
            (5 / 8 - (3 / 8 + math.cos(2 * math.pi / k) / 4) ^ 2) / k
        for d = 1, 3 do
            x[d] = p[v][d]
            for _, other in ipairs(w > 0 and list or {}) do x[d] = x[d] + w * (p[other + 1][d] - p[v][d]) end
        end
        q[v] = x
    end
    local u = {}
    for _, v in ipairs(t) do
        local m = {}
        for k = 1, 3 do m[k] = edges[key(v[k], v[k % 3 + 1])].number end
        for _, c in ipairs {{v[1], m[1], m[3]}, {m[1], v[2], m[2]}, {m[3], m[2], v[3]}, m} do u[#u + 1] = c end
    end
    return q, u, more
end

-- A tetrahedron whose triangles are split at random, which gives any valence; some triangles are removed, some edges
-- become creases.
local function random_mesh(seed, parted, gone)
    math.randomseed(seed)
    local function point() return {math.random(), math.random(), math.random()} end
    local p, t = {point(), point(), point(), point()}, {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}}
    for _ = 1, parted do
        local v = table.remove(t, math.random(#t))
        p[#p + 1] = point()
        for k = 1, 3 do t[#t + 1] = {v[k], v[k % 3 + 1], #p - 1} end
    end
    for _ = 1, gone do table.remove(t, math.random(#t)) end
    local set, list = {}, {}
    for _ = 1, seed % 2 * 8 do
        local v = t[math.random(#t)]
        local a, b = v[1], v[2]
        list[#list + 1], set[math.min(a, b) << 32 | math.max(a, b)] = {a, b}, true
    end
    return p, t, list, set
end

local function compare(m, p, t)
    assert.are.equal(m.vertices, #p)
    assert.are.equal(m.faces, #t)
    local got, corners = m.positions:values(), m.triangles:values()
    for i, x in ipairs(p) do
        for d = 1, 3 do assert.is_true(math.abs(got[3 * i - 3 + d] - x[d]) < 2e-6) end
    end
    for i, v in ipairs(t) do
        for k = 1, 3 do assert.are.equal(corners[3 * i - 3 + k], v[k]) end
    end
end

-- Lengths of the edges and areas of the triangles.
local function measures(m)
    local p, t = m.positions:values(), m.triangles:values()
    local longest, least = 0, math.huge
    local function at(i) return {p[3 * i + 1], p[3 * i + 2], p[3 * i + 3]} end
    for i = 1, #t, 3 do
        local a, b, c = at(t[i]), at(t[i + 1]), at(t[i + 2])
        local u, v, w = {}, {}, 0
        for d = 1, 3 do u[d], v[d] = b[d] - a[d], c[d] - a[d] end
        for d = 1, 3 do w = w + (u[d % 3 + 1] * v[(d + 1) % 3 + 1] - u[(d + 1) % 3 + 1] * v[d % 3 + 1]) ^ 2 end
        least = math.min(least, math.sqrt(w) / 2)
        for _, e in ipairs {{a, b}, {b, c}, {c, a}} do
            local x, y = e[1], e[2]
            longest = math.max(longest, math.sqrt((x[1] - y[1]) ^ 2 + (x[2] - y[2]) ^ 2 + (x[3] - y[3]) ^ 2))
        end
    end
    return longest, least
end

-- The longest edge whose ends lie at x > 0.25 in the mean.
local function longest_beyond(m)
    local p, list, longest = m.positions:values(), m:adjacency().edges:values(), 0
    for i = 1, #list, 2 do
        local a, b, sum = 3 * list[i], 3 * list[i + 1], 0
        for d = 1, 3 do sum = sum + (p[a + d] - p[b + d]) ^ 2 end
        if p[a + 1] + p[b + 1] > 0.5001 then longest = math.max(longest, math.sqrt(sum)) end
    end
    return longest
end

-- The largest angle, in degrees, by which two triangles of an edge are turned against each other.
local function most_bent(m)
    local p, t, normals, sides, most = m.positions:values(), m.triangles:values(), {}, {}, 0
    for f = 0, m.faces - 1 do
        local a, b, c = t[3 * f + 1], t[3 * f + 2], t[3 * f + 3]
        local n, square = {}, 0
        for d = 0, 2 do
            local e, g = (d + 1) % 3 + 1, (d + 2) % 3 + 1
            n[d + 1] = (p[3 * b + e] - p[3 * a + e]) * (p[3 * c + g] - p[3 * a + g]) -
                (p[3 * b + g] - p[3 * a + g]) * (p[3 * c + e] - p[3 * a + e])
            square = square + n[d + 1] ^ 2
        end
        for d = 1, 3 do n[d] = n[d] / math.sqrt(square) end
        normals[f] = n
        for _, e in ipairs {{a, b}, {b, c}, {c, a}} do
            local key = math.min(e[1], e[2]) << 32 | math.max(e[1], e[2])
            local other = normals[sides[key]]
            sides[key] = f
            if other then
                local dot = n[1] * other[1] + n[2] * other[2] + n[3] * other[3]
                most = math.max(most, math.deg(math.acos(math.max(-1, math.min(1, dot)))))
            end
        end
    end
    return most
end

local function sound(m)
    assert.are.equal(m:euler(), 2)
    assert.is_true(m:is_closed() and m:is_oriented())
end

local TETRA <const> = {positions = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}},
    triangles = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}}
local OCTA <const> = {positions = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
    triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}}

describe("rill.subdivide.loop", function()
    it("is Loop's rules on meshes of any valence, with boundaries and creases", function()
        for seed = LONG and 1 or 3, 8, LONG and 1 or 5 do
            local p, t, list, set = random_mesh(seed, 10 * seed, seed % 4)
            local m = loop(rill.mesh.new {positions = p, triangles = t}, {levels = 2, creases = list})
            for _ = 1, 2 do p, t, set = plain(p, t, set) end
            compare(m, p, t)
        end
    end)

    -- Vertices of up to 8, 12 or 16 corners are computed in registers. Up to 12 neighbors are added in the order of
    -- their coordinates.
    it("is Loop's rules around a vertex of any number of triangles, closed and open, with creases", function()
        for _, n in ipairs(LONG and {3, 7, 8, 9, 11, 12, 13, 15, 16, 17, 40} or {8, 12, 17}) do
            for open = LONG and 0 or n % 2, 1 do
                local p, t, list, set = {}, {}, {}, {}
                local apex = n // 2
                for i = 0, n do p[i + 1] = {math.sin(2.1 * i), math.cos(3.7 * i), math.sin(1.3 * i * i)} end
                local function rim(i) return i % n < apex and i % n or i % n + 1 end
                for i = 1, n - open do t[i] = {apex, rim(i - 1), rim(i)} end
                for _, i in ipairs(n % 3 == 0 and {} or {0, n - 2}) do
                    list[#list + 1], set[math.min(apex, rim(i)) << 32 | math.max(apex, rim(i))] = {rim(i), apex}, true
                end
                local m = loop(rill.mesh.new {positions = p, triangles = t}, {levels = 2, creases = list})
                for _ = 1, 2 do p, t, set = plain(p, t, set) end
                compare(m, p, t)
            end
        end
    end)

    it("has the known vertices, edges and limits", function()
        local known = {{rill.mesh.new(TETRA), 0.2, {0.25, 0.203125, 0.2001953125}},
            {rill.mesh.new(OCTA), 0.4363636363636363, {0.515625, 0.4475097656, 0.4379310608}},
            {rill.mesh.icosphere(0), 0.7078091169020598, {0.7675720593, 0.7200326649, 0.7103092469}}}
        for _, row in ipairs(known) do
            local m = row[1]
            local v, f, first = m.vertices, m.faces, m.positions:get(1)
            local r = math.sqrt(first[1] ^ 2 + first[2] ^ 2 + first[3] ^ 2)
            local function far(s)
                local x = s.positions:get(1)
                return math.sqrt(x[1] ^ 2 + x[2] ^ 2 + x[3] ^ 2) / r
            end
            for level = 1, 3 do
                local s, report = loop(m, {levels = level})
                assert.is_true(math.abs(far(s) - row[3][level]) < 1e-6)
                v, f = v + 3 * f // 2, 4 * f
                assert.are.equal(s.vertices, v)
                assert.are.equal(s.faces, f)
                assert.are.equal(s:adjacency().edges.size, 3 * f // 2)
                assert.are.equal(report.faces[level + 1], f)
                sound(s)
            end
            for level = 0, 2 do
                local s = loop(m, {levels = level, limit = true})
                assert.is_true(math.abs(far(s) - row[2]) < 1e-5)
                local n, x = s:normals():get(1), s.positions:get(1)
                for d = 1, 3 do assert.is_true(math.abs(n[d] - x[d] / far(s) / r) < 1e-4) end
            end
        end
    end)

    it("has the known vertices, edges and limits at levels 4 to 6 #long", function()
        local known = {
            {rill.mesh.new(TETRA), {0.2000122070, 0.2000007629, 0.2000000477}, {0.10418688, 0.10329027, 0.10306732}},
            {rill.mesh.new(OCTA), {0.4365840554, 0.4363946328, 0.4363679952}, {0.30552949, 0.30427271, 0.30395931}},
            {rill.mesh.icosphere(0), {0.7083204783, 0.7079137076, 0.7078305093}, {1.45353446, 1.45120255, 1.45062014}},
        }
        for _, row in ipairs(known) do
            local m, faces, first = row[1], row[1].faces, row[1].positions:get(1)
            local r = math.sqrt(first[1] ^ 2 + first[2] ^ 2 + first[3] ^ 2)
            for level = 4, 6 do
                local s = loop(m, {levels = level})
                local x = s.positions:get(1)
                local far = math.sqrt(x[1] ^ 2 + x[2] ^ 2 + x[3] ^ 2) / r
                assert.is_true(math.abs(far - row[2][level - 3]) < 1e-6)
                assert.is_true(math.abs(s:volume() / row[3][level - 3] - 1) < 1e-5, s:volume())
                assert.same({faces * 4 ^ level // 1 | 0, 2}, {s.faces, s:euler()})
                sound(s)
            end
        end
    end)

    it("is bitwise independent of the numbering of vertices and corners", function()
        local m = rill.mesh.torus {segments = {9, 7}}
        local n, p, t = m.vertices, m.positions:values(), m.triangles:values()
        local moved, turned, order = {}, {}, {}
        for v = 0, n - 1 do order[v] = v * 31 % n end -- 31 and 63 have no divisor in common
        for v = 0, n - 1 do moved[order[v] + 1] = {p[3 * v + 1], p[3 * v + 2], p[3 * v + 3]} end
        for i = #t - 2, 1, -3 do turned[#turned + 1] = {order[t[i + 1]], order[t[i + 2]], order[t[i]]} end
        local function places(mesh)
            local set, list = {}, loop(mesh, {levels = 2}).positions:values()
            for i = 1, #list, 3 do set[i // 3 + 1] = ("%a %a %a"):format(list[i], list[i + 1], list[i + 2]) end
            table.sort(set)
            return table.concat(set, "\n")
        end
        assert.are.equal(places(m), places(rill.mesh.new {positions = moved, triangles = turned}))
    end)

    it("splits the edges that fulfill the criterion, with both patches, and stays closed", function()
        local half = rill.kernel [[
            kernel int half(vec3 a<>, vec3 b<>) { return a.x + b.x > 0.5 && distance(a, b) > 0.1 ? 1 : 0; }
        ]]
        local m = rill.mesh.icosphere(1)
        for _, patch in ipairs {"redgreen", "sliver"} do
            local s, report = loop(m, {levels = 8, patch = patch, adaptive = {edge = 0.2}})
            local longest = measures(s)
            assert.is_true(report.met and longest <= 0.2001)
            sound(s)
            s, report = loop(m, {levels = 8, patch = patch, adaptive = {kernel = half}})
            sound(s)
            assert.is_true(report.met and s.faces < report.faces[1] * 4 ^ report.levels / 2)
            local _, least = measures(s)
            assert.is_true(patch == "sliver" or least > 1e-7)
            assert.is_true(patch == "sliver" or longest_beyond(s) <= 0.1001)
            s, report = loop(m, {levels = 5, patch = patch, adaptive = {pixels = 30, camera = {eye = {0, 0, 1.5}}}})
            sound(s)
            assert.is_true(report.met)
            -- In a parallel projection the length in pixels is proportional to the length.
            s, report = loop(m, {levels = 8, patch = patch, adaptive = {pixels = 20, size = {50, 100},
                camera = {orthographic = 1}}})
            assert.is_true(report.met and measures(s) <= 0.2001)
            local _, other = loop(m, {levels = 8, patch = patch, adaptive = {edge = 0.2}})
            assert.same(other.faces, report.faces)
        end
    end)

    it("splits bent edges until none is left", function()
        for _, patch in ipairs {"redgreen", "sliver"} do
            for _, m in ipairs {rill.mesh.icosphere(0), rill.mesh.box()} do
                local s, report = loop(m, {levels = 6, patch = patch, adaptive = {curvature = 14}})
                assert.is_true(report.met and most_bent(s) <= 14.001, most_bent(s))
                sound(s)
            end
        end
        for _, z in ipairs {1e-15, 1e-8, 1, 1e8, 1e15} do -- the angle does not depend on the size of the mesh
            local m = rill.mesh.icosphere(1):transform {{z, 0, 0, 0}, {0, z, 0, 0}, {0, 0, z, 0}, {0, 0, 0, 1}}
            local _, report = loop(m, {levels = 4, adaptive = {curvature = 10}})
            assert.are.same({80, 320, 1280}, report.faces)
        end
        local ring, report = loop(rill.mesh.torus {segments = {12, 6}}, {levels = 6, adaptive = {curvature = 14}})
        assert.is_true(report.met and most_bent(ring) <= 14.001, most_bent(ring))
        assert.is_true(ring.faces < 144 * 4 ^ report.levels / 2 and ring:is_closed() and ring:euler() == 0)
        -- Edges that must stay sharp are not split.
        local box = rill.mesh.box()
        local s, told = loop(box, {levels = 6, creases = box:adjacency().edges, adaptive = {curvature = 14}})
        assert.same({12, true, 0}, {s.faces, told.met, told.levels})
    end)

    it("makes at most half as many triangles of the cow as uniform subdivision", function()
        local data, why = tempfiles.data()
        if not data then return pending(why) end
        local cow = rill.mesh.load(data .. "/meshes/spot.obj")
        for _, patch in ipairs {"redgreen", "sliver"} do
            local s, report = loop(cow, {levels = 3, patch = patch, adaptive = {edge = 0.04}})
            assert.is_true(s.faces <= cow.faces * 4 ^ report.levels / 2)
            assert.is_true(report.met)
            sound(s)
            local longest, least = measures(s)
            assert.is_true(patch == "sliver" or longest <= 0.04001 and least > 1e-9)
        end
        local near = rill.kernel [[
            kernel bool near(vec3 a<>, vec3 b<>) { return a.z + b.z < -0.5 && distance(a, b) > 0.02; }
        ]]
        for name, asks in pairs {
            pixels = {pixels = 12, camera = {eye = {-1.2, 0.8, -2}, fov = 40}}, curvature = {curvature = 14},
            kernel = {kernel = near},
        } do
            local s, report = loop(cow, {levels = 6, adaptive = asks})
            assert.is_true(report.met and report.levels > 0, name)
            assert.is_true(s.faces <= cow.faces * 4 ^ report.levels / 2, name)
            sound(s)
            local _, least = measures(s)
            assert.is_true(least > 1e-9, name)
            assert.is_true(name ~= "curvature" or most_bent(s) <= 14.001)
        end
    end)

    it("closes the levels, except the views of copies", function()
        local m = rill.mesh.icosphere(1)
        for what, options in pairs {
            everywhere = {}, ["at the limit"] = {limit = true}, slivers = {adaptive = {edge = 0.2}, patch = "sliver"},
            redgreen = {adaptive = {edge = 0.2}}, bends = {adaptive = {curvature = 5}},
        } do
            options.levels = 2
            leaks.none(function() loop(m, options):close() end, what, 8)
        end
    end)

    it("stops at the last level, and keeps edges that do not fulfill the criterion", function()
        local m = rill.mesh.icosphere(0)
        local s, report = loop(m, {levels = 2, adaptive = {edge = 1e-6}})
        assert.are.equal(s.faces, 320)
        assert.is_false(report.met)
        s, report = loop(m, {levels = 2, adaptive = {edge = 100}})
        assert.are.equal(s.faces, 20)
        assert.is_true(report.met and report.levels == 0)
    end)

    it("defines the result for meshes that are not manifold", function()
        local function of(p, t)
            return (loop(rill.mesh.new {positions = p, triangles = t}, {levels = 2, limit = true}))
        end
        assert.are.equal(of({}, {}).faces, 0)
        assert.are.equal(of({{1, 2, 3}}, {}).vertices, 1)
        local p = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {5, 5, 5}}
        local three = of(p, {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}, {2, 2, 3}, {4, 4, 4}})
        assert.are.equal(three.faces, 80)
        assert.are.equal(three.positions:get(6)[1], 5.0)
        assert.is_true(three.positions:max()[1] <= 5 and three.positions:min()[1] >= -1)
        -- Triangles of inconsistent orientation are split, and give the same positions.
        local ball, turned = rill.mesh.icosphere(1), rill.mesh.icosphere(1)
        local t = turned.triangles:get(1)
        turned.triangles:set({t[2], t[1], t[3]}, 1)
        for _, how in ipairs {{levels = 2}, {levels = 4, adaptive = {curvature = 14}},
            {levels = 4, adaptive = {edge = 0.3}}, {levels = 4, patch = "sliver", adaptive = {edge = 0.3}}} do
            local a, b = loop(ball, how), loop(turned, how)
            assert.same({a.vertices, a.faces, true, false}, {b.vertices, b.faces, b:is_closed(), b:is_oriented()})
            local seen = {}
            for _, x in ipairs(a.positions:read()) do seen[table.concat(x, " ")] = true end
            for _, x in ipairs(b.positions:read()) do assert.is_true(seen[table.concat(x, " ")]) end
        end
        -- Three triangles at an edge, and triangles without area, are split too.
        for _, patch in ipairs {"redgreen", "sliver"} do
            for _, asks in ipairs {{edge = 0.3}, {curvature = 20}} do
                local bad = rill.mesh.new {positions = p, triangles = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}, {2, 2, 3}}}
                local s, report = loop(bad, {levels = 3, patch = patch, adaptive = asks})
                assert.is_true(report.levels <= 3 and s.positions:max()[1] <= 5 and s.positions:min()[1] >= -1)
            end
        end
        local m = rill.mesh.icosphere(0)
        m.positions:set({0 / 0, 0, 0}, 1)
        local s = loop(m, {levels = 3, adaptive = {edge = 0.3}})
        assert.is_true(s.faces > 20 and s:is_closed())
    end)

    it("refuses invalid options", function()
        local m, gone = rill.mesh.box(), rill.mesh.box()
        gone:close()
        for _, row in ipairs {
            {"argument #1 'm': expected a mesh, got number 3", 3, {levels = 1}},
            {"argument #1 'm': expected a mesh, got a closed mesh", gone, {levels = 1}},
            {"option 'levels' is missing", m, {}}, {"option 'levels'", m, {levels = 1.5}},
            {"option 'levels': 12 triangles would become", m, {levels = 15}},
            {"crease 0, {0, 70}, is not an edge", m, {levels = 1, creases = {{0, 70}}}},
            {"option 'creases': expected pairs", m, {levels = 1, creases = {1, 2}}},
            {"option 'patch'", m, {levels = 1, patch = "blue"}},
            {"option 'patch' requires the option 'adaptive'", m, {levels = 1, patch = "sliver"}},
            {"option 'adaptive': expected one of", m, {levels = 1, adaptive = {}}},
            {"option 'adaptive': expected one of", m, {levels = 1, adaptive = {edge = 3, camera = {}}}},
            {"rill.subdivide.loop: option 'camera': unknown option 'angle'", m, {levels = 1, adaptive = {pixels = 3,
                camera = {angle = 3}}}},
            {"rill.subdivide.loop: option 'camera': give either 'fov'", m, {levels = 1, adaptive = {pixels = 3,
                camera = {fov = 3, orthographic = 1}}}},
            {"option 'edge'", m, {levels = 1, adaptive = {edge = 0 / 0}}},
            {"option 'kernel' must return", m, {levels = 1, adaptive = {kernel =
                rill.kernel "kernel float f(vec3 a<>, vec3 b<>) { return 1.0; }"}}},
            {"option 'kernel', called with the two ends of edges, streams of vec3: f: argument #1 'a'", m, {levels = 1,
                adaptive = {kernel = rill.kernel "kernel int f(float a<>) { return 1; }"}}},
        } do
            local done, message = pcall(loop, row[2], row[3])
            assert.is_false(done)
            assert.is_truthy(message:find(row[1], 1, true), message)
        end
    end)
end)
