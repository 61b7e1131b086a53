-- Checks arguments that are volumes.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local types = require "rill.core.types"
local fail <const> = errors.fail

local voxels = {}

--- voxels.take(where, s) returns argument #1, a stream or container of three dimensions whose elements kernels can read
-- as floats; raises for other values.
function voxels.take(where, s)
    local container <const> = core._is_open_container(s)
    if not container and errors.not_open(s) then
        fail("%s: argument #1 's': expected a volume, a stream {layers, rows, columns}, got %s", where, errors.told(s))
    end
    s = rill.type(s) == "expression" and s:eval() or s
    local info = types.scalar(s.type)
    local shape <const> = s.shape and table.concat(s.shape, "x") or "none"
    if not info or not s.shape or #s.shape ~= 3 then
        fail("%s: argument #1 's': expected a volume, {layers, rows, columns} of numbers, got %s of shape %s", where,
            s.type, shape)
    elseif info.seen == "double" or info.seen == "bool" then
        s = s:cast "float"
    end
    for d = 1, 3 do
        if s.shape[d] == 0 then
            fail("%s: argument #1 's': the volume is empty: its shape is %s", where, shape)
        end
    end
    return s
end

return voxels
