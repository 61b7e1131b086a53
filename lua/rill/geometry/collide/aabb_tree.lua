-- Trees of bounding boxes over the triangles of a mesh, built level by level on the device.
--
-- Fields of a tree's state t that all types have and that traversals read:
--   t.levels, t.leaf, t.faces   2^levels leaves of `leaf` slots each, numbered as in collide/nodes.lua
--   t.face, t.corner            the triangle in each slot (-1: empty), and its three corners; filled by tree.take_order
--   t.box                       the Box of each node: center and three half axes of any direction. It encloses all
--                               boxes and triangles below it, including rounding errors. Node 0 and empty nodes are
--                               undefined.
--   t.twins                     AABBs only: the boxes of nodes 2 i and 2 i + 1, for the faster test of
--                               collide/box_overlap.lua
--   t.pad                       margin that covers the rounding errors of AABBs
-- A type is a function tree.kinds.NAME(t, m, low, high) that fills face, corner, box (and twins) for a mesh with
-- triangles.
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local class = require "rill.core.class"
local option = require "rill.core.options"
local object = require "rill.geometry.mesh.mesh"
require "rill.geometry.collide.nodes"
local kernels <const> = require "rill.glsl.template".file "aabb_tree"
local fail <const> = errors.fail

local tree = {}

local Tree <const> = class.define {
    type = "rill.tree", letter = "T", one = "a tree", closed = "closed tree", lenient = true,
    state = function(self)
        local t = rawget(self, "own")
        return not t.closed and t
    end,
    read = function(field, self) return rawget(self, "own")[field] end,
    release = function(t)
        for _, name in ipairs {"face", "corner", "box", "twins", "spans", "wide", "oriented", "triangles", "parts"} do
            if t[name] then t[name]:close() end
        end
        t.closed = true
    end,
    describe = function(t) return ("%s of %d triangles, %d levels"):format(t.kind, t.faces, t.levels) end,
}
--- T.kind: "bvh" or "obbtree". T.faces: number of triangles. T.levels: levels below the root. T.leaf: largest number
-- of triangles in a leaf.
for _, name in ipairs {"kind", "faces", "levels", "leaf"} do
    Tree.fields[name] = name
end
--- tree.methods: the methods of trees. queries.lua adds to them.
tree.methods = Tree.methods

local MOST <const> = 1 << 25 -- triangles; indices of nodes and slots are ints

--- tree.passes() returns the kernels, and the structure Box.
function tree.passes()
    return kernels:program()
end
local passes <const> = tree.passes

--- tree.nodes(first, count) returns the indices of nodes from `first` as an iterator stream, which takes no memory.
function tree.nodes(first, count)
    return rill.iter("int", count, first, first + count)
end

--- tree.take_order(t, m, order) stores the triangles in the given order (-1 in empty slots), and their corners.
function tree.take_order(t, m, order)
    local slots <const> = t.leaf << t.levels
    t.face, t.corner = rill.stream("int", slots), rill.stream("vec3", 3 * slots)
    passes().fill(t.faces, order, t.face)
    passes().corners(t.face, m.triangles, m.positions, t.corner)
end

local function curve_order(m, low, high)
    local scale = {}
    for d = 1, 3 do scale[d] = high[d] > low[d] and math.min(1023 / (high[d] - low[d]), 3e38) or 0 end
    local codes <close> = passes().codes(low, scale, m.triangles, m.positions)
    return rill.argsort(codes)
end

--- tree.bounds(t) returns the smallest and the largest coordinates below each node, two streams of vec3. In an empty
-- node low is above high.
function tree.bounds(t)
    local run, count = passes(), 2 << t.levels
    local low, high = rill.stream("vec3", count), rill.stream("vec3", count)
    local leaves <const> = 1 << t.levels
    run.around(tree.nodes(leaves, leaves), t.leaf, leaves, t.face, t.corner, low, high)
    for level = t.levels - 1, 0, -1 do
        run.join(tree.nodes(1 << level, 1 << level), low, high)
    end
    return low, high
end

local function aligned_boxes(t)
    local low, high = tree.bounds(t)
    local boxes = passes().aligned(low, high, t.pad)
    low:close()
    high:close()
    return boxes
end

-- tree.kinds.NAME(t, m, low, high) orders the triangles of a mesh with these bounds and computes the boxes.
tree.kinds = {}

--- tree.kinds.bvh(t, m, low, high) builds a tree of AABBs by sorting triangles along a curve (C. Lauterbach and others,
-- "Fast BVH Construction on GPUs", 2009), here Hilbert's, whose boxes are smaller than those of Morton's (I. Kamel and
-- C. Faloutsos, "Hilbert R-tree", 1994). Each node is split at the middle of its range.
function tree.kinds.bvh(t, m, low, high)
    local order <close> = curve_order(m, low, high)
    tree.take_order(t, m, order)
    t.box = aligned_boxes(t)
    t.twins = passes().pair_up {box = t.box, shape = 1 << t.levels}
end

-- Two leaves of the largest size have 2^30 pairs of triangles, which fit into an int.
local OPTIONS <const> = {leaf = option.number(1, 32768, 1)}

local function levels_of(faces, leaf)
    local levels = 0
    while leaf << levels < faces do levels = levels + 1 end
    return levels
end

-- Returns the smallest and the largest coordinates of the triangles, and the largest absolute value. Vertices without
-- triangles are ignored.
local function bounds_of(where, m)
    local low <close>, high = passes().ends(m.triangles, m.positions)
    local least, largest, most = low:min(), high:max(), 0
    high:close()
    for d = 1, 3 do
        local far = math.abs(least[d]) > math.abs(largest[d]) and least[d] or largest[d]
        if math.abs(far) > 1e18 or far ~= far then
            fail("%s: argument #1 'm': expected coordinates up to 1e18, got %s", where, errors.number(far))
        end
        most = math.max(most, math.abs(far))
    end
    return least, largest, most
end

--- tree.new(where, kind, m, options) returns a tree over the current triangles of a mesh.
function tree.new(where, kind, m, options)
    local taken = option.take(where, options, OPTIONS)
    if object.take(where, m).faces > MOST then
        fail("%s: argument #1 'm': expected at most %d triangles, got %d", where, MOST, m.faces)
    end
    local leaf <const> = math.min(taken.leaf, math.max(m.faces, 1)) -- without empty slots, which pairs would visit
    local t = {kind = kind, leaf = leaf, faces = m.faces, levels = levels_of(m.faces, leaf), closed = false}
    if m.faces > 0 then
        t.vertices, t.triangles = m.vertices, m.triangles:copy() -- for the connected parts in containment.lua
        local low, high, most = bounds_of(where, m)
        t.pad, t.low, t.high, t.most = 2e-6 * most, low, high, most
        tree.kinds[kind](t, m, low, high)
    end
    return setmetatable({own = t}, Tree.metatable)
end

--- tree.take(where, argument, value) returns the state of a tree. Raises an error if the value is not an open tree.
function tree.take(where, argument, value)
    if not Tree.is(value) then
        local remedy <const> = rill.type(value) == "mesh" and "; rill.collide.bvh(m) makes one of a mesh" or ""
        fail("%s: %s: expected a tree of rill.collide, got %s%s", where, argument, errors.told(value), remedy)
    end
    local t = rawget(value, "own")
    if t.closed then
        fail("%s: %s: the tree was closed", where, argument)
    end
    return t
end

return tree
