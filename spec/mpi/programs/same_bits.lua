-- A program for same_bits_spec: reductions of random streams on all ranks. Arguments: a seed, the number of cases.
local mpi = require "rill.mpi"
local cases = require "spec.support.parts_cases"

math.randomseed(tonumber(arg[1]))
for _ = 1, tonumber(arg[2]) do
    local case = cases.random(true)
    local options = {init = case.s}
    local d = mpi.stream(case.type, case.shape, options)
    cases.compare("D", case, d, mpi.stream(case.type, case.shape, {init = case.t}))
end
