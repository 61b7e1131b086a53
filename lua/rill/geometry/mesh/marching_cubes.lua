-- Computes the table of marching cubes (W. E. Lorensen and H. E. Cline, 1987). The bits of a corner's index are its
-- coordinates, x the lowest. Edge 4 a + k runs along axis a, from the corner that has bit 0 of k along axis a + 1 and
-- bit 1 along axis a + 2.
local cubes = {}

local function corner(axis, low, next, after)
    return low << axis | next << (axis + 1) % 3 | after << (axis + 2) % 3
end

-- edge_of: the edge between two corners that differ in one bit. start_of: the lower corner of each edge.
local edge_of, start_of = {}, {}
for axis = 0, 2 do
    for k = 0, 3 do
        local a, b = corner(axis, 0, k & 1, k >> 1), corner(axis, 1, k & 1, k >> 1)
        edge_of[a << 3 | b], edge_of[b << 3 | a], start_of[4 * axis + k] = 4 * axis + k, 4 * axis + k, a
    end
end

-- The corners of the six sides, counterclockwise as seen from outside. sides_of: the sides of each edge, as bits.
local sides, sides_of = {}, {}
for axis = 0, 2 do
    for low = 0, 1 do
        local ring = {}
        for i, at in ipairs {{0, 0}, {1, 0}, {1, 1}, {0, 1}} do ring[i] = corner(axis, low, at[1], at[2]) end
        if low == 0 then ring[2], ring[4] = ring[4], ring[2] end
        sides[#sides + 1] = ring
        for i = 1, 4 do
            local e = edge_of[ring[i] << 3 | ring[i % 4 + 1]]
            sides_of[e] = (sides_of[e] or 0) | 1 << #sides
        end
    end
end

local function inside(mask, c) return mask >> c & 1 == 1 end

-- Returns, for each crossed edge, the next one around the polygons of the surface. On each side the surface cuts off
-- every run of inside corners separately, also two opposite ones. This depends on the side only, so that adjacent
-- cubes agree.
local function successors(mask)
    local next = {}
    for _, ring in ipairs(sides) do
        for i = 1, 4 do
            if not inside(mask, ring[i]) and inside(mask, ring[i % 4 + 1]) then
                local j = i % 4 + 1
                while inside(mask, ring[j % 4 + 1]) do j = j % 4 + 1 end
                next[edge_of[ring[i] << 3 | ring[i % 4 + 1]]] = edge_of[ring[j] << 3 | ring[j % 4 + 1]]
            end
        end
    end
    return next
end

local function polygons(mask)
    local next, list = successors(mask), {}
    for e = 0, 11 do
        local loop, at = {}, e
        while next[at] do
            loop[#loop + 1], at, next[at] = at, next[at], nil
        end
        list[#list + 1] = #loop > 0 and loop or nil
    end
    return list
end

-- Triangulates the part of a polygon from corner i to j without diagonals that lie in a side of the cube: the
-- adjacent cube might have the same diagonal, and four triangles would share an edge. Returns nil if there is no such
-- triangulation.
local function triangles(loop, i, j)
    if j == i + 1 then return {} end
    for k = i + 1, j - 1 do
        local function free(a, b)
            return b == a + 1 or a == 1 and b == #loop or sides_of[loop[a]] & sides_of[loop[b]] == 0
        end
        local left = free(i, k) and free(k, j) and triangles(loop, i, k)
        local right = left and triangles(loop, k, j)
        if right then
            table.insert(left, {loop[i], loop[k], loop[j]})
            return table.move(right, 1, #right, #left + 1, left)
        end
    end
end

--- cubes.table() returns, for the masks 0 to 255 of inside corners, where their triangles begin in a list, and that
-- list (three edges of four bits each).
function cubes.table()
    local first, list = {0}, {}
    for mask = 0, 255 do
        for _, loop in ipairs(polygons(mask)) do
            for _, t in ipairs(assert(triangles(loop, 1, #loop))) do
                list[#list + 1] = t[1] | t[2] << 4 | t[3] << 8
            end
        end
        first[mask + 2] = #list
    end
    return first, list
end

--- cubes.start(e) returns the lower corner of an edge.
function cubes.start(e) return start_of[e] end

return cubes
