-- Arguments that are points or directions, and the shape of rays.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local fail <const> = errors.fail

local vectors = {}

--- vectors.told(value) returns the description of a value that has no points, and what to do, for messages.
function vectors.told(value)
    local kind <const> = rill.type(value)
    if kind == "frame" then
        return "frame: rill.vec3(t.x, t.y, t.z) joins three columns, rill.vec2(t.x, t.y) two"
    elseif type(value) == "table" and rill.type(rawget(value, 1)) then
        return ("a list of streams: rill.vec%d joins them"):format(#value == 2 and 2 or 3)
    elseif errors.not_open(value) then
        return errors.told(value)
    end
    local rank <const> = #value.shape
    local shape <const> = table.concat(value.shape, "x")
    if value.type:find "^d?vec2$" then
        return ("a stream of %s of shape %s: rill.vec3(s.x, s.y, 0) adds a coordinate"):format(value.type, shape)
    elseif value.type:find "^[iu]vec3$" or rank > 1 and value.type:find "^u?int$" then
        return ("a stream of %s of shape %s: s:cast \"%s\" converts it"):format(value.type, shape,
            rank > 1 and "float" or "vec3")
    end
    return ("a stream of %s of shape %s"):format(value.type, shape)
end

-- Returns a stream of vec3 with the elements of a stream of dvec3, or of a stream of float or double whose last
-- dimension is 3; otherwise nil. With `doubles`, double elements become dvec3.
local function converted(s, doubles)
    if s.type == "dvec3" then
        return doubles and s or s:cast "vec3"
    elseif #s.shape > 1 and s.shape[#s.shape] == 3 and (s.type == "float" or s.type == "double") then
        local reals <const> = s.type == "double" and not doubles and s:cast "float" or s
        local vector <const> = reals.type == "double" and "dvec3" or "vec3"
        local done, view = pcall(reals.as, reals, vector)
        return done and view or reals:copy():as(vector)
    end
end

--- vectors.take(where, i, name, value [, doubles]) returns a stream of vec3 for argument i: a stream or an expression
-- of vec3 or dvec3, or of float or double with a last dimension of 3, or a table of {x, y, z}. With `doubles`, double
-- elements become a stream of dvec3. The caller closes the stream unless it is `value`.
function vectors.take(where, i, name, value, doubles)
    if type(value) == "table" and not rill.type(value) and not rill.type(rawget(value, 1)) then
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
    local vector <const> = s and (s.type == "vec3" and s or converted(s, doubles))
    if not vector then
        fail("%s: argument #%d '%s': expected a stream of vec3 or a list of {x, y, z}, got %s", where, i, name,
            vectors.told(s or value))
    end
    return vector
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
