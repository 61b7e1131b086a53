-- rill in a separate process, with its own environment variables: see bench/support/pipe.lua. The argument is a module whose cases() returns cases by name, with
-- `run` and `outputs`. Commands: "time NAME [runs]", and "save NAME NUMBER PATH" for one of the outputs.
package.path = arg[0]:match("^(.*)/[^/]*/[^/]*$") .. "/../?.lua;" .. package.path
local rill = require "rill"
local support = require "bench.support"
local cases = require(arg[1]).cases()

local function reply(...)
    print(...)
    io.stdout:flush()
end

reply "ready rill"
for line in io.lines() do
    local verb, name, rest = line:match "^(%a+) (%w+) ?(.*)$"
    local case = cases[name]
    if verb == "time" then
        local runs = tonumber(rest) or 1
        reply(support.timed(case.run, runs) * runs)
    elseif verb == "save" then
        local number, path = rest:match "^(%d+) (.*)$"
        local s = case.outputs[tonumber(number)]
        case.run()
        rill.sync()
        local file <close> = assert(io.open(path, "wb"))
        file:write(s:bytes())
        file:flush()
        reply(s.type .. " " .. tostring(s.shape))
    end
end
