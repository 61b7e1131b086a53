-- How triangles hang together. Half-edge 3 f + k of triangle f runs from its corner k to the next. Sorted by the two vertices, the lesser first, the
-- half-edges of an edge stand side by side, and edges are numbered in that order.
local rill = require "rill.core.public"
local lazy = require "rill.core.lazy"
local errors = require "rill.core.error"
local held = require "rill.core.scope"
local fail <const> = errors.fail

local topology = {}

-- No algebra of streams here: an expression would hold its streams until it is collected.
local MOST_ROUNDS <const> = 1000 -- of unions; what is apart is halved by two of them at least

local TEXT <const> = [=[
    ivec2 ends(ivec3 t, int k) { return ivec2(t[k], t[k == 2 ? 0 : k + 1]); }
    kernel void halves(ivec3 t[], out int low<>, out int high<>) {
        int h = indexof(low).x;
        ivec2 e = ends(t[h / 3], h % 3);
        low = min(e.x, e.y);
        high = max(e.x, e.y);
    }
    // Whether an edge begins here, in the order of edges.
    kernel void heads(int order<>, int low[], int high[], int orders[], out int head<>) {
        int i = indexof(head).x;
        int before = orders[max(i - 1, 0)];
        head = i == 0 || low[before] != low[order] || high[before] != high[order] ? 1 : 0;
    }
    kernel void number(int order<>, int running<>, inout int edge[]) { edge[order] = running - 1; }
    kernel void first(int head<>, int running<>, inout int start[]) { if (head == 1) start[running - 1] = indexof(head).x; }
    // twin: of an edge with two triangles the other half-edge; -1 at a boundary, -2 where an edge has more.
    kernel void twins(int order[], int start[], int edge<>, int edges, int n, out int twin<>) {
        int from = start[edge];
        int to = edge + 1 < edges ? start[edge + 1] : n;
        int own = indexof(twin).x;
        twin = to - from == 1 ? -1 : to - from > 2 ? -2 : order[from] + order[from + 1] - own;
    }
    // Half-edges that run the same way as another of their edge.
    kernel void same_way(ivec3 t[], int order[], int start<>, int starts[], int edges, int n, out int same<>) {
        int e = indexof(same).x;
        int to = e + 1 < edges ? starts[e + 1] : n;
        int a = order[start];
        ivec2 first = ends(t[a / 3], a % 3);
        int count = to - start;
        same = first.x == first.y || count > 2 ? min(count - 1, 1) : 0;
        if (count == 2) {
            int b = order[start + 1];
            same = ends(t[b / 3], b % 3).x == first.x ? 1 : 0;
        }
    }
    kernel void vertices(int start<>, int order[], int low[], int high[], out ivec2 e<>) {
        e = ivec2(low[order[start]], high[order[start]]);
    }
    kernel void count_ends(ivec2 e<>, inout int valence[]) {
        atomicAdd(valence[e.x], 1);
        if (e.y != e.x) atomicAdd(valence[e.y], 1);
    }
    kernel void open_edges(ivec3 t[], int twin<>, vout ivec2 e<>) {
        int h = indexof(twin).x;
        if (twin == -1) push(e, ends(t[h / 3], h % 3));
    }
    kernel void use(ivec3 t<>, inout int used[]) { used[t.x] = 1; used[t.y] = 1; used[t.z] = 1; }
    // Corners at the same vertex on both sides of an edge, at either end; triangles may run along it the same way.
    kernel void beside(ivec3 t[], int twin<>, vout ivec2 link<>) {
        int h = indexof(twin).x;
        if (twin > h) {
            int after = h % 3 == 2 ? h - 2 : h + 1, behind = twin % 3 == 2 ? twin - 2 : twin + 1;
            bool same = ends(t[twin / 3], twin % 3).x == ends(t[h / 3], h % 3).x;
            push(link, ivec2(h, same ? twin : behind));
            push(link, ivec2(after, same ? behind : twin));
        }
    }
    // Roots that see a lesser one are put below it; what is above a root follows in `rise`.
    kernel void hook(ivec2 link<>, int parent[], inout int to[]) {
        int a = parent[link.x], b = parent[link.y];
        if (a != b) atomicMin(to[max(a, b)], min(a, b));
    }
    kernel void rise(int parent[], out int higher<>) {
        int i = parent[indexof(higher).x];
        for (int k = 0; k < 16; k++) i = parent[i];
        higher = i;
    }
    kernel void apart(ivec2 link<>, int parent[], out int r<>) { r = parent[link.x] != parent[link.y] ? 1 : 0; }
    kernel void moved(int now<>, int before<>, out int r<>) { r = now != before ? 1 : 0; }
    kernel void alone(int twin<>, out int r<>) { r = twin == -1 ? 1 : 0; }
    kernel void roots(int parent<>, out int root<>) { root = parent == indexof(root).x ? 1 : 0; }
    kernel void tops(int parent<>, int used<>, out int root<>) { root = used == 1 && parent == indexof(root).x ? 1 : 0; }
    kernel void name(ivec3 t<>, int parent[], int running[], out int part<>) { part = running[parent[t.x]] - 1; }
    kernel void sides(ivec3 t<>, vout ivec2 link<>) { push(link, t.xy); push(link, t.yz); }
    kernel void quarters(ivec3 t[], int edge[], int n, out ivec3 q<>) {
        int f = indexof(q).x / 4, k = indexof(q).x % 4;
        ivec3 v = t[f], m = n + ivec3(edge[3 * f], edge[3 * f + 1], edge[3 * f + 2]);
        q = k == 0 ? ivec3(v.x, m.x, m.z) : k == 1 ? ivec3(m.x, v.y, m.y) : k == 2 ? ivec3(m.z, m.y, v.z) : m;
    }
    kernel void pinched(ivec3 t<>, out int r<>) { r = t.x == t.y || t.y == t.z || t.z == t.x ? 1 : 0; }
]=]

local kernels <const> = lazy.once(function() return rill.program(TEXT) end)

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
    local k, n = kernels(), 3 * m.faces
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
    return kernels().twins(e.order, e.start, e.edge, e.count, e.n)
end

local function twins_of_mesh(m)
    local e <close> = edges_of(m)
    return twins_of(e)
end

local function ends_of(e)
    return kernels().vertices(e.start, e.order, e.low, e.high)
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
    kernels().count_ends(edges, valence)
    local twin <close>, shape = twins_of(e), {m.faces, 3}
    return {twin = twin:reshape(shape), edge = e.edge:reshape(shape), edges = edges, valence = valence}
end

--- topology.quarters(triangles, edge, vertices): each triangle in four, with vertex `vertices` + e in the middle of edge e; edge: of each half-edge. Those at
-- its corners, then that between.
function topology.quarters(triangles, edge, vertices)
    return kernels().quarters {t = triangles, edge = edge, n = vertices, shape = 4 * triangles.size}
end

-- ---- parts

local function used_vertices(m)
    local used = rill.stream("int", m.vertices)
    kernels().use(m.triangles, used)
    return used
end

--- topology.roots(where, count, links [, most]): for each of `count` nodes the least one that it is joined to by links, a stream of ivec2; a stream of
-- int. Rounds of hooking roots and of shortening paths (Y. Shiloach and U. Vishkin, An O(log n) parallel connectivity algorithm, 1982), by atomic minima. Raises after
-- `most` rounds. Waits.
function topology.roots(where, count, links, most)
    most = most or MOST_ROUNDS
    local k, all <close> = kernels(), rill.iota(count)
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
    local k = kernels()
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
    return kernels().open_edges(m.triangles, twin)
end

--- M:is_closed(): whether no edge has just one triangle. A mesh without triangles is.
function topology.is_closed(m)
    if m.faces == 0 then return true end
    local twin <close> = twins_of_mesh(m)
    local alone <close> = kernels().alone(twin)
    return alone:max() == 0
end

--- M:is_oriented(): whether no two triangles run along an edge the same way.
function topology.is_oriented(m)
    if m.faces == 0 then return true end
    local e <close> = edges_of(m)
    local same <close> = kernels().same_way(m.triangles, e.order, e.start, e.start, e.count, e.n)
    return same:max() == 0
end

--- M:is_manifold(): whether each edge has one triangle or two, and the triangles around each vertex are one fan; none has a vertex twice.
function topology.is_manifold(m)
    if m.faces == 0 then return true end
    local k = kernels()
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
