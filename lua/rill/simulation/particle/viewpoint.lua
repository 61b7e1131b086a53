-- Views for images of particles: a window of the plane, or a camera in space.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local cameras = require "rill.geometry.camera"
local option = require "rill.core.options"
local vector = require "rill.core.vector"
local template = require "rill.glsl.template"

local viewpoint = {}

-- Defines the function `seen` and the parameters CAMERA.
template.snippet("viewpoint", template.file "viewpoint")

-- ---- options

--- viewpoint.rows(dimensions) returns rows for option.take.
function viewpoint.rows(dimensions)
    local row = {
        function(v) return option.is_vector(v, dimensions) end, ("a table of %d numbers"):format(dimensions),
    }
    local flat, solid = dimensions == 2 and row or nil, dimensions == 3 and row or nil
    return {
        size = cameras.size, low = flat, high = flat, eye = solid, target = solid, up = solid,
        fov = solid and option.positive, angle = solid and option.positive,
    }
end

-- ---- cameras

-- Returns the view of a window of the plane, centered in the image and as large as possible.
local function flat_camera(where, taken, low, high, extent)
    low, high = taken.low or low, taken.high or high
    if not (low[1] < high[1] and low[2] < high[2]) then
        errors.fail("%s: 'low' must be below 'high' in both dimensions, got (%g, %g) and (%g, %g)", where, low[1],
            low[2], high[1], high[2])
    end
    local focus = math.min(extent[1] / (high[1] - low[1]), extent[2] / (high[2] - low[2]))
    return {
        eye = {(low[1] + high[1]) / 2, (low[2] + high[2]) / 2, 0}, focus = focus, far = 2, lead = 0,
        right = {1, 0, 0}, above = {0, 1, 0}, ahead = {0, 0, 1},
    }
end

local function solid_camera(where, taken, low, high, extent, down)
    local middle, reach = vector.middle(low, high), math.max(0, vector.longest(low, high))
    local up = vector.unit(taken.up or {-down[1], -down[2], -down[3]}) or {0, 0, 1}
    local target = taken.target or middle
    local camera = cameras.axes(taken.eye or cameras.above(target, up, reach), target, up)
    if not camera then
        errors.fail("%s: 'eye' must be away from 'target', and not straight above or below it", where)
    end
    camera.eye, camera.lead = cameras.approach(camera, low, high)
    local far = 0
    for d = 1, 3 do
        far = far + (math.abs(camera.eye[d] - middle[d]) + reach) ^ 2
    end
    camera.far, camera.focus = math.sqrt(far), cameras.focus(extent[2], math.min(taken.fov or taken.angle or 40, 170))
    return camera
end

--- viewpoint.new(where, taken, low, high, size, down) returns the view for the options `taken`; by default
-- everything between the corners is visible. size: {rows, columns}. down: direction of gravity, in three dimensions.
function viewpoint.new(where, taken, low, high, size, down)
    local extent = {size[2], size[1]}
    local camera = (#low == 2 and flat_camera or solid_camera)(where, taken, low, high, extent, down)
    camera.middle, camera.extent = {(extent[1] - 1) / 2, (extent[2] - 1) / 2}, extent
    return camera
end

--- viewpoint.seen(camera, values) adds the arguments for the camera to `values`, and returns them.
function viewpoint.seen(camera, values)
    for _, name in ipairs {"eye", "lead", "right", "above", "ahead", "middle", "focus", "extent"} do
        values[name] = camera[name]
    end
    return values
end

--- viewpoint.spots(camera, kernel, values) runs a kernel that adds up, for each pixel, amounts of light, and amounts
-- times speed. Returns both as streams of int in the shape of the image.
function viewpoint.spots(camera, kernel, values)
    local shape = {camera.extent[2], camera.extent[1]}
    local amounts, speeds = rill.stream("int", shape), rill.stream("int", shape)
    values.amounts, values.speeds = amounts:reshape(amounts.size), speeds:reshape(speeds.size)
    kernel(viewpoint.seen(camera, values))
    return amounts, speeds
end

return viewpoint
