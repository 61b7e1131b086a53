--- rill.sph: smoothed particle hydrodynamics, the Lagrangian solver of chapter 28.7.2, in two and three dimensions.
-- Its passes are in lua/rill/simulation/particle. This file has the options, the object and its methods.
local rill = require "rill"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local vector = require "rill.core.vector"
local coordinates = require "rill.simulation.particle.coordinates"
local interaction = require "rill.simulation.particle.interaction"
local integration = require "rill.simulation.particle.integration"
local neighbors = require "rill.simulation.particle.neighbors"
local portrait = require "rill.simulation.particle.render"
local rounds = require "rill.simulation.particle.step"
local provider = require "rill.stream.provider"
local simulation = require "rill.simulation.simulation"
local smoothing = require "rill.simulation.particle.smoothing"
local walls = require "rill.simulation.particle.walls"
local fail <const> = errors.fail

-- Default ratio of the speed of sound to the speed of the fluid: density then changes by about 1 % (Monaghan 1994).
local SPEEDS <const> = 10

local particles <const> = simulation.define {
    type = "rill.particles", where = "rill.sph", letter = "P",
    one = "particles", plural = true, lenient = true, streams = {},
    state = function(object)
        local p = rawget(object, "_state")
        return not p.closed and p
    end,
    read = function(field, object) return field(object._state) end, -- some fields remain readable after close
    release = function(p)
        p.passes.close(p.rounds)
        p.closed = true
    end,
    describe = function(p)
        return ("particles<%s>[%d], %d step%s"):format(p.type, p.count, p.steps, p.steps == 1 and "" or "s")
    end,
}
local methods <const>, fields <const>, state_of <const> = particles.methods, particles.fields, particles.check

-- ---- options

-- Whether a value is a number of seconds that is positive also as a float.
local function is_time(value)
    return option.is_positive(value) and value >= 2.0 ^ -126 and value < 2.0 ^ 128
end

local OPEN <const>, POSITIVE <const> = provider.option, option.positive
local OPTIONS <const> = {
    positions = OPEN, velocities = OPEN, radius = POSITIVE, mass = POSITIVE, sound = POSITIVE,
    density = option.default(POSITIVE, 1), viscosity = option.default(option.not_negative, 0),
    state = option.words(interaction.states, "tait"), kernel = option.words(smoothing.kernels, "cubic"),
    laplacian = option.words(smoothing.laplacians, "linear"), densities = option.words(interaction.densities, "sum"),
    integrator = option.words(integration.kinds, "leapfrog"), tension = option.default(option.flag, false),
    dt = {function(v) return v == "adaptive" or is_time(v) end, '"adaptive" or seconds above 0', "adaptive"},
    cfl = option.default(POSITIVE, 0.25), substeps = option.count, walls = option.default(walls.row, {}),
    gravity = {function(v) return option.is_vector(v) end, "a table of numbers"}, on = provider.row,
}

-- ---- particles

-- Returns the default speed of sound: ten times the speed of the fluid, initially or after a fall through its own
-- extent.
local function sound_of(taken, extents, v)
    local along = 0
    for d, g in ipairs(taken.gravity) do
        along = along + math.abs(g) * extents[d]
    end
    local fastest = v and rill.length(v):max() or 0
    local speed = math.max(fastest, math.sqrt(2 * along))
    if speed == 0 then
        fail("rill.sph: option 'sound' is missing: it has no default without velocities and gravity")
    end
    return SPEEDS * speed
end

-- ---- particles

-- Sets the default of gravity, and raises an error if its dimension does not match the positions.
local function fit(taken, rank)
    taken.dimensions, taken.gravity = rank, taken.gravity or {0, 0, rank == 3 and 0 or nil}
    if #taken.gravity ~= rank then
        fail("rill.sph: option 'gravity': expected %d numbers, as positions have, got %d", rank, #taken.gravity)
    end
end

-- Raises an error if sums overflow floats, although each option is valid.
local function check_scale(passes, state)
    local limit, least, greatest, pulls = state.pace:get(1)[3], passes.range(state)
    local fine = limit > 0 and greatest - least >= 0 and greatest < math.huge
    for _, pull in ipairs(pulls) do
        fine = fine and pull - pull == 0
    end
    if not fine then
        passes.close(state)
        fail("rill.sph: densities are %g to %g and the longest step is %g s: the options exceed the range of floats",
            least, greatest, limit)
    end
end

--- rill.sph{positions =, radius =, ...} returns particles of a fluid that interact within `radius`, the support of
-- the smoothing kernel. Positions and velocities are copied. Default of `mass`: such that the greatest density is
-- `density`.
local function new(given)
    local taken = simulation.take("rill.sph", given, OPTIONS, "positions", "radius")
    local on = provider.of(taken.on)
    local passes <const> = on.particles or rounds
    -- Returns all elements of an option that is a stream; every process has them at the start.
    local function whole(name)
        return on.whole(on.open(("rill.sph: option '%s'"):format(name), taken[name]))
    end
    local x, low, high = coordinates.vectors("rill.sph", provider.streams, "positions", whole "positions")
    fit(taken, coordinates.dimensions[x.type])
    local v = taken.velocities and coordinates.vectors("rill.sph", provider.streams, "velocities", whole "velocities",
        x.type, x.size)
    v = v or rill.stream(x.type, x.size)
    local extents = vector.sides(low, high)
    taken.sound = taken.sound or sound_of(taken, extents, v)
    taken.walls = walls.new("rill.sph", taken.walls, taken.dimensions, taken.radius)
    local state, type, count = passes.new(x, v, extents, taken), x.type, x.size
    taken.positions, taken.velocities = nil, nil
    taken.mass = taken.mass or taken.density / passes.max_density(state, taken)
    passes.begin(state, taken.mass)
    check_scale(passes, state)
    return particles.create {rounds = state, passes = passes, how = taken, steps = 0, on = on, type = type,
        count = count}
end

-- ---- steps

-- Warns once if a time step was above the limit. Because this reads back, it is called after the first step and when
-- a field is read.
local function watch(p)
    local ratio = not p.warned and p.rounds.pace:get(1)[4] or 0
    if ratio > 1.0001 then
        p.warned = true
        local say = p.on.speaks and warn or function() end
        say(("rill.sph: a time step was %.3g times the stable limit: use a shorter dt, or substeps"):format(ratio))
    end
end

local function substeps(p, dt)
    local state, most = p.rounds, p.how.substeps
    state.left:set(dt, 1)
    for _ = 1, most do
        p.passes.step(state, -1)
        if state.left:get(1) == 0 then
            return
        end
    end
    fail("P:step: %d sub-steps are too few for %g seconds, %g are left: give a shorter dt, or more substeps", most, dt,
        state.left:get(1))
end

--- P:step([dt]) advances by one time step: dt seconds. Default: the option dt, or the longest stable step. With the
-- option substeps, dt is divided into as many steps as stability requires. Returns the particles. Nothing is read
-- back without substeps.
function methods:step(dt)
    local p = state_of(self, "step")
    local how = p.how
    dt = simulation.dt("P:step", dt, is_time) or how.dt ~= "adaptive" and how.dt or 0
    if dt > 0 and how.substeps then
        substeps(p, dt)
    else
        p.passes.step(p.rounds, dt)
    end
    p.steps = p.steps + 1
    if p.steps == 1 and dt > 0 then
        watch(p)
    end
    return self
end

--- P:neighbors() returns a grid of lists with the neighbors of each particle within the radius (0-based indices),
-- and a grid of lists with their distances. A pair is in the lists of both particles; a particle is not in its own
-- list.
function methods:neighbors()
    local p = state_of(self, "neighbors")
    local state = p.rounds
    if p.passes ~= rounds then
        fail("P:neighbors: a simulation over several processes has no lists: use P.particles:sum, or " ..
            "P.particles:ghosts")
    end
    rounds.sort(state, 0, 0)
    return neighbors.lists(state.grid, state.spare.x, state.spare.id, p.how.radius, function(launch)
        rounds.sliced(state, launch)
    end)
end

--- P:picture([options]) returns an image of the particles, a stream of vec3: spheres, splats or the surface of the
-- fluid.
function methods:picture(options)
    local p = state_of(self, "picture")
    local state = p.passes.drawn(p.rounds)
    local image = portrait.draw(state, p.how, options, function() rounds.sort(state, 0, 0) end, function(launch)
        rounds.sliced(state, launch)
    end)
    if state ~= p.rounds then
        rounds.close(state)
    end
    return image
end

-- ---- fields

local function opened(p, name)
    return p.closed and fail("particles that were closed have no %s", name) or p
end

-- Returns a field in the original order of the particles. It is the same stream every time.
local function home(p, name)
    opened(p, name)
    if p.home_steps ~= p.steps then
        watch(p)
        p.home, p.home_steps = p.passes.home(p.rounds, p.home), p.steps
    end
    return p.home[name]
end

for _, name in ipairs {"positions", "velocities", "density", "pressure"} do
    fields[name] = function(p) return home(p, name) end
end

--- P.time: seconds since the start. P.time, P.dt and P.limit are read back.
function fields.time(p)
    watch(opened(p, "time"))
    return p.rounds.time:get(1)
end
--- P.dt: duration of the last time step in seconds.
function fields.dt(p) return opened(p, "dt").rounds.pace:get(1)[1] end
--- P.limit: the longest stable time step in seconds.
function fields.limit(p) return opened(p, "limit").rounds.pace:get(1)[3] end
--- P.count: number of particles.
function fields.count(p) return opened(p, "count").count end
--- P.particles: the particles of this rank, of rill.mpi.particles; nil in one process.
function fields.particles(p) return opened(p, "particles").rounds.particles end
--- P.steps: number of calls of P:step.
function fields.steps(p) return p.steps end
--- P.mass: mass of a particle.
function fields.mass(p) return p.how.mass end

return particles.finish(new)
