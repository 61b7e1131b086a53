-- Time integration: the kernels for the step length and for moving particles. Leapfrog drifts by half a step,
-- computes forces, kicks by a whole step and drifts by half a step. Velocity Verlet kicks by half a step, drifts by a
-- whole step, computes forces, and kicks by half a step. Both are of second order, reversible without friction, and
-- compute forces once in a step (Verlet 1967; Hairer, Lubich, Wanner 2003).
local neighbors = require "rill.simulation.particle.neighbors"
local template = require "rill.glsl.template"
local texts <const> = template.sections "integration"

local integration = {}

--- integration.kinds: for each value of the option, the fractions of a time step for the kick and drift before and
-- after forces are computed; and which fractions of this step (new) and the last step (old) lie between two
-- computations of forces.
integration.kinds = {
    leapfrog = {before = {kick = 0, drift = 0.5}, after = {kick = 1, drift = 0.5}, new = 0.5, old = 0.5},
    verlet = {before = {kick = 0.5, drift = 1}, after = {kick = 0.5, drift = 0}, new = 1, old = 0},
}

template.snippet("particle_move", texts.move)

--- integration.program(dimensions, walls) returns the kernels beat, greatest, drift and settle for particles with
-- these walls.
function integration.program(dimensions, walls)
    return neighbors.program(texts.passes, dimensions, walls.text)
end

--- integration.glide(dimensions, walls) returns the kernel that moves particles by fractions of a time step, and
-- nothing else.
function integration.glide(dimensions, walls)
    return neighbors.program(texts.glide, dimensions, walls.text).glide
end

return integration
