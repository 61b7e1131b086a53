// Sums the histograms of a row's runs: every invocation sums four digits of one row.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = 8) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
layout(std430, binding = 1) writeonly buffer Totals { uvec4 totals[]; };
layout(binding = 0) uniform usamplerBuffer counts;

void main()
{
    int number = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * 8u + gl_LocalInvocationID.x);
    int runs = int(PARAMETER(RADIX_P_RUNS)), row = number >> 6;
    uvec4 sum = uvec4(0u);
    for (int k = 0; k < runs; k++) {
        sum += texelFetch(counts, ((row * runs + k) << 6) + (number & 63));
    }
    if (row < int(PARAMETER(RADIX_P_ROWS))) {
        totals[number] = sum;
    }
}
