// Stores the keys of a pass at their destinations, a group per tile. The tile is sorted by the
// digit in shared memory, so that keys with equal digits are stored contiguously. PAYLOAD and
// STORE_KEYS are as in radix_scatter.comp.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = 256) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
#include "shared/radix_output.glsl"
// LOOK_BACK 1: the group sums the counts of the tiles before its tile. 0: radix_tile_offset.comp has
// summed these counts.
#if LOOK_BACK
layout(std430, binding = 3) coherent buffer Counts { uint counts[]; };
#else
layout(std430, binding = 3) readonly buffer Counts { uint counts[]; };
#endif

#define KEY_WORDS
#define key_base int(PARAMETER(RADIX_P_KEY_BASE))
#define payload_base int(PARAMETER(RADIX_P_PAYLOAD_BASE))
#include "shared/radix_key.glsl"
#include "shared/radix_input.glsl"
#include "shared/radix_length.glsl"
#include "shared/radix_tile.glsl"
#if LOOK_BACK
#include "shared/radix_look_back.glsl"
#endif

const int PART_ITEMS = TILE_PART / 256;

// A digit's distance from the index in the tile to the index in the row is stored in the row of
// tile_starts of the warp that computes it, when the warp does not use the row any more.
int distance_slot(uint digit)
{
    return int((digit >> 5) * 128u + (digit & 31u));
}

void main()
{
    int tile = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x), t = int(gl_LocalInvocationID.x);
    int tiles = int(PARAMETER(RADIX_P_RUNS)), row = tile / tiles, own_row = row, first = (tile - row * tiles) * TILE;
    bool exists = row < int(PARAMETER(RADIX_P_ROWS));
    int valid = exists ? min(ROW_LENGTH - first, TILE) : 0;
    row += int(PARAMETER(RADIX_P_FIRST_ROW));
    first += row * int(PARAMETER(RADIX_P_LENGTH));

    uint low[ITEMS], digit[ITEMS], place[ITEMS];
#if KEY_BITS == 64
    uint high[ITEMS];
#endif
    // All loads come before the first use, so that their latencies overlap.
    for (int i = 0; i < ITEMS; i++) {
        RADIX_KEY key = radix_key(valid > 0 ? first + min(tile_element(i), valid - 1) : 0);
#if KEY_BITS == 64
        low[i] = key.x;
        high[i] = key.y;
#else
        low[i] = key;
#endif
    }
    int column = exists ? own_row * 256 : 0;
#if LOOK_BACK
    uint to_row = counts[int(PARAMETER(RADIX_P_TOTALS)) + t];
    if (exists) {
        counts[int(PARAMETER(RADIX_P_NEXT)) + tile * 256 + t] = 0u;
    }
#else
    uint to_row = exists ? counts[(column + t) * tiles + tile - own_row * tiles] : 0u, below;
#endif
    for (int i = 0; i < ITEMS; i++) {
#if KEY_BITS == 64
        uint own = radix_digit(uvec2(low[i], high[i]), PARAMETER(RADIX_P_SHIFT));
#else
        uint own = radix_digit(low[i], PARAMETER(RADIX_P_SHIFT));
#endif
        digit[i] = tile_element(i) < valid ? own : 255u;
    }
    tile_rank(digit, place);
    int here = distance_slot(uint(t));
    to_row -= tile_digit_start;
#if LOOK_BACK
    uint count = tile_digit_count - uint(t == 255 ? TILE - max(valid, 0) : 0);
    look_back_tile = -1;
    if (exists) {
        look_back(tile, count);
    }
    TILE_WARP_BARRIER();
    tile_starts[here] = to_row + look_back_sum;
    tile_mark(look_back_tile >= 0);
#else
    TILE_SUM_BELOW(counts, PARAMETER(RADIX_P_TOTALS) + uint(column), below);
    TILE_WARP_BARRIER();
    tile_starts[here] = to_row + below + uint(row) * PARAMETER(RADIX_P_LENGTH);
#endif

#if PAYLOAD
    uint at[ITEMS];
#endif
    for (int part = 0; part < TILE / TILE_PART; part++) {
        if (part > 0) {
            barrier();
        }
        tile_exchange(part, low, place);
#if LOOK_BACK
        if (part == 0 && tile_marked()) {
            look_back_finish(tile, count);
            tile_starts[here] = to_row + look_back_sum;
            barrier();
        }
#endif
#if KEY_BITS == 64
        uint moved_low[ITEMS];
        for (int i = 0; i < PART_ITEMS; i++) {
            moved_low[i] = tile_data[i * 256 + t];
        }
        barrier();
        tile_exchange(part, high, place);
#endif
        for (int i = 0; i < PART_ITEMS; i++) {
            int p = part * TILE_PART + i * 256 + t;
            uint moved = tile_data[i * 256 + t];
#if KEY_BITS == 64
            RADIX_KEY key = uvec2(moved_low[i], moved);
#else
            RADIX_KEY key = moved;
#endif
            uint destination = tile_starts[distance_slot(radix_digit(key, PARAMETER(RADIX_P_SHIFT)))] + uint(p);
#if PAYLOAD
            at[part * PART_ITEMS + i] = destination;
#endif
#if STORE_KEYS
            if (p < valid) {
#if KEY_BITS == 64
                keys_out[2u * destination] = key.x;
                keys_out[2u * destination + 1u] = key.y;
#else
                keys_out[destination] = key;
#endif
            }
#endif
        }
    }
#if PAYLOAD
    uint payload[ITEMS];
    for (int i = 0; i < ITEMS; i++) {
#if PAYLOAD == 1
        payload[i] = radix_payload(valid > 0 ? first + min(tile_element(i), valid - 1) : 0);
#else
        payload[i] = uint(first + tile_element(i)) - uint(row) * PARAMETER(RADIX_P_NUMBERED);
#endif
    }
    for (int part = 0; part < TILE / TILE_PART; part++) {
        barrier();
        tile_exchange(part, payload, place);
        for (int i = 0; i < PART_ITEMS; i++) {
            if (part * TILE_PART + i * 256 + t < valid) {
                payload_out[at[part * PART_ITEMS + i]] = tile_data[i * 256 + t];
            }
        }
    }
#endif
}
