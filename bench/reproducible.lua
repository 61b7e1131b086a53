-- Reductions whose bits do not depend on the order of the elements, against the order of the elements ({reproducible = false}), and against minimal GLSL
-- programs over raw OpenGL for the same work: slices of the same grid, whose sums of the runs are not even combined. If such a program takes at least
-- 1 / 1.1 (0.91) of rill's time, the driver is the limit and not rill.
local rill = require "rill"
local peer = require "peer"
local support = require "bench.support"

local ROUNDS <const>, LANES <const> = 15, 16

local HEAD <const> = [=[
layout(local_size_x = 16) in;
layout(std430, binding = 0) writeonly buffer R { uvec2 result[]; };
layout(binding = 0) uniform usamplerBuffer x;
const int texels = $texels, each = $each;
double power(int e) { return packDouble2x32(uvec2(0u, uint(1023 + e) << 20)); }
double rounder(int e) { return 1.5lf * power(e); }
void main() {
    int run = int(gl_GlobalInvocationID.x), first = run * each, end = min(first + each, texels);
    $text
    result[run] = unpackDouble2x32(total);
}
]=]

-- Exact sums of floats: eight bins of 40 bits; a range test and sums in double for groups of 32 texels.
local EXACT <const> = [=[
    double bins[8];
    for (int k = 0; k < 8; k++) bins[k] = 0.0lf;
    bool lost = false;
    for (int t = first; t < end;) {
        double sum = 0.0lf;
        uint high = 0u, low = ~0u;
        for (int stop = min(t + 32, end); t < stop; t++) {
            uvec4 v = texelFetch(x, t), m = v & 0x7fffffffu;
            high = max(high, max(max(m.x, m.y), max(m.z, m.w)));
            m -= 1u;
            low = min(low, min(min(m.x, m.y), min(m.z, m.w)));
            dvec4 d = dvec4(uintBitsToFloat(v));
            sum += (d.x + d.y) + (d.z + d.w);
        }
        lost = lost || high >> 23 > (low + 1u >> 23) + 22u;
        for (int k = 7; k > 0; k--) {
            precise double slice = (sum + rounder(40 * k - 97)) - rounder(40 * k - 97);
            bins[k] += slice;
            sum -= slice;
        }
        bins[0] += sum;
    }
    double total = lost ? 0.0lf : bins[0];
    for (int k = 1; k < 8; k++) total += bins[k];
]=]

-- Three slices of 40 bits of numbers from 2^-20 to 2^20, whose range is tested.
local SLICES <const> = [=[
    double p = 0.0lf, q = 0.0lf, r = 0.0lf;
    uint most = 0u;
    const double a = rounder(33), b = rounder(-7), c = rounder(-47);
    for (int t = first; t < end; t++) {
        uvec4 w = texelFetch(x, t);
        $values
        for (int k = 0; k < $count; k++) {
            precise double v = values[k], x = (v + a) - a, rest = v - x, y = (rest + b) - b, low = rest - y, z = (low + c) - c;
            p += x;
            q += y;
            r += z;
            most = max(most, unpackDouble2x32(v).y & 0x7fffffffu);
        }
    }
    double total = most < 0x41300000u ? (r + q) + p : 0.0lf;
]=]

local SQUARES <const> = "dvec4 d = dvec4(uintBitsToFloat(w)); double values[4] = double[](d.x * d.x, d.y * d.y, " ..
    "d.z * d.z, d.w * d.w);"
local DOUBLES <const> = "double values[2] = double[](packDouble2x32(w.xy), packDouble2x32(w.zw));"

local function filled(text, values) return (text:gsub("%$(%w+)", values)) end

local BY_HAND <const> = {
    ["sum float"] = EXACT,
    ["norm float"] = filled(SLICES, {values = SQUARES, count = 4}),
    ["sum double"] = filled(SLICES, {values = DOUBLES, count = 2}),
}

-- Returns a function that runs a program by hand on a stream, after a test of its result.
local function by_hand(text, s, expected)
    local texels = s.size * (s.type == "double" and 8 or 4) // 16
    local runs = math.min(math.max(texels // 64, LANES), 1024) // LANES * LANES
    local glsl = filled(HEAD, {texels = texels, each = (texels + runs - 1) // runs + 1, text = text})
    local number = peer.shader(glsl, runs // LANES, 8 * runs, {s:bytes()})
    peer.shader_run(number)
    local parts <close> = rill.stream("double", runs, peer.shader_read(number))
    assert(math.abs(parts:sum() / expected - 1) < 1e-9, "the program by hand computes another result")
    return function() return peer.shader_run(number, 1) end, function() peer.shader_close(number) end
end

return function()
    local rows = {}
    for _, element in ipairs {"float", "double"} do
        for _, log in ipairs {10, 16, 20, 24} do
            local x = rill.random(1 << log, {seed = 1, type = element})
            local repeats = math.max(1, (1 << 18) >> log)
            for _, name in ipairs {"sum", "mean", "norm", "dot", "var"} do
                local other = name == "dot" and x or nil
                local function contender(...)
                    local arguments = name == "dot" and table.pack(x, nil, ...) or table.pack(...)
                    return function()
                        return support.timed(function() x[name](x, table.unpack(arguments)) end, repeats)
                    end
                end
                local title = ("%s of 2^%d, %s"):format(name, log, element)
                local text = BY_HAND[name .. " " .. element]
                local close, hand
                if text and log >= 16 then
                    local value = x[name](x, other)
                    hand, close = by_hand(text, x, name == "norm" and value * value or value)
                end
                local ours, ordered, theirs = support.race(ROUNDS, contender(), contender {reproducible = false}, hand)
                rows[#rows + 1] = support.faster(title, ours, "{reproducible = false}", ordered, 0.95)
                if hand then
                    rows[#rows + 1] = support.faster(title, ours, "GLSL by hand", theirs, 0.91)
                    close()
                end
            end
            x:close()
        end
    end
    return rows
end
