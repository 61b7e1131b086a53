-- Cameras of three-dimensional images: checks the user's options, chooses default positions, and computes axes and
-- rays.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local vector = require "rill.core.vector"
local kernels <const> = require "rill.glsl.template".file "camera"
local fail <const> = errors.fail
local unit <const>, cross <const> = vector.unit, vector.cross

local camera = {}

local NEAR <const> = 1e-4 -- of the distance to the target

--- camera.FOV: the default field of view, in degrees. camera.MARGIN: by which factor the image is larger than the
-- objects in it.
camera.FOV, camera.MARGIN = 40, 1.02

local function is_size(value)
    local good = type(value) == "table" and not rill.type(value) and #value == 2
    for i = 1, good and 2 or 0 do
        good = good and math.type(value[i]) == "integer" and value[i] >= 1 and value[i] <= 16384
    end
    return good
end

--- camera.size: the row for option.take of the size of an image.
camera.size = {is_size, "{rows, columns}, whole numbers from 1 to 16384"}

--- camera.above(target, up, reach) returns the default position of the eye: to the side and above the target, so far
-- away that a sphere of radius `reach` fits into the image.
function camera.above(target, up, reach)
    local side = math.abs(up[1]) < 0.9 and {1, 0, 0} or {0, 1, 0}
    local across = unit(cross(side, up))
    return vector.map(function(t, x, u, y) return t + reach * (1.6 * x + 0.9 * u + 0.8 * y) end, target, across, up,
        cross(up, across))
end

--- camera.axes(eye, target, up) returns a camera {eye =, ahead =, right =, above =, up =} of unit vectors, or nil if
-- `up` is parallel to the line of sight.
function camera.axes(eye, target, up)
    local ahead = unit {target[1] - eye[1], target[2] - eye[2], target[3] - eye[3]}
    local right = ahead and unit(cross(ahead, up))
    return right and {eye = eye, ahead = ahead, right = right, above = cross(right, ahead), up = up}
end

--- camera.approach(seen, low, high) moves the start of rays close to a box, because floats of a distant eye are too
-- coarse there. Returns the new start (a point on the camera's axis, one diagonal before the box, or the eye if that
-- is near), its distance from the eye, and the distances from it at which the box begins and ends.
function camera.approach(seen, low, high)
    local least, most = math.huge, -math.huge
    for corner = 0, 7 do
        local depth = 0
        for d = 1, 3 do
            depth = depth + ((corner >> (d - 1) & 1 == 1 and high or low)[d] - seen.eye[d]) * seen.ahead[d]
        end
        least, most = math.min(least, depth), math.max(most, depth)
    end
    local ahead = math.max(0, least - vector.diagonal(low, high))
    local eye = vector.map(function(e, a) return e + ahead * a end, seen.eye, seen.ahead)
    return eye, ahead, math.max(least, 0) - ahead, most - ahead
end

--- camera.focus(columns, degrees) returns pixels per length at distance 1 for an image whose horizontal field of
-- view is `degrees`.
function camera.focus(columns, degrees)
    return columns / 2 / math.tan(math.rad(degrees / 2))
end

-- ---- options, and cameras that see meshes

--- camera.rows: the rows for camera.take.
camera.rows = {
    eye = option.vector, target = option.vector, up = option.vector, fov = option.angle,
    orthographic = option.positive, near = option.positive,
}

--- camera.take(where, given, rows) returns the checked option 'camera'.
function camera.take(where, given, rows)
    local taken = option.take(where .. ": option 'camera'", given, rows)
    if taken.fov and taken.orthographic then
        fail("%s: option 'camera': give either 'fov' or 'orthographic', not both", where)
    end
    return taken
end

-- Returns the smallest coordinates of all vertices (sign 1) or the largest (sign -1), or nil if no vertex is visible.
-- Invisible vertices (NaN, infinite, 1e30 away) have the coordinates 3e38.
local function corner(positions, sign)
    local far <close> = kernels:program().outermost(positions, sign)
    local least = far:min()
    return least and least[1] < 1e38 and {sign * least[1], sign * least[2], sign * least[3]} or nil
end

--- camera.bounds(meshes) returns the smallest and the largest coordinates of all vertices, read back; -1 and 1 if
-- there are none.
function camera.bounds(meshes)
    local low, high
    for _, mesh in ipairs(meshes) do
        local from, to = corner(mesh.positions, 1), corner(mesh.positions, -1)
        if from then
            low, high = vector.map(math.min, from, low or from), vector.map(math.max, to, high or to)
        end
    end
    return low or {-1, -1, -1}, high or {1, 1, 1}
end

-- Returns the width of the image in lengths at distance 1.
local function width_of(taken)
    return 2 * math.tan(math.rad((taken.fov or camera.FOV) / 2))
end

-- Returns the nearest eye, in front, above and to the right, that sees all vertices; for a parallel projection an eye
-- outside of them.
local function eye_of(taken, target, up, meshes, size)
    local towards, back = unit(camera.above({0, 0, 0}, up, 1)), 0
    local seen = camera.axes(towards, {0, 0, 0}, up)
    local per = taken.orthographic and 0 or 2 * camera.MARGIN / width_of(taken)
    for _, mesh in ipairs(meshes) do
        local away <close> = kernels:program().away(mesh.positions, target, seen.right, seen.above, seen.ahead, {per,
            per * size[2] / size[1]})
        back = math.max(back, camera.MARGIN * (away:max() or 0))
    end
    back = back > 0 and back or 1 -- a single point
    return vector.map(function(t, way) return t + back * way end, target, towards)
end

--- camera.place(taken, eye, target, up, where) returns the arguments of kernels for a camera, except focus and
-- middle. `reach` is the distance to the target, or the width of an orthographic image.
function camera.place(taken, eye, target, up, where)
    local seen = up and camera.axes(eye, target, up)
    if not seen then
        fail("%s: option 'camera': 'eye' must be away from 'target', and not straight along 'up' from it: "
            .. "give another 'up', as {0, 0, 1}", where)
    end
    local distance = vector.diagonal(target, eye)
    seen.parallel = taken.orthographic and 1 or 0
    seen.limit = taken.orthographic and 0 or 1 / (taken.near or NEAR * distance)
    seen.reach = taken.orthographic or distance
    return seen
end

--- camera.of_meshes(given, meshes, size, where) returns a camera for meshes: eye, ahead, right, above; parallel: 1
-- for a parallel projection; limit: the largest depth value; width: width of the image, in lengths at distance 1, or
-- for a parallel projection in lengths.
function camera.of_meshes(given, meshes, size, where)
    local taken = camera.take(where, given, camera.rows)
    local up = unit(taken.up or {0, 1, 0})
    local target = taken.target or vector.middle(camera.bounds(meshes))
    local eye = taken.eye or up and eye_of(taken, target, up, meshes, size)
    local seen = camera.place(taken, eye, target, up, where)
    seen.width = taken.orthographic or width_of(taken)
    return seen
end

return camera
