-- A darkroom: filters of chapter 28.3 and 28.4 of "GPGPU" on a photograph, side by side on one contact sheet.
--
--     lua5.4 examples/photo.lua [picture.png or .pgm [directory]]        a synthetic picture, out
--
-- A picture is a stream of vec3, {rows, columns}, 0 to 1; every filter works on the three channels alike and repeats the
-- border outside. A gray picture has three equal channels.
local rill = require "rill"

local passes = rill.program [=[
    float luminance(vec3 c) { return dot(c, vec3(0.2126, 0.7152, 0.0722)); }
    kernel void brightness(vec3 p<>, out float r<>) { r = luminance(p); }

    // Counts by atomic additions, a bin per level of brightness.
    kernel void count(vec3 p<>, inout uint bins[]) {
        int last = sizeof_stream(bins).x - 1;
        atomicAdd(bins[clamp(int(round(luminance(p) * float(last))), 0, last)], 1u);
    }
    kernel void bars(uint bins[], float highest, out vec3 c<>) {
        ivec4 at = indexof(c), size = sizeof_stream(c);
        float level = (float(at.x) + 0.5) / float(size.x);
        float height = float(bins[int(level * float(sizeof_stream(bins).x))]) / highest;
        float above = (float(size.y - at.y) - 0.5) / float(size.y) - 0.96 * sqrt(height);
        c = above < 0.0 ? mix(vec3(0.35, 0.15, 0.45), vec3(1.0, 0.75, 0.40), level) : vec3(0.06, 0.06, 0.09);
    }

    // The weights lie under the picture as they are, their middle on the pixel; a convolution turns them by half a turn.
    kernel void correlate(vec3 p[][], float weights[][], out vec3 r<>) {
        ivec2 size = sizeof_stream(weights).xy, corner = indexof(r).xy - size / 2;
        r = vec3(0.0);
        for (int j = 0; j < size.y; j++)
            for (int i = 0; i < size.x; i++)
                r += weights[j][i] * p[corner + ivec2(i, j)];
    }
    kernel void convolve(vec3 p[][], float weights[][], out vec3 r<>) {
        ivec2 size = sizeof_stream(weights).xy, corner = indexof(r).xy + size / 2;
        r = vec3(0.0);
        for (int j = 0; j < size.y; j++)
            for (int i = 0; i < size.x; i++)
                r += weights[j][i] * p[corner - ivec2(i, j)];
    }

    // The element with at most n/2 others below it and more than n/2 not above it.
    kernel void median(int radius, vec3 p[][], out vec3 r<>) {
        ivec2 corner = indexof(r).xy - radius;
        int side = 2 * radius + 1, n = side * side;
        vec3 middle = vec3(n / 2);
        r = vec3(0.0);
        for (int k = 0; k < n; k++) {
            vec3 one = p[corner + ivec2(k % side, k / side)], below = vec3(0.0), same = vec3(0.0);
            for (int m = 0; m < n; m++) {
                vec3 other = p[corner + ivec2(m % side, m / side)];
                below += vec3(lessThan(other, one));
                same += vec3(equal(other, one));
            }
            r = mix(r, one, vec3(lessThanEqual(below, middle)) * vec3(greaterThan(below + same, middle)));
        }
    }

    // Perona and Malik's diffusion, which flows within regions and hardly over their edges: a step.
    vec3 conduct(vec3 d, float edge, int law) {
        vec3 q = d / edge;
        return (law == 1 ? exp(-q * q) : 1.0 / (1.0 + q * q)) * d;
    }
    kernel void diffuse(float edge, float rate, int law, neighbor vec3 u<>, out vec3 r<>) {
        vec3 c = u[0];
        r = c + rate * (conduct(u[ivec2(1, 0)] - c, edge, law) + conduct(u[ivec2(-1, 0)] - c, edge, law)
                      + conduct(u[ivec2(0, 1)] - c, edge, law) + conduct(u[ivec2(0, -1)] - c, edge, law));
    }

    // The mean of those around whose colour is near this one's.
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

    // A drawing: few levels of brightness, and ink where it changes fast.
    kernel void draw(float levels, float ink, neighbor vec3 p<>, out vec3 r<>) {
        float here = max(luminance(p[0]), 1e-3), level = here * levels;
        float flat_level = (floor(level) + smoothstep(0.4, 0.6, fract(level)) ) / levels;
        vec2 slope = vec2(luminance(p[ivec2(1, 0)]) - luminance(p[ivec2(-1, 0)]),
                          luminance(p[ivec2(0, 1)]) - luminance(p[ivec2(0, -1)]));
        r = p[0] * ((flat_level + 0.06) / here) * (1.0 - smoothstep(ink, 2.0 * ink, length(slope)));
    }

    // Tones: linear light and the logarithm of its brightness; then the curve that maps `white` to one.
    kernel void expose(vec3 p<>, out vec3 light<>, out float tone<>) {
        light = pow(p, vec3(2.2));
        tone = log(luminance(light) + 1e-4);
    }
    kernel void develop(float scale, float white, vec3 light<>, out vec3 r<>) {
        float l = scale * luminance(light), w = scale * white;
        r = pow(clamp(scale * light * (1.0 + l / (w * w)) / (1.0 + l), 0.0, 1.0), vec3(1.0 / 2.2));
    }

    kernel void soil(float share, float noise<>, vec3 p<>, out vec3 r<>) {
        r = noise < 0.5 * share ? vec3(0.0) : noise < share ? vec3(1.0) : p;
    }

    // A smaller picture: each pixel the mean of those it covers.
    kernel void shrink(float scale, vec3 p[][], out vec3 r<>) {
        int n = int(ceil(scale));
        vec2 corner = vec2(indexof(r).xy) * scale;
        r = vec3(0.0);
        for (int k = 0; k < n * n; k++)
            r += p[ivec2(corner + (vec2(k % n, k / n) + 0.5) * scale / float(n))];
        r /= float(n * n);
    }

    // A picture for those who have none: balloons over hills, at sunset.
    vec3 balloon(vec3 behind, vec2 p, vec3 paint) {
        float r2 = dot(p, p);
        vec3 normal = vec3(p, sqrt(max(0.0, 1.0 - r2)));
        float stripe = step(0.0, sin(9.0 * atan(normal.x, normal.z)));
        float light = 0.25 + 0.75 * max(0.0, dot(normal, normalize(vec3(0.7, 0.1, 0.7))));
        vec3 c = mix(paint, vec3(0.95, 0.92, 0.85), stripe) * light;
        c = mix(behind, c, smoothstep(1.0, 0.97, r2));
        vec2 basket = abs(p - vec2(0.0, 1.45)) / vec2(0.16, 0.11);
        float rope = abs(abs(p.x) - 0.55 * (1.5 - p.y)) < 0.02 && p.y > 0.85 && p.y < 1.4 ? 1.0 : 0.0;
        return mix(c, vec3(0.22, 0.13, 0.08), max(rope, max(basket.x, basket.y) < 1.0 ? 1.0 : 0.0));
    }
    float grain(vec2 p) { return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453); }
    kernel void scene(out vec3 c<>) {
        ivec4 size = sizeof_stream(c);
        vec2 at = vec2(indexof(c).xy), p = at / float(size.y);
        float sun = distance(p, vec2(1.02, 0.60));
        c = mix(vec3(0.16, 0.22, 0.45), vec3(0.98, 0.62, 0.38), smoothstep(0.0, 0.75, p.y));
        c += 0.5 * exp(-9.0 * sun * sun) * vec3(1.0, 0.7, 0.3);
        c = mix(c, vec3(1.0, 0.96, 0.80), smoothstep(0.075, 0.07, sun));
        c = balloon(c, (p - vec2(0.38, 0.33)) / 0.19, vec3(0.80, 0.14, 0.16));
        c = balloon(c, (p - vec2(0.86, 0.24)) / 0.09, vec3(0.12, 0.38, 0.62));
        c = balloon(c, (p - vec2(1.14, 0.40)) / 0.05, vec3(0.92, 0.62, 0.10));
        for (int k = 0; k < 4; k++) {
            float f = float(k), x = p.x * (2.0 + f) + 3.7 * f;
            float ridge = 0.68 + 0.075 * f + 0.045 * sin(x) + 0.02 * sin(2.7 * x + f) + 0.006 * sin(11.0 * x);
            vec3 hill = mix(vec3(0.50, 0.34, 0.42), vec3(0.07, 0.13, 0.10), f / 3.0);
            hill *= 1.0 + (0.08 + 0.12 * f) * (grain(floor(at / 2.0) + f) - 0.5);
            c = mix(c, hill, smoothstep(0.0, 0.004, p.y - ridge));
        }
        c = clamp(c, 0.0, 1.0);
    }
]=]

local photo = {passes = passes}

--- The picture in a file, or a synthetic one.
function photo.open(path)
    return path and rill.image.load(path, "vec3") or passes.scene{shape = {384, 512}}
end

--- How many pixels have each of the 256 levels of brightness: a stream of uint.
function photo.histogram(picture)
    local bins = rill.stream("uint", 256)
    passes.count(picture, bins)
    return bins
end

--- The histogram drawn, heights by the square root of the count.
function photo.bars(bins, shape)
    return passes.bars{bins = bins, highest = bins:max(), shape = shape}
end

--- A square of Gauss's weights that sum to one.
function photo.gauss(radius, sigma)
    local side = 2 * radius + 1
    local weights = rill.stream("float", {side, side}, function(i, j)
        return math.exp(-((i - radius - 1) ^ 2 + (j - radius - 1) ^ 2) / (2 * sigma * sigma))
    end)
    return weights:map("x / total", {total = weights:sum()})
end

--- Sums of the picture's pixels by weights, a stream {odd, odd}.
function photo.correlate(picture, weights)
    return passes.correlate{p = picture, weights = weights, shape = picture.shape}
end

--- The same with the weights turned by half a turn.
function photo.convolve(picture, weights)
    return passes.convolve{p = picture, weights = weights, shape = picture.shape}
end

--- The median of the (2 radius + 1)^2 pixels around each.
function photo.median(picture, radius)
    return passes.median{radius = radius, p = picture, shape = picture.shape}
end

--- Perona and Malik's diffusion with g = exp(-(d/edge)^2) (law 1) or 1 / (1 + (d/edge)^2) (law 2).
function photo.perona_malik(picture, edge, rate, rounds, law)
    local u, spare = picture, nil
    for _ = 1, rounds do
        local next = passes.diffuse(edge, rate, law, u, spare)
        u, spare = next, u ~= picture and u or nil
    end
    return u
end

--- The mean of the pixels around whose colour is within `near` of the pixel's own.
function photo.smoothen(picture, radius, near)
    return passes.smoothen{radius = radius, near = near, p = picture, shape = picture.shape}
end

--- Flat colours and ink.
function photo.cel(picture)
    local flat = photo.smoothen(photo.smoothen(picture, 3, 0.15), 3, 0.15)
    return passes.draw(5, 0.08, flat)
end

--- Brightens shadows and keeps lights: the brightest pixel, found by a reduction, becomes white, the mean tone `key`.
function photo.tone(picture, key)
    local light, tone = passes.expose(picture)
    local white = passes.brightness(light):max()
    return passes.develop(key / math.exp(tone:mean()), white, light)
end

--- Salt and pepper on a share of the pixels.
function photo.soil(picture, share)
    return passes.soil(share, rill.random(picture.shape, {seed = 1}), picture)
end

--- At most `width` pixels wide.
function photo.fit(picture, width)
    local rows, columns = table.unpack(picture.shape)
    if columns <= width then
        return picture
    end
    local scale = columns / width
    return passes.shrink{scale = scale, p = picture, shape = {math.max(1, math.floor(rows / scale)), width}}
end

--- One picture of several of one shape, `across` in a row.
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
local brightness = passes.brightness(picture)
print(("  %s, %s: brightness %.3f to %.3f, mean %.3f, deviation %.3f"):format(path or "a synthetic picture",
    picture.shape, brightness:min(), brightness:max(), brightness:mean(), brightness:std()))

local relief = rill.from{{-1, -1, 0}, {-1, 1, 1}, {0, 1, 1}}
local edges = rill.from{{-1, -1, -1}, {-1, 8, -1}, {-1, -1, -1}}
local soiled = photo.soil(picture, 0.06)
local panels = {
    {"as it is", picture},
    {"its histogram", photo.bars(photo.histogram(picture), picture.shape)},
    {"tones mapped so that the brightest pixel is white", photo.tone(picture, 0.25)},
    {"convolution with Gauss's weights", photo.convolve(picture, photo.gauss(6, 2.5))},
    {"convolution with a relief", photo.convolve(picture, relief)},
    {"correlation with the same relief", photo.correlate(picture, relief)},
    {"edges", photo.correlate(picture, edges)},
    {"salt and pepper", soiled},
    {"their 3 x 3 median", photo.median(soiled, 1)},
    {"Perona and Malik's diffusion", photo.perona_malik(picture, 0.06, 0.2, 60, 1)},
    {"low-pass that keeps edges", photo.smoothen(picture, 4, 0.2)},
    {"cel shading", photo.cel(picture)},
}
local across, small = 4, {}
for k, panel in ipairs(panels) do
    small[k] = photo.fit(panel[2], 512)
end
rill.image.save(photo.sheet(small, across), directory .. "/photo.png")
print(("  %s/photo.png: a contact sheet, in rows of %d:"):format(directory, across))
for k = 1, #panels, across do
    local titles = {}
    for _, panel in ipairs{table.unpack(panels, k, k + across - 1)} do
        titles[#titles + 1] = panel[1]
    end
    print("    " .. table.concat(titles, "; "))
end
