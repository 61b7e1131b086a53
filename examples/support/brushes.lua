-- The passes of examples/paint3d.lua: projection of pixels to the mesh, the texels that a brush touches, blending, and images.
--     local passes = dofile(here .. "support/brushes.lua")
local rill = require "rill"

return rill.program [[
    const float touch = 4.0; // texels of a brush's radius, at least

    // Texture coordinates: the point of the mesh that a pixel shows, in texels, and its depth (w); w is 0 if there is none.
    kernel void place(int triangle<>, vec3 weight<>, float size, vec3 eye, vec3 ahead, vec3 a[], vec3 b[], vec3 c[],
                      vec3 na[], vec3 nb[], vec3 nc[], out vec4 at<>, out vec3 normal<>) {
        at = vec4(0.0);
        normal = vec3(0.0);
        if (triangle >= 0) {
            vec3 p = weight.x * a[triangle] + weight.y * b[triangle] + weight.z * c[triangle];
            at = vec4(size * p, dot(p - eye, ahead));
            normal = normalize(weight.x * na[triangle] + weight.y * nb[triangle] + weight.z * nc[triangle]);
        }
    }
    kernel vec3 point(vec4 at<>) { return at.xyz; }

    // Returns the distance of a point of the image from lines, each from xy to zw. It is large outside of `box`, from xy to zw.
    float away(vec2 p, vec4 box, vec4 lines[]) {
        float nearest = 1e9;
        if (p.x > box.x && p.y > box.y && p.x < box.z && p.y < box.w) {
            for (int i = 0; i < sizeof_stream(lines).x; i++) {
                vec2 a = lines[i].xy, along = lines[i].zw - a;
                float t = clamp(dot(p - a, along) / max(dot(along, along), 1e-12), 0.0, 1.0);
                nearest = min(nearest, distance(p, a + t * along));
            }
        }
        return nearest;
    }

    // Returns the level whose texels are as fine as the brush requires at a depth; `texels` is the number of texels that a pixel covers at depth one.
    float level_of(float depth, float radius, float texels) { return floor(log2(max(radius * depth * texels / touch, 1.0))); }

    // Emits, for pixels under a brush, the positions of texels around the mesh and their level.
    kernel void touched(vec4 at<>, vec4 lines[], vec4 box, float radius, float texels,
                        vout vec3 points<>, vout int levels<>) {
        if (at.w > 0.0 && away(vec2(indexof(at).xy) + 0.5, box, lines) < radius + 1.0) {
            float level = level_of(at.w, radius, texels);
            for (int i = 0; i < 8; i++) { // neighbors too, since a sample reads eight texels
                push(points, at.xyz + exp2(level) * (vec3(i & 1, i >> 1 & 1, i >> 2) * 2.0 - 1.0));
                push(levels, int(level));
            }
        }
    }

    // Returns whether a texel is close to the mesh that a pixel shows, relative to the spacing of texels.
    bool near(vec3 texel, float spacing, vec4 seen, vec3 normal) {
        vec3 d = texel - seen.xyz;
        return seen.w > 0.0 && abs(dot(d, normal)) < 2.0 * spacing && dot(d, d) < 36.0 * spacing * spacing;
    }

    // Projects each texel to the image, where the brush's profile gives its coverage. `cover` is the largest coverage of each texel in this stroke so far. Only the
    // increase of coverage is mixed into `paint`, so that a stroke that crosses itself does not darken.
    kernel void blend(inout vec4 paint<>, inout float cover<>, vec3 eye, vec3 right, vec3 up, vec3 ahead, float size,
                      float texels, vec4 at[][], vec3 normal[][], vec4 lines[], vec4 box, float radius, vec3 pigment,
                      float strength, float levels) {
        vec3 texel = vec3(indexof(paint).xyz), d = texel / size - eye;
        float depth = dot(d, ahead), side = float(sizeof_stream(at).x), spacing = float(spacingof(paint));
        vec2 p = side * (0.5 + 0.5 * vec2(dot(d, right), -dot(d, up)) / max(depth, 1e-6));
        float share = depth > 0.0 ? 1.0 - smoothstep(0.5, 1.0, away(p, box, lines) / radius) : 0.0;
        if (share > cover) {
            bool found = false; // at p or next to it: samples at a silhouette also read texels beyond it
            for (int i = 0; i < 5 && !found; i++) {
                vec2 aside = i == 0 ? vec2(0.0) : i < 3 ? vec2(1.0, 0.0) : vec2(0.0, 1.0);
                ivec2 pixel = ivec2(floor(p + radius / touch * (i % 2 == 0 ? aside : -aside)));
                vec4 seen = at[pixel];
                found = near(texel, min(spacing, exp2(level_of(seen.w, radius, texels))), seen, normal[pixel]);
            }
            if (found) {
                float fresh = (share - cover) * strength / (1.0 - cover * strength);
                paint = vec4(mix(paint.xyz, pigment, fresh), levels - log2(spacing));
                cover = share;
            }
        }
    }
    kernel void uncovered(vec4 paint<>, out float cover<>) { cover = 0.0; }

    vec3 lit(vec3 own, vec3 normal, vec3 light) {
        float day = 0.5 + 0.5 * dot(normal, light);
        return own * (vec3(0.32, 0.33, 0.36) + vec3(0.7, 0.68, 0.64) * day);
    }
    // Draws the painted mesh, from the level whose texels are as large as pixels.
    kernel void show(vec4 at<>, vec3 normal<>, vec4 paint[][][], float texels, vec3 light, out vec3 color<>) {
        vec4 own = sample(paint, at.xyz, log2(max(texels * at.w, 1.0)));
        color = at.w > 0.0 ? lit(own.xyz, normal, light) : vec3(0.97);
    }
    // Draws the levels of pages as colors, fine ones bright.
    kernel void show_levels(vec4 at<>, vec3 normal<>, int level<>, float levels, vec3 light, out vec3 color<>) {
        float fine = 1.0 - float(level) / (levels - 1.0);
        vec3 own = clamp(vec3(2.2 * fine - 0.9, 1.1 - abs(2.4 * fine - 1.3), 1.0 - 1.4 * fine), 0.05, 1.0);
        color = at.w > 0.0 ? lit(own, normal, light) : vec3(0.97);
    }
]]
