--- The public table of rill, with the names of rill.core, the C part: `rill.init` adds the rest. Modules below it require this file, since they are
-- loaded while that table is being filled.
local core = require "rill.core"

local rill = {_VERSION = core._VERSION}
for name, value in pairs(core) do
    if name:sub(1, 1) ~= "_" then
        rill[name] = value
    end
end
return rill
