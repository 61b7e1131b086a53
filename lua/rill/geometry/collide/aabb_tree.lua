-- Trees of boxes over the triangles of a mesh, built level by level on the device.
--
-- What is common to all kinds, and all that traversals read (t is what a tree owns):
--   t.levels, t.leaf, t.faces   2^levels leaves of `leaf` places each, numbered as collide/nodes.lua says
--   t.face, t.corner            the triangle in each place, -1 where there is none, and its three corners (tree.take_order fills both)
--   t.box                       the Box of each node: a middle and three half axes of any direction, so that traversals need not know
--                               whether boxes are upright. Node 0 and empty nodes hold anything. It must hold what is below it, the
--                               losses of floats in finding it included (t.pad covers those of upright boxes)
--   t.twins                     of upright boxes only: those of nodes 2 i and 2 i + 1 side by side, for a faster test (collide/box_overlap.lua)
-- A kind is a function tree.kinds.NAME(t, m, low, high) that fills these from t.face on, with a mesh that has triangles.
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
        for _, name in ipairs {"face", "corner", "box", "twins", "spans", "triangles", "parts"} do
            if t[name] then t[name]:close() end
        end
        t.closed = true
    end,
    describe = function(t) return ("%s of %d triangles, %d levels"):format(t.kind, t.faces, t.levels) end,
}
--- T.kind: what made it. T.faces: triangles. T.levels: levels below the root. T.leaf: triangles in a leaf.
for _, name in ipairs {"kind", "faces", "levels", "leaf"} do
    Tree.fields[name] = name
end
--- tree.methods: of trees; queries.lua adds to them.
tree.methods = Tree.methods

local MOST <const> = 1 << 25 -- triangles: nodes and places are numbered by ints

--- The passes of the text, and the structure of a box.
function tree.passes()
    return kernels:program()
end
local passes <const> = tree.passes

--- tree.nodes(first, count): the numbers of nodes from `first`, as a ramp that takes no memory.
function tree.nodes(first, count)
    return rill.iter("int", count, first, first + count)
end

--- tree.take_order(t, m, order): the triangles in an order, -1 in places that stay empty, and their corners.
function tree.take_order(t, m, order)
    local places <const> = t.leaf << t.levels
    t.face, t.corner = rill.stream("int", places), rill.stream("vec3", 3 * places)
    passes().fill(t.faces, order, t.face)
    passes().corners(t.face, m.triangles, m.positions, t.corner)
end

local function morton_order(m, low, high)
    local scale = {}
    for d = 1, 3 do scale[d] = high[d] > low[d] and math.min(1023 / (high[d] - low[d]), 3e38) or 0 end
    local codes <close> = passes().codes(low, scale, m.triangles, m.positions)
    return rill.argsort(codes)
end

--- tree.bounds(t): the least and the largest coordinates of what is below each node, two streams of vec3; of empty nodes the first are the larger.
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

local function upright_boxes(t)
    local low, high = tree.bounds(t)
    local boxes = passes().upright(low, high, t.pad)
    low:close()
    high:close()
    return boxes
end

-- tree.kinds.NAME(t, m, low, high) puts the triangles of a mesh within bounds in order, and boxes around them.
tree.kinds = {}

--- tree.kinds.bvh(t, m, low, high): a tree of upright boxes in the order of
-- Morton's curve is that of C. Lauterbach and others, "Fast BVH Construction on GPUs" (2009), parted in the middle of each node.
function tree.kinds.bvh(t, m, low, high)
    local order <close> = morton_order(m, low, high)
    tree.take_order(t, m, order)
    t.box = upright_boxes(t)
    t.twins = passes().pair_up {box = t.box, shape = 1 << t.levels}
end

local OPTIONS <const> = {leaf = option.number(1, 32768, 1)} -- a pair of leaves has at most 2^30 pairs of triangles, an int

local function levels_of(faces, leaf)
    local levels = 0
    while leaf << levels < faces do levels = levels + 1 end
    return levels
end

-- The least and the largest coordinates of triangles, and the largest without its sign: vertices that none has may be anywhere.
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

--- tree.new(where, kind, m, options): a tree over the triangles of a mesh as it is now.
function tree.new(where, kind, m, options)
    local taken = option.take(where, options, OPTIONS)
    if object.take(where, m).faces > MOST then
        fail("%s: argument #1 'm': expected at most %d triangles, got %d", where, MOST, m.faces)
    end
    local leaf <const> = math.min(taken.leaf, math.max(m.faces, 1)) -- no empty places that pairs would go through
    local t = {kind = kind, leaf = leaf, faces = m.faces, levels = levels_of(m.faces, leaf), closed = false}
    if m.faces > 0 then
        t.vertices, t.triangles = m.vertices, m.triangles:copy() -- for what is asked about its parts
        local low, high, most = bounds_of(where, m)
        t.pad, t.low, t.high, t.most = 2e-6 * most, low, high, most
        tree.kinds[kind](t, m, low, high)
    end
    return setmetatable({own = t}, Tree.metatable)
end

--- tree.take(where, argument, value): what a tree is made of; raises where it is none.
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
