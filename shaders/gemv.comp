// Computes partial sums of a matrix-vector product. The matrix has rows of texels (16 bytes) with N
// elements each: four floats, or two doubles (DOUBLE). A lane processes N rows and every `parts`-th
// texel of them. With COLUMNS, for the transpose, it processes WIDE texels of each of `part_length`
// rows. It stores sums and their errors. Sums are compensated by two-sum, once for the sum of some
// texels, as in functions/two_sum.glsl. Defines: GROUP; BLOCK: read through storage blocks.
#include "shared/parameters.glsl"
#include "shared/gemv_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[GEMV_P_VECTORS];

// Read once, since compilers may not move them out of loops.
int rows = int(PARAMETER(GEMV_P_ROWS)), texels = int(PARAMETER(GEMV_P_TEXELS)), pitch = int(PARAMETER(GEMV_P_PITCH));
int base = int(PARAMETER(GEMV_P_BASE)), x_base = int(PARAMETER(GEMV_P_X_BASE)), parts = int(PARAMETER(GEMV_P_PARTS));
int part_length = int(PARAMETER(GEMV_P_LENGTH));

#ifdef BLOCK
layout(std430, binding = 3) readonly buffer A { uvec4 a_in[]; };
layout(std430, binding = 4) readonly buffer X { uvec4 x_in[]; };
#define LOAD_A(i) a_in[i]
#define LOAD_X(i) x_in[i]
#else
layout(binding = 0) uniform usamplerBuffer a_in;
layout(binding = 1) uniform usamplerBuffer x_in;
#define LOAD_A(i) texelFetch(a_in, i)
#define LOAD_X(i) texelFetch(x_in, i)
#endif
layout(std430, binding = 1) writeonly buffer Sums { uvec4 sums[]; };
layout(std430, binding = 2) writeonly buffer Errors { uvec4 errors[]; };

#ifdef DOUBLE
#define V dvec2
#define N 2
V texel(uvec4 w) { return V(packDouble2x32(w.xy), packDouble2x32(w.zw)); }
uvec4 words(V v) { return uvec4(unpackDouble2x32(v.x), unpackDouble2x32(v.y)); }
#else
#define V vec4
#define N 4
V texel(uvec4 w) { return uintBitsToFloat(w); }
uvec4 words(V v) { return floatBitsToUint(v); }
#endif

void add(inout V s, inout V e, V p)
{
    precise V t = s + p;
    precise V z = t - s;
    precise V d = (s - (t - z)) + (p - z);
    s = t;
    e += d;
}

#ifdef COLUMNS

// Processes texels of one row, eight apart, so that a vector of lanes reads consecutive texels.
void main()
{
    int n = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * uint(GROUP) + gl_LocalInvocationID.x);
    int across = (texels + 8 * WIDE - 1) / (8 * WIDE) * 8, part = n / across;
    if (n < int(PARAMETER(GEMV_P_COUNT))) {
        int lane = n - part * across, first = lane / 8 * (8 * WIDE) + lane % 8;
        int k = part * part_length, to = min(k + part_length, rows), at[WIDE];
        V s[WIDE], e[WIDE];
        for (int j = 0; j < WIDE; j++) {
            s[j] = e[j] = V(0);
            at[j] = base + k * pitch + min(first + 8 * j, texels - 1);
        }
        for (; k + 3 < to; k += 4) {
#ifdef DOUBLE
            V x = texel(LOAD_X(x_base + k / 2)), y = texel(LOAD_X(x_base + k / 2 + 1));
            dvec4 f = dvec4(x, y);
#else
            V f = texel(LOAD_X(x_base + k / 4));
#endif
            for (int j = 0; j < WIDE; j++) {
                V p = f.x * texel(LOAD_A(at[j])) + f.y * texel(LOAD_A(at[j] + pitch));
                V q = f.z * texel(LOAD_A(at[j] + 2 * pitch)) + f.w * texel(LOAD_A(at[j] + 3 * pitch));
                add(s[j], e[j], p + q);
                at[j] += 4 * pitch;
            }
        }
        for (; k < to; k++) {
            V x = texel(LOAD_X(x_base + k / N));
            for (int j = 0; j < WIDE; j++) {
                add(s[j], e[j], x[k % N] * texel(LOAD_A(at[j])));
                at[j] += pitch;
            }
        }
        for (int j = 0; j < WIDE; j++) {
            if (first + 8 * j < texels) {
                sums[part * texels + first + 8 * j] = words(s[j]);
                errors[part * texels + first + 8 * j] = words(e[j]);
            }
        }
    }
}

#else

// Returns the products of texel k for N rows, which begin at `row`.
V products(int row[N], int k)
{
    V x = texel(LOAD_X(x_base + k)), p;
    for (int j = 0; j < N; j++) {
        p[j] = dot(texel(LOAD_A(row[j] + k)), x);
    }
    return p;
}

void main()
{
    int n = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * uint(GROUP) + gl_LocalInvocationID.x);
    if (n < int(PARAMETER(GEMV_P_COUNT))) {
        int group = n / parts, k = n - group * parts, row[N];
        V s = V(0), e = V(0);
        for (int j = 0; j < N; j++) {
            row[j] = base + min(group * N + j, rows - 1) * pitch;
        }
        for (; k + 3 * parts < texels; k += 4 * parts) {
            V p = products(row, k) + products(row, k + parts);
            add(s, e, p + (products(row, k + 2 * parts) + products(row, k + 3 * parts)));
        }
        for (; k < texels; k += parts) {
            add(s, e, products(row, k));
        }
        sums[n] = words(s);
        errors[n] = words(e);
    }
}

#endif
