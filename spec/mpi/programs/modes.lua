-- A program for mpi_spec: boundary modes that distributed streams inherit, and modes in signatures. Random kernels and shapes,
-- compared with a model in Lua after ten steps. Arguments: the first seed and the last.
local mpi = require "rill.mpi"
local rill = require "rill"
local boundaries = require "spec.support.boundaries"

local function make(grid)
    local all = rill.from(grid.data, "float"):reshape(grid.shape)
    if not grid.modes then
        return mpi.stream("float", grid.shape, {init = all})
    elseif #grid.data % 2 == 0 then
        return mpi.distribute(mpi.rank == 1 and all:boundary(table.unpack(grid.modes)) or nil)
    end
    return mpi.stream("float", grid.shape, {init = all, boundary = grid.modes})
end

for seed = math.tointeger(arg[1]), math.tointeger(arg[2]) do
    local case <const> = boundaries.case(seed, 1 + seed % 3, boundaries.common)
    boundaries.run(case, make, function(d) return d:collect "all":values() end)
end

local shift = rill.kernel "kernel void shift(neighbor float u<>, out float r<>) { r = u[-1]; }"
local wrapped = rill.kernel "kernel void wrapped(neighbor(wrap) float u<>, out float r<>) { r = u[-1]; }"
local d = wrapped(mpi.stream("float", 4, {init = {1, 2, 3, 4}, boundary = "zero"}))
assert(table.concat(shift(d:collect "all"):values(), " ") == "3.0 4.0 1.0 2.0")
assert(table.concat(shift(d:rebalance()):collect "all":values(), " ") == "3.0 4.0 1.0 2.0")
local both = rill.kernel [[
    kernel void both(neighbor(wrap) float u<>, neighbor(zero) float w<>, out float r<>) { r = 10.0 * u[-1] + w[-1]; }
]]
d = mpi.stream("float", 4, {init = {1, 2, 3, 4}})
assert(table.concat(both(d, d):collect "all":values(), " ") == "40.0 11.0 22.0 33.0")
local pair = rill.kernel "kernel void pair(neighbor(wrap, clamp) float u<>, out float r<>) { r = u[-1]; }"
local made, text = pcall(pair, d)
assert(not made and text:find("its signature has 2 boundary modes, the stream has 1 dimension", 1, true), text)
if mpi.rank == 1 then print "done" end
