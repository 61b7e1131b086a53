--- rill.sph: smoothed particle hydrodynamics, the Lagrangian solver of chapter 28.7.2, in two and three dimensions. Its passes are in
-- lua/rill/simulation/particle; this file has the particles, the order of the passes, and what users see of them.
local rill = require "rill"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local vector = require "rill.core.vector"
local coordinates = require "rill.simulation.particle.coordinates"
local interaction = require "rill.simulation.particle.interaction"
local integration = require "rill.simulation.particle.integration"
local neighbours = require "rill.simulation.particle.neighbors"
local portrait = require "rill.simulation.particle.render"
local rounds = require "rill.simulation.particle.step"
local simulation = require "rill.simulation.simulation"
local smoothing = require "rill.simulation.particle.smoothing"
local dimensions = require "rill.glsl.dimensions"
local template = require "rill.glsl.template"
local walls = require "rill.simulation.particle.walls"
local fail <const> = errors.fail

local SPEEDS <const> = 10 -- how many times faster than the fluid sound is, unless told: densities then change by about a hundredth (Monaghan 1994)

local particles <const> = simulation.define {
    type = "rill.particles", where = "rill.sph", letter = "P",
    one = "particles", plural = true, lenient = true, streams = {},
    state = function(object)
        local p = rawget(object, "_state")
        return not p.closed and p
    end,
    read = function(field, object) return field(object._state) end, -- some are there after closing
    release = function(p)
        rounds.close(p.rounds)
        p.closed = true
    end,
    describe = function(p)
        local x = p.rounds.now.x
        return ("particles<%s>[%d], %d step%s"):format(x.type, x.size, p.steps, p.steps == 1 and "" or "s")
    end,
}
local methods <const>, fields <const>, state_of <const> = particles.methods, particles.fields, particles.check

-- ---- options

-- Seconds that are above 0 as a float, too.
local function is_time(value)
    return option.is_positive(value) and value >= 2.0 ^ -126 and value < 2.0 ^ 128
end

local OPEN <const>, POSITIVE <const> = option.stream, option.positive
local OPTIONS <const> = {
    positions = OPEN, velocities = OPEN, radius = POSITIVE, mass = POSITIVE, sound = POSITIVE,
    density = option.default(POSITIVE, 1), viscosity = option.default(option.not_negative, 0),
    state = option.words(interaction.states, "tait"), kernel = option.words(smoothing.kernels, "cubic"),
    laplacian = option.words(smoothing.laplacians, "linear"), densities = option.words(interaction.densities, "sum"),
    integrator = option.words(integration.kinds, "leapfrog"), tension = option.default(option.flag, false),
    dt = {function(v) return v == "adaptive" or is_time(v) end, '"adaptive" or seconds above 0', "adaptive"},
    cfl = option.default(POSITIVE, 0.25), substeps = option.count, walls = option.default(walls.row, {}),
    gravity = {function(v) return option.is_vector(v) end, "a table of numbers"},
}

-- ---- particles

-- The speed of sound, where it is not told: ten times that of the fluid, as it moves or as it would after falling through its own extent.
local function sound_of(taken, extents, v)
    local along = 0
    for d, g in ipairs(taken.gravity) do
        along = along + math.abs(g) * extents[d]
    end
    local fastest = v and rill.length(v):max() or 0
    local speed = math.max(fastest, math.sqrt(2 * along))
    if speed == 0 then
        fail("rill.sph: option 'sound' is missing: nothing moves or falls that it could follow from")
    end
    return SPEEDS * speed
end

-- ---- particles

-- What must fit the other options.
local function fit(taken, rank)
    taken.dimensions, taken.gravity = rank, taken.gravity or {0, 0, rank == 3 and 0 or nil}
    if #taken.gravity ~= rank then
        fail("rill.sph: option 'gravity': expected %d numbers, as positions have, got %d", rank, #taken.gravity)
    end
end

-- Numbers that are fine one by one may lead to sums that no float holds.
local function check_scale(state)
    local limit, least, greatest = state.pace:get(1)[3], state.now.rho:min(), state.now.rho:max()
    local fine = limit > 0 and greatest - least >= 0 and greatest < math.huge
    for _, pull in ipairs(state.a:sum()) do
        fine = fine and pull - pull == 0
    end
    if not fine then
        rounds.close(state)
        fail("rill.sph: densities are %g to %g and a step at most %g s: what was given leads beyond what floats hold",
            least, greatest, limit)
    end
end

--- rill.sph{positions=, radius=, ...}: particles of a fluid, which act on each other within `radius`, the support of the smoothing kernel. Positions
-- and velocities are copied. Without `mass` they weigh so much that the greatest density is `density`.
local function new(given)
    local taken = simulation.take("rill.sph", given, OPTIONS, "positions", "radius")
    local x, low, high = coordinates.vectors("rill.sph", "positions", taken.positions)
    fit(taken, coordinates.dimensions[x.type])
    local v = taken.velocities and coordinates.vectors("rill.sph", "velocities", taken.velocities, x.type, x.size)
    v = v or rill.stream(x.type, x.size)
    local extents = vector.sides(low, high)
    taken.sound = taken.sound or sound_of(taken, extents, v)
    taken.walls = walls.new("rill.sph", taken.walls, taken.dimensions, taken.radius)
    local state = rounds.new(x, v, extents, taken)
    taken.positions, taken.velocities = nil, nil
    taken.mass = taken.mass or taken.density / rounds.crowded(state, taken)
    rounds.begin(state, taken.mass)
    check_scale(state)
    return particles.create {rounds = state, how = taken, steps = 0}
end

-- ---- steps

-- Warns, once, where a time step was above the limit. This reads back: it is done after the first step, and where something is read anyway.
local function watch(p)
    local ratio = not p.warned and p.rounds.pace:get(1)[4] or 0
    if ratio > 1.0001 then
        p.warned = true
        warn(("rill.sph: a time step was %.3g times what is stable: give a shorter dt, or substeps"):format(ratio))
    end
end

local function substeps(p, dt)
    local state, most = p.rounds, p.how.substeps
    state.left:set(dt, 1)
    for _ = 1, most do
        rounds.step(state, -1)
        if state.left:get(1) == 0 then
            return
        end
    end
    fail("P:step: %d sub-steps are too few for %g seconds, %g are left: give a shorter dt, or more substeps", most, dt,
        state.left:get(1))
end

--- P:step([dt]): moves on by a time step: the longest that is stable, or dt seconds, or those of the option dt. With the option substeps dt seconds are
-- so many steps as are needed. Returns the particles. Nothing is read back but for sub-steps.
function methods:step(dt)
    local p = state_of(self, "step")
    local how = p.how
    dt = simulation.dt("P:step", dt, is_time) or how.dt ~= "adaptive" and how.dt or 0
    if dt > 0 and how.substeps then
        substeps(p, dt)
    else
        rounds.step(p.rounds, dt)
    end
    p.steps = p.steps + 1
    if p.steps == 1 and dt > 0 then
        watch(p)
    end
    return self
end

--- P:neighbors(): who is nearer than the radius to each particle: a grid of lists of particles, which count from 0, and another of how far they are. A
-- pair is in both its lists; the particle itself is in none.
function methods:neighbors()
    local p = state_of(self, "neighbors")
    local state = p.rounds
    rounds.sort(state, 0, 0)
    return neighbours.lists(state.grid, state.spare.x, state.spare.id, p.how.radius, function(launch)
        rounds.sliced(state, launch)
    end)
end

--- P:picture([options]): a picture of the particles as they are, a stream of vec3: as spheres, splats or the surface of the fluid.
function methods:picture(options)
    local p = state_of(self, "picture")
    local state = p.rounds
    return portrait.draw(state, p.how, options, function() rounds.sort(state, 0, 0) end, function(launch)
        rounds.sliced(state, launch)
    end)
end

-- ---- what there is

local HOME <const> = template.new [=[
    kernel void home(int id<>, $V x<>, $V v<>, float rho<>, vec2 state<>, inout $V to_x[], inout $V to_v[], inout float to_rho[],
                     inout float to_p[]) {
        to_x[id] = x;
        to_v[id] = v;
        to_rho[id] = rho;
        to_p[id] = state.x;
    }
]=]

local function opened(p, name)
    return p.closed and fail("particles that were closed have no %s", name) or p
end

-- The particles in the order that they were given in; the same streams every time.
local function home(p, name)
    opened(p, name)
    local state, now, kept = p.rounds, p.rounds.now, p.home
    if not kept then
        kept = {kernel = HOME:kernel(dimensions[state.dimensions]), steps = -1}
        kept.positions, kept.velocities = now.x:like(), now.x:like()
        kept.density, kept.pressure = now.rho:like(), now.rho:like()
        p.home = kept
    end
    if kept.steps ~= p.steps then
        watch(p)
        kept.kernel(now.id, now.x, now.v, now.rho, state.state, kept.positions, kept.velocities, kept.density,
            kept.pressure)
        kept.steps = p.steps
    end
    return kept[name]
end

for _, name in ipairs {"positions", "velocities", "density", "pressure"} do
    fields[name] = function(p) return home(p, name) end
end

--- P.time: seconds since the start. It is read back, as are P.dt and P.limit.
function fields.time(p)
    watch(opened(p, "time"))
    return p.rounds.time:get(1)
end
--- P.dt: seconds of the last time step.
function fields.dt(p) return opened(p, "dt").rounds.pace:get(1)[1] end
--- P.limit: the longest stable time step, in seconds.
function fields.limit(p) return opened(p, "limit").rounds.pace:get(1)[3] end
--- P.count: how many particles there are.
function fields.count(p) return opened(p, "count").rounds.now.x.size end
--- P.steps: how many steps were made.
function fields.steps(p) return p.steps end
--- P.mass: of a particle.
function fields.mass(p) return p.how.mass end

return particles.finish(new)
