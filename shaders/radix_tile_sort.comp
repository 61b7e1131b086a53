// Sorts rows that fit into a tile, a group per row, with all passes in shared memory. PAYLOAD and
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

void exchange(inout uint value[ITEMS], in uint place[ITEMS])
{
    tile_exchange(0, value, place);
    for (int i = 0; i < ITEMS; i++) {
        value[i] = tile_data[tile_element(i)];
    }
    barrier();
}

void main()
{
    int row = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x);
    int valid = row < int(PARAMETER(RADIX_P_ROWS)) ? ROW_LENGTH : 0, first = row * int(PARAMETER(RADIX_P_LENGTH));
    uint low[ITEMS], digit[ITEMS], place[ITEMS];
#if KEY_BITS == 64
    uint high[ITEMS];
#endif
#if PAYLOAD
    uint payload[ITEMS];
#endif
    for (int i = 0; i < ITEMS; i++) {
        int e = tile_element(i);
        low[i] = 0u;
#if KEY_BITS == 64
        uvec2 key = e < valid ? radix_key(first + e) : uvec2(0u);
        low[i] = key.x;
        high[i] = key.y;
#else
        low[i] = e < valid ? radix_key(first + e) : 0u;
#endif
#if PAYLOAD == 1
        payload[i] = e < valid ? radix_payload(first + e) : 0u;
#elif PAYLOAD
        payload[i] = uint(first + e) - uint(row) * PARAMETER(RADIX_P_NUMBERED);
#endif
    }
    for (uint shift = 0u; shift < PARAMETER(RADIX_P_SHIFT); shift += 8u) {
        for (int i = 0; i < ITEMS; i++) {
#if KEY_BITS == 64
            uint own = radix_digit(uvec2(low[i], high[i]), shift);
#else
            uint own = radix_digit(low[i], shift);
#endif
            digit[i] = tile_element(i) < valid ? own : 255u;
        }
        tile_rank(digit, place);
        exchange(low, place);
#if KEY_BITS == 64
        exchange(high, place);
#endif
#if PAYLOAD
        exchange(payload, place);
#endif
    }
    for (int i = 0; i < ITEMS; i++) {
        int e = tile_element(i), at = first + e;
        if (e < valid) {
#if STORE_KEYS
#if KEY_BITS == 64
            keys_out[2 * at] = low[i];
            keys_out[2 * at + 1] = high[i];
#else
            keys_out[at] = low[i];
#endif
#endif
#if PAYLOAD
            payload_out[at] = payload[i];
#endif
        }
    }
}
