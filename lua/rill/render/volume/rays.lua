-- The kernels of rill.volume with a transfer function. Their names begin with volume_, so that they do not collide
-- with names in the user's transfer function. Rays pass through pixel centers. Distances along a ray are in units of
-- the smallest spacing, from the start of the ray. Positions in the volume are in voxels, whose centers are integers.
local isosurface = require "rill.glsl.snippets.isosurface"
local template = require "rill.glsl.template"
local texts <const> = template.sections "rays"

local rays = {}

rays.STEPS = isosurface.STEPS -- largest number of steps of a ray

-- Returns the names of declared parameters, as arguments of a call.
local function passed(declared)
    return (declared:gsub("%a[%w]*%s+(%w+), ", "%1, "))
end

template.snippet("volume_ray", texts.ray)

--- rays.program(how, lit) returns the kernels for a transfer function (transfer.take). lit: whether there is a
-- light.
function rays.program(how, lit)
    local details = how.declared .. (lit and "vec3 light, " or "")
    return texts.passes:program {
        before = how.before, details = details, passed = passed(details), transfer = how.body, lit = lit,
        steps = rays.STEPS,
    }
end

return rays
