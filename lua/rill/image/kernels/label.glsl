$section(label)
$use(union_find)
uint lowest(uint bits) { return bits & (~bits + 1u); }

// Returns the component of a tile that `seed` belongs to. Bit 8 y + x is pixel x of row y.
uint part_of(uint seed, uint tile) {
    uint r = seed, before = 0u;
    for (int k = 0; k < 32 && r != before && r != tile; k++) {
        before = r;
        $if(corners){
        uint wide = r | (r << 1 & 0xfefefefeu) | (r >> 1 & 0x7f7f7f7fu);
        r |= (wide | wide << 8 | wide >> 8) & tile;
        }$else{
        r |= ((r << 1 & 0xfefefefeu) | (r >> 1 & 0x7f7f7f7fu)) & tile;
        r |= ((r << 1 & 0xfefefefeu) | (r >> 1 & 0x7f7f7f7fu)) & tile;
        r |= (r << 8 | r >> 8) & tile;
        }
    }
    return r;
}
uint firsts_of(uint tile) {
    uint firsts = 0u;
    for (uint rest = tile; rest != 0u;) {
        uint seed = lowest(rest);
        firsts |= seed;
        rest &= ~part_of(seed, rest);
    }
    return firsts;
}
// Returns part_of(seed, tile), given the first pixels of the tile's components. Most tiles have one component.
uint known_part(uint seed, uint tile, uint firsts) {
    return (firsts & (firsts - 1u)) == 0u ? tile : part_of(seed, tile);
}
kernel void pack(bool mask[][], out uint tile<>, out uint first<>) {
    ivec2 at = ivec2(8, 4) * indexof(tile).xy;
    uint bits = 0u;
    for (int k = 0; k < 32; k++) bits |= mask[at + ivec2(k & 7, k >> 3)] ? 1u << k : 0u;
    tile = bits;
    first = firsts_of(bits);
}
kernel void pack_quads(ivec4 mask[][], out uint tile<>, out uint first<>) {
    ivec2 at = ivec2(2, 4) * indexof(tile).xy;
    uint bits = 0u;
    for (int k = 0; k < 8; k++) {
        uvec4 holds = uvec4(notEqual(mask[at + ivec2(k & 1, k >> 1)], ivec4(0))) << uvec4(0, 1, 2, 3);
        bits |= (holds.x | holds.y | holds.z | holds.w) << (4 * k);
    }
    tile = bits;
    first = firsts_of(bits);
}

// Nodes are the first pixels of components, numbered row by row. `word` has the nodes among 32 pixels of a row as bits; `count_to` is the number of nodes up to and
// including these pixels.
kernel void words(uvec4 firsts[][], out uint word<>, out int count<>) {
    ivec2 at = indexof(word).xy;
    uvec4 row = (firsts[ivec2(at.x, at.y >> 2)] >> (8 * (at.y & 3)) & 255u) << uvec4(0, 8, 16, 24);
    word = row.x | row.y | row.z | row.w;
    count = bitCount(word);
}
int node(ivec2 tile, uint part, uint word[][], int count_to[][]) {
    int bit = findLSB(part);
    ivec2 at = ivec2(tile.x >> 2, 4 * tile.y + (bit >> 3));
    return count_to[at] - bitCount(word[at] >> (8 * (tile.x & 3) + (bit & 7)));
}
$if(corners){
// Joins component `here` of a tile with the components of a neighbor that have the pixels `touched`. `name`: the
// variables of the neighbor; `offset`: from the tile to it.
#define JOIN(name, offset, touched) \
    for (uint open = name & (touched); open != 0u;) { \
        uint there = known_part(lowest(open), name, first_##name); \
        open &= ~there; \
        int a = node(at, here, word, count_to), b = node(at + offset, there, word, count_to); \
        UNITE(a, b) \
    }
kernel void unite(uint tile<>, uint first<>, uint tiles[][], uint firsts[][], uint word[][],
                  int count_to[][], inout int parent[]) {
    ivec2 at = indexof(tile).xy;
    uint left = tiles[at - ivec2(1, 0)], first_left = firsts[at - ivec2(1, 0)];
    uint above = tiles[at - ivec2(0, 1)], first_above = firsts[at - ivec2(0, 1)];
    uint before = tiles[at - ivec2(1, 1)], first_before = firsts[at - ivec2(1, 1)];
    uint after = tiles[at + ivec2(1, -1)], first_after = firsts[at + ivec2(1, -1)];
    uint rest = (left | above | before | after) != 0u ? tile & 0x010101ffu : 0u; // pixels that may touch a neighbor
    while (rest != 0u) {
        uint here = known_part(lowest(rest), tile, first);
        uint column = (here & 0x01010101u) << 7, row = (here & 255u) << 24;
        rest &= ~here;
        JOIN(left, ivec2(-1, 0), column | column << 8 | column >> 8)
        JOIN(above, ivec2(0, -1), row | (row << 1 & 0xff000000u) | (row >> 1 & 0xff000000u))
        JOIN(before, ivec2(-1, -1), here << 31)
        JOIN(after, ivec2(1, -1), (here & 128u) << 17)
    }
}
}$else{
kernel void unite(uint tile<>, uint first<>, uint tiles[][], uint firsts[][], uint word[][],
                  int count_to[][], inout int parent[]) {
    ivec2 at = indexof(tile).xy;
    uint left = tiles[at - ivec2(1, 0)], above = tiles[at - ivec2(0, 1)];
    uint first_left = firsts[at - ivec2(1, 0)], first_above = firsts[at - ivec2(0, 1)];
    uint touch_left = tile & left >> 7 & 0x01010101u, touch_above = tile & above >> 24;
    // Where four tiles meet at true pixels, three unions connect them.
    if ((touch_left & touch_above & tiles[at - 1] >> 31) != 0u) touch_above &= touch_above + 1u;
    while ((touch_left | touch_above) != 0u) {
        bool up = touch_above != 0u;
        int shift = up ? 24 : 7;
        uint seed = lowest(up ? touch_above : touch_left), here = known_part(seed, tile, first);
        uint there = known_part(seed << shift, up ? above : left, up ? first_above : first_left);
        uint done = here & there >> shift;
        touch_above &= up ? ~done : ~0u;
        touch_left &= up ? ~0u : ~done;
        int a = node(at, here, word, count_to);
        int b = node(at - (up ? ivec2(0, 1) : ivec2(1, 0)), there, word, count_to);
        UNITE(a, b)
    }
}
}

kernel void roots(int parent<>, out int root<>) { root = parent == indexof(root).x ? 1 : 0; }
kernel void number(int parent[], int running[], out int n<>) {
    int i = indexof(n).x;
    for (int up = parent[i]; up != i; up = parent[i]) i = up;
    n = running[i];
}

// Writes a tile of labels. `quad` k has the labels of the tile's bits 4 k to 4 k + 3. A tile's row has `width` elements, quads or pixels.
$for(w, writers){
kernel void $w.name(uint tile<>, uint first<>, int number[], uint word[][], int count_to[][],
                 inout $w.type label[][]) {
    ivec2 at = indexof(tile).xy, size = sizeof_stream(label).xy, p;
    ivec4 $for(q, quads, ", "){quad$q = ivec4(0)};
    uint rest = tile;
    for (uint seeds = first; seeds != 0u; seeds &= seeds - 1u) {
        uint part = known_part(lowest(seeds), rest, seeds);
        int n = number[node(at, part, word, count_to)];
        rest &= ~part;
        $for(q, quads){quad$q |= n & (ivec4(uvec4(part) << (uvec4(31, 30, 29, 28) - 4u * ${q}u)) >> 31);
        }
    }
    $for(c, w.cells){p = ivec2($w.width * at.x + $c.x, 4 * at.y + $c.y); if (p.x < size.x && p.y < size.y) label[p] = $c.value;
    }
}
}

$section(measure)
// Adds a b to a sum of 64 bits, two words at `k`.
#define ADD_PRODUCT(k, a, b) { \
    uint high, low; \
    umulExtended(uint(a), uint(b), high, low); \
    uint old = atomicAdd(sums[k], low); \
    atomicAdd(sums[(k) + 1], high + (old + low < low ? 1u : 0u)); \
}
// Measures runs of pixels of one label, down a strip of one column. Of each region: the number of pixels; twice the sum of the rows and the sum of the columns;
// the smallest row and column, and the smallest of minus the rows and columns.
kernel void measure(int first<>, int labels[][], int rows, int count, inout int area[],
                    inout uint sums[], inout int box[]) {
    ivec2 at = indexof(first).xy;
    int begin = $strip * at.y, end = min(begin + $strip, rows), run = first;
    for (int y = begin + 1; y <= end; y++) {
        int next = labels[ivec2(at.x, min(y, rows - 1))];
        if (y == end || next != run) {
            if (run > 0 && run <= count) {
                int k = run - 1;
                atomicAdd(area[k], y - begin);
                ADD_PRODUCT(4 * k, begin + y - 1, y - begin)
                ADD_PRODUCT(4 * k + 2, at.x, y - begin)
                atomicMin(box[4 * k], begin);
                atomicMin(box[4 * k + 1], at.x);
                atomicMin(box[4 * k + 2], 1 - y);
                atomicMin(box[4 * k + 3], -at.x);
            }
            run = next;
            begin = y;
        }
    }
}

$section(finish)
double sum_of(uint low, uint high) { return double(high) * 4294967296.0LF + double(low); }
kernel void finish(int area<>, uint sums[], int box[], out vec2 centroid<>, out ivec2 low<>, out ivec2 last<>) {
    int k = 4 * indexof(area).x;
    bool holds = area > 0;
    double n = double(max(area, 1));
    vec2 mean = vec2(float(0.5LF * sum_of(sums[k], sums[k + 1]) / n), float(sum_of(sums[k + 2], sums[k + 3]) / n));
    centroid = holds ? mean : vec2(intBitsToFloat(0x7fc00000));
    low = holds ? ivec2(box[k], box[k + 1]) : ivec2(0);
    last = holds ? -ivec2(box[k + 2], box[k + 3]) : ivec2(-1);
}
