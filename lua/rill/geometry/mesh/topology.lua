-- Connectivity of meshes. Half-edge 3 f + k of triangle f goes from its corner k to the next corner. Half-edges are
-- sorted by their two vertices, the lower index first. Then the half-edges of an edge are adjacent, and edges are
-- numbered in that order.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local held = require "rill.core.scope"
local kernels <const> = require "rill.glsl.template".file "topology"
local fail <const> = errors.fail

local topology = {}

-- This file uses no stream expressions: an expression would keep its streams alive until it is collected.
local MOST_ROUNDS <const> = 1000 -- of unions; two of them at least halve the number of separate parts

-- ---- edges

local function in_order(low, high)
    local all <close> = rill.iota(low.size)
    local keys, by_high = rill.sort_by_key(high, all)
    local theirs = rill.gather(low, by_high)
    local sorted, order = rill.sort_by_key(theirs, by_high)
    for _, s in ipairs {keys, by_high, theirs, sorted} do s:close() end
    return order
end

-- Returns the half-edges in the order of their edges, where each edge begins in this order, and the edge of each
-- half-edge. Uses two stable sorts: by the higher vertex, then by the lower.
local function edges_of(m)
    local k, n = kernels:program(), 3 * m.faces
    local low, high = k.halves {t = m.triangles, shape = n}
    local order = in_order(low, high)
    local head <close> = k.heads(order, low, high, order)
    local running <close> = head:scan()
    local count = running:get(n)
    local start, edge = rill.stream("int", count), rill.stream("int", n)
    k.first(head, running, start)
    k.number(order, running, edge)
    return held {low = low, high = high, order = order, start = start, edge = edge, count = count, n = n}
end

local function twins_of(e)
    return kernels:program().twins(e.order, e.start, e.edge, e.count, e.n)
end

local function twins_of_mesh(m)
    local e <close> = edges_of(m)
    return twins_of(e)
end

local function ends_of(e)
    return kernels:program().vertices(e.start, e.order, e.low, e.high)
end

--- M:adjacency(): returns {twin =, edge =, edges =, valence =}. twin {faces, 3}: the opposite half-edge, -1 at a
-- boundary, -2 if the edge has more than two triangles. edge {faces, 3}: the edge of each half-edge. edges: the two
-- vertices of each edge, the lower index first, in ascending order. valence: number of edges at each vertex.
function topology.adjacency(m)
    local valence = rill.stream("int", m.vertices)
    if m.faces == 0 then
        return {twin = rill.stream("int", {0, 3}), edge = rill.stream("int", {0, 3}), edges = rill.stream("ivec2", 0),
            valence = valence}
    end
    local e <close> = edges_of(m)
    local edges = ends_of(e)
    kernels:program().count_ends(edges, valence)
    local twin <close>, shape = twins_of(e), {m.faces, 3}
    return {twin = twin:reshape(shape), edge = e.edge:reshape(shape), edges = edges, valence = valence}
end

--- topology.quarters(triangles, edge, vertices): returns four triangles for each triangle, first the three at its
-- corners, then the one in the middle. edge: the edge of each half-edge. Vertex `vertices` + e is the midpoint of
-- edge e.
function topology.quarters(triangles, edge, vertices)
    return kernels:program().quarters {t = triangles, edge = edge, n = vertices, shape = 4 * triangles.size}
end

-- ---- parts

local function used_vertices(m)
    local used = rill.stream("int", m.vertices)
    kernels:program().use(m.triangles, used)
    return used
end

--- topology.roots(where, count, links [, most]): returns, for each of `count` nodes, the smallest node that is
-- connected to it by links (a stream of ivec2), as a stream of int. Alternates hooking roots by atomic minima and
-- shortening paths (Y. Shiloach and U. Vishkin, An O(log n) parallel connectivity algorithm, 1982). Raises an error
-- after `most` rounds (default: 1000). Waits for the device.
function topology.roots(where, count, links, most)
    most = most or MOST_ROUNDS
    local k, all <close> = kernels:program(), rill.iota(count)
    local parent = all:copy()
    for _ = 1, links.size > 0 and most or 0 do
        local to = parent:copy()
        k.hook(links, parent, to)
        parent:close()
        local more
        repeat
            parent = k.rise {parent = to, shape = count}
            local moved <close> = k.moved(parent, to)
            more = moved:max() == 1
            to:close()
            to = parent
        until not more
        local apart <close> = k.apart(links, parent)
        if apart:max() == 0 then
            return parent
        end
    end
    if links.size > 0 then
        parent:close()
        fail("%s: the connected components were not found in %d rounds", where, most)
    end
    return parent
end

--- M:components(): returns the number of connected components, and the component of each face (0-based, in the order
-- of their first vertices). Vertices without triangles belong to no component.
function topology.components(m)
    if m.faces == 0 then
        return 0, rill.stream("int", 0)
    end
    local k = kernels:program()
    local links <close> = k.sides(m.triangles)
    local parent <close> = topology.roots("M:components", m.vertices, links)
    local used <close> = used_vertices(m)
    local top <close> = k.tops(parent, used)
    local running <close> = top:scan()
    return running:get(m.vertices), k.name(m.triangles, parent, running)
end

-- ---- properties

--- M:euler(): returns vertices - edges + faces, counting only vertices that triangles use.
function topology.euler(m)
    if m.faces == 0 then return 0 end
    local used <close> = used_vertices(m)
    local e <close> = edges_of(m)
    return used:sum() - e.count + m.faces
end

--- M:boundary(): returns the edges with one triangle, a stream of ivec2, in the direction and order of the triangles.
function topology.boundary(m)
    if m.faces == 0 then return rill.stream("ivec2", 0) end
    local twin <close> = twins_of_mesh(m)
    return kernels:program().open_edges(m.triangles, twin)
end

--- M:is_closed(): returns whether no edge has exactly one triangle. True for a mesh without triangles.
function topology.is_closed(m)
    if m.faces == 0 then return true end
    local twin <close> = twins_of_mesh(m)
    local alone <close> = kernels:program().alone(twin)
    return alone:max() == 0
end

--- M:is_oriented(): returns whether no two triangles traverse an edge in the same direction.
function topology.is_oriented(m)
    if m.faces == 0 then return true end
    local e <close> = edges_of(m)
    local same <close> = kernels:program().same_way(m.triangles, e.order, e.start, e.start, e.count, e.n)
    return same:max() == 0
end

--- M:is_manifold(): returns whether each edge has one or two triangles, the triangles around each vertex form one
-- fan, and no triangle has a vertex twice.
function topology.is_manifold(m)
    if m.faces == 0 then return true end
    local k = kernels:program()
    local twin <close> = twins_of_mesh(m)
    local pinched <close> = k.pinched(m.triangles)
    if twin:min() == -2 or pinched:max() == 1 then
        return false
    end
    -- Corners that are connected across edges form a fan. There must be as many fans as vertices.
    local links <close> = k.fan_links(m.triangles, twin)
    local parent <close> = topology.roots("M:is_manifold", 3 * m.faces, links)
    local used <close> = used_vertices(m)
    local root <close> = k.roots(parent)
    return root:sum() == used:sum()
end

return topology
