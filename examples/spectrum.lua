-- The spectrum of an image: periodic stripes are peaks in it, which a filter removes. Upper row of the result: the image with stripes,
-- its spectrum, and the image without stripes. Lower row: the spectrum without stripes, and the low and the high frequencies.
--
--     lua5.4 examples/spectrum.lua [picture.png or .pgm [directory]]        a synthetic picture, out
local rill = require "rill"

local kernels = rill.program [[
    // Draws rings, a disc, and some noise.
    kernel void scene(float grain<>, out float r<>) {
        ivec2 size = sizeof_stream(r).xy;
        vec2 p = (vec2(indexof(r).xy) + 0.5) / float(size.y);
        float rings = 0.5 + 0.5 * cos(160.0 * dot(p, p)), disc = smoothstep(0.21, 0.2, distance(p, vec2(0.6, 0.55)));
        r = mix(0.2 + 0.5 * rings * p.x, 0.9 - 0.4 * p.y, disc) + 0.04 * grain;
    }
    kernel void gray(vec3 p<>, out float r<>) { r = dot(p, vec3(0.2126, 0.7152, 0.0722)); }

    // Adds stripes, as from a bad cable, of so many waves over the width and over the height.
    kernel void stripes(float x<>, vec2 waves, out float r<>) {
        vec2 p = vec2(indexof(r).xy) / vec2(sizeof_stream(r).xy);
        r = x + 0.25 * sin(6.2831853 * dot(p, waves));
    }

    // Returns the frequency of a coefficient; the upper half of the indices are negative frequencies.
    ivec2 frequency(ivec2 at, ivec2 size) { return at - size * ivec2(greaterThan(2 * at, size)); }

    // Band-pass filter with soft edges, in waves over the width of the image.
    kernel void band(vec2 c<>, float low, float high, out vec2 r<>) {
        ivec2 size = sizeof_stream(r).xy, f = frequency(indexof(r).xy, size);
        float far = length(vec2(f.x, float(f.y) * float(size.x) / float(size.y)));
        r = c * (smoothstep(0.8 * low, 1.2 * low + 0.5, far + 0.5) - smoothstep(0.8 * high, 1.2 * high, far));
    }
    // Notch filter: removes one frequency and its negative.
    kernel void notch(vec2 c<>, vec2 waves, float radius, out vec2 r<>) {
        vec2 f = vec2(frequency(indexof(r).xy, sizeof_stream(r).xy));
        r = c * smoothstep(radius, 2.0 * radius, min(distance(f, waves), distance(f, -waves)));
    }
    // Draws the spectrum on a logarithmic scale, with frequency 0 in the center.
    kernel void draw(vec2 c[][], float most, out float r<>) {
        ivec2 size = sizeof_stream(r).xy, at = (indexof(r).xy + (size + 1) / 2) % size;
        r = log(1.0 + length(c[at])) / log(1.0 + most);
    }
]]

local function open(path)
    if path then
        return kernels.gray(rill.image.load(path, "vec3"))
    end
    return kernels.scene(rill.random({384, 512}, {seed = 1, distribution = "normal"}))
end

local function back(spectrum)
    return rill.fft(spectrum, {inverse = true}).x:eval()
end

-- Returns the strongest frequency except for the lowest ones: waves over the width and the height.
local function strongest(spectrum)
    local high <close> = kernels.band(spectrum, 24, 1e9)
    local rows, columns = table.unpack(spectrum.shape)
    local i, j = rill.length(high):argmax()
    local y, x = i - 1, j - 1
    return {2 * x > columns and x - columns or x, 2 * y > rows and y - rows or y}
end

local function spectrum_of(picture)
    local spectrum = rill.fft(picture)
    return spectrum, kernels.draw {c = spectrum, most = rill.length(spectrum):max(), shape = picture.shape}
end

local path, directory = ...
directory = directory or "out"
local picture = open(path)
local spoilt = kernels.stripes(picture, {61, 37})
local spectrum, drawn = spectrum_of(spoilt)
local waves = strongest(spectrum)
local mended = kernels.notch(spectrum, waves, 2)
local clean = back(mended)
print(("  %s pixels: the strongest stripes are %d waves across, %d down"):format(picture.shape, waves[1], waves[2]))
local function apart(s) return ((s - picture) ^ 2):mean() ^ 0.5 end
print(("  root mean square error with the stripes %.4f, without them %.4f"):format(apart(spoilt), apart(clean)))
local low, high = back(kernels.band(mended, 0, 16)), back(kernels.band(mended, 16, 1e9))
local sheet = rill.concat({
    rill.concat({spoilt, drawn, clean}, 2), rill.concat({select(2, spectrum_of(clean)), low, high + 0.5}, 2),
})
os.execute("mkdir -p '" .. directory .. "'")
local to = directory .. "/spectrum.png"
rill.image.save(sheet, to, {min = 0, max = 1})
print("  " .. to)
