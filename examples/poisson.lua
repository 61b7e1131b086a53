-- The potential around electrodes: Poisson's equation by multigrid, within conjugate gradients for the charges on the electrodes.
--
--     lua5.4 examples/poisson.lua [size [directory]]        512 out
--
-- In a grounded box, -laplace u = q gives the potential u of charges q. For electrodes the voltage u is known, and the charge q on their rims is not.
-- Conjugate gradients find q on the rims. Their operator solves Poisson's equation for q by a few multigrid cycles and takes u on the rims. It is
-- symmetric and positive definite, and its matrix is never stored. Inside a conductor u is then equal to its voltage. The image shows u, its
-- contour lines, and the direction of the field.
local rill = require "rill"

local size, directory = ...
size, directory = assert(math.tointeger(tonumber(size or 512)), "size: expected a whole number"), directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

-- Electrodes: center and half extents or radius as parts of the image, x to the right, y down; and voltage.
local electrodes = {
    {kind = "plate", x = 0.32, y = 0.36, half = {0.16, 0.012}, voltage = 1},
    {kind = "plate", x = 0.32, y = 0.52, half = {0.16, 0.012}, voltage = -1},
    {kind = "disc", x = 0.74, y = 0.34, radius = 0.085, voltage = 0.9},
    {kind = "ring", x = 0.66, y = 0.74, radius = 0.14, voltage = -0.8},
    {kind = "disc", x = 0.66, y = 0.74, radius = 0.03, voltage = 0.6},
    {kind = "disc", x = 0.22, y = 0.79, radius = 0.05, voltage = 0.7},
}

local kernels = rill.program [[
    // Compute distances from the edge of an electrode, negative inside.
    kernel void disc(vec2 middle, float radius, float open, out float d<>) {
        d = distance(vec2(indexof(d).xy), middle) - radius;
        d = open > 0.0 ? abs(d + 0.5 * open) - 0.5 * open : d;
    }
    kernel void plate(vec2 middle, vec2 extent, out float d<>) {
        vec2 p = abs(vec2(indexof(d).xy) - middle) - extent;
        d = length(max(p, 0.0)) + min(max(p.x, p.y), 0.0);
    }
    // Marks the rim: cells inside that are less than a cell from the edge.
    kernel void mark(float d<>, float voltage, inout float rim<>, inout float volts<>) {
        bool here = d <= 0.0 && d > -1.0;
        rim = here ? 1.0 : rim;
        volts = here ? voltage : volts;
    }

    // Draws u in colors from blue to orange, contours every eighth of a volt, and the field as strokes along its lines.
    vec3 tint(float u) {
        vec3 c = u < 0.0 ? vec3(0.16, 0.42, 0.92) : vec3(0.98, 0.52, 0.12);
        float s = abs(u);
        return mix(vec3(0.05, 0.06, 0.09), c, 1.0 - exp(-2.2 * s)) + 0.25 * s * s;
    }
    float noise(vec2 p) {
        uvec2 q = uvec2(ivec2(p)) * uvec2(1597334677u, 3812015801u);
        uint n = (q.x ^ q.y) * 1597334677u;
        return float(n >> 8) / 16777216.0;
    }
    kernel void grain(out float g<>) { g = noise(vec2(indexof(g).xy)); }
    kernel void paint(neighbor float u<>, float inside<>, float potential[][], float grain[][], float scale, out vec3 color<>) {
        vec2 slope = 0.5 * vec2(u[ivec2(1, 0)] - u[ivec2(-1, 0)], u[ivec2(0, 1)] - u[ivec2(0, -1)]);
        float sum = 0.0;
        for (int way = -1; way <= 1; way += 2) {    // line integral convolution (Cabral and Leedom, 1993)
            vec2 p = vec2(indexof(u).xy);
            for (int i = 0; i < 10; i++) {
                sum += sample(grain, p);
                vec2 g = vec2(sample(potential, p + vec2(1, 0)) - sample(potential, p - vec2(1, 0)),
                              sample(potential, p + vec2(0, 1)) - sample(potential, p - vec2(0, 1)));
                p += float(way) * g / (length(g) + 1e-9);
            }
        }
        color = tint(u[0]) * (0.55 + 0.9 * clamp(0.5 + 2.4 * (sum / 20.0 - 0.5), 0.0, 1.0));
        float lines = abs(fract(8.0 * u[0] + 0.5) - 0.5) / (8.0 * length(slope) + 1e-6);
        color += 0.5 * clamp(1.3 - lines, 0.0, 1.0) * step(2e-5 * scale, length(slope) * scale);
        color = mix(color, vec3(0.93, 0.94, 0.96) * (0.75 + 0.25 * sign(u[0])), inside);
    }
    kernel void fill(float d<>, inout float inside<>) { inside = max(inside, clamp(0.5 - d, 0.0, 1.0)); }
]]

local shape = {size, size}
local function field() return rill.stream("float", shape) end
local rim, volts, inside = field(), field(), field()
for _, e in ipairs(electrodes) do
    local middle = {e.x * size, e.y * size}
    local d
    if e.kind == "plate" then
        d = kernels.plate {middle = middle, extent = {e.half[1] * size, e.half[2] * size}, shape = shape}
    else
        local open = e.kind == "ring" and 0.012 * size + 1 or 0
        d = kernels.disc {middle = middle, radius = e.radius * size, open = open, shape = shape}
    end
    kernels.mark(d, e.voltage, rim, volts)
    kernels.fill(d, inside)
end

local grids = rill.solve.hierarchy {shape = shape}
local u, charge, solves = field(), field(), 0
local mask = rill.kernel "kernel void mask(float rim<>, float u<>, out float r<>) { r = rim * u; }"

-- Writes into y the potential on the rims of charges q on the rims.
local function potential_on_rim(q, y)
    mask(rim, q, charge)
    grids:cycle(u:fill(0), charge, 4)
    mask(rim, u, y)
    solves = solves + 1
end

local start = rill.clock()
local q, report = rill.solve.cg(potential_on_rim, volts, {tolerance = 2e-3, iterations = 400, strict = false})
local potential, last = grids:solve(q, {tolerance = 1e-4, strict = false})
local off = (rim * (potential - volts)):eval()
print(("  charges on %d cells: %s"):format(rim:count(), report))
print(("  their potential: %s"):format(last))
print(("  %d Poisson equations on %d x %d cells in %.1f s; on the rims the voltage is off by at most %.4f")
    :format(solves + 1, size, size, rill.clock() - start, math.max(off:max(), -off:min())))
local grain = kernels.grain {shape = shape}
rill.image.save(kernels.paint(potential, inside, potential, grain, size), directory .. "/poisson.png")
print(("  %s/poisson.png"):format(directory))
