-- The kernels of rill.volume with `iso`: an isosurface, shaded or as water.
local vector = require "rill.core.vector"
local text <const> = require "rill.glsl.template".file "isosurface"
local isosurface = require "rill.glsl.snippets.isosurface"
require "rill.render.volume.rays"

local shell = {}

local function kernels()
    return text:program {steps = isosurface.STEPS}
end

-- Returns the default direction to the light: above the eye, to the left.
local function lamp(camera)
    return vector.map(function(up, right, ahead) return 0.5 * up - 0.4 * right - ahead end, camera.above, camera.right,
        camera.ahead)
end

--- shell.shaded(values, how) renders a shaded surface. values: arguments for the camera and the volume; how: the
-- settings of rill.volume.
function shell.shaded(values, how)
    values.tint, values.background = how.color or {0.86, 0.80, 0.70}, how.background
    values.light = how.light == nil and vector.unit(lamp(how.camera)) or values.light or {0, 0, 0}
    return kernels().volume_surface(values)
end

--- shell.water(values, how) renders a surface that reflects and refracts a sky and a floor.
function shell.water(values, how)
    values.up, values.to_length, values.light = how.camera.up, how.spacing, nil
    values.low = vector.map(function(h) return h / 2 end, how.spacing)
    values.floor_at, values.tile, values.clear = isosurface.surroundings({0, 0, 0}, how.sides, how.camera.up)
    return kernels().volume_water(values)
end

return shell
