-- A program for solvers_spec: rill.solve over distributed streams, compared with streams of one process. Prints results,
-- which must not depend on the number of ranks.
local mpi = require "rill.mpi"
local rill = require "rill"
local program = require "spec.support.rank_program"
local check <const>, say <const> = program.check, program.say

local function hash(s)
    local text, h = s:bytes(), 5381
    for i = 1, #text do
        h = (h * 33 + text:byte(i)) & 0xffffffffffff
    end
    return h
end

-- A copy of a table of options, in which distributed streams of one process's streams replace these.
local function spread(options, grid)
    local copy = {}
    for name, value in pairs(options) do
        copy[name] = value
        if rill.type(value) == "stream" then
            copy[name] = mpi.stream(value.type, value.shape, {init = value, ranks = grid})
        end
    end
    return copy
end

-- Solves with streams and over the ranks, prints the second result and returns both reports.
local function both(what, near, solve, b, options, grid)
    local y, expected = solve(b, options)
    local x, report = solve(mpi.stream(b.type, b.shape, {init = b, ranks = grid}), spread(options, grid))
    check(what .. " is distributed", rill.type(x) == "mpi.stream" and x.type == y.type)
    local all = x:collect "all"
    local off, size = rill.abs(all - y):max(), rill.abs(y):max()
    check(("%s: off by %g of %g"):format(what, off, size), off <= near * size)
    check(("%s: %s instead of %s"):format(what, report, expected), report.converged == expected.converged and
        report.reason == expected.reason and report.mean == expected.mean and
        math.abs(report.iterations - expected.iterations) <= (report.restarts and 0.15 * expected.iterations or 1))
    say(what, report.iterations, ("%.6g"):format(report.residual), hash(all))
    return report, expected
end

-- ---- operators

local STENCIL <const> = {
    "r = $T(2.5) * u[0] - u[-1] - $T(0.9) * u[1]",
    "r = $T(4.5) * u[0][0] - u[0][-1] - u[0][1] - u[-1][0] - u[1][0]",
    "r = $T(6.5) * u[0][0][0] - u[0][0][-1] - u[0][0][1] - u[0][-1][0] - u[0][1][0] - u[-1][0][0] - u[1][0][0]",
}
local kernels = {float = {}, double = {}}
for T, list in pairs(kernels) do
    for rank, text in ipairs(STENCIL) do
        local source = ("kernel void stencil(neighbor $T u<>, out $T r<>) { %s; }"):format(text):gsub("%$T", T)
        list[rank] = rill.kernel(source)
    end
end

-- Returns an operator with a boundary mode for streams of any type and rank.
local function stencil(mode)
    return function(u, r)
        kernels[r.type][#r.shape] {u = u:boundary(mode), r = r}
    end
end

local function update(u, b, r)
    stencil "zero"(u, r)
    r:write(u + (b - r) * 0.15)
end

local function fifth(r, z) z:write(r * 0.2) end

-- ---- methods

local SHAPES <const> = {{300}, {70, 66}, {9, 8, 10}}
local MODES <const> = {"zero", "clamp", "wrap", "mirror"}
for rank, shape in ipairs(SHAPES) do
    local b, x0 = rill.random(shape, {seed = rank}) - 0.4, rill.random(shape, {seed = 9})
    b = b:eval()
    local diagonal = rill.stream("float", shape, 2 * rank + 0.5)
    for i, mode in ipairs(MODES) do
        local A = stencil(mode)
        for _, method in ipairs {
            {"cg", {}, {preconditioner = fifth, x0 = x0}, {preconditioner = "polynomial", degree = 2, every = 3},
                {precision = "mixed", tolerance = 1e-10}, {precision = "double", tolerance = 1e-11}},
            {"bicgstab", {}, {preconditioner = fifth, x0 = x0}, {precision = "mixed", tolerance = 1e-10},
                {precision = "double", tolerance = 1e-11, every = 2}},
            {"jacobi", {diagonal = 2 * rank + 0.5}, {diagonal = diagonal, omega = 0.8, x0 = x0}},
            {"gauss_seidel", {diagonal = diagonal}, {diagonal = 2 * rank + 0.5, precision = "mixed", tolerance = 1e-9}},
            {"sor", {diagonal = 2 * rank + 0.5, omega = 1.2}, {diagonal = diagonal, every = 5, tolerance = 1e-4}},
        } do
            local name, options = method[1], method[i + 1] or method[2] -- each of the options in one of the modes
            if name ~= "cg" or rank > 1 then -- the stencil of one dimension is not symmetric
                both(("%s %dD %s"):format(name, rank, mode), 1e-5, function(right, o)
                    return rill.solve[name](A, right, o)
                end, b, options)
            end
        end
    end
    for _, name in ipairs {"jacobi", "gauss_seidel", "sor"} do
        both(("%s %dD update"):format(name, rank), 1e-5, function(right, o)
            return rill.solve[name](update, right, o)
        end, b, {update = true, diagonal = 5})
    end
end
local whole = rill.random({70, 66}, {seed = 2})
both("a kernel", 1e-5, function(b, o) return rill.solve.cg(kernels.float[2], b, o) end, whole, {})
both("not converged", 1e-4, function(b, o) return rill.solve.cg(stencil "zero", b, o) end, whole,
    {iterations = 5, strict = false})
both("b = 0", 0, function(b, o) return rill.solve.bicgstab(stencil "zero", b, o) end, rill.stream("float", {5, 4}), {})
both("fewer rows than ranks", 1e-5, function(b, o) return rill.solve.cg(stencil "wrap", b, o) end,
    rill.random({2, 40}, {seed = 2}), {})
local report = both("indefinite", 0, function(b, o)
    return rill.solve.cg(function(u, r) r:write(-u) end, b, o)
end, whole, {strict = false})
check("reason", report.reason == "indefinite")

-- parts of any numbers of elements
local line = rill.random(3000, {seed = 4})
local parts = mpi.stream("float", 3000, {init = line})
parts = parts:filter(parts:gt(0.3))
local some = line:filter(line:gt(0.3))
local x = rill.solve.bicgstab(stencil "zero", parts)
check("cut", #x == some.size and rill.abs(x:collect "all" - rill.solve.bicgstab(stencil "zero", some)):max() < 1e-5)

-- ---- multigrid

for _, case in ipairs {
    {{300, 200}, "dirichlet"}, {{255, 257}, "dirichlet", {1, 1.5}}, {{301, 203}, "neumann"}, {{256, 256}, "periodic"},
    {{256, 130}, {"periodic", "neumann"}, 0.1, 3}, {{700, 30}, "dirichlet", {0.2, 1}}, {{7, 6}, "neumann"},
    {{5, 500}, {"periodic", "dirichlet"}}, {{33, 61, 50}, {"neumann", "periodic", "dirichlet"}},
    {{64, 40, 33}, "periodic", 1, 1e-3}, {{1, 3}, "dirichlet"},
} do
    for i, precision in ipairs {"double", "mixed", "float"} do
        local right = rill.random(case[1], {seed = 3}):cast(precision == "double" and "double" or "float")
        both(("multigrid %s %s"):format(table.concat(case[1], "x"), precision), 1e-5, rill.solve.multigrid, right, {
            boundary = case[2], spacing = case[3], shift = case[4], precision = precision,
            tolerance = precision == "float" and 1e-2 or 1e-9,
            x0 = i == 2 and rill.random(case[1], {seed = 5}) or nil, every = i == 1 and 2 or nil,
        })
    end
end
local grid = mpi.size == 4 and {2, 2} or {1, mpi.size}
if mpi.size == 3 then grid = {3} end
local right = rill.random({200, 300}, {seed = 6})
both("cut along two dimensions", 1e-5, rill.solve.multigrid, right, {boundary = {"neumann", "periodic"},
    tolerance = 1e-4}, grid)

-- ---- hierarchies

local h = rill.solve.hierarchy {shape = {200, 300}, on = mpi}
local one = rill.solve.hierarchy {shape = {200, 300}}
local b, start = mpi.stream("float", {200, 300}, {init = right}), mpi.stream("float", {200, 300}, {init = 1})
local first = rill.stream("float", {200, 300}, 1)
h:cycle(start, b, 2)
one:cycle(first, right, 2)
check("cycles", rill.abs(start:collect "all" - first):max() < 1e-5 * rill.abs(first):max())
local solution, made = h:solve(b, {x = start, tolerance = 1e-3})
local expected = one:solve(right, {x = first, tolerance = 1e-3})
check("x is improved in place", rawequal(solution, start) and made.converged and
    rill.abs(start:collect "all" - expected):max() < 1e-5 * rill.abs(expected):max())
say("hierarchy", made.iterations, hash(start:collect "all"))
h:close()

-- conjugate gradients with a cycle as the preconditioner
local grids = rill.solve.hierarchy {shape = {200, 300}, on = mpi}
local function cycle(r, z) grids:cycle(z:fill(0), r) end
local laplace = rill.kernel [=[
    kernel void laplace(neighbor float u<>, out float r<>) { r = 4 * u[0][0] - u[0][-1] - u[0][1] - u[-1][0] - u[1][0]; }
]=]
solution, made = rill.solve.cg(function(u, r) laplace {u = u:boundary "zero", r = r} end, b, {preconditioner = cycle,
    tolerance = 1e-3})
check("preconditioned by multigrid", made.iterations <= 6)
say("cg and multigrid", made.iterations, hash(solution:collect "all"))

-- ---- arguments that are refused

local d, s = mpi.stream("float", {6, 5}, {init = 1}), rill.stream("float", {6, 5}, 1)
local A, closed = stencil "zero", mpi.stream("float", {6, 5})
closed:close()

local function refused(message, f, ...)
    local done, found = pcall(f, ...)
    check(("%s instead of %s"):format(found, message), not done and tostring(found):find(message, 1, true))
end

for _, name in ipairs {"cg", "bicgstab", "jacobi", "gauss_seidel", "sor"} do
    local method = rill.solve[name]
    local needs <const> = name ~= "cg" and name ~= "bicgstab" and 4.5 or nil
    refused("'A': a matrix is not distributed as b is", method, rill.from {{1}}, d)
    refused("'A': a matrix is not distributed as b is", method, rill.sparse.from_dense {{1}}, d)
    refused("option 'x0': expected a distributed stream of float or double", method, A, d, {x0 = s, diagonal = needs})
    refused("option 'x0': expected a stream, as b is", method, A, s, {x0 = d, diagonal = needs})
    refused("argument 'b': the distributed stream was closed", method, A, closed, {diagonal = needs})
    refused("argument 'b': expected elements of float or double, got int", method, A, mpi.stream("int", 4))
    refused("b has infinity as element 1, 1", method, A, d / 0, {diagonal = needs})
    local other = mpi.stream("float", {5, 6})
    refused("got one cut otherwise (5x6", method, A, d, {x0 = other, diagonal = needs})
    if needs then
        refused("option 'diagonal': expected a distributed stream of float or double", method, A, d, {diagonal = s})
        refused("option 'diagonal' has 0 in row 1, 1", method, A, d, {diagonal = d * 0})
    end
end
refused("option 'active': lists of active cells are made for streams", rill.solve.jacobi, A, d, {diagonal = 4.5,
    active = true})
refused("whose diagonal is not known", rill.solve.cg, A, d, {preconditioner = "jacobi"})
refused("'A': expected an open stream, got a distributed stream: this method needs all elements", rill.solve.lu, d, d)
refused("'b': expected an open stream, got a distributed stream", rill.solve.cholesky, rill.from {{1}}, d)
refused("expected an open stream, got a distributed stream", rill.solve.tridiagonal, d, d, d, d)
refused("A is not positive definite", rill.solve.cg, function(u, r) r:write(-u) end, d)
refused("A x has NaN", rill.solve.cg, function(u, r) r:write(u / 0 - u / 0) end, d)
refused("it must be a grid of 2 or 3 dimensions", rill.solve.multigrid, mpi.stream("float", 7))
refused("option 'x0': expected a distributed stream of float or double", rill.solve.multigrid, d, {x0 = s})
refused("option 'on': expected the module rill.mpi", rill.solve.hierarchy, {shape = {6, 5}, on = true})
local small = rill.solve.hierarchy {shape = {6, 5}, on = mpi}
refused("'b': expected a distributed stream of float or double", small.solve, small, s)
refused("'x': expected a distributed stream of float or double", small.cycle, small, s, d)
refused("'x': expected an open stream of float of shape 6x5, which is written, got a distributed stream of double",
    small.cycle, small, d:cast "double", d)
refused("'x' and 'b' share memory", small.cycle, small, d, d)
check("names of rill.mpi", mpi.cg == rill.solve.cg and mpi.multigrid == rill.solve.multigrid)
say "done"
