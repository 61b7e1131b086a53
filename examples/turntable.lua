-- A mesh on a turntable: renders a mesh file from all sides, as an animation and as a sheet of views.
--
--     lua5.4 examples/turntable.lua [file [frames [directory [size]]]]        (spot, or a ring) 36 out 320
--
-- rill.mesh.load reads OBJ, PLY, OFF and STL. rill.render draws the mesh from a camera that moves around it. rill.animate writes the frames to
-- turntable-movie.png, an animated PNG that browsers show. The sheet turntable.png has six of the frames. A frame is compressed while the device
-- draws the next one.
local rill = require "rill"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
local surfaces = dofile(here .. "support/surfaces.lua")

local path, frames, directory, size = ...
frames = assert(math.tointeger(tonumber(frames or 36)), "frames: expected a whole number")
assert(frames >= 1, "frames: expected 1 at least")
size = assert(math.tointeger(tonumber(size or 320)), "size: expected a whole number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local m, name = surfaces.surface(path ~= "-" and path or nil, "spot.obj", surfaces.ring_mesh, 96, 32)
assert(m.faces > 0, "the file has no triangles")
local low, high = m:bounds()
local middle, radius = {}, 0
for d = 1, 3 do
    middle[d] = (low[d] + high[d]) / 2
    radius = radius + (high[d] - low[d]) ^ 2 / 4
end
radius = math.sqrt(radius)

-- The distance at which the mesh's bounding sphere fills the image.
local fov <const>, up <const> = 36, 0.35
local far = 1.02 * radius / math.sin(math.rad(fov / 2))
local function view(turn)
    local angle = 2 * math.pi * turn
    local x, z, flat = math.sin(angle), -math.cos(angle), math.cos(up)
    local eye = {middle[1] + far * flat * x, middle[2] + far * math.sin(up), middle[3] + far * flat * z}
    return rill.render(m, {size = {size, size}, camera = {eye = eye, target = middle, fov = fov}, color = "clay"})
end

local sheet, clock, covered = {}, rill.clock(), math.huge
do
    local movie <close> = rill.animate(directory .. "/turntable-movie.png", 12)
    local progress <close> = rill.progress(frames, "turning")
    for n = 0, frames - 1 do
        local picture = view(n / frames)
        movie:frame(picture)
        if n * 6 >= #sheet * frames and #sheet < 6 then
            sheet[#sheet + 1] = picture
            local drawn = rill.length(picture - picture[1][1]):gt(0.02):count()
            covered = math.min(covered, drawn / picture.size)
        end
        progress:step()
    end
end
clock = rill.clock() - clock
local rows = {rill.concat({sheet[1], sheet[2] or sheet[1], sheet[3] or sheet[1]}, 2)}
if #sheet == 6 then rows[2] = rill.concat({sheet[4], sheet[5], sheet[6]}, 2) end
rill.image.save(#rows == 2 and rill.concat(rows) or rows[1], directory .. "/turntable.png")
print(("  %s, %d triangles: %d frames in %.2f s"):format(name, m.faces, frames, clock))
print(("  %s/turntable-movie.png, and six of the frames in %s/turntable.png"):format(directory, directory))
assert(covered > 0.02, "the mesh is not in the image")
