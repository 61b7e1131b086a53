-- Loop's rules (C. Loop, Smooth subdivision surfaces based on triangles, 1987), with creases (H. Hoppe et al., Piecewise smooth surface
-- reconstruction, 1994). Each vertex is computed once, from its neighbours sorted by value, so that no numbering of vertices changes a bit of it.
local rill = require "rill.core.public"
local lazy = require "rill.core.lazy"
local held = require "rill.core.scope"
local topology = require "rill.geometry.mesh.topology"

local rules = {}

-- An edge is sharp that is a crease, a boundary, or of more than two triangles. A vertex of two sharp edges lies on their curve; one of three or more
-- stays. Up to SORTED neighbours are sorted.
local TEXT <const> = [=[
    #define SORTED 12
    kernel void owners(int twin<>, int edge<>, inout int half_of[]) {
        int h = indexof(twin).x;
        if (twin < h) half_of[edge] = h;
    }
    kernel void borders(int own<>, int twin[], out int sharp<>) { sharp = twin[own] < 0 ? 1 : 0; }
    kernel void crease(ivec2 c<>, ivec2 e[], int edges, inout int sharp[], inout int missing[]) {
        ivec2 key = ivec2(min(c.x, c.y), max(c.x, c.y));
        int low = 0, high = edges;
        for (int i = 0; i < 32 && low < high; i++) {
            int middle = (low + high) / 2;
            ivec2 at = e[middle];
            if (at.x < key.x || at.x == key.x && at.y < key.y) low = middle + 1; else high = middle;
        }
        if (low < edges && e[min(low, edges - 1)] == key) sharp[low] = 1; else atomicMin(missing[0], indexof(c).x);
    }
    kernel void ends(ivec2 e[], int edges, out int vertex<>, out int edge<>) {
        int i = indexof(vertex).x;
        edge = i < edges ? i : i - edges;
        ivec2 v = e[edge];
        vertex = i < edges ? v.x : v.y;
    }
    kernel void odd(ivec2 e<>, int own<>, int sharp<>, int twin[], ivec3 t[], vec3 p[], out vec3 q<>) {
        precise vec3 s = 0.5 * p[e.x] + 0.5 * p[e.y];
        if (sharp == 0) {
            int other = twin[own];
            ivec3 here = t[own / 3], there = t[other / 3];
            vec3 c = p[here[(own % 3 + 2) % 3]], d = p[there[(other % 3 + 2) % 3]];
            s = 0.75 * s + (0.125 * c + 0.125 * d);
        }
        q = s;
    }
    // weights: of each neighbour, by valence; side: of each on a curve. What a staying edge touches stays.
    kernel void even(vec3 p<>, vec3 all[], int start[], int ring[], ivec2 e[], int sharp[], int stays[], float weights[],
            float side, out vec3 q<>) {
        int v = indexof(q).x, from = start[v], to = start[v + 1], n = 0, creases = 0;
        bool stay = false;
        vec3 near[SORTED];
        precise vec3 sum = vec3(0.0), curve = vec3(0.0);
        for (int i = from; i < to; i++) {
            int edge = ring[i];
            ivec2 v2 = e[edge];
            if (v2.x != v2.y) {
                vec3 x = all[v2.x == v ? v2.y : v2.x];
                stay = stay || stays[edge] != 0;
                if (sharp[edge] != 0) { creases++; curve += x; }
                if (to - from > SORTED) sum += x;
                else {
                    for (int j = 0; j < n; j++) {
                        bvec3 less = lessThan(x, near[j]);
                        vec3 low = mix(near[j], x, less);
                        x = mix(x, near[j], less);
                        near[j] = low;
                    }
                    near[n] = x;
                }
                n++;
            }
        }
        if (to - from <= SORTED) for (int j = 0; j < n; j++) sum += near[j];
        precise vec3 r = p;
        if (!stay && creases == 2) r = (1.0 - 2.0 * side) * p + side * curve;
        if (!stay && creases < 2) r = (1.0 - float(n) * weights[n]) * p + weights[n] * sum;
        q = r;
    }
    // Half-edges that leave each vertex, the first of them.
    kernel void leaving(ivec3 t[], out int vertex<>) { int h = indexof(vertex).x; ivec3 v = t[h / 3]; vertex = v[h % 3]; }
    kernel void first(int vertex<>, inout int leave[]) { atomicMin(leave[vertex], indexof(vertex).x); }
    // Around a smooth vertex with all its neighbours in a ring, the normal of the limit; elsewhere `plain`.
    kernel void normal(vec3 plain<>, int leave<>, int valence<>, int twin[], ivec3 t[], vec3 p[], float scale, out vec3 n<>) {
        int v = indexof(n).x, h = leave, count = 0;
        vec3 along = vec3(0.0), across = vec3(0.0);
        vec3 centre = p[v];
        bool ring = h < 0x7fffffff;
        for (int i = 0; i < valence && ring; i++) {
            ivec3 corners = t[h / 3];
            ring = corners[h % 3] == v;
            vec3 x = scale * (p[corners[(h % 3 + 1) % 3]] - centre);
            float angle = 6.283185307179586 * float(i) / float(valence);
            along += cos(angle) * x;
            across += sin(angle) * x;
            h = ring ? twin[h / 3 * 3 + (h % 3 + 2) % 3] : -1;
            ring = ring && h >= 0;
            count++;
            if (h == leave) break;
        }
        vec3 r = cross(along, across);
        float most = max(max(abs(r.x), abs(r.y)), abs(r.z));
        // `scale` makes the mesh 1 long: what is below 1e-30 is rounding.
        n = ring && h == leave && count == valence && most > 1e-30 ? normalize(r / most) : plain;
    }
    kernel void smooth_only(int start[], int ring[], int sharp[], int valence<>, out int r<>) {
        int v = indexof(r).x, creases = 0;
        for (int i = start[v]; i < start[v + 1]; i++) creases += sharp[ring[i]];
        r = creases < 2 ? valence : 0;
    }
    kernel void recrease(ivec2 e<>, int crease<>, int split<>, int place<>, int n, vout ivec2 c<>) {
        if (crease != 0 && split != 0) { push(c, ivec2(e.x, n + place - 1)); push(c, ivec2(e.y, n + place - 1)); }
        if (crease != 0 && split == 0) push(c, e);
    }
]=]

local kernels <const> = lazy.once(function() return rill.program(TEXT) end)

-- ---- what a level is computed of

-- The weight of each neighbour by valence: Loop's, as of the reference in double; of the limit 1 / (3 / (8 beta) + n).
local function weights_of(most, limit)
    local list = {0, 0, 0}
    for n = 1, most do
        local beta = n == 3 and 3 / 16 or (5 / 8 - (3 / 8 + math.cos(2 * math.pi / n) / 4) ^ 2) / n
        list[n + 1] = limit and 1 / (3 / (8 * beta) + n) or beta
    end
    return rill.from(list)
end

--- rules.level(m, creases): what the rules need of a mesh with triangles: its half-edges, and the edges around each vertex, to be closed. creases: a stream of
-- ivec2, or nil.
-- Gives besides the first crease that is no edge, from 0.
function rules.level(m, creases)
    local k, around = kernels(), topology.adjacency(m)
    local n = 3 * m.faces
    local l = held {m = m, edges = around.edges, count = around.edges.size, valence = around.valence,
        twin = around.twin:reshape(n), edge = around.edge:reshape(n), most = around.valence:max()}
    around.twin:close()
    around.edge:close()
    l.own = rill.stream("int", l.count)
    k.owners(l.twin, l.edge, l.own)
    l.sharp = k.borders(l.own, l.twin)
    local missing <close> = rill.from({0x7fffffff}, "int")
    if creases and creases.size > 0 then
        l.crease = rill.stream("int", l.count)
        k.crease(creases, l.edges, l.count, l.crease, missing)
        l.sharp = rill.max(l.sharp, l.crease):eval()
    end
    local vertex, edge = k.ends {e = l.edges, edges = l.count, shape = 2 * l.count}
    local sorted, ring = rill.sort_by_key(vertex, edge)
    local all <close> = rill.iota(m.vertices + 1)
    l.start, l.ring = rill.searchsorted(sorted, all), ring
    for _, s in ipairs {vertex, edge, sorted} do s:close() end
    return l, missing:get(1)
end

--- rules.odd(l, straight): the new vertices, one for each edge; straight: 1 at edges that get their middle, unless told those that are sharp.
function rules.odd(l, straight)
    return kernels().odd(l.edges, l.own, straight or l.sharp, l.twin, l.m.triangles, l.m.positions)
end

--- rules.even(l, stays, limit): the vertices there are, moved; stays: 1 at each edge whose ends stay. limit: where they end up.
function rules.even(l, stays, limit)
    local weights <close> = weights_of(l.most, limit)
    local none <close> = rill.stream("int", stays and 0 or l.count)
    return kernels().even(l.m.positions, l.m.positions, l.start, l.ring, l.edges, l.sharp, stays or none, weights,
        limit and 1 / 6 or 1 / 8)
end

--- rules.normals(l, plain, scale): normals of the limit where the surface is smooth, `plain` elsewhere.
function rules.normals(l, plain, scale)
    local k, m = kernels(), l.m
    local vertex <close> = k.leaving {t = m.triangles, shape = 3 * m.faces}
    local leave <close> = rill.stream("int", m.vertices, 0x7fffffff)
    k.first(vertex, leave)
    local valence <close> = k.smooth_only(l.start, l.ring, l.sharp, l.valence)
    return k.normal(plain, leave, valence, l.twin, m.triangles, m.positions, scale)
end

--- rules.creases(l, split, place): the creases of the next level; split: 1 at edges that are parted, place: their running count.
function rules.creases(l, split, place)
    return l.crease and kernels().recrease(l.edges, l.crease, split, place, l.m.vertices)
end

--- rules.quarters(l): each triangle in four, vertex V + e on edge e: those at its corners, then that between.
function rules.quarters(l)
    return topology.quarters(l.m.triangles, l.edge, l.m.vertices)
end

return rules
