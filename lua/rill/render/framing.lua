-- The cameras of a picture of meshes and of its light (lua/rill/geometry/camera.lua), for so many pixels and lengths that floats hold.
local rill = require "rill.core.public"
local vector = require "rill.core.vector"
local lazy = require "rill.core.lazy"
local camera = require "rill.geometry.camera"

local framing = {}

local ORDINARY <const> = 1e6 -- distances to the target up to this, and down to its inverse, are taken as they are

local larger_kernel <const> = lazy.once(function()
    return rill.kernel "kernel vec3 scaled(vec3 p<>, float scale) { return p * scale; }"
end)

--- framing.scaled(seen, meshes): a number, and the camera and the meshes so many times as large where they are so small or large that squares of lengths
-- would leave the range of floats. 1 and what is given of all others.
function framing.scaled(seen, meshes)
    if seen.reach > 1 / ORDINARY and seen.reach < ORDINARY then
        return 1, seen, meshes
    end
    local scale, list = 2.0 ^ -(math.log(seen.reach, 2) // 1), {}
    local larger = {
        eye = vector.map(function(e) return e * scale end, seen.eye), limit = seen.limit / scale,
        width = seen.parallel ~= 0 and seen.width * scale or nil,
    }
    for i, mesh in ipairs(meshes) do
        list[i] = setmetatable({positions = larger_kernel()(mesh.positions, scale)}, {__index = mesh})
    end
    return scale, setmetatable(larger, {__index = seen}), list
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

-- The light's camera of a single point is 1e-6 wide: of lengths around 1, as framing.scaled has them.
--- framing.light(direction, meshes, pixels): a camera far away in the direction of a light, without perspective, that sees all vertices in a square
-- picture; beside it how long a pixel is.
function framing.light(direction, meshes, pixels)
    local low, high = camera.bounds(meshes)
    local middle, away = vector.middle(low, high), math.max(vector.diagonal(low, high), 1e-6)
    local eye = vector.map(function(m, way) return m + away * way end, middle, direction)
    local up = math.abs(direction[2]) < 0.9 and {0, 1, 0} or {1, 0, 0}
    local seen = camera.place({orthographic = 1}, eye, middle, up, "rill.render")
    seen.width = math.max(2 * camera.MARGIN * half_of(seen, low, high), 1e-6)
    return framing.focused(seen, pixels, pixels), seen.width / pixels
end

--- framing.focused(seen, columns, rows): the camera for a picture of so many pixels.
function framing.focused(seen, columns, rows)
    seen.focus, seen.middle = columns / seen.width, {columns / 2, rows / 2}
    return seen
end

return framing
