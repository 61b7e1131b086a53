-- Compares conjugate gradients for small sparse matrices, which run in one launch, with the same matrix given as a function.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"
local systems = require "spec.support.systems"

local solve, sparse = rill.solve, rill.sparse

-- Returns a random symmetric, strictly diagonally dominant matrix of n rows, as entries and as rows {column -> value}. `full`: a row with all columns; `empty`:
-- a row without entries.
local function random(n, seed, full, empty)
    math.randomseed(seed)
    local rows, sums, list = {}, {}, {rows = {}, columns = {}, values = {}}
    for i = 1, n do
        rows[i], sums[i] = {}, 0.5
    end
    local function pair(i, j, value)
        if i ~= j and i ~= empty and j ~= empty and not rows[i][j] then
            rows[i][j], rows[j][i] = value, value
            sums[i], sums[j] = sums[i] + math.abs(value), sums[j] + math.abs(value)
        end
    end
    for _ = 1, 2 * n do
        pair(math.random(n), math.random(n), math.random() - 0.5)
    end
    for j = 1, full and n or 0 do
        pair(full, j, math.random() - 0.5)
    end
    for i = 1, n do
        rows[i][i] = i ~= empty and sums[i] or nil
        for j, value in pairs(rows[i]) do
            local k = #list.rows + 1
            list.rows[k], list.columns[k], list.values[k] = i - 1, j - 1, value
        end
    end
    return list, rows
end

local function matrix(n, list, type)
    return sparse.coo {shape = {n, n}, rows = rill.from(list.rows, "int"), columns = rill.from(list.columns, "int"),
        values = rill.from(list.values, type)}
end

-- Returns the number of launches of one group that a function makes.
local function launches(f)
    local count = 0
    for _, row in ipairs(rill.profile(f)) do
        count = count + (row.name:find("cg_group", 1, true) and row.calls or 0)
    end
    return count
end

-- Types of values, precisions, and preconditioners.
local CASES <const> = {
    {"float", "float"}, {"float", "mixed", "jacobi"}, {"double", "mixed"}, {"double", "double"},
}

describe("rill.solve.cg in one work group", function()
    leaks.watch(setup, teardown)

    shortened(it, "solves systems of any number of rows, in any precision #tables #doubles", function(whole)
        for _, n in ipairs(whole and {1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 255, 256, 257, 900, 1023, 1025, 3000} or
            {1, 257}) do
            local list, rows = random(n, n, n > 1 and n <= 900 and n // 2 or nil, n > 40 and 7)
            local exact = {}
            for i = 1, n do
                exact[i] = math.sin(i)
            end
            local right = systems.product(rows, exact)
            for _, case in ipairs(whole and CASES or {CASES[1], CASES[2]}) do
                local type, precision, name = table.unpack(case)
                local tolerance = precision == "float" and 1e-5 or 1e-6
                local x, report = solve.cg(matrix(n, list, type), rill.from(right, "double"), {precision = precision,
                    tolerance = tolerance, preconditioner = n <= 40 and name or nil}) -- a row without entries has no diagonal
                local residual = systems.residual(rows, right, x:values())
                assert.is_true(residual <= 1.1 * tolerance + 1e-7, residual)
                assert.is_true(math.abs(residual - report.residual) <= 2e-7, report.residual)
            end
        end
    end)

    it("needs few launches, and the same iterations and history as with separate launches #tables", function()
        local n = 300
        local list = random(n, 5)
        local A = matrix(n, list, "float")
        local b = rill.random(n, {seed = 2, low = -1})
        local options = {tolerance = 1e-5, every = 3}
        solve.cg(A, b, options)
        local report, single
        local count = launches(function()
            local x
            x, report = solve.cg(A, b, options)
            x:close()
        end)
        assert.is_true(count >= 1 and count <= 3, count)
        local _
        _, single = solve.cg(function(x, y) A:multiply(x, y) end, b, options)
        assert.is_true(math.abs(report.iterations - single.iterations) <= 1)
        assert.equal(3, report.history[2][1])
        assert.equal(6, report.history[3][1])
        assert.is_true(math.abs(report.history[3][2] / single.history[3][2] - 1) < 1e-3)
        assert.equal(report.iterations, report.history[#report.history][1])
    end)

    it("takes x0 and views, and stops at its limits #tables", function()
        local n = 100
        local list, rows = random(n, 8)
        local A = matrix(n, list, "float")
        local all = rill.random(2 * n + 3, {seed = 2, low = -1})
        local b = all:domain(4, 2 * n + 3):stride(2)
        local x, report = solve.cg(A, b, {x0 = rill.random(n, {seed = 3}), tolerance = 1e-5})
        assert.is_true(report.converged and systems.residual(rows, b:values(), x:values()) <= 1.01e-5)
        local _, again = solve.cg(A, b, {x0 = x, tolerance = 1e-5})
        assert.equal(0, again.iterations)
        local cut, made = solve.cg(A, b, {iterations = 2, strict = false})
        assert.equal("iterations", made.reason)
        assert.equal(2, made.iterations)
        assert.is_true(math.abs(systems.residual(rows, b:values(), cut:values()) - made.residual) <= 1e-6)
        local _, floor = solve.cg(A, b, {tolerance = 1e-10, strict = false})
        assert.equal("floor", floor.reason)
        assert.is_true(floor.residual < 1e-6)
    end)

    it("reads values that were written later, and reports NaN and infinity in them #tables", function()
        local A = sparse.csr {shape = {3, 3}, offsets = {0, 1, 2, 3}, columns = {0, 1, 2}, values = {1, 2, 4}}
        local b = rill.from {1, 2, 4}
        check.equal({1, 1, 1}, solve.cg(A, b):values(), 1e-6)
        A.values:write {2, 2, 2}
        check.equal({0.5, 1, 2}, solve.cg(A, b):values(), 1e-6)
        A.values:set(-2, 2)
        local _, report = solve.cg(A, b, {strict = false})
        assert.equal("indefinite", report.reason)
        check.names({"p'A p is", "not positive definite"}, solve.cg, A, b)
        A.values:set(0 / 0, 3)
        check.names({"A.values has NaN as element 3"}, solve.cg, A, b)
        A.values:write {1e-30, 1, 1}
        local x, made = solve.cg(A, rill.from {1e30, 0, 0}, {strict = false})
        assert.equal("diverged", made.reason)
        check.equal({0, 0, 0}, x:values())
    end)

    shortened(it, "takes tiles of matrices whose entries stand close together #tables #doubles", function(whole)
        for _, n in ipairs(whole and {1000, 1001, 1023, 1027} or {1001}) do
            local wide, list, rows, exact = 17, {rows = {}, columns = {}, values = {}}, {}, {}
            for i = 1, n do
                rows[i], exact[i] = {}, math.cos(i)
                for j = math.max(1, i - wide), math.min(n, i + wide) do
                    local value = i == j and 9.5 or math.sin(i + j) / 2
                    local k = #list.rows + 1
                    list.rows[k], list.columns[k], list.values[k] = i - 1, j - 1, value
                    rows[i][j] = value
                end
            end
            local right = systems.product(rows, exact)
            for _, case in ipairs(whole and CASES or {CASES[3]}) do
                local type, precision, name = table.unpack(case)
                local A, b = matrix(n, list, type):to "csr", rill.from(right, "double")
                local tolerance = precision == "float" and 1e-5 or 1e-7
                local options = {precision = precision, tolerance = tolerance, preconditioner = name}
                local x, report
                assert.is_true(launches(function() x, report = solve.cg(A, b, options) end) > 0)
                local residual = systems.residual(rows, right, x:values())
                assert.is_true(residual <= 1.1 * tolerance + (type == "float" and 1e-7 or 0), residual)
                assert.is_true(math.abs(residual - report.residual) <= 2e-7)
                A.values:write(A.values * 2) -- a power of two: the same rounding
                local half, again = solve.cg(A, b, options)
                assert.equal(report.iterations, again.iterations)
                check.equal(x:values(), (half * 2):values(), 0)
            end
        end
    end)
end)
