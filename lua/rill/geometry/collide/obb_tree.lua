-- Trees of oriented bounding boxes: S. Gottschalk, M. C. Lin and D. Manocha, "OBBTree: A Hierarchical Structure for
-- Rapid Interference Detection" (1996), sections 4 and 5. The axes of a box are the eigenvectors of the covariance of
-- its triangles' surface. Triangles are split across the longest side of the box into halves of equal count, not at
-- their mean as in the article. Then all nodes of a level have equally many slots, so a level is fitted by a few
-- launches over all triangles, without recursion. Moments are relative to the first triangle of a node and scaled by
-- the size of the mesh, so that floats are sufficient.
local rill = require "rill.core.public"
local vector = require "rill.core.vector"
require "rill.geometry.collide.nodes"
local tree = require "rill.geometry.collide.aabb_tree"
local text <const> = require "rill.glsl.template".file "obb_tree"

local SWEEPS <const> = 6 -- of Jacobi rotations; for 3 x 3 matrices 4 or 5 reach float precision

local function passes()
    return text:program {sweeps = SWEEPS}
end

local function close(...)
    for _, s in ipairs {...} do s:close() end
end

-- Fits the boxes of a level. Returns the axes of its nodes, and their extents along the axes.
local function fit(t, m, order, level, unit)
    local run, nodes, block = passes(), 1 << level, t.leaf << (t.levels - level)
    local each <close> = run.moments(order, order, block, unit, m.triangles, m.positions)
    local sum <close> = run.total {m = each, shape = nodes}
    local axes = run.axes(sum, order, block, m.triangles, m.positions)
    local spans <close> = run.project(order, axes, block, m.triangles, m.positions)
    local span = run.widest {s = spans, shape = nodes}
    local boxes <close> = t.box:domain(nodes + 1, 2 * nodes)
    run.box(axes, span, t.pad, boxes)
    return axes, span
end

-- Returns the order of triangles in which each node of a level is sorted along its longest side.
local function sorted_along(t, m, order, level, axes, span)
    local bits <const> = math.min(24, 32 - level)
    local keys <close> = passes().keys(order, axes, span, t.leaf << (t.levels - level), bits, m.triangles, m.positions)
    local by <close> = rill.argsort(keys)
    return rill.gather(order, by)
end

--- tree.kinds.obbtree(t, m, low, high) builds the tree, see collide/aabb_tree.lua.
return function(t, m, low, high)
    local longest = vector.longest(low, high)
    local unit <const> = longest > 0 and math.min(1 / longest, 3e38) or 0
    local order = passes().slots {faces = t.faces, shape = t.leaf << t.levels}
    t.box = rill.stream(tree.passes().Box, 2 << t.levels)
    for level = 0, t.levels do
        local axes, span = fit(t, m, order, level, unit)
        if level < t.levels then
            local following = sorted_along(t, m, order, level, axes, span)
            order:close()
            order = following
        end
        close(axes, span)
    end
    tree.take_order(t, m, order)
    order:close()
end
