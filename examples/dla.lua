-- Diffusion-limited aggregation: particles walk at random until they touch an aggregate, which grows into branches.
--
--     lua5.4 examples/dla.lua [particles [seed [directory]]]        15000 1 out
--
-- Witten and Sander (1981). In a round, many particles walk at the same time, from a circle around the aggregate to a cell next to it. The aggregate does
-- not change while they walk; a second launch then adds their cells. Particles that reach the same cell are one, and all positions are integers. The
-- aggregate therefore depends on the seed only, and not on the device or the order of invocations. Far from the aggregate a particle does not step to one
-- of the four adjacent cells, but jumps to a circle around it that cannot reach the aggregate: a random walk leaves the circle at a point of uniform
-- probability. The script prints the fractal dimension, the slope of log(mass) over log(radius) of discs, which is about 1.71 (Meakin 1983).
local rill = require "rill"

local passes = rill.program [=[
    // Returns the cell, in row-major order, in which a particle stops that starts on the circle of radius r + 2, or -1 if it still moves after many steps.
    // The aggregate is in the circle of radius r around the center of the grid. `away` is the distance to it `age` rounds ago, in each of which it came
    // closer by at most 1. `way` has directions of length 2^15. 0.5 is subtracted so that the errors of square roots do not change integers.
    kernel void walk(float away[][], int age, int grid[][], ivec2 way[], int r, out int cell<>) {
        int size = sizeof_stream(away).x, ways = sizeof_stream(way).x;
        cell = -1;
        ivec2 p = ivec2(size);
        for (int k = 0; k < 100000; k++) {
            ivec2 d = p - size / 2;
            int far = int(sqrt(float(d.x * d.x + d.y * d.y)) - 0.5);
            if (far > 16 * r + 64 || k == 0) {
                p = size / 2 + ((way[random_int(ways)] * (r + 2) + (1 << 14)) >> 15);
                continue;
            }
            bool inside = all(greaterThanEqual(p, ivec2(0))) && all(lessThan(p, ivec2(size)));
            int jump = max(inside ? int(away[p.y][p.x] - 1.5) - age : 0, far - r - 2);
            if (jump < 2 && grid[p.y][p.x - 1] + grid[p.y][p.x + 1] + grid[p.y - 1][p.x] + grid[p.y + 1][p.x] > 0) {
                cell = p.y * size + p.x;
                return;
            }
            if (jump < 2) {
                int turn = random_int(4);
                p[turn / 2] += turn % 2 == 0 ? 1 : -1;
            } else {
                p += (way[random_int(ways)] * jump + (1 << 14)) >> 15;
            }
        }
    }

    // Adds cells to the aggregate. grid is the number of particles before a cell, plus 1. state is the number of particles, and the square of the radius.
    kernel void stick(int cell<>, int time, inout int grid[][], inout int state[]) {
        int size = sizeof_stream(grid).x;
        ivec2 p = ivec2(cell % size, cell / size), d = p - size / 2;
        if (cell >= 0 && atomicCompSwap(grid[p.y][p.x], 0, time) == 0) {
            atomicAdd(state[0], 1);
            atomicMax(state[1], d.x * d.x + d.y * d.y);
        }
    }

    kernel float radius(int grid<>) {
        vec2 d = vec2(indexof(grid).xy - sizeof_stream(grid).xy / 2);
        return grid > 0 ? length(d) : 1e6;
    }

    kernel void paint(int grid<>, float last, out vec3 color<>) {
        float t = float(grid) / last;
        vec3 c = mix(vec3(1.0, 0.95, 0.75), vec3(0.95, 0.45, 0.20), smoothstep(0.0, 0.35, t));
        c = mix(c, vec3(0.75, 0.20, 0.50), smoothstep(0.3, 0.7, t));
        color = grid == 0 ? vec3(0.02, 0.02, 0.06) : mix(c, vec3(0.40, 0.60, 1.00), smoothstep(0.65, 1.0, t));
    }
]=]

local EVERY <const>, FLUX <const> = 16, 0.2 -- rounds between computations of the distance; particles of a round per radius
local way = {}
for i = 1, 1024 do
    local a = 2 * math.pi * (i - 0.5) / 1024
    way[i] = {math.floor(32768 * math.cos(a) + 0.5), math.floor(32768 * math.sin(a) + 0.5)}
end
way = rill.from(way, "ivec2")

--- Returns an aggregate of about `particles` particles: a grid of their order, 0 for empty cells; their number, and the radius.
-- `progress` is a progress bar or nil.
local function grow(size, particles, seed, progress)
    local grid, state = rill.stream("int", {size, size}), rill.from({1, 0}, "int")
    grid:set(1, size // 2 + 1, size // 2 + 1)
    rill.seed(seed)
    local mass, radius = 1, 0
    local away, age
    while mass < particles and 2 * radius < size - 8 do
        age = away and age < EVERY and age + 1 or 0
        if age == 0 then
            if away then away:close() end
            away = rill.image.distance(grid:eq(0))
        end
        local cell <close> = passes.walk {away = away, age = age, grid = grid, way = way, r = radius,
            shape = math.max(1, math.floor(FLUX * radius))}
        passes.stick(cell, mass + 1, grid, state)
        local now, square = table.unpack(state:read())
        if progress then progress:step(now - mass) end
        mass, radius = now, math.ceil(math.sqrt(square))
    end
    away:close()
    return grid, mass, radius
end

--- Returns the slope of log(mass) over log(radius) for discs between two radii.
local function dimension(grid, first, last)
    local bins = passes.radius(grid):histogram{bins = math.floor(last), min = 0, max = math.floor(last)}:read()
    local n, x, y, xx, xy, mass = 0, 0, 0, 0, 0, 0
    local next = first
    for r, count in ipairs(bins) do
        mass = mass + count
        if r >= next then
            local u, v = math.log(r), math.log(mass)
            n, x, y, xx, xy = n + 1, x + u, y + v, xx + u * u, xy + u * v
            next = next * 1.1
        end
    end
    return (n * xy - x * y) / (n * xx - x * x)
end

if ... == "module" then
    return {grow = grow, dimension = dimension}
end

local particles, seed, directory = ...
particles = assert(math.tointeger(tonumber(particles or 15000)), "particles: expected a whole number")
seed = assert(math.tointeger(tonumber(seed or 1)), "seed: expected a whole number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local size = math.ceil(3.4 * particles ^ (1 / 1.71) / 16) * 16
local progress <close> = rill.progress(particles, "dla")
local start = rill.clock()
local grid, mass, radius = grow(size, particles, seed, progress)
progress:close()
print(("  %d particles, radius %d, in %.1f s; fractal dimension %.3f"):format(mass, radius, rill.clock() - start,
    dimension(grid, 8, radius / 2)))
local half = math.min(radius + 4, size // 2 - 1)
local middle = size // 2 + 1
local part = grid:domain({middle - half, middle - half}, {middle + half, middle + half})
rill.image.save(passes.paint(part, mass), directory .. "/dla.png")
print(("  %s/dla.png: the aggregate, colored by time of arrival"):format(directory))
