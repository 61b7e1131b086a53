// Tests the driver: conditions on uniforms that change from launch to launch, and the word in which
// a launch reports its end.
#include "shared/fault_words.h"
#include "shared/gpu_words.h"
#include "shared/parameters.glsl"
layout(local_size_x = 8) in;
layout(location = 0) uniform uvec4 rill_p[CONDITION_P_VECTORS];
layout(std430, binding = RILL_FAULT_BINDING) coherent buffer Fault { uint rill_fault[RILL_FAULT_WORDS]; };
layout(std430, binding = 1) writeonly buffer Results { uint results[]; };

void main()
{
    uint i = gl_LocalInvocationID.x, at = PARAMETER(CONDITION_P_ROUND) * 8u + i;
#if PROGRAM == 2
    if (PARAMETER(CONDITION_P_VALUE) > 60u) {
        results[at] = 200u + PARAMETER(CONDITION_P_VALUE);
    } else {
        results[at] = 200u + PARAMETER(CONDITION_P_VALUE);
        results[ROUNDS * 8u + at] = i;
    }
#else
    // Stores in the branches keep compilers from replacing them by selections.
    if (PARAMETER(CONDITION_P_TAKEN) != 0u) {
        results[at] = 100u * uint(PROGRAM) + PARAMETER(CONDITION_P_VALUE);
    } else {
        results[at] = 7u;
        results[ROUNDS * 8u + at] = PARAMETER(CONDITION_P_VALUE) + i;
    }
#endif
    if (i == 0u) rill_fault[RILL_FAULT_ARGUMENT] = PARAMETER(CONDITION_P_ROUND) + 1u;
}
