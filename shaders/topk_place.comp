// Turns the counts of runs into indices: an exclusive scan of pairs by one group, with the sums
// after the last pair.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = 256) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
layout(std430, binding = 1) buffer Counts { uvec2 counts[]; };

shared uvec2 sums[256];

void main()
{
    int t = int(gl_LocalInvocationID.x), runs = int(PARAMETER(RADIX_P_RUNS)), own = (runs + 255) / 256;
    int first = min(t * own, runs), last = min(first + own, runs);
    uvec2 sum = uvec2(0u);
    for (int k = first; k < last; k++) {
        sum += counts[k];
    }
    sums[t] = sum;
    barrier();
    for (int reach = 1; reach < 256; reach *= 2) {
        precise uvec2 add = t >= reach ? sums[t - reach] : uvec2(0u); // precise: else Mesa may load after the barrier
        barrier();
        sums[t] += add;
        barrier();
    }
    uvec2 at = sums[t] - sum;
    for (int k = first; k < last; k++) {
        uvec2 count = counts[k];
        counts[k] = at;
        at += count;
    }
    if (t == 255) {
        counts[runs] = at;
    }
}
