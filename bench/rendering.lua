-- Rendering a torus of 5 thousand, 70 thousand and a million triangles by rill.render, compared with the driver's pipeline with the same lighting
-- (bench/peer/peer_draw.c): four samples per pixel, both sides of each triangle.
local rill = require "rill"
local peer = require "peer"
local support = require "bench.support"

local size <const>, rounds <const> = {480, 640}, 9
local eye <const>, target <const>, up <const> = {0.3, -2.6, 2.2}, {0, 0, 0}, {0, 0, 1}

local function unit(v)
    local l = math.sqrt(v[1] ^ 2 + v[2] ^ 2 + v[3] ^ 2)
    return {v[1] / l, v[2] / l, v[3] / l}
end
local function cross(a, b)
    return {a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]}
end
local function linear(c) return c > 0.04045 and ((c + 0.055) / 1.055) ^ 2.4 or c / 12.92 end

-- Returns the inputs of the peer's shaders, and the direction to the light.
local function numbers()
    local ahead = unit {target[1] - eye[1], target[2] - eye[2], target[3] - eye[3]}
    local right, light = unit(cross(ahead, up)), unit {0.2, -0.5, 1}
    local scale, list = 1 / math.tan(math.rad(20)), {}
    for _, v in ipairs {eye, right, cross(right, ahead), ahead, {scale, scale * size[2] / size[1], 0.1}, light, up,
        {linear(1), linear(0.5), linear(0.05)}, {0, 0, 0}} do
        table.move(v, 1, 3, #list + 1, list)
    end
    return list, light
end

-- Returns the percentage of numbers in two images that differ by more than a fiftieth.
local function differing(picture, bytes)
    local theirs = rill.stream("vec3", size, bytes)
    local off = rill.abs(picture - theirs):eval()
    local over = rill.max(rill.max(off.x, off.y), off.z):gt(0.02)
    return 100 * over:cast "int":sum() / off.size
end

local function drawn(along, around)
    local m <close> = rill.mesh.torus {segments = {along, around}}
    local normals, list, light = m:normals(), numbers()
    local given = {positions = m.positions, triangles = m.triangles, normals = normals}
    local how = {
        size = size, samples = 4, camera = {eye = eye, target = target, up = up}, light = light, color = {1, 0.5,
            0.05}, background = "black",
    }
    local places, turned, triangles = m.positions:bytes(), normals:bytes(), m.triangles:bytes()
    local picture, bytes
    local ours, theirs = table.unpack(support.least(rounds, function()
        return support.timed(function() picture = rill.render(given, how) end, 2)
    end, function()
        local seconds
        seconds, bytes = peer.draw(places, turned, triangles, size[2], size[1], list, 2, 2)
        return seconds
    end))
    local case = ("picture of %d triangles"):format(m.faces)
    return support.faster(case, ours, "the driver's pipeline", theirs, 0.8),
        support.note(case,
            ("%.1f and %.1f million triangles/s; %.2f %% of pixels differ"):format(m.faces / ours / 1e6,
                m.faces / theirs / 1e6,
            differing(picture, bytes)))
end

return function()
    local rows = {}
    for _, n in ipairs {{72, 36}, {264, 132}, {1000, 500}} do
        local row, note = drawn(table.unpack(n))
        rows[#rows + 1], rows[#rows + 2] = row, note
    end
    return rows
end
