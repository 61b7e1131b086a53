-- Gradients of the solutions of linear systems.
local rill = require "rill"
local check = require "spec.support.check"
local differences = require "spec.support.differences"
local gradients = require "spec.support.gradients"
local leaks = require "spec.support.leaks"
local doubles <const>, loss <const> = gradients.doubles, gradients.loss

local LONG <const> = os.getenv "RILL_SUITE_LONG"
local EXACT <const> = {tolerance = 1e-13, precision = "double"}
local NEAR <const> = {bound = 1e-6}

-- A sparse matrix with a large diagonal.
local OFFSETS <const>, COLUMNS <const> = {0, 3, 5, 6, 10, 11}, {0, 1, 3, 0, 1, 2, 0, 2, 3, 4, 4}

describe("the gradient of", function()
    local six <const>, two <const> = (6 * rill.eye(5)):cast "double", (2 * rill.eye(5)):cast "double"
    local large <const> = rill.from({6, 0, 0, 0, 6, 6, 0, 0, 6, 0, 6}, "double")

    leaks.watch(setup, teardown)

    local function solved(method, A, b)
        return loss((rill.solve[method](A, b, EXACT)))
    end

    -- Returns a symmetric positive definite matrix.
    local function definite(v)
        return rill.matmul(v, v:transpose()) + two
    end

    local function sparse(v)
        return rill.sparse.csr {shape = {5, 5}, offsets = OFFSETS, columns = COLUMNS, values = v + large}
    end

    it("solutions for dense matrices", function()
        for _, method in ipairs(LONG and {"cg", "cholesky"} or {"cholesky"}) do
            differences.check(function(v, b) return solved(method, definite(v), b) end, doubles(1, {5, 5}, {5}), NEAR)
        end
        for _, method in ipairs(LONG and {"bicgstab", "jacobi", "gauss_seidel", "sor", "lu"} or {"lu"}) do
            differences.check(function(v, b) return solved(method, v + six, b) end, doubles(2, {5, 5}, {5}), NEAR)
        end
    end)

    it("solutions for sparse matrices, with respect to their values", function()
        for _, method in ipairs(LONG and {"bicgstab", "jacobi", "gauss_seidel", "sor", "lu"} or {}) do
            differences.check(function(v, b) return solved(method, sparse(v), b) end, doubles(3, {11}, {5}), NEAR)
        end
        differences.check(function(d, o, b)
            local v <const> = rill.stream("double", 7)
            v:stride(3):write(d)
            v:domain(2, 3):write(o:domain(1, 1):tile(2))
            v:domain(5, 6):write(o:domain(2, 2):tile(2))
            return solved("cg", rill.sparse.csr {
                shape = {3, 3}, offsets = {0, 2, 5, 7}, columns = {0, 1, 0, 1, 2, 1, 2}, values = v,
            }, b)
        end, {rill.from({4, 5, 6}, "double"), rill.from({1, 2}, "double"), doubles(4, {3})[1]}, NEAR)
    end)

    it("solutions for functions, with respect to what the functions read", function()
        for k, method in ipairs {"cg", "bicgstab"} do
            if LONG or k == 1 then
                differences.check(function(v, b, c)
                    local M <const> = definite(v)
                    return solved(method, function(u, y) y:write(rill.matmul(M, u) + c * c * u) end, b)
                end, doubles(5, {5, 5}, {5}, {5}), NEAR)
            end
            if LONG or k == 2 then
                local b <const> = doubles(6, {5})[1]
                differences.check(function(c)
                    return solved(method, function(u, y) y:write(3 * u + c * c * u) end, b)
                end, doubles(7, {5}), NEAR)
            end
        end
        if LONG then
            differences.check(function(c, b)
                return loss((rill.solve.jacobi(function(u, y) y:write(3 * u + 0.1 * c * u:flip()) end, b, {
                    tolerance = 1e-13, diagonal = 3,
                })))
            end, doubles(8, {5}, {5}), NEAR)
        end
        differences.check(function(c, b)
            return loss((rill.solve.jacobi(function(u, f, y) y:write((f - 0.1 * c * u:flip()) / 3) end, b, {
                tolerance = 1e-13, diagonal = 3, update = true,
            })))
        end, doubles(9, {5}, {5}), NEAR)
    end)

    it("solutions for kernels", function()
        local even <const> = rill.kernel [=[
            kernel void even(neighbor(zero) double u<>, out double r<>) { r = 4.5lf * u[0] - u[-1] - u[1]; }
        ]=]
        local uneven <const> = rill.kernel [=[
            kernel void uneven(neighbor(zero) double u<>, double c<>, out double r<>) {
                r = (4.5lf + c * c) * u[0] - 1.5lf * u[-1] - c * u[1];
            }
        ]=]
        local ones <const> = rill.stream("double", 7, 1)
        differences.check(function(b) return solved("cg", even, b) end, doubles(27, {7}), NEAR)
        if LONG then
            differences.check(function(b) return solved("bicgstab", even, b) end, doubles(28, {7}), NEAR)
            differences.check(function(b) return solved("bicgstab", function(u, y) uneven(u, ones, y) end, b) end,
                doubles(29, {7}), NEAR)
        end
        differences.check(function(b, c) return solved("bicgstab", function(u, y) uneven(u, c, y) end, b) end,
            doubles(30, {7}, {7}), NEAR)
    end)

    it("solutions keeps the matrix and what the function read", function()
        differences.check(function(v, b)
            local A <const>, c <const> = (v + six):eval(), (b * b + 3):eval()
            local first <const> = rill.solve.bicgstab(A, b, EXACT)
            A:write(six)
            local second <const> = rill.solve.bicgstab(function(u, y) y:write(c * u) end, first, EXACT)
            c:write(b + 4)
            return loss(second) + (c * A[1]):sum()
        end, doubles(10, {5, 5}, {5}), NEAR)
    end)

    it("tridiagonal systems", function()
        local function solve(l, d, u, b)
            return loss((rill.solve.tridiagonal(l, d + 4, u, b, {precision = "double"})))
        end
        for _, n in ipairs(LONG and {1, 2, 3, 7} or {7}) do
            if LONG then differences.check(solve, doubles(11, {n}, {n}, {n}, {n}), NEAR) end
            if LONG then differences.check(solve, doubles(12, {n}, {2, n}, {2, n}, {2, n}), NEAR) end
            if n > 1 then
                differences.check(solve, doubles(13, {n - 1}, {n}, {n - 1}, {2, n}), NEAR)
            end
        end
    end)

    it("batches, several right-hand sides and factors", function()
        local function lu(v, b)
            return loss((rill.solve.lu(v + six, b, {precision = "double"})))
        end
        if LONG then
            differences.check(lu, doubles(14, {5, 5}, {5, 2}), NEAR)
            differences.check(lu, doubles(15, {2, 5, 5}, {2, 5}), NEAR)
        end
        differences.check(lu, doubles(16, {2, 5, 5}, {2, 5, 1}), NEAR)
        if LONG then
            differences.check(function(v, b)
                local F <close> = rill.solve.lu(v + six, {precision = "double"})
                return loss((F:solve(b))) + loss((F:solve(b * b)))
            end, doubles(17, {5, 5}, {5}), NEAR)
        end
        local F <close> = rill.solve.cholesky(definite(doubles(18, {5, 5})[1]):eval())
        differences.check(function(b) return loss((F:solve(b))) end, doubles(19, {5}), NEAR)
        check.raises("F:determinant: a determinant has no gradient", rill.grad(function(v)
            return rill.solve.lu(v + six):determinant()
        end), doubles(20, {5, 5})[1])
    end)

    it("multigrid", function()
        for k, options in ipairs {
            {boundary = "dirichlet"}, {boundary = {"neumann", "periodic"}}, {boundary = "neumann", shift = 2},
            {boundary = {"dirichlet", "periodic"}, spacing = {0.5, 1}},
        } do
            if not LONG and k % 2 == 1 then goto next end
            options.tolerance = 1e-13
            differences.check(function(b) return loss((rill.solve.multigrid(b, options))) end, doubles(21, {5, 4}),
                NEAR)
            ::next::
        end
        local h <close> = rill.solve.hierarchy {shape = {5, 4}, precision = "double"}
        differences.check(function(b)
            local u <const> = rill.stream("double", {5, 4})
            h:solve(b, {tolerance = 1e-13, x = u})
            return loss(u) + loss((h:solve(b, {tolerance = 1e-13})))
        end, doubles(22, {5, 4}), NEAR)
    end)

    it("a gradient of solutions", function()
        local function twice(solve)
            return function(v, b)
                local p, q = rill.grad(function(s, t) return loss((solve(s, t))) end)(v, b)
                return (p * p):sum() + loss(q)
            end
        end
        if LONG then
            differences.check(twice(function(v, b) return rill.solve.lu(v + six, b, {precision = "double"}) end),
                doubles(23, {5, 5}, {5}), {bound = 1e-5})
            differences.check(twice(function(v, b)
                return rill.solve.bicgstab(function(u, y) y:write(3 * u + v * v * u) end, b, EXACT)
            end), doubles(24, {5}, {5}), {bound = 1e-5})
        end
        differences.check(twice(function(v, b) return rill.solve.bicgstab(sparse(v), b, EXACT) end),
            doubles(31, {11}, {5}), {bound = 1e-5})
    end)

    it("a system that is not solved is not computed", function()
        check.raises("not converged", rill.grad(function(b)
            return rill.solve.cg(definite(doubles(25, {5, 5})[1]), b, {iterations = 1, tolerance = 1e-13}):sum()
        end), doubles(26, {5})[1])
        local once <const> = rill.from({6, 0, 0, 0, 0}, "double") -- an eigenvector
        local diagonal <const> = (rill.eye(5):cast "double" * rill.from({1, 2, 3, 4, 5}, "double")):eval()
        check.raises("rill.solve.cg: its gradient solves a system with the transposed matrix: not converged",
            rill.grad(function(b)
                return (rill.solve.cg(diagonal, b, {iterations = 1}) * doubles(32, {5})[1]):sum()
            end), once)
    end)
end)
