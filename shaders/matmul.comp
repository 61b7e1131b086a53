// Computes C = alpha A B, or alpha A B + beta C, for a batch of matrices. A consists of dense rows
// of DEPTH texels (four elements each, padded with zeros), B of dense rows of WIDTH texels.
// Defines: T: the element type, T4: its vector of four; DOUBLE: a texel has two elements; family
// cpu: GROUP, ROWS per lane; family gpu: TILE: 64 x 64 elements of C per group of 256. Rows of C
// are PITCH elements apart; ADD: C is added to; FOURS: C has whole texels of floats. BLOCK: read
// through storage blocks.
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

#ifdef BLOCK
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

#ifdef DOUBLE
T4 four(uvec4 p, uvec4 q)
{
    return T4(packDouble2x32(p.xy), packDouble2x32(p.zw), packDouble2x32(q.xy), packDouble2x32(q.zw));
}
#define FOUR_A(i) four(LOAD_A(2 * (i)), LOAD_A(2 * (i) + 1))
#define FOUR_B(i) four(LOAD_B(2 * (i)), LOAD_B(2 * (i) + 1))
#else
#define FOUR_A(i) FROM_BITS(LOAD_A(i))
#define FOUR_B(i) FROM_BITS(LOAD_B(i))
#endif

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

// Stores four consecutive elements of a row.
void add_four(int c, int row, int column, T4 sum)
{
    T4 more = factor(MATMUL_P_ALPHA) * sum;
    int at = c + row * PITCH + column;
#ifdef FOURS
    if (row < M && column < N) {
        c_fours[at / 4] = floatBitsToUint(TOTAL(more, uintBitsToFloat(c_fours[at / 4])));
    }
#else
    for (int j = 0; j < 4; j++) {
        if (row < M && column + j < N) {
            store(at + j, TOTAL(more[j], stored(at + j)));
        }
    }
#endif
}

#ifdef TILE

shared T4 rill_a[64 * 4];  // 64 rows of four texels
shared T4 rill_b[16 * 16]; // 16 rows of sixteen

void main()
{
    int row, column, a, b, c, local = int(gl_LocalInvocationID.x);
    bool inside = find_part(group_number(), row, column, a, b, c);
    int first_row = row * 64, first = column * 16; // first: a texel in the rows of B
    int mine = local >> 4, at = local & 15;        // four rows of C, and one texel of each
    T4 sum[4] = T4[4](T4(0), T4(0), T4(0), T4(0));
    for (int k = FROM; k < TO; k += 4) {
        int r = first_row + (local >> 2), t = k + (local & 3), s = 4 * k + mine;
        rill_a[local] = inside && r < M && t < TO ? FOUR_A(a + r * DEPTH + t) : T4(0);
        rill_b[local] = inside && s < 4 * TO && first + at < WIDTH ? FOUR_B(b + s * WIDTH + first + at) : T4(0);
        barrier();
        for (int i = 0; i < 4; i++) {
            T4 b0 = rill_b[(4 * i) * 16 + at], b1 = rill_b[(4 * i + 1) * 16 + at];
            T4 b2 = rill_b[(4 * i + 2) * 16 + at], b3 = rill_b[(4 * i + 3) * 16 + at];
            for (int j = 0; j < 4; j++) {
                T4 x = rill_a[(mine * 4 + j) * 4 + i];
                sum[j] += x.x * b0 + x.y * b1 + x.z * b2 + x.w * b3;
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
        int at[ROWS];
        for (int j = 0; j < ROWS; j++) {
            sum[j] = T4(0);
            at[j] = a + min(row * ROWS + j, M - 1) * DEPTH;
        }
        int place = b + 4 * FROM * width + texel;
        for (int k = FROM; k < to; k++) {
            T4 b0 = FOUR_B(place), b1 = FOUR_B(place + width), b2 = FOUR_B(place + 2 * width), b3 = FOUR_B(place + 3 * width);
            for (int j = 0; j < ROWS; j++) {
                T4 x = FOUR_A(at[j] + k);
                sum[j] += x.x * b0;
                sum[j] += x.y * b1;
                sum[j] += x.z * b2;
                sum[j] += x.w * b3;
            }
            place += 4 * width;
        }
        for (int j = 0; j < ROWS; j++) {
            add_four(c, row * ROWS + j, texel * 4, sum[j]);
        }
    }
}

#endif
