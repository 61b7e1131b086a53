--- rill.solve: solvers of linear systems A x = b. Each method has its file in lua/rill/solve; they share how operators are taken, options
-- checked and reports made.
local errors = require "rill.core.error"
local lazy = require "rill.core.lazy"

-- The file of each, where it is not its name, and how many arguments it takes.
local METHODS <const> = {
    bicgstab = {3}, cg = {3}, cholesky = {3, "direct"}, lu = {3, "direct"}, multigrid = {2}, tridiagonal = {5},
    gauss_seidel = {3, "stationary"}, jacobi = {3, "stationary"}, sor = {3, "stationary"}, hierarchy = {1, "multigrid"},
}

local solve = {}
for name, row in pairs(METHODS) do
    local whole, most, file = "rill.solve." .. name, row[1], row[2] or name
    local f = lazy.call("rill.solve." .. file, name)
    solve[name] = errors.guard(function(...)
        for i = most + 1, select("#", ...) do
            errors.none(whole, i, most, (select(i, ...)))
        end
        return f(...)
    end, whole)
end
return errors.strict(solve, "rill.solve")
