-- What colour a seen face has: where in its triangle a pixel is, the colour there, the light on it, and the picture at last. Colours are light
-- (linear) until then. Each stage is a launch over all samples of the picture, and changes those that show the mesh.
local rill = require "rill.core.public"

local kernels <const> = require "rill.glsl.template".file "shading"

local shading = {}

--- shading.kernels(): made when first needed.
function shading.kernels()
    return kernels:program()
end

--- shading.linear(c): light of a colour {red, green, blue} of sRGB (IEC 61966-2-1).
function shading.linear(c)
    local light = {}
    for k = 1, 3 do
        light[k] = c[k] > 0.04045 and ((c[k] + 0.055) / 1.055) ^ 2.4 or c[k] / 12.92
    end
    return light
end

--- shading.normals(mesh): a unit vector for each vertex, 0 where no triangle has an area.
function shading.normals(mesh)
    local sums <close> = rill.stream("int", 3 * mesh.positions.size)
    kernels:program().gather_normals(mesh.triangles, mesh.positions, sums)
    return kernels:program().normals(sums, mesh.positions)
end

return shading
