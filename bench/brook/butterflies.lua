-- The 2-D Fourier transform of a complex signal of 4 channels and 1024^2 elements, as in the paper: one kernel that moves elements to their bit-reversed
-- positions, then ten passes along rows and ten along columns; 5 w h channels log2(w h) operations. A channel is a component of a float4; real and
-- imaginary parts are separate streams. The C version is FFTW, in its preferred layout: one channel after the other.
local rill = require "rill"
local peer = require "peer"
local contest = require "bench.support.contest"

local n <const>, bits <const>, channels <const> = 1024, 10, 4

-- Rows and columns are views, {blocks, 2, half} of each line, whose first halves are combined with the second halves.
local kernels <const> = [=[
    int reversed(int i) { return int(bitfieldReverse(uint(i)) >> 22); }
    kernel void reverse(vec4 re[][], vec4 im[][], out vec4 r<>, out vec4 i<>) {
        ivec2 p = indexof(r).xy;
        r = re[reversed(p.y)][reversed(p.x)];
        i = im[reversed(p.y)][reversed(p.x)];
    }
    kernel void butterfly(inout vec4 ar<>, inout vec4 ai<>, inout vec4 br<>, inout vec4 bi<>, vec2 w<>) {
        vec4 r = w.x * br - w.y * bi, i = w.x * bi + w.y * br;
        br = ar - r;
        bi = ai - i;
        ar += r;
        ai += i;
    }
    kernel void planes(vec4 re[][], vec4 im[][], out vec2 r<>) {
        ivec3 p = indexof(r).xyz;
        r = vec2(re[p.y][p.x][p.z], im[p.y][p.x][p.z]);
    }
]=]

local reversal <const> = [[
layout(local_size_x = 8) in;
layout(std430, binding = 0) writeonly buffer R { vec4 r[]; };
layout(std430, binding = 1) writeonly buffer I { vec4 i[]; };
layout(binding = 0) uniform samplerBuffer re;
layout(binding = 1) uniform samplerBuffer im;
int reversed(int i) { return int(bitfieldReverse(uint(i)) >> 22); }
void main() {
    int y = int(gl_WorkGroupID.x), from = reversed(y) * 1024;
    for (int x = int(gl_LocalInvocationID.x); x < 1024; x += 8) {
        r[y * 1024 + x] = texelFetch(re, from + reversed(x));
        i[y * 1024 + x] = texelFetch(im, from + reversed(x));
    }
}
]]

-- A group processes the 512 butterflies of a line, eight at a time (of pairs of rows, in passes along columns).
local pass <const> = [[
layout(local_size_x = 8) in;
layout(std430, binding = 0) writeonly buffer R { vec4 r[]; };
layout(std430, binding = 1) writeonly buffer I { vec4 i[]; };
layout(binding = 0) uniform samplerBuffer re;
layout(binding = 1) uniform samplerBuffer im;
layout(binding = 2) uniform samplerBuffer roots; // of all passes: those of pass `half` begin at element half
layout(location = 0) uniform int bit;
void put(int a, int b, vec2 w) {
    vec4 ar = texelFetch(re, a), ai = texelFetch(im, a), br = texelFetch(re, b), bi = texelFetch(im, b);
    vec4 x = w.x * br - w.y * bi, y = w.x * bi + w.y * br;
    r[a] = ar + x; i[a] = ai + y; r[b] = ar - x; i[b] = ai - y;
}
void main() {
    int h = 1 << bit, g = int(gl_WorkGroupID.x), lane = int(gl_LocalInvocationID.x);
    if (ROWS) {
        for (int k = lane; k < 512; k += 8) {
            int low = k & (h - 1), a = g * 1024 + (k - low) * 2 + low;
            put(a, a + h, texelFetch(roots, h + low).xy);
        }
    } else {
        int low = g & (h - 1), a = ((g - low) * 2 + low) * 1024 + lane;
        vec2 w = texelFetch(roots, h + low).xy;
        for (int k = 0; k < 128; k++, a += 8) put(a, a + h * 1024, w);
    }
}
]]

-- The roots of all passes with half = 1, 2, 4 ... one after the other, from element 1 on.
local function roots_list()
    local list = {0, 0}
    for half = 1, n // 2 do
        if half & half - 1 == 0 then
            for k = 0, half - 1 do
                list[#list + 1], list[#list + 2] = math.cos(math.pi * k / half), -math.sin(math.pi * k / half)
            end
        end
    end
    return list
end

local function hand_work(re, im, roots)
    local size, passes = re.nbytes, {{program = 1, groups = {n, 1}, textures = {{1, 4}, {2, 4}}, blocks = {3, 4}}}
    local from, to = {3, 4}, {5, 6}
    for line = 0, 1 do
        for bit = 0, bits - 1 do
            passes[#passes + 1] = {program = 2 + line, groups = {line == 0 and n or n // 2, 1},
                textures = {{from[1], 4}, {from[2], 4}, {7, 2}}, blocks = to, numbers = {bit}}
            from, to = to, from
        end
    end
    return peer.gl_work {
        programs = {reversal, (pass:gsub("ROWS", "true")), (pass:gsub("ROWS", "false"))}, passes = passes,
        buffers = {re:bytes(), im:bytes(), size, size, size, size, roots:bytes()},
    }, from
end

-- Returns the two halves of each block along an axis.
local function halves(s, shape, axis)
    local first, last, middle = {1, 1, 1, 1}, table.move(shape, 1, 4, 1, {}), {1, 1, 1, 1}
    last[axis], middle[axis] = 1, 2
    local blocks = s:reshape(shape)
    return blocks:domain(first, last), blocks:domain(middle, shape)
end

-- Returns the arguments of each pass: along rows, then along columns.
local function views_of(r, i, roots)
    local list = {}
    for axis = 3, 2, -1 do
        for bit = 0, bits - 1 do
            local h, lines = 1 << bit, n // (2 << bit)
            local shape = axis == 3 and {n, lines, 2, h} or {lines, 2, h, n}
            local w = roots:domain(h + 1, 2 * h):reshape(axis == 3 and {1, 1, 1, h} or {1, 1, h, 1})
            local ar, br = halves(r, shape, axis)
            local ai, bi = halves(i, shape, axis)
            list[#list + 1] = {ar, ai, br, bi, w}
        end
    end
    return list
end

return function()
    local k = rill.program(kernels)
    local re, im = rill.random({n, n}, {type = "vec4", seed = 1}), rill.random({n, n}, {type = "vec4", seed = 2})
    local r, i = re:like(), im:like()
    local roots = rill.stream("vec2", n, roots_list())
    local passes = views_of(r, i, roots)
    local function run()
        k.reverse(re, im, r, i)
        for _, views in ipairs(passes) do k.butterfly(table.unpack(views)) end
    end
    local function in_planes(x, y) return k.planes {re = x, im = y, shape = {channels, n, n}} end
    local signal = in_planes(re, im)
    local gl, results = hand_work(re, im, roots)
    local host, missing = peer.host_work("fft", {signal:bytes(), signal.nbytes}, {channels, n, n})
    local rows, record = contest.run {
        title = "FFT 1024^2, 4 channels, 21 passes", work = 5 * n * n * channels * 2 * bits, rounds = 7,
        paper = "0.99 (ATI, DirectX)", run = run, outputs = {r, i}, gl = gl, gl_outputs = results,
        in_host_order = function() return {in_planes(r, i)} end, host = host, missing = missing, host_outputs = {2},
        host_name = "FFTW", others = {{"rill.fft", function() rill.fft(signal, {axes = {2, 3}}):close() end}},
    }
    return rows, {record}, {contest.transfer("FFT 1024^2, 4 channels", {re, im}, {r, i}, record.rill)}
end
