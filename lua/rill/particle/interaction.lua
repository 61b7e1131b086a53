-- Density, pressure and forces of the Lagrangian solver (chapter 28.7.2): passes two and three, each a loop over the particles around.
local rill = require "rill"
local neighbours = require "rill.particle.neighbours"
local smoothing = require "rill.particle.smoothing"

local interaction = {}

-- Pressure by the density. Tait's equation (Monaghan 1994): `stiff` is B = rest c^2 / 7; the ideal gas at one temperature: `stiff` is c^2.
local STATES <const> = {
    tait = "float r = rho / rest, r2 = r * r; p = stiff * (r2 * r2 * r2 * r - 1.0);",
    gas = "p = stiff * rho;",
}
local STIFFNESS <const> = {
    tait = function(rest, sound) return rest * sound ^ 2 / 7 end,
    gas = function(_, sound) return sound ^ 2 end,
}

-- What is added up, and the density by it. "sum": the chapter's, of all masses near; "continuity": the old one, changed by what flows together, which
-- knows no lack of neighbours at a free surface.
local DENSITIES <const> = {
    sum = {"weight(sqrt(dot(d, d)) * per_h)", "mass * norm * sum"},
    continuity = {"slope(sqrt(dot(d, d)) * per_h) * dot(v - vs[j], d)", "before + flow * mass * norm * sum"},
}

local DENSITY <const> = [=[
    kernel void density(IV mask, V scale, float per_h, float norm, float mass, float rest, float stiff, float old_share, float new_share,
                        int skip, int most, V x<>, V v<>, float before<>, vec4 pace[], @2 vec2 @3 vec4 @ xs[], V vs[], int first[],
                        inout float partial<>, out float rho<>, out vec2 state<>,
                        out vec4 near<> @2 @3 , out vec4 moving<> @) {
        float sum = skip == 0 ? 0.0 : partial;
        float flow = old_share * pace[0].y + new_share * pace[0].x;
        EACH{ V d = x - xs[j].FIELDS; sum += ADDED; }
        partial = sum;
        rho = RESULT;
        float p;
        STATE
        state = vec2(CUT, 1.0 / max(rho, 1e-6 * rest));
        near = vec4(x, @2 v @3 state.x @);
        @2 @3 moving = vec4(v, state.y); @
    }
]=]

-- What a particle asks of the others stands in whole texels, which devices fetch fastest: place and velocity with the state beside, or, in three
-- dimensions, place and pressure, velocity and volume per mass. The forces are symmetric: what j does to i, i does to j with the sign turned. The particle itself adds nothing, since both differences are zero.
-- `kick` and `drift` are how much of the time step velocity and position move on by; what is measured are squares of speed and acceleration.
local FORCE <const> = [=[
    kernel void force(IV mask, V scale, float per_h, float push, float drag, V gravity, float kick, float drift,
                      int skip, int most, WALLS V x<>, V v<>, vec2 state<>, vec4 pace[], vec4 xs[], @2 vec2 states[] @3 vec4 vs[] @, int first[],
                      inout V partial<>, out V a<>, out V to_x<>, out V to_v<>, out vec2 measure<>) {
        V sum = skip == 0 ? V(0.0) : partial;
        EACH{
            vec4 other = xs[j];
            @2 vec2 acts = states[j];
            V velocity = other.zw; @3 vec4 moving = vs[j];
            vec2 acts = vec2(other.w, moving.w);
            V velocity = moving.xyz; @
            V d = x - other.FIELDS;
            float q = sqrt(dot(d, d)) * per_h;
            sum += (push * (state.x + acts.x) * acts.y * slope(q)) * d + (drag * acts.y * bend(q)) * (velocity - v);
        }
        partial = sum;
        a = sum * state.y + gravity;
        float dt = pace[0].x;
        V speed = v + kick * dt * a, here = x + drift * dt * speed;
        COLLIDE
        to_x = here;
        to_v = speed;
        measure = vec2(dot(speed, speed), dot(a, a));
    }
]=]

--- interaction.states, interaction.densities: the names there are, as keys.
interaction.states, interaction.densities = STATES, DENSITIES

--- interaction.stiffness(state, rest, sound): the constant of the equation of state, for a rest density and the speed of sound there.
function interaction.stiffness(state, rest, sound)
    return STIFFNESS[state](rest, sound)
end

--- interaction.program(how, walls): the kernels `density` and `force`. `how` has dimensions, kernel, laplacian, state, tension and densities (the
-- option's word). `force` moves what drifts out of the walls.
function interaction.program(how, walls)
    local kind = DENSITIES[how.densities]
    local holes = {
        ADDED = kind[1], RESULT = kind[2], STATE = STATES[how.state], CUT = how.tension and "p" or "max(p, 0.0)",
        FIELDS = how.dimensions == 2 and "xy" or "xyz", WALLS = walls.parameters, COLLIDE = walls.statements,
    }
    local text = (DENSITY .. FORCE):gsub("%f[%w_]%u+%f[^%w_]", holes)
    text = smoothing.text(how.kernel, how.laplacian, how.dimensions) .. neighbours.cells .. text
    return rill.program(neighbours.text(how.dimensions, text))
end

return interaction
