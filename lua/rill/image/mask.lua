-- Masks: what functions of rill.image take as such.
local rill = require "rill"
local blame = require "rill.support.blame"
local types = require "rill.support.types"
local fail <const> = blame.fail

local mask = {}

--- mask.take(where, m [, number, what]): a mask given as argument `number`, 1 unless told, called `what`: a stream {rows, columns} of bool, true where an
-- element is not zero. Expressions are evaluated.
function mask.take(where, m, number, what)
    local got
    if blame.not_open(m) then
        got = blame.told(m)
    else
        m = rill.type(m) == "expression" and m:eval() or m
        got = not types.scalar(m.type) and ("elements of %s"):format(m.type) or #m.shape ~= 2 and
            "shape " .. tostring(m.shape)
    end
    if got then
        fail("%s: argument #%d '%s': expected a mask, a stream {rows, columns} of bool or numbers, got %s", where,
            number or 1, what or "mask", got)
    end
    return m.type == "bool" and m or m:cast "bool"
end

return mask
