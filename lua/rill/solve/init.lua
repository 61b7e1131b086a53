--- rill.solve: solvers of linear systems A x = b. Each method has its file in lua/rill/solve and its row in
-- lua/rill/solve/methods.lua. They share the modules for operators, options and reports.
local errors = require "rill.core.error"
local methods = require "rill.solve.methods"
local recorder = require "rill.core.recorder"

local solve = {}
for name, file in methods:gmatch "([%w_]+) ([%w_]+) %([^\n]*" do
    local whole <const> = "rill.solve." .. name
    solve[name] = recorder.wrap(whole, errors.method(whole, "rill.solve." .. file, name))
end
return errors.strict(solve, "rill.solve")
