-- Mat4Mult and Cloth (Table 1): all outputs in one pass, and one output per pass, as on a device with a single output, which a separate process simulates. The
-- cost of a second pass depends on the share of work that its output has in common with the first.
local peer = require "peer"
local pipe = require "bench.support.pipe"
local support = require "bench.support"
local spirv = require "bench.support.spirv"
local contest = require "bench.support.contest"
local fours = require "bench.support.fours"

local products <const> = [[
layout(local_size_x = 8) in;
layout(std430, binding = 0) writeonly buffer R0 { vec4 r0[]; };
layout(std430, binding = 1) writeonly buffer R1 { vec4 r1[]; };
layout(std430, binding = 2) writeonly buffer R2 { vec4 r2[]; };
layout(std430, binding = 3) writeonly buffer R3 { vec4 r3[]; };
layout(binding = 0) uniform samplerBuffer a0;
layout(binding = 1) uniform samplerBuffer a1;
layout(binding = 2) uniform samplerBuffer a2;
layout(binding = 3) uniform samplerBuffer a3;
layout(binding = 4) uniform samplerBuffer b0;
layout(binding = 5) uniform samplerBuffer b1;
layout(binding = 6) uniform samplerBuffer b2;
layout(binding = 7) uniform samplerBuffer b3;
const int TRIPS = 64;
void main() {
    int i = int(gl_WorkGroupID.x) * 8 * TRIPS + int(gl_LocalInvocationID.x);
    for (int k = 0; k < TRIPS; k++, i += 8) {
        vec4 p = texelFetch(b0, i), q = texelFetch(b1, i), s = texelFetch(b2, i), t = texelFetch(b3, i);
        vec4 a = texelFetch(a0, i), b = texelFetch(a1, i), c = texelFetch(a2, i), d = texelFetch(a3, i);
        r0[i] = a.x * p + a.y * q + a.z * s + a.w * t;
        r1[i] = b.x * p + b.y * q + b.z * s + b.w * t;
        r2[i] = c.x * p + c.y * q + c.z * s + c.w * t;
        r3[i] = d.x * p + d.y * q + d.z * s + d.w * t;
    }
}
]]

local cloth <const> = [[
layout(local_size_x = 8) in;
layout(std430, binding = 0) writeonly buffer X { vec4 x1[]; };
layout(std430, binding = 1) writeonly buffer V { vec4 v1[]; };
layout(binding = 0) uniform samplerBuffer x;
layout(binding = 1) uniform samplerBuffer v;
layout(location = 0) uniform float stiffness;
layout(location = 1) uniform float rest;
layout(location = 2) uniform float dt;
const int SIDE = 1024;
vec4 spring(vec4 here, vec4 there) {
    vec4 d = there - here;
    return d * (stiffness * (1.0 - rest * inversesqrt(max(dot(d, d), 1e-12))));
}
void main() {
    int j = int(gl_WorkGroupID.x), row = j * SIDE, up = max(j - 1, 0) * SIDE, down = min(j + 1, SIDE - 1) * SIDE;
    for (int i = int(gl_LocalInvocationID.x); i < SIDE; i += 8) {
        vec4 here = texelFetch(x, row + i), fast = texelFetch(v, row + i);
        vec4 force = spring(here, texelFetch(x, row + max(i - 1, 0))) +
            spring(here, texelFetch(x, row + min(i + 1, SIDE - 1))) +
            spring(here, texelFetch(x, up + i)) + spring(here, texelFetch(x, down + i));
        fast += dt * (force + vec4(0.0, -9.81, 0.0, 0.0) - 0.1 * fast);
        v1[row + i] = fast;
        x1[row + i] = here + dt * fast;
    }
}
]]

-- By kernel: title, float operations, and the peers' workloads and buffers.
local function contests(cases)
    local n, side = fours.matrices, fours.side
    local function buffers_of(case)
        local list = {}
        for i, s in ipairs(case.inputs) do list[i] = s:bytes() end
        for _, s in ipairs(case.outputs) do list[#list + 1] = s.nbytes end
        return list
    end
    local function textures(count)
        local list = {}
        for i = 1, count do list[i] = {i, 4} end
        return list
    end
    local matrices, particles = buffers_of(cases.mat4mult), buffers_of(cases.cloth)
    local numbers = {fours.stiffness, fours.rest, fours.dt}
    return {
        {
            name = "mat4mult", title = ("Mat4Mult, %d products"):format(n), work = 112 * n, tolerance = 2e-6,
            gl = peer.gl_work {programs = {products}, buffers = matrices, passes = {{
                groups = {n // 512, 1}, textures = textures(8), blocks = {9, 10, 11, 12},
            }}}, gl_outputs = {9, 10, 11, 12},
            host = peer.host_work("mat4mult", matrices, {n}), host_outputs = {9, 10, 11, 12},
            instructions = "8 + 16, 20 + 16", slowdown = 53,
        }, {
            name = "cloth", title = ("Cloth, %d^2 particles"):format(side), work = 92 * side * side,
            tolerance = 2e-6, gl = peer.gl_work {programs = {cloth}, buffers = particles, passes = {{
                groups = {side, 1}, textures = textures(2), blocks = {3, 4}, numbers = numbers,
            }}}, gl_outputs = {3, 4},
            host = peer.host_work("cloth", particles, {side, side, table.unpack(numbers)}), host_outputs = {3, 4},
            instructions = "6 + 54, 12 + 102", slowdown = 47,
        },
    }
end

-- Returns the fetches and float operations per element; a step of a program processes several.
local function counted(text)
    local _, fetches, floats = spirv.count(text)
    local _, elements = text:gsub("rill_e = ", "")
    return fetches / elements, floats / elements
end

-- Returns the totals of the programs that a launch dumped into a folder.
local function dumped(folder, name)
    local fetches, floats = 0, 0
    local list <close> = assert(io.popen(("ls '%s'/%s-*.comp"):format(folder, name)))
    for path in list:lines() do
        local file <close> = assert(io.open(path))
        local f, a = counted(file:read "a")
        fetches, floats = fetches + f, floats + a
    end
    return ("%.0f + %.0f"):format(fetches, floats)
end

local function whole(kernel)
    return ("%.0f + %.0f"):format(counted(kernel:source()))
end

return function()
    local cases, rows, records, lines = fours.cases(), {}, {}, {}
    local folder = os.tmpname() .. ".dump"
    assert(os.execute(("mkdir '%s'"):format(folder)))
    local one <close> = assert(pipe.rill(("RILL_MAX_OUTPUTS=1 RILL_DUMP='%s'"):format(folder), "bench.support.fours"))
    local possible, missing = spirv.possible()
    local table_one = {{"Table 1", "fetches + arithmetic", "one output a pass", "slowdown", "the paper's", "slowdown"}}
    for _, c in ipairs(contests(cases)) do
        local case = cases[c.name]
        c.run, c.outputs, c.rounds = case.run, case.outputs, 9
        local more, record = contest.run(c)
        for i, s in ipairs(case.outputs) do
            local apart <close> = one:result(c.name .. " " .. i)
            assert(apart:bytes() == s:bytes(), c.title .. ": other values by one output a pass")
        end
        local together, split = support.race(9, function() return support.timed(case.run, 1) end,
            one:contender(c.name))
        more[#more + 1] = support.faster(c.title, together, "rill, one output a pass", split)
        table.move(more, 1, #more, #rows + 1, rows)
        records[#records + 1] = record
        lines[#lines + 1] = contest.transfer(c.title, case.inputs, case.outputs, record.rill)
        table_one[#table_one + 1] = {c.title, possible and whole(case.kernel) or "-",
            possible and dumped(folder, c.name) or "-", ("%.0f %%"):format((1 - together / split) * 100),
            c.instructions, ("%d %%"):format(c.slowdown)}
    end
    local title = "Table 1: instructions after spirv-opt -O" .. (possible and "" or ": " .. missing)
    rows[#rows + 1] = support.table(title, table_one)
    os.execute(("rm -rf '%s' '%s'"):format(folder, folder:gsub("%.dump$", "")))
    return rows, records, lines
end
