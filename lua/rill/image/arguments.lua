-- Checks the arguments of rill.image's functions: images, masks and numbers.
local core = require "rill.core"
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local types = require "rill.core.types"
local fail <const> = errors.fail

local picture = {}

local SEEN <const> = {float = true, vec3 = true, vec4 = true}

local function not_image(where, number, what, got, hint)
    fail("%s: argument #%d '%s': expected an image, a stream {rows, columns} of float, vec3 or vec4, got %s%s", where,
        number, what, got, hint or "")
end

--- picture.take(where, s [, number, what]) checks that `s` is an image. Returns it as an open stream {rows, columns},
-- with expressions evaluated, and the type that kernels read its elements as: "float", "vec3" or "vec4". `number` and
-- `what` are the argument's number and name for messages. Default: 1 and "s".
function picture.take(where, s, number, what)
    number, what = number or 1, what or "s"
    if errors.not_open(s) then
        not_image(where, number, what, errors.told(s))
    end
    s = rill.type(s) == "expression" and s:eval() or s
    local info = types.list[s.type]
    if not info or not SEEN[info.seen] then
        not_image(where, number, what, ("elements of %s"):format(s.type), info and info.components == 1 and
            ": s:cast 'float' converts them")
    elseif #s.shape ~= 2 then
        not_image(where, number, what, "shape " .. tostring(s.shape))
    end
    return s, info.seen
end

--- picture.filter(name, f) returns the function rill.image.NAME. It calls f(s, type, where, ...) with the
-- checked image, the type that kernels read its elements as, its own name for messages, and its further arguments.
function picture.filter(name, f)
    local where <const> = "rill.image." .. name
    return errors.guard(function(s, ...)
        local taken, type = picture.take(where, s)
        return f(taken, type, where, ...)
    end, where)
end

--- picture.gray(where, s) checks that argument 1 is an image of one component, and returns it.
function picture.gray(where, s)
    local type
    s, type = picture.take(where, s)
    if type ~= "float" then
        fail("%s: argument #1 's': expected an image of float, got elements of %s: rill.image.convert makes it gray",
            where, s.type)
    end
    return s
end

--- picture.number(where, number, what, value, low, high) checks that an argument is a number from `low` to `high`, an
-- integer if `low` is one, and returns it.
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

--- picture.same_border(s, model [, scale]) returns `s` with the boundary of `model`. A boundary value that is a number
-- is multiplied by `scale`. Default: 1.
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

--- picture.with_border(s, model [, scale]) returns picture.same_border(s, model, scale) and closes `s` if the result is
-- a new view, so that the caller closes the result only.
function picture.with_border(s, model, scale)
    local seen = picture.same_border(s, model, scale)
    if seen ~= s then s:close() end
    return seen
end

--- picture.said_border(s) returns `s` with an explicit boundary, "clamp" by default, so that gathers outside of it are
-- not errors.
function picture.said_border(s)
    return core._boundary(s) and s or s:boundary "clamp"
end

--- picture.has_value(s) returns whether a boundary of `s` is a number other than 0.
function picture.has_value(s)
    for _, mode in ipairs(core._boundary(s) or {}) do
        if type(mode) == "number" and mode ~= 0 then
            return true
        end
    end
    return false
end

return picture
