-- Determines whether a mesh is inside another mesh. If no triangles intersect, each connected part of a mesh is
-- entirely inside or outside the other mesh, so one of its corners is tested. See docs/collide.md.
local rill = require "rill.core.public"
local queries = require "rill.geometry.collide.queries"
require "rill.geometry.collide.nodes"
local passes <const> = require "rill.glsl.template".file "containment"
local topology = require "rill.geometry.mesh.topology"

local containment = {}

local SLICE <const> = 1 << 20 -- pairs of a corner and a pose that are tested in one launch
local WORDS <const> = {"a", "b", "both"} -- by bits: 1: the first mesh is inside, 2: the second

-- Returns a corner of each connected part of a tree's mesh. It is computed at the first call.
local function parts_of(t)
    if not t.parts then
        local m <const> = {faces = t.faces, vertices = t.vertices, triangles = t.triangles}
        local count, part <close> = topology.components(m)
        local first <close> = rill.stream("int", count, t.faces)
        t.parts = rill.stream("vec3", count)
        passes:program().first_faces(part, first)
        passes:program().corners(t.face, part, first, t.corner, t.parts)
    end
    return t.parts
end

-- Sets `bit` in `flags` for the poses in which a part of the tree `inner` is inside `outer`.
local function test_parts(inner, own, outer, other, w, flags, bit)
    local run, points = passes:program(), parts_of(inner)
    local per <const> = math.max(1, SLICE // points.size)
    local function step(rows) return rows.size == 3 and 0 or 3 end
    for from = 0, w.poses - 1, per do
        local p <close> = run.seen {point = points, from = from, own = own, own_step = step(own), other = other,
            other_step = step(other), found = w.found, shape = {math.min(per, w.poses - from), points.size}}
        local inside <close> = queries.inside(outer, p)
        run.note(inside, from, bit, flags)
    end
end

-- Returns the words for the flags of each pose, by its 1-based index. Usually there are none, which is checked first.
local function words_of(flags)
    local words = {}
    for i, bits in ipairs((flags:max() or 0) > 0 and flags:read() or {}) do words[i] = WORDS[bits] end
    return words
end

local FEW <const> = 16 -- up to this many poses are read back instead of reduced on the device

-- Whether there is a pose in which no triangles intersect.
local function some_miss(found)
    return (found.size > FEW and found:min() or math.min(table.unpack(found:read()))) == 0
end

--- containment.of(w) returns which mesh is inside the other, for poses without intersections: "a", "b", "both" or
-- nil for one transform, and a table of results by pose for a list. `w` is the state of rill.collide.pairs.
function containment.of(w)
    local words = {}
    local begun <const> = #w.lists > 1 or w.triangles > 0 -- otherwise the roots are separated
    if begun and some_miss(w.found) then
        local flags <close> = rill.stream("int", w.poses)
        if queries.is_closed(w.b) then test_parts(w.a, w.exact_a, w.b, w.exact_b, w, flags, 1) end
        if queries.is_closed(w.a) then test_parts(w.b, w.exact_b, w.a, w.exact_a, w, flags, 2) end
        words = words_of(flags)
    end
    if w.many then return words end
    return words[1]
end

return containment
