-- Adaptive shadow maps: a map of 131,072 x 131,072 texels of which only the pages exist that the camera's pixels ask for
-- (Lefohn et al., Glift, 2006, section 6.4; Fernando et al., Adaptive shadow maps, 2001).
--
--     lua5.4 examples/shadow.lua [side [directory]]        512 out
--
-- Pixels along the ends of shadows ask for pages as fine as they are, the triangles that touch new pages are found through the map itself,
-- and only new pages are drawn; until nothing is asked for. The picture is drawn by examples/support/triangles.lua.
local rill = require "rill"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
local triangles = dofile(here .. "support/triangles.lua")
local scene = dofile(here .. "support/scene.lua")

local most_texels = 131072
local most_bytes, table_share = 60 * 2 ^ 20, 640 -- of pages and their tables, and what these take for a page at most
local margin = 5e-5 -- that a surface must be behind another one to be in its shadow, for texels one apart
local finer, coarser = 1.5, 3 -- levels: of the map below a pixel's, and above that where no shadow ends
local reach = 24 -- the light sees from -reach to reach
local block, block_lists = 8, 1 << 16 -- blocks of 8 x 8 nodes share lists of triangles by a hash
local seen_tiles, lit_tiles = 128, 1024 -- in each dimension, of the camera's picture, and for rays and the plain map

local passes = rill.program(triangles.functions .. [=[
    const float most = 131072.0, FAR = 100.0, UNDRAWN = -1.0;

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

    // 1. What pixels need. The level of the map whose texels are as large as a pixel there, or `finer` levels below: by the nearer of both
    // neighbours in x and in y, so that edges of what is seen do not count.
    kernel void resolve(float finer, neighbor vec3 at<>, out float level<>) {
        vec2 x = min(abs(at[ivec2(1, 0)].xy - at[0].xy), abs(at[0].xy - at[ivec2(-1, 0)].xy));
        vec2 y = min(abs(at[ivec2(0, 1)].xy - at[0].xy), abs(at[0].xy - at[ivec2(0, -1)].xy));
        level = clamp(log2(max(length(x), length(y))) - finer, 0.0, 13.0);
    }
    // Where light and shadow meet (Sobel) that level, elsewhere one that is coarser; -1: the map has it.
    kernel void analyse(int coarser, float map[][], neighbor float light<>, int triangle<>, vec3 at<>, float level<>,
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

    // 2. New pages are marked, and triangles that have nodes of those below them find them, walking from one block of block x block nodes to
    // the next. Blocks beside new pages may be found, too.
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
    // How far from the light the first triangle is, at each node; nothing is far away.
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

    // 3. The share of light that reaches a pixel: four nodes around are compared with the plane of its triangle, and what comes out is
    // interpolated (percentage-closer filtering). The map is one of pages, or a plain one, whose elements are `texel` apart.
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
    // At the level of the page that is there.
    kernel void lookup(float map[][], float texel, float margin, int triangle<>, vec3 at<>, vec2 slope<>,
                       out float light<>) {
        light = look(map, texel, 0.0, margin, at, slope);
        if (triangle < 0) light = 1.0;
    }
    // In the mipmap: at the nearest level to the pixel's, and between what comes out of the two around.
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

    // Triangles by tiles, for the plain map, and to be sure: whether the light reaches a pixel, by a ray to it. No triangle of the tile is in
    // front but the pixel's own.
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

    // The picture: ground pale, the rest red, in the light's colour; the sky behind.
    kernel void paint(int ground, float steep, float light<>, int triangle<>, vec2 slope<>, out vec3 colour<>) {
        float lean = inversesqrt(1.0 + dot(slope, slope) * steep * steep);
        vec3 own = triangle < ground ? vec3(0.82, 0.77, 0.64) : vec3(0.80, 0.28, 0.20);
        colour = triangle < 0 ? vec3(0.55, 0.72, 0.90) : own * (vec3(0.16, 0.18, 0.24) + 0.9 * lean * light);
    }
    kernel void outline(float map[][], int triangle<>, vec3 at<>, vec3 from<>, out vec3 colour<>) {
        vec2 weights;
        float spacing;
        sample_corners(map, at.xy, weights, spacing);
        vec3 tint = vec3(0.5) + 0.5 * cos(2.1 * log2(spacing) + vec3(0.0, 2.1, 4.2));
        colour = triangle < 0 ? from : mix(from, tint, 0.45);
    }
]=])

local Shadow = {}
Shadow.__index = Shadow

--- A scene for a picture of side x side pixels, with a map in pages of page x page texels.
local function create(side, page)
    return setmetatable({side = side, page = page, corners = scene.corners(), steep = 2 * reach / most_texels}, Shadow)
end

--- Moves the light: the triangles as it sees them, and a map of which nothing is drawn.
function Shadow:move_light(from)
    local light = triangles.view(from, {0, 0, 0}, 1)
    self.lit = triangles.map(passes.lit, {right = light.right, up = light.up, ahead = light.ahead,
                                          scale = 1 / self.steep}, self.corners)
    self.tiles = nil
    self:clear()
    if self.triangle then self:place() end
end

-- Kernels have this map's numbers as constants, so it stays the same one: without its pages, as at first.
function Shadow:clear()
    if self.map then
        self.map:undo(self.empty)
    else
        local capacity = most_bytes // (4 * (self.page + 1) ^ 2 + table_share) | 0
        self.map = rill.quadtree("float", {size = most_texels, page = self.page, default = 100, capacity = capacity})
        self.empty = self.map:bake():snapshot()
    end
end

--- Moves the camera: the triangle of each pixel, where it is for the light, and the level that it needs.
function Shadow:move_camera(from, to, zoom)
    local seen = triangles.seen(triangles.view(from, to, zoom), self.side, self.corners)
    local tile = self.side / seen_tiles
    self.triangle, self.weight = triangles.draw(seen, triangles.bin(seen, seen_tiles, tile), tile, self.side)
    self:place()
end
function Shadow:place()
    self.at, self.slope = passes.place(self.triangle, self.weight, table.unpack(self.lit))
    self.level = passes.resolve(finer, self.at)
end

--- The light that reaches each pixel, by the map of pages or a plain one, whose elements are `texel` apart; by `lookup`, or another kernel, which
--- takes the pixels' levels; and into a stream, where one is given.
function Shadow:lookup(map, texel, kernel, light)
    return (kernel or passes.lookup) {map = map or self.map, texel = texel or 1, margin = margin, at = self.at,
                                      triangle = self.triangle, slope = self.slope, level = kernel and self.level,
                                      light = light}
end

--- What pixels ask for, where this light reaches them: points, and the levels there.
function Shadow:request(light)
    local want = passes.analyse(coarser, self.map, light, self.triangle, self.at, self.level)
    self:lap "analysis"
    return passes.pack(want, self.at)
end

--- Draws pages, a range, into the map: distances from the light.
function Shadow:draw(pages)
    local a, b, c = table.unpack(self.lit)
    passes.mark {r = self.map, over = pages}
    local where, which = passes.find(block, block_lists, self.map, a, b, c)
    local list = rill.lists("int", {shape = block_lists, keys = where, values = which})
    passes.draw {block = block, lists = block_lists, list = list, a = a, b = b, c = c, r = self.map, over = pages}
end

--- Makes the pages that the pixels ask for, until they ask for none; how many requests there were each time. Pages of earlier frames stay
--- until three quarters are taken.
function Shadow:refine()
    local asked = {}
    if self.map.pages.free < self.map.pages.capacity / 4 then self:clear() end
    repeat
        local light = self:lookup()
        self:lap "lookups"
        local points, levels = self:request(light)
        local count = points.size
        asked[#asked + 1] = count
        self:lap "compaction"
        if count > 0 then
            local _, pages = self.map:refine(points, levels)
            self:lap "pages"
            self:draw(pages)
            self:lap "drawing"
        end
    until count == 0
    return asked
end

--- Called behind each part of a frame; for those who want to know how long they take.
function Shadow.lap() end

-- All triangles by tiles.
function Shadow:tiled()
    local tile = most_texels / lit_tiles
    self.tiles = self.tiles or triangles.bin(self.lit, lit_tiles, tile)
    return {tile = tile, tiles = lit_tiles, list = self.tiles, a = self.lit[1], b = self.lit[2], c = self.lit[3]}
end

--- A plain map; how far apart its elements are.
function Shadow:plain(texels)
    local given = self:tiled()
    given.texel, given.r = most_texels / texels, rill.stream("float", {texels + 1, texels + 1})
    return passes.plain(given), given.texel
end

--- The light that reaches each pixel by rays.
function Shadow:cast()
    local given = self:tiled()
    given.margin, given.triangle, given.at = 1e-4, self.triangle, self.at
    return passes.cast_ray(given)
end

function Shadow:picture(light)
    return passes.paint(scene.ground, 1 / self.steep, light, self.triangle, self.slope)
end

--- The levels of the pages that pixels look into, as colours over a picture.
function Shadow:levels(picture)
    return passes.outline(self.map, self.triangle, self.at, picture)
end

--- The share of pixels on whose side of a shadow's border two ways to find it differ.
local function mismatch(a, b) return passes.differs(a, b):sum() / a.size end

if ... == "module" then return {create = create, mismatch = mismatch, passes = passes} end

local side, directory = ...
side, directory = assert(math.tointeger(tonumber(side or 512)), "side: expected a whole number"), directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local shadow, start = create(side, 16), rill.clock()
shadow:move_light {1.6, 1.5, 0.9}
shadow:move_camera({0.9, 0.75, 1.5}, {0, 0.2, 0}, 1.6)
local asked = shadow:refine()
print(("  %d triangles, %d requests in %d rounds: %.1f s"):format(shadow.corners[1].size, asked[1], #asked,
    rill.clock() - start))
print(("  %d pages of 16 x 16, %.1f MiB; dense it were %.0f GiB"):format(shadow.map.pages.mapped,
    shadow.map.nbytes / 2 ^ 20, most_texels ^ 2 / 2 ^ 28))
local light, plain, truth = shadow:lookup(), shadow:lookup(shadow:plain(2048)), shadow:cast()
print(("  other than rays: %.2f %% of the pixels, by a plain map of 2048 x 2048 %.2f %%"):format(
    100 * mismatch(light, truth), 100 * mismatch(plain, truth)))

local picture = rill.stream("vec3", {side, 3 * side})
local own = shadow:picture(light)
for i, one in ipairs {shadow:picture(plain), own, shadow:levels(own)} do
    picture:write(one, {1, (i - 1) * side + 1}, {side, i * side})
end
rill.image.save(picture, directory .. "/shadow.png")
print(("  %s/shadow.png: the plain map, the map of pages, and the levels of its pages"):format(directory))

local frames = side > 256 and 8 or 1
rill.sync()
start = rill.clock()
for step = 1, frames do
    shadow:move_camera({0.9 + 0.01 * step, 0.75, 1.5}, {0, 0.2, 0}, 1.6)
    shadow:refine()
    shadow:picture(shadow:lookup())
end
rill.sync()
print(("  the camera moves: %.1f frames a second"):format(frames / (rill.clock() - start)))
