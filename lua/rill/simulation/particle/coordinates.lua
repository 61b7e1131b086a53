-- Checks positions and velocities of particles given by scripts.
local rill = require "rill.core.public"
local errors = require "rill.core.error"

local coordinates = {}

--- coordinates.dimensions: the number of dimensions by type.
coordinates.dimensions = {vec2 = 2, vec3 = 3}

local function texts_of(list)
    for i, value in ipairs(list) do
        list[i] = errors.number(value)
    end
    return list
end

--- coordinates.vectors(where, on, name, s [, type, count]) returns a copy of the option `name`, a stream of vectors,
-- one for each particle, and the corners of its bounding box. Raises an error if an element is not finite, or if the
-- type or the number differs from those given. on: the provider of the copy.
function coordinates.vectors(where, on, name, s, type, count)
    s = on.open(("%s: option '%s'"):format(where, name), s)
    if not coordinates.dimensions[s.type] or type and s.type ~= type or #s.shape ~= 1 then
        errors.fail("%s: option '%s': expected a stream of %s of one dimension, got one of %s of shape %s", where, name,
            type or "vec2 or vec3", s.type, tostring(s.shape))
    elseif s.size == 0 or count and s.size ~= count then
        errors.fail("%s: option '%s': expected %s, got %d", where, name,
            count and ("%d, as there are positions"):format(count) or "one particle at least", s.size)
    end
    s = on.take(s)
    local low, high = on.extent(s)
    for d = 1, #low do
        if low[d] - low[d] ~= 0 or high[d] - high[d] ~= 0 then
            local place = rill.where(rill.isnan(rill.length(s - s)), 1, 0):eval():argmax()
            errors.fail("%s: option '%s': element %d is not finite: (%s)", where, name, place,
                table.concat(texts_of(s:get(place)), ", "))
        end
    end
    return s:copy(), low, high
end

return coordinates
