-- Where a picture of meshes is taken from: the camera that is told, and what is not told from the box around the vertices.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local cameras = require "rill.glsl.snippets.camera"
local option = require "rill.core.options"
local fail <const> = errors.fail

local framing = {}

local VECTOR <const> = {function(v) return option.is_vector(v, 3) end, "a table of 3 numbers"}
local POSITIVE <const> = {option.is_positive, "a number above 0"}
local ANGLE <const> = {function(v) return option.is_positive(v) and v < 180 end, "degrees above 0 and below 180"}
local CAMERA <const> = {eye = VECTOR, target = VECTOR, up = VECTOR, fov = ANGLE, orthographic = POSITIVE,
    near = POSITIVE}
local MARGIN <const> = 1.02 -- how much larger than the box the picture is
local NEAR <const> = 1e-4 -- of the distance to the target
local ORDINARY <const> = 1e6 -- distances to the target up to this, and down to its inverse, are taken as they are

-- Vertices 1e30 away and more are not shown, since focus and pixels times that overflow; 3e38 stands for no vertex among the least coordinates.
local TEXT <const> = [=[
    bool is_shown(vec3 p) { return max(max(abs(p.x), abs(p.y)), abs(p.z)) < 1e30; }
    kernel vec3 outermost(vec3 p<>, float sign) { return is_shown(p) ? sign * p : vec3(3e38); }
    kernel vec3 scaled(vec3 p<>, float scale) { return p * scale; }
    // How far from the target the eye must be for the picture to have a vertex.
    kernel float away(vec3 p<>, vec3 target, vec3 right, vec3 above, vec3 ahead, vec2 widths) {
        vec3 d = p - target;
        return is_shown(p) ? max(abs(dot(d, right)) * widths.x, abs(dot(d, above)) * widths.y) - dot(d, ahead) : 0.0;
    }
]=]

local program
local function kernels()
    program = program or rill.program(TEXT)
    return program
end

-- Vertices that no picture shows, as those with NaN or infinity, are left out; below 1e38 is what is not the 3e38 of those.
local function corner(positions, sign)
    local far <close> = kernels().outermost(positions, sign)
    local least = far:min()
    return least and least[1] < 1e38 and {sign * least[1], sign * least[2], sign * least[3]} or nil
end

--- framing.bounds(meshes): the least and the greatest coordinates of their vertices, which are read back; of none -1 and 1.
function framing.bounds(meshes)
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

--- framing.scaled(camera, meshes): a number, and the camera and the meshes so many times as large where they are so small or large that squares of lengths
-- would leave the range of floats. 1 and what is given of all others.
function framing.scaled(camera, meshes)
    if camera.reach > 1 / ORDINARY and camera.reach < ORDINARY then
        return 1, camera, meshes
    end
    local scale, list = 2.0 ^ -(math.log(camera.reach, 2) // 1), {}
    local width = camera.parallel ~= 0 and camera.width * scale or nil
    local larger = {eye = {}, limit = camera.limit / scale, width = width}
    for d = 1, 3 do
        larger.eye[d] = camera.eye[d] * scale
    end
    for i, mesh in ipairs(meshes) do
        list[i] = setmetatable({positions = kernels().scaled(mesh.positions, scale)}, {__index = mesh})
    end
    return scale, setmetatable(larger, {__index = camera}), list
end

-- Half of how wide a box is as seen along axes.
local function half_of(seen, low, high)
    local most = 0
    for bits = 0, 7 do
        local x, y = 0, 0
        for d = 1, 3 do
            local part = ((bits >> (d - 1) & 1) - 0.5) * (high[d] - low[d])
            x, y = x + part * seen.right[d], y + part * seen.above[d]
        end
        most = math.max(most, math.abs(x), math.abs(y))
    end
    return most
end

-- The nearest eye above and to the right of the front that sees all vertices; without perspective one beyond them.
local function eye_of(taken, target, up, meshes, size)
    local towards, eye, back = cameras.unit(cameras.above({0, 0, 0}, up, 1)), {}, 0
    local seen = cameras.axes(towards, {0, 0, 0}, up)
    local per = taken.orthographic and 0 or MARGIN / math.tan(math.rad((taken.fov or framing.FOV) / 2))
    for _, mesh in ipairs(meshes) do
        local away <close> = kernels().away(mesh.positions, target, seen.right, seen.above, seen.ahead, {per,
            per * size[2] / size[1]})
        back = math.max(back, MARGIN * (away:max() or 0))
    end
    back = back > 0 and back or 1 -- of a single point
    for d = 1, 3 do
        eye[d] = target[d] + back * towards[d]
    end
    return eye
end

--- Degrees that pictures are wide.
framing.FOV = 40

-- What kernels take of a camera, but for focus and middle.
local function axes(taken, eye, target, up, where)
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

--- framing.camera(given, meshes, size, where): eye, ahead, right, above; parallel: 1 without perspective; limit: the greatest depth; and width: how wide
-- the picture is, in lengths at distance 1, or at all.
function framing.camera(given, meshes, size, where)
    local taken = option.take(where .. ": option 'camera'", given, CAMERA)
    if taken.fov and taken.orthographic then
        fail("%s: option 'camera': either 'fov' or 'orthographic'", where)
    end
    local up = cameras.unit(taken.up or {0, 1, 0})
    local target, eye = taken.target, taken.eye
    if not target then
        local low, high = framing.bounds(meshes)
        target = {(low[1] + high[1]) / 2, (low[2] + high[2]) / 2, (low[3] + high[3]) / 2}
    end
    eye = eye or up and eye_of(taken, target, up, meshes, size)
    local seen = axes(taken, eye, target, up, where)
    seen.width = taken.orthographic or 2 * math.tan(math.rad((taken.fov or framing.FOV) / 2))
    return seen
end

-- The light's camera of a single point is 1e-6 wide: of lengths around 1, as framing.scaled has them.
--- framing.light(direction, meshes, pixels): a camera far away in the direction of a light, without perspective, that sees all vertices in a square
-- picture; beside it how long a pixel is.
function framing.light(direction, meshes, pixels)
    local low, high = framing.bounds(meshes)
    local middle, eye, length = {}, {}, 0
    for d = 1, 3 do
        middle[d], length = (low[d] + high[d]) / 2, length + (high[d] - low[d]) ^ 2
    end
    for d = 1, 3 do
        eye[d] = middle[d] + math.max(math.sqrt(length), 1e-6) * direction[d]
    end
    local up = math.abs(direction[2]) < 0.9 and {0, 1, 0} or {1, 0, 0}
    local seen = axes({orthographic = 1}, eye, middle, up, "rill.render")
    seen.width = math.max(2 * MARGIN * half_of(seen, low, high), 1e-6)
    return framing.focused(seen, pixels, pixels), seen.width / pixels
end

--- framing.focused(camera, columns, rows): the camera for a picture of so many pixels.
function framing.focused(camera, columns, rows)
    camera.focus, camera.middle = columns / camera.width, {columns / 2, rows / 2}
    return camera
end

return framing
