--- Queries of random solids made of unit cubes, sheared by integers: containment is known exactly, and rays aimed at
-- corners and edges must not escape.
local rill = require "rill"
local LONG <const> = os.getenv "RILL_SUITE_LONG"

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

-- ---- an exact reference on a lattice: squared distances and lengths of rays as fractions of integers, all triangles one by one

local function sub(a, b) return {a[1] - b[1], a[2] - b[2], a[3] - b[3]} end
local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
local function cross(a, b)
    return {a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]}
end
local function key(...)
    local list = {}
    for i, v in ipairs {...} do list[i] = table.concat(v, ",") end
    table.sort(list)
    return table.concat(list, " ")
end

-- The nearest point of a triangle: {numerator and denominator of the squared distance, the vertex, edge or triangle that it is within, the point}.
local function nearest(c, p)
    local best
    local function offer(num, den, feature, point)
        if not best or num * best.den < best.num * den then
            best = {num = num, den = den, feature = feature, point = point}
        end
    end
    local function at(a, e, s, l) return {a[1] + e[1] * s / l, a[2] + e[2] * s / l, a[3] + e[3] * s / l} end
    for i = 1, 3 do
        local a, b = c[i], c[i % 3 + 1]
        local e, x = sub(b, a), sub(p, a)
        local l, s = dot(e, e), dot(sub(p, a), e)
        offer(dot(x, x), 1, key(a), a)
        if s > 0 and s < l then offer(dot(x, x) * l - s * s, l, key(a, b), at(a, e, s, l)) end
    end
    local n, within = cross(sub(c[2], c[1]), sub(c[3], c[1])), true
    for i = 1, 3 do within = within and dot(cross(n, sub(c[i % 3 + 1], c[i])), sub(p, c[i])) > 0 end
    local h, l = dot(n, sub(p, c[1])), dot(n, n)
    if within then offer(h * h, l, key(c[1], c[2], c[3]), at(p, n, -h, l)) end
    return best
end

-- Where a ray meets a triangle; nil where it does not.
local function struck(c, o, d)
    local a, b, e = sub(c[1], o), sub(c[2], o), sub(c[3], o)
    local sides = {dot(d, cross(b, e)), dot(d, cross(e, a)), dot(d, cross(a, b))}
    local den = sides[1] + sides[2] + sides[3]
    local num = dot(a, cross(b, e))
    if den < 0 then
        den, num = -den, -num
        for i = 1, 3 do sides[i] = -sides[i] end
    end
    if den == 0 or num < 0 or math.min(sides[1], sides[2], sides[3]) < 0 then return nil end
    local feature = {}
    for i = 1, 3 do feature[#feature + 1] = sides[i] ~= 0 and c[i] or nil end
    return {num = num, den = den, feature = key(table.unpack(feature))}
end

-- Checks which of all triangles a query found: none is nearer, and none of a lower number shares the vertex or edge, or has the same corners.
local function check_lowest(all, found, what)
    local best
    for i = 1, #all do
        local a = all[i]
        if a and (not best or a.num * best.den < best.num * a.den) then best = a end
    end
    if not best then
        assert.equal(-1, found, what)
        return nil
    end
    local own = all[found + 1]
    assert(own and own.num * best.den == best.num * own.den, what .. ": a triangle is nearer than " .. found)
    for i = 1, found do
        local a = all[i]
        assert(not (a and a.num * best.den == best.num * a.den and a.feature == own.feature),
            ("%s: %d, not %d"):format(what, found, i - 1))
    end
    return own
end

local function lattice_point(reach) return {draw(-reach, reach), draw(-reach, reach), draw(-reach, reach)} end

-- Triangles between few points, so that most share vertices and edges, some are doubled, and some have no area.
local function soup(reach, vertices, faces)
    local p, t, list = {}, {}, {}
    for i = 1, vertices do p[i] = lattice_point(reach) end
    for i = 1, faces do
        t[i] = {draw(0, vertices - 1), draw(0, vertices - 1), draw(0, vertices - 1)}
        if i > 1 and draw(0, 4) == 0 then
            local other = t[draw(1, i - 1)]
            t[i] = {other[2], other[1], other[3]}
        end
        list[i] = {p[t[i][1] + 1], p[t[i][2] + 1], p[t[i][3] + 1]}
    end
    return p, t, list
end

local function scaled(points, factor)
    local list = {}
    for i, p in ipairs(points) do list[i] = {p[1] * factor, p[2] * factor, p[3] * factor} end
    return list
end

local function each_of(list, f, ...)
    local all = {}
    for i = 1, #list do all[i] = f(list[i], ...) or false end
    return all
end

describe("queries of rill.collide", function()
    it("are correct for random solids and every tree #long", function()
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

    it("find the lowest of exactly equally near triangles, at every scale", function()
        state = 11
        for trial = 1, LONG and 24 or 8 do
            local reach <const> = draw(1, 4)
            local p, t, list = soup(reach, draw(3, 12), draw(1, 40))
            local factor <const> = 2.0 ^ draw(-110, 56)
            local m = rill.mesh.new {positions = scaled(p, factor), triangles = t}
            local kind <const> = draw(0, 1) == 0 and "bvh" or "obbtree"
            local tree <close> = rill.collide[kind](m, {leaf = draw(1, 4)})
            local q, o, d = {}, {}, {}
            for i = 1, 48 do
                q[i] = lattice_point(({reach, 2 * reach, 40})[draw(1, 3)])
                o[i], d[i] = lattice_point(2 * reach), lattice_point(2)
                if i % 2 == 0 then d[i] = sub(p[draw(1, #p)], o[i]) end
            end
            local away, nearest_one, point = tree:distance(scaled(q, factor))
            local length, struck_one = tree:ray(scaled(o, factor), scaled(d, factor))
            for i = 1, #q do
                local what <const> = ("%s of trial %d, scale %g, query %d"):format(kind, trial, factor, i)
                local own = check_lowest(each_of(list, nearest, q[i]), nearest_one:get(i), what)
                assert.near(math.sqrt(own.num / own.den), away:get(i) / factor, 1e-5, what)
                for k = 1, 3 do assert.near(own.point[k], point:get(i)[k] / factor, 1e-6 * reach, what) end
                own = check_lowest(each_of(list, struck, o[i], d[i]), struck_one:get(i), what)
                local t_of <const> = own and own.num / own.den or math.huge
                assert(t_of == length:get(i) or math.abs(t_of - length:get(i)) <= 1e-6 * t_of, what)
            end
        end
    end)

    it("are as exact from afar, as far as floats reach", function()
        state = 12
        for trial = 1, 24 do
            local reach <const>, power <const> = draw(1, 4), draw(-100, 56)
            local p, t, list = soup(reach, draw(3, 12), draw(1, 40))
            local factor <const> = 2.0 ^ power
            local m = rill.mesh.new {positions = scaled(p, factor), triangles = t}
            local tree <close> = rill.collide[draw(0, 1) == 0 and "bvh" or "obbtree"](m, {leaf = draw(1, 4)})
            local far, way, near_origin, origin, points = {}, {}, {}, {}, {}
            for i = 1, 48 do
                far[i], way[i] = 2.0 ^ draw(10, 120 - math.max(power, 0)), lattice_point(2)
                near_origin[i], origin[i] = {}, {}
                for k = 1, 3 do
                    local aside = way[i][k] == 0 and draw(-reach, reach) or 0
                    near_origin[i][k], origin[i][k] = aside - 16 * way[i][k], (aside - far[i] * way[i][k]) * factor
                end
                points[i] = scaled({way[i]}, far[i] * factor)[1]
            end
            local length, struck_one = tree:ray(origin, scaled(way, factor))
            local away, nearest_one, point = tree:distance(points)
            for i = 1, #far do
                local what <const> = ("trial %d, scale %g, from %g, query %d"):format(trial, factor, far[i], i)
                local own = check_lowest(each_of(list, struck, near_origin[i], way[i]), struck_one:get(i), what)
                local t_of <const> = own and far[i] + own.num / own.den - 16 or math.huge
                assert(t_of == length:get(i) or math.abs(t_of - length:get(i)) <= 1e-6 * t_of, what)
                -- The nearest vertex is the one that is farthest in the direction of the point; the result is its
                -- lowest triangle.
                local most, key_of, lowest = -math.huge, nil, nil
                for f, c in ipairs(list) do
                    for v = 1, 3 do
                        local x = dot(way[i], c[v])
                        if x > most then most, key_of, lowest = x, key(c[v]), f - 1 end
                        if x == most and key(c[v]) ~= key_of then lowest = nil end
                    end
                end
                local c, q = list[nearest_one:get(i) + 1], scaled({point:get(i)}, 1 / factor)[1]
                assert.equal(most, math.max(dot(way[i], c[1]), dot(way[i], c[2]), dot(way[i], c[3])), what)
                if lowest then assert.equal(lowest, nearest_one:get(i), what) end
                assert.near(most, dot(way[i], q), 1e-5, what)
                local on = nearest(c, q)
                assert.near(0, math.sqrt(on.num / on.den), 1e-6 * reach, what .. ": a point off its triangle")
                local expected <const> = math.sqrt(dot(way[i], way[i])) * far[i] * factor
                assert.near(1, expected > 0 and away:get(i) / expected or 1, 2e-2, what)
            end
        end
    end)
end)
