// Conditions on uniforms that change from launch to launch, and the word by which a launch tells that it is done.
#include "shared/fault_words.h"
layout(local_size_x = 8) in;
layout(location = 0) uniform uvec4 rill_p[2];
layout(std430, binding = RILL_FAULT_BINDING) coherent buffer Fault { uint rill_fault[RILL_FAULT_WORDS]; };
layout(std430, binding = 1) writeonly buffer Results { uint results[]; };

void main()
{
    uint i = gl_LocalInvocationID.x, at = rill_p[0].w * 8u + i;
#if PROGRAM == 2
    if (rill_p[0].x > 60u) {
        results[at] = 200u + rill_p[0].x;
    } else {
        results[at] = 200u + rill_p[0].x;
        results[ROUNDS * 8u + at] = i;
    }
#else
    // Stores in the branches keep compilers from making selections of them.
    if (rill_p[1].z != 0u) {
        results[at] = 100u * uint(PROGRAM) + rill_p[0].x;
    } else {
        results[at] = 7u;
        results[ROUNDS * 8u + at] = rill_p[0].x + i;
    }
#endif
    if (i == 0u) rill_fault[RILL_FAULT_ARGUMENT] = rill_p[0].w + 1u;
}
