-- Volume rendering of a head and of smoke: rill.volume marches a ray through each pixel, or blends slices.
--
--     lua5.4 examples/insides.lua [size [steps [directory]]] [--head FILE COLUMNSxROWSxLAYERS]        48 90 out
--
-- A transfer function maps each value to a color and an opacity, and each piece of a ray absorbs part of the light (chapter 28.7.1 of "GPGPU", figure
-- 28.12). The head is a phantom after Shepp and Logan, made of ellipsoids; --head reads a scan with one byte per voxel, columns fastest. Half of the head
-- is drawn as an isosurface. The smoke is simulated by rill.fluid in three dimensions. The script checks that marching and slices give the same image, and
-- the light that passes through a box of known opacity.
local rill = require "rill"

local pixels <const> = 320

-- ---- a head

-- Each row: added value; half axes along x, y, z; center; rotation about z in degrees (after Toft 1996, with a third dimension).
local ellipsoids = {
    {0.4, 0.69, 0.92, 0.81, 0, 0, 0, 0}, {-0.25, 0.62, 0.85, 0.74, 0, -0.0184, 0, 0},
    {-0.15, 0.11, 0.31, 0.22, 0.22, 0, 0, -18}, {-0.15, 0.16, 0.41, 0.28, -0.22, 0, 0, 18},
    {0.85, 0.21, 0.25, 0.3, 0, 0.45, -0.15, 0}, {0.85, 0.08, 0.08, 0.08, 0, 0.1, -0.15, 0},
    {0.85, 0.08, 0.08, 0.08, 0, -0.12, -0.15, 0}, {0.85, 0.08, 0.06, 0.06, -0.12, -0.605, -0.1, 0},
    {0.85, 0.06, 0.06, 0.05, 0.02, -0.605, -0.1, 0}, {0.85, 0.06, 0.08, 0.06, 0.16, -0.605, -0.1, 0},
}

local add = rill.kernel [[
    // Adds one ellipsoid, with an edge some voxels wide.
    kernel void add(float value, vec3 axes, vec3 middle, vec2 turn, inout float s<>) {
        vec3 size = vec3(sizeof_stream(s).xyz), p = (2.0 * vec3(indexof(s).xyz) + 1.0) / size - 1.0 - middle;
        p = vec3(turn.x * p.x + turn.y * p.y, turn.x * p.y - turn.y * p.x, p.z) / axes;
        float rim = 5.0 / (size.x * min(axes.x, min(axes.y, axes.z)));
        s += value * clamp(0.5 + (1.0 - length(p)) / rim, 0.0, 1.0);
    }
]]

local function phantom(n)
    local s = rill.stream("float", {n, n, n})
    for _, e in ipairs(ellipsoids) do
        local angle = math.rad(e[8])
        add(e[1], {e[2], e[3], e[4]}, {e[5], e[6], e[7]}, {math.cos(angle), math.sin(angle)}, s)
    end
    return s
end

-- Returns a transfer function for skull, brain and the structures inside it, for a head n voxels wide.
local function head_colors(n)
    local function point(value, red, green, blue, opacity) return {value, {red, green, blue}, opacity / n} end
    return {
        point(0.05, 1, 0.55, 0.55, 0), point(0.12, 1, 0.55, 0.55, 1.6), point(0.18, 1, 0.55, 0.55, 1.6),
        point(0.3, 0.75, 0.88, 1, 3), point(0.5, 0.75, 0.88, 1, 3), point(0.6, 1, 0.5, 0.1, 10),
        point(0.8, 1, 0.5, 0.1, 80),
    }
end

local function scan(path, size)
    local columns, rows, layers = size:match "^(%d+)x(%d+)x(%d+)$"
    assert(columns, "--head: expected COLUMNSxROWSxLAYERS after the file, as in 57x67x56")
    local file = assert(io.open(path, "rb"))
    local s = rill.stream("uint8", {layers // 1, rows // 1, columns // 1}):write(file:read "a")
    file:close()
    return s
end

-- Returns images of the head by a transfer function, and of half of it as an isosurface.
local function head(path, size)
    local s = path and scan(path, size) or phantom(112)
    local shape = s.shape
    local wide = math.max(table.unpack(shape))
    local middle = {shape[3] / 2, shape[2] / 2, shape[1] / 2}
    local camera = {
        eye = {middle[1] + 1.45 * wide, middle[2] - 1.1 * wide, middle[3] + 0.75 * wide}, target = middle,
        fov = path and 38 or 28,
    }
    local view = {camera = camera, size = {pixels, pixels}, background = {0.03, 0.04, 0.07}, step = 0.25}
    view.transfer, view.light = path and "tissue" or head_colors(wide), {1, -0.3, 1}
    local clear = rill.volume(s, view)
    local half = s:domain({1, 1, 1}, {shape[1], shape[2], shape[3] // 2})
    local cut = {camera = camera, size = view.size, background = view.background, iso = path and 70 or 0.25}
    return clear, rill.volume(half, cut)
end

-- ---- smoke

local vent = rill.kernel [[
    kernel void vent(vec3 place, float radius, inout float smoke<>) {
        if (distance(vec3(indexof(smoke).xyz), place) < radius) smoke = 1.0;
    }
]]

-- Simulates smoke in a column of air, 1.5 times as high as wide, with a vent at its bottom; rows go down.
local function plume(n, steps)
    local shape = {n, 3 * n // 2, n}
    local f = rill.fluid {shape = shape, dt = 0.4, cfl = 8, confinement = 0.3, buoyancy = {smoke = 0.35}}
    f:carry("smoke", rill.stream("float", shape))
    for step = 1, steps do
        local sway = 0.05 * n * math.sin(0.15 * step)
        vent({n / 2 + sway, 1.38 * n, n / 2 - sway}, n / 9, f:get "smoke")
        f:step()
    end
    return f:get "smoke"
end

local function smoke(n, steps)
    local s = plume(n, steps)
    local view = {
        camera = {eye = {1.7 * n, 0.2 * n, -2.0 * n}, target = {n / 2, 0.78 * n, n / 2}, up = {0, -1, 0}, fov = 30},
        size = {pixels, pixels}, background = {0.07, 0.09, 0.13}, range = {0, 1}, transfer = "smoke",
        light = {0.8, -1, -0.4},
    }
    local marched = rill.volume(s, view)
    view.method = "slices"
    local sliced = rill.volume(s, view)
    local apart = rill.length(marched - sliced)
    print(("  marching and slicing differ by %.4f on average, at most %.3f"):format(apart:mean(), apart:max()))
    view.transfer, view.light, view.method = "fire", nil, "march"
    return marched, rill.volume(s, view)
end

-- Prints the light that passes through a box of constant value, and the expected exp(-opacity * depth).
local function check()
    local box = rill.stream("float", {4, 5, 6}, 1)
    local seen = rill.volume(box, {
        camera = {eye = {-9, 2.5, 2}, target = {0, 2.5, 2}, orthographic = 2}, size = {1, 1}, background = {1, 1, 1},
        transfer = {{0, {0, 0, 0}, 0.2}, {2, {0, 0, 0}, 0.2}},
    })
    print(("  a box lets %.5f through, exp(-1.2) is %.5f"):format(seen:get(1, 1)[1], math.exp(-1.2)))
end

local rest, path, shape = {}, nil, nil
local words = {...}
for i = 1, #words do
    if words[i] == "--head" then
        path, shape = words[i + 1], words[i + 2] or ""
        break
    end
    rest[#rest + 1] = words[i]
end
local size, steps, directory = table.unpack(rest)
size = assert(math.tointeger(tonumber(size or 48)), "size: expected a whole number")
steps = assert(math.tointeger(tonumber(steps or 90)), "steps: expected a whole number")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

check()
local clear, cut = head(path, shape)
local marched, fire = smoke(size, steps)
local file = directory .. "/insides.png"
rill.image.save(rill.concat {rill.concat({clear, cut}, 2), rill.concat({marched, fire}, 2)}, file)
print(("  %s: a head, half of it, smoke, and the same smoke as fire"):format(file))
