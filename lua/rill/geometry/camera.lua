-- Cameras of pictures of space: where an eye is, what it looks at, and the rays through the pixels; as users give them, and those that see all
-- vertices of meshes.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local vector = require "rill.core.vector"
local kernels <const> = require "rill.glsl.template".file "camera"
local fail <const> = errors.fail
local unit <const>, cross <const> = vector.unit, vector.cross

local camera = {}

local NEAR <const> = 1e-4 -- of the distance to the target

--- camera.FOV: the default field of view, in degrees. camera.MARGIN: by which factor the image is larger than the objects in it.
camera.FOV, camera.MARGIN = 40, 1.02

local function is_size(value)
    local good = type(value) == "table" and not rill.type(value) and #value == 2
    for i = 1, good and 2 or 0 do
        good = good and math.type(value[i]) == "integer" and value[i] >= 1 and value[i] <= 16384
    end
    return good
end

--- camera.size: a row for option.take, of a picture's.
camera.size = {is_size, "{rows, columns}, whole numbers from 1 to 16384"}

--- camera.above(target, up, reach): returns the default position of the eye: in front of the target, a little above and to the side, and far enough
-- away that a sphere of radius `reach` fits into the image.
function camera.above(target, up, reach)
    local side = math.abs(up[1]) < 0.9 and {1, 0, 0} or {0, 1, 0}
    local across = unit(cross(side, up))
    return vector.map(function(t, x, u, y) return t + reach * (1.6 * x + 0.9 * u + 0.8 * y) end, target, across, up,
        cross(up, across))
end

--- camera.axes(eye, target, up): unit vectors, ahead, to the right and to above in the picture; nil where `up` does not tell them.
function camera.axes(eye, target, up)
    local ahead = unit {target[1] - eye[1], target[2] - eye[2], target[3] - eye[3]}
    local right = ahead and unit(cross(ahead, up))
    return right and {eye = eye, ahead = ahead, right = right, above = cross(right, ahead), up = up}
end

--- camera.approach(seen, low, high): where rays to a box are to begin instead of at a camera's eye, since floats would lose where a far eye's rays are in the box: a point
-- in front of the eye, a diagonal before the box, and how far it is from the eye; and how far in front of it the box begins and ends. The eye, if that is near.
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

--- camera.focus(columns, degrees): pixels per length at distance 1, of a picture so many degrees wide.
function camera.focus(columns, degrees)
    return columns / 2 / math.tan(math.rad(degrees / 2))
end

-- ---- options, and cameras that see meshes

--- camera.rows: rows for camera.take.
camera.rows = {
    eye = option.vector, target = option.vector, up = option.vector, fov = option.angle,
    orthographic = option.positive, near = option.positive,
}

--- camera.take(where, given, rows): the option 'camera', a table.
function camera.take(where, given, rows)
    local taken = option.take(where .. ": option 'camera'", given, rows)
    if taken.fov and taken.orthographic then
        fail("%s: option 'camera': either 'fov' or 'orthographic'", where)
    end
    return taken
end

-- Vertices that no picture shows, as those with NaN or infinity, are left out; below 1e38 is what is not the 3e38 of those.
local function corner(positions, sign)
    local far <close> = kernels:program().outermost(positions, sign)
    local least = far:min()
    return least and least[1] < 1e38 and {sign * least[1], sign * least[2], sign * least[3]} or nil
end

--- camera.bounds(meshes): the least and the greatest coordinates of their vertices, which are read back; of none -1 and 1.
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

-- How wide a picture is, in lengths at distance 1.
local function width_of(taken)
    return 2 * math.tan(math.rad((taken.fov or camera.FOV) / 2))
end

-- The nearest eye above and to the right of the front that sees all vertices; without perspective one beyond them.
local function eye_of(taken, target, up, meshes, size)
    local towards, back = unit(camera.above({0, 0, 0}, up, 1)), 0
    local seen = camera.axes(towards, {0, 0, 0}, up)
    local per = taken.orthographic and 0 or 2 * camera.MARGIN / width_of(taken)
    for _, mesh in ipairs(meshes) do
        local away <close> = kernels:program().away(mesh.positions, target, seen.right, seen.above, seen.ahead, {per,
            per * size[2] / size[1]})
        back = math.max(back, camera.MARGIN * (away:max() or 0))
    end
    back = back > 0 and back or 1 -- of a single point
    return vector.map(function(t, way) return t + back * way end, target, towards)
end

--- camera.place(taken, eye, target, up, where): what kernels take of a camera, but for focus and middle; `reach`: how far it is from the target, or how wide
-- the picture is.
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

--- camera.of_meshes(given, meshes, size, where): eye, ahead, right, above; parallel: 1 without perspective; limit: the greatest depth; and width: how wide
-- the picture is, in lengths at distance 1, or at all.
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
