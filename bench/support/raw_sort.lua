-- A radix sort and a merge of floats from 0 to 1 in raw OpenGL, without anything that such a program does not need: no
-- views, other types, negative numbers or NaN. They bound the time of rill.mpi's sort. The sort has four passes of 8
-- bits; the merge is that of Odeh, Green, Mwassi, Shmueli and Birk ("Merge path", 2012).
local peer = require "peer"
local rill = require "rill"

local raw = {}

local COUNT <const> = [[
layout(local_size_x = 8) in;
layout(location = 0) uniform int shift;
layout(location = 1) uniform int texels; // of a run
layout(binding = 0) uniform samplerBuffer keys;
layout(std430, binding = 0) writeonly buffer Counts { uvec4 counts[]; };
uint histogram[256];
void main() {
    int run = int(gl_GlobalInvocationID.x);
    for (int i = 0; i < 256; i++) histogram[i] = 0u;
    for (int i = run * texels; i < (run + 1) * texels; i++) {
        uvec4 d = floatBitsToUint(texelFetch(keys, i)) >> shift & 255u;
        histogram[d.x]++; histogram[d.y]++; histogram[d.z]++; histogram[d.w]++;
    }
    for (int k = 0; k < 64; k++)
        counts[run * 64 + k] = uvec4(histogram[4 * k], histogram[4 * k + 1], histogram[4 * k + 2], histogram[4 * k + 3]);
}
]]
local TOTAL <const> = [[
layout(local_size_x = 8) in;
layout(location = 0) uniform int runs;
layout(std430, binding = 0) readonly buffer Counts { uint counts[]; };
layout(std430, binding = 1) writeonly buffer Totals { uint totals[]; };
void main() {
    uint digit = gl_GlobalInvocationID.x, sum = 0u;
    for (int k = 0; k < runs; k++) sum += counts[k * 256 + digit];
    totals[digit] = sum;
}
]]
local OFFSET <const> = [[
layout(local_size_x = 8) in;
layout(location = 0) uniform int runs;
layout(std430, binding = 0) readonly buffer Counts { uint counts[]; };
layout(std430, binding = 1) readonly buffer Totals { uint totals[]; };
layout(std430, binding = 2) writeonly buffer Offsets { uint offsets[]; };
void main() {
    uint digit = gl_GlobalInvocationID.x, at = 0u;
    for (uint k = 0u; k < digit; k++) at += totals[k];
    for (int k = 0; k < runs; k++) {
        offsets[k * 256 + digit] = at;
        at += counts[k * 256 + digit];
    }
}
]]
local SCATTER <const> = [[
layout(local_size_x = 8) in;
layout(location = 0) uniform int shift;
layout(location = 1) uniform int texels;
layout(binding = 0) uniform samplerBuffer keys;
layout(binding = 1) uniform samplerBuffer offsets;
layout(std430, binding = 0) writeonly buffer Out { uint result[]; };
uint place[256];
void put(uint key) {
    uint digit = key >> shift & 255u, at = place[digit];
    place[digit] = at + 1u;
    result[at] = key;
}
void main() {
    int run = int(gl_GlobalInvocationID.x);
    for (int k = 0; k < 64; k++) {
        uvec4 t = floatBitsToUint(texelFetch(offsets, run * 64 + k));
        place[4 * k] = t.x; place[4 * k + 1] = t.y; place[4 * k + 2] = t.z; place[4 * k + 3] = t.w;
    }
    for (int i = run * texels; i < (run + 1) * texels; i++) {
        uvec4 t = floatBitsToUint(texelFetch(keys, i));
        put(t.x); put(t.y); put(t.z); put(t.w);
    }
}
]]
local MERGE <const> = [[
layout(local_size_x = 8) in;
layout(location = 0) uniform int count; // of each row
layout(location = 1) uniform int length; // of a part of the result
layout(binding = 0) uniform samplerBuffer a;
layout(binding = 1) uniform samplerBuffer b;
layout(std430, binding = 0) writeonly buffer Out { float result[]; };
float of_a(int i) { i = min(i, count - 1); return texelFetch(a, i >> 2)[i & 3]; }
float of_b(int i) { i = min(i, count - 1); return texelFetch(b, i >> 2)[i & 3]; }
void main() {
    int at = int(gl_GlobalInvocationID.x) * length, last = at + length;
    int low = max(0, at - count), high = min(at, count);
    while (low < high) {
        int middle = (low + high) >> 1;
        if (of_b(at - 1 - middle) < of_a(middle)) high = middle; else low = middle + 1;
    }
    int i = low, j = at - low;
    float next_a = of_a(i), next_b = of_b(j);
    for (; at < last; at++) {
        bool from_b = i >= count || (j < count && next_b < next_a);
        result[at] = from_b ? next_b : next_a;
        if (from_b) next_b = of_b(++j); else next_a = of_a(++i);
    }
}
]]

-- Returns the least seconds of several runs of some passes.
local function least(work, rounds)
    local result = math.huge
    for _ = 0, rounds do result = math.min(result, peer.gl_run(work, 1)) end
    return result
end

--- raw.sort(n, rounds): returns the least seconds of a sort of n random floats, n a power of two from 2^15.
function raw.sort(n, rounds)
    local best = math.huge
    for _, runs in ipairs {32, 64, 128} do
        local passes, texels = {}, n // 4 // runs
        for pass = 0, 3 do
            local from, to = pass % 2 == 0 and 1 or 2, pass % 2 == 0 and 2 or 1
            local shift = 8 * pass
            passes[#passes + 1] = {program = 1, groups = {runs // 8, 1}, textures = {{from, 4}}, blocks = {3},
                numbers = {shift, texels}}
            passes[#passes + 1] = {program = 2, groups = {32, 1}, blocks = {3, 4}, numbers = {runs}}
            passes[#passes + 1] = {program = 3, groups = {32, 1}, blocks = {3, 4, 5}, numbers = {runs}}
            passes[#passes + 1] = {program = 4, groups = {runs // 8, 1}, textures = {{from, 4}, {5, 4}}, blocks = {to},
                numbers = {shift, texels}}
        end
        local values = rill.random(n, {seed = 3})
        local work = peer.gl_work {programs = {COUNT, TOTAL, OFFSET, SCATTER}, passes = passes,
            buffers = {values:bytes(), 4 * n, 1024 * runs, 1024, 1024 * runs}}
        peer.gl_run(work, 1)
        assert(peer.gl_read(work, 1) == values:sort():bytes(), "the sort in raw OpenGL is incorrect")
        best = math.min(best, least(work, rounds))
        peer.gl_close(work)
    end
    return best
end

--- raw.merge(n, rounds): returns the least seconds of a merge of two sorted rows of n / 2 floats each.
function raw.merge(n, rounds)
    local best, a, b = math.huge, rill.random(n // 2, {seed = 4}):sort(), rill.random(n // 2, {seed = 5}):sort()
    for _, length in ipairs {256, 512, 1024} do
        local work = peer.gl_work {programs = {MERGE}, buffers = {a:bytes(), b:bytes(), 4 * n}, passes = {{program = 1,
            groups = {n // length // 8, 1}, textures = {{1, 4}, {2, 4}}, blocks = {3}, numbers = {n // 2, length}}}}
        peer.gl_run(work, 1)
        assert(peer.gl_read(work, 3) == rill.merge(a, b):bytes(), "the merge in raw OpenGL is incorrect")
        best = math.min(best, least(work, rounds))
        peer.gl_close(work)
    end
    return best
end

return raw
