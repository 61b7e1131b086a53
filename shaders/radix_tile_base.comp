// Computes the index of the first key of each digit in the sorted row, for all passes: a group per
// pass and an invocation per digit add the histograms of radix_tile_histogram.comp.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = 256) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
layout(std430, binding = 1) buffer Counts { uint counts[]; };

shared uint start[256];

void main()
{
    int pass = int(gl_WorkGroupID.x), passes = int(gl_NumWorkGroups.x), digit = int(gl_LocalInvocationID.x);
    int share = int(PARAMETER(RADIX_P_SHARE)), groups = (int(PARAMETER(RADIX_P_RUNS)) + (1 << share) - 1) >> share;
    uint sum = 0u;
    for (int k = 0; k < groups; k++) {
        sum += counts[int(PARAMETER(RADIX_P_NEXT)) + (k * passes + pass) * 256 + digit];
    }
    start[digit] = sum;
    barrier();
    for (int reach = 1; reach < 256; reach *= 2) {
        precise uint add = digit >= reach ? start[digit - reach] : 0u; // precise: else Mesa may load after the barrier
        barrier();
        start[digit] += add;
        barrier();
    }
    counts[int(PARAMETER(RADIX_P_TOTALS)) + pass * 256 + digit] = start[digit] - sum;
}
