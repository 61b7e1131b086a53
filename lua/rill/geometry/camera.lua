-- Cameras as users give them, and those that see all vertices of meshes.
local rill = require "rill.core.public"
local cameras = require "rill.glsl.snippets.camera"
local errors = require "rill.core.error"
local lazy = require "rill.core.lazy"
local option = require "rill.core.options"
local fail <const> = errors.fail

local camera = {}

local NEAR <const> = 1e-4 -- of the distance to the target

--- camera.FOV: degrees that pictures are wide, unless told. camera.MARGIN: how much larger than what is in them.
camera.FOV, camera.MARGIN = 40, 1.02

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

-- Vertices 1e30 away and more are not shown, since focus and pixels times that overflow; 3e38 stands for no vertex among the least coordinates.
local TEXT <const> = [=[
    bool is_shown(vec3 p) { return max(max(abs(p.x), abs(p.y)), abs(p.z)) < 1e30; }
    kernel vec3 outermost(vec3 p<>, float sign) { return is_shown(p) ? sign * p : vec3(3e38); }
    // How far from the target the eye must be for the picture to have a vertex.
    kernel float away(vec3 p<>, vec3 target, vec3 right, vec3 above, vec3 ahead, vec2 widths) {
        vec3 d = p - target;
        return is_shown(p) ? max(abs(dot(d, right)) * widths.x, abs(dot(d, above)) * widths.y) - dot(d, ahead) : 0.0;
    }
]=]

local kernels <const> = lazy.once(function() return rill.program(TEXT) end)

-- Vertices that no picture shows, as those with NaN or infinity, are left out; below 1e38 is what is not the 3e38 of those.
local function corner(positions, sign)
    local far <close> = kernels().outermost(positions, sign)
    local least = far:min()
    return least and least[1] < 1e38 and {sign * least[1], sign * least[2], sign * least[3]} or nil
end

--- camera.bounds(meshes): the least and the greatest coordinates of their vertices, which are read back; of none -1 and 1.
function camera.bounds(meshes)
    local low, high
    for _, mesh in ipairs(meshes) do
        local from, to = corner(mesh.positions, 1), corner(mesh.positions, -1)
        for d = 1, from and 3 or 0 do
            low, high = low or {table.unpack(from)}, high or {table.unpack(to)}
            low[d], high[d] = math.min(low[d], from[d]), math.max(high[d], to[d])
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
    local towards, eye, back = cameras.unit(cameras.above({0, 0, 0}, up, 1)), {}, 0
    local seen = cameras.axes(towards, {0, 0, 0}, up)
    local per = taken.orthographic and 0 or 2 * camera.MARGIN / width_of(taken)
    for _, mesh in ipairs(meshes) do
        local away <close> = kernels().away(mesh.positions, target, seen.right, seen.above, seen.ahead, {per,
            per * size[2] / size[1]})
        back = math.max(back, camera.MARGIN * (away:max() or 0))
    end
    back = back > 0 and back or 1 -- of a single point
    for d = 1, 3 do
        eye[d] = target[d] + back * towards[d]
    end
    return eye
end

--- camera.axes(taken, eye, target, up, where): what kernels take of a camera, but for focus and middle; `reach`: how far it is from the target, or how wide
-- the picture is.
function camera.axes(taken, eye, target, up, where)
    local seen = up and cameras.axes(eye, target, up)
    if not seen then
        fail("%s: option 'camera': 'eye' must be away from 'target', and not straight along 'up' from it: "
            .. "give another 'up', as {0, 0, 1}", where)
    end
    local distance = math.sqrt((eye[1] - target[1]) ^ 2 + (eye[2] - target[2]) ^ 2 + (eye[3] - target[3]) ^ 2)
    seen.parallel = taken.orthographic and 1 or 0
    seen.limit = taken.orthographic and 0 or 1 / (taken.near or NEAR * distance)
    seen.reach = taken.orthographic or distance
    return seen
end

--- camera.of_meshes(given, meshes, size, where): eye, ahead, right, above; parallel: 1 without perspective; limit: the greatest depth; and width: how wide
-- the picture is, in lengths at distance 1, or at all.
function camera.of_meshes(given, meshes, size, where)
    local taken = camera.take(where, given, camera.rows)
    local up = cameras.unit(taken.up or {0, 1, 0})
    local target, eye = taken.target, taken.eye
    if not target then
        local low, high = camera.bounds(meshes)
        target = {(low[1] + high[1]) / 2, (low[2] + high[2]) / 2, (low[3] + high[3]) / 2}
    end
    eye = eye or up and eye_of(taken, target, up, meshes, size)
    local seen = camera.axes(taken, eye, target, up, where)
    seen.width = taken.orthographic or width_of(taken)
    return seen
end

return camera
