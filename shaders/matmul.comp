// Computes C = alpha A B, or alpha A B + beta C, for a batch of matrices. The rows of A and B are contiguous and consist of
// texels (four elements each); A_COLUMNS, B_COLUMNS: the columns are, instead. A has M rows of DEPTH texels, B WIDTH
// texels in each of K rows; the last texels may be padded, of A with zeros.
// Defines: T: the element type, T4: its vector of four; DOUBLE: a texel has two elements; family
// cpu: GROUP, ROWS per lane; family gpu: TILE: 64 or 128: a group of 2 TILE lanes computes TILE x TILE elements of C. Rows of C
// are PITCH elements apart; ADD: C is added to; FOURS: C has whole texels of floats. BLOCK: read
// through storage blocks; WORDS: read element by element, since rows or columns are not whole texels:
// bases, pitches and strides are in elements. BIAS: a vector is added to each row. RELU, SIGMOID or TANH: a function of
// the result; WHOLE: of integers.
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

#if defined(BIAS) && defined(BLOCK)
layout(std430, binding = 4) readonly buffer Bias { uint bias_in[]; };
#elif defined(BIAS)
layout(std430, binding = 2) readonly buffer Bias { uint bias_in[]; };
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

// A group computes TILE x TILE elements of C in steps of STEP elements of k. For each k of a step, shared memory has TILE
// elements of a column of A and of a row of B, in QUADS vectors. It has two steps: while one is multiplied, the next is
// loaded into registers, and then stored in the other half, so that a step needs one barrier. As in Volkov and Demmel
// (Benchmarking GPUs to tune dense linear algebra, 2008) and Nath, Tomov and Dongarra (An improved MAGMA GEMM for Fermi
// GPUs, 2010), the sums of a lane are in registers: 8 rows of TILE / 16 columns, in quads that are TILE / 2 and 64 apart.
#pragma optionNV(unroll all) // for NVIDIA: otherwise private arrays may be kept in memory. Other compilers ignore it
const int STEP = 16;
const int QUADS = TILE / 4, BUFFER = STEP * QUADS;
const int HALF = TILE / 8; // the distance of a lane's quads of rows

shared T4 rill_a[2 * BUFFER];
shared T4 rill_b[2 * BUFFER];

// Returns the index of a quad of the elements of A or B at 4 t of a step. Exchanging the quads lets eight lanes with
// all t and two quads store to different banks, without padding.
int quad_at(int t, int quad) { return 4 * t * QUADS + (quad ^ 2 * t); }

// Loads a block of 4 x 4 elements: four k from 4 t, and the rows of A in a quad, or the columns of B. x[i] is of k 4 t + i. Rows and
// columns after the last one repeat others. After the last k, all elements are 0.
T4[4] load_a(int from, int quad, int t)
{
    T4 x[4];
    for (int i = 0; i < 4; i++) {
#ifdef A_COLUMNS
        x[i] = 4 * t + i < min(4 * TO, K) ? TEXEL_A(from, 4 * t + i, min(quad, (M - 1) / 4)) : T4(0);
#else
        x[i] = t < TO ? TEXEL_A(from, min(4 * quad + i, M - 1), t) : T4(0);
#endif
    }
#ifdef A_COLUMNS
    return x;
#else
    return transposed(x);
#endif
}

T4[4] load_b(int from, int quad, int t)
{
    T4 x[4];
    for (int i = 0; i < 4; i++) {
#ifdef B_COLUMNS
        x[i] = t < TO ? TEXEL_B(from, min(4 * quad + i, N - 1), t) : T4(0);
#else
        x[i] = 4 * t + i < min(4 * TO, K) ? TEXEL_B(from, 4 * t + i, min(quad, WIDTH - 1)) : T4(0);
#endif
    }
#ifdef B_COLUMNS
    return transposed(x);
#else
    return x;
#endif
}

// Adjacent lanes load adjacent texels: of one line along k, or of lines across k.
#define ALONG_K(lane, quad, t) quad = (lane) >> 2, t = (lane) & 3
#define ACROSS_K(lane, quad, t) quad = (lane) % QUADS, t = (lane) / QUADS

// Adds the products of four rows and four columns for one k. Each line is a chain of multiply-adds.
#define ADD_QUAD(first, four_rows, four_columns)                                                     \
    sum[first] += (four_rows).x * (four_columns);                                                    \
    sum[first + 1] += (four_rows).y * (four_columns);                                                \
    sum[first + 2] += (four_rows).z * (four_columns);                                                \
    sum[first + 3] += (four_rows).w * (four_columns);
#if TILE == 128
#define ADD_RIGHT(i)                                                                                 \
    right = rill_b[b_at + i * QUADS + 16];                                                           \
    ADD_QUAD(8, upper, right)                                                                        \
    ADD_QUAD(12, lower, right)
#else
#define ADD_RIGHT(i)
#endif
#define ADD_K(i)                                                                                     \
    upper = rill_a[a_at + i * QUADS];                                                                \
    lower = rill_a[a_at + i * QUADS + HALF];                                                         \
    left = rill_b[b_at + i * QUADS];                                                                 \
    ADD_QUAD(0, upper, left)                                                                         \
    ADD_QUAD(4, lower, left)                                                                         \
    ADD_RIGHT(i)

void main()
{
    int tile_row, tile_column, a, b, c, lane = int(gl_LocalInvocationID.x);
    bool inside = find_part(group_number(), tile_row, tile_column, a, b, c);
    // The lane's first quads of rows and of columns. 16 lanes with consecutive indices read one quad of A per two lanes
    // and eight quads of B, which are 128 bytes of floats.
    int row = (lane >> 1 & 1) | (lane >> 3 & 2) | (lane >> 4 & 12), column = (lane & 1) | (lane >> 1 & 6) | (lane >> 2 & 8);
    int loader = lane % (GROUP / 2); // the first half of the lanes loads A, the second loads B
    bool loads_a = lane < GROUP / 2;
#ifdef A_COLUMNS
    int ACROSS_K(loader, a_quad, a_t);
#else
    int ALONG_K(loader, a_quad, a_t);
#endif
#ifdef B_COLUMNS
    int ALONG_K(loader, b_quad, b_t);
#else
    int ACROSS_K(loader, b_quad, b_t);
#endif
    T4 sum[TILE / 8];
    for (int j = 0; j < TILE / 8; j++) sum[j] = T4(0);
    int from = BUFFER, to = inside ? TO : FROM;
    // The first iteration loads only, the last one multiplies only.
    for (int k = FROM - STEP / 4; k < to; k += STEP / 4) {
        T4 next[4];
        bool more = k + STEP / 4 < to;
        if (more && loads_a) {
            next = load_a(a, tile_row * QUADS + a_quad, k + STEP / 4 + a_t);
        } else if (more) {
            next = load_b(b, tile_column * QUADS + b_quad, k + STEP / 4 + b_t);
        }
        if (k >= FROM) {
            for (int t = 0; t < STEP / 4; t++) {
                int a_at = from + quad_at(t, row), b_at = from + quad_at(t, column);
                T4 upper, lower, left, right;
                ADD_K(0)
                ADD_K(1)
                ADD_K(2)
                ADD_K(3)
            }
        }
        from ^= BUFFER;
        if (more && loads_a) {
            for (int i = 0; i < 4; i++) rill_a[from + quad_at(a_t, a_quad) + i * QUADS] = next[i];
        } else if (more) {
            for (int i = 0; i < 4; i++) rill_b[from + quad_at(b_t, b_quad) + i * QUADS] = next[i];
        }
        barrier();
    }
    for (int j = 0; j < TILE / 8 && inside; j++) {
        int quads = tile_row * QUADS + row + (j / 4 % 2) * HALF;
        add_four(c, 4 * quads + j % 4, 4 * (tile_column * QUADS + column + j / 8 * 16), sum[j]);
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
