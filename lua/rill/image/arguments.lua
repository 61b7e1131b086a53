-- What functions of rill.image take: pictures, numbers and options, checked.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local types = require "rill.core.types"
local fail <const> = errors.fail

local picture = {}

local SEEN <const> = {float = true, vec3 = true, vec4 = true}

local function no_picture(where, number, what, got)
    fail("%s: argument #%d '%s': expected a picture, a stream {rows, columns} of float, vec3 or vec4, got %s", where,
        number, what, got)
end

--- picture.take(where, s [, number, what]): a picture given as argument `number`, 1 unless told, called `what`: an open stream
-- {rows, columns}, and the type kernels see of its elements, "float", "vec3" or "vec4". Expressions are evaluated.
function picture.take(where, s, number, what)
    number, what = number or 1, what or "s"
    if errors.not_open(s) then
        no_picture(where, number, what, errors.told(s))
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

--- picture.filter(name, f [, inner]): the function rill.image.NAME, which calls f(s, type, where, ...) with a checked picture, the type kernels see of
-- its elements, its own name for messages, and what else it was called with. `inner`: as of errors.guard.
function picture.filter(name, f, inner)
    local where <const> = "rill.image." .. name
    return errors.guard(function(s, ...)
        local taken, type = picture.take(where, s)
        return f(taken, type, where, ...)
    end, where, inner)
end

--- picture.gray(where, s): a picture of one component, argument 1.
function picture.gray(where, s)
    local type
    s, type = picture.take(where, s)
    if type ~= "float" then
        fail("%s: argument #1 's': expected a picture of float, got elements of %s: rill.image.convert makes it gray",
            where, s.type)
    end
    return s
end

--- picture.number(where, number, what, value, low, high): a number within bounds; a whole one where the bounds are.
function picture.number(where, number, what, value, low, high)
    local whole <const> = math.type(low) == "integer"
    local fits = type(value) == "number" and value >= low and value <= high and
        (not whole or math.tointeger(value) ~= nil)
    if not fits then
        fail("%s: argument #%d '%s': expected a %snumber from %g to %g, got %s", where, number, what,
            whole and "whole " or "", low, high, errors.told(value))
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

--- picture.with_border(s, model, scale): the same of a stream that is handed over: what comes back is all there is to close.
function picture.with_border(s, model, scale)
    local seen = picture.same_border(s, model, scale)
    if seen ~= s then s:close() end
    return seen
end

--- picture.said_border(s): s with what is outside of it said, so that gathers that go there are no indices out of range.
function picture.said_border(s)
    return core._boundary(s) and s or s:boundary "clamp"
end

--- picture.has_value(s): whether a number other than 0 stands outside of it.
function picture.has_value(s)
    for _, mode in ipairs(core._boundary(s) or {}) do
        if type(mode) == "number" and mode ~= 0 then
            return true
        end
    end
    return false
end

return picture
