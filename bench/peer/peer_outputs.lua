-- The kernels of bench/brook/fours.lua in a process of their own, for RILL_MAX_OUTPUTS=1 in its environment: see bench/support/pipe.lua. A
-- case is "mat4mult" or "cloth"; with a number behind it, the output that is saved: "cloth 2".
package.path = arg[0]:match("^(.*)/[^/]*/[^/]*$") .. "/../?.lua;" .. package.path
local rill = require "rill"
local support = require "bench.support"
local cases = require("bench.brook.fours").cases()

local function reply(...)
    print(...)
    io.stdout:flush()
end

reply(("ready rill, %d output a pass"):format(rill.device().limits.outputs_per_pass))
for line in io.lines() do
    local verb, name, rest = line:match "^(%a+) (%w+) ?(.*)$"
    local case = cases[name]
    if verb == "time" then
        reply(support.timed(case.run, 1))
    elseif verb == "save" then
        local number, path = rest:match "^(%d+) (.*)$"
        local s = case.outputs[tonumber(number)]
        case.run()
        local file <close> = assert(io.open(path, "wb"))
        file:write(s:bytes())
        file:flush()
        reply(s.type .. " " .. tostring(s.shape))
    end
end
