-- Image filters: the filters of rill.image on a photograph, side by side on one contact sheet (chapter 28.3 and 28.4 of "GPGPU").
--
--     lua5.4 examples/photo.lua [picture.png or .pgm [directory]]        a synthetic picture, out
--
-- An image is a stream of vec3, {rows, columns}, with values from 0 to 1, and a filter is a function from images to images. Filters can be nested,
-- and nothing leaves the device until the sheet is saved. Steps that rill.image does not have (noise, ink, a histogram's bars) are kernels of
-- a few lines. Filters that add light, such as tone mapping, work on linear light, the others on the image as it is stored.
local rill = require "rill"

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local balloons = dofile(here .. "support/balloons.lua")
local image = rill.image

local passes = rill.program [=[
    kernel void bars(uint bins[], float highest, out vec3 c<>) {
        ivec4 at = indexof(c), size = sizeof_stream(c);
        float level = (float(at.x) + 0.5) / float(size.x);
        float height = float(bins[int(level * float(sizeof_stream(bins).x))]) / highest;
        float above = (float(size.y - at.y) - 0.5) / float(size.y) - 0.96 * sqrt(height);
        c = above < 0.0 ? mix(vec3(0.35, 0.15, 0.45), vec3(1.0, 0.75, 0.40), level) : vec3(0.06, 0.06, 0.09);
    }
    kernel void soil(float share, vec3 p<>, out vec3 r<>) {
        float noise = random();
        r = noise < 0.5 * share ? vec3(0.0) : noise < share ? vec3(1.0) : p;
    }
    kernel void ink(bool line<>, vec3 p<>, out vec3 r<>) { r = line ? 0.15 * p : p; }
    kernel void raise(vec3 p<>, out vec3 r<>) { r = clamp(0.5 + p, 0.0, 1.0); }
    kernel void white(float x<>, out vec3 r<>) { r = vec3(min(x, 1.0)); }
    kernel void white_where(bool x<>, out vec3 r<>) { r = vec3(x ? 1.0 : 0.0); }
]=]

local photo = {}

--- Loads an image file, or returns a synthetic image.
function photo.open(path)
    return path and image.load(path, "vec3") or balloons.scene{shape = {384, 512}}
end

--- Returns the luminance of an image.
function photo.brightness(picture)
    return image.convert(picture, "srgb", "gray")
end

--- Returns an image, of a shape, of the histogram of 256 levels of brightness. Heights are square roots of counts.
function photo.histogram(picture, shape)
    local bins = photo.brightness(picture):histogram{bins = 256, min = 0, max = 1}
    return passes.bars{bins = bins, highest = bins:max(), shape = shape}
end

--- Adds salt-and-pepper noise to a share of the pixels.
function photo.soil(picture, share)
    return passes.soil:seed(1)(share, picture)
end

--- Brightens shadows and keeps highlights, by tone mapping with the mean `key` and the brightest pixel as white.
function photo.tone(picture, key)
    return image.convert(image.tonemap(image.convert(picture, "srgb", "linear"), {key = key}), "linear", "srgb")
end

--- Returns a drawing: the image smoothed, in a few levels of brightness, with ink along its edges.
function photo.drawing(picture)
    local flat = image.bilateral(picture, {sigma_space = 2, sigma_range = 0.15})
    local hsv = image.convert(flat, "srgb", "hsv")
    local levels = image.cel(hsv.z, {levels = 8})
    local drawn = image.convert(rill.vec3(hsv.x, hsv.y, levels), "hsv", "srgb")
    local lines = image.canny(picture, {low = 0.015, high = 0.04}):cast "float"
    return passes.ink(image.dilate(lines, {{1, 1}, {1, 1}}):gt(0), drawn)
end

--- Returns the image, reduced to at most `width` pixels of width.
function photo.fit(picture, width)
    local rows, columns = table.unpack(picture.shape)
    if columns <= width then
        return picture
    end
    return image.resize(picture, {math.max(1, rows * width // columns), width}, {filter = "area"})
end

--- Returns one image of several images of one shape, `across` in a row.
function photo.sheet(pictures, across)
    local rows, columns = table.unpack(pictures[1].shape)
    local gap = 6
    local down = (#pictures + across - 1) // across
    local sheet = rill.stream("vec3", {down * (rows + gap) + gap, across * (columns + gap) + gap}, {0.95, 0.95, 0.93})
    for k, picture in ipairs(pictures) do
        local top, left = (k - 1) // across * (rows + gap) + gap, (k - 1) % across * (columns + gap) + gap
        sheet:write(picture, {top + 1, left + 1}, {top + rows, left + columns})
    end
    return sheet
end

if ... == "module" then
    return photo
end

local path, directory = ...
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local picture = photo.open(path)
local brightness = photo.brightness(picture)
print(("  %s, %s: brightness %.3f to %.3f, mean %.3f, deviation %.3f"):format(path or "a synthetic picture",
    picture.shape, brightness:min(), brightness:max(), brightness:mean(), brightness:std()))

local relief = {{-1, -1, 0}, {-1, 0, 1}, {0, 1, 1}}
local soiled = photo.soil(picture, 0.06)
local panels = {
    {"original", picture},
    {"histogram", photo.histogram(picture, picture.shape)},
    {"tone mapping", photo.tone(picture, 0.25)},
    {"Gaussian", image.gaussian(picture, 2.5)},
    {"correlation with a relief", passes.raise(image.correlate(picture, relief))},
    {"Sobel gradient", passes.white((image.sobel(brightness)))},
    {"Canny edges", passes.white_where(image.canny(picture, {low = 0.015, high = 0.04}))},
    {"salt-and-pepper noise", soiled},
    {"3 x 3 median of the noisy image", image.median(soiled, 1)},
    {"Perona and Malik's diffusion", image.diffuse(picture, {k = 0.06, steps = 60})},
    {"bilateral filter", image.bilateral(picture, {sigma_space = 3, sigma_range = 0.15})},
    {"drawing: few levels, and ink", photo.drawing(picture)},
}
local across, small = 4, {}
for k, panel in ipairs(panels) do
    small[k] = photo.fit(panel[2], 512)
end
image.save(photo.sheet(small, across), directory .. "/photo.png")
print(("  %s/photo.png: a contact sheet, in rows of %d:"):format(directory, across))
for k = 1, #panels, across do
    local titles = {}
    for _, panel in ipairs{table.unpack(panels, k, k + across - 1)} do
        titles[#titles + 1] = panel[1]
    end
    print("    " .. table.concat(titles, "; "))
end
