// Replaces the counts of a digit in the tiles of a row by their exclusive prefix sums, and stores
// the sum of all. 2^s adjacent invocations process a digit; each sums consecutive tiles.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = 256) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
layout(std430, binding = 1) buffer Counts { uint counts[]; };

shared uint sums[256];

void main()
{
    int group = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x), t = int(gl_LocalInvocationID.x);
    int share = int(PARAMETER(RADIX_P_SHARE)), lanes = 1 << share, lane = t & (lanes - 1), column = (group * 256 + t) >> share;
    int tiles = column < 256 * int(PARAMETER(RADIX_P_ROWS)) ? int(PARAMETER(RADIX_P_RUNS)) : 0, own = (tiles + lanes - 1) >> share;
    int first = column * tiles + min(lane * own, tiles), last = column * tiles + min((lane + 1) * own, tiles);
    uint sum = 0u;
    for (int k = first; k < last; k++) {
        sum += counts[k];
    }
    sums[t] = sum;
    barrier();
    for (int reach = 1; reach < lanes; reach *= 2) {
        precise uint add = lane >= reach ? sums[t - reach] : 0u; // precise: else Mesa may load after the barrier
        barrier();
        sums[t] += add;
        barrier();
    }
    uint at = sums[t] - sum;
    for (int k = first; k < last; k++) {
        uint count = counts[k];
        counts[k] = at;
        at += count;
    }
    if (tiles > 0 && lane == lanes - 1) {
        counts[int(PARAMETER(RADIX_P_TOTALS)) + column] = at;
    }
}
