-- Determines the visible triangle of each sample: kernels project the vertices, and the device's rasterizer clips the
-- triangles and finds the nearest one (src/gpu/raster). Of equal depths the lowest face is visible, so the result does
-- not depend on the order of execution.
local core = require "rill.core"
local rill = require "rill.core.public"
local template = require "rill.glsl.template"
local texts <const> = template.sections "raster"

local raster = {}

template.snippet("raster_project", texts.project)
template.snippet("raster_wide", texts.wide)

-- Vertices are wide from this multiple of the distance to the target on, or from this number of pixels on (parallel).
local WIDE <const> = {64, 32768}
local BORDER <const> = 64 -- pixels between the border of the image and the lines that clip triangles with wide vertices

--- raster.NONE: the largest index, which is not a face. Where no face is visible, the index is -1.
raster.NONE = 0x7fffffff

-- Returns a stream with the bits of the distance at which the depth of a parallel projection is 0, and 0: whether a
-- vertex is wide.
local function span_of(camera, meshes)
    local span = rill.stream("uint", 2)
    if camera.span then
        span:set((("<I4"):unpack(("<f"):pack(camera.span))), 1)
    elseif camera.parallel ~= 0 then
        for _, mesh in ipairs(meshes) do
            texts.frame:program().farthest(camera.eye, camera.ahead, mesh.positions, span)
        end
    end
    return span
end

-- Returns from where on vertices are wide, in pixels times w.
local function bound_of(camera)
    return camera.parallel ~= 0 and WIDE[2] or WIDE[1] * camera.focus * camera.reach
end

-- Projects the vertices of a mesh with a strategy of rill.reuse: clip coordinates per corner.
local function project_corners(view, values, strategy, bound)
    local program <const> = texts.reuse:program()
    local clip = rill.reuse.run(strategy, view.mesh.triangles, program.project_index, values)
    view.clip = clip:reshape(clip.size)
    texts.frame:program().notice {clip = view.clip, focus = values.focus, parallel = values.parallel,
        near = values.near, bound = bound, span = values.span}
    local faces <close> = rill.iota(view.mesh.faces)
    view.corners = program.corners(faces)
end

-- Returns the data for drawing a mesh: `clip`, and `corners`, the indices into it of each triangle.
local function view_of(mesh, camera, span, strategy)
    local view = {mesh = mesh, corners = mesh.triangles}
    if mesh.triangles.size == 0 or mesh.positions.size == 0 then
        return view
    end
    local values = {
        eye = camera.eye, right = camera.right, above = camera.above, ahead = camera.ahead, focus = camera.focus,
        parallel = camera.parallel, near = camera.parallel ~= 0 and 0 or 1 / camera.limit, span = span,
        p = mesh.positions,
    }
    if strategy and strategy ~= "multi" then
        project_corners(view, values, strategy, bound_of(camera))
    else
        values.bound = bound_of(camera)
        view.clip = texts.frame:program().project(values)
    end
    return view
end

--- raster.wide(camera) returns the camera as the kernels in double precision take it.
function raster.wide(camera)
    return {eye = camera.eye, right = camera.right, above = camera.above, ahead = camera.ahead, focus = camera.focus,
        parallel = camera.parallel}
end

-- Clips the triangles of all views that have wide vertices: `cut` replaces `clip`, `corners` and `base` when a view is
-- drawn. `names`, of the list of views: the face of each triangle that is drawn.
local function cut_views(views, camera, span)
    local program <const>, names, base = texts.cut:program(), {}, 0
    for _, view in ipairs(views) do
        if view.clip then
            local values <const> = raster.wide(camera)
            values.t, values.around, values.clips = view.mesh.triangles, view.corners, view.clip
            values.p, values.bound, values.span = view.mesh.positions, bound_of(camera), span
            values.near = camera.parallel ~= 0 and 0 or 1 / camera.limit
            values.border = {camera.middle[1] + BORDER, camera.middle[2] + BORDER}
            values.base = view.mesh.base
            local clip, name = program.cut(values)
            local faces <close> = rill.iota(name.size)
            view.cut = {clip = clip, corners = texts.reuse:program().corners(faces), base = base}
            names[#names + 1], base = name, base + name.size
        end
    end
    views.names = #names > 0 and rill.concat(names) or nil
    for _, name in ipairs(names) do name:close() end
end

--- raster.named(views, seen) replaces the indices that a pass has stored by those of faces.
function raster.named(views, seen)
    if views.names then texts.cut:program().named(views.names, seen) end
end

--- raster.views(meshes, camera [, strategy]) projects meshes, and returns a view of each, in order.
function raster.views(meshes, camera, strategy)
    local span <close> = span_of(camera, meshes)
    local views = {}
    for i, mesh in ipairs(meshes) do
        views[i] = view_of(mesh, camera, span, strategy)
    end
    if span:get(2) ~= 0 then cut_views(views, camera, span) end
    return views
end

--- raster.close(views) frees the streams of views.
function raster.close(views)
    for _, view in ipairs(views) do
        for _, s in pairs {view.clip, view.normals} do s:close() end
        for _, s in pairs {view.cut and view.cut.clip, view.cut and view.cut.corners} do s:close() end
        if view.corners ~= view.mesh.triangles then
            view.corners:close()
        end
    end
    if views.names then views.names:close() end
end

--- raster.draw(pass, extent, views, target) runs a pass ("visible", "depth", "hits", "layers" or "next": see
-- src/gpu/raster/raster.h) over views for an image of extent = {columns, rows}. target: {seen =, depth =, solid =,
-- last =}, streams with an element per pixel.
function raster.draw(pass, extent, views, target)
    local list = {}
    for _, view in ipairs(views) do
        if view.clip then
            local drawn <const> = view.cut or view
            list[#list + 1] = {drawn.clip, drawn.corners, drawn.base or view.mesh.base}
        end
    end
    core._rasterize("rill.render", pass, extent[1], extent[2], list, target.seen or target.depth,
        target.seen and target.depth, target.solid, target.last)
end

--- raster.check(extent) raises an error if the device cannot draw an image of this size.
function raster.check(extent)
    core._raster_supports("rill.render", extent[1], extent[2])
end

return raster
