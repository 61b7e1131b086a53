-- Time: the step there may be, and the passes that move particles. Leapfrog drifts by half a step, finds forces there, kicks by a whole one and drifts
-- on; velocity Verlet kicks by half a step, drifts by a whole one and kicks by half of the new force. Both are of second order and reversible where
-- nothing rubs, and find forces once in a step (Verlet 1967; Hairer, Lubich, Wanner 2003).
local neighbours = require "rill.simulation.particle.neighbors"
local template = require "rill.glsl.template"
local texts <const> = template.sections "integration"

local integration = {}

--- integration.kinds: by the option's word, how much of a time step is kicked and drifted before forces are found and after, and what shares of this
-- step and of the one before lie between the places where they are found.
integration.kinds = {
    leapfrog = {before = {kick = 0, drift = 0.5}, after = {kick = 1, drift = 0.5}, new = 0.5, old = 0.5},
    verlet = {before = {kick = 0.5, drift = 1}, after = {kick = 0.5, drift = 0}, new = 1, old = 0},
}

template.snippet("particle_move", texts.move)

--- integration.program(dimensions, walls): the kernels beat, greatest, drift and settle; of particles among such walls.
function integration.program(dimensions, walls)
    return neighbours.program(texts.passes, dimensions, walls.text)
end

return integration
