// Tests the driver: elementary operations, one case per invocation. The host's list generates STEPS
// and contains the same operations for the processor.
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

// Tests operations on numbers that the compiler knows to be 0. Returns one bit for each correct
// result. x is a number other than 0, or infinite.
uint zeros(float x)
{
    uint sign = floatBitsToUint(x) & 0x80000000u;
    precise float zero = 0.0, quotient = x / zero, product = x * 0.0, none = 0.0 / x, sum = uintBitsToFloat(sign) + zero,
                  rest = zero - uintBitsToFloat(sign), chosen = x > 0.0 ? 100.0 + x / zero : 7.0;
    precise double far = double(x) / 0.0lf, wide = double(x) * 0.0lf;
    return uint(isinf(quotient) && (quotient > 0.0) == (x > 0.0)) |
           uint(isinf(x) ? isnan(product) : floatBitsToUint(product) == sign) << 1 | uint(floatBitsToUint(none) == sign) << 2 |
           uint(floatBitsToUint(sum) == 0u) << 3 | uint(floatBitsToUint(rest) == 0u) << 4 |
           uint(x > 0.0 ? isinf(chosen) : chosen == 7.0) << 5 | uint(isinf(far) && (far > 0.0lf) == (x > 0.0)) << 6 |
           uint(isinf(x) ? isnan(wide) : unpackDouble2x32(wide).y == sign) << 7;
}

// Tests whether literals become the nearest doubles. Returns one bit each.
uint literals()
{
    return uint(unpackDouble2x32(0.1lf) == uvec2(0x9999999au, 0x3fb99999u)) |
           uint(unpackDouble2x32(3.141592653589793lf) == uvec2(0x54442d18u, 0x400921fbu)) << 1 |
           uint(unpackDouble2x32(1.1102230246251565e-16lf) == uvec2(0u, 0x3ca00000u)) << 2 |
           uint(unpackDouble2x32(1e300lf) == uvec2(0x8800759cu, 0x7e37e43cu)) << 3;
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
