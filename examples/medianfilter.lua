-- A 3 x 3 median filter: it removes single wrong pixels and keeps edges (the GPGPU chapter, exercise 28.3-2).
--
--     lua5.4 examples/medianfilter.lua [share of dots [picture.png or .pgm [directory]]]        0.1, a synthetic picture, out
--
-- Each pixel becomes the fifth largest of the 3 x 3 pixels around it. There are no branches: nineteen compare-exchange steps (Devillard 1998, after Paeth
-- 1990) move the median to the middle. A wrong pixel is an extreme among its neighbors, so it is never the median. At a straight edge at least five of nine
-- pixels are on the pixel's side. rill.image.median does the same for any radius. The script checks that both agree bit for bit, and with sorting in
-- plain Lua at some pixels. The remaining error must be less than a third of the error before, and less than with a Gaussian.
local rill = require "rill"

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local balloons = dofile(here .. "support/balloons.lua")

-- The compare-exchange steps: the smaller value of a pair goes to the first index.
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
    // Makes a share of the pixels black or white.
    kernel void soil(float share, float p<>, out float r<>) {
        float dice = random();
        r = dice < 0.5 * share ? 0.0 : dice > 1.0 - 0.5 * share ? 1.0 : p;
    }
    kernel float gray(vec3 c<>) { return dot(c, vec3(0.2126, 0.7152, 0.0722)); }
    kernel float squares(float a<>, float b<>) { return (a - b) * (a - b); }
]=]):gsub("EXCHANGES", table.concat(exchanges, " "))))

--- Returns the median of the 3 x 3 numbers around row y and column x (1-based) of rows of numbers, in plain Lua.
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

--- Returns the root mean square difference of two images.
local function error_of(a, b)
    return math.sqrt(passes.squares(a, b):mean())
end

local share, path, directory = ...
share = assert(tonumber(share or 0.1), "share of dots: expected a number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local picture = passes.gray(path and rill.image.load(path, "vec3") or balloons.scene {shape = {384, 512}})
local soiled = passes.soil:seed(3)(share, picture)
local clean = passes.median(soiled)
assert(clean:bytes() == rill.image.median(soiled, 1):bytes(), "rill.image.median gives another result")
local rows, got = soiled:read(), clean:read()
for k = 1, 100 do
    local y, x = 1 + 7919 * k % #rows, 1 + 104729 * k % #rows[1]
    assert(got[y][x] == one_pixel(rows, y, x), ("row %d, column %d is wrong"):format(y, x))
end
local before, after = error_of(soiled, picture), error_of(clean, picture)
local blurred = error_of(rill.image.gaussian(soiled, 1), picture)
rill.image.save(rill.concat({soiled, clean}, 2), directory .. "/median.png")
print(("  root mean square error: %.4f with dots on %g %% of the pixels, %.4f filtered, %.4f after a Gaussian"):format(
    before, 100 * share, after, blurred))
print(("  %s/median.png: the image with dots, and filtered"):format(directory))
assert(path or share ~= 0.1 or after < before / 3 and after < blurred, "dots remain, or edges are blurred")
