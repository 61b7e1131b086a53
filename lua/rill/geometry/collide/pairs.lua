-- Finds the intersecting triangles of two trees: traverses both at once, breadth first, and compacts the list of
-- pairs after each level (D. Horn, "Stream Reduction Operations for GPGPU Applications", GPU Gems 2, chapter 36
-- (2005), section 36.2).
local rill = require "rill.core.public"
local errors = require "rill.core.error"
local descend = require "rill.geometry.collide.traverse"
local option = require "rill.core.options"
local overlap = require "rill.geometry.collide.box_overlap"
local containment = require "rill.geometry.collide.containment"
require "rill.geometry.collide.nodes"
local tree = require "rill.geometry.collide.aabb_tree"
local transforms = require "rill.geometry.collide.transforms"
local text <const> = require "rill.glsl.template".file "pairs"

local SLICE <const> = 1 << 20 -- pairs of triangles tested in one launch

local function passes()
    return text:program()
end

-- ---- leaves

-- Returns where the leaf pairs of each group begin in the list of all, where they begin in the pool with their pose,
-- and their total number.
local function leaf_starts(shares, rows, room)
    local begins, source, sum = {}, {}, 0
    for g, row in ipairs(rows) do
        begins[g], source[g] = sum, {8 * room * (g - 1) + 4 * room, shares[g].pose}
        sum = sum + row[4]
    end
    return rill.stream("int", #rows, begins), rill.stream("ivec2", #rows, source), sum
end

-- Tests the triangles of leaf pairs, and appends intersecting ones to w.hits.
local function test_leaves(w, pool, shares, rows, room)
    local a, b = w.a, w.b
    local at, where_from, sum = leaf_starts(shares, rows, room)
    local begins <close>, each <const> = at, a.leaf * b.leaf
    local slots <const> = sum * each
    local source <close> = where_from
    for from = 0, slots - 1, SLICE do
        local size <const> = math.min(SLICE, slots - from)
        local hit <close> = rill.stream("ivec3", w.skip and 1 or size)
        local count <close> = rill.stream("int", 1)
        local slot <close> = tree.nodes(from % each, size)
        passes().touch(slot, from // each, pool, begins, source, {a.leaf, b.leaf}, {1 << a.levels, 1 << b.levels},
            a.face, b.face, a.corner, b.corner, w.exact_a, w.exact_b, w.found, count, hit)
        w.triangles = w.triangles + size
        local found = w.skip and 0 or count:get(1)
        if found > 0 then
            local some <close> = hit:domain(1, found)
            w.hits[#w.hits + 1] = some:copy() -- a view would keep the whole stream alive
        end
    end
end

-- ---- results

-- Sorts hits in ascending order. Face indices are below 2^25, so a double holds two of them.
local function sorted(w, hits)
    local result = hits:sort {key = "double(x.y) * 33554432.0lf + double(x.z)"}
    if w.many then
        local by_pose = result:sort {key = "x.x"}
        result:close()
        return by_pose
    end
    return result
end

local function collected(w)
    if #w.hits == 0 then
        return rill.stream("ivec3", 0)
    end
    local all <close> = rill.concat(w.hits)
    for _, part in ipairs(w.hits) do part:close() end
    return sorted(w, all)
end

-- The result of a call, by the option 'stop'.
local results = {}

-- Returns the hits, without the pose if there is only one transform.
local function without_pose(w, hits)
    if w.many then
        return hits
    end
    local all <close> = hits
    return passes().shorter(all)
end

--- results.all(w) returns every pair.
function results.all(w)
    return without_pose(w, collected(w))
end

--- results.first(w) returns the smallest pair of each pose.
function results.first(w)
    local hits <close> = collected(w)
    return without_pose(w, passes().least_of(hits, hits))
end

--- results.any(w) returns whether there is a pair.
function results.any(w)
    for _, part in ipairs(w.hits) do part:close() end
    if w.many then
        return passes().truth(w.found)
    end
    return w.found:get(1) ~= 0
end

-- ---- the call

local NAME <const> = "rill.collide.pairs"
local ANYTHING <const> = {function() return true end, "a transform"}
local OPTIONS <const> = {
    a = ANYTHING, b = ANYTHING,
    contained = option.default(option.flag, true),
    stop = {function(v) return results[v] ~= nil end, '"all", "first" or "any"', "all"},
}

local function closed(w)
    for _, name in ipairs {"exact_a", "exact_b", "found"} do w[name]:close() end
end

--- rill.collide.pairs(a, b [, {a =, b =, contained =, stop =}]) returns the intersecting triangles: see
-- docs/collide.md.
return function(first, second, options)
    local a, b = tree.take(NAME, "argument #1 'a'", first), tree.take(NAME, "argument #2 'b'", second)
    local taken = option.take(NAME, options, OPTIONS)
    local w = {a = a, b = b, hits = {}, lists = {}, tests = 0, triangles = 0, skip = taken.stop == "any"}
    local once, list
    w.exact_a, once = transforms.one(NAME, "a", taken.a)
    w.exact_b, w.many, list = transforms.several(NAME, "b", taken.b)
    w.poses, w.found = #list, rill.stream("int", #list)
    if a.faces > 0 and b.faces > 0 and w.poses > 0 then
        w.test = overlap.allows_aligned(a, b, once[1], list) and "aligned" or "any"
        descend(w, function(...) test_leaves(w, ...) end)
    end
    local contained = taken.contained and containment.of(w) or nil
    local result = errors.call(results[taken.stop], w)
    closed(w)
    return result,
        {levels = #w.lists, tests = w.tests, triangles = w.triangles, lists = w.lists, contained = contained}
end
