-- Which triangles of two trees meet: both trees traversed at once, breadth first, the list of pairs compacted after each level (D. Horn, "Stream Reduction
-- Operations for GPGPU Applications", GPU Gems 2, chapter 36 (2005), section 36.2).
local rill = require "rill"
local blame = require "rill.support.blame"
local given = require "rill.support.given"
local containment = require "rill.collide.containment"
local shared = require "rill.collide.shared"
local tree = require "rill.collide.tree"
local transforms = require "rill.collide.transforms"

local SLICE <const> = 1 << 20 -- pairs of a list that are looked at together: longer lists go in slices, depth first, so that memory is bounded

-- A pair is {pose, node of the first, node of the second}. `verdict`: 0 the boxes are apart, 1 and 2 that one is parted, 3 both are leaves.
local TEXT <const> = shared.nodes .. shared.boxes .. shared.triangles .. [=[
    float girth(Box b) { return dot(b.x, b.x) + dot(b.y, b.y) + dot(b.z, b.z); }
    kernel void judge(ivec3 pair<>, int leaves_a, int leaves_b, Box a[], Box b[], vec4 ma[], vec4 mb[], int found[],
                      int skip, out int verdict<>) {
        Box p = placed(a[pair.y], ma[0], ma[1], ma[2]);
        int at = 3 * pair.x;
        Box q = placed(b[pair.z], mb[at], mb[at + 1], mb[at + 2]);
        bool end_a = pair.y >= leaves_a, end_b = pair.z >= leaves_b;
        verdict = end_a && end_b ? 3 : (end_b || (!end_a && girth(p) >= girth(q)) ? 1 : 2);
        if ((skip != 0 && found[pair.x] != 0) || apart(p, q)) verdict = 0;
    }
    kernel void part(ivec3 pair<>, int verdict<>, ivec3 a, ivec3 b, vout ivec3 next<>, vout ivec3 last<>) {
        if (verdict == 3) push(last, pair);
        if (verdict == 1 || verdict == 2) {
            ivec3 tree_of = verdict == 1 ? a : b;
            int node = 2 * (verdict == 1 ? pair.y : pair.z);
            push(next, verdict == 1 ? ivec3(pair.x, node, pair.z) : ivec3(pair.xy, node));
            if (first_place(node + 1, tree_of.x, tree_of.y) < tree_of.z)
                push(next, verdict == 1 ? ivec3(pair.x, node + 1, pair.z) : ivec3(pair.xy, node + 1));
        }
    }
    // Element k is a place in the first leaf and a place in the second of pair `from` + k / (leaf_a * leaf_b).
    kernel void touch(ivec3 last[], int offset, ivec2 leaf, ivec2 leaves, int face_a[], int face_b[], vec3 a[],
                      vec3 b[], dvec4 ma[], dvec4 mb[], inout int found[], out ivec3 hit<>) {
        int k = indexof(hit).x + offset;
        ivec3 pair = last[k / (leaf.x * leaf.y)];
        int rest = k % (leaf.x * leaf.y);
        int i = (pair.y - leaves.x) * leaf.x + rest / leaf.y, j = (pair.z - leaves.y) * leaf.y + rest % leaf.y;
        hit = ivec3(-1);
        if (face_a[i] >= 0 && face_b[j] >= 0) {
            dvec4 m0 = ma[0], m1 = ma[1], m2 = ma[2];
            dvec4 w0 = mb[3 * pair.x], w1 = mb[3 * pair.x + 1], w2 = mb[3 * pair.x + 2];
            if (meet(moved(m0, m1, m2, dvec3(a[3 * i])), moved(m0, m1, m2, dvec3(a[3 * i + 1])),
                     moved(m0, m1, m2, dvec3(a[3 * i + 2])), moved(w0, w1, w2, dvec3(b[3 * j])),
                     moved(w0, w1, w2, dvec3(b[3 * j + 1])), moved(w0, w1, w2, dvec3(b[3 * j + 2])))) {
                hit = ivec3(pair.x, face_a[i], face_b[j]);
                found[pair.x] = 1;
            }
        }
    }
    kernel void keep(ivec3 hit<>, vout ivec3 kept<>) { if (hit.x >= 0) push(kept, hit); }
    kernel void part_of(ivec3 hit[], int place<>, int d, out int key<>) { key = hit[place][d]; }
    kernel void follow(int by<>, int place[], out int next<>) { next = place[by]; }
    kernel void arrange(int place<>, ivec3 hit[], out ivec3 sorted<>) { sorted = hit[place]; }
    kernel void least_of(ivec3 hit<>, ivec3 all[], vout ivec3 least<>) {
        int k = indexof(hit).x;
        if (k == 0 || all[max(k - 1, 0)].x != hit.x) push(least, hit);
    }
    kernel void shorter(ivec3 hit<>, out ivec2 pair<>) { pair = hit.yz; }
    kernel void starts(out ivec3 pair<>) { pair = ivec3(indexof(pair).x, 1, 1); }
    kernel void truth(int found<>, out bool yes<>) { yes = found != 0; }
]=]

local program

local function passes()
    program = program or rill.program(TEXT)
    return program
end

-- ---- leaves

-- Tests the triangles of pairs of leaves, and puts those that meet into `hits`.
local function test_leaves(w, last)
    local a, b, run = w.a, w.b, passes()
    local each, slots = a.leaf * b.leaf, 2 * SLICE
    local per <const> = math.max(1, slots // each)
    for from = 1, last.size, per do
        local part <close> = last:domain(from, math.min(last.size, from + per - 1))
        for offset = 0, part.size * each - 1, slots do
            local hit <close> = rill.stream("ivec3", math.min(slots, part.size * each - offset))
            run.touch(part, offset, {a.leaf, b.leaf}, {1 << a.levels, 1 << b.levels}, a.face, b.face, a.corner,
                b.corner, w.exact_a, w.exact_b, w.found, hit)
            w.triangles = w.triangles + hit.size
            w.hits[#w.hits + 1] = run.keep(hit)
        end
    end
end

-- ---- the traversal

-- One level for one list: what is left of it, parted.
local function go_down(w, list, depth)
    local a, b, run = w.a, w.b, passes()
    w.lists[depth] = (w.lists[depth] or 0) + list.size
    w.tests = w.tests + list.size
    local verdict <close> = run.judge(list, 1 << a.levels, 1 << b.levels, a.box, b.box, w.near_a, w.near_b, w.found,
        w.skip and 1 or 0)
    local following, last = run.part(list, verdict, {a.levels, a.leaf, a.faces}, {b.levels, b.leaf, b.faces})
    if last.size > 0 then
        test_leaves(w, last)
    end
    last:close()
    return following
end

-- Lists wait on a stack; what is longer than a slice is taken apart. Each level goes down one step in one of the trees, so that there are
-- at most as many levels as both trees have, and the one of the roots.
local function traverse(w, roots)
    local stack = {{roots, 1}}
    while #stack > 0 do
        local list, depth = table.unpack(table.remove(stack))
        local size <const> = list.size
        for from = 1, size, SLICE do
            local part <close> = list:domain(from, math.min(size, from + SLICE - 1)) -- a view that stayed would keep the list
            local following = go_down(w, part, depth)
            if following.size > 0 then
                stack[#stack + 1] = {following, depth + 1}
            else
                following:close()
            end
        end
        list:close()
    end
end

-- ---- results

-- Hits in ascending order: stable sorts by one number after the other, the last one first.
local function sorted(hits, dimensions)
    local run, place = passes(), rill.iota(hits.size)
    for _, d in ipairs(dimensions) do
        local key <close> = run.part_of(hits, place, d)
        local by <close> = rill.argsort(key)
        local following = run.follow(by, place)
        place:close()
        place = following
    end
    local result = run.arrange(place, hits)
    place:close()
    return result
end

local function collected(w)
    if #w.hits == 0 then
        return rill.stream("ivec3", 0)
    end
    local all <close> = rill.concat(w.hits)
    for _, part in ipairs(w.hits) do part:close() end
    return sorted(all, w.many and {2, 1, 0} or {2, 1})
end

-- What a call gives, by the option 'stop'.
local results = {}

--- results.all(w): every pair.
function results.all(w)
    local hits = collected(w)
    if w.many then
        return hits
    end
    local result = passes().shorter(hits)
    hits:close()
    return result
end

--- results.first(w): the least pair of each pose.
function results.first(w)
    local hits <close> = collected(w)
    local least = passes().least_of(hits, hits)
    if w.many then
        return least
    end
    local result = passes().shorter(least)
    least:close()
    return result
end

--- results.any(w): whether there is a pair.
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
    contained = {function(v) return type(v) == "boolean" end, "true or false", true},
    stop = {function(v) return results[v] ~= nil end, '"all", "first" or "any"', "all"},
}

local function closed(w)
    for _, name in ipairs {"near_a", "near_b", "exact_a", "exact_b", "found"} do w[name]:close() end
end

--- rill.collide.pairs(a, b [, {a =, b =, stop =}]): see docs/collide.md.
return function(first, second, options)
    local a, b = tree.take(NAME, "argument #1 'a'", first), tree.take(NAME, "argument #2 'b'", second)
    local taken = given.take(NAME, options, OPTIONS)
    local w = {a = a, b = b, hits = {}, lists = {}, tests = 0, triangles = 0, skip = taken.stop == "any"}
    w.near_a, w.exact_a = transforms.one(NAME, "a", taken.a)
    w.near_b, w.exact_b, w.many, w.poses = transforms.several(NAME, "b", taken.b)
    w.found = rill.stream("int", w.poses)
    if a.faces > 0 and b.faces > 0 and w.poses > 0 then
        traverse(w, passes().starts {shape = w.poses})
    end
    local contained = taken.contained and containment.of(w) or nil
    local result = blame.call(results[taken.stop], w)
    closed(w)
    return result,
        {levels = #w.lists, tests = w.tests, triangles = w.triangles, lists = w.lists, contained = contained}
end
