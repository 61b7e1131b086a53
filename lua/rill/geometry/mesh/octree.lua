-- Octrees over the triangles of a mesh, as lists of triangles for the cells of the last level.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local lists = require "rill.container.lists"
local object = require "rill.geometry.mesh.object"
local option = require "rill.core.options"
local vector = require "rill.core.vector"
local kernels <const> = require "rill.glsl.template".file "octree"
local fail <const> = errors.fail

local octree = {}

local MARGIN <const> = 1e-5 -- of the sides of cells and of the mesh, for rounding errors of floats
local OPTIONS <const> = {depth = option.number(0, 8, 5)}

--- octree.grid(where, m, depth) returns the cells of the last level: {low =, side =, cells =}. The cubes begin at
-- `low`; there are `cells` along each axis. Raises an error if a coordinate is not finite or above 1e18.
function octree.grid(where, m, depth)
    object.check_positions(where, m.positions)
    local low, high = m:bounds()
    low, high = low or {0, 0, 0}, high or {0, 0, 0}
    local most = 0
    for d = 1, 3 do most = math.max(most, math.abs(low[d]), math.abs(high[d])) end
    if most > 1e18 then
        fail("%s: expected coordinates up to 1e18, got %s", where, errors.number(most))
    end
    local side, cells = vector.longest(low, high), 1 << depth
    side = side >= 2.0 ^ -126 and side or 1 -- the inverse of a smaller number overflows a float
    local grid = {low = {}, side = side * (1 + 2 * MARGIN) / cells, cells = cells, length = side, most = most}
    for d = 1, 3 do grid.low[d] = (low[d] + high[d]) / 2 - grid.side * cells / 2 end
    return grid
end

--- octree.pairs(m, grid, depth) returns for each triangle and each cell that it overlaps the cell (0-based, row-major,
-- z first) and the triangle, two streams of int in the order of the triangles. Each level keeps the children that a
-- triangle overlaps.
function octree.pairs(m, grid, depth)
    local k = kernels:program()
    if m.faces == 0 then return rill.stream("int", 0), rill.stream("int", 0) end
    local at, scale = k.roots(m.triangles), 1 / grid.length
    local pad = MARGIN + 4e-7 * grid.most * scale
    for level = 1, depth do
        local child = k.descend {at = at, t = m.triangles, p = m.positions, low = grid.low, scale = scale,
            side = grid.side * scale * 2.0 ^ (depth - level), pad = pad}
        at:close()
        at = child
    end
    local cell, face = k.part(at, grid.cells)
    at:close()
    return cell, face
end

--- octree.octree(m [, {depth = 5}]) implements M:octree.
function octree.octree(m, options)
    local where <const> = "M:octree"
    local depth = option.take(where, options, OPTIONS).depth
    local grid = octree.grid(where, m, depth)
    local cell <close>, faces = octree.pairs(m, grid, depth)
    local face <close> = faces
    local n <const> = grid.cells
    local found = lists.lists("int", {shape = {n, n, n}, keys = cell, values = face})
    return found, {low = grid.low, side = grid.side, cells = n}
end

return octree
