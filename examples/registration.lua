-- Two scans of a surface from different directions, registered by the iterative closest point algorithm.
--
--     lua5.4 examples/registration.lua [file [rays [directory]]]        (a bunny, or a ring) 200 out
--
-- Rays of two scanners hit a mesh. Their points have noise, and a few are stray. The position of the second scanner is not known: its scan is turned and
-- moved. The script removes outliers, registers coarse voxels of the scans, and then all points, to the planes of the first scan. It compares the motion that
-- it found with the motion that was applied, and draws both scans before and after: the first one in orange, the second one in blue.
local rill = require "rill"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
local surfaces = dofile(here .. "support/surfaces.lua")
local points <const> = rill.points

local text = rill.program [[
    kernel void starts(int n, vec3 middle, float reach, vec3 x, vec3 y, vec3 z, out vec3 o<>) {
        int i = indexof(o).x;
        vec2 at = (vec2(i % n, i / n) + 0.5) / float(n) * 2.0 - 1.0;
        o = middle + reach * (at.x * x + at.y * y + 2.0 * z);
    }
    kernel void hits(vec3 o<>, float t<>, vec3 z, float noise, vout vec3 p<>) {
        float off = noise * random_normal() + (random() < 0.01 ? 0.3 * random_normal() * t : 0.0);
        if (!isinf(t)) push(p, o - (t + off) * z);
    }
    // The pixel of a point, and its color, shaded by its normal; the fourth component counts points.
    kernel void drawn(vec3 p<>, vec3 n<>, vec3 middle, float reach, vec3 x, vec3 y, vec3 z, vec3 color, int size, out vec2 at<>, out vec4 light<>) {
        vec3 d = (p - middle) / reach * 0.5;
        at = float(size) * (0.5 + vec2(dot(d, x), -dot(d, y)));
        light = vec4(color * (0.15 + 0.85 * abs(dot(n, normalize(z + 0.6 * x + 0.8 * y)))), 1.0);
    }
    kernel void finished(vec4 sum<>, out vec3 r<>) { r = sum.w > 0.0 ? sum.xyz / sum.w : vec3(0.05); }
]]

-- Returns the axes of a view from a direction `degrees` to the right of the front: right, up and back.
local function view(degrees)
    local R = rill.rotation("y", math.rad(degrees))
    return R * {1, 0, 0}, {0, 1, 0}, R * {0, 0, 1}
end

-- Returns the points at which the rays of a scanner hit a tree of rill.collide.
local function scan(tree, middle, reach, degrees, n, seed)
    local x, y, z = view(degrees)
    local o <close> = text.starts {n = n, middle = middle, reach = reach, x = x, y = y, z = z, shape = n * n}
    local t <close>, triangle = tree:ray(o, {{-z[1], -z[2], -z[3]}})
    triangle:close()
    return text.hits {o = o, t = t, z = z, noise = 0.002 * reach, seed = seed}
end

-- Adds a scan to an image, which is stored as sums of colors.
local function draw(image, p, n, middle, reach, color)
    local x, y, z = view(25)
    local at, light = text.drawn {p = p, n = n, middle = middle, reach = reach, x = x, y = y, z = z, color = color,
        size = image.shape[1]}
    rill.scatter(image, at, light, "add")
end

local path, rays, directory = ...
local n, size = math.tointeger(tonumber(rays or 200)), 280
assert(n and n >= 20, "rays: expected a whole number, 20 or more")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local m, name = surfaces.surface(path ~= "-" and path or nil, "stanford-bunny.obj", surfaces.ring_mesh, 128, 64)
local low, high = m:bounds()
local middle, reach = {}, 0
for d = 1, 3 do middle[d], reach = (low[d] + high[d]) / 2, reach + (high[d] - low[d])^2 / 4 end
reach = math.sqrt(reach)
local tree <close> = rill.collide.bvh(m)
local moved = rill.translation {middle[1] + 0.12 * reach, middle[2] + 0.08 * reach, middle[3] - 0.1 * reach} *
    rill.rotation({1, 2, 1}, 0.35) * rill.translation {-middle[1], -middle[2], -middle[3]}
local scans = {scan(tree, middle, reach, 0, n, 1), points.transform(scan(tree, middle, reach, 50, n, 2), moved)}
for i, p in ipairs(scans) do
    local outlier <close> = points.outliers(p, {k = 12, deviations = 1})
    scans[i] = p:filter(~outlier)
    print(("scan %d of %s: %d points, %d of them outliers"):format(i, name, p.size, p.size - scans[i].size))
end
local target, source = scans[1], scans[2]
local normals = points.normals(target, {k = 12})
local coarse, few = points.voxel(target, 0.06 * reach), points.voxel(source, 0.06 * reach)
local first, rough = points.icp(few, coarse, {distance = 0.4 * reach, iterations = 60,
    normals = points.normals(coarse, {k = 8})})
local T, report = points.icp(source, target, {initial = first, distance = 0.05 * reach, normals = normals})
print(("voxels: %d iterations, %.4f; points: %d iterations, %.4f of the size, %.0f %% overlap"):format(
    rough.iterations, rough.rmse / reach, report.iterations, report.rmse / reach, 100 * report.fitness))
local off = 0
for _, corner in ipairs {low, high, middle} do
    local q = T * (moved * corner)
    off = math.max(off, math.sqrt((q[1] - corner[1])^2 + (q[2] - corner[2])^2 + (q[3] - corner[3])^2) / reach)
end
print(("error of the motion: %.4f of the size"):format(off))

local panels = {}
for i, p in ipairs {source, points.transform(source, T)} do
    local image <close> = rill.stream("vec4", {size, size})
    draw(image, target, normals, middle, reach, {1, 0.6, 0.25})
    draw(image, p, points.normals(p, {k = 12}), middle, reach, {0.3, 0.6, 1})
    panels[i] = text.finished(image)
end
rill.image.save(rill.concat(panels, 2), directory .. "/registration.png")
print(directory .. "/registration.png")
