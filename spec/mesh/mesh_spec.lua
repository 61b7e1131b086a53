-- Meshes, compared with loops over their triangles in Lua.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local topology = require "rill.geometry.mesh.topology"
local LONG <const> = os.getenv "RILL_SUITE_LONG"
local mesh <const> = rill.mesh

-- Properties of a list of triangles, one edge at a time: {[a][b]} counts the triangles that traverse an edge from a
-- to b.
local function plain(m)
    local runs, edges, used, list = {}, {}, {}, m.triangles:values()
    local closed, oriented, boundary, ends = true, true, 0, {}
    local function add(a, b)
        runs[a << 32 | b] = (runs[a << 32 | b] or 0) + 1
        local key = math.min(a, b) << 32 | math.max(a, b)
        edges[key] = (edges[key] or 0) + 1
    end
    local vertices, count, parts = 0, 0, {}
    local function root(i)
        while parts[i] ~= i do i = parts[i] end
        return i
    end
    for i = 1, #list, 3 do
        local t = {list[i], list[i + 1], list[i + 2]}
        for k = 1, 3 do
            if not used[t[k]] then used[t[k]], vertices, parts[t[k]] = true, vertices + 1, t[k] end
            add(t[k], t[k % 3 + 1])
        end
        for k = 2, 3 do
            local a, b = root(t[1]), root(t[k])
            parts[math.max(a, b)] = math.min(a, b)
        end
    end
    for key, n in pairs(edges) do
        count = count + 1
        closed, boundary = closed and n ~= 1, boundary + (n == 1 and 1 or 0)
        for _, v in ipairs {key >> 32, key & 0xffffffff} do ends[v] = (ends[v] or 0) + 1 end
    end
    for _, n in pairs(runs) do oriented = oriented and n == 1 end
    local components = 0
    for v in pairs(used) do components = components + (parts[v] == v and 1 or 0) end
    return {euler = vertices - count + m.faces, edges = count, closed = closed, oriented = oriented,
        boundary = boundary, components = components, valence = ends}
end

local function agrees(m)
    local expected, around = plain(m), m:adjacency()
    assert.same({expected.euler, expected.closed, expected.oriented, expected.boundary, expected.edges,
        expected.components}, {m:euler(), m:is_closed(), m:is_oriented(), m:boundary().size, around.edges.size,
        (m:components())})
    local t, edges, twin = m.triangles:values(), around.edges:values(), around.twin:values()
    for h, e in ipairs(around.edge:values()) do
        local a, b = t[h], t[h % 3 == 0 and h - 2 or h + 1]
        assert.same({math.min(a, b), math.max(a, b)}, {edges[2 * e + 1], edges[2 * e + 2]})
        if twin[h] >= 0 then assert.equal(h - 1, twin[twin[h] + 1]) end
    end
    for v, n in ipairs(around.valence:values()) do assert.equal(expected.valence[v - 1] or 0, n) end
end

-- Compares all streams of M:adjacency with loops over the half-edges.
local function adjacency_agrees(m)
    local t, halves, keys, around = m.triangles:values(), {}, {}, m:adjacency()
    for h = 0, #t - 1 do
        local a, b = t[h + 1], t[h % 3 == 2 and h - 1 or h + 2]
        local key = math.min(a, b) << 32 | math.max(a, b)
        if not halves[key] then halves[key], keys[#keys + 1] = {}, key end
        table.insert(halves[key], h)
    end
    table.sort(keys)
    local edge, twin, edges, valence = {}, {}, {}, {}
    for v = 1, m.vertices do valence[v] = 0 end
    for e, key in ipairs(keys) do
        local a, b, sides = key >> 32, key & 0xffffffff, halves[key]
        edges[2 * e - 1], edges[2 * e], valence[a + 1] = a, b, valence[a + 1] + 1
        if a ~= b then valence[b + 1] = valence[b + 1] + 1 end
        for i, h in ipairs(sides) do
            edge[h + 1], twin[h + 1] = e - 1, #sides == 1 and -1 or #sides > 2 and -2 or sides[3 - i]
        end
    end
    for name, expected in pairs {edge = edge, twin = twin, edges = edges, valence = valence} do
        check.equal(expected, around[name]:values())
    end
end

-- Normals weighed by areas, in doubles.
local function plain_normals(m, scale)
    local p, t, n = m.positions:values(), m.triangles:values(), {}
    for i = 1, #p do n[i] = 0 end
    for i = 1, #t, 3 do
        local u, v = {}, {}
        for d = 1, 3 do
            local from = p[3 * t[i] + d]
            u[d], v[d] = (p[3 * t[i + 1] + d] - from) / scale, (p[3 * t[i + 2] + d] - from) / scale
        end
        for k = 0, 2 do
            for d = 1, 3 do
                local e, f, at = d % 3 + 1, (d + 1) % 3 + 1, 3 * t[i + k] + d
                n[at] = n[at] + u[e] * v[f] - u[f] * v[e]
            end
        end
    end
    for i = 1, #n, 3 do
        local length = math.sqrt(n[i] ^ 2 + n[i + 1] ^ 2 + n[i + 2] ^ 2)
        for d = 0, 2 do n[i + d] = n[i + d] / length end
    end
    return n
end

describe("A mesh", function()
    leaks.watch(setup, teardown)

    it("has the streams that it was created from", function()
        local p = rill.from({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, "vec3")
        local m = mesh.new {positions = p, triangles = {{0, 1, 2}}, uv = {{0, 0}, {1, 0}, {0, 1}},
            normals = rill.stream("vec3", {1, 3}, {0, 0, 1}), attributes = {heat = rill.from {5}}}
        assert.equal("mesh of 3 vertices, 1 triangles, with normals, uv, heat", tostring(m))
        assert.equal("mesh", rill.type(m))
        p:fill {7, 7, 7}
        check.equal({0, 0, 0, 1, 0, 0, 0, 1, 0}, m.positions:values())
        local other = m:copy()
        m.positions:set({9, 9, 9}, 1)
        m.attributes.heat:set(6, 1)
        assert.same({0.0, 5.0}, {other.positions:get(1)[1], other.attributes.heat:get(1)})
        assert.equal("1x3", tostring(other:normals().shape))
        m:close()
        assert.equal("closed mesh", tostring(m))
        check.names({"M:bounds: the mesh was closed"}, function() m:bounds() end)
        local _ <close> = other
    end)

    it("names invalid options", function()
        local p = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}
        local function refused(words, options)
            check.names({"rill.mesh.new", words}, mesh.new, options)
        end
        refused("vertex 1 is {1.0, nan, 0.0}", {positions = {{0, 0, 0}, {1, 0 / 0, 0}}, triangles = {}})
        refused("vertex 0 is {inf, 0.0, 0.0}", {positions = {{math.huge, 0, 0}}, triangles = {}})
        refused("triangle 1 is {0, 1, 3}", {positions = p, triangles = {{0, 1, 2}, {0, 1, 3}}})
        refused("triangle 0 is {-1, 1, 2}", {positions = p, triangles = {{-1, 1, 2}}})
        refused("triangle 0 is", {positions = {}, triangles = {{0, 0, 0}}})
        refused("expected vec3 in one dimension, got vec4", {positions = rill.stream("vec4", 3), triangles = {}})
        refused("got vec3 of shape 1x3", {positions = rill.stream("vec3", {1, 3}), triangles = {}})
        refused("element [2]", {positions = {{0, 0, 0}, {1, 2}}, triangles = {}})
        refused("'triangles' is missing", {positions = p})
        refused("unknown option 'colors'", {positions = p, triangles = {}, colors = {}})
        refused("corner {1, 3}", {positions = p, triangles = {{0, 1, 2}}, uv = {{0, 0}, {1, 1}}})
        refused("expected vec2, got float", {positions = p, triangles = {{0, 1, 2}}, uv = rill.stream("float", 3)})
        refused("option 'uv': element 1 is not finite", {positions = p, triangles = {{0, 1, 2}},
            uv = {{0, 0}, {0, 0 / 0}, {1, 1}}})
        refused("option 'normals': element 2 is not finite", {positions = p, triangles = {{0, 1, 2}},
            normals = {{0, 0, 1}, {0, 0, 1}, {0, math.huge, 1}}})
        refused("got number 3 for 'a'", {positions = p, triangles = {}, attributes = {a = 3}})
        check.names({"a mesh has no field or method 'facs'"}, function() return mesh.box().facs end)
        check.names({"M:area: expected a mesh before the colon"}, mesh.box().area, 3)
        check.names({"M:transform", "4 rows"}, function() mesh.box():transform {{1, 0, 0, 0}} end)
        check.names({"M:transform", "0, 0, 0, 1"}, function()
            mesh.box():transform {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 1, 1}}
        end)
        check.names({"icosphere", "from 0 to 11"}, mesh.icosphere, 1.5)
        check.names({"torus", "'segments'"}, mesh.torus, {segments = {2, 3}})
        check.names({"box", "'size'"}, mesh.box, {size = {1, 2, -3}})
        check.names({"grid", "'size'"}, mesh.grid, {size = 3})
        check.names({"torus", "'radius'", "at most 1e38"}, mesh.torus, {radius = 1e39})
        check.names({"box", "'center'", "at most 1e38"}, mesh.box, {center = {0, 0, 1e39}})
        check.names({"grid", "'segments'", "less than 2^29 cells"}, mesh.grid, {segments = {70000, 70000}})
        assert(select(2, mesh.box({size = 1e38}):bounds())[1] > 4.9e37)
    end)

    it("without triangles or vertices", function()
        local m = mesh.new {positions = {}, triangles = {}}
        assert.same({0, 0, true, true, true, 0, 0, 0.0, 0.0}, {m:euler(), m:boundary().size, m:is_closed(),
            m:is_manifold(), m:is_oriented(), (m:components()), m:normals().size, m:volume(), m:area()})
        assert.is_nil(m:bounds())
        assert.equal(0, m:adjacency().edges.size)
        assert.equal(0, m:transform {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}.vertices)
    end)

    it("of a shape is closed, connected and has the correct volume", function()
        for _, row in ipairs {
            {mesh.icosphere(), 12, 2, 2.536150471}, {mesh.icosphere(2), 162, 2, 4.047048186},
            {mesh.torus {segments = {16, 8}}, 128, 0},
            {mesh.box {size = {1, 2, 3}, center = {1, 1, 1}}, 8, 2, 6},
        } do
            local m = row[1]
            agrees(m)
            assert.same({row[2], row[3], true, true, true, 1},
                {m.vertices, m:euler(), m:is_closed(), m:is_manifold(), m:is_oriented(), (m:components())})
            assert.is_true(m:volume() > 0)
            if row[3] == 2 then assert.near(row[4], m:volume(), 2e-6 * row[4]) end
        end
        local sheet = mesh.grid {size = {2, 3}, segments = {4, 5}}
        agrees(sheet)
        assert.near(6, sheet:area(), 1e-6)
        check.equal({0, 0, 1}, sheet:normals():get(7))
        assert.same({1, 18, true}, {sheet:euler(), sheet:boundary().size, sheet:is_manifold()})
    end)

    it("that is not manifold", function()
        local p = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {5, 5, 5}}
        local function made(triangles) return mesh.new {positions = p, triangles = triangles} end
        -- closed, oriented, manifold
        for _, row in ipairs {
            {true, true, false,
                {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}, {0, 4, 5}, {0, 5, 6}, {0, 6, 4}, {4, 6, 5}}},
            {false, false, false, {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}}, {false, false, true, {{0, 1, 2}, {0, 1, 3}}},
            {false, true, true, {{0, 1, 2}, {1, 0, 3}}}, {false, true, true, {{0, 1, 2}, {4, 5, 6}}},
            {false, true, false, {{0, 1, 2}, {0, 5, 6}}},
        } do
            local m = made(row[4])
            agrees(m)
            assert.same({row[1], row[2], row[3]}, {m:is_closed(), m:is_oriented(), m:is_manifold()})
        end
        assert.is_false(made({{0, 1, 1}}):is_manifold())
        local twin = made({{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}):adjacency().twin:values()
        check.equal({-2, -1, -1, -2, -1, -1, -2, -1, -1}, twin)
        local count, part = made({{4, 5, 6}, {0, 1, 2}, {2, 1, 3}}):components()
        assert.equal(2, count)
        check.equal({1, 0, 0}, part:values())
        local around = made({{0, 1, 2}, {1, 0, 3}}):adjacency()
        check.equal({3, 3, 2, 2, 0, 0, 0, 0}, around.valence:values())
    end)

    it("finds connected components in few rounds, and raises an error after more", function()
        local links = rill.from({{0, 2}, {1, 2}}, "ivec2")
        check.names({"M:components", "in 1 rounds", "not found"}, topology.roots, "M:components", 3, links, 1)
        check.equal({0, 0, 0}, topology.roots("M:components", 3, links, 2):values())
        local n, list, seed, path = 4096, {}, 1, {}
        for i = 1, n do
            seed = (seed * 1103515245 + 12345) & 0x7fffffff
            local j = 1 + (seed >> 8) % i
            list[i] = list[j]
            list[j] = i - 1
        end
        for i = 1, n - 1 do path[i] = {list[i], list[i + 1]} end
        assert.equal(0, topology.roots("M:components", n, rill.from(path, "ivec2"), 24):max()) -- 2 log2 n
    end)

    it("closes temporary streams", function()
        local ball = mesh.icosphere(1)
        local ask = {
            function() ball:euler() end, function() ball:is_closed() end, function() ball:is_oriented() end,
            function() ball:is_manifold() end, function() ball:boundary():close() end,
            function() select(2, ball:components()):close() end,
            function() for _, s in pairs(ball:adjacency()) do s:close() end end,
        }
        for i, f in ipairs(ask) do leaks.none(f, "question " .. i) end
    end)

    it("of random triangles", function()
        for _, n in ipairs {1, 2, 7, 63, 300} do
            local triangles, seed = {}, n
            local function draw(most)
                seed = (seed * 1103515245 + 12345) & 0x7fffffff
                return (seed >> 8) % most
            end
            while #triangles < n do
                local a, b, c = draw(n + 2), draw(n + 2), draw(n + 2)
                if a ~= b and b ~= c and c ~= a then triangles[#triangles + 1] = {a, b, c} end
            end
            local m = mesh.new {positions = rill.stream("vec3", n + 2), triangles = triangles}
            agrees(m)
            adjacency_agrees(m)
        end
    end)

    -- Up to 8, 12 or 16 corners at a vertex are sorted in registers.
    it("with a given number of corners at a vertex, and degenerate triangles", function()
        for _, n in ipairs(LONG and {1, 7, 8, 9, 12, 13, 16, 17, 40} or {8, 9, 16, 17}) do
            for _, degenerate in ipairs(LONG and {false, true} or {n % 8 == 0}) do
                local apex, list = n // 2, {}
                local function rim(i) return i % n < apex and i % n or i % n + 1 end
                for i = 1, n do
                    local a, b = rim(7 * i), rim(7 * i + (i % 3 == 0 and 1 or 2))
                    list[i] = i % 2 == 0 and {apex, a, b} or {b, apex, a}
                end
                if degenerate then
                    list[1], list[n // 2 + 1], list[n] = {apex, 0, 0}, {n, n, apex}, {apex, apex, apex}
                end
                adjacency_agrees(mesh.new {positions = rill.stream("vec3", n + 1), triangles = list})
            end
        end
    end)

    it("transforms normals at any scale", function()
        for _, scale in ipairs {1, 1e-18, 1e18} do
            local rows = {{scale, 0, 0, 0}, {0, scale, 0, 0}, {0, 0, scale, 0}, {0, 0, 0, 1}}
            local ball = mesh.icosphere(2):transform(rows)
            local n = plain_normals(ball, scale)
            for i, x in ipairs(ball:normals():values()) do assert.near(n[i], x, 1e-6) end
        end
        local stretched = {{1, 0, 0, 3}, {0, 2, 0, 0}, {0, 0, 0.5, 0}, {0, 0, 0, 1}}
        local sheet = mesh.new {positions = {{0, 0, 0}, {1, 1, 0}, {0, 1, 1}}, triangles = {{0, 1, 2}},
            normals = {{1 / math.sqrt(3), -1 / math.sqrt(3), 1 / math.sqrt(3)}}}
        local moved = sheet:transform(stretched)
        local found = mesh.new {positions = moved.positions, triangles = moved.triangles}:normals()
        local a, b = moved:normals():get(1), found:get(1)
        for d = 1, 3 do assert.near(b[d], a[d], 1e-6) end
    end)
end)

describe("the bounds of a mesh", function()
    it("are two tables of three that print as coordinates", function()
        local low, high = rill.mesh.box {size = {1, 2, 0.25}}:bounds()
        assert.equal("{-0.5, -1, -0.125} {0.5, 1, 0.125}", tostring(low) .. " " .. tostring(high))
        assert.equal("table 3 -0.5", type(low) .. " " .. #low .. " " .. low[1])
        assert.equal(3, #{table.unpack(high)})
        assert.is_nil(rill.mesh.new {positions = {}, triangles = {}}:bounds())
    end)
end)
