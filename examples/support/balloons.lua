-- A synthetic image for examples that get no file, as a stream of vec3, {rows, columns}: balloons over hills at sunset.
--     local balloons = dofile(here .. "support/balloons.lua")
--     balloons.scene{shape = {384, 512}}
local rill = require "rill"

return rill.program [=[
    vec3 balloon(vec3 behind, vec2 p, vec3 paint) {
        float r2 = dot(p, p);
        vec3 normal = vec3(p, sqrt(max(0.0, 1.0 - r2)));
        float stripe = step(0.0, sin(9.0 * atan(normal.x, normal.z)));
        float light = 0.25 + 0.75 * max(0.0, dot(normal, normalize(vec3(0.7, 0.1, 0.7))));
        vec3 c = mix(paint, vec3(0.95, 0.92, 0.85), stripe) * light;
        c = mix(behind, c, smoothstep(1.0, 0.97, r2));
        vec2 basket = abs(p - vec2(0.0, 1.45)) / vec2(0.16, 0.11);
        float rope = abs(abs(p.x) - 0.55 * (1.5 - p.y)) < 0.02 && p.y > 0.85 && p.y < 1.4 ? 1.0 : 0.0;
        return mix(c, vec3(0.22, 0.13, 0.08), max(rope, max(basket.x, basket.y) < 1.0 ? 1.0 : 0.0));
    }
    float grain(vec2 p) { return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453); }
    kernel void scene(out vec3 c<>) {
        ivec4 size = sizeof_stream(c);
        vec2 at = vec2(indexof(c).xy), p = at / float(size.y);
        float sun = distance(p, vec2(1.02, 0.60));
        c = mix(vec3(0.16, 0.22, 0.45), vec3(0.98, 0.62, 0.38), smoothstep(0.0, 0.75, p.y));
        c += 0.5 * exp(-9.0 * sun * sun) * vec3(1.0, 0.7, 0.3);
        c = mix(c, vec3(1.0, 0.96, 0.80), smoothstep(0.075, 0.07, sun));
        c = balloon(c, (p - vec2(0.38, 0.33)) / 0.19, vec3(0.80, 0.14, 0.16));
        c = balloon(c, (p - vec2(0.86, 0.24)) / 0.09, vec3(0.12, 0.38, 0.62));
        c = balloon(c, (p - vec2(1.14, 0.40)) / 0.05, vec3(0.92, 0.62, 0.10));
        for (int k = 0; k < 4; k++) {
            float f = float(k), x = p.x * (2.0 + f) + 3.7 * f;
            float ridge = 0.68 + 0.075 * f + 0.045 * sin(x) + 0.02 * sin(2.7 * x + f) + 0.006 * sin(11.0 * x);
            vec3 hill = mix(vec3(0.50, 0.34, 0.42), vec3(0.07, 0.13, 0.10), f / 3.0);
            hill *= 1.0 + (0.08 + 0.12 * f) * (grain(floor(at / 2.0) + f) - 0.5);
            c = mix(c, hill, smoothstep(0.0, 0.004, p.y - ridge));
        }
        c = clamp(c, 0.0, 1.0);
    }
]=]
