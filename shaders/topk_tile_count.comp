// Counts digits as topk_count.comp does, a group per tile of keys: in shared memory, then added to
// the totals.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = 256) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
layout(std430, binding = 1) buffer Totals { uint totals[]; };
layout(binding = 2) uniform usamplerBuffer state;

#define key_base int(PARAMETER(RADIX_P_KEY_BASE))
#include "shared/radix_key.glsl"
#include "shared/radix_input.glsl"
#include "shared/topk_words.h"
#include "shared/topk.glsl"

shared uint histogram[256];

void main()
{
    int tile = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x), t = int(gl_LocalInvocationID.x);
    int first = tile * TILE_KEYS, last = min(first + TILE_KEYS, int(PARAMETER(RADIX_P_LENGTH)));
    uint shift = PARAMETER(RADIX_P_SHIFT);
    RADIX_KEY prefix = topk_prefix(texelFetch(state, TOPK_PREFIX).x, texelFetch(state, TOPK_PREFIX + 1).x);
    histogram[t] = 0u;
    barrier();
    for (int i = first + t; i < last; i += 256) {
        RADIX_KEY key = radix_key(i);
        if (topk_matches(radix_order(key), prefix, shift)) {
            atomicAdd(histogram[radix_digit(key, shift)], 1u);
        }
    }
    barrier();
    if (histogram[t] != 0u) {
        atomicAdd(totals[t], histogram[t]);
    }
}
