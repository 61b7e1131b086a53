-- Signals: all functions of rill.signal for random signals, compared with models in plain Lua (spec/support/signals.lua).
local signals = {batch = 10}

local SCRIPT <const> = [[
local signals = require "spec.support.signals"
local drawn, at = {%s}, 0
local function int() at = at + 1 return drawn[at] end
signals.check(signals.random(int))
]]

function signals.scripts(draws)
    local models <const>, scripts = require "spec.support.signals", {}
    for i, d in ipairs(draws) do
        local drawn = {}
        models.random(function(low, high)
            drawn[#drawn + 1] = d:int(low, high)
            return drawn[#drawn]
        end)
        scripts[i] = SCRIPT:format(table.concat(drawn, ", "))
    end
    return scripts
end

return signals
