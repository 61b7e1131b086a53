-- Images of meshes and points that are turned with the mouse.
local rill = require "rill.core.public"
local cameras = require "rill.geometry.camera"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local tables = require "rill.core.tables"
local vector = require "rill.core.vector"
local template = require "rill.glsl.template"
local fail <const> = errors.fail

local LARGEST <const> = 2048 -- pixels along a side
local STEEP <const> = math.rad(89)
local RADIUS <const> = 0.004 -- of a point, relative to the diagonal of the points

local billboards <const> = template.file "billboards"

local orbit = {}

-- Turns a vector about an axis of length 1 by Rodrigues' formula.
local function turned(v, axis, angle)
    local c, s = math.cos(angle), math.sin(angle)
    local dot = v[1] * axis[1] + v[2] * axis[2] + v[3] * axis[3]
    return vector.map(function(x, w, a) return x * c + w * s + a * dot * (1 - c) end, v, vector.cross(axis, v), axis)
end

--- orbit.drag(panel, dx, dy, distance) turns the camera of a panel by two angles in radians, and multiplies its
-- distance. A distance of 0 restores the first camera.
function orbit.drag(panel, dx, dy, distance)
    if distance == 0 then
        panel.yaw, panel.pitch, panel.zoom = nil, nil, nil
        return
    end
    panel.yaw = (panel.yaw or 0) - dx
    panel.pitch = (panel.pitch or 0) + dy
    panel.zoom = math.min(math.max((panel.zoom or 1) / distance, 1e-3), 1e3)
end

-- Returns the camera {eye, target, up, ...} that the options give, or that was chosen for the first image.
local function base_camera(panel, given, meshes, size)
    given = given or {}
    if given.eye and given.target then
        return given
    end
    local base = panel.base
    if not base or base.given ~= given.eye then
        local low, high = cameras.bounds(meshes)
        local target = given.target or vector.middle(low, high)
        local camera = tables.copy(given)
        camera.target = target
        local seen = cameras.of_meshes(camera, meshes, size, "v:mesh")
        camera.eye, base = seen.eye, {camera = camera, given = given.eye}
        panel.base = base
    end
    return base.camera
end

-- Returns a camera that is turned and moved as the browser says.
local function turned_camera(panel, camera)
    local up = vector.unit(camera.up or {0, 1, 0}) or {0, 1, 0}
    local target, eye = camera.target, camera.eye
    local arm = vector.map(function(e, t) return e - t end, eye, target)
    local length = vector.length(arm)
    local height = math.asin(math.max(-1, math.min(1, (arm[1] * up[1] + arm[2] * up[2] + arm[3] * up[3]) / length)))
    panel.pitch = math.min(math.max(panel.pitch or 0, -STEEP - height), STEEP - height)
    arm = turned(arm, up, panel.yaw or 0)
    local side = vector.unit(vector.cross(up, arm)) or {1, 0, 0}
    arm = turned(arm, side, -panel.pitch)
    local copy, zoom = tables.copy(camera), panel.zoom or 1
    copy.eye = vector.map(function(t, a) return t + (camera.orthographic and a or a / zoom) end, target, arm)
    copy.orthographic = camera.orthographic and camera.orthographic / zoom
    return copy
end

local function is_points(m)
    return not errors.not_open(m) and m.type == "vec3" and #m.shape == 1
end

-- Returns a mesh of a square for each point that faces the camera, and its colors.
local function squares(points, camera, options)
    local radius = options.radius
    if not radius then
        local low, high = cameras.bounds {{positions = points}}
        radius = RADIUS * math.max(vector.diagonal(low, high), 1e-30)
    end
    local seen = cameras.axes(camera.eye, camera.target, vector.unit(camera.up or {0, 1, 0}))
    if not seen then
        fail("v:mesh: option 'camera': 'eye' must be away from 'target', and not straight along 'up' from it")
    end
    local mesh = {
        positions = billboards:program().corners {
            points = points, right = seen.right, above = seen.above, radius = radius, shape = {4 * points.size},
        },
        triangles = billboards:program().halves {shape = {2 * points.size}},
    }
    return mesh
end

--- orbit.check(where, m, options) raises unless a value is a mesh, a list of meshes or points.
function orbit.check(where, m, options)
    errors.options(where, options)
    local kind = rill.type(m)
    if not is_points(m) and not (type(m) == "table" and (not kind or kind == "mesh")) then
        fail("%s: argument #2 'm': expected a mesh, a list of meshes, or points (a stream {n} of vec3), got %s", where,
            errors.told(m))
    end
    if options and options.radius ~= nil and not (is_points(m) and option.is_positive(options.radius)) then
        fail("%s: option 'radius': expected a number above 0, for points, got %s", where, errors.told(options.radius))
    end
end

--- orbit.draw(panel, m, options) returns the image of a mesh, a list of meshes or points.
function orbit.draw(panel, m, options)
    local taken = tables.copy(options)
    local size = taken.size or {math.min(panel.size[1], LARGEST), math.min(panel.size[2], LARGEST)}
    taken.size, taken.radius = size, nil
    local points = is_points(m)
    if points then
        m = rill.type(m) == "expression" and m:eval() or m
    end
    local list = points and {{positions = m}} or m.positions and {m} or m
    local camera = turned_camera(panel, base_camera(panel, options.camera, list, size))
    taken.camera = camera
    if points then
        taken.shading = taken.shading or "none"
        m = squares(m, camera, options)
    end
    return rill.render(m, taken)
end

return orbit
