-- Tone mapping: an image of high dynamic range is mapped to 0 to 1 (the GPGPU chapter, exercise 28.4-2).
--
--     lua5.4 examples/tonemap.lua [size [directory]]        512, out
--
-- The exercise scales an image so that its largest value becomes 1. That value is found by a reduction as in section 28.4.2: each launch takes the maximum
-- of 2 x 2 pixels, until one pixel remains, which the last kernel reads on the device. rill.image.tonemap does the same with rill's reduction. It also
-- has Reinhard's curve: on a linear scale only the lamp in this image is visible. The script checks that all three maxima agree, that the largest value
-- is 1, and that ratios do not change.
local rill = require "rill"

local passes = rill.program [=[
    // Draws a dark room with a lamp that lights the floor and balls.
    kernel void room(out vec3 c<>) {
        vec2 size = vec2(sizeof_stream(c).xy), p = (vec2(indexof(c).xy) + 0.5) / size.y, lamp = vec2(0.72, 0.2);
        float d = distance(p, lamp);
        vec3 light = vec3(1.0, 0.8, 0.5) / (0.01 + d * d);
        c = light * mix(vec3(0.12, 0.15, 0.22), vec3(0.30, 0.22, 0.16), step(0.62, p.y) * (0.6 + 0.4 *
            step(0.0, sin(60.0 * (p.x - 0.5) / (p.y - 0.4)) * sin(12.0 / (p.y - 0.4)))));
        for (int k = 0; k < 3; k++) {
            vec2 q = (p - vec2(0.22 + 0.29 * float(k), 0.66 + 0.07 * float(k % 2))) / 0.12;
            vec3 n = vec3(q, sqrt(max(0.0, 1.0 - dot(q, q))));
            float shade = 0.1 + max(0.0, dot(n, normalize(vec3(lamp - p, 0.25))));
            if (dot(q, q) < 1.0) c = light * shade * (0.25 + 0.35 * vec3(k == 0, k == 1, k == 2));
        }
        if (d < 0.05) c = vec3(300.0, 255.0, 180.0);
    }
    kernel void largest(vec3 p<>, out float r<>) { r = max(max(p.r, p.g), p.b); }
    kernel void halve(float x[][], out float r<>) {
        ivec2 at = 2 * indexof(r).xy;
        r = max(max(x[at], x[at + ivec2(1, 0)]), max(x[at + ivec2(0, 1)], x[at + ivec2(1, 1)]));
    }
    kernel void scale(float most[][], vec3 p<>, out vec3 r<>) { r = p / most[0][0]; }
]=]

--- Returns the largest value as a stream of one pixel. Reads outside are clamped to the edge, which does not change the maximum.
local function reduced(x)
    x = x:boundary "clamp"
    while x.size > 1 do
        local rows, columns = table.unpack(x.shape)
        x = passes.halve {x = x, shape = {(rows + 1) // 2, (columns + 1) // 2}}:boundary "clamp"
    end
    return x
end

local function linear(light)
    return passes.scale(reduced(passes.largest(light)), light)
end

if ... == "module" then
    return {reduced = reduced, linear = linear, room = passes.room}
end

local size, directory = ...
size = assert(math.tointeger(tonumber(size or 512)), "size: expected a whole number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local light = passes.room {shape = {size, size}}
local scaled, library = linear(light), rill.image.tonemap(light, {operator = "linear"})
local most = reduced(passes.largest(light)):get(1, 1)
assert(most == passes.largest(light):max(), "the reductions differ")
assert(rill.length(scaled - library):max() < 1e-6, "rill.image.tonemap gives another result")
assert(math.abs(passes.largest(scaled):max() - 1) < 1e-6, "the largest value is not one")
assert(rill.length(most * scaled / light - 1):max() < 1e-5, "ratios have changed")
local pictures = {}
for k, picture in ipairs {scaled, rill.image.tonemap(light, {key = 0.3})} do
    pictures[k] = rill.image.convert(picture, "linear", "srgb")
end
rill.image.save(rill.concat(pictures, 2), directory .. "/tonemap.png")
print(("  light from %.3g to %.6g; scaled, half of the pixels are darker than %.4f"):format(light.y:min(), most,
    passes.largest(scaled):reshape {size * size}:sort():get(size * size // 2 + 1)))
print(("  %s/tonemap.png: linear scale and Reinhard's curve"):format(directory))
