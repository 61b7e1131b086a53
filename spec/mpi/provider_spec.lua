-- Tests of solvers over distributed streams, and of simulations with the option on = rill.mpi: programs run on 1 to 4
-- ranks, and must print the same; without #long tests on one number of ranks.
local ranks = require "spec.support.ranks"

describe("a solver or simulation over distributed streams", function()
    local why <const> = ranks.missing()

    local function test(name, program, some, expected)
        it(name, function()
            if why then
                return pending(why)
            end
            local text = ranks.same(some, program)
            assert(text:find(expected, 1, true), text)
        end)
    end

    test("solves as in one process #long", "solvers", {1, 2, 3, 4}, "done")

    test("computes waves and heat as in one process", "fields", {3}, "18\tdone")
    test("computes fluids as in one process", "fluids", {2}, "15\tdone")
    test("computes fluids of particles as in one process", "drops", {3}, "6\tdone")
    test("computes bodies and cloth as in one process", "bodies", {3}, "3\tdone")
end)
