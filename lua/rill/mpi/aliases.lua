-- rill.mpi.smoke and rill.mpi.sph: earlier names, with their options and methods, of rill.fluid and rill.sph over
-- distributed streams (on = rill.mpi).
local rill = require "rill.core.public"
local class = require "rill.core.class"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local particles = require "rill.mpi.particles"
local template = require "rill.glsl.template"
local wire = require "rill.mpi.wire"

local aliases = {}

-- Makes the errors of the general simulation, whose letter is `inner`, those of the methods of an alias.
local function guard(methods, letter, inner)
    for name, method in pairs(methods) do
        methods[name] = errors.guard(method, letter .. ":" .. name, "^" .. inner .. ":[%w_]+")
    end
end

-- ---- smoke

local COMPONENT <const> = template.new "kernel void component(vec2 v<>, out float r<>) { r = v.$axis; }"

-- Returns a component of the velocity at the centers of cells.
local function component(state, axis)
    local v <close> = state.fluid.velocity
    return COMPONENT:kernel {axis = axis}(v)
end

local smoke <const> = class.define {
    type = "rill.mpi.smoke", letter = "Y", one = "smoke", lenient = true, closed = "closed smoke",
    describe = function(state) return ("distributed smoke: %s, time %.4g s"):format(state.fluid, state.fluid.time) end,
    release = function() end,
    fields = {
        steps = "steps", fluid = "fluid",
        density = function(state) return state.fluid:get "density" end,
        heat = function(state) return state.fluid:get "heat" end,
        velocity_x = function(state) return component(state, "x") end,
        velocity_y = function(state) return component(state, "y") end,
        pressure = function(state) return state.fluid.pressure end,
        time = function(state) return state.fluid.time end,
    },
}

local SMOKE <const> = {
    shape = {function(v) return option.is_shape(v, 2, 2) end, "a table of 2 sizes", nil, true},
    dt = option.default(option.positive, 1), lift = option.default(option.finite, 0.1),
    weight = option.default(option.finite, 0.02), cooling = option.default(option.not_negative, 0.01),
    reach = option.number(2, 64, 8), tolerance = option.default(option.positive, 1e-4),
}

--- rill.mpi.smoke(options) is an earlier name of rill.fluid with on = rill.mpi: returns smoke in a closed box of two
-- dimensions, Y. Lengths are in cells.
-- Options: shape (required): {rows, columns}; dt (default 1): seconds of a step; lift (default 0.1) and weight (default
-- 0.02): rill.fluid's buoyancy {heat = lift, density = -weight}; cooling (default 0.01): the share of heat that is lost
-- per second; reach (default 8, from 2 to 64): a step is divided, so that the fluid crosses at most reach - 1.5 cells
-- in a part; tolerance (default 1e-4): that of rill.fluid. Advection is semi-Lagrangian. Fields: fluid: the fluid;
-- density, heat, velocity_x, velocity_y, pressure: distributed streams of values at the centers of cells; time, steps.
function aliases.smoke(mpi, options)
    local o = option.take("rill.mpi.smoke", options, SMOKE)
    local fluid = rill.fluid {shape = o.shape, dt = o.dt, cfl = o.reach - 1.5, substeps = true, tolerance = o.tolerance,
        buoyancy = {heat = o.lift, density = -o.weight}, advection = "semilagrangian", on = mpi}
    for _, name in ipairs {"density", "heat"} do
        fluid:carry(name, mpi.stream("float", o.shape))
    end
    return smoke.create {fluid = fluid, kept = math.exp(-o.cooling * o.dt), steps = 0}
end

local SOURCE <const> = [=[
    kernel void source(vec2 center, float radius, float amount, inout float s<>) {
        vec2 d = vec2(indexof(s).xy) + 0.5 - center;
        s = dot(d, d) < radius * radius ? max(s, amount) : s;
    }
]=]
local SOURCE_OPTIONS <const> = {
    center = {function(v) return option.is_vector(v, 2) end, "{row, column}", nil, true},
    radius = {option.is_positive, "a number above 0", nil, true},
    density = option.default(option.not_negative, 1), heat = option.default(option.not_negative, 1),
}

--- Y:source(options) sets density and heat in a disk to at least these values. Options: center (required): {row,
-- column} in cells, radius (required), density (default 1), heat (default 1). Returns Y.
function smoke.methods.source(w, options)
    local state = smoke.check(w, "source")
    local o = option.take("Y:source", options, SOURCE_OPTIONS)
    local source = rill.kernel(SOURCE)
    for _, name in ipairs {"density", "heat"} do
        source {center = {o.center[2], o.center[1]}, radius = o.radius, amount = o[name], s = state.fluid:get(name)}
    end
    return w
end

--- Y:step([n]) advances by n steps (default 1). Returns Y.
function smoke.methods.step(w, n)
    local state = smoke.check(w, "step")
    for _ = 1, wire.steps("Y:step", n) do
        state.fluid:step()
        local heat = state.fluid:get "heat"
        heat:write(heat * state.kept)
        state.steps = state.steps + 1
    end
    return w
end
guard(smoke.methods, "Y", "f")

-- ---- particles

local liquid <const> = class.define {
    type = "rill.mpi.sph", letter = "Z", one = "a fluid", lenient = true, closed = "closed fluid",
    describe = function(state) return ("distributed %s, time %.4g s"):format(state.fluid, state.fluid.time) end,
    release = function(state) state.fluid:close() end,
    fields = {
        fluid = "fluid", dt = "dt",
        particles = function(state) return state.fluid.particles end,
        time = function(state) return state.fluid.time end,
        steps = function(state) return state.fluid.steps end,
        mass = function(state) return state.fluid.mass end,
        positions = function(state) return state.fluid.particles.position end,
        velocities = function(state) return state.fluid.particles.velocity end,
        densities = function(state) return state.fluid.particles.density end,
    },
}

local LIQUID <const> = {
    positions = {option.stream[1], "a stream of vec2 or vec3, the same on all ranks", nil, true},
    velocities = option.stream, radius = {option.is_positive, "a number above 0", nil, true},
    box = particles.box, density = option.default(option.positive, 1),
    sound = {option.is_positive, "a number above 0", nil, true}, viscosity = option.default(option.not_negative, 0.1),
    mass = option.positive, dt = option.positive, gravity = {option.is_vector, "a table of numbers"},
    bounce = option.number(0.0, 1.0, 0.3),
}
local SHARE <const> = {vec2 = 16, vec3 = 20} -- of Monaghan's viscosity: alpha radius sound / 16 (or 20) in m^2 / s

--- rill.mpi.sph(options) is an earlier name of rill.sph with on = rill.mpi: returns a weakly compressible fluid of
-- particles, Z.
-- Options: positions, radius and sound (required), velocities, density (default 1), mass and gravity: as for rill.sph;
-- box (required): {low, high}, closed walls, which return the share `bounce` (default 0.3) of the velocity; viscosity
-- (default 0.1): the factor alpha of Monaghan's artificial viscosity, for which rill.sph gets the dynamic viscosity
-- alpha radius sound density / 16, or / 20 in three dimensions; dt (default: 0.2 radius / sound): seconds of a step.
-- Fields: fluid: the particles of rill.sph; positions, velocities, densities (streams of this rank's particles),
-- particles (see rill.mpi.particles), time, steps, dt, mass.
function aliases.sph(mpi, options)
    local o = option.take("rill.mpi.sph", options, LIQUID)
    local dt = o.dt or 0.2 * o.radius / o.sound
    local viscosity = o.viscosity * o.radius * o.sound * o.density / (SHARE[o.positions.type] or 1)
    return liquid.create {dt = dt, fluid = rill.sph {positions = o.positions, velocities = o.velocities,
        radius = o.radius, density = o.density, sound = o.sound, viscosity = viscosity, mass = o.mass,
        gravity = o.gravity, tension = true, dt = dt, walls = {{box = o.box, restitution = o.bounce}}, on = mpi}}
end

--- Z:step([n]) advances by n steps of Z.dt seconds (default 1). Returns Z.
function liquid.methods.step(f, n)
    local state = liquid.check(f, "step")
    for _ = 1, wire.steps("Z:step", n) do
        state.fluid:step()
    end
    return f
end
guard(liquid.methods, "Z", "P")

return aliases
