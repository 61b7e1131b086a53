-- The passes of examples/shadow.lua: they determine the pages that pixels need, draw pages, and look up pixels.
--     local passes = dofile(here .. "support/shadowpasses.lua")(triangles)
local rill = require "rill"

return function(triangles)
    return rill.program(triangles.functions .. [=[
    const float most = 131072.0, FAR = 100.0, UNDRAWN = -1.0;

    // Projects a point into the light's view, which is orthographic: x and y in texels of the finest level, and the distance.
    kernel vec3 lit(vec3 right, vec3 up, vec3 ahead, float scale, vec3 p<>) {
        return vec3(vec2(dot(p, right), dot(p, up)) * scale + 0.5 * most, 40.0 + dot(p, ahead));
    }
    // Computes a pixel's point in the light's view, and the slope of its surface: the change of distance with x and with y.
    kernel void place(int triangle<>, vec3 weight<>, vec3 a[], vec3 b[], vec3 c[], out vec3 at<>, out vec2 slope<>) {
        at = vec3(-1.0);
        slope = vec2(0.0);
        if (triangle >= 0) {
            vec3 u = a[triangle], v = b[triangle], w = c[triangle], n = cross(v - u, w - u);
            at = weight.x * u + weight.y * v + weight.z * w;
            slope = -n.xy / (abs(n.z) < 1e-20 ? 1e-20 : n.z);
        }
    }

    // 1. The levels that pixels need. The level of the map whose texels are as large as the pixel, or `finer` levels below. The size of a pixel is the distance to the
    // nearer neighbor in x and in y, so that silhouettes do not count.
    kernel void resolve(float finer, neighbor vec3 at<>, out float level<>) {
        vec2 x = min(abs(at[ivec2(1, 0)].xy - at[0].xy), abs(at[0].xy - at[ivec2(-1, 0)].xy));
        vec2 y = min(abs(at[ivec2(0, 1)].xy - at[0].xy), abs(at[0].xy - at[ivec2(0, -1)].xy));
        level = clamp(log2(max(length(x), length(y))) - finer, 0.0, 13.0);
    }
    // Requests that level at the edges of shadows (found by Sobel's operator), and a coarser level elsewhere; -1 if the map has it.
    kernel void analyze(int coarser, float map[][], neighbor float light<>, int triangle<>, vec3 at<>, float level<>,
                        out int want<>) {
        float gx = 0.0, gy = 0.0, spacing;
        for (int k = -1; k <= 1; k++) {
            float weight = k == 0 ? 2.0 : 1.0;
            gx += weight * (light[ivec2(1, k)] - light[ivec2(-1, k)]);
            gy += weight * (light[ivec2(k, 1)] - light[ivec2(k, -1)]);
        }
        bool edge = abs(gx) + abs(gy) > 0.1;
        vec2 weights;
        sample_corners(map, at.xy, weights, spacing);
        want = min(int(level) + (edge ? 0 : coarser), 13);
        if (triangle < 0 || spacing <= float(1 << want)) want = -1;
    }
    kernel void pack(int want<>, vec3 at<>, vout vec2 points<>, vout int levels<>) {
        if (want >= 0) {
            push(points, at.xy);
            push(levels, want);
        }
    }

    // 2. Marks new pages. Triangles that cover nodes of marked pages find them by traversing blocks of block x block nodes. Blocks next to new pages may be found
    // too.
    kernel void mark(out float r<>) { r = UNDRAWN; }

    int list_of(ivec2 block, int spacing, int lists) {
        uvec2 p = uvec2(block) * uvec2(2654435761u, 2246822519u);
        uint h = (p.x ^ p.y >> 3 ^ uint(spacing) * 3266489917u) * 668265263u;
        return int(h >> 8) & lists - 1;
    }
    kernel void find(int block, int lists, float map[][], vec3 a<>, vec3 b<>, vec3 c<>,
                     vout int where<>, vout int which<>) {
        vec2 low = min(min(a.xy, b.xy), c.xy), high = max(max(a.xy, b.xy), c.xy), weights;
        ivec2 first = ivec2(clamp(ceil(low), 0.0, most)), last = ivec2(clamp(floor(high), -1.0, most));
        float spacing;
        for (int y = first.y, next; y <= last.y; y = next) {
            next = last.y + 1;
            for (int x = first.x; x <= last.x;) {
                vec4 depths = sample_corners(map, vec2(x, y), weights, spacing);
                int apart = int(spacing), side = block * apart;
                ivec2 begin = ivec2(x, y) / side * side, end = begin + side;
                ivec2 from = (max(begin, first) + (apart - 1)) / apart * apart, to = min(end - 1, last);
                bool marked = min(min(depths.x, depths.y), min(depths.z, depths.w)) < 0.0;
                if (marked && from.x <= to.x && from.y <= to.y && y == max(begin.y, first.y)) {
                    push(where, list_of(begin / side, apart, lists));
                    push(which, indexof(a).x);
                }
                x = end.x;
                next = min(next, end.y);
            }
        }
    }
    // Computes the distance of the first triangle from the light at each node, or a large value if there is none.
    float first(float r, vec2 p, vec3 u, vec3 v, vec3 w) {
        vec3 s = weights(p, u.xy, v.xy, w.xy);
        return min(min(s.x, s.y), s.z) >= 0.0 ? min(r, dot(s, vec3(u.z, v.z, w.z))) : r;
    }
    kernel void draw(int block, int lists, int list[][], vec3 a[], vec3 b[], vec3 c[], out float r<>) {
        ivec2 node = indexof(r).xy;
        int apart = spacingof(r), l = list_of(node / (block * apart), apart, lists), n = sizeof_list(list, l);
        r = FAR;
        for (int k = 0; k < n; k++) {
            int i = list[l][k];
            r = first(r, vec2(node), a[i], b[i], c[i]);
        }
    }

    // 3. Computes the share of light that reaches a pixel: the four nodes around it are compared with the plane of its triangle, and the results are interpolated
    // (percentage-closer filtering). The map has pages, or is a plain one whose elements are `texel` apart.
    float look(float map[][], float texel, float level, float margin, vec3 at, vec2 slope) {
        vec2 f;
        float spacing;
        vec4 depths = sample_corners(map, at.xy / texel, level, f, spacing);
        spacing *= texel;
        vec2 lean = slope * spacing;
        vec4 plane = vec4(0.0, lean.x, lean.y, lean.x + lean.y) + (at.z - margin * spacing - dot(f, lean));
        vec4 free = vec4(greaterThanEqual(depths, plane));
        return mix(mix(free.x, free.y, f.x), mix(free.z, free.w, f.x), f.y);
    }
    // Looks up at the level of the existing page.
    kernel void lookup(float map[][], float texel, float margin, int triangle<>, vec3 at<>, vec2 slope<>,
                       out float light<>) {
        light = look(map, texel, 0.0, margin, at, slope);
        if (triangle < 0) light = 1.0;
    }
    // Look up in the mipmap: at the level nearest to the pixel's, and interpolated between the two adjacent levels.
    kernel void lookup_nearest(float map[][], float texel, float margin, int triangle<>, vec3 at<>, vec2 slope<>,
                               float level<>, out float light<>) {
        light = look(map, texel, level, margin, at, slope);
        if (triangle < 0) light = 1.0;
    }
    kernel void lookup_smooth(float map[][], float texel, float margin, int triangle<>, vec3 at<>, vec2 slope<>,
                              float level<>, out float light<>) {
        float below = floor(level);
        light = mix(look(map, texel, below, margin, at, slope), look(map, texel, below + 1.0, margin, at, slope),
                    level - below);
        if (triangle < 0) light = 1.0;
    }

    // Lists of triangles by tiles, for the plain map, and for reference: whether light reaches a pixel, by a ray to it. The pixel's own triangle does not cast a
    // shadow on it.
    kernel void plain(float texel, float tile, int tiles, int list[][][], vec3 a[], vec3 b[], vec3 c[], out float r<>) {
        vec2 p = texel * vec2(indexof(r).xy);
        ivec2 t = min(ivec2(p / tile), tiles - 1);
        int n = sizeof_list(list, t.y, t.x);
        r = FAR;
        for (int k = 0; k < n; k++) {
            int i = list[t.y][t.x][k];
            r = first(r, p, a[i], b[i], c[i]);
        }
    }
    kernel void cast_ray(float tile, int tiles, float margin, int list[][][], vec3 a[], vec3 b[], vec3 c[], int triangle<>,
                         vec3 at<>, out float light<>) {
        ivec2 t = clamp(ivec2(at.xy / tile), 0, tiles - 1);
        int n = triangle < 0 ? 0 : sizeof_list(list, t.y, t.x);
        light = 1.0;
        for (int k = 0; k < n; k++) {
            int i = list[t.y][t.x][k];
            if (i != triangle && first(FAR, at.xy, a[i], b[i], c[i]) < at.z - margin) light = 0.0;
        }
    }
    kernel bool differs(float a<>, float b<>) { return (a < 0.5) != (b < 0.5); }

    // Draws the image: the ground pale, other objects red, in the color of the light, and the sky.
    kernel void paint(int ground, float steep, float light<>, int triangle<>, vec2 slope<>, out vec3 color<>) {
        float lean = inversesqrt(1.0 + dot(slope, slope) * steep * steep);
        vec3 own = triangle < ground ? vec3(0.82, 0.77, 0.64) : vec3(0.80, 0.28, 0.20);
        color = triangle < 0 ? vec3(0.55, 0.72, 0.90) : own * (vec3(0.16, 0.18, 0.24) + 0.9 * lean * light);
    }
    kernel void outline(float map[][], int triangle<>, vec3 at<>, vec3 from<>, out vec3 color<>) {
        vec2 weights;
        float spacing;
        sample_corners(map, at.xy, weights, spacing);
        vec3 tint = vec3(0.5) + 0.5 * cos(2.1 * log2(spacing) + vec3(0.0, 2.1, 4.2));
        color = triangle < 0 ? from : mix(from, tint, 0.45);
    }
]=])
end
