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

#if RADIX == 32
// Returns v times a root of unity of order 32, given by the cosine and sine of its angle.
C turned(C v, R c, R s) { return v * c + turn(v) * s; }
#endif

void butterfly(inout C v[RADIX])
{
#if RADIX == 2
    butterfly2(v[0], v[1]);
#elif RADIX == 3
    butterfly3(v[0], v[1], v[2]);
#elif RADIX == 4
    butterfly4(v[0], v[1], v[2], v[3]);
#elif RADIX == 5
    butterfly5(v[0], v[1], v[2], v[3], v[4]);
#elif RADIX == 7
    butterfly7(v[0], v[1], v[2], v[3], v[4], v[5], v[6]);
#elif RADIX == 8
    butterfly8(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
#elif RADIX == 32
    butterfly4(v[0], v[8], v[16], v[24]);
    butterfly4(v[1], v[9], v[17], v[25]);
    butterfly4(v[2], v[10], v[18], v[26]);
    butterfly4(v[3], v[11], v[19], v[27]);
    butterfly4(v[4], v[12], v[20], v[28]);
    butterfly4(v[5], v[13], v[21], v[29]);
    butterfly4(v[6], v[14], v[22], v[30]);
    butterfly4(v[7], v[15], v[23], v[31]);
    v[9] = turned(v[9], cos32_1, sin32_1);
    v[10] = turned(v[10], cos16_1, sin16_1);
    v[11] = turned(v[11], cos32_3, sin32_3);
    v[12] = turned(v[12], cos8_1, cos8_1);
    v[13] = turned(v[13], sin32_3, cos32_3);
    v[14] = turned(v[14], sin16_1, cos16_1);
    v[15] = turned(v[15], sin32_1, cos32_1);
    v[17] = turned(v[17], cos16_1, sin16_1);
    v[18] = turned(v[18], cos8_1, cos8_1);
    v[19] = turned(v[19], sin16_1, cos16_1);
    v[20] = turn(v[20]);
    v[21] = turn(turned(v[21], cos16_1, sin16_1));
    v[22] = turn(turned(v[22], cos8_1, cos8_1));
    v[23] = turn(turned(v[23], sin16_1, cos16_1));
    v[25] = turned(v[25], cos32_3, sin32_3);
    v[26] = turned(v[26], sin16_1, cos16_1);
    v[27] = turn(turned(v[27], cos32_1, sin32_1));
    v[28] = turn(turned(v[28], cos8_1, cos8_1));
    v[29] = turn(turned(v[29], sin32_1, cos32_1));
    v[30] = -turned(v[30], cos16_1, sin16_1);
    v[31] = -turned(v[31], sin32_3, cos32_3);
    butterfly8(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
    butterfly8(v[8], v[9], v[10], v[11], v[12], v[13], v[14], v[15]);
    butterfly8(v[16], v[17], v[18], v[19], v[20], v[21], v[22], v[23]);
    butterfly8(v[24], v[25], v[26], v[27], v[28], v[29], v[30], v[31]);
    v = C[32](v[0], v[8], v[16], v[24], v[1], v[9], v[17], v[25], v[2], v[10], v[18], v[26], v[3], v[11], v[19], v[27],
              v[4], v[12], v[20], v[28], v[5], v[13], v[21], v[29], v[6], v[14], v[22], v[30], v[7], v[15], v[23], v[31]);
#else
    butterfly16(v);
#endif
}

// Number of twiddle factors in the table.
const int LISTED = LOW + (RADIX - 1) / (LOW + 1);

W factor(int column, int k)
{
#ifdef DOUBLE
    uvec4 t = FACTOR(column * LISTED + k);
    dvec2 w = dvec2(packDouble2x32(t.xy), packDouble2x32(t.zw));
    return dvec2(w.x, w.y * way());
#else
    int at = column * ((LISTED + 1) / 2) + k / 2;
    vec4 t = uintBitsToFloat(FACTOR(at));
    vec2 w = k % 2 == 0 ? t.xy : t.zw;
#ifdef LAST
    vec4 u = uintBitsToFloat(FACTOR(at + (LISTED + 1) / 2));
    vec2 x = k % 2 == 0 ? u.xy : u.zw;
    return vec4(w.x, w.y * way(), x.x, x.y * way());
#else
    return vec2(w.x, w.y * way());
#endif
#endif
}

// Written out, since some compilers do not unroll loops over these.
#define KEPT(j, k) v[j] = times(v[j], factor(column, k));
#define PRODUCT(j, a, b) v[j] = times(v[j], times(a, b));

void twiddle(inout C v[RADIX], int column)
{
#if RADIX == 2
    KEPT(1, 0)
#elif RADIX == 3
    KEPT(1, 0) KEPT(2, 1)
#elif RADIX == 4
    W w1 = factor(column, 0), w2 = factor(column, 1);
    v[1] = times(v[1], w1);
    v[2] = times(v[2], w2);
    PRODUCT(3, w1, w2)
#elif RADIX == 5
    KEPT(1, 0) KEPT(2, 1) KEPT(3, 2) KEPT(4, 3)
#else
    W w1 = factor(column, 0), w2 = factor(column, 1), w3 = factor(column, 2), w4 = factor(column, 3);
    v[1] = times(v[1], w1);
    v[2] = times(v[2], w2);
    v[3] = times(v[3], w3);
    v[4] = times(v[4], w4);
    PRODUCT(5, w4, w1) PRODUCT(6, w4, w2)
#if RADIX > 7
    PRODUCT(7, w4, w3)
#endif
#if RADIX >= 16
    W w8 = factor(column, 4), w12 = factor(column, 5);
    v[8] = times(v[8], w8);
    PRODUCT(9, w8, w1) PRODUCT(10, w8, w2) PRODUCT(11, w8, w3)
    v[12] = times(v[12], w12);
    PRODUCT(13, w12, w1) PRODUCT(14, w12, w2) PRODUCT(15, w12, w3)
#endif
#if RADIX == 32
    W w16 = factor(column, 6), w20 = factor(column, 7), w24 = factor(column, 8), w28 = factor(column, 9);
    v[16] = times(v[16], w16);
    PRODUCT(17, w16, w1) PRODUCT(18, w16, w2) PRODUCT(19, w16, w3)
    v[20] = times(v[20], w20);
    PRODUCT(21, w20, w1) PRODUCT(22, w20, w2) PRODUCT(23, w20, w3)
    v[24] = times(v[24], w24);
    PRODUCT(25, w24, w1) PRODUCT(26, w24, w2) PRODUCT(27, w24, w3)
    v[28] = times(v[28], w28);
    PRODUCT(29, w28, w1) PRODUCT(30, w28, w2) PRODUCT(31, w28, w3)
#endif
#endif
}

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
