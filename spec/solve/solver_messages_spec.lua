-- What solvers say of arguments that are none, and of what they did not reach: each message has a way out.
local rill = require "rill"
local check = require "spec.support.check"
local solve = rill.solve

describe("what solvers say", function()
    local A = rill.from {{4, 1, 0}, {1, 3, 1}, {0, 1, 2}}
    local b = rill.from {6, 10, 8}
    local iterative = {"cg", "bicgstab", "jacobi", "gauss_seidel", "sor"}

    it("of tables, other types and shapes", function()
        for _, name in ipairs {"cg", "bicgstab", "jacobi", "gauss_seidel", "sor", "lu", "cholesky"} do
            local f = solve[name]
            check.names({"rill.solve." .. name, "'b'", "rill.from makes a stream"}, f, A, {6, 10, 8})
            check.names({"rill.solve." .. name, "'A'", "rill.from makes a stream"}, f, {{4, 1}, {1, 3}}, b)
            check.names({"elements of int", 'cast "float"'}, f, A, rill.iota(3))
            check.names({"unknown option 'tolerence'", "precision, ", "tolerance"}, f, A, b, {tolerence = 1})
        end
        for _, name in ipairs(iterative) do
            check.names({"b has shape 3x1", "a vector of 3 elements"}, solve[name], A, b:reshape {3, 1})
        end
        check.names({"elements of vec2"}, solve.cg, A, rill.stream("vec2", 3))
        check.names({"option 'shape'", "got {0, 4}"}, solve.hierarchy, {shape = {0, 4}})
        check.names({"option 'shape'", "got {1, 2, 3, 4, ...}"}, solve.hierarchy, {shape = {1, 2, 3, 4, 5}})
        check.names({"has 1 value, "}, solve.multigrid, A, {spacing = {1}})
    end)

    it("of sparse matrices that are closed, or too large for elimination", function()
        local S = rill.sparse.coo {shape = {3, 3}, rows = {0}, columns = {0}, values = {1}}
        check.names({"rill.matmul", "got matrix"}, rill.matmul, S, b)
        S:close()
        for _, name in ipairs {"cg", "lu", "sor"} do
            check.names({"rill.solve." .. name, "closed"}, solve[name], S, b)
        end
        local wide <close> = rill.sparse.coo {shape = {100000, 100000}, rows = {0}, columns = {0}, values = {1}}
        check.names({"rill.solve.lu", "100000 x 100000", "rill.solve.cg"}, solve.lu, wide, rill.stream("float", 100000))
    end)

    it("of fields that factors have not", function()
        local F <close> = solve.lu(A)
        assert.equal("3x3 float", tostring(F.shape) .. " " .. F.type)
        check.names({"factors have no field or method 'solv'; did you mean F:solve?"}, function() return F.solv end)
        check.names({"factors have no field 'x' to be set"}, function() F.x = 1 end)
    end)

    it("of what was not reached", function()
        local crooked = rill.from {{4, 1, 0}, {-1, 3, 1}, {0, 1, 2}}
        check.names({"not symmetric", "bicgstab"}, solve.cg, crooked, b)
        check.names({"rill.solve.cg", "write A x into y"}, solve.cg, function(x) return 2 * x end, b)
        local charges = rill.random({8, 8}, {seed = 1})
        for _, p in ipairs {"mixed", "double"} do
            check.names({'larger tolerance, or precision = "double" where it is "mixed"'}, solve.multigrid, charges,
                {precision = p, tolerance = 1e-30})
        end
        local singular = rill.from {{1, 1}, {1, 1}}
        check.names({"not solved (A is singular): pivot 2 is 0", "no solution or many"}, solve.lu, singular,
            rill.from {1, 2})
        local _, report = solve.lu(singular, rill.from {1, 2}, {strict = false})
        assert.equal("not solved (A is singular)", tostring(report))
        for _, name in ipairs {"jacobi", "gauss_seidel", "sor"} do
            local message = check.failure(solve[name], A, b, {iterations = 1})
            assert.truthy(message:find("another method", 1, true))
            assert.falsy(message:find("preconditioner", 1, true))
        end
    end)
end)
