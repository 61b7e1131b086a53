-- Traverses two trees at once, breadth first, in few launches (D. Horn, "Stream Reduction Operations for GPGPU
-- Applications", GPU Gems 2, chapter 36 (2005), section 36.2).
--
-- A list of node pairs is distributed to work groups. Each group traverses its share level by level, and compacts its
-- list after each level by a prefix sum over the group. A share that outgrows its memory is returned and distributed
-- again.
local rill = require "rill.core.public"
local kernels <const> = require "rill.glsl.template".file "traverse"
require "rill.geometry.collide.box_overlap"

local LANES <const> = {cpu = 16, gpu = 64} -- of a work group
local GROUPS <const> = {cpu = 8, gpu = 64} -- to which one list is distributed
local MANY <const> = 256 -- largest number of groups in one launch, with many poses
local ROOM <const> = {cpu = 1 << 15, gpu = 1 << 18} -- pairs in all lists of a launch
local LEAST <const> = 256 -- pairs in the list of one group
local EARLY <const> = 128 -- length at which a list of a single group is distributed to several groups
-- Pairs for each invocation, so that loops over at most 52 levels stay short enough for every device.
local LONGEST <const> = 256
local PARTED <const> = 1 << 30 -- bit of a pair's first node: split the first node, not the second
local DEPTH <const> = 52 -- largest number of lists: both trees have at most 25 levels below the root

-- Returns the program for a box test, for the group size of this device.
local function passes_of(test)
    local lanes = LANES[rill.device().family]
    return kernels:program {aligned = test == "aligned", lanes = lanes, parted = PARTED}, lanes
end

local function extent(t) return {levels = t.levels, leaf = t.leaf, faces = t.faces, most = t.most} end

-- Distributes the remaining pairs of groups to new shares: {pool, shares}. Each share has every n-th pair of a list,
-- so that shares are similar.
local function deal(pool, left, shares)
    local pairs_left, dealt = 0, {}
    for _, l in ipairs(left) do pairs_left = pairs_left + l[1] end
    local most <const> = math.max(8, math.min(LEAST // 2, -(-pairs_left // GROUPS[rill.device().family])))
    for g, l in ipairs(left) do
        local parts = -(-l[1] // most)
        for k = 0, parts - 1 do
            local size <const> = -((k - l[1]) // parts)
            dealt[#dealt + 1] = {pose = shares[g].pose, from = l[2] + k, step = parts, size = size, level = l[3]}
        end
    end
    return {pool = pool, shares = dealt}
end

-- Launches the next shares of a batch. Returns the memory of the remaining pairs, a row {pairs, start, level, leaves}
-- for each group, and the size of each group's memory.
local function launch(w, batch, shares)
    local run, lanes = passes_of(w.test)
    local count <const> = #shares
    local room <const> = math.max(LEAST, math.min(LONGEST, ROOM[rill.device().family] // (count * lanes)) * lanes)
    local pool = rill.stream("ivec2", 8 * room * count)
    local left <close> = rill.stream("ivec4", count)
    local lengths <close> = rill.stream("int", DEPTH)
    local share <close> = rill.stream(run.Share, count, shares)
    local store <const> = w.test == "aligned" and "twins" or "box"
    run.descend {
        share = share, from = batch.pool, s = extent(w.a), t = extent(w.b),
        room = room, limit = count == 1 and EARLY or room,
        a = w.a[store], b = w.b[store], ma = w.exact_a, mb = w.exact_b, found = w.found, skip = w.skip and 1 or 0,
        pool = pool, lengths = lengths, left = left, shape = count * lanes,
    }
    local rows, tested, first, last = left:read(), lengths:read(), DEPTH, 0
    for g, row in ipairs(rows) do
        first, last = math.min(first, shares[g].level + 1), math.max(last, row[3])
    end
    for level = first, last do
        local length = tested[level]
        w.lists[level] = length > 0 and (w.lists[level] or 0) + length or w.lists[level]
        w.tests = w.tests + length
    end
    return pool, rows, room
end

-- Removes the next shares of a batch and returns them.
local function take(batch)
    local shares = {}
    while #batch.shares > 0 and #shares < MANY do shares[#shares + 1] = table.remove(batch.shares) end
    return shares
end

-- descend(w, leaves): traverses all node pairs of the trees w.a and w.b, for each pose. Calls leaves(pool, shares,
-- rows, room) with the leaf pairs that a launch found. Batches wait on a stack, so that memory is bounded. Each
-- launch descends at least one level.
return function(w, leaves)
    local roots = {pool = rill.stream("ivec2", 1, {PARTED, 1}), shares = {}}
    for k = 1, w.poses do roots.shares[k] = {pose = w.poses - k, from = 0, step = 1, size = 1, level = 0} end
    local stack = {roots}
    while #stack > 0 do
        local batch = stack[#stack]
        local shares = take(batch)
        local pool, rows, room = launch(w, batch, shares)
        if #batch.shares == 0 then
            table.remove(stack)
            batch.pool:close()
        end
        leaves(pool, shares, rows, room)
        local following = deal(pool, rows, shares)
        if #following.shares > 0 then
            stack[#stack + 1] = following
        else
            pool:close()
        end
    end
end
