-- Connectivity of meshes. Half-edge 3 f + k of triangle f goes from its corner k to the next corner.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local edges = require "rill.geometry.mesh.edges"
local kernels <const> = require "rill.glsl.template".file "topology"
local fail <const> = errors.fail

local topology = {}

-- This file uses no stream expressions: an expression would keep its streams alive until it is collected.
local MOST_ROUNDS <const> = 1000 -- of unions; two of them at least halve the number of separate parts

-- ---- edges

local function twins_of_mesh(m)
    local e <close> = edges.of(m)
    return edges.twins(e)
end

--- M:adjacency() returns {twin =, edge =, edges =, valence =}. twin {faces, 3}: the opposite half-edge, -1 at a
-- boundary, -2 if the edge has more than two triangles. edge {faces, 3}: the edge of each half-edge. edges: the two
-- vertices of each edge, the lower index first, in ascending order. valence: number of edges at each vertex.
function topology.adjacency(m)
    if m.faces == 0 then
        return {twin = rill.stream("int", {0, 3}), edge = rill.stream("int", {0, 3}), edges = rill.stream("ivec2", 0),
            valence = rill.stream("int", m.vertices)}
    end
    local e <close> = edges.of(m)
    local twin <close>, shape = edges.twins(e), {m.faces, 3}
    local around = {twin = twin:reshape(shape), edge = e.edge:reshape(shape), edges = e.edges, valence = e.valence}
    e.edges, e.valence = nil, nil
    return around
end

--- topology.quarters(triangles, edge, vertices) returns four triangles for each triangle, first the three at its
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

--- topology.roots(where, count, links [, most]) returns, for each of `count` nodes, the smallest node that is
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

--- M:components() returns the number of connected components, and the component of each face (0-based, in the order
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

--- M:euler() returns vertices - edges + faces, counting only vertices that triangles use.
function topology.euler(m)
    if m.faces == 0 then return 0 end
    local used <close> = used_vertices(m)
    local e <close> = edges.of(m)
    return used:sum() - e.count + m.faces
end

--- M:boundary() returns the edges with one triangle, a stream of ivec2, in the direction and order of the triangles.
function topology.boundary(m)
    if m.faces == 0 then return rill.stream("ivec2", 0) end
    local twin <close> = twins_of_mesh(m)
    return kernels:program().open_edges(m.triangles, twin)
end

--- M:is_closed() returns whether no edge has exactly one triangle. True for a mesh without triangles.
function topology.is_closed(m)
    if m.faces == 0 then return true end
    local twin <close> = twins_of_mesh(m)
    local alone <close> = kernels:program().alone(twin)
    return alone:max() == 0
end

--- M:is_oriented() returns whether no two triangles traverse an edge in the same direction.
function topology.is_oriented(m)
    if m.faces == 0 then return true end
    local twin <close> = twins_of_mesh(m)
    local same <close> = kernels:program().same_way(m.triangles, twin)
    return same:max() == 0
end

--- M:is_manifold() returns whether each edge has one or two triangles, the triangles around each vertex form one
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
