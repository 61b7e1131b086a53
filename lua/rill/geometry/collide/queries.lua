-- What is asked of one tree: what rays hit, how far points are from the surface, and whether they are inside. See docs/collide.md.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local class = require "rill.core.class"
local tree = require "rill.geometry.collide.aabb_tree"
local kernels <const> = require "rill.glsl.template".file "query_kernels"
local fail <const> = errors.fail

local queries = {}

local TRIPS <const>, NODES <const> = 512, 24 -- of a launch, where a device cuts long loops, and of its loop within
local FAR <const> = 1e300 -- further than anything: squares of floats are below 1e78
local NONE <const> = {0, 0, 0} -- the bounds of a tree of nothing

local function passes()
    return kernels:program {steps = rill.device().traits.loop_limit > 0 and TRIPS or 1 << 30, nodes = NODES}
end

-- ---- what is given

-- A stream of vec3 of what a user gave: a stream, an expression, or a table of {x, y, z}.
local function vectors(where, i, name, value)
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

-- The shape that two streams have together, one of which may have a single element.
local function shape_of(where, a, b)
    if a.shape ~= b.shape and a.size ~= 1 and b.size ~= 1 then
        fail("%s: argument #2 'directions': expected as many as origins {%s}, or one of either, got shape {%s}", where,
            table.concat(a.shape, ", "), table.concat(b.shape, ", "))
    end
    return a.size == 1 and b.shape or a.shape
end

local function as(s, shape)
    return s.shape == shape and s or s.size == 1 and s:reshape(1) or s
end

-- Closes what was made of what a user gave.
local function done_with(given, s)
    if s ~= given then s:close() end
end

-- ---- walks

-- Boxes for queries, upright whatever the kind of the tree, made when first asked for.
local function spans_of(t)
    if not t.spans then
        local low, high = tree.bounds(t)
        t.spans = passes().span(low, high, t.pad)
        low:close()
        high:close()
    end
    return t.spans
end

-- Launches a walk until each element must have come to its end: a trip for each node, and for each triangle. A device that cuts loops and waits for each
-- launch anyway is asked whether all have.
local function walk(t, at, launch)
    local traits <const> = rill.device().traits
    local trips <const> = (2 << t.levels) + t.faces
    local launches <const> = traits.loop_limit > 0 and (trips + TRIPS - 1) // TRIPS or 1
    for k = 1, launches do
        launch()
        if k < launches and traits.synchronous and passes().furthest(at)[1] == 0 then return end
    end
end

-- Of each element the best that a walk finds, and the place of its triangle, or -1. launch(at, best, found) is a launch of the walk, and finish(best, found)
-- gives the results. A tree of nothing has one empty place.
local function search(t, shape, launch, finish)
    if not t.face then
        t.face, t.corner = rill.stream("int", 1, -1), rill.stream("vec3", 3)
    end
    local at <close> = rill.stream("ivec3", shape, {1, -1, 0})
    local best <close>, found = rill.stream("double", shape, FAR), rill.stream("int", shape, -1)
    if t.faces > 0 and best.size > 0 then
        walk(t, at, function() launch(at, best, found) end)
    end
    local places <close> = found
    return finish(best, places)
end

--- T:ray(origins, directions): where rays o + t d first meet the surface: t, a stream of float, and the triangle, a stream of int; infinity and -1 where they do not.
function queries.ray(t, origins, directions)
    local o, d = vectors("T:ray", 1, "origins", origins), vectors("T:ray", 2, "directions", directions)
    local shape, run = shape_of("T:ray", o, d), passes()
    local from, way = as(o, shape), as(d, shape)
    local distance, triangle = search(t, shape, function(at, best, found)
        run.ray(from, way, t.low, t.high, 1 << t.levels, t.leaf, spans_of(t), t.face, t.corner, at, best, found)
    end, function(best, found)
        return run.ray_end(from, way, t.low or NONE, t.high or NONE, best, found, t.face)
    end)
    done_with(o, from)
    done_with(d, way)
    done_with(origins, o)
    done_with(directions, d)
    return distance, triangle
end

--- T:distance(points): how far points are from the surface, a stream of float, the nearest triangle, of int, and the nearest point on it, of vec3.
function queries.distance(t, points)
    local p, run = vectors("T:distance", 1, "points", points), passes()
    local distance, triangle, point = search(t, p.shape, function(at, best, found)
        run.distance(p, t.low, t.high, 1 << t.levels, t.leaf, spans_of(t), t.face, t.corner, at, best, found)
    end, function(_, found)
        return run.distance_end(p, t.low or NONE, t.high or NONE, found, t.face, t.corner)
    end)
    done_with(points, p)
    return distance, triangle, point
end

--- queries.is_closed(t): whether at each edge, as a pair of places, an even number of triangles meet. Waits when first asked of a tree.
function queries.is_closed(t)
    if t.surrounds == nil then
        t.surrounds = true
        if t.faces > 0 then
            local sums <close> = passes().edges(t.face, t.corner)
            local odd = passes().odd(sums)
            t.surrounds = odd[1] == 0 and odd[2] == 0
        end
    end
    return t.surrounds
end

--- queries.inside(t, p): T:contains of a closed surface and a stream of vec3 or dvec3.
function queries.inside(t, p)
    local run = passes()
    local at <close> = rill.stream("ivec3", p.shape, {t.faces > 0 and 1 or 0, 0, 0})
    if t.faces > 0 and p.size > 0 then
        walk(t, at, function()
            run.contains(p, 1 << t.levels, t.leaf, spans_of(t), t.face, t.corner, at)
        end)
    end
    return run.contains_end(p, at)
end

--- T:contains(points): whether points are inside a closed surface, a stream of bool.
function queries.contains(t, points)
    local p = vectors("T:contains", 1, "points", points)
    if not queries.is_closed(t) then
        fail("T:contains: the surface is open: at some edge an odd number of triangles meet, so that it has no inside")
    end
    local inside = queries.inside(t, p)
    done_with(points, p)
    return inside
end

for _, name in ipairs {"ray", "distance", "contains"} do
    local ask <const> = queries[name]
    tree.methods[name] = function(self, ...)
        return ask(tree.take("T:" .. name, "the tree before the colon", self), ...)
    end
end
class.guard(tree.methods, "T")

return queries
