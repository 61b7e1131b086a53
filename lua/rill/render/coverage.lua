-- Determines the visible triangle of each pixel by the pipeline of chapter 28.1 of "GPGPU": vertices, clipping in
-- homogeneous coordinates, coverage, depth.
--
-- Corners are snapped to 1/256 pixel and edges are evaluated in integers, as hardware does, so that triangles that
-- share an edge leave no gap and do not overlap. A small triangle is drawn by one invocation. Larger triangles and
-- triangles that must be clipped become pieces; pieces are divided into tiles of 8 x 8 pixels with one invocation
-- each. Atomics keep the nearest depth, then the lowest face index at that depth, so the result does not depend on
-- the order of execution.
local rill = require "rill.core.public"
local template = require "rill.glsl.template"
local texts <const> = template.sections "coverage"

local coverage = {}

template.snippet("coverage_common", texts.common)
template.snippet("coverage_cover", texts.cover)

local GUARD <const> = 32768 -- largest pixel coordinates of triangle corners; triangles beyond are clipped
local ITEMS <const> = 1 << 24 -- largest number of tiles in a launch

--- coverage.NONE: an index that is not a face.
coverage.NONE = 0x7fffffff

local NOBODY <const> = {-1} -- before every face

local VALUES <const> = {guard = ("%.1f"):format(GUARD)}

local function program()
    return texts.frame:program(VALUES)
end

local function program_of(pass)
    return texts.draw:program {guard = VALUES.guard, pass = pass}
end

--- coverage.project(mesh, camera): returns the projected vertices: clip coordinates (vec4) and snapped coordinates
-- (ivec4).
function coverage.project(mesh, camera)
    return program().project {
        eye = camera.eye, right = camera.right, above = camera.above, ahead = camera.ahead, focus = camera.focus,
        middle = camera.middle,
        parallel = camera.parallel, limit = camera.limit, p = mesh.positions,
    }
end

-- Divides the larger triangles of a mesh into pieces. Returns them in batches with the running count of their tiles.
-- The numbers are read back.
local function pieces_of(mesh, view, camera, extent)
    local pieces = program().cut {
        base = mesh.base, extent = extent, limit = camera.limit, t = mesh.triangles, clips = view.clip,
        places = view.place,
    }
    local batches, most = {}, math.max(ITEMS // (((extent[1] + 7) // 8 + 1) * ((extent[2] + 7) // 8 + 1)), 1)
    for first = 1, pieces.size, most do
        local part = pieces:domain(first, math.min(first + most - 1, pieces.size))
        local ends = program().tiles(extent, part):scan()
        batches[#batches + 1] = {pieces = part, ends = ends, total = ends:get(ends.size)}
    end
    return batches
end

--- coverage.view(mesh, camera, extent): returns the data for drawing a mesh with a camera into an image {columns,
-- rows}.
function coverage.view(mesh, camera, extent)
    local view = {mesh = mesh, extent = extent}
    if mesh.triangles.size > 0 and mesh.positions.size > 0 then
        view.clip, view.place = coverage.project(mesh, camera)
        view.batches = pieces_of(mesh, view, camera, extent)
    end
    return view
end

--- The passes of coverage.draw.
coverage.DEPTH, coverage.FACE, coverage.COUNT, coverage.NEXT = 0, 1, 2, 3

--- coverage.draw(view, pass, target): runs a pass over a mesh. DEPTH keeps the nearest depth in target.depth. FACE
-- keeps the lowest face at this depth in target.seen. COUNT adds the number of faces nearer than target.depth to
-- target.seen. NEXT keeps the lowest of these faces that is above target.last.
function coverage.draw(view, pass, target)
    if not view.place then
        return
    end
    local depth, seen, last = target.depth, target.seen, target.last or NOBODY
    local draw = program_of(pass)
    draw.small {
        base = view.mesh.base, extent = view.extent, t = view.mesh.triangles, places = view.place,
        depth = depth, seen = seen, last = last,
    }
    for _, batch in ipairs(view.batches) do
        draw.tile {
            total = batch.total, extent = view.extent, item = rill.iota(batch.total),
            pieces = batch.pieces, ends = batch.ends,
            depth = depth, seen = seen, last = last,
        }
    end
end

return coverage
