--- The public table of rill, with the names of rill.core, the C part. `rill.init` adds the other names. Modules that
-- rill.init loads require this file instead of rill, since they are loaded while the table is being filled.
local core = require "rill.core"

core._record_functions(core)

local rill = {_VERSION = core._VERSION}
for name, value in pairs(core) do
    if name:sub(1, 1) ~= "_" then
        rill[name] = value
    end
end
return rill
