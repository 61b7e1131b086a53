// One pass of Stockham's transform. x has m x RADIX x stride elements, y has RADIX x m x stride
// elements. y[k, p, q] is the sum over j of x[p, j, q] r^(j p) w^(j k), where w is a root of unity
// of order RADIX and r one of order RADIX m. An invocation computes all k for one p and q, so that
// adjacent invocations store adjacent elements, and load adjacent elements if stride is more than
// 1. Defines: RADIX; one of DOUBLE, PAIR (two consecutive q, one texel, at once), LAST (two
// consecutive p, if stride is 1), or none; LOW: twiddle factors 1 to LOW and the multiples of LOW +
// 1 are in the table, the others are products; GROUP; BLOCK: read through storage blocks.
// Fast arithmetic: nothing is precise here, so the compiler may contract products and sums, which a
// GPU needs for its speed.
#include "shared/parameters.glsl"
#include "shared/fft_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[FFT_P_VECTORS];

#if defined(DOUBLE) || defined(PAIR) || defined(LAST)
#define UNIT uvec4
#else
#define UNIT uint
#endif

#ifdef BLOCK
layout(std430, binding = 2) readonly buffer From { UNIT from[]; };
layout(std430, binding = 3) readonly buffer Table { uvec4 table[]; };
#define LOAD(i) from[i]
#define FACTOR(i) table[i]
#else
layout(binding = 0) uniform usamplerBuffer from;
layout(binding = 1) uniform usamplerBuffer table;
#define LOAD(i) texelFetch(from, i)
#define FACTOR(i) texelFetch(table, i)
#endif
layout(std430, binding = 1) writeonly buffer To { UNIT to[]; };

// C: the elements of an invocation. W: their twiddle factors.
#if defined(DOUBLE)
#define W dvec2
#define C dvec2
#elif defined(PAIR)
#define W vec2
#define C vec4
#elif defined(LAST)
#define W vec4
#define C vec4
#else
#define W vec2
#define C vec2
#endif

#include "shared/fft_complex.glsl"
#include "shared/fft_butterflies.glsl"

#include "shared/fft_radix.glsl"
#include "shared/fft_twiddle.glsl"

C load(int at)
{
#if defined(DOUBLE)
    uvec4 t = LOAD(at);
    return dvec2(packDouble2x32(t.xy), packDouble2x32(t.zw));
#elif defined(PAIR) || defined(LAST)
    return uintBitsToFloat(LOAD(at));
#elif defined(BLOCK)
    return vec2(uintBitsToFloat(LOAD(2 * at)), uintBitsToFloat(LOAD(2 * at + 1)));
#else
    return uintBitsToFloat(uvec2(LOAD(2 * at).x, LOAD(2 * at + 1).x));
#endif
}

void store(int at, C v)
{
    v *= scale();
#if defined(DOUBLE)
    to[at] = uvec4(unpackDouble2x32(v.x), unpackDouble2x32(v.y));
#elif defined(PAIR) || defined(LAST)
    to[at] = floatBitsToUint(v);
#else
    to[2 * at] = floatBitsToUint(v.x);
    to[2 * at + 1] = floatBitsToUint(v.y);
#endif
}

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint id = group * uint(GROUP) + gl_LocalInvocationID.x;
    if (id < PARAMETER(FFT_P_COLUMNS)) {
        int span = int(PARAMETER(FFT_P_SPAN)), stride = int(PARAMETER(FFT_P_STRIDE));
        int batch = int(divide(id, PARAMETER(FFT_P_SPAN_M), PARAMETER(FFT_P_SPAN_S)));
        int column = int(id) - batch * span, first = int(id) + batch * span * (RADIX - 1);
        C v[RADIX];
#ifdef LAST
        int source = int(PARAMETER(FFT_P_FROM)) + first + column * (RADIX - 1);
        for (int j = 0; j < RADIX / 2; j++) {
            C a = load(source + j), b = load(source + RADIX / 2 + j);
            v[2 * j] = C(a.xy, b.xy);
            v[2 * j + 1] = C(a.zw, b.zw);
        }
        twiddle(v, 2 * column);
#else
        int p = int(divide(uint(column), PARAMETER(FFT_P_STRIDE_M), PARAMETER(FFT_P_STRIDE_S)));
        int source = int(PARAMETER(FFT_P_FROM)) + first + p * stride * (RADIX - 1);
        for (int j = 0; j < RADIX; j++) {
            v[j] = load(source + j * stride);
        }
        twiddle(v, p);
#endif
        butterfly(v);
        for (int k = 0; k < RADIX; k++) {
            store(int(PARAMETER(FFT_P_TO)) + first + k * span, v[k]);
        }
    }
}
