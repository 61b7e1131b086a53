// First pass of the transform of windows of real numbers, whose length is 2 RADIX M: for each q < M, the transform of
// the 2 RADIX samples that are M apart from sample q on. Pairs of samples are RADIX complex numbers, and `split` computes
// the spectrum of the samples, times 2. y[k, q] is stored for k = 0 .. RADIX; the other half is conjugate. An invocation
// computes four adjacent q, the samples of a texel. Defines: RADIX; WEIGHTED: samples are multiplied by weights;
// GROUP; BLOCK: read through storage blocks. Fast arithmetic, as in fft_pass.comp.
#include "shared/parameters.glsl"
#include "shared/fft_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[FFT_P_VECTORS];

#ifdef BLOCK
layout(std430, binding = 2) readonly buffer From { uvec4 from[]; };
layout(std430, binding = 3) readonly buffer Weights { uvec4 weights[]; };
#define LOAD(i) uintBitsToFloat(from[i])
#define WEIGHT(i) uintBitsToFloat(weights[i])
#else
layout(binding = 0) uniform usamplerBuffer from;
layout(binding = 1) uniform usamplerBuffer weights;
#define LOAD(i) uintBitsToFloat(texelFetch(from, i))
#define WEIGHT(i) uintBitsToFloat(texelFetch(weights, i))
#endif
layout(std430, binding = 1) writeonly buffer To { uvec4 to[]; };

// Two complex numbers, of two q.
#define C vec4

#include "shared/fft_complex.glsl"
#include "shared/fft_butterflies.glsl"
#include "shared/fft_radix.glsl"

C conjugate(C a) { return C(a.x, -a.y, a.z, -a.w); }

// Computes the coefficients k and RADIX - k. c, s: cosine and sine of k / (2 RADIX) of a turn.
#define SPLIT(k, c, s) \
    a = v[k]; \
    b = conjugate(v[RADIX - k]); \
    v[k] = a + b; \
    a = turned(turn(a - b), c, s); \
    b = v[k]; \
    v[k] = b + a; \
    v[RADIX - k] = conjugate(b - a);

// Replaces the transform of pairs by coefficients 0 .. RADIX - 1, and returns the last one, all times 2.
C split(inout C v[RADIX])
{
    C a = 2.0 * v[0], b;
    C last = C(a.x - a.y, 0.0, a.z - a.w, 0.0);
    v[0] = C(a.x + a.y, 0.0, a.z + a.w, 0.0);
    v[RADIX / 2] = 2.0 * conjugate(v[RADIX / 2]);
#if RADIX == 8
    SPLIT(1, cos16_1, sin16_1) SPLIT(2, cos8_1, cos8_1) SPLIT(3, sin16_1, cos16_1)
#elif RADIX == 16
    SPLIT(1, cos32_1, sin32_1) SPLIT(2, cos16_1, sin16_1) SPLIT(3, cos32_3, sin32_3) SPLIT(4, cos8_1, cos8_1)
    SPLIT(5, sin32_3, cos32_3) SPLIT(6, sin16_1, cos16_1) SPLIT(7, sin32_1, cos32_1)
#else
    SPLIT(1, cos64_1, sin64_1) SPLIT(2, cos32_1, sin32_1) SPLIT(3, cos64_3, sin64_3) SPLIT(4, cos16_1, sin16_1)
    SPLIT(5, cos64_5, sin64_5) SPLIT(6, cos32_3, sin32_3) SPLIT(7, cos64_7, sin64_7) SPLIT(8, cos8_1, cos8_1)
    SPLIT(9, sin64_7, cos64_7) SPLIT(10, sin32_3, cos32_3) SPLIT(11, sin64_5, cos64_5) SPLIT(12, sin16_1, cos16_1)
    SPLIT(13, sin64_3, cos64_3) SPLIT(14, sin32_1, cos32_1) SPLIT(15, sin64_1, cos64_1)
#endif
    return last;
}

// Transforms two columns and stores them from texel `at` on, `row` texels apart.
void finish(C v[RADIX], int at, int row)
{
    butterfly(v);
    C last = split(v);
    for (int k = 0; k < RADIX; k++) {
        to[at + k * row] = floatBitsToUint(v[k]);
    }
    to[at + RADIX * row] = floatBitsToUint(last);
}

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint id = group * uint(GROUP) + gl_LocalInvocationID.x;
    if (id < PARAMETER(FFT_P_COLUMNS)) {
        int span = int(PARAMETER(FFT_P_SPAN));
        int batch = int(divide(id, PARAMETER(FFT_P_SPAN_M), PARAMETER(FFT_P_SPAN_S)));
        int column = int(id) - batch * span, frame = batch + int(PARAMETER(FFT_P_FIRST));
        int row = int(divide(uint(frame), PARAMETER(FFT_P_COUNT_M), PARAMETER(FFT_P_COUNT_S)));
        int source = int(PARAMETER(FFT_P_FROM)) + row * int(PARAMETER(FFT_P_ROW)) +
                     (frame - row * int(PARAMETER(FFT_P_COUNT))) * int(PARAMETER(FFT_P_HOP)) + column;
        C u[RADIX], v[RADIX];
        for (int j = 0; j < RADIX; j++) {
            vec4 a = LOAD(source + 2 * j * span), b = LOAD(source + (2 * j + 1) * span);
#ifdef WEIGHTED
            a *= WEIGHT(column + 2 * j * span);
            b *= WEIGHT(column + (2 * j + 1) * span);
#endif
            u[j] = C(a.x, b.x, a.y, b.y);
            v[j] = C(a.z, b.z, a.w, b.w);
        }
        int at = batch * (RADIX + 1) * 2 * span + 2 * column;
        finish(u, at, 2 * span);
        finish(v, at + 1, 2 * span);
    }
}
