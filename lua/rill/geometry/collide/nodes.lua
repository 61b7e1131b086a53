-- What the kernels of collision share: boxes of any direction, nodes numbered as in a heap, and triangles in doubles.
--
-- A tree has 2^levels leaves of `leaf` places each for triangles, filled from the left. Node 1 is the root, nodes 2 i and 2 i + 1
-- are the children of node i; a node whose first place is beyond the last triangle is empty, and is never visited.
local template = require "rill.glsl.template"

-- The snippets collide_nodes, collide_boxes and collide_triangles.
for name, text in pairs(template.sections "nodes") do
    template.snippet("collide_" .. name, text)
end
