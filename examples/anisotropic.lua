-- A low-pass filter that keeps edges: the mean of the neighbors whose color is similar (the GPGPU chapter, exercise 28.3-3).
--
--     lua5.4 examples/anisotropic.lua [radius [picture.png [directory]]]        4, a synthetic picture, out
--
-- Each pixel reads the square around it. A neighbor counts if the Euclidean distance of its color from the pixel's is below a threshold. Noise is
-- below the threshold and averages out. Colors across an edge are above it, so edges remain. A Gaussian of the same size blurs both.
-- rill.image.bilateral is the same idea with smooth weights. The script checks some pixels against plain Lua, and that less than half of the
-- added noise and less error than with a Gaussian remains.
local rill = require "rill"

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local balloons = dofile(here .. "support/balloons.lua")

local passes = rill.program [=[
    kernel void smoothen(int radius, float near, vec3 p[][], out vec3 r<>) {
        ivec2 here = indexof(r).xy;
        vec3 c = p[here], sum = vec3(0.0);
        float count = 0.0;
        for (int j = -radius; j <= radius; j++)
            for (int i = -radius; i <= radius; i++) {
                vec3 other = p[here + ivec2(i, j)];
                float part = distance(other, c) < near ? 1.0 : 0.0;
                sum += part * other;
                count += part;
            }
        r = sum / count;
    }
    kernel void soil(float size, vec3 noise<>, vec3 p<>, out vec3 r<>) { r = p + size * noise; }
    kernel void squares(vec3 a<>, vec3 b<>, out float r<>) { r = dot(a - b, a - b) / 3.0; }
]=]

--- Returns, for each pixel, the mean of the pixels in the square around it whose color is within `near` of the pixel's.
local function smoothen(picture, radius, near)
    return passes.smoothen {radius = radius, near = near, p = picture, shape = picture.shape}
end

--- Returns the result for one pixel, row y and column x (1-based), in plain Lua. `rows` are rows of colors.
local function one_pixel(rows, y, x, radius, near)
    local sum, count, c = {0, 0, 0}, 0, rows[y][x]
    for j = y - radius, y + radius do
        for i = x - radius, x + radius do
            local row = rows[math.max(1, math.min(#rows, j))]
            local o = row[math.max(1, math.min(#row, i))]
            if math.sqrt((o[1] - c[1]) ^ 2 + (o[2] - c[2]) ^ 2 + (o[3] - c[3]) ^ 2) < near then
                count = count + 1
                for k = 1, 3 do sum[k] = sum[k] + o[k] end
            end
        end
    end
    return {sum[1] / count, sum[2] / count, sum[3] / count}
end

--- Returns the root mean square difference of two images.
local function error_of(a, b)
    return math.sqrt(passes.squares(a, b):mean())
end

if ... == "module" then
    return {smoothen = smoothen, one_pixel = one_pixel, error_of = error_of}
end

local radius, path, directory = ...
radius = assert(math.tointeger(tonumber(radius or 4)), "radius: expected a whole number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local NOISE <const>, NEAR <const> = 0.05, 0.3
local picture = path and rill.image.load(path, "vec3") or balloons.scene {shape = {384, 512}}
local noise = rill.random({picture.size, 3}, {distribution = "normal", seed = 1})
local soiled = passes.soil(NOISE, rill.stream("vec3", picture.shape, noise:bytes()), picture)
local clean = smoothen(soiled, radius, NEAR)
local rows = soiled:read()
for k = 1, 40 do
    local y, x = 1 + 7919 * k % #rows, 1 + 104729 * k % #rows[1]
    local want, got = one_pixel(rows, y, x, radius, NEAR), clean:get(y, x)
    for c = 1, 3 do assert(math.abs(want[c] - got[c]) < 0.02, ("row %d, column %d is wrong"):format(y, x)) end
end
local before, after = error_of(soiled, picture), error_of(clean, picture)
local blurred = error_of(rill.image.gaussian(soiled, radius / 2), picture)
assert(path or after < 0.5 * before and after < blurred, "too much noise remains, or edges are blurred")
rill.image.save(rill.concat({soiled, clean}, 2), directory .. "/anisotropic.png")
print(("  root mean square error: %.4f with noise, %.4f filtered, %.4f after a Gaussian"):format(before, after,
    blurred))
print(("  %s/anisotropic.png: the image with noise, and filtered"):format(directory))
