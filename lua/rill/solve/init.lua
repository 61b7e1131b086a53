--- rill.solve: solvers of linear systems A x = b. Each method has its file in lua/rill/solve and its row in
-- lua/rill/solve/methods.lua. They share the modules for operators, options and reports.
local errors = require "rill.core.error"
local lazy = require "rill.core.lazy"
local methods = require "rill.solve.methods"
local recorder = require "rill.core.recorder"

-- Returns a function that loads the function `name` of a file when it is first called, and raises an error for more
-- arguments than that function has.
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
    local whole <const> = "rill.solve." .. name
    solve[name] = recorder.wrap(whole, method(whole, file, name))
end
return errors.strict(solve, "rill.solve")
