--- rill.volume: renders scalar volumes through a transfer function, by ray marching or slices (chapter 28.7.1 of
-- "GPGPU", figure 28.12), or as isosurfaces.
local rill = require "rill"
local errors = require "rill.core.error"
local cameras = require "rill.geometry.camera"
local option = require "rill.core.options"
local vector = require "rill.core.vector"
local lattice = require "rill.stream.grid"
local rays = require "rill.render.volume.rays"
local shell = require "rill.render.volume.isosurface"
local transfer = require "rill.render.volume.transfer"
local fail <const> = errors.fail

-- Slices; a launch reads and writes the whole image, and more slices would be one long loop.
local PER_LAUNCH <const> = 16

-- ---- options

local function is_range(value)
    return option.is_vector(value, 2) and value[1] < value[2]
end

local VECTOR <const>, POSITIVE <const> = option.vector, option.positive
local METHODS <const>, SURFACES <const> = {march = true, slices = true}, {shaded = true, water = true}

local OPTIONS <const> = {
    camera = option.table,
    transfer = {transfer.is_one, transfer.words}, method = option.words(METHODS), spacing = lattice.spacing,
    size = cameras.size, step = POSITIVE, density = POSITIVE,
    iso = option.finite, surface = option.words(SURFACES), color = VECTOR,
    range = {is_range, "{min, max}, min below max"}, background = VECTOR,
    light = {function(v) return type(v) == "boolean" or option.is_vector(v, 3) and vector.unit(v) ~= nil end,
        "a direction, three numbers, or true"},
}
local CAMERA <const> = {
    eye = VECTOR, target = VECTOR, up = VECTOR, fov = option.angle, orthographic = POSITIVE,
}

-- ---- cameras

-- Returns a vector divided by `unit`, or nil if there is none.
local function scaled(v, unit)
    return v and vector.map(function(x) return x / unit end, v)
end

-- Returns the camera in lengths of `unit`.
local function camera_of(given, sides, size, unit)
    local taken = cameras.take("rill.volume", given, CAMERA)
    local up = vector.unit(taken.up or {0, 0, 1})
    local target = scaled(taken.target, unit) or scaled(sides, 2)
    local eye = scaled(taken.eye, unit) or up and cameras.above(target, up, math.max(table.unpack(sides)))
    local seen = up and cameras.axes(eye, target, up)
    if not seen then
        fail("rill.volume: option 'camera': 'eye' must be away from 'target', and not straight along 'up' from it")
    end
    local ahead
    seen.eye, ahead, seen.first, seen.last = cameras.approach(seen, {0, 0, 0}, sides)
    seen.middle, seen.parallel = {(size[2] - 1) / 2, (size[1] - 1) / 2}, taken.orthographic and 1 or 0
    seen.focus = taken.orthographic and size[2] / taken.orthographic * unit or
        cameras.focus(size[2], taken.fov or cameras.FOV)
    seen.spread = taken.orthographic and 1 or ahead
    return seen
end

-- ---- methods

local styles = {}

--- styles.march(kernels, values, how) marches every ray in one launch.
function styles.march(kernels, values, how)
    values.step, values.background, values.shape = how.step, how.background, how.size
    return kernels.volume_march(values)
end

--- styles.slices(kernels, values, how) draws slices from front to back, several in each launch.
function styles.slices(kernels, values, how)
    local first, last = how.camera.first, how.camera.last
    local count <const> = math.max(0, math.ceil((last - first) / how.step))
    local sum <close> = rill.stream("vec4", how.size, {0, 0, 0, 1})
    values.step, values.sum = how.step, sum
    for i = 0, count - 1, PER_LAUNCH do
        values.first, values.count = first + i * how.step, math.min(PER_LAUNCH, count - i)
        kernels.volume_slices(values)
    end
    return kernels.volume_finish(sum, how.background)
end

-- ---- the call

-- Returns the range of values that a preset spans. Raises an error if a value is NaN or infinite.
local function range_of(s, given, range)
    lattice.all_finite("rill.volume: argument #1 's'", s)
    if range or not transfer.spans(given) then
        return table.unpack(range or {0, 1})
    end
    local low, high = s:min() or 0, s:max() or 0
    return low, high > low and high or low + 1
end

-- Raises an error if an option for isosurfaces was given without `iso`, or the reverse.
local function check_kind(taken)
    local surface <const> = taken.iso ~= nil
    for _, name in ipairs(surface and {"transfer", "method", "density", "range"} or {"surface", "color"}) do
        if taken[name] ~= nil then
            fail("rill.volume: option '%s' applies only %s 'iso'", name, surface and "without" or "with")
        end
    end
end

-- Returns the settings that follow from the options. Lengths are divided by the smallest spacing, so that images do
-- not depend on the unit.
local function settled(s, taken)
    local given = lattice.new("rill.volume", {table.unpack(s.shape)}, taken.spacing or 1).spacing
    local unit = math.min(table.unpack(given))
    local how = {unit = unit, spacing = scaled(given, unit)}
    how.sides = {s.shape[3] * how.spacing[1], s.shape[2] * how.spacing[2], s.shape[1] * how.spacing[3]}
    how.size, how.background = taken.size or {480, 640}, taken.background or {0, 0, 0}
    how.camera = camera_of(taken.camera, how.sides, how.size, unit)
    how.step = (taken.step or 0.5 * unit) / unit
    local diagonal = vector.length(how.sides)
    if diagonal / how.step > rays.STEPS then
        fail("rill.volume: option 'step': rays would need %.0f steps, more than %d: give a step above %g",
            diagonal / how.step, rays.STEPS, diagonal * unit / rays.STEPS)
    end
    how.light, how.color = taken.light, taken.color
    return how
end

-- Returns the arguments that all kernels take.
local function arguments(s, how)
    local values = {s = s, per = vector.map(function(h) return 1 / h end, how.spacing)}
    for _, name in ipairs {"eye", "right", "above", "ahead", "middle", "focus", "parallel", "spread"} do
        values[name] = how.camera[name]
    end
    if how.light then
        values.light = how.light == true and {0, 0, 0} or vector.unit(how.light)
    end
    return values
end

local function surface(s, how, taken)
    lattice.all_finite("rill.volume: argument #1 's'", s)
    local values = arguments(s, how)
    values.iso, values.stride, values.shape = taken.iso, how.step, how.size
    return shell[taken.surface or "shaded"](values, how)
end

local function clouds(s, how, taken)
    local given = taken.transfer or "gray"
    local low, high = range_of(s, given, taken.range)
    local reach = how.unit * math.max(table.unpack(how.sides))
    local painted = transfer.take(given, low, high, reach, how.unit * (taken.density or 1))
    local values = arguments(s, how)
    for name, value in pairs(painted.values) do
        values[name] = value
    end
    return styles[taken.method or "march"](rays.program(painted, values.light ~= nil), values, how)
end

--- rill.volume(s [, {camera =, transfer =, iso =, ...}]) returns an image, a stream of vec3 {rows, columns}, of a
-- volume {layers, rows, columns}. A segment ds of a ray absorbs 1 - exp(-k ds) of the light, where k is the opacity
-- per length, and emits its color instead (Max 1995). With `iso` the image shows an isosurface.
local function new(s, given)
    local taken = option.take("rill.volume", given, OPTIONS, {colour = "color"})
    check_kind(taken)
    s = lattice.volume("rill.volume", s)
    local how = settled(s, taken)
    return (taken.iso and surface or clouds)(s, how, taken)
end

return errors.guard(new, "rill.volume")
