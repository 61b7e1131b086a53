--- rill.collide: which triangles of two meshes meet, by trees of boxes.
local errors = require "rill.core.error"
local tree = require "rill.geometry.collide.aabb_tree"
require "rill.geometry.collide.queries"

local collide = {}

--- rill.collide.bvh(m [, {leaf =}]): a tree of upright boxes over the triangles of a mesh as it is now; `leaf`: triangles in a leaf.
collide.bvh = errors.guard(function(m, options) return tree.new("rill.collide.bvh", "bvh", m, options) end,
    "rill.collide.bvh")

--- rill.collide.obbtree(m [, {leaf =}]): a tree of boxes that lie as the triangles in them do.
tree.kinds.obbtree = require "rill.geometry.collide.obb_tree"
collide.obbtree = errors.guard(function(m, options)
    return tree.new("rill.collide.obbtree", "obbtree", m, options)
end, "rill.collide.obbtree")

--- rill.collide.pairs(a, b [, {a =, b =, stop =}]): the pairs of triangles that meet, ascending, and a report.
collide.pairs = errors.guard(require "rill.geometry.collide.pairs", "rill.collide.pairs")

return errors.strict(collide, "rill.collide")
