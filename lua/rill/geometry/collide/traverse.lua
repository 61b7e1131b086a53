-- Down two trees at once, breadth first (D. Horn, "Stream Reduction Operations for GPGPU Applications", GPU Gems 2, chapter 36 (2005), section 36.2), by few
-- launches: a list of pairs is dealt out to work groups, and each goes down from its share by itself, level by level, its list compacted after each
-- level by a running sum over the group. A share that outgrows its memory is handed back, dealt out anew, and gone on with.
local rill = require "rill.core.public"
local overlap = require "rill.geometry.collide.box_overlap"
local shared = require "rill.geometry.collide.nodes"

local LANES <const> = {cpu = 16, gpu = 64} -- of a group
local GROUPS <const> = {cpu = 8, gpu = 64} -- that one list is dealt out to
local MANY <const> = 256 -- groups in one launch at most, where there are many poses
local ROOM <const> = {cpu = 1 << 15, gpu = 1 << 18} -- pairs in all lists of a launch
local LEAST <const> = 256 -- pairs in the list of one group
local EARLY <const> = 128 -- the length at which a list that one group has is dealt out
local LONGEST <const> = 256 -- pairs for each invocation: at most 52 levels, so that loops stay short enough for every device
local PARTED <const> = 1 << 30 -- a bit of a pair's first node: it is that one which is to be parted
local DEPTH <const> = 52 -- lists there may be: both trees have at most 25 levels below the root

-- In a list are pairs {node of the first, node of the second} that are together, one of which is to be parted: the first one where `PARTED` is set. So a
-- list of n pairs stands for up to 2 n pairs to be tested. A group has two lists of 2 * room pairs, and behind them 4 * room pairs of leaves.
local TEXT <const> = [=[
    const int PARTED = @PARTED, LEVELS = 52;
    typedef struct { int pose; int from; int step; int size; int level; } Share;
    typedef struct { int levels; int leaf; int faces; float most; } Extent;

    bool is_there(int node, Extent t) { return node > 0 && first_place(node, t.levels, t.leaf) < t.faces; }
    // 0: apart, or not there; 1 and 2: the first, the second is to be parted; 3: both are leaves.
    int verdict_of(int i, int j, Extent s, Extent t, Shape a, Shape b, Motion m) {
        bool ends = (i >> s.levels) != 0, stops = (j >> t.levels) != 0;
        int choice = ends && stops ? 3 : (stops || (!ends && wider(a, b, m)) ? 1 : 2);
        return !is_there(i, s) || !is_there(j, t) || apart_in(a, b, m) ? 0 : choice;
    }
    kernel(@LANES) void descend(Share share[], ivec2 from[], Extent s, Extent t, int room, int limit, Store a[], Store b[],
                                dvec4 ma[], dvec4 mb[], int found[], int skip, inout ivec2 pool[], inout int lengths[],
                                inout ivec4 left[]) {
        shared int sums[@LANES];
        Share own = share[groupid()];
        int me = localid(), n = own.size, level = own.level, ended = 0;
        int list = 8 * room * groupid(), other = list + 2 * room, leaves = list + 4 * room;
        Motion m = motion_of(ma[0], ma[1], ma[2], mb[3 * own.pose], mb[3 * own.pose + 1], mb[3 * own.pose + 2],
                             double(s.most), double(t.most));
        if (skip != 0 && found[own.pose] != 0) n = 0;
        for (int k = me; k < n; k += @LANES) { pool[list + k] = from[own.from + k * own.step]; }
        memoryBarrierBuffer();
        barrier();
        while (n > 0 && (level == own.level || (n <= limit && ended + 2 * n <= 4 * room))) {
            int following = 0, tested = 0;
            for (int base = 0; base < n; base += 8 * @LANES) {
                int each = (min(n - base, 8 * @LANES) + @LANES - 1) / @LANES;
                int at = base + me * each, end = min(min(at + each, n), base + 8 * @LANES);
                int verdicts = 0, mine = 0;
                for (int k = at; k < end; k++) {
                    ivec2 pair = pool[list + k];
                    bool first = pair.x >= PARTED;
                    int i = pair.x & (PARTED - 1), j = pair.y;
                    ivec2 p = first ? ivec2(2 * i, 2 * i + 1) : ivec2(i), q = first ? ivec2(j) : ivec2(2 * j, 2 * j + 1);
                    Two x = two_of(a, i, first), y = two_of(b, j, !first);
                    int v = verdict_of(p.x, q.x, s, t, x.one, y.one, m), w = verdict_of(p.y, q.y, s, t, x.other, y.other, m);
                    verdicts |= (v | (w << 2)) << (4 * (k - at));
                    mine += (v == 3 ? 65536 : min(v, 1)) + (w == 3 ? 65536 : min(w, 1));
                    tested += (is_there(p.x, s) && is_there(q.x, t) ? 1 : 0) + (is_there(p.y, s) && is_there(q.y, t) ? 1 : 0);
                }
                int sum = mine;
                for (int d = 1; d < @LANES; d *= 2) {
                    sums[me] = sum;
                    barrier();
                    if (me >= d) sum += sums[me - d];
                    barrier();
                }
                sums[me] = sum;
                barrier();
                int total = sums[@LANES - 1], before = sum - mine;
                int to = other + following + (before & 65535), leaf = leaves + ended + (before >> 16);
                for (int k = at; k < end; k++) {
                    ivec2 pair = pool[list + k];
                    bool first = pair.x >= PARTED;
                    int both = (verdicts >> (4 * (k - at))) & 15, v = both & 3, w = both >> 2;
                    ivec2 p = first ? ivec2(2 * (pair.x & (PARTED - 1)), pair.y) : ivec2(pair.x, 2 * pair.y);
                    ivec2 q = first ? p + ivec2(1, 0) : p + ivec2(0, 1);
                    if (v != 0) { pool[v == 3 ? leaf : to] = ivec2(v == 1 ? p.x | PARTED : p.x, p.y); }
                    if (v == 3) leaf++; else to += min(v, 1);
                    if (w != 0) { pool[w == 3 ? leaf : to] = ivec2(w == 1 ? q.x | PARTED : q.x, q.y); }
                    if (w == 3) leaf++; else to += min(w, 1);
                }
                following += total & 65535;
                ended += total >> 16;
                barrier();
            }
            atomicAdd(lengths[level], tested);
            n = following;
            int swap = list; list = other; other = swap;
            level++;
            memoryBarrierBuffer();
            barrier();
        }
        if (me == 0) { left[groupid()] = ivec4(n, list, level, ended); }
    }
]=]

local programs = {}

-- The program for a test of boxes, for this device's groups.
local function passes_of(test)
    local lanes = LANES[rill.device().family]
    local key = test .. lanes
    local values <const> = {["@LANES"] = lanes, ["@PARTED"] = PARTED}
    programs[key] = programs[key] or rill.program((shared.nodes .. overlap[test] .. TEXT:gsub("@%u+", values)))
    return programs[key], lanes
end

local function extent(t) return {levels = t.levels, leaf = t.leaf, faces = t.faces, most = t.most} end

-- What groups have left, dealt out anew: {pool, shares}. Each share takes every so manieth pair of a list, so that shares are much alike.
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

-- One launch over the next shares of a batch: what its groups have left, {pairs, where, level, leaves}, and the memory those are in.
local function launch(w, batch, shares)
    local run, lanes = passes_of(w.test)
    local count <const> = #shares
    local room <const> = math.max(LEAST, math.min(LONGEST, ROOM[rill.device().family] // (count * lanes)) * lanes)
    local pool = rill.stream("ivec2", 8 * room * count)
    local left <close> = rill.stream("ivec4", count)
    local lengths <close> = rill.stream("int", DEPTH)
    local share <close> = rill.stream(run.Share, count, shares)
    local store <const> = w.test == "upright" and "twins" or "box"
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

-- The next shares of a batch.
local function take(batch)
    local shares = {}
    while #batch.shares > 0 and #shares < MANY do shares[#shares + 1] = table.remove(batch.shares) end
    return shares
end

-- descend(w, leaves): goes through all pairs of the trees w.a and w.b, for each pose. leaves(pool, shares, rows, room) gets the pairs of leaves
-- that a launch found. Batches wait on a stack, so that what is in memory at once is bounded. Each launch goes down one level at least.
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
