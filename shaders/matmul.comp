// Computes C = alpha A B, or alpha A B + beta C, for a batch of matrices. The rows of A and B are contiguous and consist of
// texels (four elements each); A_COLUMNS, B_COLUMNS: the columns are, instead. A has M rows of DEPTH texels, B WIDTH
// texels in each of K rows; the last texels may be padded, of A with zeros.
// Defines: T: the element type, T4: its vector of four; DOUBLE: a texel has two elements; family
// cpu: GROUP, ROWS per lane; family gpu: TILE: 64 x 64 elements of C per group of 256. Rows of C
// are PITCH elements apart; ADD: C is added to; FOURS: C has whole texels of floats. BLOCK: read
// through storage blocks; WORDS: read element by element, since rows or columns are not whole texels:
// bases, pitches and strides are in elements. BIAS: a vector is added to each row (with BLOCK). RELU, SIGMOID or TANH: a
// function of the result; WHOLE: of integers.
// Fast arithmetic: nothing is precise here, so the compiler may contract products and sums, which a
// GPU needs for its speed.
#include "shared/parameters.glsl"
#include "shared/matmul_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[MATMUL_P_VECTORS];

#define M int(PARAMETER(MATMUL_P_M))
#define N int(PARAMETER(MATMUL_P_N))
#define DEPTH int(PARAMETER(MATMUL_P_DEPTH))
#define WIDTH int(PARAMETER(MATMUL_P_WIDTH))
#define K int(PARAMETER(MATMUL_P_K))
#define A_PITCH int(PARAMETER(MATMUL_P_A_PITCH))
#define B_PITCH int(PARAMETER(MATMUL_P_B_PITCH))
#define A_BASE int(PARAMETER(MATMUL_P_A_BASE))
#define B_BASE int(PARAMETER(MATMUL_P_B_BASE))
#define TILES_M PARAMETER(MATMUL_P_TILES_M)
#define TILES_N PARAMETER(MATMUL_P_TILES_N)
#define BATCH PARAMETER(MATMUL_P_BATCH)
#define RANK int(PARAMETER(MATMUL_P_RANK))
#define FROM int(PARAMETER(MATMUL_P_FROM))
#define TO int(PARAMETER(MATMUL_P_TO))
#define C_BASE int(PARAMETER(MATMUL_P_C_BASE))
#define PITCH int(PARAMETER(MATMUL_P_PITCH))
#define FLAT (PARAMETER(MATMUL_P_FLAT) != 0u)

#ifdef BIAS
layout(std430, binding = 4) readonly buffer Bias { uint bias_in[]; };
#endif
#ifdef WORDS
layout(std430, binding = 2) readonly buffer A { uint a_in[]; };
layout(std430, binding = 3) readonly buffer B { uint b_in[]; };
#elif defined(BLOCK)
layout(std430, binding = 2) readonly buffer A { uvec4 a_in[]; };
layout(std430, binding = 3) readonly buffer B { uvec4 b_in[]; };
#define LOAD_A(i) a_in[i]
#define LOAD_B(i) b_in[i]
#else
layout(binding = 0) uniform usamplerBuffer a_in;
layout(binding = 1) uniform usamplerBuffer b_in;
#define LOAD_A(i) texelFetch(a_in, i)
#define LOAD_B(i) texelFetch(b_in, i)
#endif
#ifdef FOURS
layout(std430, binding = 1) buffer C { uvec4 c_fours[]; };
#else
layout(std430, binding = 1) buffer C { uint c_out[]; };
#endif

#if defined(DOUBLE) && !defined(WORDS)
T4 four(uvec4 p, uvec4 q)
{
    return T4(packDouble2x32(p.xy), packDouble2x32(p.zw), packDouble2x32(q.xy), packDouble2x32(q.zw));
}
#define LOADED_A(i) four(LOAD_A(2 * (i)), LOAD_A(2 * (i) + 1))
#define LOADED_B(i) four(LOAD_B(2 * (i)), LOAD_B(2 * (i) + 1))
#else
#define LOADED_A(i) FROM_BITS(LOAD_A(i))
#define LOADED_B(i) FROM_BITS(LOAD_B(i))
#endif

// TEXEL_A(from, line, t): texel t of a line of A. The elements after the end of a line along k are 0.
#ifdef WORDS
#ifdef DOUBLE
#define ELEMENT(in, at) packDouble2x32(uvec2(in[2 * (at)], in[2 * (at) + 1]))
#else
#define ELEMENT(in, at) FROM_BITS(uvec4(in[at])).x
#endif
// Defines a function that reads a texel from a line of `length` elements.
#define READER(name, in, pitch, length, along_k)                                                     \
    T4 name(int from, int line, int t)                                                               \
    {                                                                                                \
        T4 x;                                                                                        \
        for (int i = 0; i < 4; i++) {                                                                \
            T value = ELEMENT(in, from + line * (pitch) + min(4 * t + i, (length) - 1));             \
            x[i] = !along_k || 4 * t + i < (length) ? value : T(0);                                  \
        }                                                                                            \
        return x;                                                                                    \
    }
#ifdef A_COLUMNS
READER(texel_a, a_in, A_PITCH, M, false)
#else
READER(texel_a, a_in, A_PITCH, K, true)
#endif
#ifdef B_COLUMNS
READER(texel_b, b_in, B_PITCH, K, true)
#else
READER(texel_b, b_in, B_PITCH, N, false)
#endif
#define TEXEL_A(from, line, t) texel_a(from, line, t)
#define TEXEL_B(from, line, t) texel_b(from, line, t)
#else
#define TEXEL_A(from, line, t) LOADED_A((from) + (line) * A_PITCH + (t))
#define TEXEL_B(from, line, t) LOADED_B((from) + (line) * B_PITCH + (t))
#endif

// Loads texel `texel` of lines 4 k .. 4 k + 3 across k. Lines after the last one are 0.
#define LOAD_ACROSS(TEXEL, from, k, texel, x)                                                        \
    for (int i = 0; i < 4; i++) {                                                                    \
        T4 across = TEXEL(from, min(4 * (k) + i, K - 1), texel);                                     \
        x[i] = 4 * (k) + i < K ? across : T4(0);                                                     \
    }

T4[4] transposed(T4 x[4])
{
    return T4[4](T4(x[0].x, x[1].x, x[2].x, x[3].x), T4(x[0].y, x[1].y, x[2].y, x[3].y), T4(x[0].z, x[1].z, x[2].z, x[3].z),
                 T4(x[0].w, x[1].w, x[2].w, x[3].w));
}

uint group_number() { return gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x; }

// Finds the tile and the product with a number. Tiles are numbered down columns of tiles.
bool find_part(uint number, out int row, out int column, out int a, out int b, out int c)
{
    uint strip = number / TILES_M, item = strip / TILES_N;
    row = int(number - strip * TILES_M);
    column = int(strip - item * TILES_N);
    a = A_BASE;
    b = B_BASE;
    c = C_BASE;
    bool inside = item < BATCH;
    for (int d = 0; d < RANK; d++) {
        uvec4 dimension = rill_p[MATMUL_P_BATCHES + d]; // size, strides of A and of B in texels, of C in elements
        uint next = item / dimension.x, index = item - next * dimension.x;
        a += int(index * dimension.y);
        b += int(index * dimension.z);
        c += int(index * dimension.w);
        item = next;
    }
    return inside;
}

#ifndef FOURS
void store(int at, T value)
{
#ifdef DOUBLE
    uvec2 words = unpackDouble2x32(value);
    c_out[2 * at] = words.x;
    c_out[2 * at + 1] = words.y;
#else
    c_out[at] = TO_BITS(value);
#endif
}

T stored(int at)
{
#ifdef DOUBLE
    return packDouble2x32(uvec2(c_out[2 * at], c_out[2 * at + 1]));
#else
    return FROM_BITS(uvec4(c_out[at])).x;
#endif
}
#endif

T factor(uint word)
{
#ifdef DOUBLE
    return packDouble2x32(uvec2(PARAMETER(word), PARAMETER(word + 1u)));
#else
    return FROM_BITS(uvec4(PARAMETER(word))).x;
#endif
}

// Returns alpha times the sums plus the previous value. The first dispatch uses beta times the
// value of C, later ones use the result of the dispatch before.
#ifdef ADD
#define TOTAL(more, old) ((FROM != 0 ? T(1) : factor(MATMUL_P_BETA)) * (old) + (more))
#else
#define TOTAL(more, old) (more)
#endif

#ifdef BIAS
T bias(int column)
{
    int at = int(PARAMETER(MATMUL_P_BIAS_BASE)) + min(column, N - 1);
#ifdef DOUBLE
    return packDouble2x32(uvec2(bias_in[2 * at], bias_in[2 * at + 1]));
#else
    return FROM_BITS(uvec4(bias_in[at])).x;
#endif
}
#define BIASED(four, column) ((four) + T4(bias(column), bias((column) + 1), bias((column) + 2), bias((column) + 3)))
#else
#define BIASED(four, column) (four)
#endif

// NaN is kept.
T activated(T x)
{
#if defined(RELU) && defined(WHOLE)
    return max(x, T(0));
#elif defined(RELU)
    return isnan(x) ? x : max(x, T(0));
#elif defined(SIGMOID)
    return T(1) / (T(1) + exp(-x));
#elif defined(TANH)
    return isnan(x) ? x : tanh(clamp(x, T(-20), T(20)));
#else
    return x;
#endif
}
#define ACTIVATED(four) T4(activated((four).x), activated((four).y), activated((four).z), activated((four).w))

// Stores four consecutive elements of a row.
void add_four(int c, int row, int column, T4 sum)
{
    T4 more = factor(MATMUL_P_ALPHA) * sum;
    int at = c + row * PITCH + column;
#ifdef FOURS
    if (row < M && column < N) {
        T4 all = BIASED(TOTAL(more, uintBitsToFloat(c_fours[at / 4])), column);
        c_fours[at / 4] = floatBitsToUint(ACTIVATED(all));
    }
#else
    more = BIASED(more, column);
    for (int j = 0; j < 4; j++) {
        if (row < M && column + j < N) {
            store(at + j, activated(TOTAL(more[j], stored(at + j))));
        }
    }
#endif
}

#ifdef TILE

// 64 rows of four texels, or 16 columns of sixteen; 16 rows of sixteen, or 64 columns of four, which are one texel apart for the sake of
// memory banks.
shared T4 rill_a[256];
#ifdef B_COLUMNS
shared T4 rill_b[64 * 5];
#else
shared T4 rill_b[256];
#endif

void main()
{
    int row, column, a, b, c, local = int(gl_LocalInvocationID.x);
    bool inside = find_part(group_number(), row, column, a, b, c);
    int first_row = row * 64, first = column * 16; // first: a texel in the rows of B
    int mine = local >> 4, at = local & 15;        // four rows of C, and one texel of each
    T4 sum[4] = T4[4](T4(0), T4(0), T4(0), T4(0));
    for (int k = FROM; k < TO; k += 4) {
        // Four texels of k, or sixteen lines of k.
        int quarter = local >> 2, t = k + (local & 3), s = 4 * k + mine;
#ifdef A_COLUMNS
        rill_a[local] = inside && s < min(4 * TO, K) && first_row + 4 * at < M
                            ? TEXEL_A(a, s, first_row / 4 + at)
                            : T4(0);
#else
        rill_a[local] = inside && first_row + quarter < M && t < TO ? TEXEL_A(a, first_row + quarter, t) : T4(0);
#endif
#ifdef B_COLUMNS
        rill_b[5 * quarter + (local & 3)] = inside && t < TO && 4 * first + quarter < N
                                                ? TEXEL_B(b, 4 * first + quarter, t)
                                                : T4(0);
#else
        rill_b[local] = inside && s < min(4 * TO, K) && first + at < WIDTH ? TEXEL_B(b, s, first + at) : T4(0);
#endif
        barrier();
        for (int i = 0; i < 4; i++) {
            T4 x[4], y[4];
            for (int j = 0; j < 4; j++) {
#ifdef A_COLUMNS
                x[j] = rill_a[(4 * i + j) * 16 + mine];
#else
                x[j] = rill_a[(mine * 4 + j) * 4 + i];
#endif
#ifdef B_COLUMNS
                y[j] = rill_b[(at * 4 + j) * 5 + i];
#else
                y[j] = rill_b[(4 * i + j) * 16 + at];
#endif
            }
#ifdef A_COLUMNS
            x = transposed(x);
#endif
#ifdef B_COLUMNS
            y = transposed(y);
#endif
            for (int j = 0; j < 4; j++) {
                sum[j] += x[j].x * y[0] + x[j].y * y[1] + x[j].z * y[2] + x[j].w * y[3];
            }
        }
        barrier();
    }
    for (int j = 0; j < 4 && inside; j++) {
        add_four(c, first_row + mine * 4 + j, (first + at) * 4, sum[j]);
    }
}

#else

void main()
{
    int row, column, a, b, c, width = WIDTH, to = TO;
    uint number = group_number(), lane = gl_LocalInvocationID.x;
    if (FLAT) {
        number = number * uint(GROUP) + lane;
        lane = number % uint(width);
        number /= uint(width);
    }
    bool inside = find_part(number, row, column, a, b, c);
    int texel = column * GROUP + int(lane);
    if (inside && texel < width) {
        T4 sum[ROWS];
        int at[ROWS]; // of rows, or of groups of four rows
        for (int j = 0; j < ROWS; j++) {
            sum[j] = T4(0);
#ifdef A_COLUMNS
            at[j] = min(row * (ROWS / 4) + j, (M + 3) / 4 - 1);
#else
            at[j] = min(row * ROWS + j, M - 1);
#endif
        }
        for (int k = FROM; k < to; k++) {
            T4 x[4], y[4];
#ifdef B_COLUMNS
            for (int i = 0; i < 4; i++) y[i] = TEXEL_B(b, min(4 * texel + i, N - 1), k);
            y = transposed(y);
#else
            LOAD_ACROSS(TEXEL_B, b, k, texel, y)
#endif
            for (int j = 0; j < ROWS; j++) {
#ifdef A_COLUMNS
                if (j % 4 == 0) {
                    LOAD_ACROSS(TEXEL_A, a, k, at[j / 4], x)
                    x = transposed(x);
                }
#else
                x[j % 4] = TEXEL_A(a, at[j], k);
#endif
                sum[j] += x[j % 4].x * y[0];
                sum[j] += x[j % 4].y * y[1];
                sum[j] += x[j % 4].z * y[2];
                sum[j] += x[j % 4].w * y[3];
            }
        }
        for (int j = 0; j < ROWS; j++) {
            add_four(c, row * ROWS + j, texel * 4, sum[j]);
        }
    }
}

#endif
