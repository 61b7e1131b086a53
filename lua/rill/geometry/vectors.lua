-- Arguments that are points or directions, and the shape of rays.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local fail <const> = errors.fail

local vectors = {}

--- vectors.take(where, i, name, value) returns a stream of vec3 for argument i: a stream, an expression, or a table of
-- {x, y, z}. The caller closes the stream unless it is `value`.
function vectors.take(where, i, name, value)
    if type(value) == "table" and not rill.type(value) then
        local done, made = pcall(rill.from, value, "vec3")
        if not done or #made.shape ~= 1 then
            local element = not done and made:match "element %[%d+%]: .*$"
            if element then
                fail("%s: argument #%d '%s': %s", where, i, name, element)
            end
            fail("%s: argument #%d '%s': expected a list of {x, y, z}, got %s", where, i, name, errors.told(value))
        end
        return made
    end
    local s = not errors.not_open(value) and (rill.type(value) == "expression" and value:eval() or value)
    if not s or s.type ~= "vec3" then
        fail("%s: argument #%d '%s': expected a stream of vec3 or a list of {x, y, z}, got %s", where, i, name,
            s and "a stream of " .. s.type or errors.told(value))
    end
    return s
end

--- vectors.shape(where, origins, directions) returns the common shape of two streams of vec3, one of which may have a
-- single element.
function vectors.shape(where, origins, directions)
    if origins.shape ~= directions.shape and origins.size ~= 1 and directions.size ~= 1 then
        fail("%s: argument #2 'directions': expected the shape of the origins {%s}, or a single origin or direction, "
            .. "got shape {%s}", where, table.concat(origins.shape, ", "), table.concat(directions.shape, ", "))
    end
    return origins.size == 1 and directions.shape or origins.shape
end

--- vectors.each(where, name, value, count) returns the stream of an option that has one vec3 for each of `count`
-- points. The caller closes the stream unless it is `value`.
function vectors.each(where, name, value, count)
    local done, s = pcall(vectors.take, where, 0, name, value)
    if not done or #s.shape ~= 1 or s.size ~= count then
        fail("%s: option '%s': expected a stream or a list with one vec3 for each of the %d points, got %s", where,
            name, count, done and ("shape {%s}"):format(table.concat(s.shape, ", ")) or errors.told(value))
    end
    return s
end

--- vectors.list(own, s) returns a stream with one dimension and the elements of s. Streams that were created for it are
-- added to `own`.
function vectors.list(own, s)
    if #s.shape == 1 then return s end
    local done, flat = pcall(s.reshape, s, s.size)
    if not done then
        own[#own + 1] = s:copy()
        flat = own[#own]:reshape(s.size)
    end
    own[#own + 1] = flat
    return flat
end

return vectors
