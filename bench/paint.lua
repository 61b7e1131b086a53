-- Octree paint (examples/paint3d.lua) after the end of Glift's section 6.5: lookups at the points that pixels of the painted cow show, in octrees of pages of 8^3
-- to 32^3 cells and 64^3 to 2048^3 cells in all, compared with a dense 3-D texture, a dense array and no lookup; and frames of meshes of 6 thousand to a
-- million triangles, whose cost is that of the mesh.
local rill = require "rill"
local support = require "bench.support"

local paint3d = assert(loadfile(support.folder .. "/../examples/paint3d.lua"))("module")

local side <const>, rounds <const>, most_dense <const> = 512, 7, 256
local view <const>, zoom <const> = {1.7, 0.85, -0.3}, 2.35
local light <const> = {0.35, 0.8, -0.48}

local passes = rill.program [[
    kernel void seen(vec4 at<>, vout vec4 p<>) { if (at.w > 0.0) push(p, at); }
    kernel vec4 octree(vec4 p<>, vec4 paint[][][]) { return sample(paint, p.xyz); }
    kernel vec4 quadrilinear(vec4 p<>, vec4 paint[][][], float texels) {
        return sample(paint, p.xyz, log2(max(texels * p.w, 1.0)));
    }
    kernel vec4 dense(vec4 p<>, vec4 paint[][][], float scale) { return sample(paint, p.xyz * scale); }
    kernel vec4 none(vec4 p<>) { return p; }
    kernel void show(vec4 at<>, vec3 normal<>, vec4 paint[][][], float scale, vec3 light, out vec3 color<>) {
        float day = at.w > 0.0 ? 0.7 + 0.3 * dot(normal, light) : 1.0;
        color = day * sample(paint, at.xyz * scale).xyz;
    }
    kernel void show_none(vec4 at<>, vec3 normal<>, vec3 light, out vec3 color<>) {
        color = vec3(at.w > 0.0 ? 0.7 + 0.3 * dot(normal, light) : 1.0);
    }

    // Divides each triangle into n * n, in rows from its corner a.
    vec3 corner(int row, int column, int n, vec3 a, vec3 b, vec3 c) {
        return a + (float(row - column) * (b - a) + float(column) * (c - a)) / float(n);
    }
    kernel void divide(int n, vec3 a[], vec3 b[], vec3 c[], out vec3 p<>, out vec3 q<>, out vec3 r<>) {
        int t = indexof(p).x / (n * n), k = indexof(p).x % (n * n), row = int(sqrt(float(k) + 0.5)), at = k - row * row;
        int left = at / 2, down = at % 2;
        p = corner(row, left, n, a[t], b[t], c[t]);
        q = corner(row + 1, left + down, n, a[t], b[t], c[t]);
        r = corner(row + 1 - down, left + 1, n, a[t], b[t], c[t]);
    }
]]

local places, faces = paint3d.mesh.spot()

-- Paints the cow with a broad stroke, and with a fine one that creates pages of the finest level.
local function painted(size, page)
    local painting = paint3d.create(side, size, page, places, faces)
    painting:look(view, zoom)
    painting:stroke(0.3, {0.5, 0.3, 0.2}, 1, {{0.4, 0.5}, {0.6, 0.5}})
    painting:stroke(0.001, {0.1, 0.2, 0.6}, 1, {{0.50, 0.6}, {0.502, 0.6}})
    painting:mipmap()
    return painting
end

-- A dense array of the same type of texels, and a conventional texture of bytes, sampled by the device.
local function dense_ones(size)
    local dense = math.min(size, most_dense)
    local shape, color = {dense, dense, dense}, {0.5, 0.3, 0.2, 1}
    local texture = rill.array("unorm8x4", shape, {storage = "texture"})
    return rill.array("vec4", shape):fill(color), texture:fill(color), dense / size
end

local function seconds(run) return support.timed(run, 4) end

local function measure(size, page)
    local painting = painted(size, page)
    local p, paint = passes.seen(painting.at), painting.paint
    local array, texture, scale = dense_ones(size)
    local r = rill.stream("vec4", {p.size})
    local times = {support.race(rounds, function()
        return seconds(function() passes.octree(p, paint, r) end)
    end, function()
        return seconds(function() passes.quadrilinear(p, paint, painting.texels, r) end)
    end, function()
        return seconds(function() passes.dense(p, texture, scale, r) end)
    end, function()
        return seconds(function() passes.dense(p, array, scale, r) end)
    end, function()
        return seconds(function() passes.none(p, r) end)
    end)}
    local line = {("%d^3"):format(page), ("%d^3"):format(size)}
    for _, time in ipairs(times) do line[#line + 1] = p.size / time / 1e6 end
    local finest = size >> painting.paint:level(painting.points):min()
    for _, cell in ipairs {times[3] / times[1], ("%d^3"):format(finest), paint.pages.mapped, paint.nbytes / 2 ^ 20,
                         texture.nbytes / 2 ^ 20, array.nbytes / 2 ^ 20} do
        line[#line + 1] = cell
    end
    for _, c in ipairs {paint, array, texture} do c:close() end
    return line
end

local function frame(painting, n, corners, normals, texture, scale)
    local whole = {shape = n * n * corners[1].size, n = n}
    local function divided(c)
        return {passes.divide {n = n, a = c[1], b = c[2], c = c[3], shape = whole.shape}}
    end
    painting.corners, painting.normals = divided(corners), divided(normals)
    local geometry, octree, dense_time, none = support.race(3, function()
        return support.timed(function() painting:look(view, zoom) end, 1)
    end, function()
        return seconds(function() painting:picture() end)
    end, function()
        return seconds(function() passes.show(painting.at, painting.normal, texture, scale, light) end)
    end, function()
        return seconds(function() passes.show_none(painting.at, painting.normal, light) end)
    end)
    return {whole.shape, 1e3 * geometry, 1e3 * octree, 1e3 * dense_time, 1e3 * none, 1 / (geometry + octree),
            1 / (geometry + dense_time), 1 / (geometry + none)}
end

return function()
    local lookups = {{"pages", "cells", "octree", "quadrilinear", "texture", "array", "none", "of texture's",
                      "finest", "pages", "MiB", "texture", "array"}}
    for _, page in ipairs {8, 16, 32} do
        for _, size in ipairs {64, 256, 1024, 2048} do
            lookups[#lookups + 1] = measure(size, page)
        end
    end
    local frames = {{"triangles", "mesh, ms", "octree, ms", "texture, ms", "none, ms", "octree, 1/s", "texture, 1/s",
                     "none, 1/s"}}
    local painting = painted(2048, 8)
    local corners, normals = painting.corners, painting.normals
    local _, texture, scale = dense_ones(2048)
    for _, n in ipairs {1, 2, 4, 8, 13} do
        frames[#frames + 1] = frame(painting, n, corners, normals, texture, scale)
    end
    local title = ("Octree paint: million lookups a second; the texture (bytes) and the array (floats) are as fine,"
        .. " but %d^3 at most"):format(most_dense)
    return {support.table(title, lookups, "%.2f"),
            support.table(("Octree paint, 2048^3 cells, pages 8^3: frames of %d^2 pixels"):format(side), frames,
                          "%.2f")}
end
