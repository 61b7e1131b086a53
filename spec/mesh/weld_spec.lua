-- M:weld, compared with groups that are found one pair at a time.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local mesh <const> = rill.mesh

-- Returns, for each vertex, the lowest vertex (0-based) to which steps of at most epsilon lead.
local function plain(m, epsilon)
    local p, parent = m.positions:values(), {}
    local n = m.vertices
    for i = 0, n - 1 do parent[i] = i end
    local function root(i)
        while parent[i] ~= i do i = parent[i] end
        return i
    end
    for i = 0, n - 1 do
        for j = 0, i - 1 do
            local sum = 0
            for d = 1, 3 do sum = sum + (p[3 * i + d] - p[3 * j + d]) ^ 2 end
            if sum <= epsilon ^ 2 then
                local a, b = root(i), root(j)
                parent[math.max(a, b)] = math.min(a, b)
            end
        end
    end
    for i = 0, n - 1 do parent[i] = root(i) end
    return parent
end

-- The mesh of those groups: positions and triangles.
local function expected(m, epsilon)
    local parent, number, positions, triangles = plain(m, epsilon), {}, {}, {}
    local p, t = m.positions:values(), m.triangles:values()
    for i = 0, m.vertices - 1 do
        if parent[i] == i then
            number[i] = #positions // 3
            table.move(p, 3 * i + 1, 3 * i + 3, #positions + 1, positions)
        end
    end
    for f = 1, #t, 3 do
        local a, b, c = number[parent[t[f]]], number[parent[t[f + 1]]], number[parent[t[f + 2]]]
        if a ~= b and b ~= c and c ~= a then
            table.move({a, b, c}, 1, 3, #triangles + 1, triangles)
        end
    end
    return positions, triangles
end

local function agrees(m, epsilon)
    local welded = m:weld(epsilon)
    local positions, triangles = expected(m, epsilon or 0)
    check.equal(positions, welded.positions:values())
    check.equal(triangles, welded.triangles:values())
    return welded
end

-- Vertices on a lattice of side 1/8, many at the same position, slightly moved; random triangles.
local function scattered(n, faces, side, moved)
    local positions, triangles = {}, {}
    for i = 1, n do
        positions[i] = {}
        for d = 1, 3 do
            positions[i][d] = math.random(-side, side) / 8 + math.random(-1, 1) * moved
        end
    end
    for i = 1, faces do
        triangles[i] = {math.random(0, n - 1), math.random(0, n - 1), math.random(0, n - 1)}
    end
    return mesh.new {positions = positions, triangles = triangles}
end

describe("M:weld", function()
    leaks.watch(setup, teardown)
    before_each(function() math.randomseed(12) end)

    it("merges vertices at the same position", function()
        for _, n in ipairs {1, 2, 63, 64, 65, 300} do
            agrees(scattered(n, n, 2, 0))
        end
        local m = agrees(mesh.new {positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0, 0, -0.0}, {1, 1, 0}},
            triangles = {{0, 1, 2}, {3, 2, 4}, {0, 3, 1}}})
        assert.same({4, 2}, {m.vertices, m.faces})
    end)

    it("merges vertices connected by steps of at most epsilon", function()
        for _, epsilon in ipairs {2 ^ -10, 2 ^ -6, 0.125, 0.25, 1, 64} do
            for _, n in ipairs {2, 33, 65, 250} do
                agrees(scattered(n, 40, 9, 2 ^ -7), epsilon)
            end
        end
        local row = {}
        for i = 1, 200 do row[i] = {i * 0.5, -i * 0.25, 7} end
        local chain = mesh.new {positions = row, triangles = {{0, 1, 2}}}
        assert.same({200, 1}, {chain:weld(0.5).vertices, chain:weld(0.5).faces})
        assert.same({1, 0}, {chain:weld(0.5625).vertices, chain:weld(0.5625).faces})
    end)

    it("handles many vertices within an epsilon, and many slightly farther apart", function()
        local m = mesh.icosphere(5)
        local shells = mesh.new {positions = rill.concat {m.positions, (m.positions * 1.25):eval()}, triangles = {}}
        for epsilon, left in pairs {[0.01] = 20484, [0.249] = 2, [0.251] = 1, [2] = 1} do
            assert.equal(left, shells:weld(epsilon).vertices)
        end
    end)

    it("keeps data of vertices, faces and corners", function()
        local positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 0}}
        local triangles, heat, name = {{0, 1, 2}, {0, 3, 6}, {3, 4, 5}}, rill.iota(7), rill.iota(3)
        local function make(uv)
            return mesh.new {positions = positions, triangles = triangles, uv = uv, attributes = {heat = heat,
                name = name, corner = rill.iota(9):reshape {3, 3}}}:weld()
        end
        local m = make {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}, {0, 0}}
        assert.same({4, 2}, {m.vertices, m.faces})
        check.equal({0, 0, 1, 0, 1, 1, 0, 1}, m.uv:values())
        check.equal({0, 1, 2, 5}, m.attributes.heat:values())
        check.equal({0, 2}, m.attributes.name:values())
        check.equal({0, 1, 2, 6, 7, 8}, m.attributes.corner:values())
        m = make {{0, 0}, {1, 0}, {1, 1}, {9, 0}, {1, 1}, {0, 1}, {0, 0}}
        assert.equal("2x3", tostring(m.uv.shape))
        check.equal({0, 0, 1, 0, 1, 1, 9, 0, 1, 1, 0, 1}, m.uv:values())
    end)

    it("restores shapes from triangle soups", function()
        for _, shape in ipairs {mesh.icosphere(2), mesh.torus(), mesh.box()} do
            local p = rill.gather(shape.positions, rill.kernel [[
                kernel void corners(ivec3 t[], out int v<>) { int c = indexof(v).x; v = t[c / 3][c % 3]; }
            ]] {t = shape.triangles, shape = 3 * shape.faces})
            local soup = {}
            for f = 1, shape.faces do soup[f] = {3 * f - 3, 3 * f - 2, 3 * f - 1} end
            local m = mesh.new({positions = p, triangles = soup}):weld()
            assert.same({shape.vertices, shape:euler(), true, true},
                {m.vertices, m:euler(), m:is_closed(), m:is_manifold()})
        end
    end)

    it("closes temporary streams", function()
        local ball = mesh.icosphere(1)
        leaks.none(function() ball:weld():close() end, "weld")
        leaks.none(function() ball:weld(0.5):close() end, "weld by distance")
    end)

    it("accepts empty meshes, and names invalid arguments", function()
        assert.equal(0, mesh.new({positions = {}, triangles = {}}):weld(1).vertices)
        local points = mesh.new({positions = {{1, 2, 3}, {1, 2, 3}}, triangles = {}})
        assert.same({1, 1, 0}, {points:weld().vertices, points:weld(1).vertices, points:weld().faces})
        local box = mesh.box()
        for _, epsilon in ipairs {-1, 0 / 0, math.huge, "1", 1e39} do
            check.names({"M:weld", "epsilon"}, box.weld, box, epsilon)
        end
        check.names({"M:weld", "epsilon", "1e-9"}, box.weld, box, 1e-12)
        check.names({"M:weld", "before the colon"}, box.weld, 1)
        box.positions:set({0, 0 / 0, 0}, 3)
        check.names({"M:weld", "vertex 2", "nan", "finite"}, box.weld, box, 0.1)
    end)
end)
