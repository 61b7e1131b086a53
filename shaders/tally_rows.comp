// Any number of bins: every lane adds what its contiguous run of numbers brings to a row of its own, in order. Defines: GROUP;
// WEIGHTS: what is added are weights, in double, kept as two words (DOUBLE: they come as such); BLOCK to read through storage blocks.
#include "shared/parameters.glsl"
#include "shared/tally_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[TALLY_P_VECTORS];
#ifdef BLOCK
layout(std430, binding = 2) readonly buffer Numbers { uint numbers[]; };
layout(std430, binding = 3) readonly buffer Weights { uint weights[]; };
#define LOAD(from, i) from[i]
#else
layout(binding = 0) uniform usamplerBuffer numbers;
layout(binding = 1) uniform usamplerBuffer weights;
#define LOAD(from, i) texelFetch(from, int(i)).x
#endif
layout(std430, binding = 1) buffer Rows { uint rows[]; };

#define COUNT PARAMETER(TALLY_P_COUNT)
#define BINS PARAMETER(TALLY_P_BINS)
#define LANES PARAMETER(TALLY_P_LANES)
#define RUN PARAMETER(TALLY_P_RUN)
#define FROM PARAMETER(TALLY_P_FROM)
#define TO PARAMETER(TALLY_P_TO)
#define BASE PARAMETER(TALLY_P_BASE)
#define WEIGHT_BASE PARAMETER(TALLY_P_WEIGHT_BASE)

#ifdef WEIGHTS
double weight(uint i)
{
#ifdef DOUBLE
    i = WEIGHT_BASE + 2u * i;
    return packDouble2x32(uvec2(LOAD(weights, i), LOAD(weights, i + 1u)));
#else
    return double(uintBitsToFloat(LOAD(weights, WEIGHT_BASE + i)));
#endif
}
#endif

void main()
{
    uint lane = (gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * uint(GROUP) + gl_LocalInvocationID.x;
    if (lane < LANES) {
        uint first = lane * RUN, last = min(first + TO, COUNT);
        for (uint i = first + FROM; i < last; i++) {
            uint bin = LOAD(numbers, BASE + i);
            if (bin < BINS) {
#ifdef WEIGHTS
                uint at = (lane * BINS + bin) * 2u;
                uvec2 words = unpackDouble2x32(packDouble2x32(uvec2(rows[at], rows[at + 1u])) + weight(i));
                rows[at] = words.x;
                rows[at + 1u] = words.y;
#else
                rows[lane * BINS + bin]++;
#endif
            }
        }
    }
}
