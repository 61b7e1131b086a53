-- Ray: three kernels generate rays, find the nearest triangle that each ray hits, and shade. Only the second is measured, in ray-triangle tests per second. It
-- is the paper's krnIntersectTriangle (Möller and Trumbore 1997), over a list of triangles instead of a grid cell. 512^2 rays are each tested against all
-- triangles of a ball.
local rill = require "rill"
local peer = require "peer"
local contest = require "bench.support.contest"

local side <const>, rows_of_ball <const>, columns_of_ball <const> = 512, 6, 8
local count <const> = rows_of_ball * columns_of_ball * 2

local kernels <const> = [=[
    typedef struct { vec4 v0; vec4 e1; vec4 e2; } Triangle; // whole texels; e1 and e2 are v1 - v0 and v2 - v0
    kernel void setup(out vec3 o<>, out vec3 d<>) {
        vec2 p = (vec2(indexof(o).xy) + 0.5) / 256.0 - 1.0;
        o = vec3(0.0, 0.0, -4.0);
        d = normalize(vec3(p * 0.9, 3.0));
    }
    kernel void intersect(vec3 o<>, vec3 d<>, Triangle tris[], int count, out vec4 hit<>) {
        hit = vec4(1e30, 0.0, 0.0, -1.0);
        for (int i = 0; i < count; i++) {
            vec3 e1 = tris[i].e1.xyz, e2 = tris[i].e2.xyz;
            vec3 p = cross(d, e2), t = o - tris[i].v0.xyz, q = cross(t, e1);
            float inverse = 1.0 / dot(e1, p), u = dot(t, p) * inverse, v = dot(d, q) * inverse, far = dot(e2, q) * inverse;
            if (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && far > 0.0 && far < hit.x) hit = vec4(far, u, v, float(i));
        }
    }
    kernel void shade(vec4 hit<>, vec3 d<>, Triangle tris[], out float light<>) {
        int i = int(hit.w);
        light = i < 0 ? 0.0 : abs(dot(normalize(cross(tris[i].e1.xyz, tris[i].e2.xyz)), d));
    }
]=]

local by_hand <const> = [[
layout(local_size_x = 8) in;
layout(std430, binding = 0) writeonly buffer Hit { vec4 hit[]; };
layout(binding = 0) uniform samplerBuffer origins;
layout(binding = 1) uniform samplerBuffer directions;
layout(binding = 2) uniform samplerBuffer tris;
layout(location = 0) uniform int count;
vec3 fetch(samplerBuffer s, int i) {
    return vec3(texelFetch(s, 3 * i).x, texelFetch(s, 3 * i + 1).x, texelFetch(s, 3 * i + 2).x);
}
void main() {
    for (int k = 0; k < 64; k++) {
        int at = (int(gl_WorkGroupID.x) * 64 + k) * 8 + int(gl_LocalInvocationID.x);
        vec3 o = fetch(origins, at), d = fetch(directions, at);
        vec4 best = vec4(1e30, 0.0, 0.0, -1.0);
        for (int i = 0; i < count; i++) {
            vec3 v0 = texelFetch(tris, 3 * i).xyz, e1 = texelFetch(tris, 3 * i + 1).xyz, e2 = texelFetch(tris, 3 * i + 2).xyz;
            vec3 p = cross(d, e2), t = o - v0, q = cross(t, e1);
            float inverse = 1.0 / dot(e1, p), u = dot(t, p) * inverse, v = dot(d, q) * inverse, far = dot(e2, q) * inverse;
            bool hits = u >= 0.0 && v >= 0.0 && u + v <= 1.0 && far > 0.0 && far < best.x;
            best = hits ? vec4(far, u, v, float(i)) : best;
        }
        hit[at] = best;
    }
}
]]

local function point(row, column)
    local t, p = math.pi * row / rows_of_ball, 2 * math.pi * column / columns_of_ball
    return {math.sin(t) * math.cos(p), math.cos(t), math.sin(t) * math.sin(p), 0}
end

-- Returns a ball: each quad of rows and columns as two triangles.
local function ball()
    local list = {}
    local function add(a, b, c)
        local function less(p, q) return {p[1] - q[1], p[2] - q[2], p[3] - q[3], 0} end
        list[#list + 1] = {v0 = a, e1 = less(b, a), e2 = less(c, a)}
    end
    for row = 0, rows_of_ball - 1 do
        for column = 0, columns_of_ball - 1 do
            local a, b = point(row, column), point(row, column + 1)
            local c, d = point(row + 1, column), point(row + 1, column + 1)
            add(a, b, c)
            add(b, d, c)
        end
    end
    return list
end

-- A ray that grazes an edge may hit either triangle or none, depending on rounding: at most one in 1,000 rays.
local differ = rill.kernel [[
    kernel void differ(float a<>, float b<>, out int r<>) { r = abs(a - b) <= 1e-4 * max(1.0, abs(a)) ? 0 : 1; }
]]
local function compare(title, whose, number, ours, bytes)
    local theirs <close> = rill.stream("float", ours.size, bytes)
    local apart <close> = differ(ours, theirs)
    local n = apart:sum()
    if n > ours.size / 1000 then
        error(("%s: %d values of result %d differ in %s"):format(title, n, number, whose), 0)
    end
end

return function()
    local k = rill.program(kernels)
    local n, tris = side * side, rill.stream(k.Triangle, count, ball())
    local o, d = k.setup {shape = {side, side}}
    local hit, light = rill.stream("vec4", {side, side}), rill.stream("float", {side, side})
    local size = n * 4
    local buffers = {o:bytes(), d:bytes(), tris:bytes(), hit.nbytes}
    local function plane(s) return s:eval():bytes() end
    local host = peer.host_work("rays", {plane(o.x), plane(o.y), plane(o.z), plane(d.x), plane(d.y), plane(d.z),
        tris:bytes(), size, size, size, size}, {n, count})
    local rows, record = contest.run {
        title = ("Ray 512^2, %d triangles"):format(count), work = n * count, unit = "tests", rounds = 7,
        run = function() k.intersect(o, d, tris, count, hit) end, outputs = {hit}, compare = compare,
        gl = peer.gl_work {programs = {by_hand}, buffers = buffers, passes = {{
            groups = {n // 512, 1}, textures = {{1, 1}, {2, 1}, {3, 4}}, blocks = {4}, numbers = {count},
        }}}, gl_outputs = {4},
        host = host, host_outputs = {8, 9, 10, 11},
        in_host_order = function() return {hit.x:eval(), hit.y:eval(), hit.z:eval(), hit.w:eval()} end,
        others = {{"rill, all three kernels", function()
            k.setup(o, d)
            k.intersect(o, d, tris, count, hit)
            k.shade(hit, d, tris, light)
        end}},
    }
    return rows, {record}, {contest.transfer("Ray 512^2", {o, d, tris}, {hit}, record.rill)}
end
