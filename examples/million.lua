-- The Mandelbrot set by a million iterations, in many launches over an active list of the points that are still undecided.
--
--     lua5.4 examples/million.lua [size [directory]]        512 out
--
-- z = z^2 + c is iterated 10^6 times from z = c, and points that have not left the disc of radius 2 by then are black (the GPGPU chapter, exercise
-- 28.3-4). A single launch would occupy the device for long, and some drivers terminate loops after 65,535 iterations. So a launch runs a slice of the
-- iterations, and decided points leave the active list. A point is decided if it diverges, or if its orbit returns exactly to an earlier point, and so
-- is periodic (Brent 1980 keeps one earlier point, renewed at every power of two). The script checks that the area of the remaining points is that of
-- the set, 1.50659 (Foerstemann 2012), within the accuracy of the grid.
local rill = require "rill"

local passes = rill.program [=[
    vec2 place(ivec4 p, vec2 corner, float pixel) { return corner + pixel * (vec2(p.xy) + 0.5); }

    kernel void begin(vec2 corner, float pixel, out vec4 z<>, out int state<>) {
        z = vec4(place(indexof(z), corner, pixel), 8.0, 8.0);
        state = 0;
    }

    // z.xy is the orbit's point, and z.zw the earlier point that it is compared with. state: 0 undecided, n > 0 diverged after n rounds, -1 periodic.
    kernel void iterate(vec2 corner, float pixel, int done, int slice, inout vec4 z<>, inout int state<>) {
        if (state == 0) {
            vec2 c = place(indexof(z), corner, pixel);
            for (int k = 1; k <= slice; k++) {
                precise vec2 next = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
                int round = done + k;
                if (dot(next, next) > 4.0) { state = round; break; }
                if (next == z.zw) { state = -1; break; }
                z = vec4(next, (round & (round - 1)) == 0 ? next : z.zw);
            }
        }
    }

    kernel bool open(int state<>) { return state == 0; }
    kernel float inside(int state<>) { return state <= 0 ? 1.0 : 0.0; }

    // Draws 2 x 2 points as one pixel: black if they do not diverge, else shaded by the number of rounds.
    kernel void draw(int state[][], out float gray<>) {
        ivec2 p = 2 * indexof(gray).xy;
        gray = 0.0;
        for (int k = 0; k < 4; k++) {
            int n = state[p.y + (k >> 1)][p.x + (k & 1)];
            gray += n > 0 ? 0.25 - 0.2 * smoothstep(3.0, 17.0, log2(float(n))) : 0.0;
        }
    }
]=]

local rounds <const> = 1000000

--- Computes the states of size x size points of the square of side `side` with the given corner. Slices begin short, since most points diverge early.
-- Returns the states, the number of iterations over all points, and the number of rounds.
local function decide(size, corner, side)
    local pixel = side / size
    local z, state = passes.begin {corner = corner, pixel = pixel, shape = {size, size}}
    local done, slice, work = 0, 64, 0
    while done < rounds do
        slice = math.min(slice, rounds - done)
        local mask <close> = passes.open(state)
        local active = rill.active(mask)
        local count = active.indices.size
        if count == 0 then break end
        passes.iterate {corner = corner, pixel = pixel, done = done, slice = slice, z = z, state = state,
            where = active}
        done, work, slice = done + slice, work + slice * count, math.min(2 * slice, 16384)
    end
    return state, work, done
end

if ... == "module" then
    return {decide = decide, inside = passes.inside}
end

local size, directory = ...
size, directory = assert(math.tointeger(tonumber(size or 512)), "size: expected a whole number"), directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local start = rill.clock()
local state, work, done = decide(2 * size, {-2, -1.25}, 2.5)
local inside = passes.inside(state):sum()
local undecided = passes.open(state):cast "int":sum()
local area = inside * (2.5 / (2 * size)) ^ 2
print(("  %d x %d points, %d rounds in slices, %.1f s: %d never diverge, of which %d are undecided"):format(
    2 * size, 2 * size, done, rill.clock() - start, inside, undecided))
print(("  %.2g iterations in all, instead of %.2g; the area is %.4f"):format(work, rounds * 4.0 * size * size, area))
assert(math.abs(area - 1.50659) < 2 / size, "the area is not that of the set")
rill.image.save(passes.draw {state = state, shape = {size, size}}, directory .. "/million.png")
print(("  %s/million.png: points that do not diverge are black"):format(directory))
