-- Generated meshes: sphere, torus, box and grid. If a surface has an outside, triangles are counterclockwise as seen
-- from there.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local object = require "rill.geometry.mesh.mesh"
local tables = require "rill.core.tables"
local topology = require "rill.geometry.mesh.topology"
local kernels <const> = require "rill.glsl.template".file "shapes"
local fail <const> = errors.fail

local shapes = {}

local MOST_LEVEL <const> = 11 -- 84 million triangles

-- ---- spheres

local GOLDEN <const> = (1 + math.sqrt(5)) / 2
local CORNERS <const> = {
    {-1, GOLDEN, 0}, {1, GOLDEN, 0}, {-1, -GOLDEN, 0}, {1, -GOLDEN, 0}, {0, -1, GOLDEN}, {0, 1, GOLDEN},
    {0, -1, -GOLDEN}, {0, 1, -GOLDEN}, {GOLDEN, 0, -1}, {GOLDEN, 0, 1}, {-GOLDEN, 0, -1}, {-GOLDEN, 0, 1},
}
local FACES <const> = {
    {0, 11, 5}, {0, 5, 1}, {0, 1, 7}, {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4}, {11, 10, 2}, {10, 7, 6},
    {7, 1, 8},
    {3, 9, 4}, {3, 4, 2}, {3, 2, 6}, {3, 6, 8}, {3, 8, 9}, {4, 9, 5}, {2, 4, 11}, {6, 2, 10}, {8, 6, 7}, {9, 8, 1},
}

local function icosahedron()
    local positions, length = {}, math.sqrt(1 + GOLDEN ^ 2)
    for i, p in ipairs(CORNERS) do
        positions[i] = {p[1] / length, p[2] / length, p[3] / length}
    end
    return object.own {positions = rill.from(positions, "vec3"), triangles = rill.from(FACES, "ivec3")}
end

-- Splits each triangle into four, and moves the new vertices to the sphere.
local function finer(m)
    local around = topology.adjacency(m)
    local new <close> = kernels:program().middles(m.positions, around.edges)
    local made = object.own {
        positions = rill.concat {m.positions, new},
        triangles = topology.quarters(m.triangles, around.edge:reshape(3 * m.faces), m.vertices),
    }
    for _, s in pairs(around) do s:close() end
    m:close()
    return made
end

--- rill.mesh.icosphere([level = 0]) returns a sphere of radius 1 around the origin: an icosahedron whose triangles
-- were split into four `level` times (0 to 11), with 10 * 4^level + 2 vertices and 20 * 4^level triangles.
function shapes.icosphere(level)
    level = level == nil and 0 or tables.whole(level)
    if math.type(level) ~= "integer" or level < 0 or level > MOST_LEVEL then
        fail("rill.mesh.icosphere: argument #1 'level': expected a whole number from 0 to %d, got %s", MOST_LEVEL,
            errors.told(level))
    end
    local m = icosahedron()
    for _ = 1, level do m = finer(m) end
    return m
end

-- ---- shapes made of cells

local LARGEST <const> = 1e38 -- sums of two sizes or coordinates must not overflow a float
local MOST_CELLS <const> = 1 << 29

local function is_size(v) return option.is_positive(v) and v <= LARGEST end

local function is_place(v, n)
    for d = 1, option.is_vector(v, n) and n or 0 do
        if math.abs(v[d]) > LARGEST then return false end
    end
    return option.is_vector(v, n)
end

local POSITIVE <const> = {is_size, "a number above 0, at most 1e38"}

local function counts(least)
    return {function(v)
        return option.is_vector(v, 2) and math.type(v[1]) == "integer" and math.type(v[2]) == "integer" and
            v[1] >= least and v[2] >= least and v[1] < MOST_CELLS / v[2]
    end, ("{n, m}, whole numbers, %d or more, together less than 2^29 cells"):format(least)}
end

-- Returns the triangles of across x down cells between rows x columns vertices.
local function cells(rows, columns, across, down)
    local t = kernels:program().cells {rows = rows, columns = columns, shape = {across, down, 2}}
    return t:reshape(across * down * 2)
end

local TORUS <const> = {radius = POSITIVE, tube = POSITIVE, segments = counts(3)}

--- rill.mesh.torus{radius = 1, tube = 0.4, segments = {48, 24}} returns a torus around the z axis. radius: of the
-- center line; tube: radius of the tube; segments: {along, around}.
function shapes.torus(options)
    local taken = option.take("rill.mesh.torus", options, TORUS)
    local n = taken.segments or {48, 24}
    local p = kernels:program().torus {ring = taken.radius or 1, tube = taken.tube or 0.4, shape = n}
    return object.own {positions = p:reshape(n[1] * n[2]), triangles = cells(n[1], n[2], n[1], n[2])}
end

local GRID <const> = {
    size = {function(v) return is_place(v, 2) and v[1] > 0 and v[2] > 0 end, "{height, width}, above 0, at most 1e38"},
    segments = counts(1),
}

--- rill.mesh.grid{size = {1, 1}, segments = {1, 1}} returns a flat sheet centered at the origin in the plane z = 0,
-- facing up, with uv from 0 to 1. size: {height, width}; segments: {rows, columns}.
function shapes.grid(options)
    local taken = option.take("rill.mesh.grid", options, GRID)
    local n, size = taken.segments or {1, 1}, taken.size or {1, 1}
    local rows, columns = n[1] + 1, n[2] + 1
    local p, uv = kernels:program().sheet {side = {size[2], size[1]}, shape = {rows, columns}}
    local t = cells(rows, columns, n[1], n[2])
    -- y increases with the row here. The triangles of cells are counterclockwise if it decreases.
    local turned <const> = t:map "x.xzy"
    t:close()
    return object.own {positions = p:reshape(rows * columns), triangles = turned, uv = uv:reshape(rows * columns)}
end

local function is_box(v) return is_place(v, 3) and v[1] > 0 and v[2] > 0 and v[3] > 0 end
local BOX <const> = {
    size = {function(v) return is_size(v) or is_box(v) end, "a number above 0, at most 1e38, or three of them"},
    center = {function(v) return is_place(v, 3) end, "a table of 3 numbers, at most 1e38"},
}

--- rill.mesh.box{size = 1, center = {0, 0, 0}} returns a box of 8 vertices and 12 triangles. size: a number, or {x,
-- y, z}.
function shapes.box(options)
    local taken = option.take("rill.mesh.box", options, BOX)
    local size, center = taken.size or 1, taken.center or {0, 0, 0}
    size = type(size) == "table" and size or {size, size, size}
    local positions, triangles = {}, {}
    for corner = 0, 7 do
        local p = {}
        for d = 1, 3 do p[d] = center[d] + ((corner >> (d - 1) & 1) - 0.5) * size[d] end
        positions[corner + 1] = p
    end
    for d = 0, 2 do -- the two sides perpendicular to each axis
        local u, v = 1 << (d + 1) % 3, 1 << (d + 2) % 3
        for side = 0, 1 do
            local a = side << d
            local b, c = side == 1 and a + u or a + v, side == 1 and a + v or a + u
            triangles[#triangles + 1] = {a, b, a + u + v}
            triangles[#triangles + 1] = {a, a + u + v, c}
        end
    end
    return object.own {positions = rill.from(positions, "vec3"), triangles = rill.from(triangles, "ivec3")}
end

for name, make in pairs(shapes) do
    shapes[name] = errors.guard(make, "rill.mesh." .. name)
end

return shapes
