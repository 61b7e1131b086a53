-- Time: the step there may be, and the passes that move particles. Leapfrog drifts by half a step, finds forces there, kicks by a whole one and drifts
-- on; velocity Verlet kicks by half a step, drifts by a whole one and kicks by half of the new force. Both are of second order and reversible where
-- nothing rubs, and find forces once in a step (Verlet 1967; Hairer, Lubich, Wanner 2003).
local rill = require "rill.core.public"
local neighbours = require "rill.simulation.particle.neighbors"

local integration = {}

-- The pace is {this time step, the one before, the longest there may be, the largest ratio of those so far}. The limits are Monaghan's (1992): sound
-- and particles pass a part of the smoothing length s, h / 2, and forces and viscosity act over it.
local BEAT <const> = [=[
    kernel void beat(float wanted, float part, float s, float sound, float viscous, vec2 most[], inout vec4 pace<>, inout float left<>,
                     inout double time<>) {
        vec2 m = sqrt(most[0]);
        float limit = s / (sound + m.x);
        limit = min(part * (m.y > 0.0 ? min(limit, sqrt(s / m.y)) : limit), viscous);
        float dt = wanted > 0.0 ? wanted : limit;
        if (wanted < 0.0) {
            dt = left / max(ceil(left / limit), 1.0);
            left = dt < left ? left - dt : 0.0;
        }
        pace = vec4(dt, pace.x, limit, max(pace.w, dt / limit));
        time += double(dt);
    }
    reduce void greatest(vec2 m<>, reduce vec2 r<>) { r = max(r, m); }
]=]

local DRIFT <const> = [=[
    kernel void drift(IV mask, V scale, float kick, float share, WALLS vec4 pace[], V a<>, inout V x<>, inout V v<>, inout int count[],
                      out int cell<>) {
        MOVE
        cell = cell_of(IV(grid_place(x, scale)), mask);
        atomicAdd(count[cell], 1);
    }

    // `a` is what force found, and becomes the acceleration. What is measured are squares of speed and acceleration.
    kernel void settle(float kick, float share, V gravity, WALLS vec4 pace[], vec2 state<>, inout V a<>, inout V x<>, inout V v<>,
                       out vec2 measure<>) {
        a = a * state.y + gravity;
        MOVE
        measure = vec2(dot(v, v), dot(a, a));
    }
]=]

local MOVE <const> = [[
        float dt = pace[0].x;
        V speed = v + kick * dt * a, here = x + share * dt * speed;
        COLLIDE
        x = here;
        v = speed;
]]

--- integration.kinds: by the option's word, how much of a time step is kicked and drifted before forces are found and after, and what shares of this
-- step and of the one before lie between the places where they are found.
integration.kinds = {
    leapfrog = {before = {kick = 0, drift = 0.5}, after = {kick = 1, drift = 0.5}, new = 0.5, old = 0.5},
    verlet = {before = {kick = 0.5, drift = 1}, after = {kick = 0.5, drift = 0}, new = 1, old = 0},
}

--- integration.program(dimensions, walls): the kernels beat, greatest, drift and settle; of particles among such walls.
function integration.program(dimensions, walls)
    local holes = {WALLS = walls.parameters, MOVE = MOVE:gsub("COLLIDE", function() return walls.statements end)}
    local text = (BEAT .. DRIFT):gsub("%f[%w_]%u+%f[^%w_]", holes)
    return rill.program(neighbours.text(dimensions, neighbours.cells .. text))
end

return integration
