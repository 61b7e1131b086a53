-- Smoke by the passes of chapter 28.7.1 of "GPGPU" on a collocated grid with Jacobi's method, except for diffusion, whose printed form diverges (see `diffuse`).
-- peer_smoke.c does the same by hand. examples/smoke.lua draws smoke by rill.fluid.
-- A neighbor outside the grid is the nearest cell inside; row 0 is the top.
local rill = require "rill"

local dt = 0.25          -- seconds per step
local viscosity = 0.8    -- cells^2 per second
local confinement = 0.4  -- strength of vorticity confinement
local weight = 0.05      -- downward acceleration by density
local buoyancy = 0.4     -- upward acceleration by temperature
local fade = 0.998       -- factor of the smoke per step
local diffusion_rounds, pressure_rounds = 20, 40

local passes = rill.program [[
    // Numbers close to zero are set to zero, since denormal floats are slow.
    vec2 flush(vec2 a) { return mix(vec2(0.0), a, greaterThan(abs(a), vec2(1e-9))); }

    // Advection: each cell takes the value that was upstream one step before.
    kernel void advect(float dt, vec2 v<>, vec2 field[][], out vec2 r<>) {
        r = flush(sample(field, vec2(indexof(r).xy) - dt * v));
    }

    kernel void curl(neighbor vec2 v<>, out float c<>) {
        c = 0.5 * ((v[ivec2(1, 0)].y - v[ivec2(-1, 0)].y) - (v[ivec2(0, 1)].x - v[ivec2(0, -1)].x));
    }

    // Buoyancy, weight, and vorticity confinement: a force that accelerates an eddy around its center.
    kernel void force(float dt, float confinement, float weight, float buoyancy,
                      vec2 v<>, neighbor float c<>, vec2 smoke<>, out vec2 r<>) {
        vec2 rise = 0.5 * vec2(abs(c[ivec2(1, 0)]) - abs(c[ivec2(-1, 0)]),
                               abs(c[ivec2(0, 1)]) - abs(c[ivec2(0, -1)]));
        vec2 n = rise / (length(rise) + 1e-5);
        r = v + dt * (confinement * c[0] * vec2(n.y, -n.x) + vec2(0.0, weight * smoke.x - buoyancy * smoke.y));
    }

    // One Jacobi iteration for (1 + 4 a) w = before + a (sum of w's neighbors), a = viscosity dt. With the diagonal on the
    // left it converges for every a. The chapter's form, w = before + a (laplacian of w), diverges from a = 1/8 on.
    kernel void diffuse(float a, vec2 before<>, neighbor vec2 w<>, out vec2 r<>) {
        r = (before + a * (w[ivec2(-1, 0)] + w[ivec2(1, 0)] + w[ivec2(0, -1)] + w[ivec2(0,
            1)])) * (1.0 / (1.0 + 4.0 * a));
    }

    kernel void diverge(neighbor vec2 v<>, out float d<>) {
        d = 0.5 * ((v[ivec2(1, 0)].x - v[ivec2(-1, 0)].x) + (v[ivec2(0, 1)].y - v[ivec2(0, -1)].y));
    }

    // One Jacobi iteration for (laplacian of p) = d.
    kernel void relax(neighbor float p<>, float d<>, out float r<>) {
        r = 0.25 * (p[ivec2(-1, 0)] + p[ivec2(1, 0)] + p[ivec2(0, -1)] + p[ivec2(0, 1)] - d);
    }

    // Subtracts the gradient of the pressure, after which the flow is divergence-free. The ball sets the velocity inside.
    kernel void project(vec3 ball, vec2 ball_velocity, vec2 v<>, neighbor float p<>, out vec2 r<>) {
        r = v - 0.5 * vec2(p[ivec2(1, 0)] - p[ivec2(-1, 0)], p[ivec2(0, 1)] - p[ivec2(0, -1)]);
        r = distance(vec2(indexof(r).xy), ball.xy) < ball.z ? ball_velocity : r;
    }

    // Smoke is density and temperature. The flow carries it, the vent adds to it, and it is removed inside the ball.
    kernel void carry(float dt, float fade, vec3 ball, vec3 vent, vec2 inflow,
                      vec2 v<>, vec2 smoke[][], out vec2 r<>) {
        vec2 here = vec2(indexof(r).xy);
        r = flush(fade * sample(smoke, here - dt * v));
        r += distance(here, vent.xy) < vent.z ? dt * inflow : vec2(0.0);
        r *= distance(here, ball.xy) < ball.z ? 0.0 : 1.0;
    }

    // An impulse on still air: fastest at a point, decaying with distance.
    kernel void splat(vec2 at, float radius, vec2 push, out vec2 v<>) {
        vec2 away = (vec2(indexof(v).xy) - at) / radius;
        v = push * exp(-dot(away, away));
    }
]]

local Simulation = {}
Simulation.__index = Simulation

--- Returns air at rest on size x size cells. Each field has two streams: a pass reads one and writes the other, then they are exchanged.
local function create(size)
    local function pair(type)
        return rill.stream(type, {size, size}), rill.stream(type, {size, size})
    end
    local self = setmetatable({size = size, time = 0}, Simulation)
    self.velocity, self.velocity_next = pair "vec2"
    self.relaxed, self.relaxed_next = pair "vec2"
    self.smoke, self.smoke_next = pair "vec2"
    self.pressure, self.pressure_next = pair "float"
    self.curl = rill.stream("float", {size, size})
    self.divergence = rill.stream("float", {size, size})
    self.vent = {size // 2, 7 * size // 8, size / 16}
    self:place_ball()
    return self
end

--- Moves the ball; its velocity is the difference of its last two positions per time step.
function Simulation:place_ball()
    local middle, reach = self.size // 2, self.size / 5
    local now, before = reach * math.sin(0.05 * self.time), reach * math.sin(0.05 * (self.time - 1))
    self.ball = {middle + now, middle, self.size / 16}
    self.ball_velocity = {(now - before) / dt, 0}
end

--- Makes the second stream of a field, which a pass has written, the field.
local function swap(self, field)
    local spare = field .. "_next"
    self[field], self[spare] = self[spare], self[field]
end

function Simulation:move()
    passes.advect(dt, self.velocity, self.velocity, self.velocity_next)
    swap(self, "velocity")
    passes.curl(self.velocity, self.curl)
    passes.force(dt, confinement, weight, buoyancy, self.velocity, self.curl, self.smoke, self.velocity_next)
    swap(self, "velocity")
    local from = self.velocity
    for _ = 1, diffusion_rounds do
        passes.diffuse(viscosity * dt, self.velocity, from, self.relaxed_next)
        swap(self, "relaxed")
        from = self.relaxed
    end
end

--- Computes the pressure that makes the velocity divergence-free, starting from the last step's pressure.
function Simulation:press(rounds)
    passes.diverge(self.relaxed, self.divergence)
    for _ = 1, rounds do
        passes.relax(self.pressure, self.divergence, self.pressure_next)
        swap(self, "pressure")
    end
end

function Simulation:step()
    self:place_ball()
    self:move()
    self:press(pressure_rounds)
    passes.project(self.ball, self.ball_velocity, self.relaxed, self.pressure, self.velocity)
    passes.carry(dt, fade, self.ball, self.vent, {0.5, 1}, self.velocity, self.smoke, self.smoke_next)
    swap(self, "smoke")
    self.time = self.time + 1
end

--- Returns the root mean square of the last step's divergence before and after its projection, without the ball's motion.
function Simulation:divergences()
    local projected = passes.project({0, 0, -1}, {0, 0}, self.relaxed, self.pressure)
    local n = math.sqrt(self.divergence.size)
    return self.divergence:norm() / n, passes.diverge(projected):norm() / n
end

--- Returns the same for the projection of an impulse on still air, starting from zero pressure.
local function splat(size)
    local self = create(size)
    passes.splat({size / 2, size / 2}, 3, {10, -20}, self.relaxed)
    self:press(pressure_rounds)
    return self:divergences()
end

return {passes = passes, create = create, splat = splat, pressure_rounds = pressure_rounds}
