-- Paint in three dimensions: brushes drawn over a picture of a mesh colour an octree of 2048 x 2048 x 2048 texels, which exists where
-- there is paint, as fine as each brush (Lefohn et al., Glift, 2006, section 6.5).
--
--     lua5.4 examples/paint3d.lua [side [directory]]        512 out
--
-- The mesh needs no texture coordinates: a texel stands where the mesh is. It holds a colour and, in w, the level at which it was painted: 0
-- if never, 1 in a page that covers all, and one more each time that pages are half as large.
local rill = require "rill"
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or ""
local mesh, triangles = dofile(here .. "support/surfaces.lua"), dofile(here .. "support/triangles.lua")

local bare = {0.98, 0.97, 0.95} -- what no brush has touched
local most = 31 * 2 ^ 20        -- bytes of all pages; tables come to less than one MiB more
local tiles = 64                -- in each dimension of a picture
local light = {0.35, 0.8, -0.48}

local passes = rill.program [[
    const float touch = 4.0; // texels of a brush's radius, at least

    // Texture coordinates: where the mesh is that a pixel shows, in texels, and how far away (w); w is 0 where there is none.
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

    // How far a point of the picture is from lines, each from xy to zw; it is far away outside of `box`, from xy to zw.
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

    // The level whose texels are as fine as a brush asks for at that depth; `texels` is how many a pixel covers at depth one.
    float level_of(float depth, float radius, float texels) { return floor(log2(max(radius * depth * texels / touch, 1.0))); }

    // Pixels under a brush: places of texels around the mesh there, and the level for them.
    kernel void touched(vec4 at<>, vec4 lines[], vec4 box, float radius, float texels,
                        vout vec3 points<>, vout int levels<>) {
        if (at.w > 0.0 && away(vec2(indexof(at).xy) + 0.5, box, lines) < radius + 1.0) {
            float level = level_of(at.w, radius, texels);
            for (int i = 0; i < 8; i++) { // neighbours, too: samples take in eight texels
                push(points, at.xyz + exp2(level) * (vec3(i & 1, i >> 1 & 1, i >> 2) * 2.0 - 1.0));
                push(levels, int(level));
            }
        }
    }

    // Whether a texel is at the mesh that a pixel shows: near its plane there, by the spacing of texels.
    bool near(vec3 texel, float spacing, vec4 seen, vec3 normal) {
        vec3 d = texel - seen.xyz;
        return seen.w > 0.0 && abs(dot(d, normal)) < 2.0 * spacing && dot(d, d) < 36.0 * spacing * spacing;
    }

    // Each texel is projected to the picture, where the brush's profile says which share of it is covered. `cover` is the stroke's own
    // copy: the most that it covered of each texel so far. `paint` is what was there, mixed with as much of the pigment, so only what
    // is new is mixed in: a stroke that crosses itself does not darken.
    kernel void blend(inout vec4 paint<>, inout float cover<>, vec3 eye, vec3 right, vec3 up, vec3 ahead, float size,
                      float texels, vec4 at[][], vec3 normal[][], vec4 lines[], vec4 box, float radius, vec3 pigment,
                      float strength, float levels) {
        vec3 texel = vec3(indexof(paint).xyz), d = texel / size - eye;
        float depth = dot(d, ahead), side = float(sizeof_stream(at).x), spacing = float(spacingof(paint));
        vec2 p = side * (0.5 + 0.5 * vec2(dot(d, right), -dot(d, up)) / max(depth, 1e-6));
        float share = depth > 0.0 ? 1.0 - smoothstep(0.5, 1.0, away(p, box, lines) / radius) : 0.0;
        if (share > cover) {
            bool found = false; // at p, or aside of it: what is sampled at an outline takes in texels beyond
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
    // The painted mesh, from the level whose texels are as large as pixels.
    kernel void show(vec4 at<>, vec3 normal<>, vec4 paint[][][], float texels, vec3 light, out vec3 color<>) {
        vec4 own = sample(paint, at.xyz, log2(max(texels * at.w, 1.0)));
        color = at.w > 0.0 ? lit(own.xyz, normal, light) : vec3(0.97);
    }
    // The same in the colours of levels: fine ones bright.
    kernel void show_levels(vec4 at<>, vec3 normal<>, int level<>, float levels, vec3 light, out vec3 color<>) {
        float fine = 1.0 - float(level) / (levels - 1.0);
        vec3 own = clamp(vec3(2.2 * fine - 0.9, 1.1 - abs(2.4 * fine - 1.3), 1.0 - 1.4 * fine), 0.05, 1.0);
        color = at.w > 0.0 ? lit(own, normal, light) : vec3(0.97);
    }
]]

local Painting = {}
Painting.__index = Painting

--- A picture of side x side pixels, of a mesh (places and faces, as in support/surfaces.lua) with an octree of size^3 texels over it.
local function create(side, size, page, places, faces)
    local self = setmetatable({side = side, size = size, levels = math.log(size // page, 2) + 1 | 0}, Painting)
    local capacity = most // ((page + 1) ^ 3 * 16) | 0
    self.paint = rill.octree("vec4", {size = size, page = page, default = {bare[1], bare[2], bare[3], 0},
        capacity = capacity})
    self.paint:filter_mode "trilinear"
    local fitted = mesh.fit(places, 0.02)
    self.corners = mesh.corners(fitted, faces)
    self.normals = mesh.corners(mesh.normals(fitted, faces), faces)
    return self
end

--- Looks from a point in the mesh's cube 0 .. 1 towards its middle.
function Painting:look(from, zoom)
    local view, side = triangles.view(from, {0.5, 0.5, 0.5}, zoom), self.side
    self.view, self.texels = view, 2 * self.size / (side * zoom)
    local seen = triangles.seen(view, side, self.corners)
    local triangle, weight = triangles.draw(seen, triangles.bin(seen, tiles, side / tiles), side / tiles, side)
    local corners, normals = self.corners, self.normals
    self.at, self.normal = passes.place {
        triangle = triangle, weight = weight, size = self.size, eye = view.eye, ahead = view.ahead,
        a = corners[1], b = corners[2], c = corners[3], na = normals[1], nb = normals[2], nc = normals[3],
    }
    self.points = passes.point(self.at)
end

--- Puts a brush to the picture: its radius as a part of the side, a colour, and how much it covers where it covers most.
function Painting:press(radius, pigment, strength)
    self.radius = math.max(radius * self.side, 1) -- no brush is smaller than a pixel
    self.pigment, self.strength = pigment, strength
    self.cover = passes.uncovered(self.paint)
end

--- Makes pages as fine as levels say, with the colours that were there, interpolated; coarser ones when no finer are left.
function Painting:refine(points, levels)
    for coarser = 0, self.levels - 1 do
        local asked = levels + coarser
        if pcall(self.paint.refine, self.paint, points, asked) then
            self.cover:refine(points, asked)
            return
        end
    end
end

--- Draws it along paths of points {x, y}, parts of the side from the upper left corner.
function Painting:drag(paths)
    local lines, side, beyond = {}, self.side, self.radius + 1
    local box = {math.huge, math.huge, -math.huge, -math.huge}
    for _, path in ipairs(paths) do
        for i, to in ipairs(path) do
            local from, x, y = path[math.max(i - 1, 1)], to[1] * side, to[2] * side
            lines[#lines + 1] = {from[1] * side, from[2] * side, x, y}
            box = {math.min(box[1], x - beyond), math.min(box[2], y - beyond),
                   math.max(box[3], x + beyond), math.max(box[4], y + beyond)}
        end
    end
    lines = rill.from(lines, "vec4")
    local points, levels = passes.touched(self.at, lines, box, self.radius, self.texels)
    if points.size == 0 then return end
    self:refine(points, levels)
    local view = self.view
    passes.blend {paint = self.paint, cover = self.cover, over = self.paint:active(),
        eye = view.eye, right = view.right, up = view.up, ahead = view.ahead, size = self.size, texels = self.texels,
        at = self.at, normal = self.normal, lines = lines, box = box, radius = self.radius, pigment = self.pigment,
        strength = self.strength, levels = self.levels}
end

--- Takes it away.
function Painting:lift()
    self.cover:close()
    self.mipmap_due = true
end

--- Makes coarser levels of what is painted now: means in which texels weigh by the level at which they were painted, so that those which never
--- were do not count.
function Painting:mipmap()
    if self.mipmap_due then self.paint:mipmap "w" end
    self.mipmap_due = false
end

function Painting:stroke(radius, pigment, strength, ...)
    self:press(radius, pigment, strength)
    self:drag {...}
    self:lift()
end

function Painting:picture()
    self:mipmap()
    return passes.show(self.at, self.normal, self.paint, self.texels, light)
end

function Painting:picture_of_levels()
    return passes.show_levels(self.at, self.normal, self.paint:level(self.points), self.levels, light)
end

-- What is painted: from where, and strokes: a radius, a colour, how much it covers, and paths. Coordinates are parts of the picture's side.
local from_side <const>, from_front <const> = {{1.7, 0.85, -0.3}, 2.35}, {{0.9, 0.95, -0.8}, 2.1}
local brown <const>, dark <const>, rose <const> = {0.45, 0.24, 0.12}, {0.10, 0.08, 0.08}, {0.95, 0.55, 0.55}
local cream <const>, gold <const>, blue <const> = {1.0, 0.95, 0.8}, {0.95, 0.72, 0.2}, {0.1, 0.45, 0.75}
local loops <const> = {}
for i = 0, 48 do
    local t = 2 * math.pi * i / 16
    loops[i + 1] = {0.27 + 0.005 * i + 0.035 * math.sin(t), 0.475 - 0.03 * math.cos(t)}
end
local seen_from_side <const> = {
    {0.10, brown, 1, {{0.32, 0.60}, {0.50, 0.60}}},
    {0.03, dark, 1, {{0.45, 0.895}, {0.54, 0.895}}, {{0.22, 0.795}, {0.30, 0.795}}, {{0.605, 0.80}, {0.64, 0.80}}},
    {0.024, gold, 1, {{0.66, 0.09}, {0.665, 0.16}}},
    {0.022, rose, 0.8, {{0.57, 0.235}, {0.63, 0.235}}},
    {0.018, blue, 0.6, loops},
    {0.008, cream, 1, -- rill
        {{0.335, 0.59}, {0.335, 0.67}}, {{0.335, 0.62}, {0.35, 0.60}, {0.37, 0.595}},
        {{0.405, 0.595}, {0.405, 0.67}}, {{0.405, 0.56}},
        {{0.445, 0.54}, {0.445, 0.67}}, {{0.485, 0.54}, {0.485, 0.67}}},
}
local seen_from_front <const> = {
    {0.08, brown, 1, {{0.69, 0.30}, {0.66, 0.34}}},
    {0.06, rose, 0.85, {{0.50, 0.55}, {0.74, 0.535}}},
    {0.024, gold, 1, {{0.475, 0.14}, {0.50, 0.20}}, {{0.67, 0.14}, {0.65, 0.20}}},
    {0.026, dark, 1, {{0.50, 0.34}}, {{0.67, 0.34}}},
    {0.007, cream, 1, {{0.508, 0.33}}, {{0.678, 0.33}}},
    {0.002, dark, 1, {{0.478, 0.325}, {0.468, 0.315}}, {{0.69, 0.313}, {0.697, 0.303}}},
    {0.012, dark, 1, {{0.55, 0.50}}, {{0.68, 0.49}}},
    {0.01, dark, 1, {{0.50, 0.56}, {0.56, 0.585}, {0.63, 0.59}, {0.70, 0.575}, {0.74, 0.55}}},
}

if ... == "module" then return {create = create, passes = passes, mesh = mesh} end

local side, directory = ...
side, directory = assert(math.tointeger(tonumber(side or 512)), "side: expected a whole number"), directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))
local painting, start = create(side, 2048, 8, mesh.spot()), rill.clock()
painting:look(table.unpack(from_side))
for _, stroke in ipairs(seen_from_side) do painting:stroke(table.unpack(stroke)) end
painting:look(table.unpack(from_front))
for _, stroke in ipairs(seen_from_front) do painting:stroke(table.unpack(stroke)) end
print(("  %d strokes on %d triangles in %.1f s"):format(#seen_from_side + #seen_from_front, painting.corners[1].size,
    rill.clock() - start))
print(("  %d pages of 8 x 8 x 8 cells, %.1f MiB"):format(painting.paint.pages.mapped, painting.paint.nbytes / 2 ^ 20))
local picture = rill.stream("vec3", {side, 3 * side})
picture:write(painting:picture(), {1, side + 1}, {side, 2 * side})
painting:look(table.unpack(from_side))
picture:write(painting:picture(), {1, 1}, {side, side})
picture:write(painting:picture_of_levels(), {1, 2 * side + 1}, {side, 3 * side})
rill.image.save(picture, directory .. "/paint3d.png")
print(("  %s/paint3d.png: the paint from two sides, and the levels of its pages"):format(directory))
