-- Shades visible faces: position in the triangle, color, light, and conversion to the image. Colors are linear light
-- until the last stage. A launch over all samples of the image shades the samples that show a mesh.
local rill = require "rill.core.public"

local template = require "rill.glsl.template"
local texts <const> = template.sections "shading"

for _, name in ipairs {"common", "body", "parameters"} do
    template.snippet("shading_" .. name, texts[name])
end

local shading = {}

--- shading.kernels() returns the kernels, which are compiled at the first call.
function shading.kernels()
    return texts.frame:program()
end

--- shading.shade(how) returns the kernel that shades a mesh. how: corners: clip coordinates are per corner; paint:
-- "none", "painted", "mapped" or "textured"; lit, smooth, parallel, shadow, lines, wire, clear: booleans.
function shading.shade(how)
    return texts.shade:program(how).shade
end

--- shading.whole(how, side) returns the kernel that shades an image of one opaque mesh with side x side samples per
-- pixel.
function shading.whole(how, side)
    how.k, how.n, how.samples = tostring(side), tostring(side * side), {}
    for i = 0, side * side - 1 do
        how.samples[i + 1] = {i = tostring(i), x = tostring(i % side), y = tostring(i // side)}
    end
    how.others = table.move(how.samples, 2, side * side, 1, {})
    return texts.whole:program(how).whole
end

--- shading.finish(side) returns the kernel that averages side x side samples.
function shading.finish(side)
    return texts.finish:program({k = tostring(side)}).finish
end

--- shading.linear(c) converts a color {red, green, blue} from sRGB to linear light (IEC 61966-2-1).
function shading.linear(c)
    local light = {}
    for k = 1, 3 do
        light[k] = c[k] > 0.04045 and ((c[k] + 0.055) / 1.055) ^ 2.4 or c[k] / 12.92
    end
    return light
end

--- shading.normals(mesh) returns a unit normal for each vertex, 0 if no adjacent triangle has an area.
function shading.normals(mesh)
    local sums <close> = rill.stream("int", 3 * mesh.positions.size)
    shading.kernels().gather_normals(mesh.triangles, mesh.positions, sums)
    return shading.kernels().normals(sums, mesh.positions)
end

return shading
