--- rill.cloth: simulates cloth as particles connected by springs, after section 4.2 of "Brook for GPUs", with the
-- shear and bending springs of Provot (1995), damping, wind, walls and held particles.
local rill = require "rill"
local errors = require "rill.core.error"
local cameras = require "rill.geometry.camera"
local option = require "rill.core.options"
local vector = require "rill.core.vector"
local lattice = require "rill.stream.grid"
local provider = require "rill.stream.provider"
local simulation = require "rill.simulation.simulation"
local walls = require "rill.simulation.particle.walls"
local dimensions = require "rill.glsl.dimensions"
local kernels <const> = require "rill.glsl.template".sections "cloth"
local fail <const> = errors.fail

--- C.time: seconds since the start. C.limit: the longest stable step, in seconds. C.shape: rows and columns.
local cloth <const> = simulation.define {
    type = "rill.cloth", letter = "C", one = "a cloth", streams = {"x", "v", "spare", "faster", "held"},
    shows = {"time", "limit", "shape"},
    release = function(c)
        for _, s in ipairs(c.walls.made) do s:close() end
    end,
}
local methods <const>, fields <const>, state_of <const> = cloth.methods, cloth.fields, cloth.check

--- C.positions, C.velocities: the state itself, streams of vec3 {rows, columns}, which may be written. After the next
-- step they are different streams. Velocities lag positions by half a step.
fields.positions, fields.velocities = "x", "v"

-- ---- options

local function is_shape(value) return option.is_shape(value, 2, 2) end

-- The range in which squares of lengths are representable as floats.
local function is_width(value)
    return option.is_positive(value) and value >= 1e-15 and value <= 1e15
end

local OPEN <const>, VECTOR <const>, POSITIVE <const> = provider.option, option.vector, option.positive
local SHARE <const> = option.not_negative
local OPTIONS <const> = {
    shape = {is_shape, "a table of two whole numbers, 1 or more, at most 2147483647 elements"},
    positions = OPEN, velocities = OPEN, held = OPEN,
    spacing = {is_width, "a number from 1e-15 to 1e15", 1}, mass = option.default(POSITIVE, 1),
    stiffness = option.default(POSITIVE, 1000), shear = option.default(SHARE, 0.3), bend = option.default(SHARE, 0.1),
    damping = option.default(SHARE, 0), drag = option.default(SHARE, 0),
    gravity = option.default(VECTOR, {0, -9.81, 0}), wind = option.default(VECTOR, {0, 0, 0}),
    dt = POSITIVE, substeps = option.default(simulation.substeps, 1), walls = option.default(walls.row, {}),
    on = provider.row,
}
local SAFE <const> = 0.5 -- of the longest stable step: the default step

-- Returns a copy of a stream with one vec3 or number for each particle. Raises an error if an element is not finite.
local function taken_field(on, name, s, type, shape)
    s = on.open(("rill.cloth: option '%s'"):format(name), s)
    local have, want = table.concat(s.shape, "x"), table.concat(shape, "x")
    if have ~= want or type and s.type ~= type then
        fail("rill.cloth: option '%s': expected a stream of %s of shape %s, got one of %s of shape %s", name,
            type or "numbers", want, s.type, have)
    end
    local bad <close> = rill.where(rill.isnan(rill.length(s - s)), 1, 0):eval()
    if bad:max() > 0 then
        local place = {bad:argmax()}
        fail("rill.cloth: option '%s': element %s is not finite", name, table.concat(place, ", "))
    end
    return on.take(s):copy()
end

-- The springs of a particle have at most the stiffness `sum` per mass; the square of the highest frequency is at most
-- twice this sum.
local function longest_step(taken)
    local sum = taken.stiffness * (4 + 4 * taken.shear + 4 * taken.bend) / taken.mass
    local frequency, friction = math.sqrt(2 * sum), 12 * taken.damping / taken.mass
    return 2 / (math.sqrt(frequency ^ 2 + friction ^ 2) + friction)
end

--- rill.cloth{shape =, spacing =, ...} returns a cloth of rows x columns particles, flat in the plane y = 0 unless
-- `positions` is given.
local function new(given)
    local taken = option.take("rill.cloth", given, OPTIONS)
    local shape = taken.shape or taken.positions and {table.unpack(taken.positions.shape)}
    if not shape then
        fail("rill.cloth: option 'shape' is missing: %s", OPTIONS.shape[2])
    elseif not is_shape(shape) then
        fail("rill.cloth: option 'positions': expected a stream of vec3 of two dimensions, got shape %s",
            table.concat(shape, "x"))
    end
    local h, on = taken.spacing, provider.of(taken.on)
    local self = {
        shape = shape, dt = taken.dt, substeps = taken.substeps, time = 0, before = 0, limit = longest_step(taken),
        on = on,
    }
    local flat = not taken.positions and rill.stream("vec3", shape, function(i, j)
        return {(j - 1) * h, 0, (i - 1) * h}
    end)
    self.x = flat and on.take(flat) or taken_field(on, "positions", taken.positions, "vec3", shape)
    self.v = taken.velocities and taken_field(on, "velocities", taken.velocities, "vec3", shape) or
        on.stream("vec3", shape)
    self.held = taken.held and lattice.mask("rill.cloth: option 'held'", taken.held, shape, 1, 0, on) or
        on.stream("float", shape)
    self.spare, self.faster = on.stream("vec3", shape), on.stream("vec3", shape)
    self.walls = walls.new("rill.cloth", taken.walls, 3, 4 * h)
    self.stepper = kernels.step:kernel(dimensions.with(3, self.walls.text))
    local stiff = taken.stiffness
    self.call = {
        stiff = {stiff, stiff * taken.shear, stiff * taken.bend}, rest = {h, h}, damping = taken.damping,
        drag = taken.drag, lightness = 1 / taken.mass, gravity = taken.gravity,
        wind = taken.wind, held = self.held,
    }
    for name, value in pairs(self.walls.values) do self.call[name] = value end
    return cloth.create(self)
end

-- ---- steps

local function advance(c, dt)
    local call = c.call
    call.kick, call.dt, call.x, call.v, call.r, call.w = 0.5 * (c.before + dt), dt, c.x, c.v, c.spare, c.faster
    c.stepper(call)
    c.x, c.spare, c.v, c.faster = c.spare, c.x, c.faster, c.v
    c.before, c.time = dt, c.time + dt
end

--- C:step([dt]) advances by dt seconds. Default: the option dt, or half of the longest stable step. Returns the
-- cloth. Nothing is read back.
function methods:step(dt)
    local c = state_of(self, "step")
    dt = simulation.dt("C:step", dt) or c.dt or SAFE * c.limit
    simulation.advance("rill.cloth", "C:step", c, dt, SAFE * c.limit, advance)
    return self
end

--- C:hold([mask]) holds the particles at which the mask is true from now on; without a mask it releases all. Returns
-- the cloth.
function methods:hold(mask)
    local c = state_of(self, "hold")
    if mask ~= nil and not provider.accepts(mask) then
        fail("C:hold: argument #1 'mask': expected an open stream, got %s", errors.told(mask))
    end
    local held = mask == nil and c.on.stream("float", c.shape) or
        lattice.mask("C:hold: argument #1 'mask'", mask, c.shape, 1, 0, c.on)
    c.held:close()
    c.held, c.call.held = held, held
    return self
end

-- ---- pictures

local function unit(a)
    local l = math.sqrt(a[1] ^ 2 + a[2] ^ 2 + a[3] ^ 2)
    return {a[1] / l, a[2] / l, a[3] / l}
end

local PICTURE <const> = {size = cameras.size, eye = VECTOR, at = VECTOR, fov = option.angle, angle = option.angle}

--- C:picture{size =, eye =, at =, fov =} returns an image of the cloth as seen from `eye` towards `at`, a stream
-- of vec3. Defaults: size {480, 480}; fov 40 degrees (vertical field of view); eye and at depend on the extent of
-- the cloth, which is read back.
function methods:picture(options)
    local c = state_of(self, "picture")
    local taken = option.take("C:picture", options, PICTURE)
    if c.shape[1] < 2 or c.shape[2] < 2 then
        fail("C:picture: a cloth of %d x %d particles has no squares to draw: expected at least 2 x 2",
            c.shape[1], c.shape[2])
    end
    local x = c.on.whole(c.x)
    local low, high = x:min(), x:max()
    local wide = vector.longest(low, high)
    local at = taken.at or vector.middle(low, high)
    local eye = taken.eye or {at[1] + 0.5 * wide, at[2] + 0.8 * wide, at[3] + 1.8 * wide}
    local size = taken.size or {480, 480}
    local ahead = vector.map(function(a, e) return a - e end, at, eye)
    if ahead[1] == 0 and ahead[3] == 0 then
        -- Avoids looking straight down, and a zero direction.
        ahead[3] = ahead[2] ~= 0 and -1e-6 * math.abs(ahead[2]) or -1
    end
    ahead = unit(ahead)
    local right = unit(vector.cross(ahead, {0, 1, 0}))
    local drawing = kernels.picture:program()
    local parts = math.max(2, math.ceil(3 * math.max(size[1], size[2]) / math.min(c.shape[1], c.shape[2])))
    local pixel, key, color = drawing.strew {
        x = x, parts = parts, eye = eye, right = right, above = vector.cross(right, ahead), ahead = ahead,
        middle = {size[2] / 2, size[1] / 2},
        focus = size[1] / 2 / math.tan(math.rad(taken.fov or taken.angle or 40) / 2),
        extent = {size[2], size[1]}, shape = {(c.shape[1] - 1) * parts, (c.shape[2] - 1) * parts},
    }
    local depth <close> = rill.stream("int", size[1] * size[2])
    rill.scatter(depth, pixel, key, "max")
    local shown <close> = drawing.nearest(depth, key, pixel)
    local picture = drawing.backdrop {rows = size[1], shape = size}
    rill.scatter(picture:reshape(size[1] * size[2]), shown, color)
    pixel:close()
    key:close()
    color:close()
    return picture
end

return cloth.finish(new)
