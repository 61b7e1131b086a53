-- Loop's rules (C. Loop, Smooth subdivision surfaces based on triangles, 1987), with creases (H. Hoppe et al.,
-- Piecewise smooth surface reconstruction, 1994). Each vertex is computed once, from its neighbors sorted by value,
-- so that the result does not depend on the numbering of vertices.
local rill = require "rill.core.public"
local held = require "rill.core.scope"
local topology = require "rill.geometry.mesh.topology"
local text <const> = require "rill.glsl.template".file "loop"

local rules = {}

local function kernels()
    return text:program()
end

-- ---- data of a level

-- Returns the weight of a neighbor by valence: Loop's beta, or 1 / (3 / (8 beta) + n) for the limit surface.
local function weights_of(most, limit)
    local list = {0, 0, 0}
    for n = 1, most do
        local beta = n == 3 and 3 / 16 or (5 / 8 - (3 / 8 + math.cos(2 * math.pi / n) / 4) ^ 2) / n
        list[n + 1] = limit and 1 / (3 / (8 * beta) + n) or beta
    end
    return rill.from(list)
end

--- rules.level(m, creases): returns the data that the rules need for a mesh with triangles: its half-edges and the
-- edges around each vertex. The caller closes it. creases: a stream of ivec2, or nil. Also returns the 0-based index
-- of the first crease that is not an edge.
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

--- rules.odd(l, straight): returns the new vertices, one for each edge. straight: 1 for edges whose new vertex is
-- their midpoint. Default: the sharp edges.
function rules.odd(l, straight)
    return kernels().odd(l.edges, l.own, straight or l.sharp, l.twin, l.m.triangles, l.m.positions)
end

--- rules.even(l, stays, limit): returns the new positions of the old vertices. stays: 1 for each edge whose ends do
-- not move. limit: compute positions on the limit surface.
function rules.even(l, stays, limit)
    local weights <close> = weights_of(l.most, limit)
    local none <close> = rill.stream("int", stays and 0 or l.count)
    return kernels().even(l.m.positions, l.m.positions, l.start, l.ring, l.edges, l.sharp, stays or none, weights,
        limit and 1 / 6 or 1 / 8)
end

--- rules.normals(l, plain, scale): returns the normals of the limit surface where it is smooth, and `plain`
-- elsewhere.
function rules.normals(l, plain, scale)
    local k, m = kernels(), l.m
    local vertex <close> = k.leaving {t = m.triangles, shape = 3 * m.faces}
    local leave <close> = rill.stream("int", m.vertices, 0x7fffffff)
    k.first(vertex, leave)
    local valence <close> = k.smooth_only(l.start, l.ring, l.sharp, l.valence)
    return k.normal(plain, leave, valence, l.twin, m.triangles, m.positions, scale)
end

--- rules.creases(l, split, place): returns the creases of the next level. split: 1 for edges that are split; place:
-- the running count of split edges.
function rules.creases(l, split, place)
    return l.crease and kernels().recrease(l.edges, l.crease, split, place, l.m.vertices)
end

--- rules.quarters(l): returns four triangles for each triangle, with vertex V + e on edge e: the three at its
-- corners, then the one in the middle.
function rules.quarters(l)
    return topology.quarters(l.m.triangles, l.edge, l.m.vertices)
end

return rules
