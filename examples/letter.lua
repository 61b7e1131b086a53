-- Smoke that forms a letter: the velocities with which a ball of smoke must start to become an R.
--
--     lua5.4 examples/letter.lua [iterations [directory]]        20 out
--
-- As McNamara and others (2004) control fluids: the smoke and its velocity are carried by the flow, and a projection keeps the flow free of
-- divergence in each step. The difference between the last density and the letter is differentiated through all steps with respect to the
-- velocities at the start and to three gusts of wind later, and L-BFGS minimizes it.
local rill = require "rill"

local N <const>, STEPS <const>, GUSTS <const>, SWEEPS <const> = 64, 32, 4, 16

local program = rill.program [[
    // Carries a quantity by the velocity, in cells per step (semi-Lagrangian).
    kernel void carry_flow(vec2 q[][], vec2 v<>, out vec2 r<>) { r = sample(q, vec2(indexof(r).xy) - v); }
    kernel void carry_smoke(float q[][], vec2 v<>, out float r<>) { r = sample(q, vec2(indexof(r).xy) - v); }
    kernel void divergence(neighbor(zero) vec2 v<>, out float r<>) {
        r = 0.5 * (v[ivec2(1, 0)].x - v[ivec2(-1, 0)].x + v[ivec2(0, 1)].y - v[ivec2(0, -1)].y);
    }
    // A sweep of Jacobi's method for the pressure, and the subtraction of its gradient.
    kernel void sweep(neighbor(zero) float p<>, float d<>, out float r<>) {
        r = 0.25 * (p[ivec2(1, 0)] + p[ivec2(-1, 0)] + p[ivec2(0, 1)] + p[ivec2(0, -1)] - d);
    }
    kernel void project(neighbor(zero) float p<>, vec2 v<>, out vec2 r<>) {
        r = v - 0.5 * vec2(p[ivec2(1, 0)] - p[ivec2(-1, 0)], p[ivec2(0, 1)] - p[ivec2(0, -1)]);
    }
    kernel void ball(out float s<>) {
        vec2 p = (vec2(indexof(s).xy) + 0.5) / float(sizeof_stream(s).x) - vec2(0.5, 0.5);
        s = smoothstep(0.255, 0.215, length(p));
    }
    float segment(vec2 p, vec2 a, vec2 b) {
        vec2 d = b - a;
        return distance(p, a + clamp(dot(p - a, d) / dot(d, d), 0.0, 1.0) * d);
    }
    kernel void letter(out float s<>) {
        vec2 p = (vec2(indexof(s).xy) + 0.5) / float(sizeof_stream(s).x);
        float d = min(segment(p, vec2(0.34, 0.2), vec2(0.34, 0.8)), segment(p, vec2(0.48, 0.5), vec2(0.68, 0.8)));
        d = min(d, min(segment(p, vec2(0.34, 0.2), vec2(0.5, 0.2)), segment(p, vec2(0.34, 0.5), vec2(0.5, 0.5))));
        d = min(d, p.x > 0.5 ? abs(distance(p, vec2(0.5, 0.35)) - 0.15) : 1.0);
        s = smoothstep(0.07, 0.03, d);
    }
    kernel void paint(float s<>, out vec3 c<>) {
        c = mix(vec3(0.04, 0.05, 0.10), vec3(0.25, 0.20, 0.50), smoothstep(0.0, 0.4, s));
        c = mix(mix(c, vec3(0.90, 0.45, 0.35), smoothstep(0.3, 0.75, s)), vec3(1.0, 0.95, 0.8), smoothstep(0.7, 1.05, s));
    }
]]

local function project(v)
    local d = program.divergence(v)
    local p = d:like()
    for _ = 1, SWEEPS do p = program.sweep(p, d) end
    return program.project(p, v)
end

--- Returns the density after all steps. seen(step, density), if given, is called after each step.
local function simulate(gusts, seen)
    local v, s = rill.stream("vec2", {N, N}), program.ball {shape = {N, N}}
    for step = 0, STEPS - 1 do
        local gust = step % (STEPS // GUSTS) == 0 and gusts[step // (STEPS // GUSTS) + 1]
        v = project(gust and (v + gust):eval() or v)
        s, v = program.carry_smoke(s, v), program.carry_flow(v, v)
        if seen then seen(step + 1, s) end
    end
    return s
end

local iterations, directory = ...
iterations = assert(math.tointeger(tonumber(iterations or 20)), "iterations: expected a whole number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local wanted, gusts = program.letter {shape = {N, N}}, {}
for k = 1, GUSTS do gusts[k] = rill.stream("vec2", {N, N}) end
local f = rill.value_and_grad(function(...)
    local penalty = 0
    for _, gust in ipairs {...} do penalty = penalty + 1e-3 * rill.dot(gust, gust):mean() end
    return ((simulate {...} - wanted) ^ 2):mean() + penalty
end)
local opt = rill.optimize.lbfgs(gusts, {iterations = 5, history = 20})
local start, value = rill.clock(), nil
local progress <close> = rill.progress(iterations, "letter")
for _ = 1, iterations // 5 do
    value = opt:step(f)
    progress:step(5)
end
progress:close()

local panels = {program.ball {shape = {N, N}}}
local last = simulate(gusts, function(step, s) if step % (STEPS // GUSTS) == 0 then panels[#panels + 1] = s end end)
for i, s in ipairs(panels) do panels[i] = program.paint(rill.image.resize(s, {3 * N, 3 * N})) end
rill.image.save(rill.concat(panels, 2), directory .. "/letter.png")
print(("  %d iterations of %d steps in %.1f s: the loss is %.4f, the density differs by %.3f on average"):format(
    iterations, STEPS, rill.clock() - start, value, rill.abs(last - wanted):mean()))
print(("  %s/letter.png: the smoke at the start and after each quarter of the time"):format(directory))
