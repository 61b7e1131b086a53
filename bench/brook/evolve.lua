-- Segment: seeded region growing by anisotropic diffusion (Perona and Malik 1990, as used by Sherbondy and others 2003) on 2048^2 cells. A step reads the
-- level and the intensity of a cell and its four neighbors, 10 floats, and writes 2. Intensities are relative to the seed's, so that a cell that differs
-- from the seed changes slowly: rate / (k + p p). The flow across an edge is k / (k + d d) of the difference of levels.
--     operations: 4 x (d, d d, k +, k /, level's difference, product) + 3 sums + p p, k +, rate /, product, u + = 32
local rill = require "rill"
local peer = require "peer"
local contest = require "bench.support.contest"

local side <const> = 2048
local k <const>, rate <const> = 0.02, 0.004

local evolve <const> = [[
    float flow(float k, float u, float p, float level, float image) {
        float d = image - p;
        return k / (k + d * d) * (level - u);
    }
    kernel void evolve(neighbor float u<>, neighbor float p<>, float k, float rate, out float level<>, out float image<>) {
        float c = u[0], q = p[0];
        level = c + rate / (k + q * q) * (flow(k, c, q, u[ivec2(-1, 0)], p[ivec2(-1, 0)]) +
            flow(k, c, q, u[ivec2(1, 0)], p[ivec2(1, 0)]) + flow(k, c, q, u[ivec2(0, -1)], p[ivec2(0, -1)]) +
            flow(k, c, q, u[ivec2(0, 1)], p[ivec2(0, 1)]));
        image = q;
    }
]]

-- Four cells of a row at once, as texels; the cells to the left and right of them are single words. Marching down and keeping rows takes twice as long.
local by_hand <const> = [[
layout(local_size_x = 8) in;
layout(location = 0) uniform float k;
layout(location = 1) uniform float rate;
layout(std430, binding = 0) writeonly buffer Level { vec4 level[]; };
layout(std430, binding = 1) writeonly buffer Image { vec4 image[]; };
layout(binding = 0) uniform samplerBuffer u;
layout(binding = 1) uniform samplerBuffer p;
layout(binding = 2) uniform samplerBuffer u_words;
layout(binding = 3) uniform samplerBuffer p_words;
const int SIDE = 2048, TEXELS = SIDE / 4;
vec4 flow(vec4 c, vec4 q, vec4 level, vec4 image) {
    vec4 d = image - q;
    return k / (k + d * d) * (level - c);
}
void main() {
    int j = int(gl_WorkGroupID.x), row = j * TEXELS, up = max(j - 1, 0) * TEXELS, down = min(j + 1, SIDE - 1) * TEXELS;
    for (int i = int(gl_LocalInvocationID.x); i < TEXELS; i += 8) {
        int at = row + i, left = at * 4 - (i > 0 ? 1 : 0), right = at * 4 + (i < TEXELS - 1 ? 4 : 3);
        vec4 c = texelFetch(u, at), q = texelFetch(p, at);
        float ul = texelFetch(u_words, left).x, pl = texelFetch(p_words, left).x;
        float ur = texelFetch(u_words, right).x, pr = texelFetch(p_words, right).x;
        vec4 sum = flow(c, q, vec4(ul, c.xyz), vec4(pl, q.xyz)) + flow(c, q, vec4(c.yzw, ur), vec4(q.yzw, pr)) +
            flow(c, q, texelFetch(u, up + i), texelFetch(p, up + i)) +
            flow(c, q, texelFetch(u, down + i), texelFetch(p, down + i));
        level[at] = c + rate / (k + q * q) * sum;
        image[at] = q;
    }
}
]]

return function()
    local kernel = rill.kernel(evolve)
    local picture <close> = rill.random({side // 32, side // 32}, {seed = 1, low = -0.5, high = 0.5})
    local shade = rill.kernel [=[
        kernel void shade(float coarse[][], out float p<>) { p = sample(coarse, vec2(indexof(p).xy) / 32.0); }
    ]=]
    local seed = rill.kernel [[
        kernel void seed(float p<>, out float u<>) { u = abs(p) < 0.01 ? 1.0 : 0.0; }
    ]]
    local shape = {side, side}
    local p = shade {coarse = picture, shape = shape}
    local u = seed(p)
    local level, image = rill.stream("float", shape), rill.stream("float", shape)
    local buffers = {u:bytes(), p:bytes(), level.nbytes, image.nbytes}
    local rows, record = contest.run {
        title = "Segment 2048^2", work = 32 * side * side, tolerance = 2e-6, paper = "4.7 (ATI, DirectX)",
        run = function() kernel(u, p, k, rate, level, image) end, outputs = {level, image},
        gl = peer.gl_work {programs = {by_hand}, buffers = buffers, passes = {{
            groups = {side, 1}, textures = {{1, 4}, {2, 4}, {1, 1}, {2, 1}}, blocks = {3, 4}, numbers = {k, rate},
        }}}, gl_outputs = {3, 4},
        host = peer.host_work("segment", buffers, {side, side, k, rate}), host_outputs = {3, 4},
    }
    return rows, {record}, {contest.transfer("Segment 2048^2", {u, p}, {level}, record.rill)}
end
