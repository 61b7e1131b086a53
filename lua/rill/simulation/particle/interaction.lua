-- Density, pressure and forces of the Lagrangian solver (chapter 28.7.2): two passes that loop over the neighboring
-- particles.
local neighbors = require "rill.simulation.particle.neighbors"
local template = require "rill.glsl.template"
local texts <const> = template.sections "interaction"
require "rill.simulation.particle.smoothing"

local interaction = {}

-- The constant of the equation of state. Tait's equation (Monaghan 1994): B = rest c^2 / 7. Isothermal ideal gas:
-- c^2.
local STIFFNESS <const> = {
    tait = function(rest, sound) return rest * sound ^ 2 / 7 end,
    gas = function(_, sound) return sound ^ 2 end,
}

-- How density is computed. "sum": sum of the masses nearby, as in the chapter. "continuity": the previous density,
-- changed by the divergence of the flow, which does not lack neighbors at a free surface.
local DENSITIES <const> = {sum = true, continuity = true}

--- interaction.states, interaction.densities: the values of the options, as keys.
interaction.states, interaction.densities = STIFFNESS, DENSITIES

--- interaction.stiffness(state, rest, sound) returns the constant of the equation of state for a rest density and a
-- speed of sound.
function interaction.stiffness(state, rest, sound)
    return STIFFNESS[state](rest, sound)
end

template.snippet("particle_own", texts.own)

--- interaction.program(how, share, sliced) returns the kernels `density` and `force`. Each invocation computes
-- `share` particles. sliced: sums continue from the previous launch if skip is above 0. `how` has dimensions, kernel,
-- laplacian, state, tension and densities (the option's value).
function interaction.program(how, share, sliced)
    return neighbors.program(texts.passes, how.dimensions, {
        share = share, sliced = sliced and true or false, kernel = how.kernel, laplacian = how.laplacian,
        state = how.state, tension = how.tension and true or false, densities = how.densities,
    })
end

return interaction
