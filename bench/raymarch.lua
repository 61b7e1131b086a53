-- Volume rendering by rill.volume against straightforward C on one thread (bench/peer/peer_march.c), and its cost over the sizes of the volume and of the
-- image.
local rill = require "rill"
local peer = require "peer"
local support = require "bench.support"

local SIZE <const>, PIXELS <const>, ROUNDS <const>, DEGREES <const> = 128, 512, 5, 40

local cloud = [[
    kernel void cloud(out float r<>) {
        vec3 p = 2.0 * vec3(indexof(r).xyz) / vec3(sizeof_stream(r).xyz) - 1.0;
        r = exp(-3.0 * dot(p, p)) * (0.6 + 0.4 * sin(11.0 * p.x) * sin(9.0 * p.y) * sin(13.0 * p.z));
    }
]]
local points = {
    {0.1, {0.2, 0.4, 1}, 0}, {0.3, {0.3, 0.9, 0.6}, 0.02}, {0.6, {1, 0.5, 0.1}, 0.1}, {1, {1, 0.9, 0.8}, 0.5},
}

local function volume(n)
    return rill.kernel(cloud) {shape = {n, n, n}}
end

local function eye_of(n)
    return {1.7 * n, -0.6 * n, 1.3 * n}
end

local function options(n, pixels, method)
    return {
        camera = {eye = eye_of(n), fov = DEGREES}, size = {pixels, pixels}, transfer = points, method = method,
        density = SIZE / n,
    }
end

-- Returns the least time of an image.
local function timed(s, o)
    return support.least(3, function()
        return support.timed(function() rill.volume(s, o):close() end, 1)
    end)[1]
end

local function against()
    local s <close> = volume(SIZE)
    local bytes, o, picture = s:bytes(), options(SIZE, PIXELS), nil
    local ours, theirs = support.race(ROUNDS, function()
        return support.timed(function() rill.volume(s, o):close() end, 1)
    end, function()
        local seconds
        seconds, picture = peer.march(SIZE, bytes, PIXELS, DEGREES, table.unpack(eye_of(SIZE)))
        return seconds
    end)
    local other <close> = rill.stream("vec3", {PIXELS, PIXELS})
    other:write(picture)
    local apart = rill.length(rill.volume(s, o) - other):max()
    local title = ("volume %d^3 at %d^2"):format(SIZE, PIXELS)
    return support.faster(title, ours, "C, one thread", theirs, 1.0),
        support.note(title, ("largest difference %.1e"):format(apart))
end

local function growth()
    local lines = {{"volume", "picture", "how", "ms", "ns per pixel and step"}}
    for _, case in ipairs {{64, 512}, {128, 512}, {256, 512}, {128, 256}, {128, 1024}} do
        local n, pixels = case[1], case[2]
        local s <close> = volume(n)
        for _, method in ipairs {"march", "slices"} do
            local seconds = timed(s, options(n, pixels, method))
            local steps = pixels ^ 2 * 2 * n
            lines[#lines + 1] = {
                ("%d^3"):format(n), ("%d^2"):format(pixels), method, seconds * 1e3, seconds * 1e9 / steps,
            }
        end
    end
    return support.table("rill.volume's cost over size", lines)
end

return function()
    local row, note = against()
    return {row, note, growth()}
end
