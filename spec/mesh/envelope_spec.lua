-- rill.mesh.envelope: no triangles of the envelopes and the input intersect, by rill.collide and by a test of edges against triangles in plain Lua, and the
-- envelopes are inside and outside by winding numbers.
local rill = require "rill"
local leaks = require "spec.support.leaks"
local mesh <const> = rill.mesh

local tempfiles = require "spec.support.tempfiles"
local LONG <const> = os.getenv "RILL_SUITE_LONG"

local function minus(a, b) return {a[1] - b[1], a[2] - b[2], a[3] - b[3]} end
local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
local function cross(a, b)
    return {a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]}
end

-- Whether the edge a b crosses the triangle u v w.
local function crosses(a, b, u, v, w)
    local n = cross(minus(v, u), minus(w, u))
    if dot(n, minus(a, u)) * dot(n, minus(b, u)) > 0 then return false end
    local d, p, q, r = minus(b, a), minus(u, a), minus(v, a), minus(w, a)
    local x, y, z = dot(d, cross(p, q)), dot(d, cross(q, r)), dot(d, cross(r, p))
    return x >= 0 and y >= 0 and z >= 0 or x <= 0 and y <= 0 and z <= 0
end

-- Adds the triangles of a mesh to a list, with bounds. Vertices are numbered from `base`.
local function add(list, m, base)
    local p = m.positions:read()
    for _, v in ipairs(m.triangles:read()) do
        local t = {p = {}, v = {}, low = {}, high = {}}
        for c = 1, 3 do t.p[c], t.v[c] = p[v[c] + 1], base + v[c] end
        for d = 1, 3 do
            t.low[d] = math.min(t.p[1][d], t.p[2][d], t.p[3][d])
            t.high[d] = math.max(t.p[1][d], t.p[2][d], t.p[3][d])
        end
        list[#list + 1] = t
    end
    return base + m.vertices
end

-- Whether an edge of triangle f crosses triangle g. Edges with a vertex of g are not tested: they meet it there.
local function meets(f, g)
    local is_vertex = {[g.v[1]] = true, [g.v[2]] = true, [g.v[3]] = true}
    for c = 1, 3 do
        local e = c % 3 + 1
        if not is_vertex[f.v[c]] and not is_vertex[f.v[e]] and crosses(f.p[c], f.p[e], g.p[1], g.p[2], g.p[3]) then
            return true
        end
    end
    return false
end

local function intersections(...)
    local list, base, count = {}, 0, 0
    for _, m in ipairs {...} do base = add(list, m, base) end
    table.sort(list, function(a, b) return a.low[1] < b.low[1] end)
    for i, f in ipairs(list) do
        for j = i + 1, #list do
            local g = list[j]
            if g.low[1] > f.high[1] then break end
            if g.low[2] <= f.high[2] and f.low[2] <= g.high[2] and g.low[3] <= f.high[3] and f.low[3] <= g.high[3] and
                (meets(f, g) or meets(g, f)) then
                count = count + 1
            end
        end
    end
    return count
end

local function diagonal(m)
    local low, high = m:bounds()
    local d = minus(high, low)
    return dot(d, d) ^ 0.5
end

local function median(s)
    local list = s:values()
    table.sort(list)
    return list[(#list + 1) // 2], list[1], list[#list]
end

-- Points of a mesh: its vertices, and the centers of its triangles.
local function samples(m)
    local p, list = m.positions:read(), {}
    for _, v in ipairs(m.triangles:read()) do
        local c = {}
        for d = 1, 3 do c[d] = (p[v[1] + 1][d] + p[v[2] + 1][d] + p[v[3] + 1][d]) / 3 end
        list[#list + 1] = c
    end
    return rill.from(table.move(p, 1, #p, #list + 1, list), "vec3")
end

-- Checks both envelopes. Returns the median offsets, relative to the target.
local function check(m, options)
    local inner, outer, report = mesh.envelope(m, options)
    local target = options and options.distance or 0.02 * diagonal(m)
    assert.equal(0, intersections(m, inner, outer))
    local a <close> = rill.collide.bvh(m)
    local results = {}
    for i, one in ipairs {inner, outer} do
        assert.equal(m.triangles:bytes(), one.triangles:bytes())
        local b <close> = rill.collide.bvh(one)
        assert.equal(0, rill.collide.pairs(a, b).size)
        local w <close> = m:winding(samples(one))
        local least, most = w:min(), w:max()
        if i == 1 then assert(least > 0.999, least) else assert(most < 0.001, most) end
        local middle, low, high = median(one.attributes.offset)
        assert(low > 0 and high <= target * (1 + 1e-5))
        results[i] = middle / target
    end
    inner:close()
    outer:close()
    return results[1], results[2], report
end

describe("rill.mesh.envelope", function()
    leaks.watch(setup, teardown)
    before_each(function() math.randomseed(52) end)

    it("encloses a ball, a torus and a box", function()
        for _, m in ipairs {mesh.icosphere(0), mesh.torus {segments = {24, 12}}, LONG and mesh.box(),
            LONG and mesh.icosphere(3)} do
            local low, high = check(m)
            assert(low > 0.9 and high > 0.9)
            check(m, {distance = 0.3 * diagonal(m)})
            m:close()
        end
    end)

    it("encloses bumpy meshes of random sizes", function()
        for _ = 1, LONG and 4 or 1 do
            local m <close> = mesh.icosphere(2)
            local scale, p = 10.0 ^ math.random(-6, 6), m.positions:read()
            for i, x in ipairs(p) do
                local r = scale * (1 + 0.4 * (math.random() - 0.5))
                p[i] = {r * x[1], r * x[2], r * x[3] + 10 * scale}
            end
            m.positions:write(rill.from(p, "vec3"))
            check(m, {distance = 0.1 * scale, depth = math.random(0, 4)})
        end
    end)

    it("moves the vertices of tetrahedra with sharp corners by the distance", function()
        local faces <const> = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}
        for _, h in ipairs {0.5, 0.3, 0.1, 0.03} do
            local m <close> = mesh.new {positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, h}}, triangles = faces}
            local distance <const> = math.min(0.02, 0.3 * h)
            local low, high = check(m, {distance = distance})
            assert(low > 0.999 and high > 0.999, h)
        end
        for _ = 1, 6 do -- random ones, flattened along a random direction
            local p, way, flat = {}, {}, 10 ^ (-2.5 * math.random())
            for d = 1, 3 do way[d] = math.random() - 0.5 end
            local square <const> = dot(way, way)
            for i = 1, 4 do
                local x = {math.random(), math.random(), math.random()}
                local along <const> = (1 - flat) * dot(x, way) / square
                for d = 1, 3 do x[d] = x[d] - along * way[d] end
                p[i] = x
            end
            if dot(cross(minus(p[2], p[1]), minus(p[3], p[1])), minus(p[4], p[1])) < 0 then p[1], p[2] = p[2], p[1] end
            local m <close> = mesh.new {positions = p, triangles = faces}
            local thin <const> = 3 * m:volume() / m:area() -- the radius of the ball inside
            local low, high = check(m, {distance = thin})
            assert(low > 0.5 and high > 0.5, thin)
        end
    end)

    it("encloses flat balls with sharp rims, and tiny meshes", function()
        for _, size in ipairs(LONG and {{1, 0.05}, {2.0 ^ -110, 0.05}, {2.0 ^ -110, 1}, {2.0 ^ 50, 0.2}} or
            {{2.0 ^ -110, 0.05}, {2.0 ^ 50, 0.2}}) do
            local z <const>, flat <const> = size[1], size[2]
            local m <close> = mesh.icosphere(2):transform {
                {z, 0, 0, 0}, {0, flat * z, 0, 0}, {0, 0, z, 0}, {0, 0, 0, 1}}
            local low, high = check(m, {distance = 0.02 * flat * z})
            assert(low > 0.9 and high > 0.9, flat)
        end
    end)

    it("compiles no program for another mesh", function()
        local m <close> = mesh.box()
        local other <close> = mesh.box {size = 1.7}
        local function run(one)
            local inner, outer = mesh.envelope(one)
            inner:close()
            outer:close()
        end
        run(m)
        assert.equal(0, rill.profile(function() return run(other) end).compiled)
    end)

    it("has the same result for all strategies", function()
        local m <close> = mesh.torus {segments = {20, 10}, tube = 0.3}
        local expected
        for _, strategy in ipairs(LONG and rill.reuse.strategies() or {"naive", "sort"}) do
            local inner, outer, report = mesh.envelope(m, {reuse = strategy})
            local bytes = inner.positions:bytes() .. outer.positions:bytes()
            expected = expected or bytes
            assert.equal(expected, bytes)
            assert.equal(strategy == "naive", report.invocations == 3 * m.faces)
            inner:close()
            outer:close()
        end
    end)

    it("separates thin walls and parts that are close to each other", function()
        local thin <close> = mesh.box {size = {1, 1, 1e-3}}
        check(thin, {distance = 0.1})
        local near <close> = mesh.new {
            positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 0.01}, {1, 0, 0.01}, {0, 1, 0.01},
                {0, 0, 1}},
            triangles = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}, {4, 6, 5}, {4, 5, 7}, {5, 6, 7}, {6, 4, 7}},
        }
        check(near, {distance = 0.5})
    end)

    it("swaps the envelopes of a mesh that is inside out", function()
        local ball <close> = mesh.icosphere(1)
        local m <close> = ball:transform {{-1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}
        local inner, outer = mesh.envelope(m)
        assert(inner.positions:max()[1] < 1 and outer.positions:max()[1] > 1)
        inner:close()
        outer:close()
    end)

    it("encloses spot #long", function()
        local data, why = tempfiles.data()
        if not data then return pending(why) end
        local m <close> = mesh.load(data .. "/meshes/spot.obj")
        local low, high = check(m)
        assert(low >= 0.2 and high >= 0.2, ("%g %g"):format(low, high))
    end)

    it("refuses meshes without an inside", function()
        local function refuses(m, message, options)
            assert.error_matches(function() mesh.envelope(m, options) end, message, 1, true)
            m:close()
        end
        refuses(mesh.grid(), "the mesh is open: it has 4 boundary edges")
        refuses(mesh.new {positions = {}, triangles = {}}, "the mesh has no triangles")
        refuses(mesh.new {positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, triangles = {{0, 1, 2}, {0, 1, 2}}},
            "expected a manifold mesh with consistent orientation")
        local p, t = mesh.icosphere(0).positions:read(), mesh.icosphere(0).triangles:read()
        for i = 1, 12 do p[12 + i] = {p[i][1] + 1, p[i][2], p[i][3]} end
        for i = 1, 20 do t[20 + i] = {t[i][1] + 12, t[i][2] + 12, t[i][3] + 12} end
        refuses(mesh.new {positions = p, triangles = t}, "of the mesh intersect")
        refuses(mesh.box(), "option 'distance': expected a length above 0", {distance = 0})
        refuses(mesh.box(), "option 'reuse'", {reuse = "none"})
        refuses(mesh.box(), "option 'depth'", {depth = 9})
        local data = tempfiles.data()
        if data then
            refuses(mesh.load(data .. "/meshes/stanford-bunny.obj"), "it has 223 boundary edges")
        end
    end)
end)
