-- Runs primitives and expressions under memory limits, starting from the memory in use. Every step must report that
-- memory is exhausted or return the correct values. Without a limit the values must be correct again.
local expressions = require "fuzz.case.expressions"
local primitives = require "fuzz.case.primitives"

local limits = {batch = 12}

local FRAME = [[
local function step()
%send
step()
check.collect()
local live = rill.memory().bytes
for _, more in ipairs {%s} do
    rill.memory_limit(live + more)
    local good, message = pcall(step)
    rill.memory_limit(0)
    check.collect()
    if not good and not tostring(message):find("out of device memory", 1, true) then
        error(("with %%d bytes more: %%s"):format(more, message), 0)
    end
end
step()
]]

function limits.scripts(draws)
    local scripts = {}
    for i, d in ipairs(draws) do
        local text = (d:chance(1, 4) and expressions or primitives).scripts({d})[1]
        local steps = d:many(3, 12, 6, function() return d:int(1, 1 << d:int(4, 17)) end)
        scripts[i] = FRAME:format(text, table.concat(steps, ", "))
    end
    return scripts
end

return limits
