-- Marching cubes. Voxels are the corners of cubes. A voxel owns the edges to the next voxel along x, y and z, and one
-- vertex for each of these edges that the surface crosses, which all adjacent cubes share.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local cubes = require "rill.geometry.mesh.marching_cubes"
local lattice = require "rill.stream.grid"
local object = require "rill.geometry.mesh.mesh"
local kernels <const> = require "rill.glsl.template".file "contour"
local fail <const> = errors.fail

local contour = {}

local OPTIONS <const> = {
    spacing = lattice.spacing, origin = {function(v) return option.is_vector(v, 3) end, "a table of 3 numbers"},
}

local function flat(s) return s:reshape(s.size) end

-- Returns the indices of the elements that fulfill a predicate.
local function places(s, predicate) return flat(s):find(predicate) end

local function tables()
    local first, list = cubes.table()
    local starts = {}
    for e = 0, 11 do starts[e + 1] = cubes.start(e) end
    return rill.from(first, "int"), rill.from(list, "int"), rill.from(starts, "int")
end

--- rill.mesh.marching_cubes(volume, iso [, {spacing =, origin =}]) returns the isosurface of a volume, interpolated
-- linearly between voxels. Smaller values are inside; triangles are counterclockwise as seen from the larger values. If
-- the surface reaches the border of the volume, the mesh has a boundary there.
contour.marching_cubes = errors.guard(function(s, iso, options)
    local where <const> = "rill.mesh.marching_cubes"
    s = lattice.volume(where, s)
    if not option.is_finite(iso) then
        fail("%s: argument #2 'iso': expected a finite number, got %s", where, errors.told(iso))
    end
    local taken = option.take(where, options, OPTIONS)
    lattice.all_finite(where .. ": argument #1 's'", s)
    local shape = {table.unpack(s.shape)}
    local spacing = lattice.new(where, shape, taken.spacing or 1).spacing
    local k, size = kernels:program(), {shape[3], shape[2]}
    local bits, count = k.crossings {s = s, iso = iso, shape = shape}
    local before <close> = flat(count):scan("add", {exclusive = true})
    count:close()
    local owners <close> = places(bits, "x != 0")
    local positions = k.vertices {s = s, iso = iso, size = size, spacing = spacing, origin = taken.origin or {0, 0, 0},
        at = owners, bits = flat(bits)}
    local mask = k.masks {s = s, iso = iso, shape = shape}
    local active <close> = places(mask, "x != 0 && x != 255")
    local first, list, starts = tables()
    local made = k.triangles {at = active, mask = flat(mask), size = size, first = first, list = list, starts = starts,
        bits = flat(bits), before = before}
    bits:close()
    mask:close()
    return object.own {positions = positions, triangles = made}
end, "rill.mesh.marching_cubes")

return contour
