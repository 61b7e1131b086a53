-- An inverse problem: the conductivity of a plate at every point, from temperatures that were measured while it was heated.
--
--     lua5.4 examples/plate.lua [cells across [iterations [directory]]]        48 20 out
--
-- The heat equation u' = div(k grad u) + q is integrated in time for several patterns of heated bars, one after the other. The temperatures, with 1 % noise, are
-- known at some times. rill.value_and_grad differentiates the misfit through all steps with respect to the logarithm of k, and L-BFGS
-- minimizes it. The penalty on differences of neighbors is a smooth total variation, which permits sharp edges.
local rill = require "rill"

local program = rill.program [[
    // The flow from a neighbor, with the harmonic mean of the conductivities. It is 0 at the border, since k is 0 outside.
    float flow(float k, float u, float k2, float u2) { return 2.0 * k * k2 / (k + k2) * (u2 - u); }
    kernel void conduct(float dt, neighbor(zero) float u<>, neighbor(zero) float k<>, float q<>, out float r<>) {
        float sum = flow(k, u, k[ivec2(1, 0)], u[ivec2(1, 0)]) + flow(k, u, k[ivec2(-1, 0)], u[ivec2(-1, 0)])
                  + flow(k, u, k[ivec2(0, 1)], u[ivec2(0, 1)]) + flow(k, u, k[ivec2(0, -1)], u[ivec2(0, -1)]);
        r = u + dt * (sum + q);
    }
    kernel void variation(neighbor(clamp) float m<>, out float r<>) {
        float dx = m[ivec2(1, 0)] - m, dy = m[ivec2(0, 1)] - m;
        r = sqrt(dx * dx + dy * dy + 1e-4);
    }
    kernel void bars(vec2 wave, out float q<>) { q = max(sin(dot(vec2(indexof(q).xy), wave)), 0.0); }
    // The true conductivity: 0.3, with an inclusion that conducts well, and one that conducts badly.
    kernel void inclusions(out float k<>) {
        vec2 p = (vec2(indexof(k).xy) + 0.5) / float(sizeof_stream(k).x);
        k = 0.3;
        if (distance(p, vec2(0.34, 0.38)) < 0.16) k = 0.8;
        if (abs(p.x - 0.66) < 0.12 && abs(p.y - 0.62) < 0.2) k = 0.08;
    }
]]
local PERIODS <const>, STEPS <const> = 4, 30 -- temperatures are measured after each period of so many steps

--- Returns the temperatures after each period, for each heater: a list.
local function heat(k, heaters)
    local seen = {}
    for _, q in ipairs(heaters) do
        local u = k:like()
        for step = 1, PERIODS * STEPS do
            u = program.conduct(0.25, u, k, q)
            if step % STEPS == 0 then seen[#seen + 1] = u end
        end
    end
    return seen
end

local n, iterations, directory = ...
n = assert(math.tointeger(tonumber(n or 48)), "cells: expected a whole number")
iterations = assert(math.tointeger(tonumber(iterations or 20)), "iterations: expected a whole number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local heaters = {}
for i, wave in ipairs {{0.4, 0}, {0, 0.4}, {0.25, 0.25}, {0.25, -0.25}} do
    heaters[i] = program.bars {wave = wave, shape = {n, n}}
end
local truth = program.inclusions {shape = {n, n}}
local measured = heat(truth, heaters)
for i, u in ipairs(measured) do
    measured[i] = (u + 0.01 * u:mean() * rill.random({n, n}, {distribution = "normal", seed = i})):eval()
end

local function misfit(m)
    local total = 2e-2 * program.variation(m):mean()
    for i, u in ipairs(heat(rill.exp(m):eval(), heaters)) do
        total = total + ((u - measured[i]) ^ 2):mean() / measured[i]:var()
    end
    return total
end

local m = rill.full({n, n}, math.log(0.3))
local opt = rill.optimize.lbfgs({m}, {iterations = 5, history = 20})
local start, f = rill.clock(), rill.value_and_grad(misfit)
local progress <close> = rill.progress(iterations, "plate")
local before, after = misfit(m), nil
for _ = 1, iterations // 5 do
    after = opt:step(f)
    progress:step(5)
end
progress:close()

local found = rill.exp(m):eval()
local warm = measured[#measured]
local panels = {(warm / warm:max() * truth:max()):eval(), truth, found}
for i, s in ipairs(panels) do panels[i] = s:replicate(320 // n + 1, 320 // n + 1) end
rill.image.save(rill.concat(panels, 2), directory .. "/plate.png", {min = 0, max = 0.8, colormap = "magma"})
print(("  %d iterations in %.1f s: the misfit fell from %.4f to %.4f, and log(k) is off by %.3f on average"):format(
    iterations, rill.clock() - start, before, after, rill.abs(m - rill.log(truth)):mean()))
print(("  %s/plate.png: a measured temperature, the true conductivity, and the one found"):format(directory))
