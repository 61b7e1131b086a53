-- The kernels of rill.volume, whose names are not those a transfer function of the user's may have. Rays go through the middles of pixels; places along them
-- are in units of the least spacing from where they begin, places in the volume in voxels, whose middles are whole numbers.
local isosurface = require "rill.glsl.snippets.isosurface"
local template = require "rill.glsl.template"
local texts <const> = template.sections "rays"

local rays = {}

rays.STEPS = isosurface.STEPS -- at most, of a ray

-- Names of parameters, as arguments of a call.
local function passed(declared)
    return (declared:gsub("%a[%w]*%s+(%w+), ", "%1, "))
end

template.snippet("volume_ray", texts.ray)

--- rays.program(how, lit): the kernels for a transfer function (transfer.take); `lit`: whether there is a light.
function rays.program(how, lit)
    local details = how.declared .. (lit and "vec3 light, " or "")
    return texts.passes:program {
        before = how.before, details = details, passed = passed(details), transfer = how.body, lit = lit,
        steps = rays.STEPS,
    }
end

return rays
