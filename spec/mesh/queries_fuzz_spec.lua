--- Queries of random solids of unit cubes, sheared by whole numbers: what is inside is known exactly, and rays aimed at corners and edges must not get out.
local rill = require "rill"

local state
local function draw(low, high)
    state = (state * 6364136223846793005 + 1442695040888963407) & math.maxinteger
    return low + (state >> 33) % (high - low + 1)
end

local CORNERS <const> = { -- of the sides at the lower end of each axis; at the upper end one further along it
    {{0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}}, {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}},
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
}

-- Random cells of n^3; a function that says which there are.
local function random_cells(n, tenths)
    local cells = {}
    for i = 0, n ^ 3 - 1 do cells[i // 1] = draw(0, 9) < tenths end
    return function(x, y, z)
        return math.min(x, y, z) >= 0 and math.max(x, y, z) < n and cells[(x * n + y) * n + z] or false
    end
end

-- The surface of cells: each side in two triangles, cut along either diagonal and turned either way.
local function surface(n, has)
    local p, t, numbers = {}, {}, {}
    local function vertex(v)
        local key = table.concat(v, " ")
        if not numbers[key] then
            p[#p + 1] = v
            numbers[key] = #p - 1
        end
        return numbers[key]
    end
    local function side(c, axis, up)
        local v, first, turn = {}, draw(0, 1), draw(0, 1)
        for k, corner in ipairs(CORNERS[axis]) do
            local q = {c[1] + corner[1], c[2] + corner[2], c[3] + corner[3]}
            q[axis] = q[axis] + up
            v[(k + first) % 4] = vertex(q)
        end
        t[#t + 1] = turn == 0 and {v[0], v[1], v[2]} or {v[1], v[0], v[2]}
        t[#t + 1] = {v[0], v[2], v[3]}
    end
    for i = 0, n ^ 3 - 1 do
        local c = {i // n ^ 2 // 1 | 0, i // n % n | 0, i % n | 0}
        for axis = 1, has(c[1], c[2], c[3]) and 3 or 0 do
            for up = 0, 1 do
                local beside = {c[1], c[2], c[3]}
                beside[axis] = beside[axis] + 2 * up - 1
                if not has(table.unpack(beside)) then side(c, axis, up) end
            end
        end
    end
    return p, t
end

local function moving(scale, by, shear)
    return function(v)
        return {(v[1] + shear * v[3] + by) * scale, (v[2] - shear * v[1] + by) * scale, (v[3] - by) * scale}
    end
end

-- Points in the middles of small cells, and whether they are inside.
local function probes(n, has, place)
    local points, inside, within = {}, {}, {}
    for i = 1, 300 do
        local c = {draw(-4, 4 * n + 3), draw(-4, 4 * n + 3), draw(-4, 4 * n + 3)}
        points[i] = place {c[1] / 4 + 0.125, c[2] / 4 + 0.125, c[3] / 4 + 0.125}
        inside[i] = has(c[1] // 4, c[2] // 4, c[3] // 4)
        if inside[i] then within[#within + 1] = points[i] end
    end
    return points, inside, within
end

-- Rays from points inside along the lattice, and to vertices and the middles between two of them.
local function aimed(within, vertices)
    local o, d = {}, {}
    for i = 1, 500 do
        local from, a, b = within[draw(1, #within)], vertices[draw(1, #vertices)], vertices[draw(1, #vertices)]
        local share = draw(0, 2) / 2
        o[i], d[i] = from, {draw(-2, 2), draw(-2, 2), draw(1, 2)}
        for k = 1, i % 2 == 0 and 3 or 0 do d[i][k] = a[k] * (1 - share) + b[k] * share - from[k] end
        if d[i][1] == 0 and d[i][2] == 0 and d[i][3] == 0 then d[i][1] = 1 end
    end
    return o, d
end

local function bytes(...)
    local list = {}
    for i, s in ipairs {...} do list[i] = s:bytes() end
    return table.concat(list)
end

describe("queries of rill.collide", function()
    it("are right of random solids, whatever the tree #long", function()
        state = 5
        local kept = 0
        for trial = 1, 30 do
            local n = draw(1, 5)
            local has = random_cells(n, draw(3, 10))
            local p, t = surface(n, has)
            local place = moving(2.0 ^ draw(-10, 10), draw(0, 2) * 500, draw(0, 2))
            for i, v in ipairs(p) do p[i] = place(v) end
            local m = rill.mesh.new {positions = p, triangles = t}
            local points, inside, within = probes(n, has, place)
            local all = rill.collide.bvh(m, {leaf = 32768})
            for _, kind in ipairs {"bvh", "obbtree"} do
                local tree, said = rill.collide[kind](m, {leaf = draw(1, 5)}), kind .. " of trial " .. trial
                local found = tree:contains(points)
                for i = 1, #points do assert.equal(inside[i], found:get(i), said .. " point " .. i) end
                assert.equal(bytes(all:distance(points)), bytes(tree:distance(points)), said)
                if #within > 0 then
                    local o, d = aimed(within, p)
                    local distance, triangle = tree:ray(o, d)
                    assert(triangle:min() >= 0, said .. ": a ray got out")
                    assert.equal(bytes(all:ray(o, d)), bytes(distance, triangle), said)
                    kept = kept + #within
                end
            end
        end
        assert(kept > 1000)
    end)
end)
