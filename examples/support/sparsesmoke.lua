-- The passes of examples/sparsefluid.lua. An element has a velocity in xyz and smoke in w; y is up.
--     local passes = dofile(here .. "support/sparsesmoke.lua")
local rill = require "rill"

return rill.program [[
    // Returns 1 inside the vessel, a ball that contains the smoke, and 0 outside.
    float held(ivec3 p, vec4 vessel) {
        vec3 away = vec3(p) - vessel.xyz;
        return dot(away, away) <= vessel.w * vessel.w ? 1.0 : 0.0;
    }

    // Advection: each cell takes the value that was upstream one step before. The vent adds smoke, which is buoyant.
    kernel void advect(float fade, float buoyancy, vec4 vent, vec3 wind, vec4 vessel, vec4 s<>, vec4 from[][][], out vec4 r<>) {
        vec3 here = vec3(indexof(r).xyz);
        r = sample(from, here - s.xyz);
        vec3 away = (here - vent.xyz) / vent.w;
        float inflow = max(0.0, 1.0 - dot(away, away));
        r.w = min(r.w * fade + 0.3 * inflow, 1.0);
        r.xyz += buoyancy * r.w * vec3(0.0, 1.0, 0.0) + inflow * wind;
        r *= held(indexof(r).xyz, vessel);
    }

    kernel void diverge(vec4 vessel, neighbor vec4 s<>, out float d<>) {
        d = 0.5 * held(indexof(d).xyz, vessel) * (s[ivec3(1, 0, 0)].x - s[ivec3(-1, 0, 0)].x + s[ivec3(0, 1, 0)].y - s[ivec3(0, -1, 0)].y
            + s[ivec3(0, 0, 1)].z - s[ivec3(0, 0, -1)].z);
    }

    // One Jacobi iteration for (laplacian of p) = d.
    kernel void relax(vec4 vessel, neighbor float p<>, float d<>, out float r<>) {
        r = (p[ivec3(-1, 0, 0)] + p[ivec3(1, 0, 0)] + p[ivec3(0, -1, 0)] + p[ivec3(0, 1, 0)] + p[ivec3(0, 0, -1)]
            + p[ivec3(0, 0, 1)] - d) * (1.0 / 6.0) * held(indexof(r).xyz, vessel);
    }

    // Subtracts the gradient of the pressure, after which the flow is divergence-free.
    kernel void project(vec4 vessel, neighbor float p<>, vec4 s<>, out vec4 r<>) {
        r = s - 0.5 * held(indexof(r).xyz, vessel) * vec4(p[ivec3(1, 0, 0)] - p[ivec3(-1, 0, 0)], p[ivec3(0, 1, 0)] - p[ivec3(0, -1, 0)],
                           p[ivec3(0, 0, 1)] - p[ivec3(0, 0, -1)], 0.0);
    }

    // Mark the pages that contain smoke, and the pages that should exist: the former and the adjacent ones.
    kernel void mark(int page, float enough, vec4 s<>, inout int smoke[][][]) {
        ivec3 p = indexof(s).xyz / page;
        if (s.w > enough) smoke[p.z][p.y][p.x] = 1;
    }
    kernel void spread(neighbor int smoke<>, out int wanted<>) {
        wanted = 0;
        for (int z = -1; z <= 1; z++)
            for (int y = -1; y <= 1; y++)
                for (int x = -1; x <= 1; x++) wanted = max(wanted, smoke[ivec3(x, y, z)]);
    }
    kernel bool without(int a<>, int b<>) { return a != 0 && b == 0; }
    kernel void corner(ivec3 pages, int page, int number<>, out ivec3 p<>) {
        p = page * ivec3(number % pages.x, number / pages.x % pages.y, number / (pages.x * pages.y));
    }

    // Draw the smoke from the front, in colors from dark violet over orange to pale yellow, and the pages.
    vec3 glow(float t) {
        vec3 c = mix(vec3(0.01, 0.01, 0.03), vec3(0.28, 0.07, 0.42), smoothstep(0.0, 0.3, t));
        c = mix(c, vec3(0.80, 0.20, 0.38), smoothstep(0.2, 0.55, t));
        c = mix(c, vec3(0.99, 0.60, 0.36), smoothstep(0.45, 0.8, t));
        return mix(c, vec3(1.00, 0.98, 0.80), smoothstep(0.7, 1.0, t));
    }
    kernel void look(vec4 s[][][], int depth, float scale, int height, out float thickness<>) {
        vec2 at = vec2(indexof(thickness).xy) / scale;
        thickness = 0.0;
        for (int z = 0; z < depth; z++) thickness += sample(s, vec3(at.x, float(height - 1) - at.y, float(z))).w;
    }
    kernel void paint(neighbor float thickness<>, out vec3 color<>) {
        vec2 slope = vec2(thickness[ivec2(1, 0)] - thickness[ivec2(-1, 0)], thickness[ivec2(0, 1)] - thickness[ivec2(0, -1)]);
        float relief = dot(slope, vec2(0.5, 0.8)) / (1.0 + length(slope));
        color = glow(1.0 - exp(-0.12 * thickness[0])) * (1.0 + 0.5 * relief);
    }
    kernel void paint_pages(int wanted[][][], int depth, int height, float cell, out vec3 color<>) {
        vec2 at = vec2(indexof(color).xy) / cell, in_page = fract(at) * cell;
        int n = 0;
        for (int z = 0; z < depth; z++) n += wanted[z][height - 1 - int(at.y)][int(at.x)];
        float line = n > 0 && min(in_page.x, in_page.y) < 1.0 ? 1.0 : 0.0;
        float share = float(n) / float(depth);
        color = n == 0 ? vec3(0.01, 0.01, 0.03) : mix(vec3(0.05, 0.12, 0.2), vec3(0.35, 0.75, 0.9), sqrt(share));
        color = mix(color, vec3(0.01, 0.01, 0.03), 0.7 * line);
    }
]]
