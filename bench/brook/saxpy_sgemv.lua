-- SAXPY, r = a x + y over 1024^2 floats, and SGEMV, y = alpha A x + beta y with 1024^2 floats: 2 operations per element of x or A.
local rill = require "rill"
local peer = require "peer"
local contest = require "bench.support.contest"

local n <const>, side <const> = 1 << 20, 1024
local a <const>, alpha <const>, beta <const> = 2.5, 0.75, 0.5

local saxpy <const> = [[
layout(local_size_x = 8) in;
layout(location = 0) uniform float a;
layout(std430, binding = 0) writeonly buffer R { vec4 r[]; };
layout(binding = 0) uniform samplerBuffer x;
layout(binding = 1) uniform samplerBuffer y;
const int TRIPS = 256;
void main() {
    int i = int(gl_WorkGroupID.x * 8) * TRIPS + int(gl_LocalInvocationID.x);
    for (int k = 0; k < TRIPS; k++, i += 8) r[i] = a * texelFetch(x, i) + texelFetch(y, i);
}
]]

-- Adjacent lanes read adjacent texels of four rows; a second program combines their partial sums.
local products <const> = [[
layout(local_size_x = 8) in;
layout(std430, binding = 0) writeonly buffer Partial { vec4 partial[]; };
layout(binding = 0) uniform samplerBuffer m;
layout(binding = 1) uniform samplerBuffer x;
const int TEXELS = 256;
void main() {
    int lane = int(gl_LocalInvocationID.x), group = int(gl_WorkGroupID.x);
    int a = group * 4 * TEXELS, b = a + TEXELS, c = b + TEXELS, d = c + TEXELS;
    vec4 sum = vec4(0.0), more = vec4(0.0);
    for (int k = lane; k < TEXELS; k += 16) {
        vec4 u = texelFetch(x, k), v = texelFetch(x, k + 8);
        sum += vec4(dot(texelFetch(m, a + k), u), dot(texelFetch(m, b + k), u),
                    dot(texelFetch(m, c + k), u), dot(texelFetch(m, d + k), u));
        more += vec4(dot(texelFetch(m, a + k + 8), v), dot(texelFetch(m, b + k + 8), v),
                     dot(texelFetch(m, c + k + 8), v), dot(texelFetch(m, d + k + 8), v));
    }
    partial[group * 8 + lane] = sum + more;
}
]]
local finish <const> = [[
layout(local_size_x = 8) in;
layout(location = 0) uniform float alpha;
layout(location = 1) uniform float beta;
layout(std430, binding = 0) writeonly buffer R { vec4 r[]; };
layout(binding = 0) uniform samplerBuffer partial;
layout(binding = 1) uniform samplerBuffer y;
void main() {
    int i = int(gl_GlobalInvocationID.x);
    vec4 sum = vec4(0.0);
    for (int k = 0; k < 8; k++) sum += texelFetch(partial, i * 8 + k);
    r[i] = alpha * sum + beta * texelFetch(y, i);
}
]]

return function()
    local x, y = rill.random(n, {seed = 1}), rill.random(n, {seed = 2})
    local r = rill.stream("float", n)
    local kernel = rill.kernel "kernel void saxpy(float a, float x<>, float y<>, out float r<>) { r = a * x + y; }"
    local vectors = {x:bytes(), y:bytes(), r.nbytes}
    local rows, first = contest.run {
        title = "SAXPY 1024^2", work = 2 * n, runs = 10, paper = "7 (ATI, DirectX)",
        run = function() kernel(a, x, y, r) end, outputs = {r},
        gl = peer.gl_work {programs = {saxpy}, buffers = vectors, passes = {{
            groups = {n // 4 // 8 // 256, 1}, textures = {{1, 4}, {2, 4}}, blocks = {3}, numbers = {a},
        }}}, gl_outputs = {3},
        host = peer.host_work("saxpy", vectors, {n, a}), host_outputs = {3},
    }
    local m, v = rill.random({side, side}, {seed = 3}), rill.random(side, {seed = 4})
    local w, out = rill.random(side, {seed = 5}), rill.stream("float", side)
    local matrix = {m:bytes(), v:bytes(), w:bytes(), out.nbytes, side * 8 * 4}
    -- As in the paper: a kernel of products, then sums of rows.
    local brook = rill.program [[
        kernel void mul(float a<>, float x<>, out float t<>) { t = a * x; }
        kernel void put(float alpha, float s<>, float beta, float y<>, out float r<>) { r = alpha * s + beta * y; }
    ]]
    local t = rill.stream("float", {side, side})
    local function in_two()
        brook.mul(m, v, t)
        local sums <close> = t:sum(2)
        return brook.put(alpha, sums, beta, w)
    end
    local more, second = contest.run {
        title = "SGEMV 1024^2", work = 2 * n, runs = 20, tolerance = 2e-6, paper = "",
        reset = function() out:write(w) end,
        run = function() rill.blas.gemv(alpha, m, v, beta, out) end, outputs = {out},
        gl = peer.gl_work {programs = {products, finish}, buffers = matrix, passes = {
            {program = 1, groups = {side // 4, 1}, textures = {{1, 4}, {2, 4}}, blocks = {5}},
            {program = 2, groups = {side // 4 // 8, 1}, textures = {{5, 4}, {3, 4}}, blocks = {4},
                numbers = {alpha, beta}},
        }}, gl_outputs = {4},
        host = peer.host_work("sgemv", matrix, {side, side, alpha, beta}), host_outputs = {4},
        others = {{"rill: the paper's mul, then sum", in_two}},
    }
    table.move(more, 1, #more, #rows + 1, rows)
    return rows, {first, second}, {
        contest.transfer("SAXPY 1024^2", {x, y}, {r}, first.rill),
        contest.transfer("SGEMV 1024^2", {m, v, w}, {out}, second.rill),
    }
end
