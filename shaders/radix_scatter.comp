// Stores the keys of a pass at their destinations. Each run keeps the order of equal digits.
// PAYLOAD: 0 none, 1 a word is read with each key, 2 the payload is the key's index (in its row, or
// in all rows). STORE_KEYS 0: only the payload is stored.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
#include "shared/radix_output.glsl"

#define RADIX_ROW_FIRST int(PARAMETER(RADIX_P_FIRST_ROW))
#define key_base int(PARAMETER(RADIX_P_KEY_BASE))
#define payload_base int(PARAMETER(RADIX_P_PAYLOAD_BASE))
#include "shared/radix_key.glsl"
#include "shared/radix_input.glsl"
#include "shared/radix_run.glsl"
layout(binding = 2) uniform usamplerBuffer offsets;

uint place[256];
uint shift;

void put(RADIX_KEY key, uint payload)
{
    uint digit = radix_digit(key, shift);
    uint at = place[digit];
    place[digit] = at + 1u;
#if STORE_KEYS
#if KEY_BITS == 64
    keys_out[2u * at] = key.x;
    keys_out[2u * at + 1u] = key.y;
#else
    keys_out[at] = key;
#endif
#endif
#if PAYLOAD
    payload_out[at] = payload;
#endif
}

void main()
{
    RadixRun run = radix_run();
    shift = PARAMETER(RADIX_P_SHIFT);
    if (!run.exists) {
        return;
    }
    for (int k = 0; k < 64; k++) {
        uvec4 t = texelFetch(offsets, run.number * 64 + k);
        place[4 * k] = t.x;
        place[4 * k + 1] = t.y;
        place[4 * k + 2] = t.z;
        place[4 * k + 3] = t.w;
    }
    uint number_first = uint(run.row) * PARAMETER(RADIX_P_NUMBERED);
#if PAYLOAD == 1
#define PAYLOAD_OF(i) radix_payload(i)
#else
#define PAYLOAD_OF(i) uint(i) - number_first
#endif
    int i = run.first;
    for (; i < run.aligned; i++) {
        put(radix_key(i), PAYLOAD_OF(i));
    }
    for (; i + RADIX_STEP <= run.last; i += RADIX_STEP) {
#if KEY_BITS == 64
        uvec4 t = KEYS_TEXEL((key_base + 2 * i) >> 2);
        put(t.xy, PAYLOAD_OF(i));
        put(t.zw, PAYLOAD_OF(i + 1));
#else
        uvec4 t = KEYS_TEXEL((key_base + i) >> 2);
#if PAYLOAD == 1
        uvec4 p = PAYLOAD_TEXEL((payload_base + i) >> 2);
#else
        uvec4 p = uvec4(uint(i) - number_first) + uvec4(0u, 1u, 2u, 3u);
#endif
        put(t.x, p.x);
        put(t.y, p.y);
        put(t.z, p.z);
        put(t.w, p.w);
#endif
    }
    for (; i < run.last; i++) {
        put(radix_key(i), PAYLOAD_OF(i));
    }
}
