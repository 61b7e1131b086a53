-- Closes temporary streams at the end of a block: `local e <close> = held {a = s, n = 3}` closes the streams in the
-- table.
local rill = require "rill.core.public"

local Held <const> = {__close = function(own)
    for _, s in pairs(own) do
        if rill.type(s) == "stream" then s:close() end
    end
end}

return function(own)
    return setmetatable(own, Held)
end
