// Computes the destinations of a tile's keys for one digit, with a group of 256 invocations and
// ITEMS keys each. Key i of invocation t is tile_element(i) of the tile, so that 32 adjacent
// invocations, called a warp here, read 32 consecutive keys. Equal digits in a warp are found by
// ballots (BALLOTS), or by a mask in shared memory, which needs core GLSL only (the "match" of
// Merrill and Garland's single-pass sort, 2016). With ballots every warp scans the counts of all
// warps by itself, so that tile_rank has one barrier.
#pragma optionNV(unroll all) // for NVIDIA: otherwise private arrays are kept in memory. Other compilers ignore it
const int TILE = 256 * ITEMS;
const int TILE_PART = TILE < 4096 ? TILE : 4096; // keys that are exchanged at a time

// A word contains the values of two digits, 16 bits each. Every warp has a row of 128 words.
shared uint tile_counts[8 * 128];
shared uint tile_starts[8 * 128]; // index in the tile of the warp's first key of each digit
shared uint tile_data[TILE_PART > 2048 ? TILE_PART : 2048]; // masks, then the exchanged keys

// The keys of the tile with digit t, for invocation t, and the index of the first of these keys.
uint tile_digit_count, tile_digit_start;

int tile_element(int i)
{
    int t = int(gl_LocalInvocationID.x);
    return (t >> 5) * 32 * ITEMS + i * 32 + (t & 31);
}

uint tile_value(uint word, uint digit)
{
    return word >> 16u * (digit & 1u) & 0xffffu;
}

#ifdef BALLOTS
#define TILE_WARP_BARRIER() subgroupBarrier()

// A subgroup has one or several warps.
uint tile_ballot(bool condition)
{
    uvec4 all = subgroupBallot(condition);
#if BALLOTS > 32
    return (gl_LocalInvocationID.x & 32u) != 0u ? all.y : all.x;
#else
    return all.x;
#endif
}

uint tile_shuffle(uint value, uint lane)
{
    return subgroupShuffle(value, (gl_LocalInvocationID.x & uint(BALLOTS - 32)) + lane);
}

// Returns the sum of the values of the warp's invocations up to this one.
uint tile_warp_scan(uint value)
{
    uint lane = gl_LocalInvocationID.x & 31u;
    for (uint reach = 1u; reach < 32u; reach *= 2u) {
        uint other = subgroupShuffleUp(value, reach);
        value += lane >= reach ? other : 0u;
    }
    return value;
}

void tile_match(in uint digit[ITEMS], out uint place[ITEMS])
{
    uint t = gl_LocalInvocationID.x, lane = t & 31u, row = (t >> 5) * 128u;
    for (uint k = lane; k < 128u; k += 32u) {
        tile_counts[row + k] = 0u;
    }
    TILE_WARP_BARRIER();
    for (int i = 0; i < ITEMS; i++) {
        uint mask = 0xffffffffu;
        for (int b = 0; b < 8; b++) {
            bool one = (digit[i] >> b & 1u) != 0u;
            uint same = tile_ballot(one);
            mask &= one ? same : ~same;
        }
        uint below = mask & ((1u << lane) - 1u), before = 0u;
        if (below == 0u) {
            uint add = uint(bitCount(mask)) << 16u * (digit[i] & 1u);
            before = tile_value(atomicAdd(tile_counts[row + (digit[i] >> 1)], add), digit[i]);
        }
        place[i] = tile_shuffle(before, uint(findLSB(mask))) + uint(bitCount(below));
    }
    barrier();
}

// Computes the warp's row of tile_starts. Lane l processes the words l, l + 32, l + 64 and l + 96,
// and the sums of two of these words are scanned together.
void tile_scan_counts()
{
    uint t = gl_LocalInvocationID.x, lane = t & 31u, warp = t >> 5, row = warp * 128u;
    uint total[4], before[4], sum[4];
    for (int c = 0; c < 4; c++) {
        total[c] = before[c] = 0u;
        for (uint w = 0u; w < 8u; w++) {
            uint count = tile_counts[w * 128u + uint(c) * 32u + lane];
            before[c] += w < warp ? count : 0u;
            total[c] += count;
        }
        sum[c] = (total[c] & 0xffffu) + (total[c] >> 16);
    }
    uint carry = 0u;
    for (int c = 0; c < 2; c++) {
        uint both = sum[2 * c] | sum[2 * c + 1] << 16, up_to = tile_warp_scan(both);
        uint all = tile_shuffle(up_to, 31u), first = up_to - both;
        uint a = carry + (first & 0xffffu), b = carry + (all & 0xffffu) + (first >> 16);
        tile_starts[row + uint(c) * 64u + lane] = before[2 * c] + a * 0x10001u + (total[2 * c] << 16);
        tile_starts[row + uint(c) * 64u + 32u + lane] = before[2 * c + 1] + b * 0x10001u + (total[2 * c + 1] << 16);
        carry += (all & 0xffffu) + (all >> 16);
    }
    TILE_WARP_BARRIER();
    uint ahead = 0u, count = 0u;
    for (uint w = 0u; w < 8u; w++) {
        uint own = tile_value(tile_counts[w * 128u + (t >> 1)], t);
        ahead += w < warp ? own : 0u;
        count += own;
    }
    tile_digit_count = count;
    tile_digit_start = tile_value(tile_starts[row + (t >> 1)], t) - ahead;
}

// tile_mark is called after the warp has computed its places, and tile_marked, after a barrier,
// returns whether the condition was true for an invocation of the group.
void tile_mark(bool condition)
{
    uint any = tile_ballot(condition), t = gl_LocalInvocationID.x;
    if ((t & 31u) == 0u) {
        tile_starts[(t >> 5) * 128u + 32u] = any;
    }
}

bool tile_marked()
{
    uint any = 0u;
    for (uint w = 0u; w < 8u; w++) {
        any |= tile_starts[w * 128u + 32u];
    }
    return any != 0u;
}

// Returns the sum of values[first + d] over all digits d less than the number of the invocation.
#define TILE_SUM_BELOW(values, first, result)                                                                          \
    {                                                                                                                  \
        uint t_ = gl_LocalInvocationID.x, own_ = values[(first) + t_], rest_ = 0u;                                     \
        for (uint c_ = 0u; c_ < t_ >> 5; c_++) {                                                                       \
            rest_ += values[(first) + c_ * 32u + (t_ & 31u)];                                                          \
        }                                                                                                              \
        result = tile_warp_scan(own_) - own_ + tile_shuffle(tile_warp_scan(rest_), 31u);                               \
    }
#else
#define TILE_WARP_BARRIER() barrier()

// Returns the sum of the values of the invocations before this one. It has two barriers. A barrier
// is needed before tile_data is used again.
uint tile_sum_before(uint value)
{
    uint t = gl_LocalInvocationID.x, sum = 0u;
    tile_data[t] = value;
    barrier();
    if (t < 16u) {
        for (uint k = 0u; k < 16u; k++) {
            sum += tile_data[t * 16u + k];
        }
        tile_data[256u + t] = sum;
    }
    barrier();
    sum = 0u;
    for (uint k = 0u; k < t >> 4; k++) {
        sum += tile_data[256u + k];
    }
    for (uint k = t & ~15u; k < t; k++) {
        sum += tile_data[k];
    }
    return sum;
}

void tile_match(in uint digit[ITEMS], out uint place[ITEMS])
{
    uint t = gl_LocalInvocationID.x, lane = t & 31u, warp = t >> 5;
    for (uint k = t; k < 1024u; k += 256u) {
        tile_counts[k] = 0u;
    }
    for (uint k = t; k < 2048u; k += 256u) {
        tile_data[k] = 0u;
    }
    barrier();
    for (int i = 0; i < ITEMS; i++) {
        uint slot = warp * 256u + digit[i], at = slot >> 1;
        atomicOr(tile_data[slot], 1u << lane);
        barrier();
        uint mask = tile_data[slot], below = mask & ((1u << lane) - 1u);
        place[i] = tile_value(tile_counts[at], digit[i]) + uint(bitCount(below));
        barrier();
        if (below == 0u) {
            atomicAdd(tile_counts[at], uint(bitCount(mask)) << 16u * (digit[i] & 1u));
            tile_data[slot] = 0u;
        }
        barrier();
    }
}

void tile_scan_counts()
{
    uint t = gl_LocalInvocationID.x, count = 0u;
    for (uint w = 0u; w < 8u; w++) {
        count += tile_value(tile_counts[w * 128u + (t >> 1)], t);
    }
    uint start = tile_sum_before(count);
    if ((t & 1u) == 0u) {
        uint at = start | start + count << 16;
        for (uint k = t >> 1; k < 1024u; k += 128u) {
            tile_starts[k] = at;
            at += tile_counts[k];
        }
    }
    tile_digit_count = count;
    tile_digit_start = start;
    barrier();
    if (t == 0u) {
        tile_counts[0] = 0u;
    }
}

void tile_mark(bool condition)
{
    if (condition) {
        atomicOr(tile_counts[0], 1u);
    }
}

bool tile_marked()
{
    return tile_counts[0] != 0u;
}

#define TILE_SUM_BELOW(values, first, result) result = tile_sum_before(values[(first) + gl_LocalInvocationID.x])
#endif

// Computes the index in the tile from digits. Keys beyond the end have digit 255 and come last. If
// it is called again, a barrier must separate the calls.
void tile_rank(in uint digit[ITEMS], out uint place[ITEMS])
{
    uint row = (gl_LocalInvocationID.x >> 5) * 128u;
    tile_match(digit, place);
    tile_scan_counts();
    for (int i = 0; i < ITEMS; i++) {
        place[i] += tile_value(tile_starts[row + (digit[i] >> 1)], digit[i]);
    }
}

// Stores the values whose place is in a part of the tile in tile_data.
void tile_exchange(int part, in uint value[ITEMS], in uint place[ITEMS])
{
    for (int i = 0; i < ITEMS; i++) {
        uint at = place[i] - uint(part * TILE_PART);
        if (TILE == TILE_PART || at < uint(TILE_PART)) {
            tile_data[at] = value[i];
        }
    }
    barrier();
}
