--- rill.mesh: surfaces of triangles, two streams on the device: positions, vec3, and triangles, ivec3 of numbers of vertices from 0.
local errors = require "rill.core.error"
local lazy = require "rill.core.lazy"
local object = require "rill.geometry.mesh.mesh"
local shapes = require "rill.geometry.mesh.shapes"

local mesh = {}

--- rill.mesh.new{positions =, triangles =, normals =, uv =, attributes =}: a mesh of streams or tables, which are copied. What vertices, faces or corners have
-- besides has one element for each, or {faces, 3}.
mesh.new = errors.guard(function(given) return object.new("rill.mesh.new", given) end, "rill.mesh.new")

--- rill.mesh.load(path [, {skip = true}]): the mesh of an OBJ, PLY, OFF or STL file, told by its content. skip: lines that OBJ does not have are left out.
mesh.load = lazy.call("rill.geometry.mesh.save", "load")
mesh.marching_cubes = lazy.call("rill.geometry.mesh.contour", "marching_cubes")

for name, make in pairs(shapes) do
    mesh[name] = make
end

return errors.strict(mesh, "rill.mesh")
