-- Loop's rules (C. Loop, Smooth subdivision surfaces based on triangles, 1987), with creases (H. Hoppe et al.,
-- Piecewise smooth surface reconstruction, 1994). Each vertex is computed once, from its neighbors sorted by value,
-- so that the result does not depend on the numbering of vertices.
local rill = require "rill.core.public"
local edges = require "rill.geometry.mesh.edges"
local sorting_network = require "rill.glsl.snippets.sorting_network"
local texts <const> = require "rill.glsl.template".sections "loop"
local topology = require "rill.geometry.mesh.topology"

local rules = {}

local function kernels()
    return texts.rules:program()
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

local MOST_INT <const> = 0x7fffffff

--- rules.level(m, creases) returns the data that the rules need for a mesh with triangles: its edges (edges.of), and
-- `sharp`, 1 for sharp edges. The caller closes it. creases: a stream of ivec2, or nil. Also returns the 0-based index
-- of the first crease that is not an edge, if there is one.
function rules.level(m, creases)
    local k, l = kernels(), edges.of(m)
    l.m, l.sharp = m, k.borders(l.sides)
    if not creases or creases.size == 0 then return l end
    local missing <close> = rill.from({MOST_INT}, "int")
    local borders <close> = l.sharp
    l.crease = rill.stream("int", l.count)
    k.crease(creases, l.edges, l.count, l.crease, missing)
    l.sharp = rill.max(borders, l.crease):eval()
    local first <const> = missing:get(1)
    return l, first < MOST_INT and first or nil
end

--- rules.odd(l, straight) returns the new vertices, one for each edge. straight: 1 for edges whose new vertex is
-- their midpoint. Default: the sharp edges.
function rules.odd(l, straight)
    return kernels().odd(l.edges, l.sides, straight or l.sharp, l.m.triangles, l.m.positions)
end

local SORTED <const> = 12

-- Returns the values of the template of `even` for the values of the template vertex_ring.
local evens = setmetatable({}, {__mode = "k"})
local function even_values(ring, marked)
    local both = evens[ring] or {}
    if not both[marked] then
        local values = {marked = marked, I = "ivec3", F = "vec3", most = SORTED,
            nearest = table.move(ring.ring_slots, 1, SORTED, 1, {}),
            others = table.move(ring.ring_slots, SORTED + 1, #ring.ring_slots, 1, {}),
            value_exchanges = sorting_network.exchanges(SORTED)}
        for name, value in pairs(ring) do values[name] = value end
        both[marked], evens[ring] = values, both
    end
    return both[marked]
end

-- Returns the new positions of the old vertices of a mesh whose corners are listed.
local function even_by_corners(l, stays, side, limit)
    local ring <const>, marked <const> = l.ring, stays ~= nil or l.crease ~= nil
    local weights <close> = weights_of(#ring.ring_slots, limit)
    local k, p = texts.even:program(even_values(ring, marked)), l.m.positions
    if not marked then
        return k.even(p, p, l.last, l.corners, l.list, l.m.triangles, weights, side)
    end
    local none <close> = rill.stream("int", stays and 0 or l.count)
    return k.even(p, p, l.last, l.corners, l.list, l.m.triangles, l.edge, l.sharp, stays or none, weights, side)
end

-- Returns the new positions of the old vertices of any mesh: sorts the ends of the edges.
local function even_by_edges(l, stays, side, limit)
    local k, p = kernels(), l.m.positions
    local weights <close> = weights_of(l.valence:max(), limit)
    local none <close> = rill.stream("int", stays and 0 or l.count)
    local vertex, edge = k.ends {e = l.edges, edges = l.count, shape = 2 * l.count}
    local sorted, ring = rill.sort_by_key(vertex, edge)
    local all <close> = rill.iota(l.m.vertices + 1)
    local start <close> = rill.searchsorted(sorted, all)
    local moved = k.even(p, p, start, ring, l.edges, l.sharp, stays or none, weights, side)
    for _, s in ipairs {vertex, edge, sorted, ring} do s:close() end
    return moved
end

--- rules.even(l, stays, limit) returns the new positions of the old vertices. stays: 1 for each edge whose ends do
-- not move. limit: compute positions on the limit surface.
function rules.even(l, stays, limit)
    return (l.ring and even_by_corners or even_by_edges)(l, stays, limit and 1 / 6 or 1 / 8, limit)
end

--- rules.normals(l, plain, scale) returns the normals of the limit surface where it is smooth, and `plain`
-- elsewhere.
function rules.normals(l, plain, scale)
    local k, m = kernels(), l.m
    local vertex <close> = k.leaving {t = m.triangles, shape = 3 * m.faces}
    local leave <close> = rill.stream("int", m.vertices, 0x7fffffff)
    k.first(vertex, leave)
    local creases <close> = rill.stream("int", m.vertices)
    k.count_sharp(l.edges, l.sharp, creases)
    local valence <close> = k.smooth_only(creases, l.valence)
    local twin <close> = edges.twins(l)
    return k.normal(plain, leave, valence, twin, m.triangles, m.positions, scale)
end

--- rules.creases(l, split, place) returns the creases of the next level. split: 1 for edges that are split; place:
-- the running count of split edges.
function rules.creases(l, split, place)
    return l.crease and kernels().recrease(l.edges, l.crease, split, place, l.m.vertices)
end

--- rules.quarters(l) returns four triangles for each triangle, with vertex V + e on edge e: the three at its
-- corners, then the one in the middle.
function rules.quarters(l)
    return topology.quarters(l.m.triangles, l.edge, l.m.vertices)
end

return rules
