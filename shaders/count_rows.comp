// Counts elements in any number of bins: every lane adds a contiguous run of numbers to its own
// row, in order. Defines: GROUP; WEIGHTS: adds weights, in double, stored as two words (DOUBLE: the
// weights are doubles); BLOCK: read through storage blocks; PRIVATE: the largest number of bins,
// whose sums stay in private memory until the end of the run, which one dispatch covers.
#include "shared/parameters.glsl"
#include "shared/count_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[COUNT_P_VECTORS];
#ifdef BLOCK
layout(std430, binding = 2) readonly buffer Numbers { uint numbers[]; };
layout(std430, binding = 3) readonly buffer Weights { uint weights[]; };
#define LOAD(from, i) from[i]
#else
layout(binding = 0) uniform usamplerBuffer numbers;
layout(binding = 1) uniform usamplerBuffer weights;
#ifdef VECTORS
#define LOAD(from, i) texelFetch(from, int((i) / 4u))[int((i) % 4u)]
#else
#define LOAD(from, i) texelFetch(from, int(i)).x
#endif
#endif
#ifdef WEIGHTS
layout(std430, binding = 1) buffer Rows { double rows[]; };
#else
layout(std430, binding = 1) buffer Rows { uint rows[]; };
#endif

#define COUNT PARAMETER(COUNT_P_COUNT)
#define BINS PARAMETER(COUNT_P_BINS)
#define LANES PARAMETER(COUNT_P_LANES)
#define RUN PARAMETER(COUNT_P_RUN)
#define FROM PARAMETER(COUNT_P_FROM)
#define TO PARAMETER(COUNT_P_TO)
#define BASE PARAMETER(COUNT_P_BASE)
#define WEIGHT_BASE PARAMETER(COUNT_P_WEIGHT_BASE)

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

uint row;

// A number outside of the bins is counted in the last element of a row, which is not read.
#ifdef PRIVATE
double sums[PRIVATE + 1];
void put(uint bin, double w) { sums[min(bin, BINS)] += w; }
#elif defined(WEIGHTS)
void put(uint bin, double w) { rows[row + min(bin, BINS)] += w; }
#else
void put(uint bin) { rows[row + min(bin, BINS)]++; }
#endif

void main()
{
    uint lane = (gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * uint(GROUP) + gl_LocalInvocationID.x;
    if (lane < LANES) {
        uint first = lane * RUN, last = min(first + TO, COUNT), i = first + FROM;
        row = lane * (BINS + 1u);
#ifdef PRIVATE
        for (uint k = 0u; k <= BINS; k++) {
            sums[k] = 0.0lf;
        }
#endif
#ifdef VECTORS
        for (; i + 3u < last; i += 4u) {
            uvec4 bin = texelFetch(numbers, int((BASE + i) / 4u));
#ifdef WEIGHTS
            vec4 w = uintBitsToFloat(texelFetch(weights, int((WEIGHT_BASE + i) / 4u)));
            put(bin.x, double(w.x));
            put(bin.y, double(w.y));
            put(bin.z, double(w.z));
            put(bin.w, double(w.w));
#else
            put(bin.x);
            put(bin.y);
            put(bin.z);
            put(bin.w);
#endif
        }
#endif
        for (; i < last; i++) {
#ifdef WEIGHTS
            put(LOAD(numbers, BASE + i), weight(i));
#else
            put(LOAD(numbers, BASE + i));
#endif
        }
#ifdef PRIVATE
        for (uint k = 0u; k < BINS; k++) {
            rows[row + k] = sums[k];
        }
#endif
    }
}
