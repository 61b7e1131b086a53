-- rill.solve.eigen: eigenvalues of Laplace matrices, which are known, and of random matrices, compared with rill.linalg.eigh.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"

local LONG <const> = os.getenv "RILL_SUITE_LONG"
local eigen <const> = rill.solve.eigen

local function line(n, T)
    return rill.sparse.diags({-1, 2, -1}, {-1, 0, 1}, {n, n}):cast(T or "double")
end

-- Returns the Laplace matrix of a grid.
local function grid(m, n, T)
    return rill.sparse.kron(line(m, T), rill.sparse.eye(n, T or "double")) +
        rill.sparse.kron(rill.sparse.eye(m, T or "double"), line(n, T))
end

-- Returns the eigenvalues of that matrix, ascending.
local function of_grid(m, n)
    local list = {}
    for i = 1, m do
        for j = 1, n do
            list[#list + 1] = 4 - 2 * math.cos(i * math.pi / (m + 1)) - 2 * math.cos(j * math.pi / (n + 1))
        end
    end
    table.sort(list)
    return list
end

local STENCIL <const> = [[kernel void stencil(neighbor(zero) T u<>, out T r<>) {
    r = T(4) * u[0][0] - u[0][-1] - u[0][1] - u[-1][0] - u[1][0];
}]]

local function refuses(words, ...)
    local done <const>, message <const> = pcall(eigen, ...)
    assert.is_false(done)
    assert.truthy(message:find(words, 1, true), message)
end

local function check_orthonormal(x, bound, M)
    local g <const> = rill.matmul(x:transpose(), M and rill.matmul(M, x) or x)
    assert.is_true(rill.abs(g - rill.eye(g.shape[1], g.type)):max() < bound)
end

describe("rill.solve.eigen", function()
    leaks.watch(setup, teardown)

    it("finds the smallest and the largest eigenvalues of sparse matrices, also repeated ones", function()
        for _, T in ipairs(LONG and {"double", "float"} or {"double"}) do
            local A <const> = grid(12, 12, T)
            local expected <const> = of_grid(12, 12)
            for _, which in ipairs {"smallest", "largest"} do
                local values <const>, x <const>, report <const> = eigen(A, {k = 5, which = which, tolerance = 1e-6})
                assert.equal("144x5", tostring(x.shape))
                assert.equal(T, x.type)
                assert.is_true(report.converged)
                assert.is_true(report.residual <= 1e-6 and #report.residuals == 5)
                for i, value in ipairs(values:values()) do
                    assert.near(expected[which == "smallest" and i or #expected + 1 - i], value, 1e-5)
                end
                check_orthonormal(x, T == "float" and 1e-5 or 1e-10)
                local rest <const> = A:multiply(x:copy()) - x * values
                assert.is_true(rill.abs(rest):max() < 2e-5)
            end
        end
    end)

    it("takes functions, kernels and dense matrices", function()
        local expected <const> = of_grid(10, 9)
        for _, T in ipairs(LONG and {"float", "double"} or {"float"}) do
            local kernel <const> = rill.kernel((STENCIL:gsub("%f[%w]T%f[%W]", T)))
            for _, A in ipairs {kernel, function(x, y) kernel(x, y) end} do
                local values <const>, x <const> = eigen(A, {k = 3, shape = {10, 9}, precision = T})
                check.equal({table.unpack(expected, 1, 3)}, values:values(), 1e-5)
                assert.equal("10x9x3", tostring(x.shape))
                assert.equal(T, values.type)
            end
            local values <const> = eigen(grid(10, 9, T):dense(), {k = 3})
            check.equal({table.unpack(expected, 1, 3)}, values:values(), 1e-5)
        end
    end)

    it("solves generalized problems", function()
        for _, n in ipairs(LONG and {6, 80} or {80}) do
            local a <const> = rill.random({n, n}, {type = "double", seed = 1})
            local b <const> = rill.random({n, n}, {type = "double", seed = 2})
            local A <const> = (a + a:transpose()):eval()
            local M <const> = (rill.matmul(b, b:transpose()) + n * rill.eye(n, "double")):eval()
            local c <const> = rill.linalg.inv(rill.linalg.cholesky(M))
            local expected <const> = rill.linalg.eigh(rill.matmul(rill.matmul(c, A), c:transpose())):values()
            for _, which in ipairs {"smallest", "largest"} do
                local values <const>, x <const> = eigen(A, {k = 2, M = M, which = which, tolerance = 1e-9})
                for i, value in ipairs(values:values()) do
                    assert.near(expected[which == "smallest" and i or n + 1 - i], value, 1e-9)
                end
                check_orthonormal(x, 1e-9, M)
            end
        end
    end)

    it("needs fewer iterations with a preconditioner", function()
        local A <const> = grid(30, 20)
        local _, _, plain <const> = eigen(A, {k = 2})
        local inverse <const> = 0.25
        local counts <const> = {}
        for name, given in pairs {polynomial = "polynomial", jacobi = LONG and "jacobi" or nil, own = function(r, z)
            z:write(r * inverse)
        end} do
            local values <const>, _, report <const> = eigen(A, {k = 2, preconditioner = given})
            check.equal({table.unpack(of_grid(30, 20), 1, 2)}, values:values(), 1e-5)
            counts[name] = report.iterations
        end
        assert.is_true(counts.polynomial < plain.iterations / 2)
        assert.is_true((not LONG or counts.jacobi <= plain.iterations + 2) and counts.own <= plain.iterations + 2)
    end)

    it("finds all eigenvalues of small matrices, of the identity and of zero", function()
        local a <const> = rill.from {{2, 1, 0}, {1, 2, 1}, {0, 1, 2}}
        local values <const>, x <const> = eigen(a, {k = 3})
        check.equal({2 - 2 ^ 0.5, 2, 2 + 2 ^ 0.5}, values:values(), 1e-6)
        check_orthonormal(x, 1e-6)
        check.equal({7}, (eigen(rill.from {{7}})):values(), 1e-6)
        for _, n in ipairs {5, 300} do
            check.equal({3, 3, 3}, (eigen(3 * rill.sparse.eye(n, "double"), {k = 3})):values(), 1e-12)
            local zero <const>, _, report <const> = eigen(0 * rill.sparse.eye(n, "double"), {k = 2, which = "largest"})
            check.equal({0, 0}, zero:values(), 1e-12)
            assert.is_true(report.converged)
        end
        check.equal({3e200}, (eigen(3e200 * rill.sparse.eye(100, "double"))):values(), 1e188)
    end)

    it("reports what did not converge", function()
        refuses("not converged after 1 iteration", grid(30, 20), {iterations = 1})
        local values <const>, x <const>, report <const> = eigen(grid(30, 20), {iterations = 1, strict = false, k = 2})
        assert.equal("2", tostring(values.shape))
        assert.equal("600x2", tostring(x.shape))
        assert.is_false(report.converged)
        assert.equal("iterations", report.reason)
        assert.equal(2, #report.history)
    end)

    it("gives the same results for the same seed", function()
        local A <const> = grid(9, 9)
        local one <const>, x <const> = eigen(A, {k = 2, seed = 5})
        local other <const>, y <const> = eigen(A, {k = 2, seed = 5})
        assert.same(one:values(), other:values())
        assert.same(x:values(), y:values())
    end)

    it("refuses other arguments", function()
        local A <const> = line(100)
        refuses("A is not symmetric", rill.sparse.diags({-1, 2}, {-1, 0}, {100, 100}))
        refuses("A is not symmetric", rill.from {{1, 2}, {0, 1}})
        refuses("M is not positive definite", A, {M = -1 * A})
        refuses("M is not positive definite", rill.eye(3), {M = rill.zeros {3, 3}})
        refuses("option 'M' is 3 x 3: expected a matrix of 100 x 100, as A", A, {M = rill.eye(3)})
        refuses("option 'k': A has 100 eigenvalues, got 101", A, {k = 101})
        refuses("option 'which'", A, {which = "LM"})
        refuses("option 'shape' is missing", function() end)
        refuses("leave it out for a matrix", A, {shape = {100}})
        refuses("approximates the inverse of A", A, {which = "largest", preconditioner = "jacobi"})
        refuses("it must be square", rill.stream("float", {2, 3}))
        refuses("A has NaN as element", rill.from {{0 / 0, 1}, {1, 1}})
        refuses("expected a matrix, a function(x, y) or a kernel", 5)
        refuses("A x has NaN", function(_, y) y:fill(0 / 0) end, {shape = 100})
        refuses("A x has NaN", function(_, y) y:fill(0 / 0) end, {shape = 3})
    end)
end)
