// Finds the digit of the last key to select, and appends it to the prefix. Sets the totals to zero.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = 1) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
layout(std430, binding = 1) buffer State { uint state[]; };
layout(std430, binding = 2) buffer Totals { uint totals[]; };
#include "shared/topk_words.h"

void main()
{
    uint wanted = state[TOPK_WANTED], before = 0u, equal = 0u, shift = PARAMETER(RADIX_P_SHIFT), found = 256u;
    for (uint digit = 0u; digit < 256u; digit++) {
        uint count = totals[digit];
        totals[digit] = 0u;
        bool last = found == 256u && (before + count >= wanted || digit == 255u);
        found = last ? digit : found;
        equal = last ? count : equal;
        before += found == 256u ? count : 0u;
    }
    state[TOPK_WANTED] = wanted - before;
    state[TOPK_BETTER] += before;
    state[TOPK_EQUAL] = equal;
    state[shift < 32u ? TOPK_PREFIX : TOPK_PREFIX + 1] |= found << (shift & 31u);
}
