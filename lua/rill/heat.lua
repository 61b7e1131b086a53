--- rill.heat: solves the heat equation u' = div(D grad u) + q on a grid of one to three dimensions, by time steps of
-- any length. Each step has as many stages as stability requires (the second-order Runge-Kutta-Legendre method of
-- Meyer, Balsara and Aslam, 2014).
require "rill"
local errors = require "rill.core.error"
local boundary = require "rill.core.boundary"
local option = require "rill.core.options"
local lattice = require "rill.stream.grid"
local provider = require "rill.stream.provider"
local dimensions = require "rill.glsl.dimensions"
local kernels <const> = require "rill.glsl.template".sections "heat"
local simulation = require "rill.simulation.simulation"
local fail <const> = errors.fail

--- H.time: seconds since the start. H.limit: the longest stable step of a single stage, in seconds. H.shape: the
-- grid's.
local heat <const> = simulation.define {
    type = "rill.heat", letter = "H", one = "heat", streams = {"u", "k", "q", "flow", "a", "b", "c"},
    shows = {"time", "limit", "shape"},
}
local methods <const>, fields <const>, state_of <const> = heat.methods, heat.fields, heat.check

--- H.temperature: the state itself, a stream, which may be written. After the next step it is a different stream.
fields.temperature = "u"
--- H.source: q, the heating per second, a stream, which may be written.
fields.source = "q"

-- ---- options

local FIELD <const> = lattice.number_or_stream(option.is_finite, "a number")
local OPTIONS <const> = {
    shape = lattice.shape, spacing = lattice.spacing, temperature = FIELD, source = FIELD,
    diffusivity = lattice.number_or_stream(option.is_positive, "a number above 0"),
    boundary = {function(v) return type(v) == "string" or type(v) == "table" or option.is_finite(v) end,
        "a word, a number, or a table of one per dimension"},
    dt = simulation.seconds, substeps = simulation.substeps, on = provider.row,
}

-- Replaces all fixed boundary temperatures by the value of one side, and stores the differences of the other sides in
-- self.more, along x, y and z. Returns whether there are differences.
local function level_sides(self)
    local base, differ = nil, false
    self.more = {0, 0, 0}
    for i, mode in ipairs(self.modes) do
        if type(mode) == "number" then
            base = base or mode
            self.more[self.rank + 1 - i], self.modes[i] = mode - base, base
            differ = differ or mode ~= base
        end
    end
    return differ
end

--- rill.heat{shape =, spacing =, diffusivity =, ...} returns a temperature field. Default of the temperature: 0.
local function new(given)
    local taken = simulation.take("rill.heat", given, OPTIONS, "shape")
    local self = lattice.new("rill.heat", taken.shape, taken.spacing or 1, taken.on)
    local words = taken.boundary == nil and "insulated" or taken.boundary
    self.modes, self.around = {}, {} -- boundary modes of the temperature, and of the diffusivity
    for i, mode in ipairs(boundary.take("rill.heat", words, self.rank, "heat", true)) do
        self.modes[i], self.around[i] = mode.stream, boundary.view(mode)
    end
    local differ = level_sides(self)
    self.d, self.k = simulation.factors("rill.heat", "diffusivity", self, taken.diffusivity or 1)
    self.limit, self.dt, self.time = 1 / (2 * self.d * self.stiff), taken.dt, 0
    self.substeps = taken.substeps or true
    self.q = lattice.field("rill.heat", "source", self, taken.source)
    self.u = lattice.field("rill.heat", "temperature", self, taken.temperature)
    for _, name in ipairs {"flow", "a", "b", "c"} do
        self[name] = self.on.stream("float", self.shape)
    end
    self.passes = kernels.passes:program(dimensions.with(self.rank, {differ = differ}))
    return heat.create(self)
end

-- ---- steps

-- Returns the number of stages of a step that is `ratio` times the longest stable step of Euler's method. Subtracts
-- 1e-9 for rounding.
local function stages(ratio)
    return math.max(3, math.ceil(0.5 * (math.sqrt(9 + 16 * ratio) - 1) - 1e-9))
end

-- Rounding errors grow with the square of the number of stages; here they reach about 1 %.
local MOST_STAGES <const> = 6000

local function b(j)
    return j < 2 and 1 / 3 or (j * j + j - 2) / (2 * j * (j + 1))
end

local GROWTH <const> = 0.5 -- the longest part of a step, relative to the time before it in the step

-- Returns the durations of the parts of a step. The first part is at most `limit`, and each other part is at most half
-- as long as the time before it in the step: one part only halves the modes that decay within it, and the shorter parts
-- before it remove them. The last part is the longest.
local function growing(limit, dt)
    local parts, done = {}, 0
    while done < dt do
        local part, left = math.max(limit, GROWTH * done), dt - done
        local last = part >= left * (1 - 1e-9)
        parts[#parts + 1] = last and left or math.min(part, left / 2)
        done = last and dt or done + parts[#parts]
    end
    return parts
end

-- Advances by dt seconds in s stages.
local function advance(h, dt, s)
    local w = 4 / (s * s + s - 2)
    local k = h.k:boundary(table.unpack(h.around))
    local before, y, spare = h.u, h.a, h.b
    h.passes.first(b(1) * w * dt, h.d, h.per, h.more, h.u:boundary(table.unpack(h.modes)), k, h.q, h.flow, y)
    for j = 2, s do
        local mu, nu = (2 * j - 1) / j * b(j) / b(j - 1), -(j - 1) / j * b(j) / b(j - 2)
        h.passes.stage(mu, nu, mu * w * dt, -(1 - b(j - 1)) * mu * w * dt, h.d, h.per, h.more,
            y:boundary(table.unpack(h.modes)), k, h.q, before, h.u, h.flow, spare)
        -- The initial state is needed until the end, so three other streams rotate.
        local free = before == h.u and h.c or before
        before, y, spare = y, spare, free
    end
    h.a, h.b, h.c, h.u = before, spare, h.u, y
end

--- H:step([dt]) advances by any number of seconds, in the parts of the option substeps. Default: the option dt, or the
-- longest stable step of a single stage. Returns the object. Nothing is read back.
function methods:step(dt)
    local h = state_of(self, "step")
    dt = simulation.dt("H:step", dt) or h.dt or h.limit
    local parts = h.substeps == true and growing(h.limit, dt)
    local count = parts and #parts or h.substeps
    local longest = parts and parts[count] or dt / count
    local most = stages(longest / h.limit)
    if most > MOST_STAGES then
        fail("H:step: %g seconds need %.0f stages in one part, and rounding errors would be too large: "
            .. "take steps of less than %g", dt, most, MOST_STAGES ^ 2 / 4 * h.limit * (dt / longest))
    end
    for i = 1, count do
        local part = parts and parts[i] or longest
        advance(h, part, stages(part / h.limit))
    end
    h.time = h.time + dt
    return self
end

--- H:picture{min =, max =} returns an image of two-dimensional temperatures in glowing colors, a stream of vec3.
-- Default: from the lowest to the highest temperature.
function methods:picture(options)
    local h = state_of(self, "picture")
    local taken = option.take("H:picture", options, {min = option.finite, max = option.finite})
    simulation.flat("H:picture", "heat", h.rank)
    return kernels.picture:kernel()(taken.min or h.u:min(), taken.max or h.u:max(), h.u)
end

return heat.finish(new)
