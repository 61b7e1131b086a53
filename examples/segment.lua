-- Image segmentation: a region grows from a seed over a noisy image and stops at edges (Brook for GPUs, 2004, section 5).
--
--     lua5.4 examples/segment.lua [size [directory]]        384 out
--
-- As in Sherbondy and others (2003), the image is first smoothed by Perona and Malik's diffusion, which hardly crosses edges. Then levels, 1 at the seeds and
-- 0 elsewhere, spread to neighbors by the same law, more slowly where a pixel differs from the seeds, and levels above 0 grow. A step reads the
-- level and the image at a pixel and its four neighbors, ten floats. The region is where levels are above one half. The image is a synthetic slice
-- through two lungs of known shapes. The script checks that each region matches its lung with a Dice coefficient (twice the size of the
-- intersection, divided by the sum of the sizes) of at least 0.98. The result shows the slice, and the regions and seeds over it.
local rill = require "rill"

local slice = rill.program [[
    // Returns a value below 1 if p is inside an ellipse.
    float ellipse(vec2 p, vec2 at, vec2 radii) { vec2 d = (p - at) / radii; return dot(d, d); }
    int lung(vec2 p) {
        float left = ellipse(p, vec2(-0.42, 0.02), vec2(0.27, 0.50 + 0.1 * p.x));
        float right = ellipse(p, vec2(0.42, 0.0), vec2(0.29, 0.52 - 0.1 * p.x));
        bool heart = ellipse(p, vec2(-0.12, 0.22), vec2(0.27, 0.26)) < 1.0;
        return heart ? 0 : left < 1.0 ? 1 : right < 1.0 ? 2 : 0;
    }
    kernel void scan(float size, float noise<>, out float picture<>, out int which<>) {
        vec2 p = 2.0 * (vec2(indexof(picture).xy) + 0.5) / size - 1.0;
        which = lung(p);
        bool body = ellipse(p, vec2(0.0), vec2(0.93, 0.76)) < 1.0;
        bool spine = ellipse(p, vec2(0.0, 0.58), vec2(0.11, 0.12)) < 1.0;
        picture = (spine ? 0.9 : which > 0 ? 0.22 : body ? 0.58 : 0.04) + noise;
    }
    kernel void paint(float picture[][], bool left[][], bool right[][], vec2 seed1, vec2 seed2, out vec3 color<>) {
        ivec2 at = indexof(color).xy;
        int size = sizeof_stream(picture).x;
        bool plain = at.x < size;
        ivec2 p = ivec2(plain ? at.x : at.x - size, at.y);
        vec3 c = vec3(clamp(picture[p], 0.0, 1.0));
        if (!plain && left[p]) c = mix(c, vec3(1.0, 0.55, 0.15), 0.6);
        if (!plain && right[p]) c = mix(c, vec3(0.15, 0.65, 1.0), 0.6);
        bool mark = min(distance(vec2(p), seed1), distance(vec2(p), seed2)) < 0.01 * float(size);
        color = !plain && mark ? vec3(1.0) : c;
    }
]]

--- Returns a slice of size x size pixels, and for each pixel the number of its lung, or 0.
local function scan(size, deviation)
    local noise <close> = rill.random({size, size}, {seed = 3, distribution = "normal", sd = deviation})
    return slice.scan(size, noise)
end

--- Returns the Dice coefficient of two masks: twice the size of the intersection, divided by the sum of the sizes.
local function dice(a, b)
    return 2 * rill.where(a, b:cast "int", 0):sum() / (a:count() + b:count())
end

if ... == "module" then
    return {scan = scan, dice = dice}
end

local size, directory = ...
size, directory = assert(math.tointeger(tonumber(size or 384)), "size: expected a whole number"), directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local picture, which = scan(size, 0.07)
local regions, places = {}, {}
for k, place in ipairs {{0.5, 0.27}, {0.5, 0.75}} do
    places[k] = {math.max(1, size * place[1] // 1 | 0), math.max(1, size * place[2] // 1 | 0)}
    rill.sync()
    local start = rill.clock()
    local region, report = rill.image.segment(picture, {seeds = {places[k]}, tolerance = 0.2, edge = 0.12})
    rill.sync()
    local seconds <const>, match <const> = rill.clock() - start, dice(region, which:eq(k):eval())
    print(("  lung %d: %d pixels after %d steps, %.0f ms; Dice coefficient %.4f"):format(k, region:count(),
        report.iterations, seconds * 1e3, match))
    assert(match >= 0.98, "the region is not the lung")
    regions[k] = region
end
local function seed(k) return {places[k][2] - 1, places[k][1] - 1} end
local drawn = slice.paint {
    picture = picture, left = regions[1], right = regions[2], seed1 = seed(1), seed2 = seed(2),
    shape = {size, 2 * size},
}
rill.image.save(drawn, directory .. "/segment.png")
print(("  %s/segment.png: the slice, and over it two regions grown from the white dots"):format(directory))
