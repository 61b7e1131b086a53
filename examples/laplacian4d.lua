-- A Laplacian in four dimensions: one kernel runs over a dense array, a sparse grid of pages and a hash grid (Lefohn et al.,
-- Glift, 2006, section 6.1).
--
--     lua5.4 examples/laplacian4d.lua [size [directory]]        48 out
--
-- The data are three balls that appear, move and vanish; the fourth dimension is time. The kernel does not depend on the container.
local rill = require "rill"

local page = 4

local passes = rill.program [[
    // Return the center of a ball, and the sum of the balls at a point, each 1 in its center and 0 outside.
    vec3 ball(int i, float time, float size) {
        float turn = 2.0943951 * float(i) + 3.1415927 * time / size;
        return size * (0.5 + 0.28 * vec3(cos(turn), sin(turn), 0.5 * sin(2.0 * turn)));
    }
    float bump(vec4 here, float size) {
        float sum = 0.0;
        for (int i = 0; i < 3; i++) {
            vec3 away = (here.xyz - ball(i, here.w, size)) / (0.14 * size);
            float rest = max(0.0, 1.0 - dot(away, away));
            sum += rest * rest;
        }
        float time = here.w / (size - 1.0);
        return 4.0 * time * (1.0 - time) * sum; // 0 at the first and last time
    }
    kernel void balls(float size, out float u<>) { u = bump(vec4(indexof(u)), size); }

    kernel void laplacian(neighbor float u<>, out float r<>) {
        r = -8.0 * u[0];
        for (int d = 0; d < 4; d++) {
            ivec4 offset = ivec4(d == 0, d == 1, d == 2, d == 3);
            r += u[offset] + u[-offset];
        }
    }

    // Marks the pages that a ball may touch, including a halo of one element.
    kernel void wanted(int page, float size, out bool r<>) {
        r = false;
        vec4 middle = float(page) * (vec4(indexof(r)) + 0.5);
        for (int t = -1; t <= page; t++)
            for (int i = 0; i < 3; i++) {
                vec3 away = abs(middle.xyz - ball(i, float(page * indexof(r).w + t), size));
                vec3 out_of_page = max(away - 0.5 * float(page) - 1.0, 0.0);
                r = r || dot(out_of_page, out_of_page) < 0.14 * 0.14 * size * size;
            }
    }
    kernel void corner(int pages, int page, int number<>, out ivec4 p<>) {
        int rest = number;
        for (int d = 0; d < 4; d++) { p[d] = page * (rest % pages); rest /= pages; }
    }

    // Draws slices at one depth and several times: the balls, and the Laplacian, positive in orange and negative in blue.
    vec3 warm(float t) { return mix(vec3(0.02, 0.02, 0.05), vec3(1.0, 0.75, 0.4), clamp(t, 0.0, 1.0)); }
    vec3 sign_color(float t) {
        vec3 side = t > 0.0 ? vec3(1.0, 0.55, 0.15) : vec3(0.2, 0.55, 1.0);
        return mix(vec3(0.02, 0.02, 0.05), side, clamp(abs(t), 0.0, 1.0));
    }
    kernel void slices(float u[][][][], float l[][][][], int z, float step, int side, int scale, int gap, float most,
                       out vec3 color<>) {
        ivec2 at = indexof(color).xy;
        int panel = at.x / (side + gap), row = at.y / (side + gap);
        ivec2 p = ivec2(at.x % (side + gap), at.y % (side + gap));
        int w = int(step * (float(panel) + 0.5));
        color = vec3(0.25);
        if (p.x < side && p.y < side) {
            ivec2 c = p / scale;
            color = row == 0 ? warm(u[w][z][c.y][c.x]) : sign_color(l[w][z][c.y][c.x] / most);
        }
    }
]]

--- Returns the coordinates of the first elements of the pages that the balls may touch.
local function corners(size)
    local pages = size // page
    local numbers = passes.wanted(page, size, rill.stream("bool", {pages, pages, pages, pages}))
        :reshape(pages ^ 4 | 0):find "x"
    return passes.corner(pages, page, numbers)
end

-- The three containers, with the functions that create them.
local kinds = {
    {name = "array", make = function(size) return rill.array("float", {size, size, size, size}) end},
    {name = "sparse", make = function(size)
        return rill.sparse("float", {size, size, size, size}, {page = {page, page, page, page}})
    end},
    {name = "hashgrid", make = function()
        return rill.hashgrid("float", {rank = 4, page = {page, page, page, page}})
    end},
}

--- Computes the balls and their Laplacian in a container.
local function run(kind, size)
    local u, r = kind.make(size), kind.make(size)
    local points = corners(size)
    u:allocate(points)
    local all = u:active()
    passes.balls {size = size, u = u, over = all}
    passes.laplacian {u = u, r = r, over = all} -- maps r's pages
    rill.sync()
    local start = rill.clock()
    passes.laplacian {u = u, r = r, over = all}
    rill.sync()
    return {u = u, r = r, over = all, points = points, seconds = rill.clock() - start}
end

if ... == "module" then return {kinds = kinds, run = run, page = page} end

local size, directory = ...
size, directory = assert(math.tointeger(tonumber(size or 48)), "size: expected a whole number"), directory or "out"
size = size // page * page
os.execute(("mkdir -p '%s'"):format(directory))

local first
for _, kind in ipairs(kinds) do
    local result = run(kind, size)
    first = first or result
    print(("  %-8s %8d elements, %6.1f MiB, Laplacian %6.2f ms"):format(kind.name, result.over.size,
        (result.u.nbytes + result.r.nbytes) / 2 ^ 20, result.seconds * 1e3))
end
local panels, scale, gap = 5, math.max(1, 192 // size), 4
local side = size * scale
local picture = rill.stream("vec3", {2 * side + gap, panels * (side + gap) - gap})
passes.slices(first.u, first.r, size // 2, size / panels, side, scale, gap, 0.25 * (48 / size) ^ 2,
    picture)
rill.image.save(picture, directory .. "/laplacian4d.png")
print(("  %s/laplacian4d.png: the middle slice at %d times, below it its Laplacian"):format(directory, panels))
