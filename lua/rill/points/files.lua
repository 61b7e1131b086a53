-- Reads and writes files of points.
local core = require "rill.core"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local vectors = require "rill.geometry.vectors"
local fail <const> = errors.fail

local files = {}

local function is_colored(path) return type(path) == "string" and path:lower():find "%.xyzrgb$" ~= nil end

--- rill.points.load(path) returns the points of a file, a stream of vec3, and a table of the streams `normals` and
-- `colors`. In files that end with .xyzrgb, numbers four to six are colors.
files.load = errors.guard(function(path)
    local positions, triangles, normals, uv, colors = core._mesh_load(path, false, "rill.points.load")
    triangles:close()
    if uv then uv:close() end
    if is_colored(path) and not colors then normals, colors = nil, normals end
    if normals and normals.shape ~= positions.shape then -- one per face or corner of a mesh
        normals:close()
        normals = nil
    end
    return positions, {normals = normals or nil, colors = colors or nil}
end, "rill.points.load")

local SAVE <const> = {
    normals = {option.is_data, "a stream of vec3, or a list"}, colors = {option.is_data, "a stream of vec3, or a list"},
    encoding = option.words {ascii = true, little = true, big = true},
}

--- rill.points.save(path, p, options) writes a file in the format of its extension, .ply or .xyz.
files.save = errors.guard(function(path, p, options)
    local where <const> = "rill.points.save"
    local taken <const> = option.take(where, options, SAVE)
    local points <const> = vectors.take(where, 2, "p", p)
    if #points.shape ~= 1 then
        fail("%s: argument #2 'p': expected a stream of one dimension, got shape {%s}", where,
            table.concat(points.shape, ", "))
    end
    if type(path) == "string" and not path:lower():find "%.ply$" and not path:lower():find "%.xyz$" then
        fail("%s: argument #1 'path': points are saved as .ply or .xyz, got '%s'", where, path)
    end
    local normals <const> = taken.normals and vectors.each(where, "normals", taken.normals, points.size) or false
    local colors <const> = taken.colors and vectors.each(where, "colors", taken.colors, points.size) or false
    core._mesh_save(path, taken.encoding, points, false, normals, false, colors, where)
    for given, s in pairs {[p] = points, [taken.normals or 0] = normals, [taken.colors or 1] = colors} do
        if s and s ~= given then s:close() end
    end
end, "rill.points.save")

return files
