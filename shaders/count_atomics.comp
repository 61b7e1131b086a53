// Counts by atomic additions, with up to BINS_SHARED bins first in shared memory of the group. Each
// invocation counts a fixed number of elements; adjacent elements go to adjacent invocations.
// Defines: GROUP, EACH; BINS_SHARED if the bins fit into shared memory; BLOCK: read through a
// storage block.
#include "shared/parameters.glsl"
#include "shared/count_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[COUNT_P_VECTORS];
#ifdef BLOCK
layout(std430, binding = 2) readonly buffer Numbers { uint numbers[]; };
#define LOAD(i) numbers[i]
#else
layout(binding = 0) uniform usamplerBuffer numbers;
#define LOAD(i) texelFetch(numbers, i).x
#endif
layout(std430, binding = 1) buffer Counts { uint counts[]; };

#define COUNT PARAMETER(COUNT_P_COUNT)
#define BINS PARAMETER(COUNT_P_BINS)
#define BASE PARAMETER(COUNT_P_BASE)

#ifdef BINS_SHARED
shared uint rill_s[BINS_SHARED];
#define TARGET rill_s
#else
#define TARGET counts
#endif

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x, local = gl_LocalInvocationID.x;
#ifdef BINS_SHARED
    for (uint k = local; k < BINS; k += uint(GROUP)) {
        rill_s[k] = 0u;
    }
    barrier();
#endif
    uint first = group * uint(GROUP * EACH);
    for (uint k = local; k < uint(GROUP * EACH); k += uint(GROUP)) {
        if (first < COUNT && k < COUNT - first) {
            uint bin = LOAD(int(BASE + first + k));
            if (bin < BINS) {
                atomicAdd(TARGET[bin], 1u);
            }
        }
    }
#ifdef BINS_SHARED
    barrier();
    for (uint k = local; k < BINS; k += uint(GROUP)) {
        if (rill_s[k] != 0u) {
            atomicAdd(counts[k], rill_s[k]);
        }
    }
#endif
}
