--- rill.linalg: decompositions and functions of dense matrices, and of batches of matrices. Each function has its row
-- in lua/rill/linalg/methods.lua, and is loaded when it is first called.
require "rill"
local errors = require "rill.core.error"
local methods = require "rill.linalg.methods"
local recorder = require "rill.core.recorder"

errors.own()
local linalg = {}

-- Returns the results of pcall, or raises its error. rill.solve calls the matrix A, but rill.linalg 'a'.
local function passed(done, ...)
    if done then
        return ...
    end
    local message <const> = tostring((...)):gsub("(rill%.linalg%.%l+): A (%l+ )", "%1: 'a' %2", 1)
    error(message, 0)
end

-- Returns f with the name of the argument in its errors.
local function named(f)
    return function(...) return passed(pcall(f, ...)) end
end
for name, file in methods:gmatch "([%w_]+) ([%w_]+) %([^\n]*" do
    local whole <const> = "rill.linalg." .. name
    linalg[name] = recorder.wrap(whole, named(errors.method(whole, "rill.linalg." .. file, name, "^rill%.solve%.%l+")))
end
return errors.strict(linalg, "rill.linalg")
