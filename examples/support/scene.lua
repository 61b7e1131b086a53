-- The scene of examples/shadow.lua: a ground with a torus knot, a fence, leaves and poles on it.
local rill = require "rill"

local scene = {land = 16} -- the ground reaches from -land to land

local passes = rill.program [=[
    const float pi = 3.14159265;

    // Returns a corner of a triangle of a surface over u, v in 0..1, which has nu x nv quads of two triangles each.
    vec2 corner(int i, int k, ivec2 n) {
        int quad = i / 2;
        ivec2 at = ivec2(quad % n.x, quad / n.x);
        at += i % 2 == 0 ? ivec2(k == 1, k == 2) : ivec2(k != 1, k != 0); // 00 10 01, 10 01 11
        return vec2(at) / vec2(n);
    }
    float hash(float n) { return fract(sin(n * 12.9898 + 4.1414) * 43758.5453); }

    kernel void ground(ivec2 n, float land, out vec3 a<>, out vec3 b<>, out vec3 c<>) {
        int i = indexof(a).x;
        vec3 p[3];
        for (int k = 0; k < 3; k++) {
            vec2 u = 2.0 * corner(i, k, n) - 1.0;
            p[k] = vec3(land * u.x, 0.06 * sin(0.9 * land * u.x) * sin(0.7 * land * u.y), land * u.y);
        }
        a = p[0]; b = p[1]; c = p[2];
    }

    // A torus knot of a thin tube, above the ground.
    vec3 knot(float t) {
        float r = 0.28 + 0.1 * cos(3.0 * t);
        return vec3(r * cos(2.0 * t), 0.42 + 0.12 * sin(3.0 * t), r * sin(2.0 * t));
    }
    kernel void tube(ivec2 n, float radius, out vec3 a<>, out vec3 b<>, out vec3 c<>) {
        int i = indexof(a).x;
        vec3 p[3];
        for (int k = 0; k < 3; k++) {
            vec2 u = 2.0 * pi * corner(i, k, n);
            vec3 middle = knot(u.x), along = normalize(knot(u.x + 0.01) - middle);
            vec3 side = normalize(cross(along, vec3(0.0, 1.0, 0.0))), up = cross(side, along);
            p[k] = middle + radius * (cos(u.y) * side + sin(u.y) * up);
        }
        a = p[0]; b = p[1]; c = p[2];
    }

    // Posts of a fence: four sides each, thinner towards their tops.
    kernel void fence(int posts, float radius, float height, float thickness,
                      out vec3 a<>, out vec3 b<>, out vec3 c<>) {
        int i = indexof(a).x, post = i / 8;
        float turn = 2.0 * pi * float(post) / float(posts);
        vec3 foot = radius * vec3(cos(turn), 0.0, sin(turn)) - vec3(0.0, 0.03, 0.0), p[3];
        for (int k = 0; k < 3; k++) {
            vec2 u = corner(i % 8, k, ivec2(4, 1));
            float angle = 2.0 * pi * u.x, r = thickness * (1.0 - 0.7 * u.y);
            p[k] = foot + vec3(r * cos(angle), height * u.y, r * sin(angle));
        }
        a = p[0]; b = p[1]; c = p[2];
    }

    // Poles at random positions on the ground, except in the middle.
    kernel void poles(float land, float height, float thickness, out vec3 a<>, out vec3 b<>, out vec3 c<>) {
        int i = indexof(a).x;
        float n = float(i / 8), away = mix(1.2, land, hash(n + 0.5)), turn = 2.0 * pi * hash(n);
        vec3 foot = away * vec3(cos(turn), 0.0, sin(turn)) - vec3(0.0, 0.03, 0.0), p[3];
        for (int k = 0; k < 3; k++) {
            vec2 u = corner(i % 8, k, ivec2(4, 1));
            float angle = 2.0 * pi * u.x, r = thickness * (1.0 - 0.5 * u.y);
            p[k] = foot + vec3(r * cos(angle), height * (0.5 + hash(n + 0.7)) * u.y, r * sin(angle));
        }
        a = p[0]; b = p[1]; c = p[2];
    }

    // Leaves at random positions in the air.
    kernel void leaves(float extent, out vec3 a<>, out vec3 b<>, out vec3 c<>) {
        int i = indexof(a).x;
        float n = float(i);
        vec3 middle = vec3(hash(n), hash(n + 0.3), hash(n + 0.6)) * 2.0 - 1.0;
        middle = vec3(-0.55, 0.5, 0.45) + vec3(0.22, 0.12, 0.22) * middle / max(1.0, length(middle));
        vec3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = middle + extent * (2.0 * vec3(hash(n + 10.0 * float(k) + 1.0), hash(n + 10.0 * float(k) + 2.0),
                                                 hash(n + 10.0 * float(k) + 3.0)) - 1.0);
        a = p[0]; b = p[1]; c = p[2];
    }
]=]

local squares <const> = 160 -- of the ground, in each dimension

--- The number of triangles of the ground, which come first.
scene.ground = 2 * squares ^ 2 | 0

--- Returns the corners of all triangles as three streams.
function scene.corners()
    local parts = {
        {passes.ground {n = {squares, squares}, land = scene.land, shape = scene.ground}},
        {passes.tube {n = {600, 12}, radius = 0.02, shape = 14400}},
        {passes.fence {posts = 80, radius = 0.85, height = 0.16, thickness = 0.006, shape = 640}},
        {passes.poles {land = 0.9 * scene.land, height = 0.5, thickness = 0.012, shape = 8 * 600}},
        {passes.leaves {extent = 0.02, shape = 1500}},
    }
    local corners = {}
    for k = 1, 3 do
        local these = {}
        for i, part in ipairs(parts) do these[i] = part[k] end
        corners[k] = rill.concat(these)
    end
    return corners
end

return scene
