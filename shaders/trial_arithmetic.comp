// Elementary operations on one case per invocation. STEPS comes from the host's list, which has the processor's form of each.
#include "shared/gpu_words.h"
#include "shared/parameters.glsl"
layout(local_size_x = 32) in;
layout(location = 0) uniform uvec4 rill_p[1];
layout(std430, binding = 1) writeonly buffer Results { uint results[]; };
layout(std430, binding = 2) readonly buffer Cases { uvec2 cases[]; };

uint high_word(uint a, uint b)
{
    uint high, low;
    umulExtended(a, b, high, low);
    return high;
}

uint flags(float x, float y)
{
    return uint(isnan(x)) | uint(x != x) << 1 | uint(isinf(x)) << 2 | uint(x < y) << 3 | uint(x >= y) << 4 |
           uint(x == y) << 5;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= PARAMETER(ARITHMETIC_P_CASES)) return;
    uint a = cases[i].x, b = cases[i].y, at = i * STEP_COUNT;
    float x = uintBitsToFloat(a), y = uintBitsToFloat(b);
    precise float product = x * y;
    STEPS
}
