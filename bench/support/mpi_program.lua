-- The program that bench/mpi.lua runs on some ranks: mpi_program.lua CASES [strong]. Rank 1 prints lines "NAME
-- SECONDS", the least time of several rounds of the slowest rank. The work per rank does not depend on the number of
-- ranks; with "strong" the work of all ranks together does not.
local mpi = require "rill.mpi"
local rill = require "rill"
local wire = require "rill.mpi.wire"

local ROUNDS <const> = tonumber(os.getenv "RILL_BENCH_ROUNDS") or 7

-- Returns the size of the whole, of which a single rank would have n.
local function whole(n)
    return arg[2] == "strong" and n or n * mpi.size
end

-- Measures f, which does its work `count` times. `reset` is called before each round.
local function measure(name, count, f, reset)
    local least = math.huge
    for round = 0, ROUNDS do
        if reset then reset() end
        rill.sync()
        mpi.barrier()
        local begin = wire.mpi.time()
        f(count)
        rill.sync()
        local seconds = mpi.reduce((wire.mpi.time() - begin) / count, "max")
        least = round > 0 and math.min(least, seconds) or least
    end
    if mpi.rank == 1 then
        print(("%s %.9g"):format(name, least))
    end
end

local stencil = rill.kernel [=[
    kernel void stencil(neighbor float u<>, out float r<>) {
        r = 0.5 * u[0][0] + 0.125 * (u[0][-1] + u[0][1] + u[-1][0] + u[1][0]);
    }
]=]

local cases = {}

-- Messages between ranks 1 and 2: the time of one message of 8 bytes, and of one of 4 MiB.
function cases.messages()
    for _, kind in ipairs(mpi.size > 1 and {{"latency", 8}, {"large", 1 << 22}} or {}) do
        local name, bytes = table.unpack(kind)
        local memory = wire.mpi.memory()
        memory:hold(bytes)
        if mpi.rank <= 2 then
            local other, best = 3 - mpi.rank, math.huge
            for _ = 1, 5 * ROUNDS do
                local begin, count = wire.mpi.time(), bytes < 100 and 200 or 4
                for _ = 1, count do
                    if mpi.rank == 1 then
                        wire.mpi.wait(wire.mpi.send(memory, 0, bytes, other, 1))
                        wire.mpi.wait(wire.mpi.receive(memory, 0, bytes, other, 1))
                    else
                        wire.mpi.wait(wire.mpi.receive(memory, 0, bytes, other, 1))
                        wire.mpi.wait(wire.mpi.send(memory, 0, bytes, other, 1))
                    end
                end
                best = math.min(best, (wire.mpi.time() - begin) / count / 2)
            end
            if mpi.rank == 1 then print(("%s %.9g"):format(name, best)) end
        end
        mpi.barrier()
    end
end

-- Copies between a device and host memory: seconds of a row of 2048 floats, and of 4 MiB.
function cases.copies()
    local memory = wire.mpi.memory()
    for _, kind in ipairs {{"copy_row", 2048}, {"copy_large", 1 << 20}} do
        local name, n = table.unpack(kind)
        local s = rill.stream("float", n)
        measure(name, n < 10000 and 500 or 20, function(count)
            for _ = 1, count do
                wire.download(s, memory, 0)
                wire.upload(s, memory, 0)
            end
        end)
    end
end

local SIDE <const> = 1024 -- rows and columns of each rank

function cases.stencil()
    local u = mpi.stream("float", {whole(SIDE), SIDE}, {init = 1})
    local v = u:copy()
    measure("stencil", 10, function(count)
        for _ = 1, count do
            stencil(u, v)
            u, v = v, u
        end
    end)
end

-- A halo exchange alone, of two rows per rank: a small part, whose computing time is small.
function cases.halo()
    local u = mpi.stream("float", {whole(16), 2048}, {init = 1})
    local v = u:copy()
    measure("halo", 200, function(count)
        for _ = 1, count do
            stencil(u, v)
            u, v = v, u
        end
    end)
end

function cases.sum()
    local u = mpi.stream("float", {whole(SIDE), SIDE}, {init = 1})
    measure("sum", 20, function(count)
        for _ = 1, count do u:sum() end
    end)
end

function cases.cg()
    local lap = rill.kernel [=[
        kernel void lap(neighbor float u<>, out float r<>) { r = 4.5 * u[0][0] - u[0][-1] - u[0][1] - u[-1][0] - u[1][0]; }
    ]=]
    local b = mpi.stream("float", {whole(SIDE), SIDE}, {boundary = "zero"})
    b.part:write(rill.random(b.part.shape, {seed = mpi.rank}))
    b:changed()
    measure("cg", 20, function(count)
        rill.solve.cg(function(x, y) lap {u = x:boundary "zero", r = y} end, b, {iterations = count, tolerance = 0,
            strict = false})
    end)
end

function cases.smoke()
    local w = mpi.smoke {shape = {whole(256), 512}, lift = 0.2}
    measure("smoke", 3, function(count)
        for _ = 1, count do
            w:source {center = {whole(256) - 30, 256}, radius = 20}
            w:step()
        end
    end)
end

function cases.particles()
    local side = 200
    local n = whole(side * side)
    local place = rill.kernel [[
        kernel void place(int side, out vec2 r<>) {
            int i = indexof(r).x;
            r = vec2(float(i / side) + 0.5, float(i % side) + 0.5) / float(side);
        }
    ]]
    local f = mpi.sph {positions = place {side = side, shape = n}, box = {{0, 0}, {whole(1), 1}},
        radius = 3.0 / side, sound = 10,
        gravity = {0, -1}}
    measure("particles", 5, function(count) f:step(count) end)
end

function cases.sort()
    local d = mpi.stream("float", whole(1 << 21))
    d.part:write(rill.random(d.part.size, {seed = mpi.rank}))
    measure("sort", 1, function() d:sort():close() end)
end

-- Merges two sorted rows of 2^20 floats, as a rank does after it has received elements.
function cases.merge()
    local a, b = rill.random(1 << 20, {seed = 1}):sort(), rill.random(1 << 20, {seed = 2}):sort()
    measure("merge", 1, function() rill.merge(a, b):close() end)
end

-- A minimal program for the sort of the peer of mpi4py on 2 ranks: a sort of 2^22 floats in raw OpenGL, an exchange of half of them, and a merge in raw
-- OpenGL. It knows in advance which elements to send.
function cases.raw()
    local raw = require "bench.support.raw_sort"
    local n = 1 << 21
    local s, out, back, least = rill.stream("float", n), wire.mpi.memory(), wire.mpi.memory(), math.huge
    back:hold(4 * n)
    for _ = 0, ROUNDS do
        mpi.barrier()
        local begin = wire.mpi.time()
        wire.download(s, out, 0)
        if mpi.size == 2 then
            local other = 3 - mpi.rank
            wire.mpi.wait(wire.mpi.receive(back, 0, 4 * n, other, 1), wire.mpi.send(out, 0, 4 * n, other, 1))
        end
        wire.upload(s, back, 0)
        rill.sync()
        least = math.min(least, wire.mpi.time() - begin)
    end
    mpi.barrier()
    local seconds = mpi.reduce(raw.sort(2 * n, ROUNDS) + raw.merge(2 * n, ROUNDS) + least, "max")
    if mpi.rank == 1 then print(("raw %.9g"):format(seconds)) end
end

-- The same work as the peer of mpi4py: a halo exchange of a 2048 x 2048 array per rank, and a sample sort.
function cases.peer()
    local u = mpi.stream("float", {2048 * mpi.size, 2048}, {init = 1})
    local halo = require "rill.mpi.halo"
    local data, reach, modes = u._state.data, {1, 0}, {"clamp", "clamp"}
    measure("peer_halo", 200, function(count)
        for _ = 1, mpi.size > 1 and count or 0 do halo.finish(halo.begin(data, reach, modes, 1, 1)) end
    end)
    local n = 1 << 22
    local d = mpi.stream("float", n * mpi.size)
    d.part:write(rill.random(n, {seed = mpi.rank}))
    measure("peer_sort", 1, function() d:sort():close() end)
end

for name in arg[1]:gmatch "%w+" do
    cases[name]()
end
