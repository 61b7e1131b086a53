--- rill.sph: smoothed particle hydrodynamics, the Lagrangian solver of chapter 28.7.2, in two and three dimensions. Its passes are in
-- lua/rill/simulation/particle; this file has the particles, the order of the passes, and what users see of them.
local rill = require "rill"
local errors = require "rill.core.error"
local class = require "rill.core.class"
local option = require "rill.core.options"
local coordinates = require "rill.simulation.particle.coordinates"
local interaction = require "rill.simulation.particle.interaction"
local integration = require "rill.simulation.particle.integration"
local neighbours = require "rill.simulation.particle.neighbors"
local portrait = require "rill.simulation.particle.render"
local rounds = require "rill.simulation.particle.step"
local smoothing = require "rill.simulation.particle.smoothing"
local walls = require "rill.simulation.particle.walls"
local fail <const> = errors.fail

local SPEEDS <const> = 10 -- how many times faster than the fluid sound is, unless told: densities then change by about a hundredth (Monaghan 1994)

local Particles = {__name = "rill.particles"}
local methods, fields = {}, {}
class.put(Particles, "particles have", "P", methods, fields)

-- ---- options

local function is_open(value)
    return not errors.not_open(value)
end

local function is_flag(value)
    return type(value) == "boolean"
end

-- Seconds that are above 0 as a float, too.
local function is_time(value)
    return option.is_positive(value) and value >= 2.0 ^ -126 and value < 2.0 ^ 128
end

local function not_negative(value)
    return option.is_finite(value) and value >= 0
end

local OPEN <const>, POSITIVE <const> = {is_open, "an open stream"}, {option.is_positive, "a number above 0"}
local OPTIONS <const> = {
    positions = OPEN, velocities = OPEN, radius = POSITIVE, mass = POSITIVE, density = POSITIVE, sound = POSITIVE,
    viscosity = {not_negative, "a number, 0 or more"},
    state = option.words(interaction.states), kernel = option.words(smoothing.kernels),
    laplacian = option.words(smoothing.laplacians), densities = option.words(interaction.densities),
    integrator = option.words(integration.kinds),
    tension = {is_flag, "true or false"},
    dt = {function(v) return v == "adaptive" or is_time(v) end, '"adaptive" or seconds above 0'},
    cfl = POSITIVE,
    substeps = {function(v) return math.type(v) == "integer" and v >= 1 end, "a whole number, 1 or more"},
    gravity = {function(v) return option.is_vector(v) end, "a table of numbers"},
    walls = {function(v) return type(v) == "table" and not rill.type(v) end, "a table of walls"},
}
local DEFAULTS <const> = {
    density = 1, viscosity = 0, state = "tait", kernel = "cubic", laplacian = "linear", densities = "sum",
    integrator = "leapfrog", dt = "adaptive", cfl = 0.25, tension = false,
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

-- What is missing among the options, and what must fit the others.
local function complete(taken)
    for name, value in pairs(DEFAULTS) do
        if taken[name] == nil then
            taken[name] = value
        end
    end
    for _, name in ipairs {"positions", "radius"} do
        if not taken[name] then
            fail("rill.sph: option '%s' is missing: %s", name, OPTIONS[name][2])
        end
    end
end

local function fit(taken, dimensions)
    taken.dimensions, taken.gravity = dimensions, taken.gravity or {0, 0, dimensions == 3 and 0 or nil}
    if #taken.gravity ~= dimensions then
        fail("rill.sph: option 'gravity': expected %d numbers, as positions have, got %d", dimensions, #taken.gravity)
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
    local taken = option.take("rill.sph", given, OPTIONS)
    complete(taken)
    local x, low, high = coordinates.vectors("rill.sph", "positions", taken.positions)
    fit(taken, coordinates.dimensions[x.type])
    local v = taken.velocities and coordinates.vectors("rill.sph", "velocities", taken.velocities, x.type, x.size)
    v = v or rill.stream(x.type, x.size)
    local extents = {}
    for d = 1, taken.dimensions do
        extents[d] = high[d] - low[d]
    end
    taken.sound = taken.sound or sound_of(taken, extents, v)
    taken.walls = walls.new("rill.sph", taken.walls or {}, taken.dimensions, taken.radius)
    local state = rounds.new(x, v, extents, taken)
    taken.positions, taken.velocities = nil, nil
    taken.mass = taken.mass or taken.density / rounds.crowded(state, taken)
    rounds.begin(state, taken.mass)
    check_scale(state)
    return setmetatable({_rounds = state, _how = taken, _steps = 0, _warned = false, _home = false}, Particles)
end

-- ---- steps

local function check_open(self, name)
    if getmetatable(self) ~= Particles then
        fail("P:%s: expected particles before the colon, got %s", name, rill.type(self) or type(self))
    elseif not self._rounds then
        fail("P:%s: the particles were closed", name)
    end
end

-- Warns, once, where a time step was above the limit. This reads back: it is done after the first step, and where something is read anyway.
local function watch(self)
    local ratio = not self._warned and self._rounds.pace:get(1)[4] or 0
    if ratio > 1.0001 then
        rawset(self, "_warned", true)
        warn(("rill.sph: a time step was %.3g times what is stable: give a shorter dt, or substeps"):format(ratio))
    end
end

local function substeps(self, dt)
    local state, most = self._rounds, self._how.substeps
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
    check_open(self, "step")
    if dt ~= nil and not is_time(dt) then
        fail("P:step: argument #1 'dt': expected seconds above 0, got %s", errors.told(dt))
    end
    local how = self._how
    dt = dt or how.dt ~= "adaptive" and how.dt or 0
    if dt > 0 and how.substeps then
        substeps(self, dt)
    else
        rounds.step(self._rounds, dt)
    end
    rawset(self, "_steps", self._steps + 1)
    if self._steps == 1 and dt > 0 then
        watch(self)
    end
    return self
end

--- P:neighbors(): who is nearer than the radius to each particle: a grid of lists of particles, which count from 0, and another of how far they are. A
-- pair is in both its lists; the particle itself is in none.
function methods:neighbors()
    check_open(self, "neighbors")
    local state = self._rounds
    rounds.sort(state, 0, 0)
    return neighbours.lists(state.grid, state.spare.x, state.spare.id, self._how.radius, function(launch)
        rounds.sliced(state, launch)
    end)
end

--- P:picture([options]): a picture of the particles as they are, a stream of vec3: as spheres, splats or the surface of the fluid.
function methods:picture(options)
    check_open(self, "picture")
    local state = self._rounds
    return portrait.draw(state, self._how, options, function() rounds.sort(state, 0, 0) end, function(launch)
        rounds.sliced(state, launch)
    end)
end

-- ---- what there is

local HOME <const> = [=[
    kernel void home(int id<>, V x<>, V v<>, float rho<>, vec2 state<>, inout V to_x[], inout V to_v[], inout float to_rho[],
                     inout float to_p[]) {
        to_x[id] = x;
        to_v[id] = v;
        to_rho[id] = rho;
        to_p[id] = state.x;
    }
]=]

local function opened(self, name)
    return self._rounds or fail("particles that were closed have no %s", name)
end

-- The particles in the order that they were given in; the same streams every time.
local function home(self, name)
    local state = opened(self, name)
    local now = state.now
    local kept = self._home
    if not kept then
        kept = {kernel = rill.kernel(neighbours.text(state.dimensions, HOME)), steps = -1}
        kept.positions, kept.velocities = now.x:like(), now.x:like()
        kept.density, kept.pressure = now.rho:like(), now.rho:like()
        rawset(self, "_home", kept)
    end
    if kept.steps ~= self._steps then
        watch(self)
        kept.kernel(now.id, now.x, now.v, now.rho, state.state, kept.positions, kept.velocities, kept.density,
            kept.pressure)
        kept.steps = self._steps
    end
    return kept[name]
end

for _, name in ipairs {"positions", "velocities", "density", "pressure"} do
    fields[name] = function(self) return home(self, name) end
end

-- Numbers that are read back, and those that are known.
local NUMBERS <const> = {
    time = function(self)
        local state = opened(self, "time")
        watch(self)
        return state.time:get(1)
    end,
    dt = function(self) return opened(self, "dt").pace:get(1)[1] end,
    limit = function(self) return opened(self, "limit").pace:get(1)[3] end,
    count = function(self) return opened(self, "count").now.x.size end,
    steps = function(self) return self._steps end,
    mass = function(self) return self._how.mass end,
}
for name, number in pairs(NUMBERS) do
    fields[name] = number
end

function Particles.__tostring(self)
    return not self._rounds and "closed particles" or ("particles<%s>[%d], %d step%s"):format(self._rounds.now.x.type,
        self.count, self._steps, self._steps == 1 and "" or "s")
end

class.guard(methods, "P")

--- P:close(): frees their memory.
function methods:close()
    if getmetatable(self) == Particles and self._rounds then
        rounds.close(self._rounds)
        rawset(self, "_rounds", false)
    end
end
Particles.__close = methods.close

return errors.guard(new, "rill.sph")
