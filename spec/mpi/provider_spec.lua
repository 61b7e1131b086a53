-- Tests of solvers over distributed streams, and of simulations with the option on = rill.mpi: programs run on 1 to 4
-- ranks, and must print the same; `make test` runs some of the cases, on one number of ranks.
local ranks = require "spec.support.ranks"

describe("a solver or simulation over distributed streams", function()
    local why <const> = ranks.missing()

    local function test(name, program, some, cases, all)
        it(name, function()
            if why then
                return pending(why)
            end
            local text = ranks.same(some, program)
            local count = os.getenv "RILL_SUITE_LONG" and all or cases
            assert(text:find(count and count .. "\tdone" or "done", 1, true), text)
        end)
    end

    test("solves as in one process #long", "solvers", {1, 2, 3, 4})

    test("computes waves and heat as in one process", "fields", {1, 3}, 4, 18)
    test("computes fluids as in one process", "fluids", {1, 2}, 2, 15)
    test("computes fluids of particles as in one process", "drops", {1, 3}, 2, 6)
    test("computes bodies and cloth as in one process", "bodies", {1, 3}, 2, 3)
end)
