// Half a V-cycle on one grid of floats in a single launch. A grid has a halo in memory, which
// continues its elements according to the boundary condition (odd, even or periodic), so that A is
// the same stencil everywhere, with diagonal 1. DOWN: two steps of smoothing from zero, x = (u + v)
// b - u v A b, and the residual b - A x restricted to the next grid. UP: computes the same x again,
// adds the interpolated correction of the next grid, and smooths twice; the previous content of the
// result is added with the weight `keep`. STEP, on the finest grid: adds the correction to x
// (doubles with WIDE), computes the residual b - A x in double, and the sum of its squares for each
// invocation. MARGIN: computes the halo of a grid (doubles with WIDE). An invocation has four
// columns and traverses rows downwards; it keeps what it needs of previous rows. Defines: GROUP;
// ROWS that an invocation writes; BLOCK: read through storage blocks; FOLD, with BLOCK: elements of
// the halo are computed where they are read, so that MARGIN is not needed.
// Fast arithmetic: nothing is precise here, so the compiler may contract products and sums, which a
// GPU needs for its speed.
#include "shared/parameters.glsl"
#include "shared/multigrid_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[MULTIGRID_P_VECTORS];

#define INT(word) int(PARAMETER(word))
#define FLOAT(word) uintBitsToFloat(PARAMETER(word))
#define PAIR(word) vec2(FLOAT(word), FLOAT((word) + 1))

// Returns the index of the element that is continued to index i. sign: the sign of its value, or 0.
int folded(int i, int n, int boundary, inout float sign)
{
    bool low = i < 0, outside = low || i >= n;
    int odd = low ? -2 - i : 2 * n - i, even = low ? -1 - i : 2 * n - 1 - i, same = low ? i + n : i - n;
    if (boundary == MULTIGRID_DIRICHLET && outside) {
        sign = i == -1 || i == n ? 0.0 : -sign;
    }
    int found = boundary == MULTIGRID_DIRICHLET ? odd : boundary == MULTIGRID_NEUMANN ? even : same;
    return outside ? clamp(found, 0, n - 1) : i;
}

#ifdef MARGIN
#ifdef WIDE
#define ELEMENT double
#else
#define ELEMENT float
#endif
layout(std430, binding = 1) buffer Grid { ELEMENT grid_io[]; };

// An invocation processes both ends of a column, or of a row including the corners of the halo.
void main()
{
    int width = INT(MULTIGRID_P_WIDTH), height = INT(MULTIGRID_P_HEIGHT), pitch = 4 * INT(MULTIGRID_P_PITCH);
    int reach = INT(MULTIGRID_P_AROUND), boundary_x = INT(MULTIGRID_P_BOUNDARY), boundary_y = INT(MULTIGRID_P_BOUNDARY + 1);
    int n = int((gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * uint(GROUP) + gl_LocalInvocationID.x);
    int row = n - width - reach;
    bool is_column = n < width;
    for (int k = 0; k < 2 * reach; k++) {
        int far = (is_column ? height : width) + k - reach, place = k < reach ? -1 - k : far;
        int x = is_column ? n : place, y = is_column ? place : row;
        float sign = 1.0;
        int from_x = folded(x, width, boundary_x, sign), from_y = folded(y, height, boundary_y, sign);
        if (row < height + reach) {
            ELEMENT value = grid_io[(from_y + MULTIGRID_MARGIN) * pitch + from_x + MULTIGRID_MARGIN];
            grid_io[(y + MULTIGRID_MARGIN) * pitch + x + MULTIGRID_MARGIN] =
                sign == 0.0 ? ELEMENT(0) : ELEMENT(sign) * value;
        }
    }
}
#else

#ifdef STEP
layout(std430, binding = 1) writeonly buffer Solution { dvec2 x_out[]; };
layout(std430, binding = 2) writeonly buffer Residual { dvec2 residual_out[]; };
layout(std430, binding = 3) writeonly buffer Squares { double squares_out[]; };
#define BLOCK0 4
#define BLOCK1 5
#define BLOCK2 6
#else
layout(std430, binding = 1) writeonly buffer Result { dvec2 result_out[]; };
#define BLOCK0 2
#define BLOCK1 3
#define BLOCK2 4
#endif
// Four floats as two doubles: llvmpipe stores components one by one.
#define PACKED(v) dvec2(packDouble2x32(floatBitsToUint((v).xy)), packDouble2x32(floatBitsToUint((v).zw)))

#ifdef BLOCK
layout(std430, binding = BLOCK0) readonly buffer In0 { uvec4 in0[]; };
layout(std430, binding = BLOCK1) readonly buffer In1 { uvec4 in1[]; };
layout(std430, binding = BLOCK2) readonly buffer In2 { uvec4 in2[]; };
#define READ(from, i) from[i]
#else
layout(binding = 0) uniform usamplerBuffer in0;
layout(binding = 1) uniform usamplerBuffer in1;
layout(binding = 2) uniform usamplerBuffer in2;
#define READ(from, i) texelFetch(from, i)
#endif

// Read once, since compilers may not move them out of loops.
int pitch = INT(MULTIGRID_P_PITCH), lowest = INT(MULTIGRID_P_HEIGHT) + MULTIGRID_REACH - 1;
vec2 sides = PAIR(MULTIGRID_P_SIDES), steps = PAIR(MULTIGRID_P_STEPS);
float sum = steps.x + steps.y, product = steps.x * steps.y;

#ifdef FOLD
ivec2 boundaries = ivec2(INT(MULTIGRID_P_BOUNDARY), INT(MULTIGRID_P_BOUNDARY + 1));

// Defines a function that returns texel t of row y of a grid, with its halo.
#define FOLDED_TEXEL(name, from, width, height, pitch) \
    vec4 name(int y, int t) \
    { \
        int c = 4 * t - MULTIGRID_MARGIN; \
        float sign_y = 1.0; \
        int row = (folded(y, height, boundaries.y, sign_y) + MULTIGRID_MARGIN) * (pitch); \
        vec4 four = vec4(0.0); \
        if (c >= 0 && c + 3 < (width)) { \
            four = sign_y == 0.0 ? four : sign_y * uintBitsToFloat(from[row + t]); \
        } else { \
            for (int j = 0; j < 4; j++) { \
                float sign = sign_y; \
                int column = folded(c + j, width, boundaries.x, sign) + MULTIGRID_MARGIN; \
                four[j] = sign == 0.0 ? 0.0 : sign * uintBitsToFloat(from[row + (column >> 2)][column & 3]); \
            } \
        } \
        return four; \
    }
#endif
#if defined(FOLD) && !defined(STEP)
FOLDED_TEXEL(row_texel, in0, INT(MULTIGRID_P_WIDTH), INT(MULTIGRID_P_HEIGHT), pitch)
#else
#define row_texel(y, t) uintBitsToFloat(READ(in0, ((y) + MULTIGRID_MARGIN) * pitch + (t)))
#endif

// Reads texel t of row `row`, from texel `texel` on, into the array `to`.
#define TEXEL(t) \
    { \
        vec4 four = row_texel(row, texel + t); \
        to[4 * t] = four.x; \
        to[4 * t + 1] = four.y; \
        to[4 * t + 2] = four.z; \
        to[4 * t + 3] = four.w; \
    }

// Returns the weight of linear interpolation at a distance.
float hat(float distance)
{
    return max(1.0 - abs(distance), 0.0);
}

// A v at column i, given the rows above, here and below.
#define PRODUCT(above, here, below, i) \
    ((here)[i] - sides.x * ((here)[(i) - 1] + (here)[(i) + 1]) - sides.y * ((above)[i] + (below)[i]))
#endif

#ifdef DOWN
const int WIDTH = 13;             // columns from which four coarse elements are computed
float b0[20], b1[20], b2[20];     // beginning four columns before the first of these
float s0[15], s1[15], s2[15];     // A b, beginning one column before
float w0[7], w1[8], w2[8], w3[8]; // weights of columns for each coarse element, beginning at columns 0, 1, 3, 5

// Reads row y. Returns the contribution of row y - 2 to the coarse elements.
vec4 take(int y, int texel)
{
    int row = min(y, lowest);
    b0 = b1;
    b1 = b2;
    s0 = s1;
    s1 = s2;
    float to[20];
    TEXEL(0) TEXEL(1) TEXEL(2) TEXEL(3) TEXEL(4)
    b2 = to;
    for (int i = 0; i < WIDTH + 2; i++) {
        s2[i] = PRODUCT(b0, b1, b2, i + 3);
    }
    float r[WIDTH];
    for (int i = 0; i < WIDTH; i++) {
        r[i] = b0[i + 4] - sum * s1[i + 1] + product * PRODUCT(s0, s1, s2, i + 1);
    }
    vec4 result = vec4(w0[0] * r[0], 0.0, 0.0, 0.0);
    for (int i = 1; i < 7; i++) {
        result.x += w0[i] * r[i];
    }
    for (int i = 0; i < 8; i++) {
        result.y += w1[i] * r[i + 1];
        result.z += w2[i] * r[i + 3];
        result.w += w3[i] * r[i + 5];
    }
    return result;
}

void main()
{
    int block = int(gl_GlobalInvocationID.x), begin = int(gl_WorkGroupID.y) * ROWS;
    int height = INT(MULTIGRID_P_COARSE_HEIGHT), to = INT(MULTIGRID_P_COARSE_PITCH);
    vec2 ratio = PAIR(MULTIGRID_P_DOWN), offset = PAIR(MULTIGRID_P_DOWN + 2), inverse = 1.0 / ratio;
    float scale = FLOAT(MULTIGRID_P_SCALE), place = float(4 * block) * ratio.x + offset.x;
    int texel = (int(floor(place - ratio.x)) + 1 + MULTIGRID_MARGIN) >> 2;
    place -= float(4 * texel - MULTIGRID_MARGIN);
    for (int i = 0; i < 8; i++) {
        if (i < 7) w0[i] = hat((float(i) - place) * inverse.x);
        w1[i] = hat((float(i + 1) - place - ratio.x) * inverse.x);
        w2[i] = hat((float(i + 3) - place - 2.0 * ratio.x) * inverse.x);
        w3[i] = hat((float(i + 5) - place - 3.0 * ratio.x) * inverse.x);
    }
    for (int i = 0; i < 20; i++) {
        b1[i] = b2[i] = 0.0;
    }
    for (int i = 0; i < 15; i++) {
        s1[i] = s2[i] = 0.0;
    }
    float place_y = float(begin) * ratio.y + offset.y;
    int first = int(floor(place_y - ratio.y)) + 1;
    vec4 t0, t1 = vec4(0.0), t2 = vec4(0.0), t3 = vec4(0.0), t4 = vec4(0.0);
    place_y -= float(first - 1);
    bool in_row = 4 * block < INT(MULTIGRID_P_COARSE_WIDTH);
    // Processes two rows per iteration; the first three iterations only fill the rows that are
    // kept. The weights of a coarse row extend over five rows, since it moves by `ratio` and not by
    // 2.
    for (int k = 0; k < ROWS + 3; k++) {
        t0 = t2;
        t1 = t3;
        t2 = t4;
        t3 = take(first - 2 + 2 * k, texel - 1);
        t4 = take(first - 1 + 2 * k, texel - 1);
        float p = place_y + float(k - 3) * (ratio.y - 2.0);
        vec4 all = hat(p * inverse.y) * t0 + hat((p - 1.0) * inverse.y) * t1 + hat((p - 2.0) * inverse.y) * t2 +
                   hat((p - 3.0) * inverse.y) * t3 + hat((p - 4.0) * inverse.y) * t4;
        int y = begin + k - 3;
        if (k >= 3 && y < height && in_row) {
            result_out[(y + MULTIGRID_MARGIN) * to + block + 1] = PACKED(scale * all);
        }
    }
}
#endif

#ifdef UP
float b0[12], b1[12], b2[12], b3[12]; // beginning four columns before the first one that is written
float x0[8], x1[8], x2[8];            // before smoothing, beginning two columns before
float y0[6], y1[6], y2[6];            // after one step of smoothing
float e0[8], e1[8], e2[8], e3[8];     // rows of the correction, interpolated to the columns of x
float w[24];                          // weights of three elements of the correction for each column of x

#ifdef FOLD
FOLDED_TEXEL(correction_texel, in1, INT(MULTIGRID_P_COARSE_WIDTH), INT(MULTIGRID_P_COARSE_HEIGHT), INT(MULTIGRID_P_COARSE_PITCH))
#else
#define correction_texel(y, t) \
    uintBitsToFloat(READ(in1, ((y) + MULTIGRID_MARGIN) * INT(MULTIGRID_P_COARSE_PITCH) + (t)))
#endif

// Reads row y of the correction. `texel` and `skip`: the position of the first column's left
// neighbor in the correction.
void take_correction(int y, int texel, int skip)
{
    int from = min(y, INT(MULTIGRID_P_COARSE_HEIGHT) + MULTIGRID_REACH - 1);
    vec4 t0 = correction_texel(from, texel), t1 = correction_texel(from, texel + 1);
    float t2 = correction_texel(from, texel + 2).x;
    float all[9] = float[9](t0.x, t0.y, t0.z, t0.w, t1.x, t1.y, t1.z, t1.w, t2), e[6];
    for (int i = 0; i < 6; i++) {
        float even = (skip & 2) != 0 ? all[i + 2] : all[i], odd = (skip & 2) != 0 ? all[i + 3] : all[i + 1];
        e[i] = (skip & 1) != 0 ? odd : even;
    }
    e0 = e1;
    e1 = e2;
    e2 = e3;
    for (int i = 0; i < 8; i++) {
        e3[i] = w[3 * i] * e[i / 2] + w[3 * i + 1] * e[i / 2 + 1] + w[3 * i + 2] * e[i / 2 + 2];
    }
}

// Reads row y + 1 of b. p: the position of row y relative to the rows of the correction. Returns
// the result of row y - 2.
vec4 take(int y, int texel, float p)
{
    int row = min(y + 1, lowest);
    b0 = b1;
    b1 = b2;
    b2 = b3;
    float to[12];
    TEXEL(0) TEXEL(1) TEXEL(2)
    b3 = to;
    x0 = x1;
    x1 = x2;
    float v0 = hat(p), v1 = hat(p - 1.0), v2 = hat(p - 2.0), v3 = hat(p - 3.0);
    for (int i = 0; i < 8; i++) {
        x2[i] = sum * b2[i + 2] - product * PRODUCT(b1, b2, b3, i + 2) + v0 * e0[i] + v1 * e1[i] + v2 * e2[i] + v3 * e3[i];
    }
    y0 = y1;
    y1 = y2;
    for (int i = 0; i < 6; i++) {
        y2[i] = x1[i + 1] + steps.x * (b1[i + 3] - PRODUCT(x0, x1, x2, i + 1));
    }
    float z[4];
    for (int i = 0; i < 4; i++) {
        z[i] = y1[i + 1] + steps.y * (b0[i + 4] - PRODUCT(y0, y1, y2, i + 1));
    }
    return vec4(z[0], z[1], z[2], z[3]);
}

void main()
{
    int block = int(gl_GlobalInvocationID.x), begin = int(gl_WorkGroupID.y) * ROWS;
    int end = min(begin + ROWS, INT(MULTIGRID_P_HEIGHT));
    vec2 ratio = PAIR(MULTIGRID_P_UP), offset = PAIR(MULTIGRID_P_UP + 2);
    float place = float(4 * block - 2) * ratio.x + offset.x, place_y = float(begin - 4) * ratio.y + offset.y;
    int column = int(floor(place)), row = int(floor(place_y));
    int texel = (column + MULTIGRID_MARGIN) >> 2, skip = (column + MULTIGRID_MARGIN) & 3;
    float weight = FLOAT(MULTIGRID_P_WEIGHT), keep = FLOAT(MULTIGRID_P_KEEP);
    place -= float(column);
    place_y -= float(row);
    for (int i = 0; i < 8; i++) {
        float p = place + float(i) * ratio.x - float(i / 2);
        w[3 * i] = hat(p);
        w[3 * i + 1] = hat(p - 1.0);
        w[3 * i + 2] = hat(p - 2.0);
        x1[i] = x2[i] = e1[i] = e2[i] = e3[i] = 0.0;
    }
    for (int i = 0; i < 12; i++) {
        b1[i] = b2[i] = b3[i] = 0.0;
    }
    for (int i = 0; i < 6; i++) {
        y1[i] = y2[i] = 0.0;
    }
    take_correction(row, texel, skip);
    take_correction(row + 1, texel, skip);
    take_correction(row + 2, texel, skip);
    bool in_row = 4 * block < INT(MULTIGRID_P_WIDTH);
    // Processes two rows and one row of the correction per iteration; four rows of the correction
    // are kept.
    for (int k = 0; k < ROWS / 2 + 3; k++) {
        take_correction(row + 3 + k, texel, skip);
        int y = begin - 6 + 2 * k;
        float p = place_y + float(k) * (2.0 * ratio.y - 1.0);
        int to = (y + MULTIGRID_MARGIN) * pitch + block + 1;
        vec4 z = weight * take(y + 2, block, p), next = weight * take(y + 3, block, p + ratio.y);
        // A loop, because a branch does not avoid the read on every device, and the previous
        // content may be NaN. Rows that are not written need not exist.
        for (int kept = 0; kept < int(keep != 0.0); kept++) {
            int here = (clamp(y, 0, lowest) + MULTIGRID_MARGIN) * pitch + min(block, pitch - 2) + 1;
            z += keep * uintBitsToFloat(READ(in2, here));
            next += keep * uintBitsToFloat(READ(in2, here + pitch));
        }
        if (y >= begin && y < end && in_row) {
            result_out[to] = PACKED(z);
        }
        if (y + 1 >= begin && y + 1 < end && in_row) {
            result_out[to + pitch] = PACKED(next);
        }
    }
}
#endif

#ifdef STEP
#define DOUBLE(word) packDouble2x32(uvec2(PARAMETER(word), PARAMETER((word) + 1)))

double factor = DOUBLE(MULTIGRID_P_FACTOR);

#define PAIR_OF_DOUBLES(from, i) \
    { \
        uvec4 words = READ(from, i); \
        first = packDouble2x32(words.xy); \
        second = packDouble2x32(words.zw); \
    }

// Returns row y of x with the correction added, beginning one column before the columns that are
// written.
double[6] take(int y, int block)
{
    int at = (y + MULTIGRID_MARGIN) * pitch + block;
    double x[6], first, second;
    float added[6];
#ifdef FOLD
    int width = INT(MULTIGRID_P_WIDTH), height = INT(MULTIGRID_P_HEIGHT);
    if (y < 0 || y >= height || block == 0 || 4 * block + 4 >= width) {
        float sign_y = 1.0;
        int row = (folded(y, height, boundaries.y, sign_y) + MULTIGRID_MARGIN) * 4 * pitch;
        for (int i = 0; i < 6; i++) {
            float sign = sign_y;
            int here = row + folded(4 * block - 1 + i, width, boundaries.x, sign) + MULTIGRID_MARGIN;
#ifdef WIDE
            uvec4 words = in0[here >> 1];
            double value = packDouble2x32((here & 1) != 0 ? words.zw : words.xy);
#else
            double value = double(uintBitsToFloat(in0[here >> 2][here & 3]));
#endif
            x[i] = sign == 0.0 ? double(0.0) : double(sign) * value;
            added[i] = sign == 0.0 ? 0.0 : sign * uintBitsToFloat(in1[here >> 2][here & 3]);
        }
    } else {
#else
    {
#endif
#ifdef WIDE
    PAIR_OF_DOUBLES(in0, 2 * at + 1)
    x[0] = second;
    PAIR_OF_DOUBLES(in0, 2 * at + 2)
    x[1] = first;
    x[2] = second;
    PAIR_OF_DOUBLES(in0, 2 * at + 3)
    x[3] = first;
    x[4] = second;
    PAIR_OF_DOUBLES(in0, 2 * at + 4)
    x[5] = first;
#else
    vec4 here = uintBitsToFloat(READ(in0, at + 1));
    x[0] = double(uintBitsToFloat(READ(in0, at).w));
    x[1] = double(here.x);
    x[2] = double(here.y);
    x[3] = double(here.z);
    x[4] = double(here.w);
    x[5] = double(uintBitsToFloat(READ(in0, at + 2).x));
#endif
    vec4 d = uintBitsToFloat(READ(in1, at + 1));
    added = float[6](uintBitsToFloat(READ(in1, at).w), d.x, d.y, d.z, d.w, uintBitsToFloat(READ(in1, at + 2).x));
    }
    for (int i = 0; i < 6; i++) {
        x[i] = factor == 0.0 ? x[i] : x[i] + factor * double(added[i]);
#ifndef WIDE
        precise float narrow = float(x[i]); // precise: Mesa 25.0 replaces double(float(x)) by x
        precise double wide = double(narrow);
        x[i] = wide;
#endif
    }
    return x;
}

void main()
{
    int block = int(gl_GlobalInvocationID.x), begin = int(gl_WorkGroupID.y) * ROWS;
    int width = INT(MULTIGRID_P_WIDTH), blocks = (width + 3) / 4, height = INT(MULTIGRID_P_HEIGHT);
    double center = DOUBLE(MULTIGRID_P_CENTER);
    double along = DOUBLE(MULTIGRID_P_NEIGHBORS), across = DOUBLE(MULTIGRID_P_NEIGHBORS + 2);
    bool in_row = 4 * block < width;
    double x0[6], x1[6] = take(begin - 1, block), x2[6] = take(begin, block), squares = 0.0;
    for (int k = 0; k < ROWS; k++) {
        int y = begin + k;
        x0 = x1;
        x1 = x2;
        x2 = take(min(y + 1, height), block);
        bool inside = in_row && y < height;
        int from = 2 * (min(y, height - 1) * blocks + min(block, blocks - 1));
        double b[4], r[4], first, second;
        PAIR_OF_DOUBLES(in2, from)
        b[0] = first;
        b[1] = second;
        PAIR_OF_DOUBLES(in2, from + 1)
        b[2] = first;
        b[3] = second;
        for (int i = 0; i < 4; i++) {
            r[i] = b[i] - (center * x1[i + 1] - along * (x1[i] + x1[i + 2]) - across * (x0[i + 1] + x2[i + 1]));
            squares += inside && 4 * block + i < width ? r[i] * r[i] : 0.0;
        }
        int to = (y + MULTIGRID_MARGIN) * pitch + block + 1;
        if (inside) {
#ifdef WIDE
            x_out[2 * to] = dvec2(x1[1], x1[2]);
            x_out[2 * to + 1] = dvec2(x1[3], x1[4]);
#else
            x_out[to] = PACKED(vec4(x1[1], x1[2], x1[3], x1[4]));
#endif
            residual_out[to] = PACKED(vec4(r[0], r[1], r[2], r[3]));
        }
    }
    if (in_row) {
        squares_out[int(gl_WorkGroupID.y) * blocks + block] = squares;
    }
}
#endif
