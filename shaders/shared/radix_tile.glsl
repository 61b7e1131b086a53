// Places of a tile's keys by one digit: a group of 256 invocations, ITEMS keys each. Invocation t's key number i stands at
// tile_element(i) of the tile, so that 32 neighbours read 32 neighbours. Equal digits among 32 invocations find each other by
// ballots (BALLOTS), or by a mask in shared memory, which needs core GLSL only (the "match" of Merrill and Garland's
// single-pass sort, 2016).
#pragma optionNV(unroll all) // NVIDIA: else arrays of an invocation go to memory; other compilers take no notice
const int TILE = 256 * ITEMS;

shared uint tile_counts[8 * 256];                           // digits so far, per 32 invocations
shared uint tile_data[TILE > 8 * 256 ? TILE : 8 * 256];     // masks, then what is exchanged
shared uint tile_start[256];                                // where a digit begins in the tile

int tile_element(int i)
{
    int t = int(gl_LocalInvocationID.x);
    return (t >> 5) * 32 * ITEMS + i * 32 + (t & 31);
}

// From digits to places in the tile. Keys that are not there have digit 255 and stand last.
void tile_rank(in uint digit[ITEMS], out uint place[ITEMS])
{
    uint t = gl_LocalInvocationID.x, lane = t & 31u, row = (t >> 5) * 256u;
    barrier();
    for (uint k = t; k < 2048u; k += 256u) {
        tile_counts[k] = 0u;
#ifndef BALLOTS
        tile_data[k] = 0u;
#endif
    }
    barrier();
    for (int i = 0; i < ITEMS; i++) {
        uint slot = row + digit[i];
#ifdef BALLOTS
        uint mask = 0xffffffffu;
        for (int b = 0; b < 8; b++) {
            bool one = (digit[i] >> b & 1u) != 0u;
            uint same = subgroupBallot(one).x;
            mask &= one ? same : ~same;
        }
        uint below = mask & ((1u << lane) - 1u), before = 0u;
        if (below == 0u) {
            before = atomicAdd(tile_counts[slot], uint(bitCount(mask)));
        }
        place[i] = subgroupShuffle(before, uint(findLSB(mask))) + uint(bitCount(below));
#else
        atomicOr(tile_data[slot], 1u << lane);
        barrier();
        uint mask = tile_data[slot], before = tile_counts[slot], below = mask & ((1u << lane) - 1u);
        barrier();
        place[i] = before + uint(bitCount(below));
        if (below == 0u) {
            tile_counts[slot] = before + uint(bitCount(mask));
            tile_data[slot] = 0u;
        }
        barrier();
#endif
    }
#ifdef BALLOTS
    barrier();
#endif
    uint total = 0u;
    for (uint k = t; k < 2048u; k += 256u) {
        uint count = tile_counts[k];
        tile_counts[k] = total;
        total += count;
    }
    tile_start[t] = total;
    barrier();
    for (uint reach = 1u; reach < 256u; reach *= 2u) {
        uint add = t >= reach ? tile_start[t - reach] : 0u;
        barrier();
        tile_start[t] += add;
        barrier();
    }
    uint start = tile_start[t] - total;
    for (uint k = t; k < 2048u; k += 256u) {
        tile_counts[k] += start;
    }
    barrier();
    tile_start[t] = start;
    for (int i = 0; i < ITEMS; i++) {
        place[i] += tile_counts[row + digit[i]];
    }
    barrier();
}
