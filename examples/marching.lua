-- Marching cubes: the surface of a head from a scan.
--
--     lua5.4 examples/marching.lua [FILE COLUMNSxROWSxLAYERS] [iso [directory]]        (an MRI scan, or a made one) 60 out
--
-- A scan is a volume of numbers. If some of eight adjacent voxels are above the iso value and some below, the surface crosses the cube between them. A table of
-- 256 cases gives its triangles (Lorensen and Cline 1987). rill.mesh.marching_cubes processes all cubes in parallel, and each appends its triangles to a list.
-- The volume is padded with a layer of zeros, so that the surface is closed. The script checks that the surface is closed, manifold and oriented, and that
-- it encloses the volume of the voxels above the value, up to half a voxel along the surface.
local rill = require "rill"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""

local VOXEL <const> = 2.75 -- size of a voxel of the test data's scan, in millimeters

-- Reads a file with one byte per voxel, columns fastest.
local function scan(path, columns, rows, layers)
    local file <close> = assert(io.open(path, "rb"))
    local bytes = file:read "a"
    assert(#bytes == columns * rows * layers, path .. ": expected a byte for each voxel")
    return rill.stream("uint8", {layers, rows, columns}, bytes):cast "float"
end

-- Returns a synthetic head of ellipsoids: skull, jaw, nose, ears and neck, with hollows for eyes and mouth. Values are 200 inside and 0 outside.
local function made(n)
    local head = rill.kernel [[
        float ball(vec3 p, vec3 middle, vec3 radius) {
            return (length((p - middle) / radius) - 1.0) * min(min(radius.x, radius.y), radius.z);
        }
        kernel void head(out float s<>) {
            vec3 p = (vec3(indexof(s).xyz) + 0.5) / vec3(sizeof_stream(s).xyz) * 2.0 - 1.0;
            vec3 q = vec3(abs(p.x), p.yz);
            float far = ball(p, vec3(0.0, 0.0, 0.22), vec3(0.54, 0.66, 0.66));
            far = min(far, ball(p, vec3(0.0, 0.3, -0.32), vec3(0.36, 0.36, 0.36)));
            far = min(far, ball(p, vec3(0.0, 0.68, -0.02), vec3(0.11, 0.14, 0.16)));
            far = min(far, ball(q, vec3(0.55, -0.05, 0.08), vec3(0.08, 0.15, 0.22)));
            far = max(far, -ball(q, vec3(0.22, 0.66, 0.16), vec3(0.13, 0.1, 0.08)));
            far = max(far, -ball(p, vec3(0.0, 0.66, -0.38), vec3(0.2, 0.12, 0.05)));
            far = min(far, max(length(p.xy + vec2(0.0, 0.12)) - 0.3, p.z + 0.3));
            s = clamp(100.0 - 1800.0 * far, 0.0, 200.0);
        }
    ]]
    return head {shape = {n, n, n}}
end

local words, spacing = {...}, VOXEL
local volume, name
local columns, rows, layers = tostring(words[2]):match "^(%d+)x(%d+)x(%d+)$"
if columns then
    name = words[1]
    volume = scan(name, tonumber(columns), tonumber(rows), tonumber(layers))
    table.move(words, 3, #words + 2, 1)
else
    local path = (os.getenv "RILL_DATA" or here .. "../../shared/data") .. "/volumes/mri_anatomy_57x67x56_u8.raw"
    local file <close> = io.open(path)
    name = file and "an MRI scan" or "a synthetic head"
    volume = file and scan(path, 57, 67, 56) or made(64)
end
local iso = assert(tonumber(words[1] or 60), "iso: expected a number")
local directory = words[2] or "out"
os.execute(("mkdir -p '%s'"):format(directory))

-- Pads with zeros, and negates values, since marching_cubes takes values below the iso value as inside.
local size = {}
for d = 1, 3 do size[d] = volume.shape[d] + 2 end
local padded = rill.stream("float", size)
padded:domain({2, 2, 2}, {size[1] - 1, size[2] - 1, size[3] - 1}):write(-volume)
local clock = rill.clock()
local m = rill.mesh.marching_cubes(padded, -iso, {spacing = spacing})
rill.sync()
clock = rill.clock() - clock
local parts = m:components()
print(("  %s, %s voxels: %d vertices, %d triangles, %d parts, in %.1f ms"):format(name, volume.shape, m.vertices,
    m.faces, parts, clock * 1e3))
local liters, counted = m:volume() / 1e6, volume:gt(iso):count() * spacing ^ 3 / 1e6
print(("  volume %.3f liters, %.3f by counting voxels; area %.0f square centimeters"):format(liters, counted,
    m:area() / 100))
assert(m.faces > 0, "no voxel is above the value")
assert(m:is_closed() and m:is_manifold() and m:is_oriented(), "the surface is not closed")
assert(math.abs(liters - counted) <= m:area() * spacing / 2 / 1e6, "the volume differs from that of the voxels")

local low, high = m:bounds()
local middle, side = {}, 0
for d = 1, 3 do
    middle[d], side = (low[d] + high[d]) / 2, math.max(side, high[d] - low[d])
end
local function view(x, y, z)
    local eye = {middle[1] + x * side, middle[2] + y * side, middle[3] + z * side}
    return rill.render(m, {
        size = {400, 320}, camera = {eye = eye, target = middle, up = {0, 0, 1}, fov = 36}, color = "clay",
    })
end
rill.image.save(rill.concat({view(1.3, 1.5, 0.4), view(-0.9, 1.8, 0.2)}, 2), directory .. "/marching.png")
print(("  %s/marching.png: two views of the surface at %g"):format(directory, iso))
