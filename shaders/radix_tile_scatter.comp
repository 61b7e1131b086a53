// Stores the keys of a pass at their destinations, a group per tile. The tile is sorted by the
// digit in shared memory, so that keys with equal digits are stored contiguously. PAYLOAD and
// STORE_KEYS are as in radix_scatter.comp.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = 256) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
#include "shared/radix_output.glsl"

#define KEY_WORDS
#define key_base int(PARAMETER(RADIX_P_KEY_BASE))
#define payload_base int(PARAMETER(RADIX_P_PAYLOAD_BASE))
#include "shared/radix_key.glsl"
#include "shared/radix_input.glsl"
#include "shared/radix_length.glsl"
#include "shared/radix_tile.glsl"
layout(binding = 2) uniform usamplerBuffer offsets;

void main()
{
    int tile = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x), t = int(gl_LocalInvocationID.x);
    int tiles = int(PARAMETER(RADIX_P_RUNS)), row = tile / tiles, first = (tile - row * tiles) * TILE;
    bool exists = row < int(PARAMETER(RADIX_P_ROWS));
    int valid = exists ? min(ROW_LENGTH - first, TILE) : 0;
    row += int(PARAMETER(RADIX_P_FIRST_ROW));
    first += row * int(PARAMETER(RADIX_P_LENGTH));

    RADIX_KEY key[ITEMS];
    uint digit[ITEMS], place[ITEMS];
    // All loads come before the first use, so that their latencies overlap.
    for (int i = 0; i < ITEMS; i++) {
        key[i] = radix_key(valid > 0 ? first + min(tile_element(i), valid - 1) : 0);
    }
    for (int i = 0; i < ITEMS; i++) {
        digit[i] = tile_element(i) < valid ? radix_digit(key[i], PARAMETER(RADIX_P_SHIFT)) : 255u;
    }
    tile_rank(digit, place);
    // The distance from the index in the tile to the index in the row.
    uint to_row = (exists ? texelFetch(offsets, tile * 256 + t).x : 0u) - tile_start[t];
    barrier();
    tile_start[t] = to_row;

    RADIX_KEY moved[ITEMS];
#if KEY_BITS == 64
    for (int half_key = 0; half_key < 2; half_key++) {
        for (int i = 0; i < ITEMS; i++) {
            tile_data[place[i]] = key[i][half_key];
        }
        barrier();
        for (int i = 0; i < ITEMS; i++) {
            moved[i][half_key] = tile_data[i * 256 + t];
        }
        barrier();
    }
#else
    for (int i = 0; i < ITEMS; i++) {
        tile_data[place[i]] = key[i];
    }
    barrier();
    for (int i = 0; i < ITEMS; i++) {
        moved[i] = tile_data[i * 256 + t];
    }
    barrier();
#endif
    uint at[ITEMS];
    for (int i = 0; i < ITEMS; i++) {
        int p = i * 256 + t;
        at[i] = tile_start[radix_digit(moved[i], PARAMETER(RADIX_P_SHIFT))] + uint(p);
#if STORE_KEYS
        if (p < valid) {
#if KEY_BITS == 64
            keys_out[2u * at[i]] = moved[i].x;
            keys_out[2u * at[i] + 1u] = moved[i].y;
#else
            keys_out[at[i]] = moved[i];
#endif
        }
#endif
    }
#if PAYLOAD
#if PAYLOAD == 1
    uint payload[ITEMS];
    for (int i = 0; i < ITEMS; i++) {
        payload[i] = radix_payload(valid > 0 ? first + min(tile_element(i), valid - 1) : 0);
    }
    for (int i = 0; i < ITEMS; i++) {
        tile_data[place[i]] = payload[i];
    }
#else
    for (int i = 0; i < ITEMS; i++) {
        tile_data[place[i]] = uint(first + tile_element(i)) - uint(row) * PARAMETER(RADIX_P_NUMBERED);
    }
#endif
    barrier();
    for (int i = 0; i < ITEMS; i++) {
        int p = i * 256 + t;
        if (p < valid) {
            payload_out[at[i]] = tile_data[p];
        }
    }
#endif
}
