-- A program for mpi_spec: long loops use no more memory after many steps than after a few. Argument: a directory.
local mpi = require "rill.mpi"
local rill = require "rill"
local program = require "spec.support.rank_program"
local path = arg[1]

-- The programs of conjugate gradients and of multigrid are those of simulations.lua, and are compiled once.
local stencil = rill.kernel [=[
    kernel void stencil(neighbor float u<>, out float r<>) {
        r = 4.5 * u[0][0] - u[0][-1] - u[0][1] - u[-1][0] - u[1][0];
    }
]=]
local function apply(x, y) stencil {u = x:boundary "zero", r = y} end
local blur = rill.kernel [=[
    kernel void blur(neighbor float u<>, out float r<>) { r = 0.25 * (u[0][-1] + u[0][1] + u[-1][0] + u[1][0]); }
]=]

local u = mpi.stream("float", {16, 16}, {init = 1, boundary = "wrap"})
local b = mpi.stream("double", {8, 8}, {init = 1, boundary = "zero"})
local c = b:cast "float"
local line = mpi.stream("float", 1000, {init = rill.random(1000, {seed = 1})})
local box = {{0, 0}, {1, 1}}
local positions = rill.random({100, 2}, {seed = 1}):as "vec2"
local q = mpi.particles {positions = positions, box = box}
local smoke = mpi.smoke {shape = {12, 12}, tolerance = 1e-2}
local fluid = mpi.sph {positions = positions, box = box, radius = 0.2, sound = 10}

local steps = {
    {50, "stencil", function() u = blur(u):boundary "wrap" end},
    {50, "streams", function() blur(mpi.stream("float", {16, 16}, {init = 1})) end},
    {50, "algebra", function() (u * 2 + 1):sum() end},
    {5, "cg", function() rill.solve.cg(apply, c, {tolerance = 1e-2}) end},
    {5, "multigrid", function() rill.solve.multigrid(b, {tolerance = 1e-2}) end},
    {5, "sorts", function() line:sort():unique() line:filter(line:gt(0.5)):rebalance() end},
    {20, "messages", function(i)
        if mpi.rank == 1 then mpi.send({i, positions}, mpi.size) end
        if mpi.rank == mpi.size then mpi.receive(1) end
        mpi.gather(mpi.broadcast {i})
        line:collect "all"
    end},
    {10, "particles", function()
        q.position = rill.fract(q.position + 0.1)
        q:migrate():rebalance():sum("float", 0.1, "1.0")
    end},
    {3, "smoke", function() smoke:source({center = {8, 6}, radius = 2}):step() end},
    {5, "sph", function() fluid:step() end},
    {2, "files", function(i)
        mpi.checkpoint(path .. "/memory", {u = u, i = i})
        u = mpi.restart(path .. "/memory").u
        u:save(path .. "/memory.npy")
        mpi.load(path .. "/memory.npy")
    end},
}

-- Returns the bytes of streams, the kilobytes of Lua and the megabytes of the process.
local function used()
    collectgarbage()
    collectgarbage()
    local file = io.open("/proc/self/statm")
    local pages = file and file:read "a":match "%d+ (%d+)" or 0
    if file then file:close() end
    return rill.memory().bytes, collectgarbage "count", pages * 4 / 1024
end

for _, row in ipairs(steps) do
    local times, name, step = table.unpack(row)
    local before, lua_before, process_before
    for round = 1, program.whole and 10 or 4 do
        for i = 1, times do step(i) end
        if round == 2 then
            before, lua_before, process_before = used()
        end
    end
    local bytes, lua, process = used()
    assert(bytes <= before + 40000, ("%s: %d bytes of streams, then %d"):format(name, before, bytes))
    assert(lua <= lua_before + 100, ("%s: %g kB of Lua, then %g"):format(name, lua_before, lua))
    assert(process <= process_before + 16, ("%s: %g MB, then %g"):format(name, process_before, process))
end
if mpi.rank == 1 then
    print "done"
end
