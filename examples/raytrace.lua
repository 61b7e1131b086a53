-- Ray tracing: a ray tracer in Brook's dialect, whose results are compared with rill.ray, and a lit scene with glass and a mirror by rill.ray's path tracer.
--
--     lua5.4 examples/raytrace.lua [size [cells [directory [samples]]]]        512 32 out 32
--
-- The kernels follow section 3.2 of "Brook for GPUs" and Purcell and others (2002). One initializes a ray's state, one moves it to the next cell that
-- is not empty, and one tests the triangles of that cell (Moeller and Trumbore 1997). The latter two alternate over an active list of the rays that have
-- not ended. The script traces a part of the image again through a grid of one cell, where each ray is tested against every triangle, and all of it with
-- rill.ray, and checks that the results agree. The figure is spot if the test data are present, or a ring. The picture is computed by rill.ray.trace. Its rays
-- push 0, 1 or 2 rays for the next bounce; the script prints the lengths of these lists.
local rill = require "rill"
local folder = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
local mesh, room = dofile(folder .. "support/surfaces.lua"), dofile(folder .. "support/glassroom.lua")

local passes = rill.program([=[
    typedef struct { float3 o, d; } Ray;
    typedef struct { float4 cell; float3 next; } State; // cell.w: whether it is active; next: distance to the next cell in x, y, z

    // The grid is the unit cube, n cells each way.
    kernel void enter(Ray ray<>, float n, out State s<>) {
        float3 inverse = 1 / (ray.d == 0 ? 1e-20 : ray.d);
        float3 a = (0 - ray.o) * inverse, b = (1 - ray.o) * inverse;
        float3 near = min(a, b), far = max(a, b);
        float t = max(max(near.x, near.y), max(near.z, 0));
        s.cell.xyz = clamp(floor((ray.o + t * ray.d) * n), 0, n - 1);
        s.cell.w = t <= min(far.x, min(far.y, far.z));
        s.next = ((s.cell.xyz + (ray.d > 0)) / n - ray.o) * inverse;
    }

    void advance(Ray ray, float n, inout State s) {
        float3 least = s.next <= min(s.next.yzx, s.next.zxy);
        least.yz *= !least.x;
        least.z *= !least.y;
        s.cell.xyz += least * sign(ray.d);
        s.next += least / (n * max(abs(ray.d), 1e-20));
        s.cell.w = all(s.cell.xyz >= 0 && s.cell.xyz < n);
    }

    kernel void travel(Ray ray<>, int list[][][][], float n, inout State s<>) {
        int3 c = s.cell;
        while (s.cell.w && !sizeof_list(list, c.z, c.y, c.x)) {
            advance(ray, n, s);
            c = s.cell;
        }
    }

    // hit: distance, barycentric coordinates and index of the triangle, -1 for none.
    kernel void meet(Ray ray<>, int list[][][][], float3 corner[], float3 u[], float3 v[], float n, inout State s<>, inout float4 hit<>) {
        int3 c = s.cell;
        int count = s.cell.w ? sizeof_list(list, c.z, c.y, c.x) : 0;
        for (int k = 0; k < count; k++) {
            int i = list[c.z][c.y][c.x][k];
            float3 p = cross(ray.d, v[i]), from = ray.o - corner[i], q = cross(from, u[i]);
            float inverse = 1 / dot(u[i], p);
            float4 found = float4(dot(v[i], q), dot(from, p), dot(ray.d, q), 0) * inverse;
            found.w = i;
            if (found.y >= 0 && found.z >= 0 && found.y + found.z <= 1 && found.x > 0 && (found < hit || hit.w < 0)) hit = found;
        }
        if (hit.w >= 0 && hit <= min(s.next.x, min(s.next.y, s.next.z))) s.cell.w = 0;
        if (s.cell.w) advance(ray, n, s);
    }

    kernel bool travels(State s<>) { return s.cell.w; }
    kernel void split(Ray ray<>, out float3 o<>, out float3 d<>) { o = ray.o; d = ray.d; }
    kernel int apart(float distance<>, float4 hit<>) { // whether one misses, or the distances differ
        bool struck = !isinf(distance);
        return struck != (hit.w >= 0) || (struck && abs(distance - hit.x) > 1e-3);
    }
    kernel float differ(float4 hit<>, float4 other<>) { return abs(hit - other); } // the first component: the distance

    // Emits the cells that a triangle's bounding box touches.
    kernel void touch(float3 a<>, float3 u<>, float3 v<>, int n, vout int cell<>, vout int which<>) {
        int3 low = clamp(floor(min(a, min(a + u, a + v)) * n), 0, n - 1), high = clamp(floor(max(a, max(a + u, a + v)) * n), 0, n - 1);
        for (int z = low.z; z <= high.z; z++)
            for (int y = low.y; y <= high.y; y++)
                for (int x = low.x; x <= high.x; x++) { push(cell, (z * n + y) * n + x); push(which, indexof(a)); }
    }

    kernel void look(float size, float3 eye, out Ray ray<>) {
        float3 ahead = normalize(0.5 - eye), side = normalize(cross(ahead, float3(0, 1, 0)));
        float2 p = (indexof(ray) + 0.5) / size * 2 - 1;
        ray.o = eye;
        ray.d = normalize(ahead + 0.34 * (p.x * side - p.y * cross(side, ahead)));
    }

    float3 facing(float3 u, float3 v, float3 d) {
        float3 n = normalize(cross(u, v));
        return dot(n, d) > 0 ? -n : n;
    }
]=], {dialect = "brook"})

--- Returns the triangles of a mesh in the unit cube as streams: first corners, and the edges to the other two corners.
local function triangles(places, faces)
    local a, b, c = table.unpack(mesh.corners(places, faces))
    return {a, (b - a):eval(), (c - a):eval()}
end

--- Returns the nearest hit of each ray, {distance, u, v, index}, by a grid of n^3 cells, and the number of rounds.
local function trace(rays, t, n)
    local cell, which = passes.touch(t[1], t[2], t[3], n)
    local list = rill.lists("int", {shape = {n, n, n}, keys = cell, values = which})
    local state, hit, turns = passes.enter(rays, n), rill.stream("vec4", rays.shape, {1e30, 0, 0, -1}), 0
    local active = rill.active(passes.travels(state))
    while active.indices.size > 0 do
        passes.travel {ray = rays, list = list, n = n, s = state, where = active}
        passes.meet {ray = rays, list = list, corner = t[1], u = t[2], v = t[3], n = n, s = state, hit = hit,
            where = active}
        active, turns = rill.active(passes.travels(state)), turns + 1
    end
    return hit, turns
end

if ... == "module" then
    return {passes = passes, mesh = mesh, triangles = triangles, trace = trace}
end

local size, cells, directory, samples = ...
local function whole(n, name) return assert(math.tointeger(tonumber(n)), name .. ": expected a whole number") end
size, cells, samples = whole(size or 512, "size"), whole(cells or 32, "cells"), whole(samples or 32, "samples")
directory = directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local places, faces = mesh.spot()
local fitted = mesh.fit(places, 0.02)
-- The camera's rays through both grids of the Brook kernels, and through the hierarchy of rill.ray.
local t, eye = triangles(fitted, faces), {-0.55, 1.05, -1.35}
local rays = passes.look {size = size, eye = eye, shape = {size, size}}
local hit, turns = trace(rays, t, cells)
local part = {{size // 2, 1}, {size // 2 + 1, size}}
local again = trace(rays:domain(part[1], part[2]), t, 1)
local off = passes.differ(again, hit:domain(part[1], part[2])):max()
assert(off < 1e-4, "the grid's result is off by " .. off)
local figure = mesh.solid(fitted, faces)
local alone <close> = rill.ray.scene(figure)
local origins, directions = passes.split(rays)
local apart = passes.apart((alone:closest(origins, directions)), hit):sum() / size ^ 2
assert(apart < 1e-3, "rill.ray's result differs for a share of " .. apart)
print(("  %d x %d camera rays, %d triangles, %d^3 cells: %d rounds"):format(size, size, #faces, cells, turns))
print(("  without the grid distances differ by at most %.0e"):format(off))

-- The scene: the figure on a floor of tiles, a glass and a mirror ball, and a lamp.
local scene <close> = room.scene(figure)
local start = rill.clock()
local picture, report = rill.ray.trace(scene, room.options(size, samples))
local seconds, total = rill.clock() - start, 0
for depth, n in ipairs(report.rays) do
    total = total + n + report.shadow[depth]
    print(("    bounce %d: a list of %d rays, %d shadow rays"):format(depth - 1, n, report.shadow[depth]))
end
rill.image.save(picture, directory .. "/raytrace.png")
print(("  %s/raytrace.png: %d samples, %d rays in %.1f s"):format(directory, samples, total, seconds))
