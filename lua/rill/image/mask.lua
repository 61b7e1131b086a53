-- Checks arguments that are masks, and implements rill.image.threshold.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local picture = require "rill.image.arguments"
local template = require "rill.glsl.template"

local THRESHOLD <const> = template.new "kernel bool threshold(float s<>, float t) { return s > t; }"
local types = require "rill.core.types"
local fail <const> = errors.fail

local mask = {}

--- mask.take(where, m [, number, what]) checks that `m` is a mask, and returns it as a stream {rows, columns} of bool,
-- true where an element is not zero. Expressions are evaluated. `number` and `what` are the argument's number and name
-- for messages. Default: 1 and "mask".
function mask.take(where, m, number, what)
    local got
    if errors.not_open(m) then
        got = errors.told(m)
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

--- rill.image.threshold(s, t) returns a mask, a stream of bool, true where a gray image is above the number t. NaN is
-- not above.
mask.threshold = errors.guard(function(s, t)
    local where <const> = "rill.image.threshold"
    s = picture.gray(where, s)
    t = picture.number(where, 2, "t", t, -math.huge, math.huge)
    return THRESHOLD:kernel()(s, t)
end, "rill.image.threshold")

return mask
