-- Section 4.3: the sum of 2^20 float4, one value.
local rill = require "rill"
local peer = require "peer"
local contest = require "bench.support.contest"

local n <const> = 1 << 20

-- Each lane adds up a contiguous run, two elements at a time. The number of lanes is not a power of two, so that runs do not map to the same cache sets.
local fold <const> = [[
layout(local_size_x = 16) in;
layout(binding = 0) uniform samplerBuffer x;
layout(std430, binding = 0) writeonly buffer Partial { vec4 partial[]; };
const int COUNT = 1 << 20, RUN = 516;
void main() {
    int lane = int(gl_GlobalInvocationID.x), i = lane * RUN, end = min(i + RUN, COUNT);
    vec4 a = vec4(0.0), b = vec4(0.0);
    for (; i < end; i += 4) {
        a += texelFetch(x, i) + texelFetch(x, i + 1);
        b += texelFetch(x, i + 2) + texelFetch(x, i + 3);
    }
    partial[lane] = a + b;
}
]]
local finish <const> = [[
layout(local_size_x = 1) in;
layout(binding = 0) uniform samplerBuffer partial;
layout(std430, binding = 0) writeonly buffer Result { vec4 result[]; };
layout(location = 0) uniform int lanes;
void main() {
    vec4 sum = vec4(0.0);
    for (int i = 0; i < lanes; i++) sum += texelFetch(partial, i);
    result[0] = sum;
}
]]

return function()
    local x = rill.random(n, {type = "vec4", seed = 1})
    local sum = rill.kernel "reduce void sum(vec4 x<>, reduce vec4 r<>) { r += x; }"
    local r = rill.stream("vec4", 1)
    local lanes = (n + 515) // 516
    local groups = (lanes + 15) // 16
    local buffers = {x:bytes(), groups * 16 * 16, 16}
    local given = peer.host_work("sum4", {x:bytes(), n // 4096 * 16, 16}, {n})
    local rows, record = contest.run {
        title = "sum of 2^20 float4", work = 4 * n, runs = 5, tolerance = 1e-5,
        paper = "18 (ATI, DirectX)",
        run = function() sum(x, r) end, outputs = {r},
        gl = peer.gl_work {programs = {fold, finish}, buffers = buffers, passes = {
            {program = 1, groups = {groups, 1}, textures = {{1, 4}}, blocks = {2}},
            {program = 2, groups = {1, 1}, textures = {{2, 4}}, blocks = {3}, numbers = {lanes}},
        }}, gl_outputs = {3},
        host = given, host_outputs = {3},
    }
    return rows, {record}, {contest.transfer("sum of 2^20 float4", {x}, {r}, record.rill)}
end
