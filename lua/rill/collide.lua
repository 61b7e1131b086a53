--- rill.collide: finds intersecting triangles of two meshes by bounding volume hierarchies, and answers ray, distance
-- and containment queries.
local errors = require "rill.core.error"
local tree = require "rill.geometry.collide.aabb_tree"
require "rill.geometry.collide.queries"

local collide = {}

--- rill.collide.bvh(m [, {leaf = 1}]) returns a tree of axis-aligned bounding boxes over the triangles of a mesh.
-- Later changes of the mesh do not change the tree. leaf: largest number of triangles in a leaf, 1 to 32768.
collide.bvh = errors.guard(function(m, options) return tree.new("rill.collide.bvh", "bvh", m, options) end,
    "rill.collide.bvh")

--- rill.collide.obbtree(m [, {leaf = 1}]) returns a tree of oriented bounding boxes over the triangles of a mesh.
tree.kinds.obbtree = require "rill.geometry.collide.obb_tree"
collide.obbtree = errors.guard(function(m, options)
    return tree.new("rill.collide.obbtree", "obbtree", m, options)
end, "rill.collide.obbtree")

--- rill.collide.pairs(a, b [, {a =, b =, contained =, stop =}]) returns the pairs of triangles that intersect, in
-- ascending order, and a report.
collide.pairs = errors.guard(require "rill.geometry.collide.pairs", "rill.collide.pairs")

return errors.strict(collide, "rill.collide")
