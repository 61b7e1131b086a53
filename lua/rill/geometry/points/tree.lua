-- Trees of bounding boxes over points: the points in the order of a Hilbert curve, cut into leaves of equal size (I.
-- Kamel and C. Faloutsos, "On Packing R-trees", CIKM 1993). Points that fall into one cell of the curve, such as a
-- dense cluster next to a distant point, are ordered by a curve of their own bounding box, until all are resolved.
--
-- Fields of a tree:
--   rank, real                 the number of dimensions; "float" or "double"
--   type                       the type of points
--   count, leaves              the number of points; the number of leaves, a power of two
--   keys                       the places of the points on the curve, doubles; in one dimension the points
--   points                     the points in the order of the leaves, with their original indices
--   boxes, least               the boxes of the nodes and the lowest index of a point in each node, numbered as in
--                              kernels/tree.glsl
--   low, high                  the least and the largest coordinates, lists
local rill = require "rill.core.public"
local template = require "rill.glsl.template"
local vector = require "rill.core.vector"
local sections <const> = template.sections "tree"
local texts <const> = sections.build
template.snippet("points_tree", sections.types) -- the structures of a tree, for kernels that read it

local tree = {}

local LEAF <const> = 8 -- points of a leaf
local MOST_ROUNDS <const> = 128 -- of curves of their own for points that share a cell

-- Structures fill whole texels of four words, which are read at once. The fields that fill them, by their words:
local PADS <const> = {[0] = "", "int pad;", "ivec2 pad;", "ivec3 pad;"}
local bases = {}
for _, real in ipairs {"float", "double"} do
    local letter <const> = real == "double" and "d" or ""
    bases[real] = {}
    for rank = 1, 3 do
        local words <const> = real == "double" and 2 * rank or rank
        bases[real][rank] = {
            pad = PADS[-(words + 1) % 4], box_pad = PADS[-2 * words % 4],
            rank = rank, real = real, leaf = LEAF, bits = rank == 3 and 20 or 30, half = rank == 3 and 10 or 15,
            V = rank == 1 and real or letter .. "vec" .. rank, D = rank == 1 and "double" or "dvec" .. rank,
            U = rank == 1 and "uint" or "uvec" .. rank, axes = {table.unpack({"x", "y", "z"}, 1, rank)},
            last = ("xyz"):sub(rank, rank),
        }
    end
end

--- tree.types: the dimension and the scalar type of each type of points.
tree.types = {}
for real, ranks in pairs(bases) do
    for rank, base in ipairs(ranks) do
        tree.types[base.V] = {rank = rank, real = real}
    end
end

--- tree.values(rank, real) returns values for the templates of kernels of points.
function tree.values(rank, real)
    return bases[real][rank]
end

local function compose(order, inner)
    local composed <const> = rill.gather(order, inner)
    order:close()
    return composed
end

-- Orders points that have a cell of the curve in common, if more than a leaf's points do and they differ. `state`: the
-- points, their order, and their keys and cells in this order. Returns whether there were such points.
local function refine(kernels, state)
    local begins <close> = kernels.begins(state.key, state.cell)
    local first <close> = begins:find "x"
    local cell = begins:scan()
    local found <close> = kernels.unresolved(state.points, cell, first)
    if found:max() == 0 then
        return false
    end
    local low <close> = rill.segmented_reduce(state.points, begins, "min")
    local high <close> = rill.segmented_reduce(state.points, begins, "max")
    local finer <close> = kernels.refined(state.points, cell, first, low, high)
    local by_key <close> = rill.argsort(finer)
    local cells <close> = rill.gather(cell, by_key)
    local inner <close> = compose(by_key, rill.argsort(cells))
    state.order, state.points = compose(state.order, inner), compose(state.points, inner)
    state.key, state.cell = rill.gather(finer, inner), cell
    return true
end

-- Returns the keys of points: their places on the curve of a tree, or the points themselves in one dimension.
local function keys_of(kernels, t, p)
    return t.rank == 1 and p or kernels.keys(p, t.low, vector.longest(t.low, t.high))
end

-- Sets t.points and t.keys.
local function sort_points(kernels, t, p)
    local keys <const> = keys_of(kernels, t, p)
    local state = {order = rill.argsort(keys)}
    state.points, t.keys = rill.gather(p, state.order), rill.gather(keys, state.order)
    if t.rank > 1 and t.count > 0 then
        state.key, state.cell = t.keys, rill.stream("int", t.count, 1)
        -- The results do not depend on the order. Devices that replace subnormal numbers by 0 could go on.
        for _ = 1, MOST_ROUNDS do
            if not refine(kernels, state) then break end
        end
    end
    t.points = kernels.pack(state.points, state.order)
end

local function levels_of(count)
    local levels = 0
    while LEAF << levels < count do levels = levels + 1 end
    return levels
end

--- tree.new(p, low, high) returns a tree over the points p of one dimension, with these least and largest coordinates.
function tree.new(p, low, high)
    local type <const> = tree.types[p.type]
    local levels <const> = levels_of(p.size)
    local t = {type = p.type, rank = type.rank, real = type.real, count = p.size, leaves = 1 << levels, low = low,
        high = high}
    local kernels <const> = texts:program(bases[type.real][type.rank])
    sort_points(kernels, t, p)
    t.boxes, t.least = rill.stream(kernels.Box, 2 << levels), rill.stream("int", 2 << levels)
    kernels.around(rill.iter("int", t.leaves, t.leaves, 2 * t.leaves), t.leaves, t.points, t.boxes, t.least)
    for level = levels - 1, 0, -1 do
        kernels.join(rill.iter("int", 1 << level, 1 << level, 2 << level), t.boxes, t.least)
    end
    return t
end

--- tree.queries(t, q) returns queries in the order of the curve with their indices, the structure Point, and the place
-- of each one among t.points.
function tree.queries(t, q)
    local kernels <const> = texts:program(bases[t.real][t.rank])
    local keys <const> = keys_of(kernels, t, q)
    local order <close> = rill.argsort(keys)
    local sorted <close> = rill.gather(q, order)
    local key <close> = rill.gather(keys, order)
    return kernels.pack(sorted, order), rill.searchsorted(t.keys, key)
end

--- tree.packed(t, q) returns queries with their indices, in the same order.
function tree.packed(t, q)
    return texts:program(bases[t.real][t.rank]).pack(q, rill.iter("int", q.size, 0, q.size))
end

--- tree.places(t) returns the place of each point in t.points by its original index.
function tree.places(t)
    if not t.place then
        t.place = rill.stream("int", t.count)
        texts:program(bases[t.real][t.rank]).places(t.points, t.place)
    end
    return t.place
end

return tree
