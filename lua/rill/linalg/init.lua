--- rill.linalg: decompositions and functions of dense matrices, and of batches of matrices. Each function has its row
-- in lua/rill/linalg/methods.lua, and is loaded when it is first called.
require "rill"
local errors = require "rill.core.error"
local methods = require "rill.linalg.methods"
local recorder = require "rill.core.recorder"

local linalg = {}
for name, file in methods:gmatch "([%w_]+) ([%w_]+) %([^\n]*" do
    local whole <const> = "rill.linalg." .. name
    linalg[name] = recorder.wrap(whole, errors.method(whole, "rill.linalg." .. file, name, "^rill%.solve%.%l+"))
end
return errors.strict(linalg, "rill.linalg")
