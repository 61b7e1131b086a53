-- Adaptive shadow maps: a map of 131,072 x 131,072 texels of which only the pages exist that the camera's pixels ask for
-- (Lefohn et al., Glift, 2006, section 6.4; Fernando et al., Adaptive shadow maps, 2001).
--
--     lua5.4 examples/shadow.lua [side [directory]]        512 out
--
-- Triangles are drawn by compute, with examples/support/triangles.lua.
local rill = require "rill"
local triangles = dofile((debug.getinfo(1, "S").source:match "^@(.*/)" or "") .. "support/triangles.lua")

local most_texels = 131072
local seen_tiles, lit_tiles = 128, 1024 -- in each dimension, of the camera's picture and of what the light sees
local margin = 5e-5 -- that a surface must be behind another one to be in its shadow, for texels one apart
local finer, coarser = 1.5, 3 -- levels: of the map below a pixel's, and above that where no shadow ends
local land = 16  -- the ground reaches from -land to land
local reach = 24 -- the light sees from -reach to reach

local passes = rill.program(triangles.functions .. [=[
    const float pi = 3.14159265, most = 131072.0, FAR = 100.0;

    // Triangles of a surface over u, v in 0..1: number i of nu x nv quads, two each.
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

    // Posts of a fence around: four sides each, thinner towards their tops.
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

    // Poles anywhere on the ground, but not in the middle.
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

    // Leaves in a cloud of air.
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

    // What the light sees, far away: x and y in texels of the finest level, and the distance.
    kernel vec3 lit(vec3 right, vec3 up, vec3 ahead, float scale, vec3 p<>) {
        return vec3(vec2(dot(p, right), dot(p, up)) * scale + 0.5 * most, 40.0 + dot(p, ahead));
    }

    // The point of a pixel as the light sees it, and how its surface leans: how the distance changes with x and with y.
    kernel void place(int triangle<>, vec3 weight<>, vec3 a[], vec3 b[], vec3 c[], out vec3 at<>, out vec2 slope<>) {
        at = vec3(-1.0);
        slope = vec2(0.0);
        if (triangle >= 0) {
            vec3 u = a[triangle], v = b[triangle], w = c[triangle], n = cross(v - u, w - u);
            at = weight.x * u + weight.y * v + weight.z * w;
            slope = -n.xy / (abs(n.z) < 1e-20 ? 1e-20 : n.z);
        }
    }

    // How far from the light the first triangle is, at each node of a map that exists; nothing is far away.
    kernel void depth(float texel, float tile, int tiles, int list[][][], vec3 a[], vec3 b[], vec3 c[], out float r<>) {
        vec2 p = texel * vec2(indexof(r).xy);
        ivec2 t = min(ivec2(p / tile), tiles - 1);
        int n = sizeof_list(list, t.y, t.x);
        r = FAR;
        for (int k = 0; k < n; k++) {
            int i = list[t.y][t.x][k];
            vec3 u = a[i], v = b[i], w = c[i], s = weights(p, u.xy, v.xy, w.xy);
            if (min(min(s.x, s.y), s.z) >= 0.0) r = min(r, dot(s, vec3(u.z, v.z, w.z)));
        }
    }

    // Whether the light reaches a pixel, by a ray to it: no triangle of the tile is in front but the pixel's own.
    kernel void cast(float tile, int tiles, float margin, int list[][][], vec3 a[], vec3 b[], vec3 c[], int triangle<>,
                     vec3 at<>, out float light<>) {
        ivec2 t = clamp(ivec2(at.xy / tile), 0, tiles - 1);
        int n = triangle < 0 ? 0 : sizeof_list(list, t.y, t.x);
        light = 1.0;
        for (int k = 0; k < n; k++) {
            int i = list[t.y][t.x][k];
            vec3 u = a[i], v = b[i], w = c[i], s = weights(at.xy, u.xy, v.xy, w.xy);
            bool through = i != triangle && min(min(s.x, s.y), s.z) >= 0.0;
            if (through && dot(s, vec3(u.z, v.z, w.z)) < at.z - margin) light = 0.0;
        }
    }

    // The level of the map whose texels are as large as a pixel there, or `finer` levels below: by the nearer of both neighbours in x and
    // in y, so that edges of what is seen do not count.
    kernel void resolve(float finer, neighbor vec3 at<>, out float level<>) {
        vec2 x = min(abs(at[ivec2(1, 0)].xy - at[0].xy), abs(at[0].xy - at[ivec2(-1, 0)].xy));
        vec2 y = min(abs(at[ivec2(0, 1)].xy - at[0].xy), abs(at[0].xy - at[ivec2(0, -1)].xy));
        level = max(log2(max(length(x), length(y))) - finer, 0.0);
    }
    // What pixels ask for: those where light and shadow meet (Sobel) their own level, others one that is coarser.
    kernel void request(int coarser, neighbor float light<>, int triangle<>, vec3 at<>, float level<>,
                        vout vec2 points<>, vout int levels<>) {
        float gx = 0.0, gy = 0.0;
        for (int k = -1; k <= 1; k++) {
            float weight = k == 0 ? 2.0 : 1.0;
            gx += weight * (light[ivec2(1, k)] - light[ivec2(-1, k)]);
            gy += weight * (light[ivec2(k, 1)] - light[ivec2(k, -1)]);
        }
        bool edge = abs(gx) + abs(gy) > 0.1;
        if (triangle >= 0) {
            push(points, at.xy);
            push(levels, int(level) + (edge ? 0 : coarser));
        }
    }

    // The share of light that reaches a pixel: four nodes around are compared with the plane of its triangle, and what comes out is
    // interpolated (percentage-closer filtering).
    float closer(vec4 depths, vec2 node, float spacing, vec3 at, vec2 slope, float margin) {
        vec2 away = node - at.xy;
        vec4 plane = at.z - margin * spacing + vec4(dot(away, slope), dot(away + vec2(spacing, 0.0), slope),
                                          dot(away + vec2(0.0, spacing), slope), dot(away + spacing, slope));
        vec4 free = vec4(greaterThanEqual(depths, plane));
        vec2 f = -away / spacing;
        return mix(mix(free.x, free.y, f.x), mix(free.z, free.w, f.x), f.y);
    }
    kernel void plain(float map[][], float texel, float margin, int triangle<>, vec3 at<>, vec2 slope<>,
                      out float light<>) {
        ivec2 i = ivec2(floor(at.xy / texel));
        vec4 depths = vec4(map[i.y][i.x], map[i.y][i.x + 1], map[i.y + 1][i.x], map[i.y + 1][i.x + 1]);
        light = triangle < 0 ? 1.0 : closer(depths, texel * vec2(i), texel, at, slope, margin);
    }
    float look(float map[][], int level, float margin, vec3 at, vec2 slope) {
        float spacing = float(1 << level);
        vec2 node = spacing * floor(at.xy / spacing);
        vec4 depths = vec4(sample(map, node, float(level)), sample(map, node + vec2(spacing, 0.0), float(level)),
                           sample(map, node + vec2(0.0, spacing), float(level)),
                           sample(map, node + spacing, float(level)));
        return closer(depths, node, spacing, at, slope, margin);
    }
    // In a map of pages: at the level of the page that is there.
    kernel void adaptive(float map[][], float margin, int triangle<>, vec3 at<>, vec2 slope<>, int level<>,
                         out float light<>) {
        light = triangle < 0 ? 1.0 : look(map, level, margin, at, slope);
    }
    // At the level of the pixel, and between the two around, in a map with a mipmap.
    kernel void nearest_adaptive(float map[][], float margin, int triangle<>, vec3 at<>, vec2 slope<>, float level<>,
                                 out float light<>) {
        light = triangle < 0 ? 1.0 : look(map, int(level + 0.5), margin, at, slope);
    }
    kernel void smooth_adaptive(float map[][], float margin, int triangle<>, vec3 at<>, vec2 slope<>, float level<>,
                                out float light<>) {
        light = 1.0;
        if (triangle >= 0) {
            float fine = look(map, int(level), margin, at, slope);
            light = mix(fine, look(map, int(level) + 1, margin, at, slope), fract(level));
        }
    }

    kernel vec2 point(vec3 at<>) { return at.xy; }
    kernel bool differs(float a<>, float b<>) { return (a < 0.5) != (b < 0.5); }

    // The picture: ground pale, the rest red, in the light's colour; the sky behind.
    kernel void paint(int ground, float steep, float light<>, int triangle<>, vec2 slope<>, out vec3 colour<>) {
        float lean = inversesqrt(1.0 + dot(slope, slope) * steep * steep);
        vec3 own = triangle < ground ? vec3(0.82, 0.77, 0.64) : vec3(0.80, 0.28, 0.20);
        colour = triangle < 0 ? vec3(0.55, 0.72, 0.90) : own * (vec3(0.16, 0.18, 0.24) + 0.9 * lean * light);
    }
    kernel void outline(int level<>, int triangle<>, vec3 from<>, out vec3 colour<>) {
        vec3 tint = vec3(0.5) + 0.5 * cos(2.1 * float(level) + vec3(0.0, 2.1, 4.2));
        colour = triangle < 0 ? from : mix(from, tint, 0.45);
    }
]=])

local ground = 2 * 160 ^ 2 | 0 -- triangles, the first ones

-- The corners of all triangles, three streams.
local function scene()
    local parts = {
        {passes.ground {n = {160, 160}, land = land, shape = ground}},
        {passes.tube {n = {600, 12}, radius = 0.02, shape = 14400}},
        {passes.fence {posts = 80, radius = 0.85, height = 0.16, thickness = 0.006, shape = 640}},
        {passes.poles {land = 0.9 * land, height = 0.5, thickness = 0.012, shape = 8 * 600}},
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

local Shadow = {}
Shadow.__index = Shadow

--- A scene for a picture of side x side pixels, with a map in pages of page x page texels.
local function create(side, page)
    local self = setmetatable({side = side, page = page, corners = scene()}, Shadow)
    self.pixel_tile, self.texel_tile = side / seen_tiles, most_texels / lit_tiles
    return self
end

--- Moves the light: the triangles as it sees them, and a map without pages but the first.
function Shadow:move_light(from)
    local light = triangles.view(from, {0, 0, 0}, 1)
    self.steep = 2 * reach / most_texels
    self.lit = triangles.map(passes.lit, {right = light.right, up = light.up, ahead = light.ahead,
                                          scale = 1 / self.steep}, self.corners)
    self.lit_list = triangles.bin(self.lit, lit_tiles, self.texel_tile)
    if self.map then self.map:close() end
    self.map = rill.quadtree("float", {size = most_texels, page = self.page})
end

--- Moves the camera: the triangle of each pixel, where it is for the light, and the level that it needs.
function Shadow:move_camera(from, to, zoom)
    local seen = triangles.seen(triangles.view(from, to, zoom), self.side, self.corners)
    local list = triangles.bin(seen, seen_tiles, self.pixel_tile)
    self.triangle, self.weight = triangles.draw(seen, list, self.pixel_tile, self.side)
    self:place()
end

--- Where the pixels are for the light.
function Shadow:place()
    self.at, self.slope = passes.place(self.triangle, self.weight, self.lit[1], self.lit[2], self.lit[3])
    self.level = passes.resolve(finer, self.at)
end

--- Distances from the light into a map.
function Shadow:render(result, texel)
    return passes.depth {texel = texel, tile = self.texel_tile, tiles = lit_tiles, list = self.lit_list,
                         a = self.lit[1], b = self.lit[2], c = self.lit[3], r = result}
end

--- The light that reaches each pixel by the map of pages; by a plain map; and by a ray.
function Shadow:lookup(kernel)
    return (kernel or passes.adaptive) {map = self.map, margin = margin, triangle = self.triangle, at = self.at,
                                        slope = self.slope, level = kernel and self.level or self.leaf}
end
function Shadow:plain(texels)
    local texel = most_texels / texels
    local flat = self:render(rill.stream("float", {texels + 1, texels + 1}), texel)
    return self:look(flat, texel), flat, texel
end
function Shadow:look(flat, texel)
    return passes.plain(flat, texel, margin, self.triangle, self.at, self.slope)
end
function Shadow:cast()
    return passes.cast {tile = self.texel_tile, tiles = lit_tiles, margin = 1e-4, list = self.lit_list, a = self.lit[1],
                        b = self.lit[2], c = self.lit[3], triangle = self.triangle, at = self.at}
end

--- What pixels ask for, where this light reaches them: points, and the levels there.
function Shadow:request(light)
    return passes.request(coarser, light, self.triangle, self.at, self.level)
end

--- Makes the pages that the pixels ask for, until they ask for none; how often that was, and how many requests each time.
function Shadow:refine()
    local rounds, asked = 0, {}
    repeat
        local before = self.map.pages.mapped
        local light = rounds > 0 and self:lookup() or rill.stream("float", {self.side, self.side}):fill(1)
        local points, levels = self:request(light)
        self.map:refine(points, levels)
        rounds = rounds + 1
        asked[rounds] = points.size
        if self.map.pages.mapped > before then self:render(self.map, 1) end
        self.leaf = self.map:level(passes.point(self.at))
    until self.map.pages.mapped == before and rounds > 1
    return rounds, asked
end

function Shadow:picture(light)
    return passes.paint(ground, 1 / self.steep, light or self:lookup(), self.triangle, self.slope)
end

--- The levels of the pages that pixels look into, as colours over a picture.
function Shadow:levels(picture)
    return passes.outline(self.leaf, self.triangle, picture)
end

--- The share of pixels on whose side of a shadow's border two ways to find it differ.
local function mismatch(a, b) return passes.differs(a, b):sum() / a.size end

if ... == "module" then return {create = create, mismatch = mismatch, passes = passes} end

local side, directory = ...
side, directory = tonumber(side or 512), directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local shadow, start = create(side, 16), rill.clock()
shadow:move_light {1.6, 1.5, 0.9}
shadow:move_camera({0.9, 0.75, 1.5}, {0, 0.2, 0}, 1.6)
local rounds, asked = shadow:refine()
local light, truth, plain = shadow:lookup(), shadow:cast(), shadow:plain(2048)
print(("  %d triangles, %d rounds, %d requests in the first: %.1f s"):format(shadow.corners[1].size, rounds, asked[1],
    rill.clock() - start))
print(("  %d pages of 16 x 16, %.1f MiB; dense it were %.0f GiB"):format(shadow.map.pages.mapped,
    shadow.map.nbytes / 2 ^ 20, most_texels ^ 2 / 2 ^ 28))
print(("  other than rays: %.2f %% of the pixels, by a plain map of 2048 x 2048 %.2f %%"):format(
    100 * mismatch(light, truth), 100 * mismatch(plain, truth)))
local picture = rill.stream("vec3", {side, 3 * side})
for i, one in ipairs {shadow:picture(plain), shadow:picture(light), shadow:levels(shadow:picture(light))} do
    picture:write(one, {1, (i - 1) * side + 1}, {side, i * side})
end
rill.image.save(picture, directory .. "/shadow.png")
print(("  %s/shadow.png: the plain map, the map of pages, and the levels of its pages"):format(directory))
