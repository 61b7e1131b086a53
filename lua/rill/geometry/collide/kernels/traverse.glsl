$use(collide_nodes)
$if(aligned){$use(overlap_aligned)}$else{$use(overlap_any)}
// A list has pairs {node of the first tree, node of the second tree} that overlap. One node of each pair is to be
// split: the first one if `PARTED` is set. A list of n pairs therefore produces up to 2 n pairs to be tested. A group
// has two lists of 2 * room pairs, followed by 4 * room leaf pairs.
const int PARTED = $parted, LEVELS = 52;
typedef struct { int pose; int from; int step; int size; int level; } Share;
typedef struct { int levels; int leaf; int faces; float most; } Extent;

bool is_filled(int node, Extent t) { return node > 0 && first_slot(node, t.levels, t.leaf) < t.faces; }
// 0: separated or empty; 1: split the first node; 2: split the second node; 3: both are leaves.
int verdict_of(int i, int j, Extent s, Extent t, Shape a, Shape b, Motion m) {
    bool ends = (i >> s.levels) != 0, stops = (j >> t.levels) != 0;
    int choice = ends && stops ? 3 : (stops || (!ends && wider(a, b, m)) ? 1 : 2);
    return !is_filled(i, s) || !is_filled(j, t) || apart_in(a, b, m) ? 0 : choice;
}
kernel($lanes) void descend(Share share[], ivec2 from[], Extent s, Extent t, int room, int limit, Store a[], Store b[],
                            dvec4 ma[], dvec4 mb[], int found[], int skip, inout ivec2 pool[], inout int lengths[],
                            inout ivec4 left[]) {
    shared int sums[$lanes];
    Share own = share[groupid()];
    int me = localid(), n = own.size, level = own.level, ended = 0;
    int list = 8 * room * groupid(), other = list + 2 * room, leaves = list + 4 * room;
    Motion m = motion_of(ma[0], ma[1], ma[2], mb[3 * own.pose], mb[3 * own.pose + 1], mb[3 * own.pose + 2],
                         double(s.most), double(t.most));
    if (skip != 0 && found[own.pose] != 0) n = 0;
    for (int k = me; k < n; k += $lanes) { pool[list + k] = from[own.from + k * own.step]; }
    memoryBarrierBuffer();
    barrier();
    while (n > 0 && (level == own.level || (n <= limit && ended + 2 * n <= 4 * room))) {
        int following = 0, tested = 0;
        for (int base = 0; base < n; base += 8 * $lanes) {
            int each = (min(n - base, 8 * $lanes) + $lanes - 1) / $lanes;
            int at = base + me * each, end = min(min(at + each, n), base + 8 * $lanes);
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
                tested += (is_filled(p.x, s) && is_filled(q.x, t) ? 1 : 0) + (is_filled(p.y, s) && is_filled(q.y, t) ? 1 : 0);
            }
            int sum = mine;
            for (int d = 1; d < $lanes; d *= 2) {
                sums[me] = sum;
                barrier();
                if (me >= d) sum += sums[me - d];
                barrier();
            }
            sums[me] = sum;
            barrier();
            int total = sums[$lanes - 1], before = sum - mine;
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
