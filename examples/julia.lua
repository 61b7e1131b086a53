-- A Julia set by inverse iteration: thousands of points move onto it at random, with random numbers in the kernel.
--
--     lua5.4 examples/julia.lua [size [directory]]        768 out
--
-- The set is attracting under the inverse of z^2 + c: z becomes one of the two square roots of z - c, chosen at random (the GPGPU chapter, exercise
-- 28.6-2). A point starts at a fixed point of the formula and takes some steps that are not counted. Each further step adds one to its cell of the
-- image by an atomic addition. The script checks that the points found stay on the set under forward iteration.
local rill = require "rill"

local passes = rill.program [=[
    vec2 root(vec2 z) {
        float r = length(z), x = sqrt(max(0.5 * (r + z.x), 0.0)), y = sqrt(max(0.5 * (r - z.x), 0.0));
        return vec2(x, z.y < 0.0 ? -y : y);
    }

    kernel void wander(vec2 c, int unseen, int steps, float reach, vec2 z<>, inout int hits[][], out vec2 last<>) {
        ivec2 size = sizeof_stream(hits).xy;
        last = z;
        for (int k = 0; k < unseen + steps; k++) {
            last = root(last - c) * (random() < 0.5 ? 1.0 : -1.0);
            ivec2 at = ivec2(floor((vec2(last.x, -last.y) / reach * 0.5 + 0.5) * vec2(size)));
            if (k >= unseen && all(greaterThanEqual(at, ivec2(0))) && all(lessThan(at, size))) {
                atomicAdd(hits[at.y][at.x], 1);
            }
        }
    }

    // Returns 1 if z is far outside after some steps of forward iteration.
    kernel void forward(vec2 c, int steps, vec2 z<>, out int left<>) {
        vec2 w = z;
        for (int k = 0; k < steps; k++) w = vec2(w.x * w.x - w.y * w.y, 2.0 * w.x * w.y) + c;
        left = dot(w, w) > 16.0 ? 1 : 0;
    }

    // Draws hits on a logarithmic scale, with some light from the adjacent cells.
    kernel void draw(neighbor int hits<>, float most, out vec3 color<>) {
        float light = float(hits[0]) + 0.25 * float(hits[ivec2(-1, 0)] + hits[ivec2(1, 0)] + hits[ivec2(0, -1)] + hits[ivec2(0, 1)]);
        float t = log(1.0 + light) / log(1.0 + most);
        color = mix(vec3(0.02, 0.02, 0.05), vec3(0.95, 0.35, 0.10), smoothstep(0.0, 0.5, t));
        color = mix(color, vec3(1.0, 0.97, 0.80), smoothstep(0.5, 1.0, t));
    }
]=]

--- Returns the hits {size, size} of `points` points over the square of half-width `reach`, and the last positions of the points.
local function wander(c, size, points, steps, reach)
    local hits = rill.stream("int", {size, size})
    -- z = z^2 + c has the repelling fixed point (1 + sqrt(1 - 4 c)) / 2, which is on the set.
    local re, im = 1 - 4 * c[1], -4 * c[2]
    local r = math.sqrt(re * re + im * im)
    local x, y = math.sqrt(math.max(0, (r + re) / 2)), math.sqrt(math.max(0, (r - re) / 2))
    local start = rill.stream("vec2", points, {(1 + x) / 2, (im < 0 and -y or y) / 2})
    return hits, passes.wander:seed(1)(c, 40, steps, reach, start, hits)
end

--- Returns the number of points that diverge within `steps` steps of forward iteration.
local function leavers(c, points, steps)
    return passes.forward(c, steps, points):sum()
end

if ... == "module" then
    return {wander = wander, leavers = leavers}
end

local size, directory = ...
size, directory = assert(math.tointeger(tonumber(size or 768)), "size: expected a whole number"), directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local c, points, steps <const> = {-0.11, 0.6557}, 1 << 14, 500
local start = rill.clock()
local hits, last = wander(c, size, points, steps, 1.6)
local total, found = hits:sum(), hits:map("min(x, 1)"):sum()
local seconds = rill.clock() - start
assert(total == points * steps, "points were lost")
local left = leavers(c, last, 8)
assert(left == 0, left .. " points are not on the set")
rill.image.save(passes.draw(hits:boundary "zero", hits:max()), directory .. "/julia.png")
print(("  %d points, %d steps each in %.0f ms: %d cells are on the set"):format(points, steps, 1000 * seconds, found))
print(("  %s/julia.png: the Julia set of c = %g + %g i"):format(directory, c[1], c[2]))
