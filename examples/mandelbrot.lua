-- The Mandelbrot set: a kernel without inputs, whose launch gives the shape of its output.
--
--     lua5.4 examples/mandelbrot.lua [size [directory]]        512 out
local rill = require "rill"

local passes = rill.program [[
    // Counts the steps until z = z^2 + c leaves the disc of radius 16, with a fraction that makes the count continuous, or
    // returns `rounds`. c is the center of the pixel.
    kernel void escape(vec2 corner, float pixel, int rounds, out float steps<>) {
        vec2 c = corner + pixel * (vec2(indexof(steps).xy) + 0.5), z = vec2(0.0);
        steps = float(rounds);
        for (int k = 0; k < rounds; k++) {
            z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
            if (dot(z, z) > 256.0) {
                steps = float(k + 1) - log2(0.125 * log2(dot(z, z)));
                break;
            }
        }
    }

    // Colors cycle through dark blue, white and amber, about once per octave of steps. The set is black.
    kernel void color(float inside, float steps<>, out vec3 c<>) {
        float t = 0.35 * log2(max(steps, 0.0) + 1.0);
        vec3 wave = 0.5 - 0.5 * cos(6.2831853 * (t * vec3(1.0, 1.0, 0.9) + vec3(0.06, 0.0, 0.85)));
        c = steps >= inside ? vec3(0.0) : mix(vec3(0.02, 0.03, 0.12), vec3(1.0, 0.95, 0.85), wave);
    }
]]

--- Returns the continuous escape steps over the square of side `side` with the given corner (least x and y). The first row has the least y.
local function escape(size, corner, side, rounds)
    return passes.escape{corner = corner, pixel = side / size, rounds = rounds, shape = {size, size}}
end

--- Returns an image of escape steps.
local function color(steps, rounds)
    return passes.color(rounds, steps)
end

if ... == "module" then
    return {escape = escape, color = color}
end

local size, directory = ...
size, directory = assert(math.tointeger(tonumber(size or 512)), "size: expected a whole number"), directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local rounds = 500
local function draw(name, text, corner, side)
    local path = directory .. "/" .. name
    rill.image.save(color(escape(size, corner, side, rounds), rounds), path)
    print(("  %s: %s"):format(path, text))
end
draw("mandelbrot.png", "the whole Mandelbrot set", {-2, -1.25}, 2.5)
draw("mandelbrot-valley.png", "spirals in the valley between its two largest discs", {-0.7501, 0.0985}, 0.012)
