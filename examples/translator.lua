-- Address translators: four orders in which the elements of a square are stored in memory, two of them user-defined in a few lines of GLSL.
--
--     lua5.4 examples/translator.lua [size [directory]]        16 out
local rill = require "rill"
local translator = rill.translator

-- Morton order interleaves the bits of x and y, so that elements close in the plane are mostly close in memory.
local function morton(size)
    return translator.new {
        name = "morton", rank = 2, to = 1, shape = {size, size},
        glsl = [[
            int spread(int x) {
                x = (x | x << 8) & 0x00ff00ff;
                x = (x | x << 4) & 0x0f0f0f0f;
                x = (x | x << 2) & 0x33333333;
                return (x | x << 1) & 0x55555555;
            }
            int gather(int x) {
                x = x & 0x55555555;
                x = (x | x >> 1) & 0x33333333;
                x = (x | x >> 2) & 0x0f0f0f0f;
                x = (x | x >> 4) & 0x00ff00ff;
                return (x | x >> 8) & 0x0000ffff;
            }
            int translate(ivec2 va) { return spread(va.x) | spread(va.y) << 1; }
            ivec2 inverse(int pa) { return ivec2(gather(pa), gather(pa >> 1)); }
        ]],
        cpu = function(x, y)
            local at = 0
            for bit = 0, 15 do
                at = at | (x >> bit & 1) << 2 * bit | (y >> bit & 1) << 2 * bit + 1
            end
            return at
        end,
    }
end

-- Boustrophedon order: every other row is reversed.
local function plow(size)
    return translator.new {
        name = "plow", rank = 2, to = 2, shape = {size, size},
        glsl = ([[
            ivec2 translate(ivec2 va) { return ivec2((va.y & 1) == 0 ? va.x : %d - va.x, va.y); }
            ivec2 inverse(ivec2 pa) { return translate(pa); }
        ]]):format(size - 1),
        cpu = function(x, y) return y % 2 == 0 and x or size - 1 - x, y end,
    }
end

-- Pages of 1/8 of the side, stored in the order of diagonals.
local function paged(size)
    local page = size // 8
    local t = translator.pages {shape = {size, size}, page = {page, page}}
    local frame = 0
    for diagonal = 0, 14 do
        for x = math.max(0, diagonal - 7), math.min(7, diagonal) do
            t:map({x * page, (diagonal - x) * page}, nil, frame)
            frame = frame + 1
        end
    end
    return t
end

local draw = rill.program [[
    // Draws a path from each element to the next one in memory.
    float apart(vec2 p, vec2 from, vec2 to) {
        vec2 way = to - from;
        return distance(p, from + way * clamp(dot(p - from, way) / max(dot(way, way), 1e-6), 0.0, 1.0));
    }
    kernel void points(out ivec2 p<>) { p = indexof(p).xy; }
    kernel void path(int address[][], ivec2 at[], int zoom, out vec3 c<>) {
        int last = sizeof_stream(at).x - 1;
        vec2 p = (vec2(indexof(c).xy) + 0.5) / float(zoom);
        int here = address[ivec2(p)];
        float far = min(apart(p, vec2(at[here]) + 0.5, vec2(at[max(here - 1, 0)]) + 0.5),
                        apart(p, vec2(at[here]) + 0.5, vec2(at[min(here + 1, last)]) + 0.5));
        vec3 hue = 0.5 + 0.5 * cos(6.2831853 * (0.85 * float(here) / float(last) + vec3(0.6, 0.4, 0.15)));
        c = mix(0.35 * hue, 0.3 + 0.7 * hue, 1.0 - smoothstep(0.06, 0.14, far));
    }
]]

local size, directory = ...
size, directory = assert(math.tointeger(tonumber(size or 16)), "size: expected a whole number"), directory or "out"
os.execute(("mkdir -p '%s'"):format(directory))

local linear = translator.linear {shape = {size, size}}
local orders = {linear, translator.compose(linear, plow(size)), paged(size), morton(size)}
local names = {"linear", "plow, then linear", "pages along diagonals", "morton"}
local points, pictures, zoom = draw.points {shape = {size, size}}, {}, math.max(1, 256 // size)
print(("%-22s  ranges of a quarter"):format "order of memory")
for i, order in ipairs(orders) do
    local addresses = order:translate(points)
    assert(addresses[2][3] == order:translate {2, 1}, "the CPU and the device disagree")
    local ranges = order:ranges({size // 4, size // 4}, {size * 3 // 4 - 1, size * 3 // 4 - 1})
    print(("%-22s  %d"):format(names[i], #ranges))
    local at = order:inverse(rill.iota(size * size))
    pictures[i] = draw.path {address = addresses, at = at, zoom = zoom, shape = {size * zoom, size * zoom}}
end
local file = directory .. "/translator.png"
local rows = {rill.concat({pictures[1], pictures[2]}, 2), rill.concat({pictures[3], pictures[4]}, 2)}
rill.image.save(rill.concat(rows), file)
print(("  %s: the elements of a square in the order in which they are stored, blue first"):format(file))
