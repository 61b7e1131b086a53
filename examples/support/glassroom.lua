-- A scene for ray tracing: a figure on a floor of tiles, a glass and a mirror ball, and a lamp.
local rill = require "rill"

local room = {}

local function moved(m, s, x, y, z)
    return m:transform {{s, 0, 0, x}, {0, s, 0, y}, {0, 0, s, z}, {0, 0, 0, 1}}
end
local function panel(corners) -- a rectangle
    return rill.mesh.new {positions = corners, triangles = {{0, 1, 2}, {0, 2, 3}}}
end
local function tiles(odd)
    local positions, quads = {}, {}
    for i = -9, 9 do
        for j = -9, 9 do
            if (i + j) % 2 == odd then
                local n, x, z = #positions, 0.5 + 0.36 * i, 0.5 + 0.36 * j
                for k, c in ipairs {{0, 0}, {0, 1}, {1, 1}, {1, 0}} do
                    positions[n + k] = {x + 0.36 * c[1], 0, z + 0.36 * c[2]}
                end
                quads[#quads + 1], quads[#quads + 2] = {n, n + 1, n + 2}, {n, n + 2, n + 3}
            end
        end
    end
    return rill.mesh.new {positions = positions, triangles = quads}
end

--- Returns the scene with a figure, whose lowest point is put on the floor.
function room.scene(figure)
    local low = figure:bounds()
    local ball = rill.mesh.icosphere(5)
    return rill.ray.scene {
        moved(figure, 1, 0, -low[2], 0), tiles(0), tiles(1), moved(ball, 0.27, -0.04, 0.2701, -0.22),
        moved(ball, 0.36, 1.12, 0.3601, 0.62), moved(ball, 0.13, 0.72, 0.1301, -0.42),
        panel {{-0.6, 2.4, -1.0}, {0.5, 2.4, -1.0}, {0.5, 2.4, 0.1}, {-0.6, 2.4, 0.1}},
    }
end

--- Returns options of rill.ray.trace for the scene: camera, materials of its meshes, and background.
function room.options(size, samples)
    return {
        size = {size, size}, samples = samples,
        bounces = 8, progress = true, exposure = 1.1,
        camera = {eye = {-0.75, 1.15, -2.1}, target = {0.5, 0.36, 0.3}, fov = 42},
        materials = {
            {color = "#dba35f", smooth = true}, {color = "#ece7dd"}, {color = "#3a4a5e"},
            {type = "glass", ior = 1.5, smooth = true}, {type = "mirror", color = {0.95, 0.95, 0.97}, smooth = true},
            {color = "#c2452f", smooth = true}, {type = "emitter", emission = {9, 8, 6.6}},
        },
        background = {{0.42, 0.5, 0.62}, {0.12, 0.2, 0.42}},
    }
end

return room
