--- rill.solve: solvers of linear systems A x = b. Each method has its file in lua/rill/solve; they share how operators are taken, options
-- checked and reports made.
local blame = require "rill.support.blame"
local later = require "rill.support.later"

local METHODS <const> = {"bicgstab", "cg", "cholesky", "lu", "multigrid", "tridiagonal"}

local solve = {}
for _, name in ipairs(METHODS) do
    solve[name] = blame.guard(later.call("rill.solve." .. name, name), "rill.solve." .. name)
end
for _, name in ipairs {"gauss_seidel", "jacobi", "sor"} do
    solve[name] = blame.guard(later.call("rill.solve.relaxation", name), "rill.solve." .. name)
end
solve.hierarchy = blame.guard(later.call("rill.solve.multigrid", "hierarchy"), "rill.solve.hierarchy")
return blame.strict(solve, "rill.solve")
