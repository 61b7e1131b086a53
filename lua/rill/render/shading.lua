-- Shades visible faces: position in the triangle, color, light, and conversion to the image. Colors are linear light
-- until the last stage. Each stage is a launch over all samples of the image, and changes the samples that show the
-- mesh.
local rill = require "rill.core.public"

local kernels <const> = require "rill.glsl.template".file "shading"

local shading = {}

--- shading.kernels(): returns the kernels, which are compiled at the first call.
function shading.kernels()
    return kernels:program()
end

--- shading.linear(c): converts a color {red, green, blue} from sRGB to linear light (IEC 61966-2-1).
function shading.linear(c)
    local light = {}
    for k = 1, 3 do
        light[k] = c[k] > 0.04045 and ((c[k] + 0.055) / 1.055) ^ 2.4 or c[k] / 12.92
    end
    return light
end

--- shading.normals(mesh): returns a unit normal for each vertex, 0 if no adjacent triangle has an area.
function shading.normals(mesh)
    local sums <close> = rill.stream("int", 3 * mesh.positions.size)
    kernels:program().gather_normals(mesh.triangles, mesh.positions, sums)
    return kernels:program().normals(sums, mesh.positions)
end

return shading
