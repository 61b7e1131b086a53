-- The kernels of rill.volume, whose names are not those a transfer function of the user's may have. Rays go through the middles of pixels; places along them
-- are in units of the least spacing from where they begin, places in the volume in voxels, whose middles are whole numbers.
local rill = require "rill.core.public"
local isosurface = require "rill.glsl.snippets.isosurface"
local recent = require "rill.core.lru"
local tracing = require "rill.glsl.snippets.ray_box"

local rays = {}

rays.STEPS = isosurface.STEPS -- at most, of a ray

-- `parallel` is 1 where all rays have one direction, else 0. Rays begin in a plane through `eye`, `spread` times as far apart as they are one unit in front
-- of where they meet (parallel rays: 1). DETAILS: the parameters of the transfer function and the light.
local CAMERA <const> =
    "vec3 eye, vec3 right, vec3 above, vec3 ahead, vec2 middle, float focus, float parallel, float spread, vec3 per, "

local TEXT <const> = tracing.unit .. tracing.span .. tracing.slope .. [=[
    // `sum` is colour in front of a place, and how much light comes through: a piece of length ds goes behind it.
    kernel vec4 volume_behind(vec4 sum, float ds, vec3 p, vec3 way, vec3 per, DETAILS float s[][][]) {
        float v = sample(s, p);
        BODY
        SHADE
        float through = exp(-c.w * ds);
        return vec4(sum.xyz + sum.w * (1.0 - through) * c.xyz, sum.w * through);
    }

    kernel void volume_march(CAMERA float step, vec3 background, DETAILS float s[][][], out vec3 colour<>) {
        RAY(colour)
        float n = ceil((span.y - span.x) / step - 1e-3), ds = (span.y - span.x) / max(n, 1.0);
        vec4 sum = vec4(0.0, 0.0, 0.0, 1.0);
        o += span.x * d;
        for (int i = 0; i < STEPS && float(i) < n && sum.w > 1e-4; i++) {
            sum = volume_behind(sum, ds, o + (float(i) + 0.5) * ds * d, way, per, PASSED s);
        }
        colour = sum.xyz + sum.w * background;
    }

    // Slices `step` thick, perpendicular to the camera's axis, in front of which `first` is; a ray has more of each the more it slants.
    kernel void volume_slices(CAMERA float step, float first, int count, DETAILS float s[][][], inout vec4 sum<>) {
        RAY(sum)
        float slant = dot(way, ahead), last = min(float(count), ceil((span.y * slant - first) / step));
        float i = max(0.0, floor((span.x * slant - first) / step));
        for (int n = 0; n < 64 && i < last && sum.w > 1e-4; n++) {
            float from = max((first + i * step) / slant, span.x), to = min((first + (i + 1.0) * step) / slant, span.y);
            sum = volume_behind(sum, max(to - from, 0.0), o + 0.5 * (from + to) * d, way, per, PASSED s);
            i += 1.0;
        }
    }
    kernel void volume_finish(vec4 sum<>, vec3 background, out vec3 colour<>) { colour = sum.xyz + sum.w * background; }
]=]

-- The ray of a pixel: from o along d, in voxels and voxels per length; `way` is its direction.
local RAY <const> = [=[
        vec2 at = (vec2(indexof(%1).xy) - middle) / focus;
        vec3 aside = at.x * right - at.y * above, way = normalize(ahead + (1.0 - parallel) * aside);
        vec3 o = (eye + spread * aside) * per - 0.5, d = way * per, outer = vec3(sizeof_stream(s).xyz) - 1.0;
        vec2 span = span_of(o, d, vec3(-0.5), outer + 0.5);]=]

-- Lambert's law where the volume's values change: the side of lower values is lit. Without a direction the light is the eye's.
local SHADE <const> = [=[
        if (c.w > 0.0) {
            vec3 slope = unit_of(per * slope_of(s, p)), to = dot(light, light) > 0.0 ? light : -way;
            if (slope != vec3(0.0)) c.xyz *= 0.3 + 0.7 * max(0.0, -dot(slope, to));
        }]=]

-- Names of parameters, as arguments of a call.
local function passed(declared)
    return (declared:gsub("%a[%w]*%s+(%w+), ", "%1, "))
end

--- rays.text(text): CAMERA is the parameters of a camera, RAY(name) the ray of the pixel that `name` is at: from o along d, `way` its direction.
function rays.text(text)
    return (text:gsub("RAY%((%a+)%)", RAY):gsub("CAMERA ", CAMERA))
end

local find, keep = recent(16) -- programs

--- rays.program(how, lit): the kernels for a transfer function (transfer.take); `lit`: whether there is a light.
function rays.program(how, lit)
    local key = ("%s %s"):format(how.key, lit)
    local program = find(key)
    if not program then
        local details = how.declared .. (lit and "vec3 light, " or "")
        local text = rays.text(TEXT):gsub("BODY", function() return how.body end)
            :gsub("SHADE", lit and SHADE or ""):gsub("DETAILS ", details):gsub("PASSED ", passed(details))
            :gsub("STEPS", tostring(rays.STEPS))
        program = rill.program(how.before .. text)
        keep(key, program)
    end
    return program
end

return rays
