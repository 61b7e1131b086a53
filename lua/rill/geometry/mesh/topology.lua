-- How triangles hang together. Half-edge 3 f + k of triangle f runs from its corner k to the next. Sorted by the two vertices, the lesser first, the
-- half-edges of an edge stand side by side, and edges are numbered in that order.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local held = require "rill.core.scope"
local kernels <const> = require "rill.glsl.template".file "topology"
local fail <const> = errors.fail

local topology = {}

-- No algebra of streams here: an expression would hold its streams until it is collected.
local MOST_ROUNDS <const> = 1000 -- of unions; what is apart is halved by two of them at least

-- ---- edges

local function in_order(low, high)
    local all <close> = rill.iota(low.size)
    local keys, by_high = rill.sort_by_key(high, all)
    local theirs = rill.gather(low, by_high)
    local sorted, order = rill.sort_by_key(theirs, by_high)
    for _, s in ipairs {keys, by_high, theirs, sorted} do s:close() end
    return order
end

-- Half-edges in the order of their edges, where edges begin in it, and the edge of each half-edge. Two sorts, each stable: by the higher vertex, then
-- by the lower.
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

--- M:adjacency(): {twin =, edge =, valence =, edges =}. twin {faces, 3}: the half-edge 3 f + k on the other side, -1 at a boundary, -2 at an edge of more than
-- two triangles. edge {faces, 3}: its edge. edges: vertices of each edge, the lesser first, in ascending order. valence: edges at each vertex.
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

--- topology.quarters(triangles, edge, vertices): each triangle in four, with vertex `vertices` + e in the middle of edge e; edge: of each half-edge. Those at
-- its corners, then that between.
function topology.quarters(triangles, edge, vertices)
    return kernels:program().quarters {t = triangles, edge = edge, n = vertices, shape = 4 * triangles.size}
end

-- ---- parts

local function used_vertices(m)
    local used = rill.stream("int", m.vertices)
    kernels:program().use(m.triangles, used)
    return used
end

--- topology.roots(where, count, links [, most]): for each of `count` nodes the least one that it is joined to by links, a stream of ivec2; a stream of
-- int. Rounds of hooking roots and of shortening paths (Y. Shiloach and U. Vishkin, An O(log n) parallel connectivity algorithm, 1982), by atomic minima. Raises after
-- `most` rounds. Waits.
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
        fail("%s: after %d rounds there are still parts to be joined", where, most)
    end
    return parent
end

--- M:components(): how many parts there are that no triangle joins, and the number of each face's, from 0, in the order of their first vertices.
-- Vertices that no triangle has are of no part.
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

-- ---- what holds

--- M:euler(): vertices - edges + faces, of the vertices that triangles have.
function topology.euler(m)
    if m.faces == 0 then return 0 end
    local used <close> = used_vertices(m)
    local e <close> = edges_of(m)
    return used:sum() - e.count + m.faces
end

--- M:boundary(): the edges with one triangle, a stream of ivec2, each as its triangle runs along it, in the order of triangles.
function topology.boundary(m)
    if m.faces == 0 then return rill.stream("ivec2", 0) end
    local twin <close> = twins_of_mesh(m)
    return kernels:program().open_edges(m.triangles, twin)
end

--- M:is_closed(): whether no edge has just one triangle. A mesh without triangles is.
function topology.is_closed(m)
    if m.faces == 0 then return true end
    local twin <close> = twins_of_mesh(m)
    local alone <close> = kernels:program().alone(twin)
    return alone:max() == 0
end

--- M:is_oriented(): whether no two triangles run along an edge the same way.
function topology.is_oriented(m)
    if m.faces == 0 then return true end
    local e <close> = edges_of(m)
    local same <close> = kernels:program().same_way(m.triangles, e.order, e.start, e.start, e.count, e.n)
    return same:max() == 0
end

--- M:is_manifold(): whether each edge has one triangle or two, and the triangles around each vertex are one fan; none has a vertex twice.
function topology.is_manifold(m)
    if m.faces == 0 then return true end
    local k = kernels:program()
    local twin <close> = twins_of_mesh(m)
    local pinched <close> = k.pinched(m.triangles)
    if twin:min() == -2 or pinched:max() == 1 then
        return false
    end
    -- Corners that are joined across edges are a fan; there must be as many fans as vertices.
    local links <close> = k.beside(m.triangles, twin)
    local parent <close> = topology.roots("M:is_manifold", 3 * m.faces, links)
    local used <close> = used_vertices(m)
    local root <close> = k.roots(parent)
    return root:sum() == used:sum()
end

return topology
