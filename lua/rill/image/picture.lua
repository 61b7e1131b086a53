-- What functions of rill.image take: pictures, numbers and options, checked.
local core = require "rill.core"
local rill = require "rill"
local blame = require "rill.support.blame"
local types = require "rill.support.types"
local fail <const> = blame.fail

local picture = {}

local SEEN <const> = {float = true, vec3 = true, vec4 = true}

--- What came instead of a number, for messages.
function picture.told(value)
    return type(value) == "number" and "number " .. blame.number(value) or type(value) == "string" and
        ('"%s"'):format(value) or type(value) == "boolean" and tostring(value) or blame.not_open(value) or
        rill.type(value) or type(value)
end

local function no_picture(where, number, what, got)
    fail("%s: argument #%d '%s': expected a picture, a stream {rows, columns} of float, vec3 or vec4, got %s", where,
        number, what, got)
end

--- picture.take(where, s [, number, what]): a picture given as argument `number`, 1 unless told, called `what`: an open stream
-- {rows, columns}, and the type kernels see of its elements, "float", "vec3" or "vec4". Expressions are evaluated.
function picture.take(where, s, number, what)
    number, what = number or 1, what or "s"
    if blame.not_open(s) then
        no_picture(where, number, what, picture.told(s))
    end
    s = rill.type(s) == "expression" and s:eval() or s
    local info = types.list[s.type]
    if not info or not SEEN[info.seen] then
        no_picture(where, number, what, ("elements of %s"):format(s.type))
    elseif #s.shape ~= 2 then
        no_picture(where, number, what, "shape " .. tostring(s.shape))
    end
    return s, info.seen
end

--- picture.number(where, number, what, value, low, high): a number within bounds; a whole one where the bounds are.
function picture.number(where, number, what, value, low, high)
    local whole <const> = math.type(low) == "integer"
    local fits = type(value) == "number" and value >= low and value <= high and
        (not whole or math.tointeger(value) ~= nil)
    if not fits then
        fail("%s: argument #%d '%s': expected a %snumber from %g to %g, got %s", where, number, what,
            whole and "whole " or "", low, high, picture.told(value))
    end
    return whole and math.tointeger(value) or value
end

--- picture.same_border(s, model): s with what is read outside as outside of `model`; a number there is multiplied by `scale`, 1 unless told.
function picture.same_border(s, model, scale)
    local modes = core._boundary(model)
    if not modes then
        return s
    end
    for d, mode in ipairs(modes) do
        modes[d] = type(mode) == "number" and mode * (scale or 1) or mode
    end
    return s:boundary(table.unpack(modes))
end

return picture
