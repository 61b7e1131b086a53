-- The Mandelbrot set by a million iterations: which points never diverge, found in slices, by the points that are still undecided.
--
--     lua5.4 examples/million.lua [size [directory]]        512 out
--
-- z = z^2 + c is iterated 10^6 times from z = c, and what has not left the disc of radius 2 by then is black (the GPGPU chapter, exercise 28.3-4).
-- One launch of so many rounds would hold the device for long, and some drivers cut loops of more than 65,535; so a launch does a slice, and
-- what it has decided leaves the active list. Points are decided in two ways: they diverge, or their orbit comes back, bit by bit, to a place
-- where it has been, and then goes round for ever (Brent 1980 keeps one such place, renewed at every power of two). Checked: the
-- area of what is left is that of the set, 1.50659 (Foerstemann 2012), as nearly as the grid lets it be.
local rill = require "rill"

local passes = rill.program [=[
    vec2 place(ivec4 p, vec2 corner, float pixel) { return corner + pixel * (vec2(p.xy) + 0.5); }

    kernel void begin(vec2 corner, float pixel, out vec4 z<>, out int state<>) {
        z = vec4(place(indexof(z), corner, pixel), 8.0, 8.0);
        state = 0;
    }

    // z is where the orbit is, and the place it is compared with. state: 0 undecided, n > 0 diverged after n rounds, -1 goes round.
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

    // Of 2 x 2 points one pixel: white where it diverges, shaded by how late.
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

--- States of size x size points of the square of side `side` from `corner` on; slices begin short, since most points diverge at once.
-- Returns them, and how many rounds of points were computed.
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
print(("  %.2g rounds of points were done, of %.2g; the area is %.4f"):format(work, rounds * 4.0 * size * size, area))
assert(math.abs(area - 1.50659) < 2 / size, "this is not the area of the set")
rill.image.save(passes.draw {state = state, shape = {size, size}}, directory .. "/million.png")
print(("  %s/million.png: what never diverges is black"):format(directory))
