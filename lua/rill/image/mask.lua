-- Masks: what functions of rill.image take as such, and rill.image.threshold, which makes one.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local picture = require "rill.image.arguments"
local template = require "rill.glsl.template"

local THRESHOLD <const> = template.new "kernel bool threshold(float s<>, float t) { return s > t; }"
local types = require "rill.core.types"
local fail <const> = errors.fail

local mask = {}

--- mask.take(where, m [, number, what]): a mask given as argument `number`, 1 unless told, called `what`: a stream {rows, columns} of bool, true where an
-- element is not zero. Expressions are evaluated.
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

--- rill.image.threshold(s, t): a mask, a stream of bool: where a gray picture is above the number t. NaN is not.
mask.threshold = errors.guard(function(s, t)
    local where <const> = "rill.image.threshold"
    s = picture.gray(where, s)
    t = picture.number(where, 2, "t", t, -math.huge, math.huge)
    return THRESHOLD:kernel()(s, t)
end, "rill.image.threshold")

return mask
