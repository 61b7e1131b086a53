-- Whether a mesh is inside another one where none of their triangles meet: then each connected part of either is wholly inside or outside the other, and
-- one of its corners tells. See docs/collide.md.
local rill = require "rill.core.public"
local queries = require "rill.geometry.collide.queries"
require "rill.geometry.collide.nodes"
local passes <const> = require "rill.glsl.template".file "containment"
local topology = require "rill.geometry.mesh.topology"

local containment = {}

local SLICE <const> = 1 << 20 -- corners of parts under poses that are looked at together
local WORDS <const> = {"a", "b", "both"} -- by bits: 1 of the first, 2 of the second

-- A corner of each connected part of a tree's mesh; found when first asked.
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

-- Notes the poses under which a part of the tree `inner` is inside `outer`.
local function look(inner, own, outer, other, w, said, bit)
    local run, points = passes:program(), parts_of(inner)
    local per <const> = math.max(1, SLICE // points.size)
    local function step(rows) return rows.size == 3 and 0 or 3 end
    for from = 0, w.poses - 1, per do
        local p <close> = run.seen {point = points, from = from, own = own, own_step = step(own), other = other,
            other_step = step(other), found = w.found, shape = {math.min(per, w.poses - from), points.size}}
        local inside <close> = queries.inside(outer, p)
        run.note(inside, from, bit, said)
    end
end

-- Of each pose the word for what was noted, by its place in the list. Mostly there is none.
local function words_of(said)
    local words = {}
    for i, bits in ipairs((said:max() or 0) > 0 and said:read() or {}) do words[i] = WORDS[bits] end
    return words
end

local FEW <const> = 16 -- so many poses are read rather than reduced

-- Whether there is a pose under which nothing met.
local function some_miss(found)
    return (found.size > FEW and found:min() or math.min(table.unpack(found:read()))) == 0
end

--- containment.of(w): what pairs says of poses under which nothing met: of one transform "a", "b", "both" or nil, of a list of them a table of those by
-- place. `w` is the state of rill.collide.pairs.
function containment.of(w)
    local words = {}
    local begun <const> = #w.lists > 1 or w.triangles > 0 -- otherwise all was apart from the start
    if begun and some_miss(w.found) then
        local said <close> = rill.stream("int", w.poses)
        if queries.is_closed(w.b) then look(w.a, w.exact_a, w.b, w.exact_b, w, said, 1) end
        if queries.is_closed(w.a) then look(w.b, w.exact_b, w.a, w.exact_a, w, said, 2) end
        words = words_of(said)
    end
    if w.many then return words end
    return words[1]
end

return containment
