--- rill.mesh: triangle meshes. A mesh has two streams on the device: positions (vec3) and triangles (ivec3 of 0-based
-- vertex indices).
local errors = require "rill.core.error"
local lazy = require "rill.core.lazy"
local object = require "rill.geometry.mesh.mesh"
local shapes = require "rill.geometry.mesh.shapes"

local mesh = {}

--- rill.mesh.new{positions =, triangles =, normals =, uv =, attributes =} returns a mesh of streams or tables, which
-- are copied. normals, uv and attributes have one element per vertex, per face, or per corner (shape {faces, 3}).
mesh.new = errors.guard(function(given) return object.new("rill.mesh.new", given) end, "rill.mesh.new")

--- rill.mesh.load(path [, {skip = false}]) reads an OBJ, PLY, OFF, STL or XYZ file; the format is detected by the
-- content. skip: ignore lines that are not part of the OBJ format instead of raising an error.
mesh.load = lazy.call("rill.geometry.mesh.save", "load")

--- rill.mesh.envelope(m [, {distance =, depth =, reuse = "hash"}]) returns an inner and an outer envelope of a closed
-- mesh, and the report of rill.reuse.run. Each vertex moves along its normal by at most `distance` (default: 2 % of the
-- diagonal of the bounds), such that no triangles intersect. depth: of the octree that finds close triangles.
mesh.envelope = lazy.call("rill.geometry.envelope.envelope", "envelope")
mesh.marching_cubes = lazy.call("rill.geometry.mesh.contour", "marching_cubes")

local simplified = lazy.call("rill.geometry.envelope.simplify", "simplify")
--- M:simplify(options) returns a mesh with fewer triangles, and the estimated error. It searches triangles in trees,
-- whose directory is above the directory of meshes.
function object.methods:simplify(options) return simplified(object.check(self, "simplify"), options) end

for name, make in pairs(shapes) do
    mesh[name] = make
end

return errors.strict(mesh, "rill.mesh")
