--- rill.render: renders meshes by the pipeline of chapter 28.1 of "GPGPU": kernels project the vertices, the device's
-- rasterizer finds the visible triangle of each sample, and kernels compute colors and light.
local rill = require "rill"
local errors = require "rill.core.error"
local cameras = require "rill.geometry.camera"
local option = require "rill.core.options"
local vector = require "rill.core.vector"
local framing = require "rill.render.framing"
local raster = require "rill.render.raster"
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

local STRATEGIES <const>, STRATEGY <const> = {}, '"' .. table.concat(rill.reuse.strategies(), '", "') .. '"'
for _, name in ipairs(rill.reuse.strategies()) do
    STRATEGIES[name] = true
end

local OPTIONS <const> = {
    size = cameras.size, camera = option.table,
    samples = {function(v) return SIDES[v] ~= nil end, "1, 4, 9 or 16"},
    light = {function(v) return option.is_vector(v, 3) and vector.unit(v) ~= nil end, "a direction, three numbers"},
    shadow = {is_shadow, "true, false, or a whole number from 16 to 8192"},
    background = models.color_row, linear = option.flag, buffers = option.flag,
    thickness = option.positive,
    reuse = {function(v) return STRATEGIES[v] ~= nil end, STRATEGY},
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

-- The indices of the data of a triangle's corners, which is stored per vertex, per face or per corner.
local CORNERS <const> = {[0] = {"t.x", "t.y", "t.z"}, {"f", "f", "f"}, {"3 * f", "3 * f + 1", "3 * f + 2"}}

-- Returns how to shade a mesh: the values of shading.shade.
local function variant_of(view, picture)
    local mesh <const> = view.mesh
    local wire <const>, lit <const> = mesh.shading == "wireframe", mesh.shading ~= "none"
    local parallel <const>, shadow <const> = picture.camera.parallel ~= 0, picture.shadow.on and lit and not wire
    local normals, colors = CORNERS[mesh.normals.per], CORNERS[mesh.paint and mesh.paint.per or 0]
    return {
        n0 = normals[1], n1 = normals[2], n2 = normals[3], c0 = colors[1], c1 = colors[2], c2 = colors[3],
        corners = view.corners ~= mesh.triangles, paint = mesh.paint and mesh.paint.kernel or "none",
        lit = lit and not wire, smooth = mesh.shading == "smooth", parallel = parallel, shadow = shadow,
        exact = mesh.paint ~= nil or parallel or shadow, lines = wire or mesh.edges ~= nil,
        wire = wire and not mesh.edges,
        clear = mesh.opacity < 1, wide = view.cut ~= nil,
    }
end

-- The arguments of the parts of the shading kernel, by the value of its variant.
local PARTS <const> = {
    lit = function(view, picture)
        local camera = picture.camera
        local values = {eye = camera.eye, ahead = camera.ahead, up = camera.up, light = picture.light}
        if camera.parallel ~= 0 then
            values.positions = view.mesh.positions
        else -- right and above per pixel
            local function over(v, d) return vector.map(function(x) return x / d end, v) end
            values.right, values.above = over(camera.right, camera.focus), over(camera.above, camera.focus)
            values.square = camera.focus ^ 2
        end
        return values
    end,
    smooth = function(view)
        view.normals = view.normals or shading.kernels().padded(view.mesh.normals.values)
        return {normals = view.normals}
    end,
    lines = function(view, picture)
        local edge = view.mesh.edges or {0, 0, 0}
        return {thick = picture.thick, line = {edge[1], edge[2], edge[3], view.mesh.shading == "wireframe" and 0 or 1},
            under = picture.background}
    end,
    shadow = function(_, picture)
        local shadow, light = picture.shadow, picture.shadow.camera
        return {shadow_right = light.right, shadow_above = light.above, shadow_eye = light.eye,
            shadow_focus = light.focus,
            shadow_size = shadow.pixels, shadow_span = light.span, shadow = shadow.depth}
    end,
    corners = function(view) return {around = view.corners} end,
    wide = function(view, picture)
        local values = {places = view.mesh.positions}
        for key, value in pairs(raster.wide(picture.camera)) do values["wide_" .. key] = value end
        return values
    end,
}

-- The arguments of the shading kernel of a mesh, without those of the samples.
local function values_of(view, picture, variant)
    local mesh = view.mesh
    local values = {
        base = mesh.base, middle = picture.camera.middle, clips = view.clip, triangles = mesh.triangles,
        tint_color = mesh.constant,
    }
    for name, part in pairs(PARTS) do
        for key, value in pairs(variant[name] and part(view, picture) or {}) do values[key] = value end
    end
    for key, value in pairs(mesh.paint and mesh.paint.values or {}) do values[key] = value end
    return values
end

-- Shades the samples of picture.color in which `seen` names a face of the view's mesh.
local function shade(view, seen, picture)
    if view.clip then
        local variant = variant_of(view, picture)
        local values = values_of(view, picture, variant)
        values.columns, values.face = picture.extent[1], seen
        values.opacity, values.color = view.mesh.opacity, picture.color
        shading.shade(variant)(values)
    end
end

-- Returns an image of one opaque mesh.
local function whole(view, seen, picture, side, coded)
    local variant = variant_of(view, picture)
    local values = values_of(view, picture, variant)
    values.coded, values.background, values.faces = coded, picture.background, seen
    values.shape = {picture.extent[2] // side, picture.extent[1] // side}
    return shading.whole(variant, side)(values)
end

-- ---- the passes

-- Returns the shadow map: the depth of the nearest face as seen from the light.
local function shadow_of(taken, meshes, light)
    if not taken.shadow then
        return {on = false}
    end
    local pixels = taken.shadow == true and SHADOW or taken.shadow
    local camera = framing.light(light, meshes, pixels)
    local depth, views = rill.stream("float", pixels * pixels), raster.views(meshes, camera, taken.reuse)
    raster.draw("depth", {pixels, pixels}, views, {depth = depth})
    raster.close(views)
    return {on = true, pixels = pixels, depth = depth, camera = camera}
end

-- Blends the transparent faces of one mesh in order: each round draws the next face of every sample. The number of
-- rounds is read back.
local function blend(view, solid, picture)
    local one <const>, samples <const> = {view}, solid.size
    local counts <close> = rill.stream("int", samples)
    raster.draw("layers", picture.extent, one, {seen = counts, solid = solid})
    local layers = counts:max()
    if layers > LAYERS then
        fail("rill.render: option 'opacity': %d transparent triangles cover one pixel, expected at most %d",
            layers, LAYERS)
    end
    local seen <close> = rill.stream("int", solid.shape)
    local last <close> = rill.stream("int", solid.shape, -1)
    for _ = 1, layers do
        seen:fill(raster.NONE)
        raster.draw("next", picture.extent, one, {seen = seen, solid = solid, last = last})
        last:write(seen)
        raster.named(picture.views, seen)
        shade(view, seen, picture)
    end
end

-- Returns the image: of one opaque mesh by one launch, else mesh by mesh.
local function composed(opaque, clear, seen, solid, picture, side, coded)
    if #clear == 0 and #opaque == 1 and opaque[1].clip then
        return whole(opaque[1], seen, picture, side, coded)
    end
    local extent <const> = picture.extent
    picture.color = rill.stream("vec3", extent[1] * extent[2], picture.background)
    for _, view in ipairs(opaque) do
        shade(view, seen, picture)
    end
    for _, view in ipairs(clear) do
        blend(view, solid, picture)
    end
    return shading.finish(side) {columns = extent[1], coded = coded, color = picture.color,
        shape = {extent[2] // side, extent[1] // side}}
end

-- Returns the distance of the visible surface along the camera's axis, computed from the triangles.
local function depths(views, seen, picture)
    local depth, camera = rill.stream("float", seen.shape, math.huge), picture.camera
    for _, view in ipairs(views) do
        if view.cut then
            local values <const> = raster.wide(camera)
            values.base, values.middle, values.face, values.depth = view.mesh.base, camera.middle, seen, depth
            values.triangles, values.positions = view.mesh.triangles, view.mesh.positions
            shading.kernels().measure_wide(values)
        elseif view.clip then
            shading.kernels().measure {
                base = view.mesh.base, middle = camera.middle, eye = camera.eye,
                ahead = camera.ahead, face = seen, around = view.corners, clips = view.clip,
                triangles = view.mesh.triangles, positions = view.mesh.positions, depth = depth,
            }
        end
    end
    return depth
end

-- Returns the buffers of the samples of opaque meshes.
local function buffers_of(views, seen, picture)
    local hits = rill.stream("int", seen.shape)
    raster.draw("hits", picture.extent, views, {seen = hits})
    return {depth = depths(views, seen, picture), triangle = seen, hits = hits}
end

local function default_light(camera)
    return vector.map(function(up, right, ahead) return 0.75 * up - 0.45 * right - 0.8 * ahead end, camera.above,
        camera.right, camera.ahead)
end

--- rill.render(m [, {size =, camera =, shading =, color =, ...}]) returns an image, a stream of vec3 {rows, columns}
-- in sRGB, of a mesh or a list of meshes. With buffers = true also returns depth, triangle and hits of each sample.
-- The result does not depend on the order of execution.
local function render(m, given)
    local taken = options_of(given)
    local meshes, side, size = models.take(m, taken), taken.side, taken.size
    local extent = {side * size[2], side * size[1]}
    local scale, camera, drawn = framing.scaled(cameras.of_meshes(taken.camera, meshes, size, "rill.render"), meshes)
    framing.focused(camera, extent[1], extent[2])
    raster.check(extent)
    local views, opaque, clear = raster.views(drawn, camera, taken.reuse), {}, {}
    for _, view in ipairs(views) do
        local list = view.mesh.opacity < 1 and clear or opaque
        list[#list + 1] = view
    end
    local seen = rill.stream("int", {extent[2], extent[1]})
    local solid = #clear > 0 and rill.stream("float", {extent[2], extent[1]}) or nil
    raster.draw("visible", extent, opaque, {seen = seen, depth = solid})
    raster.named(views, seen)
    local picture = {camera = camera, extent = extent, views = views, thick = side * (taken.thickness or 1),
        light = vector.unit(taken.light or default_light(camera))}
    picture.shadow = shadow_of(taken, drawn, picture.light)
    picture.background = shading.linear(models.color(taken.background or {0.95, 0.96, 0.97}))
    local done = composed(opaque, clear, seen, solid, picture, side, taken.linear and 0 or 1)
    local buffers = taken.buffers and buffers_of(opaque, seen, picture) or nil
    raster.close(views)
    for _, s in pairs {picture.color, solid, picture.shadow.depth, not buffers and seen or nil} do
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
