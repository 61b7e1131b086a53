// Last pass of the transform of windows of real numbers. The first pass (fft_real_first.comp) stores rows p = 0 .. h of
// RADIX complex numbers for each window. Their transforms are the coefficients p + 2 h k of the window for k = 0 ..
// RADIX - 1. The conjugates of coefficients of the second half are those of the first half that no other p < h has.
// An invocation transforms one row. Defines: RADIX; LOW: see fft_twiddle.glsl; GROUP; BLOCK: read through storage blocks.
#include "shared/parameters.glsl"
#include "shared/fft_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[FFT_P_VECTORS];

#ifdef BLOCK
layout(std430, binding = 2) readonly buffer From { uvec4 from[]; };
layout(std430, binding = 3) readonly buffer Table { uvec4 table[]; };
#define LOAD(i) uintBitsToFloat(from[i])
#define FACTOR(i) table[i]
#else
layout(binding = 0) uniform usamplerBuffer from;
layout(binding = 1) uniform usamplerBuffer table;
#define LOAD(i) uintBitsToFloat(texelFetch(from, i))
#define FACTOR(i) texelFetch(table, i)
#endif
layout(std430, binding = 1) writeonly buffer To { uvec2 to[]; };

#define C vec2
#define W vec2

#include "shared/fft_complex.glsl"
#include "shared/fft_butterflies.glsl"
#include "shared/fft_radix.glsl"
#include "shared/fft_twiddle.glsl"

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint id = group * uint(GROUP) + gl_LocalInvocationID.x;
    if (id < PARAMETER(FFT_P_COLUMNS)) {
        int span = int(PARAMETER(FFT_P_SPAN)), step = 2 * span - 2;
        int batch = int(divide(id, PARAMETER(FFT_P_SPAN_M), PARAMETER(FFT_P_SPAN_S)));
        int p = int(id) - batch * span;
        C v[RADIX];
        for (int j = 0; j < RADIX / 2; j++) {
            vec4 a = LOAD(int(id) * (RADIX / 2) + j);
            v[2 * j] = a.xy;
            v[2 * j + 1] = a.zw;
        }
        twiddle(v, p);
        butterfly(v);
        int at = int(PARAMETER(FFT_P_TO)) + batch * (step * (RADIX / 2) + 1);
        for (int k = 0; k < RADIX / 2; k++) {
            to[at + p + k * step] = floatBitsToUint(v[k] * scale());
        }
        if (p < span - 1) {
            to[at + (RADIX / 2) * step - p] = floatBitsToUint(v[RADIX / 2] * C(scale(), -scale()));
        }
        { bool ok = p > 0 && p < span - 1;
            for (int k = RADIX / 2 + 1; k < RADIX; k++) {
                to[ok ? at + (RADIX - k) * step - p : at + p] = floatBitsToUint((ok ? v[k] * vec2(1,-1) : v[0]) * scale());
            }
        }
    }
}
