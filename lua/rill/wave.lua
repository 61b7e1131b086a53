--- rill.wave: solves the wave equation on a grid of one to three dimensions (exercise 28.7-2 of the GPGPU chapter) by
-- leapfrog. Velocities lag heights by half a step.
require "rill"
local boundary = require "rill.core.boundary"
local option = require "rill.core.options"
local lattice = require "rill.stream.grid"
local provider = require "rill.stream.provider"
local dimensions = require "rill.glsl.dimensions"
local kernels <const> = require "rill.glsl.template".sections "wave"
local simulation = require "rill.simulation.simulation"

--- W.time: seconds since the start. W.limit: the longest stable step, in seconds. W.shape: the grid's.
local wave <const> = simulation.define {
    type = "rill.wave", letter = "W", one = "a wave", streams = {"z", "v", "spare", "factors", "free"},
    shows = {"time", "limit", "shape"},
}
local methods <const>, fields <const>, state_of <const> = wave.methods, wave.fields, wave.check

--- W.height: the state itself, a stream, which may be written. After the next step it is a different stream.
fields.height = "z"

-- ---- options

local SPEED <const> = lattice.number_or_stream(option.is_positive, "a number above 0")
local FIELD <const> = lattice.number_or_stream(option.is_finite, "a number")
local OPTIONS <const> = {
    shape = lattice.shape, spacing = lattice.spacing, speed = SPEED, height = FIELD, velocity = FIELD,
    damping = option.not_negative,
    boundary = {function(v) return type(v) == "string" or type(v) == "table" end,
        "a word, or a table of one per dimension"},
    walls = provider.option, dt = simulation.seconds, substeps = simulation.substeps, on = provider.row,
}
local SHARE <const> = 0.9 -- of the longest stable step: the default step

-- Returns a stream that is 0 in walls and 1 elsewhere.
local function openings(self, walls)
    if not walls then
        return self.on.stream("float", self.shape, 1)
    end
    return lattice.mask("rill.wave: option 'walls'", walls, self.shape, 0, 1, self.on)
end

--- rill.wave{shape =, spacing =, speed =, ...} returns a wave, at rest unless `height` or `velocity` is given.
local function new(given)
    local taken = simulation.take("rill.wave", given, OPTIONS, "shape")
    local self = lattice.new("rill.wave", taken.shape, taken.spacing or 1, taken.on)
    self.modes, self.leaves = {}, {0, 0, 0}
    for i, mode in ipairs(boundary.take("rill.wave", taken.boundary or "fixed", self.rank, "wave")) do
        self.modes[i], self.leaves[self.rank + 1 - i] = mode.stream, mode == boundary.mode.absorbing and 1 or 0
    end
    self.c, self.factors = simulation.factors("rill.wave", "speed", self, taken.speed or 1)
    self.free, self.damping = openings(self, taken.walls), taken.damping or 0
    self.limit = 1 / (self.c * math.sqrt(self.stiff))
    self.dt, self.substeps, self.time, self.before = taken.dt, taken.substeps or 1, 0, 0
    self.z = lattice.field("rill.wave", "height", self, taken.height)
    self.v = lattice.field("rill.wave", "velocity", self, taken.velocity)
    self.spare = self.on.stream("float", self.shape)
    self.passes = kernels.passes:program(dimensions.with(self.rank, {leaves = math.max(table.unpack(self.leaves)) > 0}))
    return wave.create(self)
end

-- ---- steps

local function advance(w, dt)
    w.passes.move(0.5 * (w.before + dt), dt, w.damping, w.c, w.per, w.leaves, w.z:boundary(table.unpack(w.modes)),
        w.factors, w.free, w.v, w.spare)
    w.z, w.spare, w.before, w.time = w.spare, w.z, dt, w.time + dt
end

--- W:step([dt]) advances by dt seconds. Default: the option dt, or 0.9 of the longest stable step. Returns the wave.
-- Nothing is read back.
function methods:step(dt)
    local w = state_of(self, "step")
    dt = simulation.dt("W:step", dt) or w.dt or SHARE * w.limit
    simulation.advance("rill.wave", "W:step", w, dt, w.limit, advance)
    return self
end

-- ---- results

--- W.velocity: the time derivative of the height now, a new stream.
function fields.velocity(w)
    return w.passes.ahead(0.5 * w.before, w.damping, w.c, w.per, w.z:boundary(table.unpack(w.modes)), w.factors, w.free,
        w.v)
end

--- W.energy: the integral of ((dz/dt / c)^2 + |grad z|^2) / 2, which is constant without damping and absorbing sides.
function fields.energy(w)
    local v <close> = fields.velocity(w)
    local e <close> = w.passes.energy(w.c, w.per, w.z:boundary(table.unpack(w.modes)), w.factors, v)
    local volume = 1
    for _, h in ipairs(w.spacing) do volume = volume * h end
    return volume * e:sum()
end

--- W:picture{scale = 1} returns an image of a two-dimensional wave as water in slanting light, a stream of vec3.
-- Heights times `scale` are shown from -1 to 1.
function methods:picture(options)
    local w = state_of(self, "picture")
    local taken = option.take("W:picture", options, {scale = option.positive})
    simulation.flat("W:picture", "a wave", w.rank)
    return kernels.picture:kernel()(taken.scale or 1, w.z)
end

return wave.finish(new)
