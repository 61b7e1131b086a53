-- Files of meshes.
local errors = require "rill.core.error"
local option = require "rill.core.options"
local core = require "rill.core"
local object = require "rill.geometry.mesh.object"

local saved = {}

local function is_flag(v) return type(v) == "boolean" end
local LOAD <const> = {skip = {is_flag, "true or false"}}
local SAVE <const> = {encoding = option.words {ascii = true, little = true, big = true}}

--- rill.mesh.load(path [, {skip = true}]): the mesh of a file: OBJ, PLY, OFF or STL, told by its content. Vertices are the file's, in its order; faces of more
-- corners become fans around their first. skip: lines that OBJ does not have are left out, else they are errors.
saved.load = errors.guard(function(path, options)
    local taken = option.take("rill.mesh.load", options or {}, LOAD)
    local positions, triangles, normals, uv = core._mesh_load(path, taken.skip)
    return object.own {positions = positions, triangles = triangles, normals = normals, uv = uv}
end, "rill.mesh.load")

--- saved.save(m, path, options): see M:save.
function saved.save(m, path, options)
    local taken = option.take("M:save", options or {}, SAVE)
    core._mesh_save(path, taken.encoding, m._positions, m._triangles, m._normals, m._uv)
end

return saved
