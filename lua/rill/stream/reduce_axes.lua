-- Reductions over several axes, and variances with other divisors: s:sum {1, 3} and s:var(1, {ddof = 1}).
local core = require "rill.core"
local rill = require "rill.core.public"
local axes = require "rill.stream.axes"
local errors = require "rill.core.error"
local option = require "rill.core.options"
local reductions = require "rill.core.reductions"
local fail <const> = errors.fail

local reduce_axes = {}

-- Returns the result of a reduction without options over a table of axes.
local function over(name, where, s, list, keep)
    if reductions[name].indices then
        fail("%s: argument #1 'axis': expected one axis, got %s", where, errors.told(list))
    end
    local sorted, seen = axes.several(where .. ": argument #1 'axis'", list, #s.shape)
    if #sorted == 1 and #s.shape > 1 then
        return s[name](s, sorted[1], {keep = keep})
    end
    local view, axis, rest, kept = axes.merged(s, sorted, seen)
    local result = view[name](view, axis)
    return result:reshape(keep and kept or #rest > 0 and rest or 1)
end

-- Returns the number of elements that are reduced over the given axes.
local function count_of(s, axis)
    if axis == nil then
        return s.size
    end
    local shape <const>, count = s.shape, 1
    for _, d in ipairs(type(axis) == "table" and axis or {axis}) do
        count = count * shape[d < 0 and d + #shape + 1 or d]
    end
    return count
end

--- reduce_axes.reduce(name, s, axis, options) returns the reduction `name` of an open stream. `axis` is nil, an axis or
-- a table of axes. options: axis, if `axis` is nil; keep; for "var" and "std" also ddof, which is subtracted from the
-- number of elements by which the sum of squares is divided; reproducible, without an axis: see docs/primitive.md.
function reduce_axes.reduce(name, s, axis, options)
    local where <const> = "s:" .. name
    s = errors.open(where .. ": argument 's'", s)
    local deviation <const> = name == "var" or name == "std"
    if type(axis) == "table" and #axis == 0 and next(axis) ~= nil and options == nil then
        axis, options = nil, axis
    end
    local known = {axis = axis == nil or nil, keep = true, ddof = deviation or nil, reproducible = true}
    option.check(where, options, known)
    options = options or {}
    axis = axis == nil and options.axis or axis
    if options.keep ~= nil and type(options.keep) ~= "boolean" then
        fail("%s: option 'keep': expected true or false, got %s", where, errors.told(options.keep))
    end
    local reproducible <const> = options.reproducible
    if reproducible ~= nil and type(reproducible) ~= "boolean" then
        fail("%s: option 'reproducible': expected true or false, got %s", where, errors.told(reproducible))
    elseif reproducible ~= nil and (axis ~= nil or options.keep) then
        fail("%s: option 'reproducible': reductions along axes have one order; remove the option, or the axis and " ..
            "'keep'", where)
    end
    local ddof <const> = options.ddof or 0
    if math.type(ddof) ~= "integer" and not (type(ddof) == "number" and ddof - ddof == 0) or ddof < 0 then
        fail("%s: option 'ddof': expected a number from 0, got %s", where, errors.told(ddof))
    elseif axis == nil and options.keep then
        axis = {}
        for d = 1, #s.shape do
            axis[d] = d
        end
    end
    if axis == nil and reductions[name].indices then
        return s[name](s) -- several values
    end
    local result
    if type(axis) == "table" then
        result = over(name, where, s, axis, options.keep)
    elseif reproducible == false then
        result = core._reduce_ordered(name, s)
    else
        result = s[name](s, axis)
        if options.keep then
            local kept = s.shape
            kept[axis < 0 and axis + #kept + 1 or axis] = 1
            result = result:reshape(kept)
        end
    end
    if ddof == 0 or result == nil then
        return result
    end
    local n <const> = count_of(s, axis)
    local factor <const> = n > ddof and n / (n - ddof) or math.huge
    local scale <const> = name == "std" and factor ^ 0.5 or factor
    local function scaled(x) -- from the variance, if it is in range: two square roots would be rounded
        return name == "std" and x > 1e-150 and x < 1e150 and math.sqrt(x * x * factor) or x * scale
    end
    if type(result) == "table" and not rill.type(result) then -- a vector
        for c, value in ipairs(result) do
            result[c] = scaled(value)
        end
        return result
    end
    return type(result) == "number" and scaled(result) or (result * scale):eval()
end

reduce_axes.reduce = errors.guard(reduce_axes.reduce)

return reduce_axes
