-- Lookups of examples/shadow.lua compared with GLSL programs written by hand for these maps, with the same number of taps and indirections: a plain map of
-- 2048^2; the map of pages by a table of two levels, of 256^2 entries and 32^2 below each; and the plain map after the two loads of that table, whose results
-- are not used, which is the cost that any lookup through such a table has. Everything is measured for the pixels of an image, and for one row of
-- pixels repeated, whose pages and tables stay in the caches. A shaded image is the work of a fragment program: it projects pixels into the
-- light's view, looks them up and shades them.
local rill = require "rill"
local peer = require "peer"
local support = require "bench.support"

local shadow = assert(loadfile(support.folder .. "/../examples/shadow.lua"))("module")

local side <const>, texels <const>, page <const>, rounds <const> = 512, 2048, 16, 15
local pixels <const>, trips <const>, lanes <const> = side * side, 32, 8

local program <const> = [[
layout(local_size_x = 8) in;
layout(std430, binding = 0) writeonly buffer R { vec4 r[]; };
layout(binding = 0) uniform usamplerBuffer given; // of each pixel its triangle, then the places, then the slopes
layout(binding = 1) uniform usamplerBuffer memory;
layout(binding = 2) uniform usamplerBuffer root;
layout(binding = 3) uniform usamplerBuffer nodes;
float stored(int i) { return uintBitsToFloat(texelFetch(memory, i).x); }
float closer(vec4 depths, vec2 f, float spacing, vec3 at, vec2 slope) {
    vec2 lean = slope * spacing;
    vec4 plane = vec4(0.0, lean.x, lean.y, lean.x + lean.y) + (at.z - 5e-5 * spacing - dot(f, lean));
    vec4 free = vec4(greaterThanEqual(depths, plane));
    return mix(mix(free.x, free.y, f.x), mix(free.z, free.w, f.x), f.y);
}
LOOK
void main() {
    int i = int(gl_WorkGroupID.x * gl_WorkGroupSize.x) * TRIPS + int(gl_LocalInvocationID.x);
    for (int k = 0; k < TRIPS; k++, i += 8) {
        ivec4 t = ivec4(texelFetch(given, i));
        vec4 a = uintBitsToFloat(texelFetch(given, STEPS + 3 * i)), b = uintBitsToFloat(texelFetch(given, STEPS + 3 * i + 1)),
             c = uintBitsToFloat(texelFetch(given, STEPS + 3 * i + 2)), u = uintBitsToFloat(texelFetch(given, 4 * STEPS + 2 * i)),
             v = uintBitsToFloat(texelFetch(given, 4 * STEPS + 2 * i + 1));
        r[i] = vec4(look(t.x, a.xyz, u.xy), look(t.y, vec3(a.w, b.xy), u.zw), look(t.z, vec3(b.zw, c.x), v.xy),
                    look(t.w, c.yzw, v.zw));
    }
}]]

local plainly <const> = [[
float look(int triangle, vec3 at, vec2 slope) {
    vec2 p = clamp(at.xy / 64.0, 0.0, 2047.99);
    ivec2 i = ivec2(p);
    int e = i.y * 2049 + i.x;
    float light = closer(vec4(stored(e), stored(e + 1), stored(e + 2049), stored(e + 2050)), fract(p), 64.0, at, slope);
    return triangle < 0 ? 1.0 : light;
}]]
local by_pages <const> = [[
float look(int triangle, vec3 at, vec2 slope) {
    vec2 p = clamp(at.xy, 0.0, 131071.99);
    ivec2 i = ivec2(p), g = i >> 4;
    int above = int(texelFetch(root, (g.y >> 5 << 8) + (g.x >> 5)).x);
    int below = int(texelFetch(nodes, max(-above, 0) + ((g.y & 31) << 5) + (g.x & 31)).x);
    int word = above < 0 ? below : above, level = word & 31;
    ivec2 q = i >> level, o = q & 15;
    int e = (word >> 5) * 289 + (o.y << 4) + o.y + o.x;
    float apart = uintBitsToFloat(uint(127 + level) << 23), over = uintBitsToFloat(uint(127 - level) << 23);
    float light = closer(vec4(stored(e), stored(e + 1), stored(e + 17), stored(e + 18)), p * over - vec2(q), apart, at, slope);
    return triangle < 0 ? 1.0 : light;
}]]
-- Computes the result of `plainly` after the two loads of the table, since no entry has the compared value.
local with_loads <const> = plainly:gsub("int e = i.y %* 2049 %+ i.x;", [[
    ivec2 g = ivec2(clamp(at.xy, 0.0, 131071.99)) >> 4;
    int above = int(texelFetch(root, (g.y >> 5 << 8) + (g.x >> 5)).x);
    int below = int(texelFetch(nodes, max(-above, 0) + ((g.y & 31) << 5) + (g.x & 31)).x);
    int e = below == 2147483647 ? 0 : i.y * 2049 + i.x;]])

-- Returns the pages that pixels use, each once, as level, x, y; and the two levels of the table, whose entries are index * 32 + level for pages, or the negative
-- offset of a node.
local function tables(map)
    local places = rill.kernel "kernel vec2 place(vec3 p<>) { return p.xy; }"(map.at)
    local at, levels, known, pages = map.at:values(), map.map:level(places):values(), {}, {}
    local root, nodes, count = {}, {}, 1
    for i = 1, 256 * 256 do root[i] = 0 end
    local function fill(list, first, stride, x, y, n, word)
        for row = y, y + n - 1 do
            for column = x, x + n - 1 do list[first + row * stride + column + 1] = word end
        end
    end
    fill(nodes, 0, 32, 0, 0, 32, 0)
    for i, level in ipairs(levels) do
        local x = math.max(at[3 * i - 2], 0) // (page << level) | 0
        local y = math.max(at[3 * i - 1], 0) // (page << level) | 0
        local key = level << 56 | y << 28 | x
        if not known[key] then
            known[key], pages[#pages + 1] = true, {level, x, y}
            local word, n = #pages - 1 << 5 | level, 1 << level
            if level >= 5 then
                fill(root, 0, 256, x * n >> 5, y * n >> 5, n >> 5, word)
            else
                local entry = (y * n >> 5) * 256 + (x * n >> 5) + 1
                if root[entry] >= 0 then
                    root[entry], count = -1024 * count, count + 1
                    fill(nodes, -root[entry], 32, 0, 0, 32, 0)
                end
                fill(nodes, -root[entry], 32, x * n & 31, y * n & 31, n, word)
            end
        end
    end
    return pages, rill.from(root, "int"):bytes(), rill.from(nodes, "int"):bytes()
end

local function depths(map, pages)
    local points = {}
    for _, at in ipairs(pages) do
        for y = 0, page do
            for x = 0, page do
                points[#points + 1] = {at[2] * page + x << at[1], at[3] * page + y << at[1]}
            end
        end
    end
    return rill.kernel "kernel void read(ivec2 p<>, float q[][], out float r<>) { r = q[p.y][p.x]; }"(
        rill.from(points, "ivec2"), map.map):bytes()
end

-- Returns the share of pixels whose light differs.
local function share(text, expected)
    local n = 0
    for i = 1, 4 * pixels, 4 do
        local off = string.unpack("<f", text, i) - string.unpack("<f", expected, i)
        n = n + (math.abs(off) > 0.01 and 1 or 0)
    end
    return n / pixels
end

-- Adds rows of lookups of all pixels. `hand` has the inputs of the hand-written programs: bytes of both maps and of the tables.
local function compare(rows, map, flat, texel, hand, where)
    local given = map.triangle:bytes() .. map.at:bytes() .. map.slope:bytes()
    local light = rill.stream("float", {side, side})
    local function by_hand(look, memory, expected)
        local text = program:gsub("LOOK", function() return look end):gsub("TRIPS", trips):gsub("STEPS", pixels // 4)
        local groups = pixels // 4 // lanes // trips
        local shader = peer.shader(text, groups, 4 * pixels, given, memory, hand.root, hand.nodes)
        peer.shader_run(shader)
        assert(share(peer.shader_read(shader), expected:bytes()) < 0.001, "the program by hand finds other shadows")
        return function() return peer.shader_run(shader, 3) end
    end
    local function by_rill(m, apart, baked)
        return function()
            map.map:bake(baked == true)
            map:lookup(m, apart, nil, light)
            return support.timed(function() map:lookup(m, apart, nil, light) end, 3)
        end
    end
    local plain <close> = map:lookup(flat, texel)
    local paged <close> = map:lookup()
    local t = support.least(rounds, by_hand(plainly, hand.flat, plain), by_hand(by_pages, hand.depths, paged),
        by_hand(with_loads, hand.flat, plain), by_rill(flat, texel), by_rill(map.map, 1), by_rill(map.map, 1, true))
    table.move({
        support.costs("plain map, " .. where, t[4], "GLSL by hand", t[1], 1.1),
        support.costs("pages, " .. where, t[5], "GLSL by hand, two levels", t[2], 1.1),
        support.costs("pages, baked, " .. where, t[6], "GLSL by hand, two levels", t[2], 1.1),
        support.faster("pages over plain, " .. where, t[5], "plain map", t[4], 0.7),
        support.faster("the same, baked", t[6], "plain map", t[4], 0.7),
        support.faster("the same by hand", t[2], "plain map by hand", t[1]),
        support.faster("the table's loads alone, by hand", t[3], "plain map by hand", t[1]),
    }, 1, 7, #rows + 1, rows)
end

-- One row of pixels, from the middle of the image, repeated.
local function repeat_row(map)
    local at <close> = (rill.iota(pixels) % side + pixels // 2):eval()
    for _, name in ipairs {"triangle", "at", "slope"} do
        local line <close> = map[name]:reshape(pixels)
        map[name] = rill.gather(line, at):reshape {side, side}
    end
end

return function()
    local map = shadow.create(side, page)
    map:move_light {1.6, 1.5, 0.9}
    map:move_camera({0.9, 0.75, 1.5}, {0, 0.2, 0}, 1.6)
    map:refine()
    local flat, texel = map:plain(texels)
    local pages, root, nodes = tables(map)
    local hand = {root = root, nodes = nodes, flat = flat:bytes(), depths = depths(map, pages)}
    local light, rows = rill.stream("float", {side, side}), {}
    local function shaded(one, apart)
        return function()
            return support.timed(function()
                map:place()
                map:picture(map:lookup(one, apart, nil, light))
            end, 3)
        end
    end
    compare(rows, map, flat, texel, hand, "picture")
    local t = support.least(rounds, shaded(flat, texel), shaded(map.map, 1))
    rows[#rows + 1] = support.faster("shaded pictures, pages over plain", t[2], "plain map", t[1], 0.7)
    repeat_row(map)
    compare(rows, map, flat, texel, hand, "one row")
    return rows
end
