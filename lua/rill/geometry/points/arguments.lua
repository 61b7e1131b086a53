-- Arguments that are points of one to three dimensions.
local rill = require "rill.core.public"
local categories = require "rill.core.categories"
local errors = require "rill.core.error"
local recorder = require "rill.core.recorder"
local tree = require "rill.geometry.points.tree"
local vectors = require "rill.geometry.vectors"
local fail <const> = errors.fail

local arguments = {}

local MOST <const> = 1e150 -- of doubles

-- Returns a stream of a list of Lua: of numbers, or of rows of two or three numbers. wanted: the type of points, if
-- rows have as many numbers; also the type of an empty list.
local function of_list(where, list, wanted)
    local first <const> = list[1]
    if first == nil then
        return rill.stream(wanted or "float", 0)
    end
    local width <const> = type(first) == "table" and #first or 1
    local type_of_rows = width == 1 and "float" or (width == 2 or width == 3) and "vec" .. width or nil
    if wanted and type_of_rows and tree.types[wanted].rank == width then
        type_of_rows = wanted
    end
    local done, made = pcall(rill.from, list, type_of_rows)
    if not done then
        fail("%s: %s", where, made:match "element .*$" or made)
    end
    return made
end

-- Returns the description of a stream that has no points, and what to do.
local function described(s, type)
    local shape <const> = table.concat(s.shape, "x")
    if categories.of(s) then
        return "a category: s:codes() is the stream of its codes"
    elseif not type then
        return ("elements of %s: s:cast \"float\" converts numbers"):format(s.type)
    elseif type.rank > 1 then
        return ("%s of shape %s: s:reshape(%d) has one dimension"):format(s.type, shape, s.size)
    end
    return ("%s of shape %s: points have one to three coordinates"):format(s.type, shape)
end

--- arguments.points(where, value [, wanted]) returns the points of an argument as a stream of one dimension, whose
-- element is a point: float, vec2, vec3, double, dvec2 or dvec3. `value`: a stream, an expression, or a list of numbers
-- or of rows of numbers, whose type is `wanted` if it has as many coordinates. Messages begin with `where`.
function arguments.points(where, value, wanted)
    if type(value) == "table" and not rill.type(value) and not rill.type(rawget(value, 1)) and
        (#value > 0 or next(value) == nil) then
        value = of_list(where, value, wanted)
    end
    if recorder.on and recorder.tracks(value) then
        fail("%s: the points depend on the arguments of the function that is differentiated, and indices of " ..
            "neighbors have no derivative: search with rill.value(p)", where)
    end
    local s = not errors.not_open(value) and (rill.type(value) == "expression" and value:eval() or value)
    local type <const> = s and tree.types[s.type]
    if type and #s.shape == 1 then
        return s
    elseif type and type.rank == 1 and #s.shape == 2 and s.shape[2] >= 1 and s.shape[2] <= 3 then
        local columns <const> = s.shape[2]
        if columns == 1 then
            return s:reshape(s.shape[1])
        end
        local vector <const> = (s.type == "double" and "dvec" or "vec") .. columns
        local done, view = pcall(s.as, s, vector)
        return done and view or s:copy():as(vector)
    end
    fail("%s: expected points: a stream of vec2, vec3, dvec2 or dvec3 of one dimension, or of float or double of " ..
        "shape {n} or {n, d} with d from 1 to 3, got %s", where, s and described(s, type) or vectors.told(value))
end

local function told(point)
    local texts <const> = {}
    for d, x in ipairs(type(point) == "table" and point or {point}) do texts[d] = errors.number(x) end
    return #texts == 1 and texts[1] or "{" .. table.concat(texts, ", ") .. "}"
end

-- Returns the least and the largest coordinates as lists.
local function ends_of(s)
    local low, high = s:min(), s:max()
    if type(low) == "number" then
        return {low}, {high}
    end
    return low, high
end

--- arguments.box(where, s) returns the least and the largest coordinates of points, two lists. Raises an error if a
-- coordinate is NaN or infinite. Without points all are 0. Waits for the device.
function arguments.box(where, s)
    if s.size == 0 then
        local zeros <const> = {}
        for d = 1, tree.types[s.type].rank do zeros[d] = 0.0 end
        return zeros, zeros
    end
    local low, high = ends_of(s)
    for d = 1, #low do
        if low[d] - low[d] ~= 0 or high[d] - high[d] ~= 0 then
            local bad <close> = s:find(#low == 1 and "isnan(x) || isinf(x)" or "any(isnan(x)) || any(isinf(x))")
            local i <const> = bad:get(1) + 1
            fail("%s: element %d is %s: expected finite coordinates; p:filter keeps the points that fulfill a " ..
                "condition", where, i, told(s:get(i)))
        elseif math.max(-low[d], high[d]) > MOST then
            fail("%s: expected coordinates up to 1e150, whose squares are in range, got %g", where,
                math.max(-low[d], high[d]))
        end
    end
    return low, high
end

return arguments
