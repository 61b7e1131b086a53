-- Queries of one tree: rays, distances to the surface, and containment of points. See docs/collide.md.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local class = require "rill.core.class"
local tree = require "rill.geometry.collide.aabb_tree"
local vectors = require "rill.geometry.vectors"
local kernels <const> = require "rill.glsl.template".file "query_kernels"
local fail <const> = errors.fail

local queries = {}

local TRIPS <const>, NODES <const> = 512, 24 -- steps of a launch and of its inner loop, if the device limits loops
local FAR <const> = 1e300 -- larger than any squared distance: squares of floats are below 1e78
local NONE <const> = {0, 0, 0} -- the bounds of an empty tree

local function passes()
    return kernels:program {steps = rill.device().traits.loop_limit > 0 and TRIPS or 1 << 30, nodes = NODES}
end

-- ---- arguments

local function as(s, shape)
    return s.shape == shape and s or s.size == 1 and s:reshape(1) or s
end

-- Closes a stream unless the user gave it.
local function close_unless_given(given, s)
    if s ~= given then s:close() end
end

-- ---- traversals

-- Returns the AABBs for queries, for any type of tree. They are created at the first call.
local function spans_of(t)
    if not t.spans then
        local low, high = tree.bounds(t)
        t.spans = passes().span(low, high, t.pad)
        low:close()
        high:close()
    end
    return t.spans
end

-- Launches a traversal until every element has finished: at most one step for each node and triangle. If the device
-- limits loops and blocks at each launch anyway, it reads back whether all have finished.
local function traverse(t, at, launch)
    local traits <const> = rill.device().traits
    local trips <const> = (2 << t.levels) + t.faces
    local launches <const> = traits.loop_limit > 0 and (trips + TRIPS - 1) // TRIPS or 1
    for k = 1, launches do
        launch()
        if k < launches and traits.synchronous and passes().furthest(at)[1] == 0 then return end
    end
end

-- Finds the best triangle of each element. launch(at, best, found) launches the traversal; `found` is the slot of the
-- best triangle or -1. Returns the results of finish(best, found). An empty tree has one empty slot.
local function search(t, shape, launch, finish)
    if not t.face then
        t.face, t.corner = rill.stream("int", 1, -1), rill.stream("vec3", 3)
    end
    local at <close> = rill.stream("ivec3", shape, {1, -1, 0})
    local best <close>, found = rill.stream("double", shape, FAR), rill.stream("int", shape, -1)
    if t.faces > 0 and best.size > 0 then
        traverse(t, at, function() launch(at, best, found) end)
    end
    local slots <close> = found
    return finish(best, slots)
end

--- T:ray(origins, directions) intersects rays o + t d with the surface. Returns t (float) and the triangle (int) of
-- the first intersection; infinity and -1 if there is none.
function queries.ray(t, origins, directions)
    local o, d = vectors.take("T:ray", 1, "origins", origins), vectors.take("T:ray", 2, "directions", directions)
    local shape, run = vectors.shape("T:ray", o, d), passes()
    local from, way = as(o, shape), as(d, shape)
    local distance, triangle = search(t, shape, function(at, best, found)
        run.ray(from, way, t.low, t.high, 1 << t.levels, t.leaf, spans_of(t), t.face, t.corner, at, best, found)
    end, function(best, found)
        return run.ray_end(from, way, t.low or NONE, t.high or NONE, best, found, t.face)
    end)
    close_unless_given(o, from)
    close_unless_given(d, way)
    close_unless_given(origins, o)
    close_unless_given(directions, d)
    return distance, triangle
end

--- T:distance(points) returns the distance to the surface (float), the nearest triangle (int), and the nearest point
-- on it (vec3).
function queries.distance(t, points)
    local p, run = vectors.take("T:distance", 1, "points", points), passes()
    local distance, triangle, point = search(t, p.shape, function(at, best, found)
        run.distance(p, t.low, t.high, 1 << t.levels, t.leaf, spans_of(t), t.face, t.corner, at, best, found)
    end, function(_, found)
        return run.distance_end(p, t.low or NONE, t.high or NONE, found, t.face, t.corner)
    end)
    close_unless_given(points, p)
    return distance, triangle, point
end

--- queries.is_closed(t) returns whether an even number of triangles meet at each edge. Edges are compared by the
-- coordinates of their ends. Waits for the device at the first call for a tree.
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

--- queries.inside(t, p) returns T:contains for a closed surface and a stream of vec3 or dvec3.
function queries.inside(t, p)
    local run = passes()
    local at <close> = rill.stream("ivec3", p.shape, {t.faces > 0 and 1 or 0, 0, 0})
    if t.faces > 0 and p.size > 0 then
        traverse(t, at, function()
            run.contains(p, 1 << t.levels, t.leaf, spans_of(t), t.face, t.corner, at)
        end)
    end
    return run.contains_end(p, at)
end

--- T:contains(points) returns whether points are inside a closed surface, a stream of bool. Raises an error if the
-- surface is open.
function queries.contains(t, points)
    local p = vectors.take("T:contains", 1, "points", points)
    if not queries.is_closed(t) then
        fail("T:contains: the surface is not closed: an odd number of triangles meet at an edge, so it has no inside")
    end
    local inside = queries.inside(t, p)
    close_unless_given(points, p)
    return inside
end

for _, name in ipairs {"ray", "distance", "contains"} do
    local query <const> = queries[name]
    tree.methods[name] = function(self, ...)
        return query(tree.take("T:" .. name, "the tree before the colon", self), ...)
    end
end
class.guard(tree.methods, "T")

return queries
