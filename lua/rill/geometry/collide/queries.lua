-- Queries of one tree: rays, distances to the surface, and containment of points. See docs/collide.md.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local class = require "rill.core.class"
local tree = require "rill.geometry.collide.aabb_tree"
local held = require "rill.core.scope"
local vectors = require "rill.geometry.vectors"
local kernels <const> = require "rill.glsl.template".file "query_kernels"
local fail <const> = errors.fail

local queries = {}

-- Steps of a launch, and of its inner loops, if the device limits loops.
local TRIPS <const>, NODES <const> = 512, 24
local FITTED <const> = 64 -- most slots of an oriented box
local FAR <const> = 1e300 -- larger than any distance
local NONE <const> = {0, 0, 0} -- the bounds of an empty tree
-- Points are sorted along a curve if there are so many of them. Then the nearest triangle of every `SEEDS`-th point,
-- which is found first, bounds the distances of the others.
local SORTED <const>, SEEDS <const> = 1024, 32

local function passes()
    local steps <const> = rill.device().traits.loop_limit > 0 and TRIPS or 1 << 30
    return kernels:program {steps = steps, nodes = NODES, fitted = FITTED}
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

-- Returns the number of leaves of the tree with four children per node.
local function leaves_of(t) return 1 << (t.levels + t.levels % 2) end

-- Returns the number of nodes of the tree with four children per node, including node 0.
local function nodes_of(t)
    local levels <const> = (t.levels + 1) // 2
    return levels > 0 and math.max((4 - t.levels % 2) << 2 * (levels - 1) >> 1, 2) or 1
end

-- Returns the AABBs of the tree with four children per node. They are created at the first call.
local function bounds_of(t)
    if not t.wide then
        local nodes <const> = nodes_of(t)
        t.wide = rill.stream("vec4", 6 * nodes)
        if t.levels > 0 then
            passes().widen(rill.iter("int", nodes - 1, 1, nodes), t.levels % 2, spans_of(t), t.wide)
        end
    end
    return t.wide
end

-- Returns the oriented boxes of the tree with four children per node. They are created at the first call.
local function boxes_of(t)
    if not t.oriented then
        local nodes <const> = nodes_of(t)
        local boxes <close> = rill.stream("uint", {7 * nodes, 4})
        if t.levels > 0 then
            local children <const> = rill.iter("int", 4 * nodes - 4, 4, 4 * nodes)
            local list <close> = boxes:reshape(28 * nodes)
            passes().orient(children, t.levels, t.leaf, t.pad, spans_of(t), t.face, t.corner, list)
        end
        t.oriented = boxes:as "uvec4"
    end
    return t.oriented
end

-- Launches a traversal until every element has finished: at most one step for each node and triangle. If the device
-- limits loops and blocks at each launch anyway, it reads back whether all have finished.
local function traverse(t, launch, finished)
    local traits <const> = rill.device().traits
    local trips <const> = (2 << t.levels) + t.faces
    local launches <const> = traits.loop_limit > 0 and (trips + TRIPS - 1) // TRIPS or 1
    for k = 1, launches do
        launch()
        if k < launches and traits.synchronous and finished() then return end
    end
end

-- Traverses the tree with four children per node: launch(at, tests) launches a traversal of `count` elements.
local function traverse_wide(t, shape, launch)
    -- A tree of one leaf has no nodes.
    local first <const> = {t.levels > 0 and 1 or 0, 0, 0, 0}
    local at <close> = rill.stream("uvec4", shape, first)
    local tests <close> = rill.stream("uvec4", shape, {t.levels > 0 and 0 or 1, 0, 0, 0})
    traverse(t, function() launch(at, tests) end, function()
        return passes().remaining(at)[1] == 0 and passes().remaining(tests)[1] == 0
    end)
end

-- Returns the order in which queries run together if neighbors in it are near each other, a list of 0-based indices.
local function order_of(t, p)
    if p.size < SORTED then return rill.iter("int", p.size, 0, p.size) end
    local places <close> = passes().places(p, t.low, t.high)
    return rill.argsort(places)
end

-- An empty tree has one empty slot.
local function fill_empty(t)
    if not t.face then
        t.face, t.corner = rill.stream("int", 1, -1), rill.stream("vec3", 3)
    end
end

-- Finds the best triangle of each element. launch(at, best, found) launches the traversal; `found` is the slot of the
-- best triangle or -1. Returns the results of finish(best, found).
local function search(t, shape, launch, finish)
    fill_empty(t)
    local at <close> = rill.stream("ivec3", shape, {1, -1, 0})
    local best <close>, found = rill.stream("double", shape, FAR), rill.stream("int", shape, -1)
    if t.faces > 0 and best.size > 0 then
        traverse(t, function() launch(at, best, found) end, function() return passes().furthest(at)[1] == 0 end)
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
    fill_empty(t)
    local own <close> = held {}
    own.found = rill.stream("int", p.size, -1)
    if t.faces > 0 and p.size > 0 then
        local list = vectors.list(own, p)
        own.order = order_of(t, list)
        local function launch(count, step, seeds)
            local entries <const> = rill.iter("int", count, 0, count * step)
            traverse_wide(t, count, function(at, tests)
                run.distance(entries, own.order, seeds, list, t.low, t.high, leaves_of(t), t.leaf,
                    boxes_of(t), t.face, t.corner, at, tests, own.found)
            end)
        end
        local seeded <const> = p.size >= SORTED
        if seeded then launch((p.size + SEEDS - 1) // SEEDS, SEEDS, 0) end
        launch(p.size, 1, seeded and SEEDS or 0)
    end
    own.slots = own.found:reshape(p.shape)
    local distance, triangle, point = run.distance_end(p, t.low or NONE, t.high or NONE, own.slots, t.face, t.corner)
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
    local run, own <close> = passes(), held {}
    own.crossings = rill.stream("int", p.shape)
    if t.faces > 0 and p.size > 0 then
        local list, count = vectors.list(own, p), own.crossings
        if p.size >= SORTED then
            own.order = order_of(t, list)
            own.sorted, own.count = rill.gather(list, own.order), rill.stream("int", p.size)
            list, count = own.sorted, own.count
        else
            count = vectors.list(own, count)
        end
        traverse_wide(t, p.size, function(at, tests)
            run.contains(list, leaves_of(t), t.leaf, bounds_of(t), t.face, t.corner, at, tests, count)
        end)
        if own.order then rill.scatter(vectors.list(own, own.crossings), own.order, own.count) end
    end
    return run.contains_end(p, own.crossings)
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
