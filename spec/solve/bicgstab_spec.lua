-- Tests rill.solve.bicgstab on matrices that are not symmetric.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"
local systems = require "spec.support.systems"

local solve, sparse = rill.solve, rill.sparse

-- Returns convection and diffusion on a square of n^2 points, by central differences: rows as {column -> value}, 0-based.
local function convection(n, across, down)
    local rows, h = {}, 1 / (n + 1)
    for y = 0, n - 1 do
        for x = 0, n - 1 do
            local i = y * n + x
            rows[i] = {[i] = 4.0}
            rows[i][x > 0 and i - 1 or -1] = -1 - across * h / 2
            rows[i][x < n - 1 and i + 1 or -1] = -1 + across * h / 2
            rows[i][y > 0 and i - n or -1] = -1 - down * h / 2
            rows[i][y < n - 1 and i + n or -1] = -1 + down * h / 2
            rows[i][-1] = nil
        end
    end
    return rows
end

local function matrix_of(rows, n, type)
    local r, c, v = {}, {}, {}
    for i = 0, n - 1 do
        for j, value in pairs(rows[i]) do
            r[#r + 1], c[#c + 1], v[#v + 1] = i, j, value
        end
    end
    return sparse.coo {
        shape = {n, n}, rows = rill.from(r, "int"), columns = rill.from(c, "int"), values = rill.from(v, type),
    }:to "csr"
end

describe("rill.solve.bicgstab", function()
    leaks.watch(setup, teardown)

    shortened(it, "solves convection and diffusion in all precisions", function(whole)
        local rows = convection(20, 40, 20)
        local A = matrix_of(rows, 400, "double")
        local b = rill.random(400, {seed = 1, type = "double", low = -1})
        for precision, tolerance in pairs(whole and {float = 2e-6, mixed = 1e-12, double = 1e-12} or {mixed = 1e-12}) do
            for _, given in ipairs(whole and {false, "jacobi"} or {"jacobi"}) do
                local x, report = solve.bicgstab(A, b, {
                    precision = precision, tolerance = tolerance, preconditioner = given or nil,
                })
                assert.equal(precision == "float" and "float" or "double", x.type)
                local residual = systems.residual(rows, b:values(), x:values(), 0)
                assert.is_true(residual <= tolerance)
                assert.is_true(math.abs(residual - report.residual) <= 1e-3 * tolerance)
                assert.is_true(report.iterations < 150)
            end
        end
        local _, floor = solve.bicgstab(A, b, {precision = "float", tolerance = 1e-10, strict = false})
        assert.equal("floor", floor.reason)
        assert.is_true(floor.residual < 1e-5)
    end)

    it("solves systems that are not positive definite, and takes functions #doubles", function()
        local A = rill.from {{0, 1, 0}, {1, 0, 2}, {0, 3, -1}}
        local x, report = solve.bicgstab(A, rill.from {1, 2, 3})
        assert.is_true(report.converged)
        check.equal({2, 1, 0}, x:values(), 1e-5)
        local turn = rill.kernel "kernel void turn(float u<>, out float r<>) { r = -3.0 * u; }"
        local y = solve.bicgstab(function(u, r) turn(u, r) end, rill.from {{3, 6}}, {
            preconditioner = function(r, z) z:write(r * -0.5) end,
        })
        assert.same({1, 2}, y.shape)
        check.equal({-1, -2}, y:values(), 1e-6)
    end)

    it("reports a breakdown, and solves systems of no and of one unknown", function()
        local _, report = solve.bicgstab(rill.from {{0, 1}, {-1, 0}}, rill.from {1, 2}, {strict = false})
        assert.equal("breakdown", report.reason)
        assert.is_false(report.converged)
        check.names({"rill.solve.bicgstab", "broke down"}, solve.bicgstab, rill.from {{1, 2}, {2, 4}}, rill.from {1, 1})
        check.names({"A has 0 on its diagonal, in row 2"}, solve.bicgstab, rill.from {{1, 2}, {2, 0}}, rill.from {1, 1},
            {preconditioner = "jacobi"})
        assert.equal(0, solve.bicgstab(rill.stream("float", {0, 0}), rill.stream("float", 0)).size)
        check.equal({-2}, solve.bicgstab(rill.from {{-2}}, rill.from {4}):values())
        check.equal({0, 0}, solve.bicgstab(rill.from {{1, 2}, {2, 4}}, rill.from {0, 0}):values())
    end)
end)
