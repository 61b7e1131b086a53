-- Checks the weights of random draws.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local types = require "rill.core.types"
local fail <const> = errors.fail

local weights = {}

--- weights.check(where, name, p [, n]) returns the option `name`, a stream or a table of n weights, as a flat stream of
-- double. Raises if a weight is negative or not finite, or all are 0. Default of n: any number above 0.
function weights.check(where, name, p, n)
    if type(p) == "table" and rill.type(p) == nil then
        p = errors.call(core._from, where, name, 0, p, "double")
    end
    local other = errors.not_open(p)
    if other or p.size ~= (n or math.max(p.size, 1)) then
        fail("%s: option '%s': expected a stream %s probabilities, got %s", where, name,
            n and "of " .. n or "or a table of", other or p.size .. " of them")
    elseif not types.scalar(p.type) then
        fail("%s: option '%s': expected a stream of numbers, got elements of %s", where, name, p.type)
    end
    local flat = p:cast "double":reshape(p.size)
    if p.size == 0 then
        return flat
    end
    local least, most, total = flat:min(), flat:max(), flat:sum()
    if least ~= least or most == math.huge or total == math.huge then
        fail("%s: option '%s': the probabilities and their sum must be finite", where, name)
    elseif least < 0 or total <= 0 then
        fail("%s: option '%s': probabilities must not be negative, and one must be above 0", where, name)
    end
    return flat
end

return weights
