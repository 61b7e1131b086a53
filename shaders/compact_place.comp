// Exclusive sums of the counts of all parts, in place; behind them how many elements are kept, and how many are not. One group.
// Defines: GROUP invocations; STEP elements per part.
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[1];
#include "shared/mask.glsl"
layout(std430, binding = 1) buffer Counts { uint counts[]; };

#if GROUP > 1
shared uint sums[GROUP];
#endif

void main()
{
    uint n = elements(rill_p[0].x, rill_p[0].w), step = rill_p[0].y, most = rill_p[0].z;
    uint parts = (n + step - 1u) / step, me = gl_LocalInvocationID.x;
    uint run = (parts + uint(GROUP) - 1u) / uint(GROUP), first = me * run, end = min(first + run, parts);
    uint sum = 0u;
#if GROUP > 1
    for (uint i = first; i < end; i++) sum += counts[i];
    sums[me] = sum;
    barrier();
    for (uint reach = 1u; reach < uint(GROUP); reach *= 2u) {
        uint before = me >= reach ? sums[me - reach] : 0u;
        barrier();
        sums[me] += before;
        barrier();
    }
    sum = sums[me] - sum;
#endif
    for (uint i = first; i < end; i++) {
        uint own = counts[i];
        counts[i] = sum;
        sum += own;
    }
    if (me == uint(GROUP) - 1u) {
        counts[most] = sum;
        counts[most + 1u] = n - sum;
    }
}
