--- rill.render: renders meshes by the pipeline of chapter 28.1 of "GPGPU" as kernels: vertices, clipping, coverage
-- and depth, then colors and light.
local rill = require "rill"
local errors = require "rill.core.error"
local cameras = require "rill.geometry.camera"
local option = require "rill.core.options"
local vector = require "rill.core.vector"
local framing = require "rill.render.framing"
local coverage = require "rill.render.coverage"
local models = require "rill.render.models"
local shading = require "rill.render.shading"
local fail <const> = errors.fail

local LAYERS <const> = 512 -- largest number of transparent triangles over one pixel
local PIXELS <const> = 16384 -- largest number of samples along a side of the image
local SHADOW <const> = 1024 -- default size of the shadow map in pixels

-- ---- options

local SIDES <const> = {[1] = 1, [4] = 2, [9] = 3, [16] = 4}

local function is_shadow(v)
    return type(v) == "boolean" or math.type(v) == "integer" and v >= 16 and v <= 8192
end

local OPTIONS <const> = {
    size = cameras.size, camera = option.table,
    samples = {function(v) return SIDES[v] ~= nil end, "1, 4, 9 or 16"},
    light = {function(v) return option.is_vector(v, 3) and vector.unit(v) ~= nil end, "a direction, three numbers"},
    shadow = {is_shadow, "true, false, or a whole number from 16 to 8192"},
    background = models.color_row, linear = option.flag, buffers = option.flag,
    thickness = option.positive,
}
for name, row in pairs(models.styles) do
    OPTIONS[name] = row
end

local function options_of(given)
    local taken = option.take("rill.render", given, OPTIONS)
    taken.size = taken.size or {480, 640}
    taken.side = SIDES[taken.samples or 4]
    local most = taken.side * math.max(taken.size[1], taken.size[2])
    if most > PIXELS then
        fail("rill.render: option 'size': %d samples along a side of the image are more than %d: use fewer 'samples'",
            most, PIXELS)
    end
    return taken
end

-- ---- shading

local function flags_of(mesh, camera, shadow)
    local wire <const> = mesh.shading == "wireframe"
    return (mesh.shading ~= "smooth" and 1 or 0) | (camera.parallel ~= 0 and 2 or 0) |
        ((wire or mesh.edges) and 4 or 0) | (shadow.on and 8 or 0) | (wire and not mesh.edges and 16 or 0) |
        (mesh.shading == "none" and 32 or 0)
end

-- Computes the position within its triangle of each sample in which `seen` names a face of the view's mesh.
local function locate(view, seen, at)
    shading.kernels().locate {
        base = view.mesh.base, columns = view.extent[1], face = seen, triangles = view.mesh.triangles,
        clips = view.clip, at = at,
    }
end

-- Shades the samples of picture.color in which `seen` names a face of the view's mesh.
local function shade(view, seen, picture)
    local mesh, camera, shadow = view.mesh, picture.camera, picture.shadow
    if not view.place then
        return
    end
    locate(view, seen, picture.at)
    picture.tint:fill(mesh.constant)
    if mesh.paint then
        local values = {base = mesh.base, face = seen, at = picture.at, triangles = mesh.triangles, tint = picture.tint}
        for name, value in pairs(mesh.paint.values) do values[name] = value end
        shading.kernels()[mesh.paint.kernel](values)
    end
    local edge, light = mesh.edges or {0, 0, 0}, shadow.camera
    shading.kernels().lit {
        base = mesh.base, per = mesh.normals.per, flags = flags_of(mesh, camera, shadow), eye = camera.eye,
        ahead = camera.ahead, up = camera.up, light = picture.light, opacity = mesh.opacity, under = picture.background,
        thick = picture.thick,
        line = {edge[1], edge[2], edge[3], mesh.shading == "wireframe" and 0 or 1},
        shadow_right = light.right, shadow_above = light.above, shadow_eye = light.eye, shadow_focus = light.focus or 1,
        shadow_size = shadow.pixels, face = seen, at = picture.at, tint = picture.tint, triangles = mesh.triangles,
        positions = mesh.positions, normals = mesh.normals.values, shadow = shadow.depth, color = picture.color,
    }
end

-- ---- the passes

-- Returns the shadow map: the depth of the nearest face as seen from the light.
local function shadow_of(taken, meshes, light)
    if not taken.shadow then
        return {on = false, pixels = 1, depth = rill.stream("uint", 1), camera = {right = {0, 0, 0}, above = {0, 0,
            0}, eye = {0, 0, 0}}}
    end
    local pixels = taken.shadow == true and SHADOW or taken.shadow
    local camera = framing.light(light, meshes, pixels)
    local depth = rill.stream("uint", pixels * pixels)
    local nobody <close> = rill.stream("int", 1)
    for _, mesh in ipairs(meshes) do
        coverage.draw(coverage.view(mesh, camera, {pixels, pixels}), coverage.DEPTH, {depth = depth, seen = nobody})
    end
    return {on = true, pixels = pixels, depth = depth, camera = camera}
end

-- Computes the depth and the face of each sample for opaque meshes.
local function solid(views, target)
    for pass = coverage.DEPTH, coverage.FACE do
        for _, view in ipairs(views) do
            coverage.draw(view, pass, target)
        end
    end
end

-- Blends the transparent faces of one mesh in order: each round draws the next face of every sample. The number of
-- rounds is read back.
local function blend(view, target, picture)
    local samples <const> = target.depth.size
    local counts <close> = rill.stream("int", samples)
    coverage.draw(view, coverage.COUNT, {depth = target.depth, seen = counts})
    local layers = counts:max()
    if layers > LAYERS then
        fail("rill.render: option 'opacity': %d transparent triangles cover one pixel, expected at most %d",
            layers, LAYERS)
    end
    local seen <close> = rill.stream("int", samples)
    local last <close> = rill.stream("int", samples, -1)
    for _ = 1, layers do
        seen:fill(coverage.NONE)
        coverage.draw(view, coverage.NEXT, {depth = target.depth, seen = seen, last = last})
        shade(view, seen, picture)
        last:write(seen)
    end
end

local function streams_of(picture, extent, background)
    local samples <const> = extent[1] * extent[2]
    picture.background = background
    picture.color = rill.stream("vec3", samples, background)
    picture.at, picture.tint = rill.stream("vec4", samples), rill.stream("vec3", samples)
    return picture
end

-- Returns the distance of the visible surface along the camera's axis, computed from the unsnapped triangles.
local function depths(views, target, picture)
    local depth = rill.stream("float", target.depth.size, math.huge)
    for _, view in ipairs(views) do
        if view.place then
            locate(view, target.seen, picture.at)
            shading.kernels().measure {
                base = view.mesh.base, parallel = picture.camera.parallel, face = target.seen, at = picture.at,
                triangles = view.mesh.triangles, clips = view.clip, depth = depth,
            }
        end
    end
    return depth
end

-- Returns the buffers of the samples of opaque meshes.
local function buffers_of(views, target, extent, picture)
    local shape = {extent[2], extent[1]}
    local hits = rill.stream("int", target.depth.size)
    local none <close> = rill.stream("uint", target.depth.size)
    for _, view in ipairs(views) do
        coverage.draw(view, coverage.COUNT, {depth = none, seen = hits})
    end
    local triangle = rill.where(target.seen:eq(coverage.NONE), -1, target.seen):eval()
    return {depth = depths(views, target, picture):reshape(shape), triangle = triangle:reshape(shape),
        hits = hits:reshape(shape)}
end

local function default_light(camera)
    return vector.map(function(up, right, ahead) return 0.75 * up - 0.45 * right - 0.8 * ahead end, camera.above,
        camera.right, camera.ahead)
end

--- rill.render(m [, {size =, camera =, shading =, color =, ...}]): returns an image, a stream of vec3 {rows, columns}
-- in sRGB, of a mesh or a list of meshes. With buffers = true also returns depth, triangle and hits of each sample.
-- The result does not depend on the order of execution.
local function render(m, given)
    local taken = options_of(given)
    local meshes, side, size = models.take(m, taken), taken.side, taken.size
    local extent = {side * size[2], side * size[1]}
    local scale, camera, drawn = framing.scaled(cameras.of_meshes(taken.camera, meshes, size, "rill.render"), meshes)
    framing.focused(camera, extent[1], extent[2])
    local target = {depth = rill.stream("uint", extent[1] * extent[2]), seen = rill.stream("int",
        extent[1] * extent[2], coverage.NONE)}
    local opaque, clear = {}, {}
    for _, mesh in ipairs(drawn) do
        local list = mesh.opacity < 1 and clear or opaque
        list[#list + 1] = coverage.view(mesh, camera, extent)
    end
    solid(opaque, target)
    local picture = {camera = camera, thick = side * (taken.thickness or 1),
        light = vector.unit(taken.light or default_light(camera))}
    picture.shadow = shadow_of(taken, drawn, picture.light)
    streams_of(picture, extent, shading.linear(models.color(taken.background or {0.95, 0.96, 0.97})))
    for _, view in ipairs(opaque) do
        shade(view, target.seen, picture)
    end
    for _, view in ipairs(clear) do
        blend(view, target, picture)
    end
    local done = shading.kernels().finish {k = side, columns = extent[1], coded = taken.linear and 0 or 1,
        color = picture.color, shape = size}
    local buffers = taken.buffers and buffers_of(opaque, target, extent, picture) or nil
    for _, s in ipairs {picture.color, picture.at, picture.tint, picture.shadow.depth} do
        s:close()
    end
    for i = 1, scale ~= 1 and #drawn or 0 do
        drawn[i].positions:close()
    end
    if buffers then
        buffers.depth = scale == 1 and buffers.depth or (buffers.depth / scale):eval()
        return done, buffers
    end
    return done
end

return errors.guard(render, "rill.render")
