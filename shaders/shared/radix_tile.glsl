// Computes the destinations of a tile's keys for one digit, with a group of 256 invocations and
// ITEMS keys each. Key i of invocation t is tile_element(i) of the tile, so that 32 adjacent
// invocations read 32 consecutive keys. Equal digits among 32 invocations are found by ballots
// (BALLOTS), or by a mask in shared memory, which needs core GLSL only (the "match" of Merrill and
// Garland's single-pass sort, 2016).
#pragma optionNV(unroll all) // for NVIDIA: otherwise private arrays are kept in memory. Other compilers ignore it
const int TILE = 256 * ITEMS;

shared uint tile_counts[8 * 256];                           // counts of digits, per 32 invocations
shared uint tile_data[TILE > 8 * 256 ? TILE : 8 * 256];     // masks, then the exchanged keys
shared uint tile_start[256];                                // index of the first key of a digit in the tile

int tile_element(int i)
{
    int t = int(gl_LocalInvocationID.x);
    return (t >> 5) * 32 * ITEMS + i * 32 + (t & 31);
}

// Computes the index in the tile from digits. Keys beyond the end have digit 255 and come last.
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
