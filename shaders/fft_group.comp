// One pass of Stockham's transform, as in fft_pass.comp, of any radix: a work group transforms some
// columns in shared memory. Defines: GROUP; ROOM: the elements that fit into shared memory; DOUBLE.
// Fast arithmetic: nothing is precise here, so the compiler may contract products and sums, which a
// GPU needs for its speed.
#include "shared/parameters.glsl"
#include "shared/fft_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[FFT_P_VECTORS];

#ifdef DOUBLE
#define C dvec2
#else
#define C vec2
#endif

layout(std430, binding = 1) writeonly buffer To { C to[]; };
layout(std430, binding = 2) readonly buffer From { C from[]; };
layout(std430, binding = 3) readonly buffer Table { C table[]; };
shared C rill_elements[2 * ROOM];

#include "shared/fft_complex.glsl"
#include "shared/fft_butterflies.glsl"

#define COLUMNS int(PARAMETER(FFT_P_COLUMNS))
#define SPAN int(PARAMETER(FFT_P_SPAN))
#define STRIDE int(PARAMETER(FFT_P_STRIDE))
#define LENGTH int(PARAMETER(FFT_P_LENGTH))
#define WIDTH int(PARAMETER(FFT_P_WIDTH))
#define PITCH int(PARAMETER(FFT_P_PITCH))

C root(int at)
{
    C w = table[at];
    return C(w.x, w.y * way());
}

// Finds element e of the group, in an order in which consecutive elements are adjacent in memory:
// its column and its index in the column.
void find_element(int e, bool across, out int column, out int number)
{
    int size = across ? WIDTH : LENGTH, slow = e / size, fast = e - slow * size;
    column = across ? fast : slow;
    number = across ? slow : fast;
}

void load(int first)
{
    for (int e = int(gl_LocalInvocationID.x); e < WIDTH * LENGTH; e += GROUP) {
        int column, j;
        find_element(e, STRIDE > 1, column, j);
        int id = first + column;
        if (id < COLUMNS) {
            int batch = int(divide(uint(id), PARAMETER(FFT_P_SPAN_M), PARAMETER(FFT_P_SPAN_S)));
            int p = int(divide(uint(id - batch * SPAN), PARAMETER(FFT_P_STRIDE_M), PARAMETER(FFT_P_STRIDE_S)));
            C x = from[int(PARAMETER(FFT_P_FROM)) + id + (LENGTH - 1) * (batch * SPAN + p * STRIDE) + j * STRIDE];
            if (PARAMETER(FFT_P_REST) > 1u) {
                int power = j * p;
                x = times(x, times(root(LENGTH + power % FFT_FINE), root(LENGTH + FFT_FINE + power / FFT_FINE)));
            }
            rill_elements[column * PITCH + j] = x;
        }
    }
}

void store(int first, int base)
{
    for (int e = int(gl_LocalInvocationID.x); e < WIDTH * LENGTH; e += GROUP) {
        int column, k;
        find_element(e, SPAN > 1, column, k);
        int id = first + column;
        if (id < COLUMNS) {
            int batch = int(divide(uint(id), PARAMETER(FFT_P_SPAN_M), PARAMETER(FFT_P_SPAN_S)));
            to[int(PARAMETER(FFT_P_TO)) + id + (LENGTH - 1) * batch * SPAN + k * SPAN] = rill_elements[base + column * PITCH + k] * scale();
        }
    }
}

// Returns element j of butterfly u of a column, multiplied by its twiddle factor.
C taken(int base, int u, int p, int stride, int radix, int j, int step)
{
    C x = rill_elements[base + u + (radix - 1) * p * stride + j * stride];
    return j == 0 ? x : times(x, root(j * p * step));
}

#define TAKE(j) C v##j = taken(base, u, p, stride, radix, j, step);
#define GIVE(k) rill_elements[other + u + k * butterflies] = v##k;

// Runs one pass within the columns, from `base` to `other`.
void pass(int base, int other, int radix, int stride)
{
    int butterflies = LENGTH / radix;
    for (int i = int(gl_LocalInvocationID.x); i < WIDTH * butterflies; i += GROUP) {
        int column = i / butterflies, u = i - column * butterflies, p = u / stride, step = stride;
        base += column * PITCH;
        other += column * PITCH;
        if (radix == 2) {
            TAKE(0) TAKE(1)
            butterfly2(v0, v1);
            GIVE(0) GIVE(1)
        } else if (radix == 3) {
            TAKE(0) TAKE(1) TAKE(2)
            butterfly3(v0, v1, v2);
            GIVE(0) GIVE(1) GIVE(2)
        } else if (radix == 4) {
            TAKE(0) TAKE(1) TAKE(2) TAKE(3)
            butterfly4(v0, v1, v2, v3);
            GIVE(0) GIVE(1) GIVE(2) GIVE(3)
        } else if (radix == 5) {
            TAKE(0) TAKE(1) TAKE(2) TAKE(3) TAKE(4)
            butterfly5(v0, v1, v2, v3, v4);
            GIVE(0) GIVE(1) GIVE(2) GIVE(3) GIVE(4)
        } else if (radix == 7) {
            TAKE(0) TAKE(1) TAKE(2) TAKE(3) TAKE(4) TAKE(5) TAKE(6)
            butterfly7(v0, v1, v2, v3, v4, v5, v6);
            GIVE(0) GIVE(1) GIVE(2) GIVE(3) GIVE(4) GIVE(5) GIVE(6)
        } else {
            TAKE(0) TAKE(1) TAKE(2) TAKE(3) TAKE(4) TAKE(5) TAKE(6) TAKE(7)
            butterfly8(v0, v1, v2, v3, v4, v5, v6, v7);
            GIVE(0) GIVE(1) GIVE(2) GIVE(3) GIVE(4) GIVE(5) GIVE(6) GIVE(7)
        }
        base -= column * PITCH;
        other -= column * PITCH;
    }
}

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    int first = int(group) * WIDTH, base = 0, stride = LENGTH;
    load(first);
    for (uint radices = PARAMETER(FFT_P_RADICES); radices != 0u; radices >>= 4u) {
        int radix = int(radices & 15u);
        stride /= radix;
        barrier();
        pass(base, ROOM - base, radix, stride);
        base = ROOM - base;
    }
    barrier();
    store(first, base);
}
