-- Lid-driven cavity flow: the fluid in a box is dragged along by its lid until a steady vortex forms, with slow eddies in the corners.
--
--     lua5.4 examples/cavity.lua [Reynolds number [cells [directory]]] [--movie]        400 64 out
--
-- This is the standard test case for fluid solvers since Ghia, Ghia and Shin (1982). rill.fluid starts at rest and steps (chapter 28.7.1 of "GPGPU":
-- advection, diffusion, projection) until the velocity on the center lines no longer changes. At the Reynolds numbers 100 and 400 the script checks
-- this velocity against a converged solution (the tables of 1982 are off by up to 0.018 and contain a misprint). The image shows the vorticity and
-- streamlines at Ghia's levels; the eddies in the lower corners rotate in the opposite direction. --movie shows the start.
local rill = require "rill"

-- The converged solution on the center lines at Re 100 and 400: {position, velocity}; u over the height, and v over the width.
local CONVERGED <const> = {
    [100] = {
        u = {{0.9766, 0.84348}, {0.8516, 0.23645}, {0.6172, -0.13881}, {0.4531, -0.21398}, {0.1719, -0.10173}},
        v = {{0.9453, -0.10851}, {0.8047, -0.25354}, {0.5000, 0.05754}, {0.2344, 0.17956}, {0.0781, 0.11102}},
    },
    [400] = {
        u = {{0.9766, 0.76034}, {0.8516, 0.29201}, {0.6172, 0.02102}, {0.4531, -0.17145}, {0.1719, -0.24376}},
        v = {{0.9453, -0.23468}, {0.9063, -0.38985}, {0.8594, -0.45386}, {0.5000, 0.05205}, {0.2344, 0.30347}},
    },
}

local kernels = rill.program [=[
    // The component u, whose sum from the bottom is the stream function, which is 0 along walls.
    kernel float along(vec2 v<>) { return v.x; }
    kernel float turning(neighbor vec2 v<>, float h) {
        return 0.5 / h * (v[ivec2(1, 0)].y - v[ivec2(-1, 0)].y - v[ivec2(0, 1)].x + v[ivec2(0, -1)].x);
    }
    bool passes(float a, vec2 next, float level) { return any(lessThan((a - level) * (next - level), vec2(0.0))); }
    // Draws the vorticity, and lines where the stream function crosses a level. Rows of the grid go up, rows of the image down.
    kernel void draw(float psi[][], float curl[][], float levels[], out vec3 color<>) {
        ivec2 at = indexof(color).xy, last = sizeof_stream(psi).xy - 1;
        at.y = last.y - at.y;
        vec2 next = vec2(psi[min(at + ivec2(1, 0), last)], psi[min(at + ivec2(0, 1), last)]);
        float p = psi[at], lines = 0.0;
        for (int k = 0; k < sizeof_stream(levels).x; k++) lines = passes(p, next, levels[k]) ? 1.0 : lines;
        float t = curl[at] / (abs(curl[at]) + 3.0);
        color = mix(vec3(0.97, 0.96, 0.93), t > 0.0 ? vec3(0.80, 0.26, 0.16) : vec3(0.14, 0.34, 0.66), abs(t));
        color = mix(color, p > 0.0 ? vec3(0.45, 0.05, 0.05) : vec3(0.05, 0.08, 0.16), 0.75 * lines);
    }
]=]
local LEVELS <const> = rill.from {
    -0.1175, -0.115, -0.11, -0.1, -0.09, -0.07, -0.05, -0.03, -0.01, -1e-4, -1e-5, 1e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3,
}

local LONGEST <const> = 40 -- the most seconds simulated, if the flow does not become steady

--- Returns a cavity of unit width at rest, of n x n cells. The lid is the high side of y, and moves with velocity 1.
local function create(reynolds, n)
    return rill.fluid {
        shape = {n, n}, spacing = 1 / n, viscosity = 1 / reynolds, dt = 2 / n, cfl = 4,
        boundary = {y = {"wall", {velocity = {1, 0}}}},
    }
end

--- Returns the velocity on a center line at the position `place`, from 0 to 1, interpolated between cells. k: 1 for u over the height, 2 for v over the width.
local function on_line(values, n, k, place)
    local function at(c)
        if c < 1 or c > n then return (k == 1 and c > n and 2 or 0) - at(math.max(1, math.min(n, c))) end
        local function cell(i, j) return values[2 * ((i - 1) * n + j - 1) + k] end
        local m = n // 2
        return k == 1 and 0.5 * (cell(c, m) + cell(c, m + 1)) or 0.5 * (cell(m, c) + cell(m + 1, c))
    end
    local c = place * n + 0.5
    local low = math.floor(c)
    return at(low) + (c - low) * (at(low + 1) - at(low))
end

local function picture(f, n)
    local v <close> = f.velocity
    local psi <close> = kernels.along(v):scan("add", {axis = 1})
    local curl <close> = kernels.turning(v, 1 / n)
    local size = {384, 384}
    local fine <close> = rill.image.resize((psi / n):eval(), size)
    local turns <close> = rill.image.resize(curl, size)
    return kernels.draw {psi = fine, curl = turns, levels = LEVELS, shape = size}
end

if ... == "module" then
    return {create = create, on_line = on_line, converged = CONVERGED}
end

local words, movie = {}, nil
for _, word in ipairs {...} do
    if word == "--movie" then movie = true else words[#words + 1] = word end
end
local reynolds = assert(tonumber(words[1] or 400), "Reynolds number: expected a number")
local n = assert(math.tointeger(tonumber(words[2] or 64)), "cells: expected a whole number")
local directory = words[3] or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local f, clock = create(reynolds, n), rill.clock()
local frames = movie and rill.animate(directory .. "/cavity-movie.png", 20)
local progress <close> = rill.progress(LONGEST, "cavity")
local before, change
repeat
    for k = 1, n // 2 do
        f:step()
        if frames and f.time < 8 and k % math.max(1, n // 16) == 0 then frames:frame(picture(f, n)) end
    end
    local now = on_line(f.velocity:values(), n, 1, 0.28)
    before, change = now, math.abs(now - (before or 9))
    progress:step(n // 2 * f.dt)
until f.time > 5 and change < 5e-4 or f.time >= LONGEST
progress:close()
if frames then frames:close() end
local values, worst, known = f.velocity:values(), 0, CONVERGED[reynolds]
for k, rows in ipairs {known and known.u, known and known.v} do
    for _, row in ipairs(rows) do worst = math.max(worst, math.abs(on_line(values, n, k, row[1]) - row[2])) end
end
rill.image.save(picture(f, n), directory .. "/cavity.png")
print(("  Re %g, %d x %d cells, %.1f s simulated in %.1f s: the center lines are %s"):format(reynolds, n, n, f.time,
    rill.clock() - clock, known and ("off by at most %.4f"):format(worst) or "not known"))
print(("  %s/cavity.png: vorticity and streamlines"):format(directory))
assert(worst < 0.002 + 0.02 * (64 / n) ^ 2, "the velocity is not that of the converged solution")
