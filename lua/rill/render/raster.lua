-- Determines the visible triangle of each sample: kernels project the vertices, and the device's rasterizer clips the triangles and finds the
-- nearest one (src/gpu/raster). Of equal depths the lowest face is visible, so the result does not depend on the order of execution.
local core = require "rill.core"
local rill = require "rill.core.public"
local template = require "rill.glsl.template"
local texts <const> = template.sections "raster"

local raster = {}

template.snippet("raster_project", texts.project)

--- raster.NONE: the largest index, which is not a face. Where no face is visible, the index is -1.
raster.NONE = 0x7fffffff

-- Returns a stream with the bits of the distance at which the depth of a parallel projection is 0.
local function span_of(camera, meshes)
    local span = rill.stream("uint", 1)
    if camera.span then
        span:fill((("<I4"):unpack(("<f"):pack(camera.span))))
    elseif camera.parallel ~= 0 then
        for _, mesh in ipairs(meshes) do
            texts.frame:program().farthest(camera.eye, camera.ahead, mesh.positions, span)
        end
    end
    return span
end

-- Projects the vertices of a mesh with a strategy of rill.reuse: clip coordinates per corner.
local function project_corners(view, values, strategy)
    local program <const> = texts.reuse:program()
    local clip = rill.reuse.run(strategy, view.mesh.triangles, program.project_index, values)
    view.clip = clip:reshape(clip.size)
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
        project_corners(view, values, strategy)
    else
        view.clip = texts.frame:program().project(values)
    end
    return view
end

--- raster.views(meshes, camera [, strategy]): projects meshes, and returns a view of each, in order.
function raster.views(meshes, camera, strategy)
    local span <close> = span_of(camera, meshes)
    local views = {}
    for i, mesh in ipairs(meshes) do
        views[i] = view_of(mesh, camera, span, strategy)
    end
    return views
end

--- raster.close(views): frees the streams of views.
function raster.close(views)
    for _, view in ipairs(views) do
        for _, s in pairs {view.clip, view.normals} do s:close() end
        if view.corners ~= view.mesh.triangles then
            view.corners:close()
        end
    end
end

--- raster.draw(pass, extent, views, target): runs a pass ("visible", "depth", "hits", "layers" or "next": see src/gpu/raster/raster.h) over views
-- for an image of extent = {columns, rows}. target: {seen =, depth =, solid =, last =}, streams with an element per pixel.
function raster.draw(pass, extent, views, target)
    local list = {}
    for _, view in ipairs(views) do
        if view.clip then
            list[#list + 1] = {view.clip, view.corners, view.mesh.base}
        end
    end
    core._rasterize("rill.render", pass, extent[1], extent[2], list, target.seen or target.depth,
        target.seen and target.depth, target.solid, target.last)
end

--- raster.check(extent): raises an error if the device cannot draw an image of this size.
function raster.check(extent)
    core._raster_supports("rill.render", extent[1], extent[2])
end

return raster
