// Computes Y = A X for a sparse matrix in which row r has the entries offsets[r] to offsets[r + 1]
// - 1. LANES invocations process a row, four entries at a time, and combine their sums in shared
// memory. WIDE: an invocation processes a row and TEXELS times four columns of X. Without
// COLUMNS_GIVEN, entry k has the value 1 and is in column k: rows of X are summed. LISTED: only the
// rows, or slices, of a list are processed. ELL: an invocation processes four rows, whose entries
// with equal positions are one texel; column -1: no entry. SLICES, together with ELL: rows are in
// another order, in slices of SPMV_SLICE rows, each with as many positions as its longest row
// needs; the positions of a slice begin at offsets[slice]. Defines: GROUP, LANES; T: float or
// double; VALUE_DOUBLE, RESULT_DOUBLE; FOURS: rows of X and Y are whole texels of floats; BLOCK:
// read through storage blocks. LONG: the first work groups process pieces of rows of more than a
// number of entries (spmv.h), which the other work groups skip. SCATTERED: row r of A is row list[r]
// of Y. DOTS: each work group of a product with a vector also stores its part of x'y, and multiplies nothing after the
// solver stopped. If an invocation processes whole rows, their entries are added in order, so the sums are the
// same in every format.
#include "shared/parameters.glsl"
#include "shared/spmv_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[SPMV_P_VECTORS];

#define ROWS int(PARAMETER(SPMV_P_ROWS))
#define WIDTH int(PARAMETER(SPMV_P_WIDTH))
#define BLOCKS int(PARAMETER(SPMV_P_BLOCKS))

// Read once, since compilers may not move them out of loops.
int x_first = int(PARAMETER(SPMV_P_X)), x_last = int(PARAMETER(SPMV_P_X_LAST));
int columns_first = int(PARAMETER(SPMV_P_COLUMNS)) / 4, values_first = int(PARAMETER(SPMV_P_VALUES)) / 4;

#ifdef BLOCK
#ifdef FOURS
#define UNIT uvec4
#else
#define UNIT uint
#endif
layout(std430, binding = 2) readonly buffer Offsets { uint offsets_in[]; };
layout(std430, binding = 3) readonly buffer X { UNIT x_in[]; };
#define OFFSET(i) int(offsets_in[i])
#define X_WORD(i) x_in[i]
#define X_TEXEL(i) x_in[i]
#else
layout(binding = 0) uniform usamplerBuffer offsets_in;
layout(binding = 1) uniform usamplerBuffer x_in;
#define OFFSET(i) int(texelFetch(offsets_in, i).x)
#define X_WORD(i) texelFetch(x_in, i).x
#define X_TEXEL(i) texelFetch(x_in, i)
#endif
#ifdef LISTED
#ifdef BLOCK
layout(std430, binding = 6) readonly buffer List { uint list_in[]; };
#define LISTED_AT(n) int(list_in[int(PARAMETER(SPMV_P_LIST)) + (n)])
#else
layout(binding = 4) uniform usamplerBuffer list_in;
#define LISTED_AT(n) int(texelFetch(list_in, int(PARAMETER(SPMV_P_LIST)) + (n)).x)
#endif
#else
#define LISTED_AT(n) (n)
#endif
#ifdef LONG
#ifdef BLOCK
layout(std430, binding = 6) readonly buffer Pieces { ivec4 pieces_in[]; };
layout(std430, binding = 7) writeonly buffer Partial { uint partial_out[]; };
#define PIECE(n) pieces_in[int(PARAMETER(SPMV_P_LIST)) + (n)]
#else
layout(binding = 4) uniform usamplerBuffer pieces_in;
layout(std430, binding = 2) writeonly buffer Partial { uint partial_out[]; };
#define PIECE(n) ivec4(texelFetch(pieces_in, int(PARAMETER(SPMV_P_LIST)) + (n)))
#endif
#endif
#ifdef COLUMNS_GIVEN
#ifdef BLOCK
layout(std430, binding = 4) readonly buffer Columns { uvec4 columns_in[]; };
layout(std430, binding = 5) readonly buffer Values { uvec4 values_in[]; };
#define FOUR_COLUMNS(q) columns_in[q]
#define VALUE_TEXEL(q) values_in[q]
#else
layout(binding = 2) uniform usamplerBuffer columns_in;
layout(binding = 3) uniform usamplerBuffer values_in;
#define FOUR_COLUMNS(q) texelFetch(columns_in, q)
#define VALUE_TEXEL(q) texelFetch(values_in, q)
#endif
#endif
#ifdef SLICES
#ifdef BLOCK
layout(std430, binding = 7) readonly buffer Order { uvec4 order_in[]; };
#define FOUR_ROWS(q) order_in[q]
#else
layout(binding = 5) uniform usamplerBuffer order_in;
#define FOUR_ROWS(q) texelFetch(order_in, q)
#endif
#endif
#ifdef DOTS
#ifdef BLOCK
layout(std430, binding = 6) buffer Dots { double dots_io[]; };
#else
layout(std430, binding = 2) buffer Dots { double dots_io[]; };
#endif
shared double rill_dots[GROUP];
// Stores the sum of a work group's values as its part of x'y.
void store_dot(int group, int local, double value)
{
    rill_dots[local] = value;
    for (int half_group = GROUP / 2; half_group > 0; half_group /= 2) {
        barrier();
        if (local < half_group) {
            rill_dots[local] += rill_dots[local + half_group];
        }
    }
    if (local == 0) {
        dots_io[int(PARAMETER(SPMV_P_DOTS)) + group] = rill_dots[0];
    }
}
bool is_stopped() { return dots_io[int(PARAMETER(SPMV_P_STOP))] != 0.0lf; }
#endif
#ifdef FOURS
layout(std430, binding = 1) writeonly buffer Y { uvec4 y_out[]; };
#else
layout(std430, binding = 1) writeonly buffer Y { uint y_out[]; };
#endif

#ifdef RESULT_DOUBLE
#define T4 dvec4
T x_element(int i)
{
    int at = x_first + 2 * i;
    return packDouble2x32(uvec2(X_WORD(at), X_WORD(at + 1)));
}
void store(int i, T value)
{
    int at = int(PARAMETER(SPMV_P_Y)) + 2 * i;
    uvec2 words = unpackDouble2x32(value);
    y_out[at] = words.x;
    y_out[at + 1] = words.y;
}
#ifdef LONG
void store_partial(int i, T value)
{
    uvec2 words = unpackDouble2x32(value);
    partial_out[2 * i] = words.x;
    partial_out[2 * i + 1] = words.y;
}
#endif
#elif defined(FOURS)
#define T4 vec4
#else
#define T4 vec4
T x_element(int i) { return uintBitsToFloat(X_WORD(x_first + i)); }
void store(int i, T value) { y_out[int(PARAMETER(SPMV_P_Y)) + i] = floatBitsToUint(value); }
#ifdef LONG
void store_partial(int i, T value) { partial_out[i] = floatBitsToUint(value); }
#endif
#endif

#ifdef COLUMNS_GIVEN
T4 four_values(int q)
{
#ifdef VALUE_DOUBLE
    int at = values_first + 2 * q;
    uvec4 a = VALUE_TEXEL(at), b = VALUE_TEXEL(at + 1);
    return T4(packDouble2x32(a.xy), packDouble2x32(a.zw), packDouble2x32(b.xy), packDouble2x32(b.zw));
#else
    return T4(uintBitsToFloat(VALUE_TEXEL(values_first + q)));
#endif
}
ivec4 signed_columns(int q) { return ivec4(FOUR_COLUMNS(columns_first + q)); }
#else
T4 four_values(int q) { return T4(1.0); }
ivec4 signed_columns(int q) { return 4 * q + ivec4(0, 1, 2, 3); }
#endif
// Brings columns into range: -1 and columns after the last entry become the last row of X. One
// unsigned minimum is faster than a clamp.
ivec4 within_x(ivec4 columns) { return ivec4(min(uvec4(columns), uvec4(x_last))); }
ivec4 four_columns(int q) { return within_x(signed_columns(q)); }

// Entries among the four that do not belong to the row do not contribute, whatever their value.
#define IN_ROW(k) (k >= begin && k < end)

#ifdef ELL

void main()
{
    int n = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * uint(GROUP) + gl_LocalInvocationID.x);
#ifdef SLICES
    const int quads = SPMV_SLICE / 4, pitch = quads;
#ifdef LISTED
    int listed = n / quads;
    n = listed < int(PARAMETER(SPMV_P_LISTED)) ? LISTED_AT(listed) * quads + n % quads : ROWS / 4 + 1;
#endif
#endif
#ifdef DOTS
    double dot = 0.0lf;
#endif
    if (4 * n < ROWS) {
#ifdef SLICES
        int slice = n / quads, begin = OFFSET(int(PARAMETER(SPMV_P_OFFSETS)) + slice);
        int places = OFFSET(int(PARAMETER(SPMV_P_OFFSETS)) + slice + 1) - begin, q = begin * pitch + n % quads;
#else
        int pitch = int(PARAMETER(SPMV_P_PITCH)), places = int(PARAMETER(SPMV_P_PLACES)), q = n;
#endif
#ifdef DOTS
        places = is_stopped() ? 0 : places;
#endif
        precise T4 sum = T4(0.0);
        for (int k = 0; k < places; k++) {
            ivec4 s = signed_columns(q), c = within_x(s);
            precise T4 p = four_values(q) * T4(x_element(c.x), x_element(c.y), x_element(c.z), x_element(c.w));
            sum += T4(s.x < 0 ? T(0.0) : p.x, s.y < 0 ? T(0.0) : p.y, s.z < 0 ? T(0.0) : p.z, s.w < 0 ? T(0.0) : p.w);
            q += pitch;
        }
#ifdef SLICES
        ivec4 row = ivec4(FOUR_ROWS(int(PARAMETER(SPMV_P_ORDER)) / 4 + n));
#else
        ivec4 row = 4 * n + ivec4(0, 1, 2, 3);
#endif
        for (int j = 0; j < 4; j++) {
            if (4 * n + j < ROWS) {
                store(row[j], sum[j]);
#ifdef DOTS
                dot += double(x_element(row[j])) * double(sum[j]);
#endif
            }
        }
    }
#ifdef DOTS
    store_dot(int(gl_WorkGroupID.x), int(gl_LocalInvocationID.x), dot);
#endif
}

#else
#ifdef WIDE

// Returns four elements of the row of X that begins at `at`, from `column` on. Beyond the last
// element, it is repeated.
T4 x_four(int at, int column, int width)
{
    at += column;
#ifdef FOURS
    return uintBitsToFloat(X_TEXEL((x_first + at) / 4));
#else
    int last = width - 1 - column;
    return T4(x_element(at), x_element(at + min(1, last)), x_element(at + min(2, last)), x_element(at + min(3, last)));
#endif
}

void main()
{
    int n = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * uint(GROUP) + gl_LocalInvocationID.x);
    int row = n / BLOCKS, column = (n - row * BLOCKS) * 4 * TEXELS, width = WIDTH;
    if (row < ROWS) {
        int begin = OFFSET(int(PARAMETER(SPMV_P_OFFSETS)) + row), end = OFFSET(int(PARAMETER(SPMV_P_OFFSETS)) + row + 1);
        T4 sum[TEXELS];
        for (int t = 0; t < TEXELS; t++) {
            sum[t] = T4(0.0);
        }
        for (int q = begin / 4; 4 * q < end; q++) {
            T4 v = four_values(q);
            ivec4 c = four_columns(q);
            for (int i = 0; i < 4; i++) {
                for (int t = 0; t < TEXELS; t++) {
                    sum[t] += IN_ROW(4 * q + i) ? v[i] * x_four(c[i] * width, column + 4 * t, width) : T4(0.0);
                }
            }
        }
#ifdef FOURS
        for (int t = 0; t < TEXELS; t++) {
            y_out[(int(PARAMETER(SPMV_P_Y)) + row * width + column) / 4 + t] = floatBitsToUint(sum[t]);
        }
#else
        for (int j = 0; j < 4; j++) {
            if (column + j < width) {
                store(row * width + column + j, sum[0][j]);
            }
        }
#endif
    }
}

#else

#if LANES > 1 || defined(LONG)
#define SHARED_SUMS
shared T rill_part[GROUP];
#endif

void main()
{
    int local = int(gl_LocalInvocationID.x), group = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x);
    int lanes = LANES, n = group * GROUP + local, row = n / LANES, begin = 0, end = 0, result = -1;
#ifdef LONG
    const int together = GROUP / SPMV_PIECE_LANES;
    int pieces = int(PARAMETER(SPMV_P_PIECES)), long_groups = (pieces + together - 1) / together, part = -1;
    bool is_long = group < long_groups;
    row = is_long ? n / SPMV_PIECE_LANES : (n - long_groups * GROUP) / LANES;
    if (is_long) {
        lanes = SPMV_PIECE_LANES;
        if (row < pieces) {
            ivec4 piece = PIECE(row);
            begin = piece.x;
            end = piece.y;
            result = piece.z;
            part = piece.w;
        }
    } else
#endif
    if (row < ROWS) {
#ifdef SCATTERED
        int at = int(PARAMETER(SPMV_P_OFFSETS)) + row;
        result = LISTED_AT(row);
#else
        int at = int(PARAMETER(SPMV_P_OFFSETS)) + LISTED_AT(row);
        result = row;
#endif
        begin = OFFSET(at);
        end = OFFSET(at + 1);
#ifdef LONG
        bool divided = end - begin > int(PARAMETER(SPMV_P_LIMIT));
        end = divided ? begin : end;
        result = divided ? -1 : result;
#endif
#ifdef DOTS
        end = is_stopped() ? begin : end;
#endif
    }
    int lane = local & (lanes - 1);
    precise T total = T(0.0);
    for (int q = begin / 4 + lane; 4 * q < end; q += lanes) {
        T4 v = four_values(q);
        ivec4 c = four_columns(q);
        bvec4 live = bvec4(IN_ROW(4 * q), IN_ROW(4 * q + 1), IN_ROW(4 * q + 2), IN_ROW(4 * q + 3));
        precise T a = v.x * x_element(c.x), b = v.y * x_element(c.y);
        precise T d = v.z * x_element(c.z), e = v.w * x_element(c.w);
        total += live.x ? a : T(0.0);
        total += live.y ? b : T(0.0);
        total += live.z ? d : T(0.0);
        total += live.w ? e : T(0.0);
    }
    T sum = total;
#ifdef SHARED_SUMS
    rill_part[local] = sum;
    barrier();
    for (int half_lanes = lanes / 2; half_lanes > 0; half_lanes /= 2) {
        if (lane < half_lanes) {
            rill_part[local] += rill_part[local + half_lanes];
        }
        barrier();
    }
    sum = rill_part[local];
#endif
#ifdef LONG
    if (lane == 0 && part >= 0) {
        store_partial(part, sum);
        result = -1;
    }
#endif
    if (lane == 0 && result >= 0) {
        store(result, sum);
    }
#ifdef DOTS
    store_dot(group, local, lane == 0 && result >= 0 ? double(x_element(max(result, 0))) * double(sum) : 0.0lf);
#endif
}

#endif
#endif
