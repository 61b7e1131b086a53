-- Root finding for many parameters: cells whose root is found are removed from an active list, so that slow cells do not delay the others.
--
--     lua5.4 examples/regulafalsi.lua [size [directory]]        512 out
--
-- (2 - a - b) x^3 + a x^2 + b x - 1 is -1 at 0 and 1 at 1, so it has a root between them for every a and b (the GPGPU chapter, exercise 28.4-1).
-- Regula falsi narrows an interval by the zero of the chord. It needs a few steps for some parameters and dozens for others, where one end of the
-- interval hardly moves. Launches over all cells continue until the slowest cell is done. The chapter removes finished cells by the depth test. Here
-- rill.active makes a list of the unfinished cells every few steps, and launches with `where` run over this list. The image shows the number of
-- steps (left) and the roots (right). The script checks that both ways give the same bits, and that all equations are solved to the tolerance.
local rill = require "rill"

local passes = rill.program [[
    // Returns the parameters of a cell: a grows to the right, b upwards.
    vec2 parameters(ivec4 p, float size, float reach) {
        return reach * (2.0 * (vec2(p.x, size - 1.0 - float(p.y)) + 0.5) / size - 1.0);
    }
    float value(vec2 c, float x) { return (((2.0 - c.x - c.y) * x + c.x) * x + c.y) * x - 1.0; }

    // ends: x and f at the left and right end of the interval. found: the root, f there, and the number of steps.
    kernel void begin(float size, out vec4 ends<>, out vec3 found<>) {
        ends = vec4(0.0, -1.0, 1.0, 1.0);
        found = vec3(0.0, -1.0, 0.0);
    }
    kernel void narrow(float size, float reach, float most, inout vec4 ends<>, inout vec3 found<>) {
        if (abs(found.y) > most) {
            float x = (ends.x * ends.w - ends.z * ends.y) / (ends.w - ends.y);
            float f = value(parameters(indexof(found), size, reach), x);
            ends = f < 0.0 ? vec4(x, f, ends.zw) : vec4(ends.xy, x, f);
            found = vec3(x, f, found.z + 1.0);
        }
    }
    kernel bool open(vec3 found<>, float most) { return abs(found.y) > most; }

    // Draws steps on a logarithmic scale, dark for few, and roots from blue at 0 to orange at 1.
    kernel void draw(vec3 found[][], int size, float slowest, out vec3 color<>) {
        ivec4 p = indexof(color);
        vec3 f = found[p.y][p.x % size];
        float t = clamp(log2(0.5 * max(f.z, 2.0)) / log2(0.5 * max(slowest, 3.0)), 0.0, 1.0);
        vec3 heat = mix(vec3(0.03, 0.02, 0.10), vec3(0.20, 0.12, 0.45), smoothstep(0.0, 0.2, t));
        heat = mix(heat, vec3(0.85, 0.22, 0.30), smoothstep(0.2, 0.5, t));
        heat = mix(heat, vec3(1.0, 0.95, 0.72), smoothstep(0.5, 1.0, t));
        vec3 root = mix(vec3(0.07, 0.20, 0.45), vec3(1.0, 0.62, 0.18), smoothstep(0.0, 1.0, f.x));
        root *= abs(fract(10.0 * f.x + 0.5) - 0.5) < 0.05 ? 0.72 : 1.0; // a line for every tenth
        color = p.x < size ? heat : root;
    }
]]

local REACH <const>, MOST <const>, EVERY <const>, ROUNDS <const> = 24, 1e-5, 8, 400

--- Solves the equation for size x size parameters. `listed`: uses active lists. Returns (root, f, steps) for each cell, and the number of cell visits.
local function solve(size, listed)
    local ends, found = passes.begin {size = size, shape = {size, size}}
    local visited, steps = 0, 0
    local where, count = nil, size * size
    while count > 0 and steps < ROUNDS do
        for _ = 1, EVERY do
            passes.narrow {size = size, reach = REACH, most = MOST, ends = ends, found = found, where = where}
        end
        visited, steps = visited + EVERY * count, steps + EVERY
        local mask <close> = passes.open(found, MOST)
        if listed then
            where = rill.active(mask)
            count = where.indices.size
        else
            count = mask:any() and size * size or 0
        end
    end
    return found, visited
end

--- Returns the largest residual of an equation, computed in double.
local function worst(found, size)
    local check = rill.kernel [[
        kernel double off(vec3 found<>, double size, double reach) {
            ivec4 p = indexof(found);
            double a = reach * (2.0LF * (double(p.x) + 0.5LF) / size - 1.0LF), x = double(found.x);
            double b = reach * (2.0LF * (size - 1.0LF - double(p.y) + 0.5LF) / size - 1.0LF);
            return abs((((2.0LF - a - b) * x + a) * x + b) * x - 1.0LF);
        }
    ]]
    return check(found, size, REACH):max()
end

if ... == "module" then
    return {solve = solve, worst = worst}
end

local size, directory = ...
size, directory = assert(math.tointeger(tonumber(size or 512)), "size: expected a whole number"), directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local function timed(listed)
    solve(size, listed) -- compiles
    rill.sync()
    local start = rill.clock()
    local found, visited = solve(size, listed)
    rill.sync()
    return found, visited, rill.clock() - start
end
local all, everywhere, slow = timed(false)
local found, visited, quick = timed(true)
assert(all:bytes() == found:bytes(), "active lists give another result")
local off = worst(found, size)
assert(off < 1.2 * MOST, "an equation is off by " .. off)
local slowest = found.z:max()
print(("  %d x %d equations, %.1f steps on average, %d at most; the largest residual is %.2g"):format(size, size,
    found.z:mean(), slowest, off))
print(("  all cells:    %9d visits, %7.1f ms"):format(everywhere, slow * 1e3))
print(("  active cells: %9d visits, %7.1f ms, %.0f %% of the time"):format(visited, quick * 1e3, 100 * quick / slow))
local picture = passes.draw {found = found, size = size, slowest = slowest, shape = {size, 2 * size}}
rill.image.save(picture, directory .. "/regulafalsi.png")
print(("  %s/regulafalsi.png: steps and roots over a and b from %d to %d"):format(directory, -REACH, REACH))
