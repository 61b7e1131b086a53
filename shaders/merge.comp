// Merges two sorted rows of keys. An invocation finds by bisection where its part of the result
// begins in both rows, and merges from there (Odeh, Green, Mwassi, Shmueli and Birk, "Merge path",
// 2012). Of equal keys those of the first row come first.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = 8) in;
layout(location = 0) uniform uvec4 rill_p[MERGE_P_VECTORS];
layout(std430, binding = 1) writeonly buffer Out { uint merged[]; };
#if READ_BLOCKS
layout(std430, binding = 2) readonly buffer KeysA { uvec4 keys_a[]; };
layout(std430, binding = 3) readonly buffer KeysB { uvec4 keys_b[]; };
#define TEXEL(keys, i) keys[i]
#else
layout(binding = 0) uniform usamplerBuffer keys_a;
layout(binding = 1) uniform usamplerBuffer keys_b;
#define TEXEL(keys, i) texelFetch(keys, i)
#endif
#include "shared/radix_key.glsl"

RADIX_KEY key_of(int at, bool in_b)
{
    at *= KEY_BITS == 64 ? 2 : 1;
    at += int(in_b ? PARAMETER(MERGE_P_BASE_B) : PARAMETER(MERGE_P_BASE_A));
#if KEY_BITS == 64
    return in_b ? uvec2(TEXEL(keys_b, at >> 2)[at & 3], TEXEL(keys_b, (at + 1) >> 2)[(at + 1) & 3])
                : uvec2(TEXEL(keys_a, at >> 2)[at & 3], TEXEL(keys_a, (at + 1) >> 2)[(at + 1) & 3]);
#else
    return in_b ? TEXEL(keys_b, at >> 2)[at & 3] : TEXEL(keys_a, at >> 2)[at & 3];
#endif
}

void main()
{
    int number = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * 8u + gl_LocalInvocationID.x);
    int count_a = int(PARAMETER(MERGE_P_COUNT_A)), count_b = int(PARAMETER(MERGE_P_COUNT_B)), run = int(PARAMETER(MERGE_P_RUN)), all = count_a + count_b;
    // The last run ends at the end of the result. Runs after it are empty.
    int at = int(min(uint(number) * uint(run), uint(all))), last = at + min(run, all - at);
    int low = max(0, at - count_b), high = min(at, count_a);
    while (low < high) {
        int middle = (low + high) >> 1;
        if (radix_before(key_of(at - 1 - middle, true), key_of(middle, false))) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    int a = low, b = at - low;
    RADIX_KEY next_a = key_of(min(a, count_a - 1), false), next_b = key_of(min(b, count_b - 1), true);
    for (; at < last; at++) {
        bool from_b = a >= count_a || (b < count_b && radix_before(next_b, next_a));
        RADIX_KEY key = from_b ? next_b : next_a;
#if KEY_BITS == 64
        merged[2 * at] = key.x;
        merged[2 * at + 1] = key.y;
#else
        merged[at] = key;
#endif
        a += int(!from_b);
        b += int(from_b);
        if (from_b) {
            next_b = key_of(min(b, count_b - 1), true);
        } else {
            next_a = key_of(min(a, count_a - 1), false);
        }
    }
}
