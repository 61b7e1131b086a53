// Copies a range of a buffer, or fills it with a pattern. Defines: UNIT (uvec4 or uint); FILL: fill
// with a pattern of BULK_P_PERIOD units. Unit i of the range becomes unit i % BULK_P_PERIOD of the
// pattern.
#include "shared/gpu_words.h"
#include "shared/parameters.glsl"
layout(local_size_x = BULK_GROUP) in;
layout(location = 0) uniform uvec4 rill_p[BULK_P_VECTORS];
layout(std430, binding = 1) writeonly buffer To { UNIT to[]; };
#ifndef FILL
layout(std430, binding = 2) readonly buffer From { UNIT from[]; };
#endif

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint at = group * BULK_GROUP * BULK_STEPS + gl_LocalInvocationID.x, count = PARAMETER(BULK_P_COUNT);
    UNIT value[BULK_STEPS];
    for (uint k = 0u; k < BULK_STEPS; k++) {
        uint i = at + k * BULK_GROUP;
#ifdef FILL
        value[k] = rill_p[BULK_P_PATTERN / 4u + i % PARAMETER(BULK_P_PERIOD)];
#else
        value[k] = i < count ? from[PARAMETER(BULK_P_FROM) + i] : UNIT(0u);
#endif
    }
    for (uint k = 0u; k < BULK_STEPS; k++) {
        uint i = at + k * BULK_GROUP;
        if (i < count) {
            to[PARAMETER(BULK_P_TO) + i] = value[k];
        }
    }
}
