-- Cameras of the image and of the shadow map (lua/rill/geometry/camera.lua): their pixel size, and scaling of scenes
-- to lengths that floats can represent.
local rill = require "rill.core.public"
local vector = require "rill.core.vector"
local lazy = require "rill.core.lazy"
local camera = require "rill.geometry.camera"

local framing = {}

-- Scenes are not scaled if the distance to the target is at most this, and at least its inverse.
local ORDINARY <const> = 1e6

local larger_kernel <const> = lazy.once(function()
    return rill.kernel "kernel vec3 scaled(vec3 p<>, float scale) { return p * scale; }"
end)

--- framing.scaled(seen, meshes) scales scenes that are so large or small that squares of lengths overflow or
-- underflow. Returns the factor, the camera and the meshes; for other scenes 1 and the arguments.
function framing.scaled(seen, meshes)
    if seen.reach > 1 / ORDINARY and seen.reach < ORDINARY then
        return 1, seen, meshes
    end
    local scale, list = 2.0 ^ -(math.log(seen.reach, 2) // 1), {}
    local larger = {
        eye = vector.map(function(e) return e * scale end, seen.eye), limit = seen.limit / scale,
        reach = seen.reach * scale,
        width = seen.parallel ~= 0 and seen.width * scale or nil,
    }
    for i, mesh in ipairs(meshes) do
        list[i] = setmetatable({positions = larger_kernel()(mesh.positions, scale)}, {__index = mesh})
    end
    return scale, setmetatable(larger, {__index = seen}), list
end

-- Returns half the width of a box along the axes of a camera.
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

--- framing.light(direction, meshes, pixels) returns an orthographic camera in the direction of the light that sees
-- all vertices in a square image, and the size of a pixel in lengths. The image is at least 1e-6 wide, also for a
-- single point.
function framing.light(direction, meshes, pixels)
    local low, high = camera.bounds(meshes)
    local middle, away = vector.middle(low, high), math.max(vector.diagonal(low, high), 1e-6)
    local eye = vector.map(function(m, way) return m + away * way end, middle, direction)
    local up = math.abs(direction[2]) < 0.9 and {0, 1, 0} or {1, 0, 0}
    local seen = camera.place({orthographic = 1}, eye, middle, up, "rill.render")
    seen.span = 2 * away -- all vertices are nearer
    seen.width = math.max(2 * camera.MARGIN * half_of(seen, low, high), 1e-6)
    return framing.focused(seen, pixels, pixels), seen.width / pixels
end

--- framing.focused(seen, columns, rows) sets the size of the image of a camera in pixels, and returns the camera.
function framing.focused(seen, columns, rows)
    seen.focus, seen.middle = columns / seen.width, {columns / 2, rows / 2}
    return seen
end

return framing
