-- rill.render: triangles that extend far beyond the image, against exact half-planes. A corner is near (small integers, in pixels from the center) or far (small
-- integers times a power of two).
local rill = require "rill"
local LONG <const> = os.getenv "RILL_SUITE_LONG"

local SIDE <const> = 16

local function cross(a, b) return a[1] * b[2] - a[2] * b[1] end

-- Returns the signed distance of a point from the line through two corners, positive on the left. Infinite if the line misses the image by far.
local function distance(a, b, s)
    local from, way
    if a.k == 1 or b.k == 1 then
        from = a.k == 1 and a or b
        way = {b[1] * b.k - a[1] * a.k, b[2] * b.k - a[2] * a.k}
    elseif cross(a, b) ~= 0 then
        return cross(a, b) > 0 and math.huge or -math.huge
    else
        from, way = {0, 0}, {b[1] * (b.k / a.k) - a[1], b[2] * (b.k / a.k) - a[2]}
    end
    local length <const> = math.sqrt(way[1] ^ 2 + way[2] ^ 2)
    return length > 0 and cross({way[1] / length, way[2] / length}, {s[1] - from[1], s[2] - from[2]}) or 0
end

-- Returns whether a point is in a triangle, or nil if it is closer than 1/128 pixel to the line of an edge.
local function inside(t, s)
    local left, right = 0, 0
    for i = 1, 3 do
        local d = distance(t[i], t[i % 3 + 1], s)
        if math.abs(d) < 1 / 128 then return nil end
        if d > 0 then left = left + 1 else right = right + 1 end
    end
    return left == 3 or right == 3
end

local function corner(most)
    if math.random(3) == 1 then return {math.random(-20, 20), math.random(-20, 20), k = 1} end
    return {math.random(-3, 3), math.random(-3, 3), k = 2.0 ^ math.random(12, most)}
end

-- Triangles in the order of their depth, the nearest first; no two far corners are opposite to each other if they are very far.
local function triangles_of(n, most)
    local list = {}
    while #list < n do
        local t, good = {corner(most), corner(most), corner(most)}, true
        for i = 1, 3 do
            local a, b = t[i], t[i % 3 + 1]
            local opposite = a.k > 1 and b.k > 1 and cross(a, b) == 0
            good = good and not (opposite and math.max(a.k, b.k) > 2.0 ^ 40)
        end
        if good then list[#list + 1] = t end
    end
    return list
end

local function mesh_of(list)
    local p, t = {}, {}
    for i, one in ipairs(list) do
        for c = 1, 3 do p[#p + 1] = {one[c][1] * one[c].k, one[c][2] * one[c].k, -i / 8} end
        t[i] = {3 * i - 3, 3 * i - 2, 3 * i - 1}
    end
    return rill.mesh.new {positions = p, triangles = t}
end

describe("rill.render", function()
    it("clips triangles that extend far beyond the image exactly", function()
        local view <const> = {eye = {0, 0, 4}, target = {0, 0, 0}, orthographic = SIDE}
        for round = 1, LONG and 30 or 9 do
            math.randomseed(round)
            local list = triangles_of(math.random(1, 6), round % 2 == 0 and 80 or 36)
            local m <close> = mesh_of(list)
            local _, seen = rill.render(m, {size = {SIDE, SIDE}, samples = 1, camera = view, buffers = true,
                reuse = round % 3 == 0 and "hash" or nil})
            for row = 1, SIDE do
                for column = 1, SIDE do
                    local s, hits, first, known = {column - 0.5 - SIDE / 2, SIDE / 2 - row + 0.5}, 0, -1, true
                    for i, t in ipairs(list) do
                        local is = inside(t, s)
                        known = known and is ~= nil
                        if is then hits, first = hits + 1, first < 0 and i - 1 or first end
                    end
                    if known then
                        local what <const> = ("round %d, row %d, column %d"):format(round, row, column)
                        assert.are.equal(hits, seen.hits:get(row, column), what)
                        assert.are.equal(first, seen.triangle:get(row, column), what)
                        if first >= 0 then
                            assert.is_true(math.abs(seen.depth:get(row, column) - 4 - (first + 1) / 8) < 1e-5, what)
                        end
                    end
                end
            end
        end
    end)

    it("shades a large floor as a small one, with all kinds of colors", function()
        local kinds <const> = {
            {shading = "smooth", color = "colors"}, {edges = "red", thickness = 2}, {opacity = 0.5},
            {texture = rill.full({2, 2}, 0.3)},
        }
        local others <const> = {
            {shading = "flat"}, {shading = "smooth"}, {shading = "none"}, {shading = "wireframe", thickness = 3},
            {reuse = "hash"}, {color = "colors"}, {color = "numbers"},
        }
        table.move(others, 1, LONG and #others or 0, #kinds + 1, kinds)
        local views <const> = {
            {eye = {0, 0, 0}, target = {0.1, -1, -2}}, {eye = {0, 3, 0.1}, target = {0, 0, 0}, orthographic = 1},
        }
        local function image(h, kind, view)
            local floor <const> = rill.mesh.new {positions = {{-h, -1, -h}, {h, -1, -h}, {h, -1, h}, {-h, -1, h}},
                triangles = {{0, 2, 1}, {0, 3, 2}}, uv = {{0, 0}, {0, 0}, {0, 0}, {0, 0}}}
            local given <const> = {size = {24, 32}, camera = view}
            for key, value in pairs(kind) do given[key] = value end
            if kind.color == "colors" then given.color = rill.stream("vec3", 4, {0.2, 0.5, 0.8}) end
            if kind.color == "numbers" then given.color, given.range = rill.full(4, 0.3), {0, 1} end
            return rill.render(floor, given)
        end
        for i, kind in ipairs(kinds) do
            for j, view in ipairs(views) do
                local want, got = image(50, kind, view), image(j == 1 and 1e5 or 1e8, kind, view)
                local off = math.max(rill.abs(got.x - want.x):max(), rill.abs(got.z - want.z):max())
                assert.is_true(off < 2e-3, ("kind %d, view %d: %g"):format(i, j, off))
            end
        end
        local function plain(shadow) -- a floor without anything that throws a shadow
            return rill.render(rill.mesh.grid {size = {1e5, 1e5}}, {size = {8, 8}, shadow = shadow, light = {0.5, 0, 1},
                camera = {eye = {0, 0, 1}, target = {1, 0, -0.5}}})
        end
        assert.is_true(rill.abs(plain(true).x - plain(false).x):max() < 1e-5)
    end)

    it("shows a floor of any extent", function()
        local eye <const>, way <const> = {0, 0, 0}, {0.1, -1, -2}
        local function image(h)
            local floor <const> = rill.mesh.new {positions = {{-h, -1, -h}, {h, -1, -h}, {h, -1, h}, {-h, -1, h}},
                triangles = {{0, 1, 2}, {0, 2, 3}}}
            local box <const> = rill.mesh.box {size = 0.3, center = {0.1, -0.9, -2}}
            return rill.render({floor, box}, {size = {48, 64}, samples = 1, buffers = true,
                camera = {eye = eye, target = way, fov = 60}})
        end
        local want, near = image(100)
        for _, h in ipairs {1e4, 1e6, 1e7, 1e9, 1e11} do
            local got, seen = image(h)
            local off = rill.abs(got.x - want.x):max()
            assert.is_true(off < 1e-3, h .. ": " .. off)
            assert.is_true(rill.abs(seen.depth - near.depth):max() < 1e-4, h)
            assert.are.equal(near.hits:bytes(), seen.hits:bytes())
        end
    end)
end)
