-- Compares Jacobi, Gauss-Seidel and SOR, colors and active lists, with plain Lua in double precision.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"
local systems = require "spec.support.systems"

local solve, sparse = rill.solve, rill.sparse

local METHODS <const> = {"jacobi", "gauss_seidel", "sor"}

-- Returns a random matrix of n rows with some entries in each, as rows. Its diagonal is `weight` times the sum of the absolute values of the others.
local function random_rows(n, seed, weight, symmetric)
    math.randomseed(seed)
    local rows = {}
    for i = 1, n do
        rows[i] = {}
        for j = 1, n do
            rows[i][j] = 0.0
        end
    end
    for i = 1, n do
        for _ = 1, 4 do
            local j, value = math.random(n), (math.random(-8, 8)) / 8
            if j ~= i then
                rows[i][j] = value
                rows[j][i] = symmetric and value or rows[j][i]
            end
        end
    end
    for i = 1, n do
        local sum = 0.0
        for j = 1, n do
            sum = sum + math.abs(rows[i][j])
        end
        rows[i][i] = (i % 3 == 0 and -1 or 1) * (weight * sum + (sum == 0 and 1 or 0))
    end
    return rows
end

local function coo_of(rows, type)
    local n, r, c, v = #rows, {}, {}, {}
    for i, row in ipairs(rows) do
        for j, a in ipairs(row) do
            if a ~= 0 then
                r[#r + 1], c[#c + 1], v[#v + 1] = i - 1, j - 1, a
            end
        end
    end
    return sparse.coo {shape = {n, n}, rows = r, columns = c, values = rill.from(v, type)}
end

-- Tests one method with one matrix in all its forms.
local function agree(rows, type, precision, tolerance, few)
    local n = #rows
    local expected = {}
    for i = 1, n do
        expected[i] = math.cos(i)
    end
    local b = rill.from(systems.product(rows, expected), type)
    local coo, dense = coo_of(rows, type), rill.from(rows, type)
    local matrices = few and {dense, coo} or
        {dense, dense:transpose():copy():transpose(), coo, coo:to "csr", coo:to "ell"}
    for _, method in ipairs(METHODS) do
        for _, A in ipairs(matrices) do
            local options = {precision = precision, tolerance = tolerance, omega = method == "sor" and 1.1 or nil}
            local x, report = solve[method](A, b, options)
            local residual = systems.residual(dense:read(), b:values(), x:values())
            assert.is_true(report.converged and residual <= tolerance, method)
            assert.is_true(math.abs(residual - report.residual) <= 1e-12)
            assert.is_true(method == "jacobi" or report.colors >= 2)
        end
    end
end

local stencil = rill.kernel [=[
    kernel void stencil(neighbor float u<>, out float r<>) {
        r = 4.5 * u[0][0] - u[0][-1] - u[0][1] - u[-1][0] - u[1][0];
    }
]=]
local relax = rill.kernel [=[
    kernel void relax(neighbor float u<>, float b<>, out float r<>) {
        r = (b + u[0][-1] + u[0][1] + u[-1][0] + u[1][0]) / 4.5;
    }
]=]

local function operate(u, r, where)
    stencil {u = u:boundary "zero", r = r, where = where}
end
local function update(u, b, r, where)
    relax {u = u:boundary "zero", b = b, r = r, where = where}
end

-- Returns the matrix of the stencil on a grid of m x n, for active lists of matrices.
local function stencil_matrix(m, n)
    local rows, columns, values = {}, {}, {}
    local function entry(i, j, y, x, value)
        if y >= 0 and y < m and x >= 0 and x < n then
            local k = #rows + 1
            rows[k], columns[k], values[k] = i * n + j, y * n + x, value
        end
    end
    for i = 0, m - 1 do
        for j = 0, n - 1 do
            entry(i, j, i, j, 4.5)
            entry(i, j, i - 1, j, -1)
            entry(i, j, i + 1, j, -1)
            entry(i, j, i, j - 1, -1)
            entry(i, j, i, j + 1, -1)
        end
    end
    return sparse.coo {shape = {m * n, m * n}, rows = rows, columns = columns, values = values}:to "csr"
end

-- Returns a matrix of n rows of one to ten entries, at most `reach` from the diagonal.
local function uneven_matrix(n, reach)
    math.randomseed(5)
    local rows, columns, values = {}, {}, {}
    for i = 0, n - 1 do
        local others = math.random(0, 3) ^ 2 // 1 | 0
        for k = 0, others do
            local j = k == 0 and i or i + math.random(-reach, reach)
            if j >= 0 and j < n then
                rows[#rows + 1], columns[#columns + 1], values[#values + 1] = i, j, k == 0 and 10 or -0.9
            end
        end
    end
    return sparse.coo {shape = {n, n}, rows = rows, columns = columns, values = values}:to "csr"
end

describe("rill.solve's stationary methods", function()
    leaks.watch(setup, teardown)

    shortened(it, "solve diagonally dominant systems, in every form of A #doubles", function(whole)
        for seed = 1, whole and 6 or 1 do
            local n = whole and 5 + 31 * seed or 33
            agree(random_rows(n, seed, 1.5), "float", "float", 2e-6, not whole)
            if whole then
                agree(random_rows(n, seed, 1.5, true), "double", "double", 1e-13)
                agree(random_rows(n, seed, 1.3), "double", "mixed", 1e-12)
            end
        end
    end)

    shortened(it, "take precisions past float's floor, and say where they stand on it", function(whole)
        local rows = random_rows(30, 3, 1.4)
        local A, b = rill.from(rows, "double"), rill.from(systems.product(rows, rows[1]), "double")
        for _, method in ipairs {"jacobi", whole and "gauss_seidel" or nil} do
            for _, precision in ipairs {"mixed", whole and "double" or nil} do
                local x = solve[method](A, b, {precision = precision, tolerance = 1e-13})
                assert.is_true(systems.residual(rows, b:values(), x:values()) <= 1e-13)
            end
            local _, report = solve[method](A, b, {precision = "float", tolerance = 1e-13, strict = false})
            assert.same({false, "floor"}, {report.converged, report.reason})
            assert.is_true(report.residual < 1e-6)
        end
    end)

    it("take functions, kernels and updates, over grids", function()
        local b = rill.random({19, 30}, {seed = 1})
        local size = b:norm()
        for _, method in ipairs(METHODS) do
            for form, A in ipairs {operate, stencil, update, relax} do
                local x, report = solve[method](A, b, {diagonal = 4.5, update = form > 2 or nil, tolerance = 1e-5})
                local y = form % 2 == 1 and stencil(x:boundary "zero") or stencil(x)
                assert.is_true(report.converged and (b - y):eval():norm() <= 1.1e-5 * size, method .. form)
                assert.is_true(method == "jacobi" or report.colors == 2)
            end
        end
        local held = rill.kernel [=[
            kernel void held(neighbor float u<>, float b<>, out float r<>) {
                int i = indexof(r).x;
                r = i == 0 ? 1.0 : i == 8 ? 5.0 : 0.5 * (u[-1] + u[1] + b);
            }
        ]=]
        local x = solve.gauss_seidel(held, rill.stream("float", 9), {update = true, diagonal = 2})
        check.equal({1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5}, x:values(), 1e-4)
        local d = rill.stream("float", {19, 30}, 4.5)
        assert.is_true(select(2, solve.jacobi(relax, b, {update = true, diagonal = d, omega = 0.9})).converged)
    end)

    it("color matrices for which two colors do not suffice #doubles", function()
        local ring = {}
        for i = 1, 7 do
            ring[i] = {0, 0, 0, 0, 0, 0, 0}
            ring[i][i], ring[i][i % 7 + 1], ring[i][(i - 2) % 7 + 1] = 3, 1, 1
        end
        local b = rill.from {1, 2, 3, 4, 5, 6, 7}
        assert.equal(3, select(2, solve.gauss_seidel(coo_of(ring), b)).colors)
        assert.equal(3, select(2, solve.gauss_seidel(coo_of(ring), b)).colours)
        local full = rill.stream("float", {20, 20}, function(i, j) return i == j and 30 or 1 end)
        assert.equal(20, select(2, solve.gauss_seidel(full, rill.stream("float", 20, 1))).colors)
    end)

    shortened(it, "leave out what has converged: fewer cells, the same iterations and residual #tables", function(whole)
        local b = rill.stream("float", {192, 160})
        b:set(1, 40, 30)
        local flat = rill.stream("float", 120 * 130)
        flat:set(1, 40 * 130 + 30)
        local cases = {
            {update, b, {update = true}}, {stencil_matrix(120, 130), flat, {}},
            {uneven_matrix(8000, 31), flat:domain(1, 8000), {}},
        }
        cases[4] = whole and {operate, b, {}} or nil
        for _, case in ipairs(cases) do
            local A, right, options = table.unpack(case)
            options.diagonal, options.tolerance = type(A) == "function" and 4.5 or nil, 1e-5
            local all, plain = solve.jacobi(A, right, options)
            options.active = true
            local x, report = solve.jacobi(A, right, options)
            assert.equal(plain.iterations * right.size, plain.visited)
            assert.is_true(report.visited <= 0.5 * plain.visited, report.visited / plain.visited)
            assert.equal(plain.iterations, report.iterations)
            assert.is_true(report.residual <= 1e-5 and (x - all):eval():norm() <= 1e-5)
            assert.equal(x:bytes(), solve.jacobi(A, right, options):bytes()) -- every run the same
        end
    end)

    it("allocate nothing between readings of the residual", function()
        local seen
        local function watched(u, b, r, where)
            seen[#seen + 1] = rill.memory().bytes
            update(u, b, r, where)
        end
        local b = rill.stream("float", {128, 160})
        b:set(1, 40, 30)
        for _, active in ipairs {false, true} do
            seen = {}
            collectgarbage "stop"
            solve.jacobi(watched, b, {
                update = true, diagonal = 4.5, active = active, iterations = 40, every = 40, strict = false,
            })
            collectgarbage "restart"
            assert.equal(seen[3], seen[40])
        end
    end)

    it("use active lists in any number of dimensions, and weights", function()
        for _, shape in ipairs {{300}, {37, 41}, {19, 20, 21}, {6, 7, 8, 9}} do
            local b = rill.stream("float", shape)
            b:reshape(b.size):set(1, b.size // 3)
            local function average(x, right, y, where)
                rill.kernel "kernel void u(float x<>, float b<>, out float y<>) { y = 0.5 * (x + b); }" {
                    x = x, b = right, y = y, where = where}
            end
            for omega = 0.75, 1, 0.25 do
                local x, report = solve.jacobi(average, b, {update = true, diagonal = 1, active = true, omega = omega})
                assert.is_true(report.converged and (x - b):eval():norm() <= 1e-5)
            end
        end
    end)

    it("raise errors about shapes, and about zeros on the diagonal with their row", function()
        local A, b = rill.from {{2, 1}, {1, 3}}, rill.from {1, 2}
        for _, method in ipairs(METHODS) do
            local f = solve[method]
            check.names({"rill.solve." .. method, "A is 2 x 2, b has 3 elements"}, f, A, rill.from {1, 2, 3})
            check.names({"0 on its diagonal, in row 2"}, f, rill.from {{2, 1}, {1, 0}}, b)
            local half = sparse.coo {shape = {2, 2}, rows = {1}, columns = {1}, values = {1}}
            check.names({"0 on its diagonal, in row 1"}, f, half, b)
            check.names({"A has NaN as element 2, 1"}, f, rill.from {{2, 1}, {0 / 0, 3}}, b)
            check.names({"x0 has NaN as element 1"}, f, A, b, {x0 = rill.from {0 / 0, 0}})
            check.names({"A is a function", "diagonal = 4"}, f, operate, b)
            check.names({"A is a matrix, whose diagonal is known"}, f, A, b, {diagonal = 2})
            check.names({"'diagonal' has shape 3, b has 2"}, f, operate, b, {diagonal = rill.stream("float", 3, 1)})
            check.names({"'diagonal'", "not 0"}, f, operate, b, {diagonal = 0})
            check.names({"an update", "got kernel"}, f, stencil, b, {update = true, diagonal = 4})
            check.names({"an update has one type"}, f, relax, b, {update = true, diagonal = 4, precision = "mixed"})
            check.names({"A is a kernel of float"}, f, relax, b, {update = true, diagonal = 4, precision = "double"})
        end
        check.names({"'omega'", "between 0 and 2"}, solve.sor, A, b, {omega = 2})
        check.names({"unknown option 'active'"}, solve.gauss_seidel, A, b, {active = true})
    end)

    shortened(it, "detect that they diverge, and say in which row A is not diagonally dominant", function(whole)
        local A, b = rill.from {{1, 5, 0}, {7, 1, 0}, {0, 0, 1}}, rill.from {1, 2, 3}
        local coo = coo_of(A:read())
        for _, method in ipairs(METHODS) do
            for _, M in ipairs(whole and {A, coo, coo:to "ell"} or {coo}) do
                check.names({"not converged", "dominant: in row 2 the diagonal has 1, the others sum up to 7"},
                    solve[method], M, b)
            end
            local _, report = solve[method](coo, b, {strict = false})
            assert.same({false, "diverged"}, {report.converged, report.reason})
        end
        local turned = coo_of {{1, -0.9, 0}, {0, 1, -0.9}, {-0.9, 0, 1}}
        check.names({"omega = 1.9 is too large"}, solve.sor, turned, b, {omega = 1.9})
        local grid = rill.random({9, 9}, {seed = 1})
        check.names({"grew", "is 'diagonal' A's?"}, solve.jacobi, stencil, grid, {diagonal = 1})
        check.names({"grew"}, solve.jacobi, relax, grid, {diagonal = 4.5, update = true, omega = 2})
    end)

    it("solve systems of no and of one unknown, b = 0, diagonal rows, and at limits #doubles", function()
        for _, method in ipairs(METHODS) do
            local f = solve[method]
            assert.equal(0, f(rill.stream("float", {0, 0}), rill.stream("float", 0)).size)
            assert.equal(0, f(relax, rill.stream("float", {0, 4}), {update = true, diagonal = 4}).size)
            check.equal({2.5}, f(rill.from {{4}}, rill.from {10}):values(), 1e-5)
            check.equal({0, 0}, f(rill.from {{2, 1}, {1, 3}}, rill.from {0, 0}, {x0 = rill.from {1, 1}}):values())
            check.equal({1, 2, 3}, f(rill.from {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}, rill.from {2, 4, 6}):values(), 1e-5)
            local A, b = rill.from {{2, 1}, {1, 2}}, rill.from {3, 3}
            local _, cut = f(A, b, {iterations = 3, strict = false, tolerance = 1e-9})
            assert.same({3, "iterations"}, {cut.iterations, cut.reason})
            assert.equal(0, select(2, f(A, b, {x0 = rill.from {1, 1}})).iterations)
        end
    end)
end)
