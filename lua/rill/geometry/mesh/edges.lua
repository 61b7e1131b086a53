-- The edges of a mesh. Half-edge 3 f + k of triangle f goes from its corner k to the next corner. Edges are numbered in
-- ascending order of their two vertices, the lower vertex first. If no vertex has more than 16 corners, each vertex
-- sorts its neighbors in registers, after its corners were collected with atomic counters. Otherwise two stable sorts,
-- by the higher vertex and then by the lower, bring the half-edges into the order of their edges.
local rill = require "rill.core.public"
local held = require "rill.core.scope"
local texts <const> = require "rill.glsl.template".sections "edges"
local vertex_ring = require "rill.glsl.snippets.vertex_ring"

local edges = {}

-- This file uses no stream expressions: an expression would keep its streams alive until it is collected.

-- ---- by corners

-- Returns the number of corners at each vertex, the running sum of these numbers, the corners in the order of their
-- vertices, and the values of the template vertex_ring. The order of the corners of one vertex may differ from run to
-- run. Returns nil if a vertex has too many corners.
local function corners_of(m)
    local k, corners = texts.sorted:program(), rill.stream("int", m.vertices)
    local slot <close> = k.corners(m.triangles, corners)
    local ring = vertex_ring.values(corners:max())
    if not ring then
        return corners:close()
    end
    local last, list = corners:scan(), rill.stream("int", 3 * m.faces)
    k.place(m.triangles, slot, last, list)
    return {corners = corners, last = last, list = list, ring = ring}
end

local function by_corners(m, e)
    local k = texts.ring:program(e.ring)
    local own <close>, valence = k.own(e.last, e.corners, e.list, m.triangles)
    local running <close> = own:scan()
    e.count, e.valence = running:get(m.vertices), valence
    e.edge, e.edges, e.sides = rill.stream("int", 3 * m.faces), rill.stream("ivec2", e.count),
        rill.stream("ivec2", e.count)
    k.number(e.last, e.corners, running, own, e.list, m.triangles, e.edge, e.edges, e.sides)
    return e
end

-- ---- by sorting

local function in_order(low, high)
    local all <close> = rill.iota(low.size)
    local keys, by_high = rill.sort_by_key(high, all)
    local theirs = rill.gather(low, by_high)
    local sorted, order = rill.sort_by_key(theirs, by_high)
    for _, s in ipairs {keys, by_high, theirs, sorted} do s:close() end
    return order
end

local function by_sorting(m)
    local k, n = texts.sorted:program(), 3 * m.faces
    local low <close>, upper = k.halves {t = m.triangles, shape = n}
    local high <close> = upper
    local order <close> = in_order(low, high)
    local head <close> = k.heads(order, low, high, order)
    local running <close> = head:scan()
    local count = running:get(n)
    local start <close>, edge = rill.stream("int", count), rill.stream("int", n)
    k.first(head, running, start)
    k.number(order, running, edge)
    local list, sides = k.edges(start, start, order, low, high, count, n)
    local valence = rill.stream("int", m.vertices)
    k.count_ends(list, valence)
    return {edge = edge, edges = list, sides = sides, valence = valence, count = count}
end

--- edges.of(m) returns the edges of a mesh with triangles: {count =, edge =, edges =, sides =, valence =}. edge: the
-- edge of each half-edge. edges: the two vertices of each edge. sides: the two half-edges of each edge, the higher
-- index first. The second is -1 at a boundary. It is -2 if the edge has more than two triangles; then the first is any
-- of them. valence: the number of edges at each vertex. If each vertex has at most 16 corners, also {corners =, last =,
-- list =, ring =}: the number of corners at each vertex, its running sum, the corners in the order of their vertices,
-- and the values of the template vertex_ring. The caller closes the streams. Waits for the device.
function edges.of(m)
    local e = corners_of(m)
    return held(e and by_corners(m, e) or by_sorting(m))
end

--- edges.twins(e) returns the opposite half-edge of each half-edge; -1 at a boundary, -2 if the edge has more than two
-- triangles.
function edges.twins(e)
    return texts.sorted:program().twins(e.edge, e.sides)
end

return edges
