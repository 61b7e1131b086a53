-- Overlap tests of the boxes of two trees: a test for boxes of any direction, and a faster one for two trees of
-- AABBs.
--
-- The snippets overlap_any and overlap_aligned define, after collide_nodes:
--   Store, Shape              what a tree stores (an element per node, or per two siblings), and one box of it
--   Two two_of(s, i, parted)  the two children of node i, or node i twice
--   Motion motion_of(...)     values common to all tests of one pose, from three rows of each transform and the largest
--                             coordinate of each mesh
--   apart_in(a, b, m)         whether the boxes are separated
--   wider(a, b, m)            whether the first box is to be split before the second
local vector = require "rill.core.vector"
local template = require "rill.glsl.template"
require "rill.geometry.collide.nodes"

local overlap = {}

for name, text in pairs(template.sections "box_overlap") do
    template.snippet("overlap_" .. name, text)
end

local FAR <const> = 1e9 -- products of three such numbers, or of their inverses, do not overflow a float

local function small(t)
    return t.most == 0 or t.most <= FAR and t.most >= 1 / FAR
end

local function column(m, k) return {m[1][k], m[2][k], m[3][k]} end

local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end

-- Whether the inverse of a matrix loses only a few digits.
local function is_invertible(m)
    local x, y, z = column(m, 1), column(m, 2), column(m, 3)
    local a, b, c = dot(x, x), dot(y, y), dot(z, z)
    local least, most = math.min(a, b, c), math.max(a, b, c)
    return least > 1e-6 and most < 1e6 and math.abs(dot(x, vector.cross(y, z))) > 1e-3 * math.sqrt(a * b * c)
end

local function is_in_range(m)
    for i = 1, 3 do
        for j = 1, 4 do
            if math.abs(m[i][j]) > FAR then return false end
        end
    end
    return true
end

--- overlap.allows_aligned(a, b, first, list) returns whether the snippet overlap_aligned may be used for two trees
-- and their transforms.
function overlap.allows_aligned(a, b, first, list)
    local good = a.twins and b.twins and small(a) and small(b) and is_in_range(first) and is_invertible(first)
    for _, m in ipairs(list) do good = good and is_in_range(m) end
    return good
end

return overlap
