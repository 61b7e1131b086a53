-- Reads and writes mesh files.
local errors = require "rill.core.error"
local option = require "rill.core.options"
local core = require "rill.core"
local object = require "rill.geometry.mesh.object"

local saved = {}

local function is_flag(v) return type(v) == "boolean" end
local LOAD <const> = {skip = {is_flag, "true or false"}}
local SAVE <const> = {encoding = option.words {ascii = true, little = true, big = true}}

--- rill.mesh.load(path [, {skip = false}]) returns the mesh of an OBJ, PLY, OFF, STL or XYZ file; the format is
-- detected by the content. Vertices keep the order of the file; faces of more than three corners become fans around
-- their first corner. skip: ignore lines that are not part of the OBJ format; otherwise they are errors.
saved.load = errors.guard(function(path, options)
    local taken = option.take("rill.mesh.load", options or {}, LOAD)
    local positions, triangles, normals, uv = core._mesh_load(path, taken.skip)
    return object.own {positions = positions, triangles = triangles, normals = normals, uv = uv}
end, "rill.mesh.load")

--- saved.save(m, path, options) implements M:save.
function saved.save(m, path, options)
    local taken = option.take("M:save", options or {}, SAVE)
    core._mesh_save(path, taken.encoding, m._positions, m._triangles, m._normals, m._uv)
end

return saved
