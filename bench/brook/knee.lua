-- Figure 4: the cost of a call over the length of its streams, for a kernel of 43 multiply-adds. Short streams cost as much as a
-- launch, long streams cost as much as their elements. The knee is the length at which both are equal.
local rill = require "rill"
local peer = require "peer"
local support = require "bench.support"
local contest = require "bench.support.contest"

local mads <const>, a <const>, b <const> = 43, 0.99, 0.01
local most_calls <const>, most_elements <const> = 1000, 1 << 26

local body <const> = ("x = x * a + b; "):rep(mads)
local text <const> = "kernel void mads(float given<>, float a, float b, out float r<>) { float x = given; " ..
    body .. "r = x; }"

local by_hand <const> = [[
layout(local_size_x = 8) in;
layout(std430, binding = 0) writeonly buffer R { vec4 r[]; };
layout(binding = 0) uniform samplerBuffer given;
layout(location = 0) uniform float a;
layout(location = 1) uniform float b;
layout(location = 2) uniform int trips;
void main() {
    int i = int(gl_WorkGroupID.x) * 8 * trips + int(gl_LocalInvocationID.x);
    for (int k = 0; k < trips; k++, i += 8) { vec4 x = texelFetch(given, i); BODY r[i] = x; }
}
]]

-- The cost of a call alone, from the shortest stream, and of an element, from the longest.
local function knee_of(lengths, seconds)
    local last = #lengths
    local each = (seconds[last] - seconds[1]) / (lengths[last] - lengths[1])
    return (seconds[1] - each * lengths[1]) / each
end

return function()
    local kernel = rill.kernel(text)
    local glsl = by_hand:gsub("BODY", body)
    local lengths, times = {}, {{}, {}, {}}
    for bits = 6, 20 do
        local n = 1 << bits
        local x, r = rill.random(n, {seed = 1}), rill.stream("float", n)
        local trips = math.min(n // 32, 64)
        local gl = peer.gl_work {programs = {glsl}, buffers = {x:bytes(), r.nbytes}, passes = {{
            groups = {n // 32 // trips, 1}, textures = {{1, 4}}, blocks = {2}, numbers = {a, b, trips},
        }}}
        local host = peer.host_work("mads", {x:bytes(), r.nbytes}, {n, a, b})
        local case = {
            title = ("%d multiply-adds, %d elements"):format(mads, n), work = 2 * mads * n,
            rounds = 3, tolerance = 2e-6,
            runs = math.min(most_calls, most_elements // n), run = function() kernel(x, a, b, r) end, outputs = {r},
            gl = gl, gl_outputs = {2}, host = host, host_outputs = {2},
        }
        local _, record = contest.run(case)
        peer.gl_close(gl)
        peer.host_close(host)
        lengths[#lengths + 1] = n
        times[1][#lengths], times[2][#lengths], times[3][#lengths] = record.rill, record.gl, record.one
    end
    local knees, marked = {}, {}
    for i = 1, 2 do
        knees[i] = knee_of(lengths, times[i])
        marked[i] = 1
        for j, n in ipairs(lengths) do
            if n <= knees[i] then marked[i] = j end
        end
    end
    local lines = {{"elements", "operations", "rill, us", "", "GLSL by hand, us", "", "C, 1 thread, us"}}
    for j, n in ipairs(lengths) do
        lines[j + 1] = {n, 2 * mads * n, times[1][j] * 1e6, marked[1] == j and "knee" or "", times[2][j] * 1e6,
            marked[2] == j and "knee" or "", times[3][j] * 1e6}
    end
    local function said(i)
        return ("knee at %.0f elements, %.0f K operations"):format(knees[i], knees[i] * 2 * mads / 1e3)
    end
    return {
        support.table("Figure 4: a call of 43 multiply-adds, 1,000 calls (fewer beyond 2^16 elements)", lines, "%.2f"),
        support.note("43 multiply-adds, rill", said(1), "the paper: 650 K, 750 K, 2 M"),
        support.note("43 multiply-adds, GLSL by hand", said(2)),
    }
end
