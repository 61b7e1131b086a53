-- The median of nine: dots on a picture are gone, edges stay where they were (the GPGPU chapter, exercise 28.3-2).
--
--     lua5.4 examples/medianfilter.lua [share of dots [picture.png or .pgm [directory]]]        0.1, a synthetic picture, out
--
-- Each pixel gathers the 3 x 3 around it and becomes the fifth largest of them. Nothing branches: nineteen exchanges of a smaller and a larger value
-- (Devillard 1998, after Paeth 1990) leave the median in the middle, the other eight half sorted. A dot is an extreme among its neighbours and is
-- never taken; along an edge five of nine are on the pixel's own side. rill.image.median is the same for any radius. Checked: both agree to the
-- bit, so does plain Lua where some pixels are sorted; an error a third of that with dots is left, and less than a Gaussian leaves.
local rill = require "rill"

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local balloons = dofile(here .. "support/balloons.lua")

-- Of each pair the smaller goes to the first place.
local PAIRS <const> = {
    {1, 2}, {4, 5}, {7, 8}, {0, 1}, {3, 4}, {6, 7}, {1, 2}, {4, 5}, {7, 8}, {0, 3}, {5, 8}, {4, 7}, {3, 6}, {1, 4},
    {2, 5}, {4, 7}, {4, 2}, {6, 4}, {4, 2},
}

local exchanges = {}
for k, pair in ipairs(PAIRS) do exchanges[k] = ("EXCHANGE(v%d, v%d)"):format(pair[1], pair[2]) end

local passes = rill.program((([=[
    #define EXCHANGE(a, b) { float low = min(a, b); b = max(a, b); a = low; }
    kernel void median(neighbor float p<>, out float r<>) {
        float v0 = p[ivec2(-1, -1)], v1 = p[ivec2(0, -1)], v2 = p[ivec2(1, -1)];
        float v3 = p[ivec2(-1, 0)], v4 = p[0], v5 = p[ivec2(1, 0)];
        float v6 = p[ivec2(-1, 1)], v7 = p[ivec2(0, 1)], v8 = p[ivec2(1, 1)];
        EXCHANGES
        r = v4;
    }
    // A share of the pixels becomes black or white.
    kernel void soil(float share, float dice<>, float p<>, out float r<>) {
        r = dice < 0.5 * share ? 0.0 : dice > 1.0 - 0.5 * share ? 1.0 : p;
    }
    kernel float gray(vec3 c<>) { return dot(c, vec3(0.2126, 0.7152, 0.0722)); }
    kernel float squares(float a<>, float b<>) { return (a - b) * (a - b); }
]=]):gsub("EXCHANGES", table.concat(exchanges, " "))))

--- The fifth largest of nine in plain Lua, of row y and column x, from 1, of rows of numbers.
local function one_pixel(rows, y, x)
    local list = {}
    for j = y - 1, y + 1 do
        local row = rows[math.max(1, math.min(#rows, j))]
        for i = x - 1, x + 1 do list[#list + 1] = row[math.max(1, math.min(#row, i))] end
    end
    table.sort(list)
    return list[5]
end

if ... == "module" then
    return {median = passes.median, one_pixel = one_pixel}
end

--- How far two pictures are apart, root mean square.
local function error_of(a, b)
    return math.sqrt(passes.squares(a, b):mean())
end

local share, path, directory = ...
share = assert(tonumber(share or 0.1), "share of dots: expected a number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local picture = passes.gray(path and rill.image.load(path, "vec3") or balloons.scene {shape = {384, 512}})
local soiled = passes.soil(share, rill.random(picture.shape, {seed = 3}), picture)
local clean = passes.median(soiled)
assert(clean:bytes() == rill.image.median(soiled, 1):bytes(), "rill.image.median gives another picture")
local rows, got = soiled:read(), clean:read()
for k = 1, 100 do
    local y, x = 1 + 7919 * k % #rows, 1 + 104729 * k % #rows[1]
    assert(got[y][x] == one_pixel(rows, y, x), ("row %d, column %d is wrong"):format(y, x))
end
local before, after = error_of(soiled, picture), error_of(clean, picture)
local blurred = error_of(rill.image.gaussian(soiled, 1), picture)
rill.image.save(rill.concat({soiled, clean}, 2), directory .. "/median.png")
print(("  off by %.4f with dots on %g %% of the pixels, %.4f filtered; a Gaussian leaves %.4f"):format(before,
    100 * share, after, blurred))
print(("  %s/median.png: with dots, and filtered"):format(directory))
assert(path or share ~= 0.1 or after < before / 3 and after < blurred, "dots are left, or edges are not")
