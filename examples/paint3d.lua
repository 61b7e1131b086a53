-- Paint in three dimensions (Lefohn et al. 2006): brushes drawn over a picture colour an octree of 2048 x 2048 x 2048 texels, which exists
-- where there is paint, as fine as each brush.
--
--     lua5.4 examples/paint3d.lua [side [directory]]        384 out
local rill = require "rill"

local texels <const>, page <const> = 2048, 8
local touch <const> = 4 -- texels of a brush's radius

local passes = rill.program [[
const float FIELD = 0.42; // half of the picture's width, one in front of the eye

// A body of balls that flow into each other; no surface with coordinates of its own.
float body(vec3 p, vec4 balls[], int count) {
    float sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum = sum + exp(-14.0 * (distance(p, balls[i].xyz) - balls[i].w));
    }
    return -log(max(sum, 1e-30)) / 14.0;
}

// Places on the body that the eye sees, and how far they are: 0 where there are none.
kernel void see(vec3 eye, vec3 ahead, vec3 right, vec3 up, vec4 balls[], int count, out vec4 place<>, out vec3 normal<>) {
    vec2 p = (vec2(indexof(place).xy) + 0.5) / float(sizeof_stream(place).x) * 2.0 - 1.0;
    vec3 d = normalize(ahead + FIELD * (p.x * right - p.y * up));
    float t = 0.5, near = 1.0;
    for (int i = 0; i < 96; i++) {
        near = body(eye + t * d, balls, count);
        t = t + 0.8 * near;
    }
    vec3 at = eye + t * d;
    vec2 e = vec2(1e-3, 0.0);
    normal = normalize(vec3(body(at + e.xyy, balls, count) - body(at - e.xyy, balls, count),
        body(at + e.yxy, balls, count) - body(at - e.yxy, balls, count),
        body(at + e.yyx, balls, count) - body(at - e.yyx, balls, count)));
    place = abs(near) < 1e-3 ? vec4(at, t) : vec4(0.0);
}

// Pixels under dabs of a brush (x, y, radius, all in pixels): where they are in the octree, and the level that the brush asks for there.
kernel void touched(vec4 place<>, vec4 dabs[], int count, float texels, float touch, vout vec3 points<>, vout int levels<>) {
    vec2 p = vec2(indexof(place).xy) + 0.5;
    float radius = 0.0;
    for (int i = 0; i < count; i++) {
        radius = distance(p, dabs[i].xy) < dabs[i].z + 1.0 ? max(radius, dabs[i].z) : radius;
    }
    if (radius > 0.0 && place.w > 0.0) {
        float pixel = 2.0 * FIELD * place.w / float(sizeof_stream(place).x) * 0.5 * texels; // texels that a pixel covers
        push(points, (place.xyz + 1.0) * 0.5 * texels);
        push(levels, int(floor(log2(max(radius * pixel / touch, 1.0)))));
    }
}

// A node of the octree is projected to the picture: what the brush's profile says there, where the surface is near.
kernel void paint(inout vec4 color<>, float texels, vec3 eye, vec3 ahead, vec3 right, vec3 up, vec4 seen[][], float thick,
        vec4 dabs[], int count, vec3 pigment) {
    vec3 from = vec3(indexof(color).xyz) / texels * 2.0 - 1.0 - eye;
    float depth = dot(from, ahead), side = float(sizeof_stream(seen).x);
    vec2 p = (vec2(dot(from, right), -dot(from, up)) / max(depth, 1e-6) / FIELD * 0.5 + 0.5) * side;
    vec4 there = seen[ivec2(floor(p))];
    if (depth > 0.0 && there.w > 0.0 && abs(length(from) - there.w) < thick) {
        for (int i = 0; i < count; i++) {
            float w = 1.0 - smoothstep(0.6, 1.0, distance(p, dabs[i].xy) / max(dabs[i].z, 1.0));
            color = vec4(mix(color.xyz, pigment, w * dabs[i].w), max(color.w, w));
        }
    }
}

kernel void show(vec4 place<>, vec3 normal<>, vec4 paint[][][], float texels, out vec3 color<>) {
    vec4 p = sample(paint, (place.xyz + 1.0) * 0.5 * texels);
    vec3 own = mix(vec3(0.85), p.xyz, clamp(p.w, 0.0, 1.0));
    float light = 0.35 + 0.65 * max(dot(normal, normalize(vec3(0.5, 0.8, 0.4))), 0.0);
    color = place.w > 0.0 ? own * light : vec3(0.2, 0.22, 0.25);
}

kernel void show_levels(vec4 place<>, vec3 normal<>, int level<>, float most, out vec3 color<>) {
    float x = 1.0 - float(level) / most;
    vec3 own = mix(vec3(0.15, 0.2, 0.5), vec3(1.0, 0.8, 0.2), x * x);
    color = place.w > 0.0 ? own * (0.6 + 0.4 * max(normal.y, 0.0)) : vec3(0.2, 0.22, 0.25);
}

kernel void point(vec4 place<>, float texels, out vec3 at<>) { at = (place.xyz + 1.0) * 0.5 * texels; }
]]

local function normalized(v)
    local length = math.sqrt(v[1] ^ 2 + v[2] ^ 2 + v[3] ^ 2)
    return {v[1] / length, v[2] / length, v[3] / length}
end

local function cross(a, b)
    return {a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1]}
end

local Painting = {}
Painting.__index = Painting

--- create(side, size, depth): a picture of side x side pixels, an octree of size^3 texels that is split `depth` times.
local function create(side, size, depth)
    local self = setmetatable({side = side, size = size}, Painting)
    self.paint = rill.octree("vec4", {size = size, page = page, depth = depth or 0, default = {1, 1, 1, 0},
        capacity = 2700}) -- 32 MiB
    self.balls = rill.from({
        {0, 0, 0, 0.38}, {0.3, 0.12, 0.05, 0.3}, {0.58, 0.3, 0.05, 0.2}, {0.74, 0.24, 0.05, 0.12},
        {0.56, 0.5, 0.18, 0.05}, {0.56, 0.5, -0.08, 0.05}, {0.3, -0.4, 0.2, 0.1}, {0.3, -0.4, -0.15, 0.1},
        {-0.2, -0.42, 0.2, 0.1}, {-0.2, -0.42, -0.15, 0.1}, {-0.42, 0.1, 0, 0.1}, {-0.52, 0.25, 0, 0.06},
    }, "vec4")
    self:look(0.9)
    return self
end

--- The eye at an angle.
function Painting:look(angle)
    self.eye = {2.2 * math.cos(angle), 0.7, 2.2 * math.sin(angle)}
    self.ahead = normalized {-self.eye[1], -self.eye[2], -self.eye[3]}
    self.right = normalized(cross(self.ahead, {0, 1, 0}))
    self.up = cross(self.right, self.ahead)
    self.place, self.normal = passes.see {eye = self.eye, ahead = self.ahead, right = self.right, up = self.up,
        balls = self.balls, count = self.balls.size, shape = {self.side, self.side}}
end

--- A stroke: dabs {x, y, radius, how much it covers}, in pixels; no brush is smaller than a pixel.
function Painting:stroke(dabs, pigment)
    for _, dab in ipairs(dabs) do dab[3] = math.max(dab[3], 1) end
    local brush, count = rill.from(dabs, "vec4"), #dabs
    local points, levels = passes.touched(self.place, brush, count, self.size, touch)
    if points.size == 0 then return end
    self.paint:refine(points, levels)
    passes.paint {color = self.paint, texels = self.size, eye = self.eye, ahead = self.ahead, right = self.right,
        up = self.up, seen = self.place, thick = 2 ^ levels:max() * 8 / self.size, dabs = brush, count = count,
        pigment = pigment}
end

--- Dabs along a line between two points of the picture, given as parts of its side.
function Painting:line(x0, y0, x1, y1, radius, pigment)
    local dabs, s = {}, self.side
    local n = math.max(2, math.ceil(math.sqrt((x1 - x0) ^ 2 + (y1 - y0) ^ 2) / radius * 2))
    for i = 0, n do
        local t = i / n
        dabs[i + 1] = {(x0 + t * (x1 - x0)) * s, (y0 + t * (y1 - y0)) * s, radius * s, 0.7}
    end
    self:stroke(dabs, pigment)
end

function Painting:picture()
    return passes.show(self.place, self.normal, self.paint, self.size)
end

function Painting:picture_of_levels()
    local level = self.paint:level(passes.point(self.place, self.size))
    return passes.show_levels(self.place, self.normal, level, math.log(self.size / page, 2))
end

if ... == "module" then return {create = create, passes = passes} end

local side, directory = ...
side, directory = tonumber(side or 384), directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))
local painting, start = create(side, texels), rill.clock()
painting:line(0.1, 0.45, 0.85, 0.55, 0.14, {0.3, 0.5, 0.85}) -- a broad brush
for i = 0, 4 do
    local x = 0.2 + 0.13 * i
    painting:line(x, 0.3, x + 0.05, 0.7, 0.02, {0.95, 0.75 - 0.12 * i, 0.2})
end
for i = 0, 9 do -- and a fine one
    local x = 0.22 + 0.055 * i
    painting:line(x, 0.46 + 0.04 * (i % 2), x + 0.055, 0.5 - 0.04 * (i % 2), 0.006, {0.1, 0.1, 0.12})
end
print(("  16 strokes in %.1f s: %d pages, %.1f MiB"):format(rill.clock() - start, painting.paint.pages.mapped,
    painting.paint.nbytes / 2 ^ 20))
local picture = rill.stream("vec3", {side, 2 * side})
picture:write(painting:picture(), {1, 1}, {side, side})
picture:write(painting:picture_of_levels(), {1, side + 1}, {side, 2 * side})
rill.image.save(picture, directory .. "/paint3d.png")
print(("  %s/paint3d.png: the paint, and the levels of its pages"):format(directory))
painting:look(1.4)
rill.image.save(painting:picture(), directory .. "/paint3d-side.png")
