-- The fields and methods of meshes. Triangles are 0-based vertex indices, counterclockwise as seen from outside.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local vector = require "rill.core.vector"
local class = require "rill.core.class"
local lazy = require "rill.core.lazy"
local kernels <const> = require "rill.glsl.template".file "mesh"
local object = require "rill.geometry.mesh.object"
local fail <const> = errors.fail

local methods <const>, fields <const>, check <const> = object.methods, object.fields, object.check

-- ---- fields

--- M.positions: the vertices, the mesh's own stream of vec3, which may be written.
fields.positions = "_positions"
--- M.triangles: 0-based vertex indices, the mesh's own stream of ivec3.
fields.triangles = "_triangles"
--- M.vertices: number of vertices.
function fields.vertices(m) return m._positions.size end
--- M.faces: number of triangles.
function fields.faces(m) return m._triangles.size end
--- M.uv: texture coordinates, vec2 per vertex, face or corner; nil if there are none.
function fields.uv(m) return m._uv or nil end
--- M.attributes: table of streams by name.
fields.attributes = "_attributes"

-- ---- methods

local function copied(s) return s and s:copy() end

-- Returns a mesh with copies of the streams, except those given in `parts`.
local function changed(m, parts)
    local attributes = {}
    for name, s in pairs(m._attributes) do attributes[name] = s:copy() end
    return object.own {
        positions = parts.positions or m._positions:copy(), triangles = parts.triangles or m._triangles:copy(),
        normals = parts.normals or copied(m._normals), uv = copied(m._uv), attributes = attributes,
    }
end

--- M:copy() returns a new mesh with the same contents.
function methods:copy()
    return changed(check(self, "copy"), {})
end

-- A table of coordinates whose text is {x, y, z}.
local Point <const> = {__name = "rill.point"}
function Point.__tostring(p)
    local texts = {}
    for i, v in ipairs(p) do texts[i] = ("%.7g"):format(v) end
    return "{" .. table.concat(texts, ", ") .. "}"
end
local function point(v) return setmetatable(v, Point) end

--- M:bounds() returns the smallest and the largest x, y and z of the vertices, two tables of three numbers that are
-- read back. Returns nothing if there are no vertices.
function methods:bounds()
    local p = check(self, "bounds")._positions
    if p.size > 0 then
        return point(p:min()), point(p:max())
    end
end

--- object.scale_of(m) returns 1 / (longest side of the bounds), or 1 if that is not a float.
function object.scale_of(m)
    local low, high = m:bounds()
    local side = vector.longest(low, high)
    return side > 0 and 1 / side < 3e38 and 1 / side or 1
end

--- M:normals() returns the stored normals (the mesh's own stream). If there are none, returns a new stream with one
-- unit vector per vertex: the normalized sum of the normals of the adjacent triangles, weighted by area, or zero if
-- no adjacent triangle has an area.
function methods:normals()
    local m = check(self, "normals")
    if m._normals then
        return m._normals
    end
    local sum <close> = rill.stream("vec3", m.vertices)
    if m.faces == 0 or m.vertices == 0 then
        return sum:copy()
    end
    local vertex, n = kernels:program().corners {p = m._positions, t = m._triangles, scale = object.scale_of(m),
        shape = {m.faces, 3}}
    rill.scatter(sum, vertex:reshape(3 * m.faces), n:reshape(3 * m.faces), "add")
    vertex:close()
    n:close()
    return kernels:program().unit(sum)
end

-- Returns the cofactors of the upper left 3 x 3 matrix, which transform normals (cross products of transformed
-- vectors).
local function cofactors(m)
    local rows = {}
    for i = 1, 3 do
        local a, b = m[i % 3 + 1], m[(i + 1) % 3 + 1]
        rows[i] = vector.cross(a, b)
    end
    return rows
end

--- M:transform(matrix) returns a mesh with vertices M x. matrix: four rows of four numbers, the last {0, 0, 0, 1}.
-- Stored normals are transformed too. The order of corners does not change, so a reflection swaps inside and outside.
function methods:transform(matrix)
    local m = check(self, "transform")
    local good, moves = option.is_matrix(matrix, 3.5e38) -- the limit of floats in kernels
    if not good then
        fail("M:transform: argument #1 'matrix': expected 4 rows of 4 finite numbers, got %s", errors.told(matrix))
    elseif not moves then
        fail("M:transform: argument #1 'matrix': expected the last row 0, 0, 0, 1, got %s",
            table.concat(matrix[4], ", "))
    end
    local parts = {positions = m.vertices > 0 and kernels:program().place(m._positions, matrix) or nil}
    if m._normals and m._normals.size > 0 then
        local rows = cofactors(matrix)
        local turned <close> = kernels:program().turn(m._normals, rows[1], rows[2], rows[3])
        parts.normals = kernels:program().unit(turned)
    end
    return changed(m, parts)
end

--- M:area() returns the sum of the areas of all triangles, computed in double precision and read back.
function methods:area()
    local m = check(self, "area")
    if m.faces == 0 then return 0.0 end
    local s <close> = kernels:program().area(m._positions, m._triangles)
    return s:sum()
end

--- M:volume() returns the volume enclosed by a closed, oriented mesh, negative if it is inside out; for other
-- meshes, the sum of the signed tetrahedra between the triangles and the center of the bounds. Computed in double
-- precision and read back.
function methods:volume()
    local m = check(self, "volume")
    if m.faces == 0 then return 0.0 end
    local middle = vector.map(function(low, high) return low / 2 + high / 2 end, m:bounds())
    local s <close> = kernels:program().volume(m._positions, m._triangles, middle)
    return s:sum()
end

-- Methods that are loaded at their first call: M:save(path [, {encoding =}]), see mesh/save.lua; M:weld([epsilon]),
-- see mesh/weld.lua; M:winding(points); M:octree(options); the others are in mesh/topology.lua.
local MODULES <const> = {
    topology = {"adjacency", "euler", "components", "is_closed", "is_manifold", "is_oriented", "boundary"},
    save = {"save"}, weld = {"weld"}, winding = {"winding"}, octree = {"octree"},
}
for module, names in pairs(MODULES) do
    for _, name in ipairs(names) do
        local f = lazy.call("rill.geometry.mesh." .. module, name)
        methods[name] = function(self, ...) return f(check(self, name), ...) end
    end
end

class.guard(methods, "M")

return object
