// Counts the digits, at a shift, of the keys that have the prefix. Every invocation counts one run
// of keys, in a private histogram.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
layout(std430, binding = 1) writeonly buffer Counts { uvec4 counts[]; };
layout(binding = 2) uniform usamplerBuffer state;

#define key_base int(PARAMETER(RADIX_P_KEY_BASE))
#include "shared/radix_key.glsl"
#include "shared/radix_input.glsl"
#include "shared/radix_run.glsl"
#include "shared/topk_words.h"
#include "shared/topk.glsl"

uint histogram[256];

void main()
{
    RadixRun run = radix_run();
    uint shift = PARAMETER(RADIX_P_SHIFT);
    RADIX_KEY prefix = topk_prefix(texelFetch(state, TOPK_PREFIX).x, texelFetch(state, TOPK_PREFIX + 1).x);
    for (int i = 0; i < 256; i++) {
        histogram[i] = 0u;
    }
#define COUNT(key) histogram[radix_digit(key, shift)] += uint(topk_matches(radix_order(key), prefix, shift))
    int i = run.first;
    for (; i < run.aligned; i++) {
        COUNT(radix_key(i));
    }
    for (; i + RADIX_STEP <= run.last; i += RADIX_STEP) {
#if KEY_BITS == 64
        uvec4 t = KEYS_TEXEL((key_base + 2 * i) >> 2);
        COUNT(t.xy);
        COUNT(t.zw);
#else
        uvec4 t = KEYS_TEXEL((key_base + i) >> 2);
        COUNT(t.x);
        COUNT(t.y);
        COUNT(t.z);
        COUNT(t.w);
#endif
    }
    for (; i < run.last; i++) {
        COUNT(radix_key(i));
    }
    if (run.exists) {
        for (int k = 0; k < 64; k++) {
            counts[run.number * 64 + k] =
                uvec4(histogram[4 * k], histogram[4 * k + 1], histogram[4 * k + 2], histogram[4 * k + 3]);
        }
    }
}
