-- A program for mpi_spec: compares the messages and bytes of solvers with those of rill.mpi.model.
local mpi = require "rill.mpi"
local rill = require "rill"
local model = require "rill.mpi.model"

local SHAPE <const> = {512, 512}
local laplace = rill.kernel [=[
    kernel void laplace(neighbor float u<>, out float r<>) { r = 4.5 * u[0][0] - u[0][-1] - u[0][1] - u[-1][0] - u[1][0]; }
]=]
local b = mpi.stream("float", SHAPE, {boundary = "zero", init = rill.random(SHAPE, {seed = 1})})

-- Returns the messages, bytes and collective operations of one iteration on rank 2, from runs of 2 and 6 iterations.
-- `count`: the option with the number of iterations.
local function iteration(count, solve)
    local few = mpi.profile(solve, {[count] = 2, tolerance = 0, strict = false})[2]
    local more = mpi.profile(solve, {[count] = 6, tolerance = 0, strict = false})[2]
    return {(more.messages - few.messages) / 4, (more.received - few.received) / 4,
        (more.collectives - few.collectives) / 4}
end

local halo, cycle = model.halo(SHAPE, {mpi.size}, {1, 1}, 4), model.multigrid(SHAPE, mpi.size, 4)
local cg = iteration("iterations", function(o)
    rill.solve.cg(function(x, y) laplace {u = x:boundary "zero", r = y} end, b, o)
end)
local multigrid = iteration("cycles", function(o) rill.solve.multigrid(b, o) end)
-- The numbers of a sort depend on the elements: those of the model are the most, and the share of other ranks an average.
local n = 40000 * mpi.size
local line = mpi.stream("float", n, {init = rill.random(n, {seed = 2})})
local sort, most = mpi.profile(function() line:sort():close() end)[2], model.sort(n, mpi.size, 4)
local share = n // mpi.size * 4 * (mpi.size - 1) / mpi.size
local sorted = sort.messages == mpi.size - 1 and math.abs(sort.received - share) < 0.1 * share and
    sort.collectives <= most.rounds
if mpi.rank == 1 then
    print("sort", sorted)
    print("cg", cg[1] == halo.messages and cg[2] == halo.bytes and cg[3] == 2)
    print("multigrid", multigrid[1] == halo.messages + cycle.messages and
        multigrid[2] == halo.bytes + cycle.bytes and multigrid[3] == 1)
end
