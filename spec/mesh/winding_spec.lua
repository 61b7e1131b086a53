-- M:winding and M:octree, compared with sums of solid angles and with points on the triangles in plain Lua.
local rill = require "rill"
local leaks = require "spec.support.leaks"
local mesh <const> = rill.mesh

local function minus(a, b) return {a[1] - b[1], a[2] - b[2], a[3] - b[3]} end
local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
local function cross(a, b)
    return {a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]}
end

local function triangle_list(m)
    local p, t, list = m.positions:read(), m.triangles:read(), {}
    for f, v in ipairs(t) do list[f] = {p[v[1] + 1], p[v[2] + 1], p[v[3] + 1]} end
    return list
end

local function plain(list, o)
    local sum = 0
    for _, t in ipairs(list) do
        local a, b, c = minus(t[1], o), minus(t[2], o), minus(t[3], o)
        local la, lb, lc = dot(a, a) ^ 0.5, dot(b, b) ^ 0.5, dot(c, c) ^ 0.5
        local y = dot(a, cross(b, c))
        if y ~= 0 then
            sum = sum + math.atan(y, la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb)
        end
    end
    return sum / (2 * math.pi)
end

local function random_points(n, size)
    local list = {}
    for i = 1, n do
        list[i] = {}
        for d = 1, 3 do list[i][d] = size * (2 * math.random() - 1) end
    end
    return list
end

local function soup(vertices, faces, size)
    local triangles = {}
    for i = 1, faces do
        triangles[i] = {math.random(0, vertices - 1), math.random(0, vertices - 1), math.random(0, vertices - 1)}
    end
    return mesh.new {positions = random_points(vertices, size), triangles = triangles}
end

describe("M:winding", function()
    leaks.watch(setup, teardown)
    before_each(function() math.randomseed(30) end)

    it("sums solid angles of any triangles, at any scale", function()
        for _, case in ipairs {{3, 1, 1}, {9, 20, 1}, {40, 1023, 1e-12}, {40, 1025, 1e12}, {400, 5000, 3}} do
            local m <close> = soup(table.unpack(case))
            local points = rill.from(random_points(7, 1.5 * case[3]), "vec3")
            local list, got = triangle_list(m), m:winding(points):read()
            for i, o in ipairs(points:read()) do
                local expected = plain(list, o)
                assert(math.abs(expected - got[i]) < 1e-5 * math.max(1, math.abs(expected)),
                    ("%g instead of %g"):format(got[i], expected))
            end
        end
    end)

    it("is 1 inside and 0 outside of a closed mesh, negative if the mesh is inside out", function()
        local m <close> = mesh.torus {radius = 1, tube = 0.4}
        local points <close> = rill.from({{1, 0, 0}, {0, 0, 0}, {-0.8, 0.2, 0.1}, {5, 5, 5}}, "vec3")
        local expected <const> = {1, 0, 1, 0}
        local flipped <close> = m:transform {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, -1, 0}, {0, 0, 0, 1}}
        local got, other = m:winding(points):read(), flipped:winding(points):read()
        for i, w in ipairs(expected) do
            assert(math.abs(got[i] - w) < 1e-6 and math.abs(other[i] + w) < 1e-6)
        end
    end)

    it("takes tables, expressions and views, and keeps their shape", function()
        local m <close> = mesh.box()
        local points <close> = rill.stream("vec3", {2, 3})
        assert.equal(1, m:winding({{0, 0, 0}}):get(1))
        assert.equal("2x3", tostring(m:winding(points + {3, 0, 0}).shape))
        assert(math.abs(m:winding(points + {3, 0, 0}):max()) < 1e-6)
        local view = points:domain({1, 2}, {2, 3})
        assert(math.abs(m:winding(view):min() - 1) < 1e-6)
        assert.equal(0, m:winding(rill.stream("vec3", 0)).size)
        assert.equal(0, mesh.new {positions = {}, triangles = {}}:winding({{0, 0, 0}}):get(1))
        local nan = m:winding({{0 / 0, 0, 0}}):get(1)
        assert(nan ~= nan)
    end)

    it("refuses other arguments", function()
        local m <close> = mesh.box()
        assert.error_matches(function() m:winding(rill.stream("float", 3)) end,
            "M:winding: argument #1 'points': expected a stream of vec3 or a list of {x, y, z}, got a stream of float",
            1, true)
        assert.error_matches(function() m:winding(7) end, "got number 7", 1, true)
    end)
end)

describe("M:octree", function()
    leaks.watch(setup, teardown)
    before_each(function() math.randomseed(31) end)

    local function check(m, depth)
        local cells, grid = m:octree {depth = depth}
        local n = 1 << depth
        assert.equal(n, grid.cells)
        local has, sizes = {}, cells:values()
        local longest = cells.shape[4]
        for c = 0, n ^ 3 // 1 - 1 do
            has[c] = {}
            for k = 1, longest do
                local f = sizes[c * longest + k]
                if f and f == f then has[c][f] = true end
            end
        end
        local function cell_of(p)
            local c = 0
            for d = 3, 1, -1 do c = c * n + math.floor((p[d] - grid.low[d]) / grid.side) end
            return c
        end
        local bound = 0
        for f, t in ipairs(triangle_list(m)) do
            for _ = 1, 40 do
                local u, v = math.random(), math.random()
                if u + v > 1 then u, v = 1 - u, 1 - v end
                local p = {}
                for d = 1, 3 do p[d] = t[1][d] + u * (t[2][d] - t[1][d]) + v * (t[3][d] - t[1][d]) end
                assert(has[cell_of(p)][f - 1], "a point of triangle " .. f - 1 .. " is in none of its cells")
            end
            local product = 1
            for d = 1, 3 do
                local low, high = math.min(t[1][d], t[2][d], t[3][d]), math.max(t[1][d], t[2][d], t[3][d])
                local margin = 1e-3 * grid.side
                product = product * (math.floor((high - grid.low[d] + margin) / grid.side) -
                    math.floor((low - grid.low[d] - margin) / grid.side) + 1)
            end
            bound = bound + product
        end
        assert(cells.size <= bound, "more cells than the bounding boxes have")
        cells:close()
    end

    it("lists each triangle in every cell that it overlaps", function()
        for _, depth in ipairs {0, 1, 3} do
            local ball <close> = mesh.icosphere(2)
            local any <close> = soup(20, 30, 1e6)
            check(ball, depth)
            check(any, depth)
        end
        local tiny <close> = soup(9, 9, 1e-15)
        check(tiny, 2)
    end)

    it("skips cells that the bounds of a triangle overlap, but not the triangle", function()
        local m <close> = mesh.new {positions = {{0, 0, 0}, {1, 1, 0.01}, {1, 1, 1}}, triangles = {{0, 1, 2}}}
        local cells <close> = m:octree {depth = 3}
        assert(cells.size < 3 * 8 * 8, cells.size)
    end)

    it("accepts meshes without triangles and with one point", function()
        local none <close> = mesh.new {positions = {}, triangles = {}}
        assert.equal(0, (none:octree()).size)
        local point <close> = mesh.new {positions = {{1, 1, 1}}, triangles = {{0, 0, 0}}}
        assert((point:octree {depth = 2}).size >= 1)
    end)

    it("refuses a depth out of range, NaN and large coordinates", function()
        local m <close> = mesh.box()
        assert.error_matches(function() m:octree {depth = 9} end, "M:octree: option 'depth'", 1, true)
        m.positions:domain({1}, {1}):write(rill.from({{0 / 0, 0, 0}}, "vec3"))
        assert.error_matches(function() m:octree() end, "M:octree: vertex 0 is {nan", 1, true)
        m.positions:domain({1}, {1}):write(rill.from({{3e18, 0, 0}}, "vec3"))
        assert.error_matches(function() m:octree() end, "M:octree: expected coordinates up to 1e18, got 2.99", 1, true)
    end)
end)
