-- Density, pressure and forces of the Lagrangian solver (chapter 28.7.2): passes two and three, each a loop over the particles around.
local neighbours = require "rill.simulation.particle.neighbors"
local template = require "rill.glsl.template"
local texts <const> = template.sections "interaction"
require "rill.simulation.particle.smoothing"

local interaction = {}

-- Pressure by the density. Tait's equation (Monaghan 1994): `stiff` is B = rest c^2 / 7; the ideal gas at one temperature: `stiff` is c^2.
local STIFFNESS <const> = {
    tait = function(rest, sound) return rest * sound ^ 2 / 7 end,
    gas = function(_, sound) return sound ^ 2 end,
}

-- What is added up, and the density by it. "sum": the chapter's, of all masses near; "continuity": the old one, changed by what flows together, which
-- knows no lack of neighbours at a free surface.
local DENSITIES <const> = {sum = true, continuity = true}

--- interaction.states, interaction.densities: the names there are, as keys.
interaction.states, interaction.densities = STIFFNESS, DENSITIES

--- interaction.stiffness(state, rest, sound): the constant of the equation of state, for a rest density and the speed of sound there.
function interaction.stiffness(state, rest, sound)
    return STIFFNESS[state](rest, sound)
end

template.snippet("particle_own", texts.own)

--- interaction.program(how, share, sliced): the kernels `density` and `force`, whose invocations have `share` particles each; `sliced`: sums go on where
-- the launch before left them, if skip is above 0. `how` has dimensions, kernel, laplacian, state, tension and densities (the option's word).
function interaction.program(how, share, sliced)
    return neighbours.program(texts.passes, how.dimensions, {
        share = share, sliced = sliced and true or false, kernel = how.kernel, laplacian = how.laplacian,
        state = how.state, tension = how.tension and true or false, densities = how.densities,
    })
end

return interaction
