// Counts all digits of the keys of a row in one pass over the keys (Adinets and Merrill, Onesweep,
// 2022): group g processes 2^s tiles and stores PASSES histograms at g PASSES. It also clears the
// words in which these tiles publish their counts in the first pass.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = 256) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
layout(std430, binding = 1) writeonly buffer Counts { uint counts[]; };

const int payload_base = 0;
#define KEY_WORDS
#define key_base int(PARAMETER(RADIX_P_KEY_BASE))
#include "shared/radix_key.glsl"
#include "shared/radix_input.glsl"
#include "shared/radix_length.glsl"

shared uint histogram[256 * PASSES];

#pragma optionNV(unroll all) // for NVIDIA: otherwise private arrays may be kept in memory. Other compilers ignore it
// Keys that an invocation loads before it counts the first of them.
const int AHEAD = 8;

void main()
{
    int group = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x), t = int(gl_LocalInvocationID.x);
    int share = int(PARAMETER(RADIX_P_SHARE)), first = group << share, tiles = int(PARAMETER(RADIX_P_RUNS));
    int last = min(first + (1 << share), tiles), end = min(ROW_LENGTH, last * 256 * ITEMS);
    bool exists = first < tiles;
    for (int k = t; k < 256 * PASSES; k += 256) {
        histogram[k] = 0u;
    }
    for (int k = first; k < last; k++) {
        counts[int(PARAMETER(RADIX_P_STATUS)) + k * 256 + t] = 0u;
    }
    barrier();
    for (int i = first * 256 * ITEMS + t; i < end; i += 256 * AHEAD) {
        RADIX_KEY key[AHEAD];
        for (int k = 0; k < AHEAD; k++) {
            key[k] = radix_key(min(i + 256 * k, end - 1));
        }
        for (int k = 0; k < AHEAD; k++) {
            if (i + 256 * k < end) {
                for (int pass = 0; pass < PASSES; pass++) {
                    uint digit = radix_digit(key[k], PARAMETER(RADIX_P_SHIFT) + uint(8 * pass));
                    atomicAdd(histogram[uint(256 * pass) + digit], 1u);
                }
            }
        }
    }
    barrier();
    for (int k = t; exists && k < 256 * PASSES; k += 256) {
        counts[int(PARAMETER(RADIX_P_NEXT)) + group * 256 * PASSES + k] = histogram[k];
    }
}
