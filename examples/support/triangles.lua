-- Rasterizes triangles by compute kernels, for examples: each tile of an image has a list of the triangles that may touch it, and each pixel tests the
-- triangles of its tile. Triangles are three streams of corners, with x and y in elements of the image.
local rill = require "rill"

local triangles = {}

--- GLSL functions for other programs.
triangles.functions = [[
    // Returns the barycentric coordinates of a point in a triangle; one is negative if the point is outside.
    vec3 weights(vec2 p, vec2 a, vec2 b, vec2 c) {
        vec2 ab = b - a, ac = c - a, ap = p - a;
        float area = ab.x * ac.y - ab.y * ac.x;
        if (area == 0.0) return vec3(-1.0);
        vec2 w = vec2(ap.x * ac.y - ap.y * ac.x, ab.x * ap.y - ab.y * ap.x) / area;
        return vec3(1.0 - w.x - w.y, w);
    }
]]

local passes = rill.program(triangles.functions .. [[
    // Projects a point: x and y in pixels, and one over the distance along the camera's axis.
    kernel vec3 seen(vec3 eye, vec3 right, vec3 up, vec3 ahead, float side, vec3 p<>) {
        vec3 d = p - eye;
        float w = 1.0 / dot(d, ahead);
        return vec3(side * (0.5 + 0.5 * w * vec2(dot(d, right), -dot(d, up))), w);
    }

    // Emits each tile that a triangle may touch, and the triangle, unless a corner is behind the eye.
    kernel void touch(float tile, int tiles, vec3 a<>, vec3 b<>, vec3 c<>, vout int where<>, vout int which<>) {
        vec2 low = min(min(a.xy, b.xy), c.xy), high = max(max(a.xy, b.xy), c.xy);
        ivec2 first = ivec2(clamp(floor(low / tile), 0.0, float(tiles)));
        ivec2 last = ivec2(clamp(floor(high / tile), -1.0, float(tiles - 1)));
        if (min(min(a.z, b.z), c.z) <= 0.0) last = first - 1;
        for (int y = first.y; y <= last.y; y++)
            for (int x = first.x; x <= last.x; x++) {
                push(where, y * tiles + x);
                push(which, indexof(a).x);
            }
    }

    // Finds the nearest triangle at each pixel's center (-1: none), and the weights of its corners.
    kernel void draw(float tile, int list[][][], vec3 a[], vec3 b[], vec3 c[], out int triangle<>, out vec3 weight<>) {
        vec2 p = vec2(indexof(triangle).xy) + 0.5;
        ivec2 t = ivec2(p / tile);
        int n = sizeof_list(list, t.y, t.x);
        float nearest = 0.0;
        triangle = -1;
        weight = vec3(0.0);
        for (int k = 0; k < n; k++) {
            int i = list[t.y][t.x][k];
            vec3 u = a[i], v = b[i], w = c[i], s = weights(p, u.xy, v.xy, w.xy);
            float z = dot(s, vec3(u.z, v.z, w.z));
            if (min(min(s.x, s.y), s.z) >= 0.0 && z > nearest) {
                nearest = z;
                triangle = i;
                weight = s * vec3(u.z, v.z, w.z) / z;
            }
        }
    }
]])

local function sub(a, b) return {a[1] - b[1], a[2] - b[2], a[3] - b[3]} end
local function cross(a, b) return {a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]} end
local function unit(a)
    local length = math.sqrt(a[1] ^ 2 + a[2] ^ 2 + a[3] ^ 2)
    return {a[1] / length, a[2] / length, a[3] / length}
end

--- Returns the axes of a view from a point towards another; right and up are scaled by `zoom`.
function triangles.view(from, to, zoom)
    local ahead = unit(sub(to, from))
    local right = unit(cross(ahead, {0, 1, 0}))
    local up = cross(right, ahead)
    for d = 1, 3 do right[d], up[d] = right[d] * zoom, up[d] * zoom end
    return {eye = from, right = right, up = up, ahead = ahead}
end

--- Returns three streams of corners, mapped by a kernel that takes p<> and the arguments `given`.
function triangles.map(kernel, given, corners)
    local mapped = {}
    for k, p in ipairs(corners) do
        local arguments = {p = p}
        for name, value in pairs(given) do arguments[name] = value end
        mapped[k] = kernel(arguments)
    end
    return mapped
end

--- Returns the projected corners for an image of side x side pixels.
function triangles.seen(view, side, corners)
    return triangles.map(passes.seen, {eye = view.eye, right = view.right, up = view.up, ahead = view.ahead,
                                       side = side}, corners)
end

--- Returns lists of the triangles that may touch each of tiles x tiles tiles, each of tile x tile elements.
function triangles.bin(corners, tiles, tile)
    local where, which = passes.touch(tile, tiles, corners[1], corners[2], corners[3])
    return rill.lists("int", {shape = {tiles, tiles}, keys = where, values = which})
end

--- Returns the triangle of each pixel, and the weights of its corners.
function triangles.draw(corners, list, tile, side)
    return passes.draw {tile = tile, list = list, a = corners[1], b = corners[2], c = corners[3], shape = {side, side}}
end

return triangles
