-- Density, pressure and forces of the Lagrangian solver (chapter 28.7.2): passes two and three, each a loop over the particles around.
local rill = require "rill.core.public"
local neighbours = require "rill.simulation.particle.neighbors"
local smoothing = require "rill.simulation.particle.smoothing"

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
    sum = {"", "weight(sqrt(dot(d, d)) * per_h)", "mass * norm * sum[k]"},
    continuity = {
        "@2 V velocity = xs[j].zw; @3 V velocity = vs[j]; @",
        "slope(sqrt(dot(d, d)) * per_h) * dot(@2 xs[own[k]].zw @3 vs[own[k]] @ - velocity, d)",
        "before[i] + flow * mass * norm * sum[k]",
    },
}

-- An invocation computes SHARE particles that are stored one after the other, and so have mostly the same neighbors. Where the last invocation has fewer, it
-- computes the last particle several times and must store it once: sliced sums add to what is stored.
local OWN <const> = [=[
        int own[SHARE];
        V mine[SHARE];
        for (int k = 0; k < SHARE; k++) {
            own[k] = min(SHARE * group + k, count - 1);
            mine[k] = xs[own[k]].FIELDS;
        }
]=]

local DENSITY <const> = [=[
    kernel void density(IV mask, V scale, float per_h, float norm, float mass, float rest, float stiff, float old_share, float new_share,
                        int count, int skip, int most, int group<>, float before[], vec4 pace[], vec4 xs[], @2 @3 V vs[], @ int first[],
                        inout float partial[], inout float to_rho[], inout vec2 state[] @2 @3 , inout vec4 near[], inout vec4 moving[] @) {
        OWN
        float sum[SHARE], flow = old_share * pace[0].y + new_share * pace[0].x;
        for (int k = 0; k < SHARE; k++) sum[k] = 0.0;
        EACH{
            V other = xs[j].FIELDS;
            OTHER
            for (int k = 0; k < SHARE; k++) {
                V d = mine[k] - other;
                float part = ADDED;
                sum[k] += on[k] ? part : 0.0;
            }
        }
        for (int k = 0; k < SHARE; k++) {
            int i = own[k];
            if (SHARE * group + k > i) break;
            GO_ON(sum[k], partial[i], 0.0)
            float rho = RESULT, p;
            STATE
            p = CUT;
            float volume = 1.0 / max(rho, 1e-6 * rest);
            to_rho[i] = rho;
            state[i] = vec2(p, volume);
            @2 @3 near[i] = vec4(mine[k], p);
            moving[i] = vec4(vs[i], volume); @
        }
    }
]=]

-- What a particle asks of the others stands in whole texels, which devices fetch fastest: place and velocity with the state beside, or, in three
-- dimensions, place and pressure, velocity and volume per mass. The forces are symmetric: what j does to i, i does to j with the sign turned. The
-- particle itself adds nothing, since both differences are zero. `a` is the sum, which settle makes an acceleration of.
local FORCE <const> = [=[
    kernel void force(IV mask, V scale, float per_h, float push, float drag, int count, int skip, int most, int group<>, vec4 xs[],
                      @2 vec2 states[] @3 vec4 vs[] @, int first[], inout V a[]) {
        OWN
        V sum[SHARE], v[SHARE];
        float p[SHARE];
        for (int k = 0; k < SHARE; k++) {
            v[k] = @2 xs[own[k]].zw @3 vs[own[k]].xyz @;
            p[k] = @2 states[own[k]].x @3 xs[own[k]].w @;
            sum[k] = V(0.0);
        }
        EACH{
            vec4 other = xs[j];
            @2 vec2 acts = states[j];
            V velocity = other.zw; @3 vec4 moving = vs[j];
            vec2 acts = vec2(other.w, moving.w);
            V velocity = moving.xyz; @
            for (int k = 0; k < SHARE; k++) {
                V d = mine[k] - other.FIELDS;
                float q = sqrt(dot(d, d)) * per_h;
                V part = (push * (p[k] + acts.x) * acts.y * slope(q)) * d + (drag * acts.y * bend(q)) * (velocity - v[k]);
                sum[k] += on[k] ? part : V(0.0);
            }
        }
        for (int k = 0; k < SHARE; k++) {
            if (SHARE * group + k > own[k]) break;
            GO_ON(sum[k], a[own[k]], V(0.0))
        }
    }
]=]

--- interaction.states, interaction.densities: the names there are, as keys.
interaction.states, interaction.densities = STATES, DENSITIES

--- interaction.stiffness(state, rest, sound): the constant of the equation of state, for a rest density and the speed of sound there.
function interaction.stiffness(state, rest, sound)
    return STIFFNESS[state](rest, sound)
end

-- What a launch adds to the sums so far, where launches are divided. So their rounding is that of the longest launch and not of all.
local SLICED <const> = "#define GO_ON(sum, place, none) { sum += skip == 0 ? none : place; place = sum; }\n"
local WHOLE <const> = "#define GO_ON(sum, place, none) { place = sum; }\n"

--- interaction.program(how, share, sliced): the kernels `density` and `force`, whose invocations have `share` particles each; `sliced`: sums go on where
-- the launch before left them, if skip is above 0. `how` has dimensions, kernel, laplacian, state, tension and densities (the option's word).
function interaction.program(how, share, sliced)
    local kind = DENSITIES[how.densities]
    local holes = {
        OWN = OWN, OTHER = kind[1], ADDED = kind[2], RESULT = kind[3], STATE = STATES[how.state],
        CUT = how.tension and "p" or "max(p, 0.0)", FIELDS = how.dimensions == 2 and "xy" or "xyz",
    }
    local text = (DENSITY .. FORCE):gsub("%f[%w_]%u+%f[^%w_]", holes):gsub("FIELDS", holes)
    text = smoothing.text(how.kernel, how.laplacian, how.dimensions) .. neighbours.cells .. text
    return rill.program((sliced and SLICED or WHOLE) .. neighbours.text(how.dimensions, text, share))
end

return interaction
