-- A step of three-dimensional smoke by rill.fluid against straightforward C on one thread (bench/peer/peer_fluid.c), and its cost over the size of the grid.
local rill = require "rill"
local peer = require "peer"
local support = require "bench.support"

local SIZE <const>, WARM <const>, STEPS <const>, ROUNDS <const> = 128, 3, 2, 3

local blob = [[
    kernel void blob(float n, out float s<>) {
        vec3 p = vec3(indexof(s).xyz) / n;
        p.z = sizeof_stream(s).z == 1 ? 0.5 : p.z;
        s = distance(p, vec3(0.5, 0.75, 0.5)) < 0.12 ? 1.0 : 0.0;
    }
]]

-- Returns a fluid with a ball of smoke that has risen for some steps. The peer is semi-Lagrangian too.
local function create(shape, advection)
    local n = shape[#shape]
    local f = rill.fluid {shape = shape, dt = 0.25, cfl = 16, advection = advection, buoyancy = {smoke = 0.5}}
    local s <close> = rill.kernel(blob) {n = n, shape = shape}
    f:carry("smoke", s)
    for _ = 1, WARM do
        f:step()
    end
    return f
end

local function against()
    local f = create({SIZE, SIZE, SIZE}, "semilagrangian")
    local s <close> = rill.kernel(blob) {n = SIZE, shape = {SIZE, SIZE, SIZE}}
    local bytes, left = s:bytes(), nil
    local ours, theirs = support.race(ROUNDS, function()
        return support.timed(function() f:step() end, STEPS)
    end, function()
        local seconds
        seconds, left = peer.fluid(SIZE, bytes, WARM, STEPS)
        return seconds
    end)
    local title = ("smoke step %d^3"):format(SIZE)
    return support.faster(title, ours, "C, one thread, 40 rounds of Jacobi", theirs, 1.0),
        support.note(title, ("divergence left %.1e, the peer's %.1e"):format(f.divergence.after, left))
end

local function growth()
    local lines = {{"grid", "method", "ms", "ns per cell"}}
    for _, shape in ipairs {{256, 256}, {512, 512}, {1024, 1024}, {32, 32, 32}, {64, 64, 64}, {128, 128, 128}} do
        for _, advection in ipairs {"semilagrangian", "maccormack"} do
            local f = create(shape, advection)
            local seconds = support.least(3, function() return support.timed(function() f:step() end, STEPS) end)[1]
            local cells = shape[1] ^ #shape
            lines[#lines + 1] = {("%d^%d"):format(shape[1], #shape), advection, seconds * 1e3, seconds * 1e9 / cells}
        end
        collectgarbage()
    end
    return support.table("rill.fluid's cost over size", lines)
end

return function()
    local row, note = against()
    return {row, note, growth()}
end
