-- Which triangle is seen in each pixel: the pipeline of chapter 28.1 of "GPGPU" (vertices, clipping in homogeneous coordinates, coverage, depth) as
-- kernels. Corners are snapped to 1/256 of a pixel and edges decided in whole numbers, as hardware does, so that triangles which share an edge leave
-- no gap and overlap nowhere. A small triangle is one invocation. Larger ones and those that must be clipped become pieces, and pieces tiles of 8 x 8
-- pixels, an invocation each. Depths are greatest first by atomics, the face is then the least of those at that depth: nothing depends on an order.
local rill = require "rill.core.public"
local template = require "rill.glsl.template"
local texts <const> = template.sections "coverage"

local coverage = {}

template.snippet("coverage_common", texts.common)
template.snippet("coverage_cover", texts.cover)

local GUARD <const> = 32768 -- pixels from the corner of the picture that corners of triangles may have; beyond it they are clipped
local ITEMS <const> = 1 << 24 -- tiles of a launch, at most

--- What no face is.
coverage.NONE = 0x7fffffff

-- What each pass does with a pixel.
local NOBODY <const> = {-1} -- before every face

local VALUES <const> = {guard = ("%.1f"):format(GUARD)}

local function program()
    return texts.frame:program(VALUES)
end

local function program_of(pass)
    return texts.draw:program {guard = VALUES.guard, pass = pass}
end

--- coverage.project(mesh, camera): where its vertices are seen: clip coordinates (vec4) and snapped ones (ivec4).
function coverage.project(mesh, camera)
    return program().project {
        eye = camera.eye, right = camera.right, above = camera.above, ahead = camera.ahead, focus = camera.focus,
        middle = camera.middle,
        parallel = camera.parallel, limit = camera.limit, p = mesh.positions,
    }
end

-- What a mesh's larger triangles come to: pieces, and in batches how many tiles they have. Their numbers are read back.
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

--- coverage.view(mesh, camera, extent): all that drawing a mesh needs, its vertices where a camera sees them in a picture {columns, rows}.
function coverage.view(mesh, camera, extent)
    local view = {mesh = mesh, extent = extent}
    if mesh.triangles.size > 0 and mesh.positions.size > 0 then
        view.clip, view.place = coverage.project(mesh, camera)
        view.batches = pieces_of(mesh, view, camera, extent)
    end
    return view
end

--- Passes of coverage.draw.
coverage.DEPTH, coverage.FACE, coverage.COUNT, coverage.NEXT = 0, 1, 2, 3

--- coverage.draw(view, pass, target): a pass over a mesh: DEPTH keeps the nearest depth in target.depth, FACE the first face at it in target.seen, COUNT adds to
-- target.seen how many are nearer than target.depth, and NEXT keeps the first of those after target.last.
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
