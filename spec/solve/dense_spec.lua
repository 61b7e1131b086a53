-- Compares rill.solve.lu and rill.solve.cholesky with elimination in plain Lua in double precision.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"
local systems = require "spec.support.systems"

local solve = rill.solve
local NAN <const>, INFINITY <const> = 0.0 / 0.0, math.huge
local UNIT <const> = {float = 2.0 ^ -24, double = 2.0 ^ -53}

-- Elimination with partial pivoting. Returns x of rows x = b, both tables, or nil if a pivot is 0; and the determinant.
local function eliminate(rows, b)
    local n, a, x, determinant = #rows, {}, {}, 1.0
    for i, row in ipairs(rows) do
        a[i] = {table.unpack(row)}
        a[i][n + 1] = b[i]
    end
    for k = 1, n do
        local p = k
        for i = k + 1, n do
            p = math.abs(a[i][k]) > math.abs(a[p][k]) and i or p
        end
        determinant = determinant * a[p][k] * (p == k and 1 or -1)
        a[k], a[p] = a[p], a[k]
        if a[k][k] == 0 then
            return nil, 0.0
        end
        for i = k + 1, n do
            local l = a[i][k] / a[k][k]
            for j = k, n + 1 do
                a[i][j] = a[i][j] - l * a[k][j]
            end
        end
    end
    for i = n, 1, -1 do
        local sum = a[i][n + 1]
        for j = i + 1, n do
            sum = sum - a[i][j] * x[j]
        end
        x[i] = sum / a[i][i]
    end
    return x, determinant
end

local function random(shape, seed, type)
    return rill.random(shape, {seed = seed, type = type, low = -1})
end

-- Returns M' M / n + 1 for each matrix of a stream, whose condition number is moderate.
local function definite(M)
    local n, values, list = M.shape[#M.shape], M:values(), {}
    for first = 0, M.size - 1, n * n do
        for i = 1, n do
            for j = 1, n do
                local sum, small, large = i == j and 1.0 or 0.0, math.min(i, j), math.max(i, j)
                for k = 0, n - 1 do
                    sum = sum + values[first + k * n + small] * values[first + k * n + large] / n
                end
                list[first + (i - 1) * n + j] = sum
            end
        end
    end
    return rill.stream(M.type, M.shape, list)
end

-- Compares x with plain Lua's, within the error that the sizes allow, and checks that the report's residual is the true one.
local function check_one(rows, b, x, report, type, where)
    local expected = eliminate(rows, b)
    local size, n = 0.0, #rows
    for _, row in ipairs(rows) do
        size = math.max(size, systems.norm(row))
    end
    local share = systems.residual(rows, b, x)
    local allowed = 4 * n * UNIT[type] * (1 + math.sqrt(n) * size * systems.norm(expected) / systems.norm(b))
    assert.is_true(share <= allowed, ("%s: residual %g, allowed %g"):format(where, share, allowed))
    assert.is_true(math.abs(report.residual - share) <= 1e-3 * share + 1e-13, where)
end

local makers = {lu = function(M) return M end, cholesky = definite}

describe("rill.solve.lu, rill.solve.cholesky", function()
    leaks.watch(setup, teardown)

    shortened(it, "solve systems of any size, as near as their precision is", function(whole)
        for _, type in ipairs(whole and {"float", "double"} or {"float"}) do
            for _, n in ipairs(whole and {1, 2, 3, 4, 5, 7, 16, 31, 32, 33, 63, 64, 65, 97, 130} or {1, 33, 70}) do
                for method, make in pairs(makers) do
                    local A, b = make(random({n, n}, n, type)), random(n, n + 1, type)
                    local before = A:values()
                    local x, report = solve[method](A, b, {tolerance = 1})
                    assert.equal(type, x.type)
                    check_one(A:read(), b:values(), x:values(), report, type, method .. " of " .. n)
                    check.equal(before, A:values())
                    check.equal(x:values(), solve[method](A, b, {tolerance = 1}):values())
                end
            end
        end
    end)

    shortened(it, "solve batches, a lane for each system where there are many", function(whole)
        for _, type in ipairs(whole and {"float", "double"} or {"float"}) do
            for _, size in ipairs(whole and {{1, 3}, {31, 5}, {32, 1}, {33, 2}, {40, 32}, {40, 33}, {3, 70},
                {100, 9}} or {{40, 6}, {3, 34}}) do
                local count, n = size[1], size[2]
                for method, make in pairs(makers) do
                    local A, b = make(random({count, n, n}, n, type)), random({count, n, 2}, count, type)
                    local x, report = solve[method](A, b, {tolerance = 1})
                    local rows, sides, got, worst = A:read(), b:read(), x:read(), 0.0
                    for s = 1, count do
                        for c = 1, 2 do
                            local side, column = {}, {}
                            for i = 1, n do
                                side[i], column[i] = sides[s][i][c], got[s][i][c]
                            end
                            local share = systems.residual(rows[s], side, column)
                            check_one(rows[s], side, column, {residual = share}, type, method .. " in a batch")
                            worst = math.max(worst, share)
                        end
                    end
                    assert.is_true(math.abs(report.residual - worst) <= 1e-3 * worst + 1e-13)
                    local side = b:domain({1, 1, 2}, {count, n, 2}):copy():reshape({count, n})
                    local column = x:domain({1, 1, 2}, {count, n, 2}):values()
                    check.equal(column, solve[method](A, side, {tolerance = 1}):values(), 1e-3)
                end
            end
        end
    end)

    shortened(it, "take views, expressions, several right-hand sides and batches of batches", function(whole_test)
        local whole = random({50, 60}, 1)
        local A, b = whole:domain({3, 5}, {42, 44}):transpose(), random({40, 20}, 2)
        local x, report = solve.lu(A, b:transpose():copy():transpose())
        assert.is_true(report.converged)
        assert.equal(b.shape, x.shape)
        assert.is_true((rill.matmul(A, x) - b):eval():norm() <= 1e-4 * b:norm())
        local S = rill.sparse.csr {shape = {2, 2}, offsets = {0, 1, 3}, columns = {0, 0, 1}, values = {2, 1, 1}}
        check.equal({2, 3}, solve.lu(S, rill.from {4, 5}):values())
        S:close()
        if not whole_test then
            return
        end
        check.equal(solve.lu(A, b * 1):values(), x:values())
        local batch, sides = random({2, 3, 4, 4}, 3), random({2, 3, 4}, 4)
        local y = solve.lu(batch, sides)
        local one = solve.lu(batch:domain({2, 3, 1, 1}, {2, 3, 4, 4}):reshape({4, 4}), sides[2][3])
        check.equal(one:values(), y[2][3]:values(), 1e-5)
        local wide = solve.lu(A, b:domain({1, 1}, {40, 1}))
        assert.equal(rill.stream("float", {40, 1}).shape, wide.shape)
    end)

    it("take systems without rows, and batches without systems", function()
        for method in pairs(makers) do
            local x, report = solve[method](rill.stream("float", {0, 0}), rill.stream("float", 0))
            assert.equal(0, x.size)
            assert.is_true(report.converged)
            local y = solve[method](rill.stream("double", {0, 3, 3}), rill.stream("double", {0, 3, 2}))
            assert.equal("0x3x2", tostring(y.shape))
            assert.equal(0, solve[method](rill.from {{2}}, rill.stream("float", {1, 0})).size)
            check.equal({0, 0}, solve[method](rill.from {{2, 1}, {1, 2}}, rill.stream("float", 2)):values())
        end
    end)

    it("exchange rows, and report the growth of the factors", function()
        local A = rill.from {{0, 1, 0}, {0, 0, 2}, {4, 0, 0}}
        local x, report = solve.lu(A, rill.from {1, 4, 12})
        check.equal({3, 1, 2}, x:values())
        assert.equal(0.0, report.residual)
        assert.equal(1.0, report.growth)
        assert.equal(0.25, report.pivot)
        -- The factors of Wilkinson's matrix have the largest growth that partial pivoting allows.
        local n = 20
        local W = rill.stream("float", {n, n}, function(i, j) return (i == j or j == n) and 1 or i > j and -1 or 0 end)
        assert.equal(2.0 ^ (n - 1), select(2, solve.lu(W, random(n, 1))).growth)
    end)

    it("refuse singular matrices, and those not positive definite, with the pivot", function()
        local A, b = rill.from {{1, 2, 3}, {2, 4, 6}, {1, 0, 1}}, rill.from {1, 2, 3}
        check.names({"rill.solve.lu", "singular", "pivot 3 is 0", "strict = false"}, solve.lu, A, b)
        local _, report = solve.lu(A, b, {strict = false})
        assert.same({false, "singular", 3, INFINITY}, {report.converged, report.reason, report.row, report.residual})
        check.names({"rill.solve.cholesky", "not positive definite", "pivot of row 2 is not above 0"}, solve.cholesky,
            rill.from {{1, 2}, {2, 1}}, rill.from {1, 2})
        check.names({"row 1 is not above 0"}, solve.cholesky, rill.from {{0}}, rill.from {1})
        check.names({"not symmetric", "1, 2 and 2, 1", "differ by 1"}, solve.cholesky, rill.from {{3, 2}, {1, 3}},
            rill.from {1, 2})
        for _, size in ipairs {{40, 5}, {3, 40}} do -- the others of a batch are solved
            local count, n = size[1], size[2]
            local batch, sides = random({count, n, n}, 1), random({count, n}, 2)
            batch:domain({2, 4, 1}, {2, 4, n}):fill(0)
            check.names({("pivot %d of system 2 is 0"):format(n)}, solve.lu, batch, sides)
            local x, told = solve.lu(batch, sides, {strict = false})
            assert.same({2, n, "singular"}, {told.system, told.row, told.reason})
            assert.equal(n, rill.isnan(x):count())
            assert.equal(n, rill.isnan(x[2]):count())
        end
    end)

    shortened(it, "do not pass off what rounding made of a singular matrix", function(whole)
        local A = rill.from {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}} * 0.1
        check.names({"rill.solve.lu"}, solve.lu, A, rill.from {1, 2, 4})
        if not whole then
            return
        end
        local H = rill.stream("double", {14, 14}, function(i, j) return 1 / (i + j - 1) end)
        local b = random(14, 1, "double")
        local x, report = solve.lu(H, b, {strict = false})
        local share = systems.residual(H:read(), b:values(), x:values())
        assert.equal(share <= 1e-6, report.converged)
        assert.is_true(math.abs(share - report.residual) <= 0.1 * share)
        check.names({'not converged'}, solve.lu, H, b, {precision = "mixed"})
    end)

    shortened(it, "refine past float's floor in mixed precision", function(whole)
        for method, make in pairs(makers) do
            for _, type in ipairs(whole and {"float", "double"} or {"float"}) do
                local A, b = make(random({40, 40}, 5, type)), random(40, 6, type)
                local x, report = solve[method](A, b, {precision = "mixed", tolerance = 1e-13})
                assert.equal("double", x.type)
                assert.is_true(systems.residual(A:read(), b:values(), x:values()) <= 1e-13)
                assert.equal(report.iterations, report.history[#report.history][1])
                assert.equal(report.residual, report.history[#report.history][2])
            end
        end
        -- The result in double, rounded to float.
        local A = rill.stream("float", {6, 6}, function(i, j) return 1 / (i + j - 1) end)
        local b = rill.from {1, -2, 3, -4, 5, -6}
        local x, report = solve.lu(A, b, {precision = "float"})
        check.equal(eliminate(A:read(), b:values()), x:values(), 1e-7 * rill.abs(x):max())
        assert.is_true(report.converged and report.iterations > 0)
        check.names({"falls no further", '"mixed"'}, solve.lu, A, b, {tolerance = 1e-9})
    end)

    shortened(it, "solve systems of any scale", function(whole)
        for type, scales in pairs {float = {1e-30, 1e30}, double = whole and {1e-200, 1e250} or nil} do
            local M, b = random({5, 5}, 7, type), random(5, 8, type)
            local plain = solve.lu(M, b)
            for _, scale in ipairs(scales) do
                check.equal(plain:values(), solve.lu((M * scale):eval(), (b * scale):eval()):values(), 1e-4)
            end
            if not whole then
                return
            end
            local S = definite(M)
            local tiny = solve.cholesky((S * scales[1]):eval(), (b * scales[1]):eval())
            check.equal(solve.cholesky(S, b):values(), tiny:values(), 1e-4)
        end
        local batch = random({40, 3, 3}, 1, "double")
        local by = rill.stream("double", {40, 1, 1}, function(s) return 10.0 ^ (s * 10 - 200) end)
        local b = random({40, 3}, 2, "double")
        local scaled = solve.lu((batch * by):eval(), (b * by:reshape({40, 1})):eval(), {precision = "mixed"})
        check.equal(solve.lu(batch, b):values(), scaled:values(), 1e-6)
    end)

    it("keep factors for many right-hand sides, and determinants", function()
        local A, b = random({37, 37}, 9), random({37, 3}, 10)
        local F <close> = solve.lu(A)
        check.equal(solve.lu(A, b):values(), F:solve(b):values())
        check.equal(solve.lu(A, b):values(), F:solve(b, {strict = false}):values())
        assert.equal("factors<float>[37x37] by rill.solve.lu", tostring(F))
        assert.equal("factors", rill.type(F))
        local kept <close> = A:copy()
        A:fill(0) -- they are of what A was
        assert.is_true(select(2, F:solve(b)).converged)
        local zeros = {}
        for i = 1, 37 do
            zeros[i] = 0
        end
        local _, expected = eliminate(kept:read(), zeros)
        local determinant, log = F:determinant()
        assert.is_true(math.abs(determinant / expected - 1) < 1e-3)
        assert.is_true(math.abs(log - math.log(math.abs(expected))) < 1e-3)
        local S = rill.from({{{4, 2}, {2, 3}}, {{1, 0}, {0, 5}}})
        local C = solve.cholesky(S, {precision = "float"})
        check.equal({8, 5}, C:determinant():values(), 1e-5)
        C:close()
        assert.equal("closed factors", tostring(C))
        check.names({"F:solve", "closed"}, C.solve, C, S)
        check.names({"no field or method 'inverse'"}, function() return F.inverse end)
        check.names({"precision", "float"}, F.solve, F, b, {precision = "double"})
        check.names({"singular", "pivot 2"}, solve.lu, rill.from {{1, 1}, {1, 1}})
        assert.equal(0, (solve.lu(rill.from {{1, 1}, {1, 1}}, {strict = false}):determinant()))
        assert.equal(1, (solve.lu(rill.stream("float", {0, 0})):determinant()))
    end)

    it("raise errors about shapes before they begin", function()
        local A, b = rill.from {{2, 1}, {1, 3}}, rill.from {1, 2}
        for method in pairs(makers) do
            local f = solve[method]
            check.names({"rill.solve." .. method, "A is 3 x 4: it must be square"}, f, rill.stream("float", {3, 4}), b)
            check.names({"A is 5 x 3 x 4: its matrices must be square"}, f, rill.stream("float", {5, 3, 4}), b)
            check.names({"A has 2 elements", "matrix"}, f, b, b)
            check.names({"A is 2 x 2, b has 5 elements"}, f, A, rill.stream("float", 5))
            check.names({"A is 2 x 2, b is 3 x 2"}, f, A, rill.stream("float", {3, 2}))
            local four, three = rill.stream("float", {4, 2, 2}), rill.stream("float", {3, 2})
            check.names({"A is 4 x 2 x 2, b is 3 x 2"}, f, four, three)
            check.names({"A has NaN as element 2, 1"}, f, rill.from {{2, 1}, {NAN, 3}}, b)
            check.names({"A has infinity as element 1, 1"}, f, rill.from {{INFINITY, 1}, {1, 3}}, b)
            check.names({"b has NaN as element 2"}, f, A, rill.from {1, NAN})
            check.names({"unknown option 'every'"}, f, A, b, {every = 1})
            check.names({"'precision'"}, f, A, b, {precision = "half"})
            check.names({"float or double"}, f, A, rill.from({1, 2}, "int"))
            check.names({"open stream"}, f, "A", b)
        end
    end)
end)
