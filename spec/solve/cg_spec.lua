-- Tests conjugate gradients, and the common part of all solvers: operators, options, reports.
local rill = require "rill"
local check = require "spec.support.check"
local leaks = require "spec.support.leaks"
local shortened = require "spec.support.shortened"
local systems = require "spec.support.systems"
local tempfiles = require "spec.support.tempfiles"
local cg = require "rill.solve.cg"
local operator = require "rill.solve.operator"
local words = require "rill.core"._cg_words

local solve, sparse = rill.solve, rill.sparse

-- Returns a random symmetric positive definite matrix, M' M + n, as rows.
local function definite(n, seed)
    math.randomseed(seed)
    local m, rows = {}, {}
    for i = 1, n do
        m[i], rows[i] = {}, {}
        for j = 1, n do
            m[i][j] = math.random() - 0.5
        end
    end
    for i = 1, n do
        for j = 1, n do
            local sum = i == j and n / 10 or 0.0
            for k = 1, n do
                sum = sum + m[k][i] * m[k][j]
            end
            rows[i][j] = sum
        end
    end
    return rows
end

local stencil = rill.kernel [=[
    kernel void stencil(neighbor float u<>, out float r<>) {
        r = 4.5 * u[0][0] - u[0][-1] - u[0][1] - u[-1][0] - u[1][0];
    }
]=]

describe("rill.solve.cg", function()
    leaks.watch(setup, teardown)

    it("ends with the error of a function, or with the solution if the function was not needed any more", function()
        local kernel = rill.kernel [[kernel void laplace(neighbor float u<>, out float r<>) {
            r = 4.5 * u[0][0] - u[0][-1] - u[0][1] - u[-1][0] - u[1][0]; }]]
        local b = rill.random({20, 20}, {seed = 1})
        local calls, stop
        local function A(u, r)
            calls = calls + 1
            if calls == stop then error("stopped", 0) end
            kernel {u = u:boundary "zero", r = r}
        end
        local function run(at)
            calls, stop = 0, at
            return pcall(solve.cg, A, b, {every = 2, tolerance = 1e-4})
        end
        local _, x, report = run(0)
        local last, failed = calls, 0
        assert.is_true(report.converged)
        for at = 1, last do
            local done, y, other = run(at)
            if done then
                assert.equal(report.iterations, other.iterations)
                assert.equal(x:bytes(), y:bytes())
            else
                failed = failed + 1
                assert.equal("stopped", y)
            end
        end
        assert.is_true(failed >= last - 1)
    end)

    shortened(it, "solves dense and sparse systems; the residual reported is the true one #doubles", function(whole)
        local rows = definite(40, 1)
        local list = {}
        for i = 1, 40 do
            list[i] = math.sin(i)
        end
        for _, type in ipairs(whole and {"float", "double"} or {"float"}) do
            local A, b = rill.from(rows, type), rill.from(list, type)
            local i, j = rill.iota(1600) // 40, rill.iota(1600) % 40
            local S = sparse.coo {shape = {40, 40}, rows = i, columns = j, values = A:reshape(1600)}
            for _, matrix in ipairs(whole and {A, S, S:to "csr", S:to "ell"} or {A, S}) do
                local x, report = solve.cg(matrix, b)
                assert.equal(type, x.type)
                local residual = systems.residual(A:read(), b:values(), x:values())
                assert.is_true(report.converged and report.residual <= 1e-6)
                assert.is_true(math.abs(residual - report.residual) <= 1e-12, residual)
            end
        end
    end)

    it("takes functions and kernels, over streams of any shape", function()
        local b = rill.random({20, 30}, {seed = 1})
        local x, report = solve.cg(function(u, r) stencil(u:boundary "zero", r) end, b)
        assert.is_true(report.converged)
        assert.is_true((b - stencil(x:boundary "zero")):eval():norm() <= 2e-6 * b:norm())
        local scale = rill.kernel "kernel void scale(float u<>, out float r<>) { r = 2.0 * u; }"
        check.equal({1, 2}, solve.cg(scale, rill.from {2, 4}):values(), 1e-6)
    end)

    it("takes precisions, a first guess, tolerances and limits", function()
        local rows = definite(30, 2)
        local A, near = rill.from(rows, "double"), rill.random(30, {seed = 3, type = "double"})
        local b = rill.matmul(A, near)
        for precision, tolerance in pairs {float = 1e-5, mixed = 1e-12, double = 1e-12} do
            local x, report = solve.cg(A, b, {precision = precision, tolerance = tolerance})
            assert.equal(precision == "float" and "float" or "double", x.type)
            assert.is_true(systems.residual(rows, b:values(), x:values()) <= tolerance)
            assert.equal(tolerance, report.tolerance)
        end
        local _, begun = solve.cg(A, b, {x0 = near})
        assert.equal(0, begun.iterations)
        local x, cut = solve.cg(A, b, {iterations = 2, strict = false, every = 1})
        assert.is_false(cut.converged)
        assert.equal("iterations", cut.reason)
        assert.equal(2, cut.iterations)
        assert.is_true(math.abs(systems.residual(rows, b:values(), x:values()) - cut.residual) <= 1e-12)
        assert.equal(2, cut.history[#cut.history][1])
        check.names({"rill.solve.cg", "not converged after 2 iterations", "strict = false"}, solve.cg, A, b,
            {iterations = 2})
        local _, floor = solve.cg(A, b, {precision = "float", tolerance = 1e-12, strict = false})
        assert.is_false(floor.converged)
        assert.equal("floor", floor.reason)
        assert.is_true(floor.residual < 1e-6)
        check.names({"falls no further", '"mixed"'}, solve.cg, A, b, {precision = "float", tolerance = 1e-12})
    end)

    it("raises errors about shapes before it begins", function()
        local A, b = rill.from {{2, 1}, {1, 3}}, rill.from {1, 2}
        check.names({"A is 2 x 2, b has 3 elements"}, solve.cg, A, rill.from {1, 2, 3})
        check.names({"A is 2 x 3", "square"}, solve.cg, rill.from {{1, 2, 3}, {4, 5, 6}}, b)
        check.names({"A has NaN as element 2, 1"}, solve.cg, rill.from {{2, 1}, {0 / 0, 3}}, b)
        check.names({"b has infinity as element 2"}, solve.cg, A, rill.from {1, math.huge})
        check.names({"unknown option 'speed'"}, solve.cg, A, b, {speed = 1})
        check.names({"'tolerance'", "got number -1"}, solve.cg, A, b, {tolerance = -1})
        check.names({"'x0'", "3"}, solve.cg, A, b, {x0 = rill.stream("float", 3)})
        check.names({"function", "got string"}, solve.cg, "A", b)
        check.names({"float or double"}, solve.cg, A, rill.from({1, 2}, "int"))
    end)

    it("solves systems of no and of one unknown, and b = 0", function()
        assert.equal(0, solve.cg(rill.stream("float", {0, 0}), rill.stream("float", 0)).size)
        check.equal({2.5}, solve.cg(rill.from {{4}}, rill.from {10}):values())
        check.equal({0, 0}, solve.cg(rill.from {{2, 1}, {1, 3}}, rill.from {0, 0}, {x0 = rill.from {1, 1}}):values())
    end)

    it("detects that A is not positive definite", function()
        local _, report = solve.cg(rill.from {{1, 0}, {0, -1}}, rill.from {1, 2}, {strict = false})
        assert.is_false(report.converged)
        assert.equal("indefinite", report.reason)
        check.names({"not positive definite"}, solve.cg, rill.from {{1, 2}, {2, 1}}, rill.from {1, -1})
        check.names({"not positive definite"}, solve.cg, rill.from {{0, 0}, {0, 0}}, rill.from {1, 2})
    end)

    it("returns the x of the least residual if it diverges", function()
        local x, report = solve.cg(rill.from {{1, 1}, {1, 1}}, rill.from {1, 2}, {strict = false})
        assert.is_false(report.converged)
        assert.is_true(math.abs(report.residual - 1 / 3) < 1e-6, tostring(report)) -- after one step along b
        check.equal({5 / 9, 10 / 9}, x:values(), 1e-6)
        local _, message = pcall(solve.cg, rill.from {{1, 1}, {1, 1}}, rill.from {1, 2})
        -- The order of summation decides.
        assert(message:find "the residual grew.*bicgstab"
            or not rill.device().software and message:find "p'A p is 0", message)
        check.names({"the residual grew", "bicgstab"}, solve.cg, rill.from {{3, 2}, {-1, 3}}, rill.from {1, 2})
    end)

    shortened(it, "stops with the least residual of a singular system without a solution", function(whole)
        local function given(r, z) z:write(0.25 * r) end
        for _, n in ipairs(whole and {5, 40, 300, 9000} or {40, 9000}) do
            local all <const> = whole or n == 40
            local S, b, least = systems.neumann(n, 0.01)
            for _, method in ipairs(all and {"cg", "bicgstab"} or {"cg"}) do
                for _, A in ipairs(all and {S, function(x, y) S:multiply(x, y) end} or {S}) do
                    for _, form in ipairs(all and {false, A == S and "jacobi" or false, given} or {false}) do
                        local _, report = solve[method](A, b, {preconditioner = form or nil, strict = false,
                            iterations = 1000})
                        assert.is_false(report.converged)
                        assert.is_true(report.residual < 6 * least, method .. " " .. n .. " " .. tostring(report))
                    end
                end
            end
        end
    end)

    shortened(it, "restores the x of the least residual in all groups of a dispatch", function(whole)
        for _, n in ipairs {4000, 9001, 60000} do -- one group, some, and more than run at a time
            for _, T in ipairs(whole and {"float", "double"} or {n == 4000 and "double" or "float"}) do
                local solvable = rill.iota(n):map("x % 997 == 5 ? 0 : 1"):cast(T)
                local a = ((rill.random(n, {seed = 6}) * 3 + 0.5) * solvable):eval():cast(T)
                local b = ((rill.random(n, {seed = 8}) + 0.5) * (solvable + 1e-5)):eval():cast(T)
                local machine = cg.machine(b, function(p, q) q:write(a * p) end)
                local r, x = operator.room(T, {n}), operator.room(T, {n})
                r:write(b)
                machine.begin(r, x)
                machine.first(r, x, 0)
                local least, best = math.huge, nil
                repeat
                    machine.go(r, x, 0, 1)
                    local rr = machine.kept:values()[words.RR + 1]
                    if rr < least then
                        least, best = rr, x:copy()
                    end
                until rr > 1000 * least or machine.kept:values()[words.STATE + 1] ~= 0
                machine.finish(r, x, 1)
                assert.equal(0, (x - best):norm(), T .. " " .. n)
            end
        end
    end)

    it("keeps its x if it runs out of iterations", function()
        local d = (rill.iota(500) ^ 2 + 1):eval():cast "float"
        local b = (1 / d):eval()
        local function error_of(x) return (d * (x - b / d) ^ 2):sum() end -- in the norm that the method makes less
        local x, report = solve.cg(function(u, v) v:write(d * u) end, b, {iterations = 10, strict = false})
        assert.equal("iterations", report.reason)
        assert.is_true(report.residual > 1 and error_of(x) < 0.3 * error_of(b * 0))
    end)

    shortened(it, "shares long vectors out among groups #tables", function(whole)
        local known = {jacobi = "jacobi", none = nil, given = function(r, z) z:write(r * 0.25) end}
        for _, n in ipairs(whole and {8191, 8192, 8193, 70001, 300007} or {8197}) do
            local i = rill.iota(n)
            local one = rill.stream("double", n - 1, -1)
            local A = sparse.coo {
                shape = {n, n}, rows = rill.concat {i:copy(), i:domain(2, n):copy(), i:domain(1, n - 1):copy()},
                columns = rill.concat {i:copy(), i:domain(1, n - 1):copy(), i:domain(2, n):copy()},
                values = rill.concat {(2.5 + (i % 7)):eval():cast "double", one, one},
            }:to "csr"
            local b = rill.random(n, {seed = n, low = -1})
            for name in pairs(whole and {jacobi = true, none = true, given = true} or {jacobi = true}) do
                for _, precision in ipairs(whole and {"float", "double"} or {"float"}) do
                    local x, report = solve.cg(A, b, {precision = precision, preconditioner = known[name]})
                    local list, right, above, below = x:values(), b:values(), 0.0, 0.0
                    for k = 1, n do
                        local r = right[k] - (2.5 + (k - 1) % 7) * list[k] + (list[k - 1] or 0) + (list[k + 1] or 0)
                        above, below = above + r * r, below + right[k] ^ 2
                    end
                    assert.is_true(math.sqrt(above / below) <= 1e-6)
                    assert.is_true(math.abs(math.sqrt(above / below) - report.residual) <= 1e-9)
                    x:close()
                end
            end
        end
    end)

    shortened(it, "gives the same result however late the host reads the state #doubles", function(whole)
        -- The five-point stencil of a grid plus a shift, and the product in double on the host.
        local w, h = 180, 120 -- too many rows for one work group
        local n = w * h
        local function laplace(v)
            local r = {}
            for i = 1, n do
                local c, sum = (i - 1) % w, 4.25 * v[i]
                sum = sum - (c > 0 and v[i - 1] or 0) - (c < w - 1 and v[i + 1] or 0)
                r[i] = sum - (v[i - w] or 0) - (v[i + w] or 0)
            end
            return r
        end
        local sides = (rill.iota(n):map(("x %% %d == %d ? 0 : -1"):format(w, w - 1))):cast "double"
        local i = rill.iota(n)
        local below, beside = rill.stream("double", n - w, -1), sides:domain(1, n - 1):copy()
        local function matrix(sign) return sparse.coo {
            shape = {n, n},
            rows = rill.concat {i:copy(), i:domain(2, n):copy(), i:domain(1, n - 1):copy(), i:domain(w + 1, n):copy(),
                i:domain(1, n - w):copy()},
            columns = rill.concat {i:copy(), i:domain(1, n - 1):copy(), i:domain(2, n):copy(),
                i:domain(1, n - w):copy(), i:domain(w + 1, n):copy()},
            values = (sign * rill.concat {rill.stream("double", n, 4.25), beside, beside:copy(), below, below:copy()})
                :eval(),
        } end
        local A, negative = matrix(1), matrix(-1)
        local forms = whole and {"csr", "ell"} or {"csr"}
        for _, T in ipairs(whole and {"float", "double"} or {"float"}) do
            local b = rill.random(n, {seed = 4, low = -1, type = T})
            local right = b:values()
            for _, form in ipairs(forms) do
                local M = A:to(form):cast(T)
                local function multiply(u, v) M:multiply(u, v) end
                for _, given in ipairs {false, "jacobi", function(r, z) z:write(0.25 * r) end} do
                    local first, counts
                    local system = type(given) == "function" and multiply or M
                    for _, every in ipairs {1, 3, 8, 50} do
                        local x, report = solve.cg(system, b, {every = every, preconditioner = given or nil})
                        local product, above, under = laplace(x:values()), 0.0, 0.0
                        for k = 1, n do
                            above, under = above + (right[k] - product[k]) ^ 2, under + right[k] ^ 2
                        end
                        assert.is_true(report.converged)
                        -- A function computes the residual in float.
                        assert(math.abs(math.sqrt(above / under) - report.residual) <= (system == M and 1e-9 or 1e-6))
                        first, counts = first or x, counts or report.iterations
                        assert.equal(0, (x - first):norm())
                        assert.equal(counts, report.iterations)
                    end
                    -- Iterations that were launched before the limit was reached count; others do not.
                    for _, limit in ipairs {1, 3, 7} do
                        local _, cut = solve.cg(system, b, {every = 2, iterations = limit, strict = false,
                            preconditioner = given or nil})
                        assert.equal(limit, cut.iterations)
                        assert.equal("iterations", cut.reason)
                    end
                end
                local N = negative:to(form):cast(T)
                local _, minus = solve.cg(N, b, {every = 1, strict = false})
                assert.same({"indefinite", 0}, {minus.reason, minus.iterations})
                check.names({"p'A p is -"}, solve.cg, N, b, {every = 1})
            end
        end
    end)

    it("keeps x0 if there is no finite correction, and reports it", function()
        local x, report = solve.cg(rill.from {{1e-30}}, rill.from {1e30}, {strict = false})
        assert.equal("diverged", report.reason)
        check.equal({0}, x:values())
        assert.equal(1.0, report.residual)
        check.names({"x grew beyond float"}, solve.cg, rill.from {{1e-30}}, rill.from {1e30})
        check.names({"A as float has infinity as element 1, 1"}, solve.cg, rill.from({{1e200}}, "double"),
            rill.from {1}, {precision = "float"})
        local M = rill.from {{-2, 0}, {0, -1}}
        for _, given in ipairs {"jacobi", "polynomial"} do
            local _, made = solve.cg(M, rill.from {1, 2}, {strict = false, preconditioner = given})
            assert.equal("indefinite", made.reason)
        end
        local _, uneven = solve.cg(rill.from {{2, 0}, {0, 1}}, rill.from {1, 2}, {strict = false,
            preconditioner = function(r, z) z:write(-r) end})
        assert.equal("breakdown", uneven.reason)
        check.names({"A x has NaN"}, solve.cg, function(_, y) y:fill(0 / 0) end, rill.from {1, 2})
    end)

    it("takes preconditioners #doubles", function()
        local A = rill.from {{100, 1, 0}, {1, 2, 0.1}, {0, 0.1, 0.05}}
        local b = rill.from {102, 5.3, 0.35}
        for _, given in ipairs {"jacobi", "polynomial", function(r, z) z:write(r) end} do
            check.equal({1, 2, 3}, solve.cg(A, b, {preconditioner = given}):values(), 1e-3)
        end
        check.names({"preconditioner"}, solve.cg, A, b, {preconditioner = "magic"})
    end)

    -- Iterations of a reference in C from x = 0 with b = A 1, by its own residual, plain and with "jacobi": {in double to 1e-6, in double to 1e-10, in float to 1e-5}.
    local COUNTS <const> = {
        gr_30_30 = {{36, 46, 33}, {36, 46, 33}}, ["494_bus"] = {{849, 1431, 1099}, {371, 408, 310}},
        bcsstk16 = {{226, 530, 200}, {148, 232, 125}},
    }

    -- Returns the iterations until the method's own residual is at most the tolerance.
    local function first_below(report)
        for _, entry in ipairs(report.history) do
            if entry[2] <= report.tolerance then
                return entry[1]
            end
        end
    end

    it("names itself in errors about memory", function()
        local n = 64
        local A <close> = sparse.csr {
            shape = {n, n}, offsets = rill.iota(n + 1), columns = rill.iota(n), values = rill.stream("float", n, 2),
        }
        local b <close> = rill.stream("float", n, 1)
        local function refused() local x = solve.cg(A, b) return x end
        check.collect()
        rill.memory_limit(rill.memory().bytes + 1)
        local done, message = pcall(refused)
        rill.memory_limit(0)
        assert.is_false(done)
        local line = debug.getinfo(refused, "S").linedefined
        assert.matches(("cg_spec.lua:%d: rill.solve.cg: out of device memory: "):format(line), message, 1, true)
    end)

    shortened(it, "takes as many iterations as the reference for matrices from files #tables", function(whole)
        local data, reason = tempfiles.data()
        if not data then
            pending(reason)
            return
        end
        for name, counts in pairs(whole and COUNTS or {gr_30_30 = COUNTS.gr_30_30}) do
            local A <close> = sparse.load(data .. "/matrices/" .. name .. ".mtx")
            local b = A:multiply(rill.stream("double", A.shape[2], 1))
            for k, given in ipairs(whole and {false, "jacobi"} or {false}) do
                for i, case in ipairs {{"double", 1e-6}, {"double", 1e-10}, {"float", 1e-5}, {"mixed", 1e-10}} do
                    local x, report = solve.cg(A, b, {
                        precision = case[1], tolerance = case[2], preconditioner = given or nil,
                    })
                    local residual = (b - A:multiply(x:cast "double")):eval():norm() / b:norm()
                    assert.is_true(residual <= case[2])
                    assert.is_true(math.abs(residual - report.residual) <= 1e-3 * case[2])
                    local expected = counts[k][i]
                    local off = expected and math.abs(first_below(report) / expected - 1) or 0
                    assert(off <= 0.15, ("%s, %s, %s: %d"):format(name, given, case[1], first_below(report)))
                end
            end
            local _, floor = solve.cg(A, b * 0.1, {precision = "float", tolerance = 1e-9, strict = false})
            assert.is_true(not floor.converged and floor.residual > 1e-9)
        end
    end)
end)
