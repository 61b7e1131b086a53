-- A cavity with an obstacle, a dam break and a hot plate, each divided among processes: one script for one process and for a cluster.
--
--     lua5.4 examples/fluid_ranks.lua [cells [steps [directory]]]        64 100 out
--     mpirun -n 4 lua5.4 examples/fluid_ranks.lua
--
-- rill.fluid, rill.sph and rill.heat run over the distributed streams of rill.mpi with the option on = mpi. The script computes all three in one process
-- as well, and prints the largest differences relative to the largest value. Rank 1 draws the dye in the cavity, the particles and the temperature.
local rill = require "rill"

local found, mpi = pcall(require, "rill.mpi")
if not found then
    print("  " .. tostring(mpi))
    assert(tostring(mpi):find("has no MPI", 1, true), "rill.mpi does not load")
    return
end

local words = {...}
local n = assert(math.tointeger(tonumber(words[1] or 64)), "cells: expected a whole number")
local steps = assert(math.tointeger(tonumber(words[2] or 100)), "steps: expected a whole number")
local directory = words[3] or "out"

-- Fluid in a box at the Reynolds number 400, dragged along by its lid around a disc.
local function cavity(on)
    local f = rill.fluid {shape = {n, n}, spacing = 1 / n, dt = 1 / n, viscosity = 1 / 400,
        boundary = {y = {"wall", {velocity = {1, 0}}}}, on = on}
    f:obstacle(rill.stream("float", {n, n}, function(i, j)
        return math.sqrt((i / n - 0.5) ^ 2 + (j / n - 0.6) ^ 2) - 0.15
    end))
    f:carry("dye", rill.stream("float", {n, n}, function(i) return i > 0.9 * n and 1 or 0 end))
    for _ = 1, steps do f:step() end
    return f.velocity, f:get "dye"
end

-- A block of fluid that falls apart in a tank.
local function dam(on)
    local side = n // 2
    local p = rill.sph {radius = 2.6 / n, gravity = {0, -10}, viscosity = 0.02, substeps = 1000, on = on,
        walls = {{box = {{0, 0}, {1.5, 1}}}},
        positions = rill.stream("vec2", side * side, function(i)
            return {((i - 1) % side + 0.5) / n, ((i - 1) // side + 0.5) / n}
        end)}
    for _ = 1, steps do p:step(0.003) end
    return p.positions, p:picture {size = {200, 300}, low = {0, 0}, high = {1.5, 1}}
end

-- A plate with two sides at fixed temperatures, or with insulated or connected sides.
local function plate(on)
    local sum, last
    for _, mode in ipairs {{0, "insulated"}, {"periodic", 1}, {"insulated", "periodic"}} do
        local h = rill.heat {shape = {n, n}, spacing = 1 / n, boundary = mode, on = on,
            temperature = rill.stream("float", {n, n}, function(i, j) return (i // 8 + j // 8) % 2 end)}
        for _ = 1, 5 do h:step(1e-3) end
        sum, last = sum and (sum + h.temperature):eval() or h.temperature, h
    end
    return sum, last:picture()
end

-- Returns all elements of a stream of this process, or of a distributed stream.
local function whole(s) return rill.type(s) == "mpi.stream" and s:collect "all" or s end

if mpi.rank == 1 then os.execute(("mkdir -p '%s'"):format(directory)) end
for _, case in ipairs {{"cavity", cavity}, {"dam", dam}, {"plate", plate}} do
    local name, compute = table.unpack(case)
    local one, many, picture = compute(), compute(mpi)
    one, many, picture = whole(one), whole(many), whole(picture)
    if mpi.rank == 1 then
        local difference = rill.length(one - many):max() / rill.length(one):max()
        print(("  %s: %d process%s and one differ by %.1e"):format(name, mpi.size, mpi.size == 1 and "" or "es",
            difference))
        picture = name == "dam" and picture or rill.image.resize(picture, {256, 256})
        rill.image.save(picture, ("%s/fluid_ranks_%s.png"):format(directory, name))
            assert(difference < 1e-3, "the results differ")
    end
end
if mpi.rank == 1 then print(("  %s/fluid_ranks_*.png"):format(directory)) end
