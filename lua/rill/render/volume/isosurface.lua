-- The kernels of rill.volume with `iso`: the surface where values pass one, lit, or as that of water.
local rill = require "rill.core.public"
local vector = require "rill.core.vector"
local lazy = require "rill.core.lazy"
local isosurface = require "rill.glsl.snippets.isosurface"
local rays = require "rill.render.volume.rays"

local shell = {}

local TEXT <const> = [=[
    kernel void volume_surface(CAMERA float stride, float iso, vec3 tint, vec3 light, vec3 background, float s[][][],
                       out vec3 colour<>) {
        RAY(colour)
        o += span.x <= span.y ? span.x * d : vec3(0.0);
        float t = passing(s, iso, 1.0, stride, span.y - span.x, o, d);
        colour = background;
        if (t >= 0.0) {
            vec3 p = o + t * d, to = dot(light, light) > 0.0 ? light : -way;
            vec3 normal = t == 0.0 && span.x > 0.0 ? side_of(p, outer, 0.5, way) : facing(per * slope_of(s, p), way);
            float shine = pow(max(0.0, dot(normal, unit_of(to - way))), 30.0);
            colour = min(tint * (0.2 + 0.8 * max(0.0, dot(normal, to))) + 0.2 * shine, 1.0);
        }
    }
    kernel void volume_water(CAMERA vec3 up, float stride, float iso, vec3 low, vec3 to_length, float clear, vec3 floor_at,
                      float tile, float s[][][], out vec3 colour<>) {
        RAY(colour)
        colour = watery(s, iso, 0.5, stride, eye + spread * aside, way, up, right, low, to_length, per, clear, floor_at, tile);
    }
]=]

local kernels <const> = lazy.once(function()
    return rill.program(isosurface.passing .. isosurface.water .. rays.text(TEXT))
end)

-- Unless told the lamp is above the eye, to the left.
local function lamp(camera)
    return vector.map(function(up, right, ahead) return 0.5 * up - 0.4 * right - ahead end, camera.above, camera.right,
        camera.ahead)
end

--- shell.shaded(values, how): values: of the camera and the volume; how: what rill.volume was told.
function shell.shaded(values, how)
    values.tint, values.background = how.colour or {0.86, 0.80, 0.70}, how.background
    values.light = how.light == nil and vector.unit(lamp(how.camera)) or values.light or {0, 0, 0}
    return kernels().volume_surface(values)
end

--- shell.water(values, how): reflected and refracted light of a sky and a floor.
function shell.water(values, how)
    values.up, values.to_length, values.light = how.camera.up, how.spacing, nil
    values.low = vector.map(function(h) return h / 2 end, how.spacing)
    values.floor_at, values.tile, values.clear = isosurface.surroundings({0, 0, 0}, how.sides, how.camera.up)
    return kernels().volume_water(values)
end

return shell
