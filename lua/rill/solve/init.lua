--- rill.solve: solvers of linear systems A x = b. Each method has its file in lua/rill/solve, and its row in lua/rill/solve/methods.lua; they
-- share how operators are taken, options checked and reports made.
local errors = require "rill.core.error"
local lazy = require "rill.core.lazy"
local methods = require "rill.solve.methods"

-- The function of a file, loaded when it is first called, with as many arguments as it has.
local function method(whole, file, name)
    local f, most
    return errors.guard(function(...)
        if not f then
            f = lazy.require("rill.solve." .. file)[name]
            most = debug.getinfo(f, "u").nparams
        end
        for i = most + 1, select("#", ...) do
            errors.none(whole, i, most, (select(i, ...)))
        end
        return f(...)
    end, whole)
end

local solve = {}
for name, file in methods:gmatch "([%w_]+) ([%w_]+) %([^\n]*" do
    solve[name] = method("rill.solve." .. name, file, name)
end
return errors.strict(solve, "rill.solve")
