// Turns the histograms of a row's runs into the indices at which each run stores its first key of
// each digit.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = 8) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
layout(std430, binding = 1) writeonly buffer Offsets { uvec4 offsets[]; };
layout(binding = 0) uniform usamplerBuffer counts;
layout(binding = 1) uniform usamplerBuffer totals;

void main()
{
    int number = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * 8u + gl_LocalInvocationID.x);
    int runs = int(PARAMETER(RADIX_P_RUNS)), row = number >> 6;
    if (row >= int(PARAMETER(RADIX_P_ROWS))) {
        return;
    }
    uint before = (uint(row) + PARAMETER(RADIX_P_FIRST_ROW)) * PARAMETER(RADIX_P_LENGTH);
    for (int k = row << 6; k < number; k++) {
        uvec4 t = texelFetch(totals, k);
        before += t.x + t.y + t.z + t.w;
    }
    uvec4 own = texelFetch(totals, number), at = uvec4(before);
    at.y += own.x;
    at.z += own.x + own.y;
    at.w += own.x + own.y + own.z;
    for (int k = 0; k < runs; k++) {
        int place = ((row * runs + k) << 6) + (number & 63);
        offsets[place] = at;
        at += texelFetch(counts, place);
    }
}
