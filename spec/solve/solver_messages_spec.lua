-- Tests the messages of solvers about invalid arguments and about solves that did not converge. Each message suggests what to do.
local rill = require "rill"
local check = require "spec.support.check"
local solve = rill.solve

describe("messages of solvers", function()
    local A = rill.from {{4, 1, 0}, {1, 3, 1}, {0, 1, 2}}
    local b = rill.from {6, 10, 8}
    local iterative = {"cg", "bicgstab", "jacobi", "gauss_seidel", "sor"}

    it("about tables, other types and shapes", function()
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
        local picture <close> = rill.stream("float", {128, 128})
        local wide <close> = rill.sparse.coo {shape = {16384, 16384}, rows = {0}, columns = {0}, values = {1}}
        for _, name in ipairs(iterative) do
            check.raises("b has shape 128x128: it must be a vector of 16384 elements; " ..
                "b:reshape {16384} has that shape$", solve[name], wide, picture)
        end
        check.raises("a vector of 3 elements$", solve.cg, A, rill.stream("float", {3, 2})) -- no reshape fits
        check.raises("'x0' has shape 3x1, x has 3; x0:reshape {3} has that shape$", solve.cg, A, b,
            {x0 = b:reshape {3, 1}})
        check.raises("A is 3 x 3, b is 1 x 3; b:reshape {3} has that shape$", solve.lu, A, b:reshape {1, 3})
        check.raises("X is 128 x 128; x:reshape {16384} has that shape$", wide.multiply, wide, picture)
        local grid <close> = solve.hierarchy {shape = {4, 4}}
        check.raises("b has shape 16, the hierarchy 4x4; b:reshape {4, 4} has that shape$", grid.solve, grid,
            rill.stream("float", 16))
        check.names({"elements of vec2"}, solve.cg, A, rill.stream("vec2", 3))
        check.names({"option 'shape'", "got {0, 4}"}, solve.hierarchy, {shape = {0, 4}})
        check.names({"option 'shape'", "got {1, 2, 3, 4, ...}"}, solve.hierarchy, {shape = {1, 2, 3, 4, 5}})
        check.names({"has 1 value, "}, solve.multigrid, A, {spacing = {1}})
    end)

    it("about sparse matrices that are closed, or too large for elimination", function()
        local S = rill.sparse.coo {shape = {3, 3}, rows = {0}, columns = {0}, values = {1}}
        check.names({"rill.matmul", "got matrix"}, rill.matmul, S, b)
        S:close()
        for _, name in ipairs {"cg", "lu", "sor"} do
            check.names({"rill.solve." .. name, "closed"}, solve[name], S, b)
        end
        local wide <close> = rill.sparse.coo {shape = {100000, 100000}, rows = {0}, columns = {0}, values = {1}}
        check.names({"rill.solve.lu", "100000 x 100000", "rill.solve.cg"}, solve.lu, wide, rill.stream("float", 100000))
    end)

    it("about a zero on the diagonal name the method that divides by it", function()
        local Z = rill.from {{4, 1, 0}, {1, 0, 1}, {0, 1, 2}}
        for _, name in ipairs {"jacobi", "polynomial"} do
            check.raises("rill.solve.cg: A has 0 on its diagonal, in row 2: preconditioner \"" .. name ..
                "\" cannot divide by it", solve.cg, Z, b, {preconditioner = name})
        end
        check.raises("rill.solve.bicgstab: A has 0 on its diagonal, in row 2: preconditioner \"jacobi\"",
            solve.bicgstab, Z, b, {preconditioner = "jacobi"})
        check.raises("rill.solve.sor: A has 0 on its diagonal, in row 2: exchange rows", solve.sor, Z, b)
        check.raises("rill.solve.jacobi: option 'diagonal' has 0 in row 3", solve.jacobi,
            function(x, y) y:write(x) end, b, {diagonal = rill.from {1, 1, 0}})
    end)

    it("history has pairs of iterations and relative residuals", function()
        for _, name in ipairs {"cg", "bicgstab", "jacobi"} do
            local x, report = solve[name](A, b, {every = 1})
            local norm = b:norm()
            assert.same({0, 1.0}, report.history[1])
            for i, row in ipairs(report.history) do
                assert.is_true(#row == 2 and row[1] >= (report.history[i - 1] or row)[1])
            end
            local last = report.history[#report.history]
            assert.same({report.iterations, report.residual}, last)
            local r = b:cast "double" - rill.matmul(A:cast "double", x:cast "double")
            assert.is_true(math.abs(last[2] - r:norm() / norm) < 1e-9)
        end
    end)

    it("of methods name the method", function()
        local F <close> = solve.lu(A)
        local h <close> = solve.hierarchy {shape = {8, 8}}
        local grid <close> = rill.stream("float", {8, 8})
        local wrong <close> = rill.stream("float", {8, 9})
        for _, case in ipairs {
            {"F:solve: A is 3 x 3, b has 2 elements", F.solve, F, rill.from {1, 2}},
            {"F:solve: unknown option 'every'", F.solve, F, b, {every = 1}},
            {"h:solve: b has shape 8x9", h.solve, h, wrong},
            {"h:solve: not converged", h.solve, h, rill.random({8, 8}, {seed = 1}), {tolerance = 0}},
            {"h:cycle: 'x' and 'b' share memory", h.cycle, h, grid, grid},
        } do
            assert.matches("^[^:]*:%d+: " .. case[1]:gsub("%p", "%%%0"), check.failure(table.unpack(case, 2)))
        end
        assert.equal("hierarchy<float>[8x8], 1 grid", tostring(h))
    end)

    it("about options and arguments that a method does not have", function()
        check.names({"option 'degree'", "polynomial"}, solve.cg, A, b, {degree = 2})
        check.names({"option 'degree'"}, solve.cg, A, b, {preconditioner = "jacobi", degree = 2})
        for _, name in ipairs {"cg", "bicgstab", "lu", "jacobi", "cholesky"} do
            local words = {"rill.solve." .. name .. ": argument #4", "3 at most", "got number"}
            check.names(words, solve[name], A, b, nil, 3)
        end
        check.names({"rill.solve.multigrid: argument #3"}, solve.multigrid, A, {}, {})
        check.names({"rill.solve.lu: argument #3"}, solve.lu, A, {}, {})
        check.names({"unknown option 'tolerance': expected precision, strict"}, solve.lu, A, {tolerance = 1})
        local wide <close> = A:cast "double"
        check.names({"rill.solve.lu: option 'iterations': there is nothing to refine"}, solve.lu, wide, b,
            {iterations = 2})
        local F <close> = solve.lu(wide)
        check.names({"F:solve: option 'iterations': there is nothing to refine"}, F.solve, F, b, {iterations = 2})
    end)

    it("about operators that matrices do not have", function()
        local S <close> = rill.sparse.coo {shape = {3, 3}, rows = {0}, columns = {0}, values = {1}}
        check.names({"a matrix has no operator '//'"}, function() return S // 2 end)
        check.names({"a matrix has no operator '%'"}, function() return S % 2 end)
        check.names({"got matrix"}, function() return b * S end)
        check.names({"a matrix has no length", "A.shape[1]"}, function() return #S end)
    end)

    it("about a b whose norm overflows a double, and none for smaller ones", function()
        for _, method in ipairs {"cg", "bicgstab", "jacobi", "gauss_seidel"} do
            local unit = rill.from {{1, 0}, {0, 1}}
            local x, report = solve[method](unit, rill.from {1e38, -3e38})
            assert.is_true(report.converged)
            local got = x:values()
            check.equal({1, -3}, {got[1] / 1e38, got[2] / 1e38}, 1e-6)
            check.names({"x grew beyond float"}, solve[method], rill.from {{0.5, 0}, {0, 1}}, rill.from {3e38, 3e38})
            check.names({"the norm of b overflows"}, solve[method], unit, rill.from({1.5e308, 1.5e308}, "double"))
        end
    end)

    it("about fields that factors do not have", function()
        local F <close> = solve.lu(A)
        assert.equal("3x3 float", tostring(F.shape) .. " " .. F.type)
        check.names({"factors have no field or method 'solv'; did you mean F:solve?"}, function() return F.solv end)
        check.names({"factors have no field 'x' to be set"}, function() F.x = 1 end)
    end)

    it("about solves that did not converge", function()
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
