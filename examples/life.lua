-- Conway's game of life on a torus: a `neighbor` parameter with the boundary mode `wrap` in the signature.
--
--     lua5.4 examples/life.lua [generations [directory [start]]]        1000 out random
--
-- start: "random", a grid of which three of eight cells are alive, or "pentomino".
local rill = require "rill"

local passes = rill.program [[
    // A cell survives with two or three live neighbors, and becomes alive with three.
    kernel void live(neighbor(wrap) int cell<>, out int r<>) {
        int around = cell[ivec2(-1, -1)] + cell[ivec2(0, -1)] + cell[ivec2(1, -1)]
                   + cell[ivec2(-1,  0)]                      + cell[ivec2(1,  0)]
                   + cell[ivec2(-1,  1)] + cell[ivec2(0,  1)] + cell[ivec2(1,  1)];
        r = around == 3 || (around == 2 && cell[0] == 1) ? 1 : 0;
    }

    // Makes a cell alive with a probability of 3/8.
    kernel void sow(out int cell<>) { cell = random() < 0.375 ? 1 : 0; }

    // The trail of a cell: 1 while it is alive, then decaying slowly.
    kernel void cool(int cell<>, float before<>, out float warmth<>) {
        warmth = cell == 1 ? 1.0 : 0.985 * before;
        warmth = warmth > 1e-6 ? warmth : 0.0;
    }

    kernel void paint(int cell<>, float warmth<>, out vec3 color<>) {
        vec3 trail = mix(vec3(0.02, 0.02, 0.06), vec3(0.10, 0.35, 0.60), warmth);
        color = cell == 1 ? vec3(1.0, 0.93, 0.70) : trail;
    }
]]

--- Returns a world of cells, one byte each, with a pattern of strings in which '#' is alive, at (row, column), 1-based.
local function world(size, picture, row, column)
    local cells = rill.stream("int8", {size, size})
    for i, line in ipairs(picture) do
        for j = 1, #line do
            if line:sub(j, j) == "#" then
                cells:set(1, row + i - 1, column + j - 1)
            end
        end
    end
    return cells
end

--- Returns a world in which each cell is alive with a probability of 3/8.
local function random_world(size, seed)
    return passes.sow({shape = {size, size}, seed = seed}):cast "int8"
end

--- Writes the next generation into `result` and returns it.
local function step(cells, result)
    return passes.live(cells, result)
end

if ... == "module" then
    return {world = world, random_world = random_world, step = step}
end

local generations, directory, start = ...
generations = assert(math.tointeger(tonumber(generations or 1000)), "generations: expected a whole number")
directory, start = directory or "out", start or "random"
assert(start == "pentomino" or start == "random", "start: expected random or pentomino")
os.execute(("mkdir -p '%s'"):format(directory))

-- The R-pentomino takes 1103 generations to settle on an infinite plane. On a torus its gliders return.
local size, panels, pixels, gap = 128, 5, 3, 1
local cells = start == "random" and random_world(size, 1970) or world(size, {".##", "##.", ".#."}, size // 2, size // 2)
local spare, warmth = cells:like(), rill.stream("float", {size, size})
local strip = rill.stream("vec3", {size, panels * (size + gap) - gap}, {0.25, 0.28, 0.35})
local shown = 0
for generation = 0, generations do
    passes.cool(cells, warmth, warmth)
    if generation >= shown * generations / (panels - 1) and shown < panels then
        local left = shown * (size + gap)
        passes.paint(cells, warmth, strip:domain({1, left + 1}, {size, left + size}))
        print(("  generation %4d: %3d cells alive"):format(generation, cells:sum()))
        shown = shown + 1
    end
    cells, spare = step(cells, spare), cells
end
rill.image.save(strip:replicate(pixels, pixels), directory .. "/life.png")
local between = generations // (panels - 1)
print(("  %s/life.png: the %s and its trail, every %d generations"):format(directory,
    start == "random" and "random grid" or "R-pentomino", between))
