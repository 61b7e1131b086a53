-- Snippets common to the kernels of collision detection: boxes of any direction, node numbering, and triangle tests
-- in double precision. A tree has 2^levels leaves of `leaf` slots for triangles, filled from the left. Nodes are
-- numbered as in a heap: node 1 is the root, nodes 2 i and 2 i + 1 are the children of node i. A node whose first
-- slot is after the last triangle is empty and is never visited.
local template = require "rill.glsl.template"

-- Defines the snippets collide_nodes, collide_boxes and collide_triangles.
for name, text in pairs(template.sections "nodes") do
    template.snippet("collide_" .. name, text)
end
