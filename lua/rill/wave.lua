--- rill.wave: the wave equation on a grid of one to three dimensions (exercise 28.7-2 of the GPGPU chapter), by leapfrog: velocities
-- stand half a step behind heights.
local rill = require "rill"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local class = require "rill.core.class"
local lattice = require "rill.stream.grid"
local fail <const> = errors.fail

local Wave = {__name = "rill.wave"}
local methods, fields = {}, {}
class.put(Wave, "a wave has", "W", methods, fields)

-- ---- passes

-- `speed` is a factor of c for each cell, `free` 1 but for walls; `kick` the seconds since the velocity was computed.
local TEXT <const> = [=[
kernel void move(float kick, float dt, float damping, float c, vec3 per, vec3 leaves, neighbor float z<>, float speed<>,
                 float free<>, inout float v<>, out float r<>) {
    float here = z[0], local = c * speed, rest = 0.0;
    @{rest += per.#A * (z[#O] - here);}
    v = free * (v + kick * local * local * rest) / (1.0 + kick * damping);
    LEAVING
    r = here + dt * v;
}

kernel void ahead(float kick, float damping, float c, vec3 per, neighbor float z<>, float speed<>, float free<>, float v<>,
                  out float r<>) {
    float here = z[0], local = c * speed, rest = 0.0;
    @{rest += per.#A * (z[#O] - here);}
    r = free * (v + kick * local * local * rest) / (1.0 + kick * damping);
}

// The energy of a cell's motion, and what is its own of that of slopes: summed, they are all that -z laplace z is.
kernel void energy(float c, vec3 per, neighbor float z<>, float speed<>, float v<>, out float r<>) {
    float here = z[0], slowness = v / (c * speed), rest = 0.0;
    @{rest += per.#A * (z[#O] - here);}
    r = 0.5 * (slowness * slowness - here * rest);
}
]=]

-- At sides that absorb the wave leaves at its own speed: dz/dt = c dz/dn, the first condition of Engquist and Majda (1977), dn towards the cell
-- within. In corners both sides have a say.
local LEAVING <const> = [=[ivec4 at = indexof(r), last = sizeof_stream(r) - 1;
    float inward = 0.0, sides = 0.0;
    WAYS
    v = sides > 0.0 ? free * local * inward / sides : v;]=]
local WAY <const> = [=[
    if (leaves.#A > 0.0 && last.#A > 0 && (at.#A == 0 || at.#A == last.#A)) {
        inward += sqrt(per.#A) * ((at.#A == 0 ? z[#P] : z[#M]) - here);
        sides += 1.0;
    }]=]
local AXES <const> = {"x", "y", "z"}

local function leaving(rank)
    local ways = {}
    for d = 1, rank do
        local step = {0, 0, 0}
        step[d] = 1
        local list = table.concat(step, ", ", 1, rank)
        local plus = rank == 1 and "1" or ("ivec%d(%s)"):format(rank, list)
        local minus = rank == 1 and "-1" or ("ivec%d(%s)"):format(rank, (list:gsub("1", "-1")))
        ways[d] = WAY:gsub("#A", AXES[d]):gsub("#P", plus):gsub("#M", minus)
    end
    return (LEAVING:gsub("WAYS", table.concat(ways)))
end

local programs = {}

-- The kernels of a rank; `leaves`: whether some side absorbs.
local function program(rank, leaves)
    local key = rank .. tostring(leaves)
    programs[key] = programs[key] or
        rill.program(lattice.text(rank, (TEXT:gsub("LEAVING", leaves and leaving(rank) or ""))))
    return programs[key]
end

local PICTURE <const> = [=[
kernel void water(float scale, neighbor float z<>, out vec3 colour<>) {
    vec3 n = normalize(vec3(scale * (z[ivec2(-1, 0)] - z[ivec2(1, 0)]), scale * (z[ivec2(0, -1)] - z[ivec2(0, 1)]), 1.0));
    float light = max(dot(n, vec3(-0.46, -0.54, 0.70)), 0.0), shine = pow(max(dot(n, vec3(-0.25, -0.29, 0.92)), 0.0), 60.0);
    vec3 deep = vec3(0.02, 0.10, 0.22), high = vec3(0.20, 0.55, 0.68);
    colour = mix(deep, high, smoothstep(-1.0, 1.0, scale * z[0])) * (0.35 + 0.9 * light) + 0.5 * shine;
}
]=]

-- ---- options

local SPEED <const> = lattice.number_or_stream(option.is_positive, "a number above 0")
local FIELD <const> = lattice.number_or_stream(option.is_finite, "a number")
local OPTIONS <const> = {
    shape = lattice.shape, spacing = lattice.spacing, speed = SPEED, height = FIELD, velocity = FIELD,
    damping = {function(v) return option.is_finite(v) and v >= 0 end, "a number, 0 or more"},
    boundary = {function(v) return type(v) == "string" or type(v) == "table" end,
        "a word, or a table of one per dimension"},
    walls = {function(v) return not errors.not_open(v) end, "an open stream"},
    dt = {option.is_positive, "seconds above 0"},
    substeps = {function(v) return v == true or math.type(v) == "integer" and v >= 1 end,
        "a whole number, 1 or more, or true"},
}
local MODES <const> = {fixed = "zero", free = "clamp", periodic = "wrap", absorb = "clamp"}
local SHARE <const> = 0.9 -- of the longest stable step, unless told

-- The largest speed, and the factors of it.
local function speeds(self, value)
    if type(value) == "number" then
        return value, rill.stream("float", self.shape, 1)
    end
    local factors = lattice.field("rill.wave", "speed", self, value)
    local low, high = factors:min(), factors:max()
    if low <= 0 then
        fail("rill.wave: option 'speed': expected numbers above 0, the least is %s", errors.number(low))
    end
    return high, (factors / high):eval()
end

-- 1 where there is no wall.
local function openings(self, walls)
    if not walls then
        return rill.stream("float", self.shape, 1)
    end
    return lattice.mask("rill.wave: option 'walls'", walls, self.shape, 0, 1)
end

--- rill.wave{shape=, spacing=, speed=, ...}: a surface at rest, or as `height` and `velocity` say.
local function new(given)
    local taken = option.take("rill.wave", given, OPTIONS)
    if not taken.shape then
        fail("rill.wave: option 'shape' is missing: %s", OPTIONS.shape[2])
    end
    local self = lattice.new("rill.wave", taken.shape, taken.spacing or 1)
    local words = taken.boundary or "fixed"
    self.modes = lattice.boundary("rill.wave", words, self.rank, MODES)
    self.leaves = {0, 0, 0}
    for d = 1, self.rank do
        local word = type(words) == "table" and words[self.rank + 1 - d] or words
        self.leaves[d] = word == "absorb" and 1 or 0
    end
    self.c, self.factors = speeds(self, taken.speed or 1)
    self.free, self.damping = openings(self, taken.walls), taken.damping or 0
    self.limit = 1 / (self.c * math.sqrt(self.stiff))
    self.dt, self.substeps, self.time, self.before = taken.dt, taken.substeps or 1, 0, 0
    self.z = lattice.field("rill.wave", "height", self, taken.height)
    self.v = lattice.field("rill.wave", "velocity", self, taken.velocity)
    self.spare = rill.stream("float", self.shape)
    self.passes = program(self.rank, math.max(table.unpack(self.leaves)) > 0)
    return setmetatable({_state = self, _warned = false}, Wave)
end

-- ---- steps

local function state_of(self, name)
    if getmetatable(self) ~= Wave then
        fail("W:%s: expected a wave before the colon, got %s", name, rill.type(self) or type(self))
    elseif not self._state then
        fail("W:%s: the wave was closed", name)
    end
    return self._state
end

local function advance(w, dt)
    w.passes.move(0.5 * (w.before + dt), dt, w.damping, w.c, w.per, w.leaves, w.z:boundary(table.unpack(w.modes)),
        w.factors, w.free, w.v, w.spare)
    w.z, w.spare, w.before, w.time = w.spare, w.z, dt, w.time + dt
end

--- W:step([dt]): goes on by dt seconds; by the option dt unless told, and without that by 0.9 of the longest stable step.
-- Returns the wave. Nothing is read back.
function methods:step(dt)
    local w = state_of(self, "step")
    if dt ~= nil and not option.is_positive(dt) then
        fail("W:step: argument #1 'dt': expected seconds above 0, got %s", errors.told(dt))
    end
    dt = dt or w.dt or SHARE * w.limit
    local parts = lattice.parts("W:step", dt, w.substeps, w.limit)
    if dt / parts > 1.000001 * w.limit and not self._warned then
        rawset(self, "_warned", true)
        warn(("rill.wave: a time step of %.3g s is longer than what is stable, %.3g s: shorten dt, or substeps = true")
            :format(dt / parts, w.limit))
    end
    for _ = 1, parts do
        advance(w, dt / parts)
    end
    return self
end

--- W:close(): gives its memory up.
function methods:close()
    local w = state_of(self, "close")
    for _, name in ipairs {"z", "v", "spare", "factors", "free"} do
        w[name]:close()
    end
    rawset(self, "_state", false)
end

-- ---- what it shows

--- W.height: the state itself, a stream; it may be written. Another stream after the next step.
function fields.height(self) return state_of(self, "height").z end

--- W.velocity: how fast heights change now, a new stream.
function fields.velocity(self)
    local w = state_of(self, "velocity")
    return w.passes.ahead(0.5 * w.before, w.damping, w.c, w.per, w.z:boundary(table.unpack(w.modes)), w.factors, w.free,
        w.v)
end

--- W.energy: the integral of ((dz/dt / c)^2 + |grad z|^2) / 2, which stays where nothing is damped or absorbed.
function fields.energy(self)
    local w = state_of(self, "energy")
    local v <close> = self.velocity
    local e <close> = w.passes.energy(w.c, w.per, w.z:boundary(table.unpack(w.modes)), w.factors, v)
    local volume = 1
    for _, h in ipairs(w.spacing) do volume = volume * h end
    return volume * e:sum()
end

--- W.time: seconds since the start.
function fields.time(self) return state_of(self, "time").time end
--- W.limit: the longest stable step, in seconds.
function fields.limit(self) return state_of(self, "limit").limit end
--- W.shape: the grid's.
function fields.shape(self) return state_of(self, "shape").shape end

--- W:picture{scale=}: a wave of two dimensions as water in slanting light, a stream of vec3; heights times `scale` are drawn as 1 at most.
function methods:picture(options)
    local w = state_of(self, "picture")
    local taken = option.take("W:picture", options, {scale = {option.is_positive, "a number above 0"}})
    if w.rank ~= 2 then
        fail("W:picture: a wave of %d dimension%s has none: rill.plot draws lines, rill.show slices", w.rank,
            w.rank == 1 and "" or "s")
    end
    programs.picture = programs.picture or rill.kernel(PICTURE)
    return programs.picture(taken.scale or 1, w.z)
end

function Wave.__tostring(self)
    local w = self._state
    return w and ("wave[%s] at %.6g s"):format(table.concat(w.shape, "x"), w.time) or "closed wave"
end
Wave.__close = function(self)
    if self._state then self:close() end
end

class.guard(methods, "W")

return errors.guard(new, "rill.wave")
