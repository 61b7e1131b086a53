// One pass of Stockham's transform, as in fft_pass.comp, of a radix 2^LENGTH_BITS of 16 to 4096, for
// GPUs. A work group transforms 2^WIDTH_BITS adjacent columns. Each lane keeps SLOTS elements of one
// column in registers, and shared memory only exchanges them between the two or three butterflies
// of a column (Govindaraju, Lloyd, Dotsenko, Smith, Manferdelli 2008, High performance discrete
// Fourier transforms on graphics processors). Roots of unity are computed, not loaded.
//
// Defines: LANES; LENGTH_BITS; WIDTH_BITS; SLOT_BITS: log2 of SLOTS; LAST_BITS: log2 of the radix of the
// last butterfly, the others have the radix SLOTS; FROM_BITS, TO_BITS: log2 of the number of columns
// that adjacent lanes load, and store; SWIZZLE_MIDDLE(a), SWIZZLE_LAST(a): permutations of shared
// memory that avoid bank conflicts; TWIDDLED: m is not 1; SPLIT: the real parts and the imaginary
// parts are exchanged one after the other; DOUBLE.
// All lengths are powers of two and constants. Elements of a lane have constant indices, so that
// every compiler keeps them in registers. Fast arithmetic: nothing is precise here.
#pragma optionNV(unroll all)
#include "shared/parameters.glsl"
#include "shared/fft_words.h"
#define SLOTS (1 << SLOT_BITS)
#define UNIT_BITS (LENGTH_BITS - SLOT_BITS) // log2 of the lanes of a column
#define LANE_BITS (UNIT_BITS + WIDTH_BITS)
layout(local_size_x = LANES) in;
layout(location = 0) uniform uvec4 rill_p[FFT_P_VECTORS];

#ifdef DOUBLE
#define C dvec2
#else
#define C vec2
#endif
#define way() 1.0

layout(std430, binding = 1) writeonly buffer To { C to[]; };
layout(std430, binding = 2) readonly buffer From { C from[]; };

#include "shared/fft_complex.glsl"
#include "shared/fft_butterflies.glsl"

#ifdef SPLIT
shared R rill_exchanged[SLOTS << LANE_BITS];
#else
shared C rill_exchanged[SLOTS << LANE_BITS];
#endif

#if SLOT_BITS == 4
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#elif SLOT_BITS == 3
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#else
#define EACH(X) X(0) X(1) X(2) X(3)
#endif

// Returns exp(-2 pi i x / 2^32). The angle is a multiple of a quarter turn, and t eighths of a turn
// with |t| <= 1, for which polynomials are accurate to about the last place. The factor of t in the
// sine of floats has more digits than a float.
C root(uint x)
{
    uint quarter = (x + 0x20000000u) >> 30;
    R t = R(int(x - (quarter << 30))) * R(1.0 / 536870912.0), s = t * t;
#ifdef DOUBLE
    R cosine = -3.898073171259675e-13lf + s * 1.0018864616362720e-15lf;
    cosine = 3.590860448591510e-6lf + s * (-2.461136950494199e-8lf + s * (1.1501159127971524e-10lf + s * cosine));
    cosine = 0.015854344243815501lf + s * (-0.00032599188692739001lf + s * cosine);
    cosine = fma(s, -0.30842513753404245684lf + s * cosine, 1.0lf);
    R sine = 6.9484532738866294e-12lf + s * (-2.0410263396641441e-14lf + s * 4.6287046288346830e-17lf);
    sine = -0.000036576204182177251lf + s * (3.1336168903781215e-7lf + s * (-1.7572476734434010e-9lf + s * sine));
    sine = s * (-0.080745512188280781707lf + s * (0.0024903945701927200lf + s * sine));
    sine = fma(t, 0.78539816339744830962lf, t * sine);
#else
    R cosine = 0.015854327751869533 + s * (-0.0003259420079384512 + s * 3.53133464984709e-6);
    cosine = fma(s, -0.3084251358383703 + s * cosine, 1.0);
    R sine = -0.08074545539362753 + s * (0.0024900493454419513 + s * -3.5978983035084636e-5);
    sine = fma(t, 0.7853981852531433, t * fma(s, sine, -2.1855695e-8));
#endif
    C w = (quarter & 1u) != 0u ? C(-sine, -cosine) : C(cosine, -sine);
    return (quarter & 2u) != 0u ? -w : w;
}

// Multiplies four elements by the powers 4 a to 4 a + 3 of a root, and by `root(first)`.
#define MULTIPLY(a) \
    w = root(first + uint(4 * a) * step); \
    v[4 * a] = times(v[4 * a], w); \
    v[4 * a + 1] = times(v[4 * a + 1], times(w, w1)); \
    v[4 * a + 2] = times(v[4 * a + 2], times(w, w2)); \
    v[4 * a + 3] = times(v[4 * a + 3], times(w, w3));

// Multiplies element i by root(first + i step), a product of at most two roots. `shifted`: first may
// differ from 0.
void twiddle(inout C v[SLOTS], bool shifted, uint first, uint step)
{
    C w, w1 = root(step), w2 = root(2u * step), w3 = root(3u * step);
    if (shifted) {
        MULTIPLY(0)
    } else {
        v[1] = times(v[1], w1);
        v[2] = times(v[2], w2);
        v[3] = times(v[3], w3);
    }
#if SLOT_BITS > 2
    MULTIPLY(1)
#endif
#if SLOT_BITS > 3
    MULTIPLY(2) MULTIPLY(3)
#endif
}

// Transforms all elements of the lane.
void butterfly(inout C v[SLOTS])
{
#if SLOT_BITS == 4
    butterfly16(v);
#elif SLOT_BITS == 3
    butterfly8(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
#else
    butterfly4(v[0], v[1], v[2], v[3]);
#endif
}

// Returns v times the root of unity of order 16 to the power e, 0 to 15.
C rotated(C v, int e)
{
    v = (e & 4) != 0 ? turn(v) : v;
    v = (e & 3) == 1 ? turn1(v) : (e & 3) == 2 ? turn2(v) : (e & 3) == 3 ? turn3(v) : v;
    return e >= 8 ? -v : v;
}

// Several butterflies of the radix 2^LAST_BITS, if it is less than SLOTS. Butterfly g has the
// elements g, g + APART and so on. Its twiddle factors are roots of the order of the whole, which
// depend on the lane, times roots of order SLOTS, which do not.
#define APART (1 << APART_BITS)
#define APART_BITS (SLOT_BITS - LAST_BITS)
#define TWIDDLE(i) \
    if (i >= APART) { \
        v[i] = times(rotated(v[i], (i >> APART_BITS) * (i & (APART - 1)) << (4 - SLOT_BITS)), w[i >> APART_BITS]); \
    }
#if LAST_BITS == 1
#define BUTTERFLY(g) butterfly2(v[g], v[g + APART]);
#elif LAST_BITS == 2
#define BUTTERFLY(g) butterfly4(v[g], v[g + APART], v[g + 2 * APART], v[g + 3 * APART]);
#elif LAST_BITS == 3
#define BUTTERFLY(g) \
    butterfly8(v[g], v[g + APART], v[g + 2 * APART], v[g + 3 * APART], v[g + 4 * APART], v[g + 5 * APART], \
               v[g + 6 * APART], v[g + 7 * APART]);
#endif

void butterflies(inout C v[SLOTS], uint step)
{
#if LAST_BITS == SLOT_BITS
    twiddle(v, false, 0u, step);
    butterfly(v);
#else
    C w[1 << LAST_BITS];
    w[1] = root(step);
#if LAST_BITS > 1
    w[2] = root(2u * step);
    w[3] = root(3u * step);
#endif
#if LAST_BITS > 2
    w[4] = root(4u * step);
    w[5] = times(w[4], w[1]);
    w[6] = times(w[4], w[2]);
    w[7] = times(w[4], w[3]);
#endif
    EACH(TWIDDLE)
    BUTTERFLY(0) BUTTERFLY(1)
#if APART_BITS > 1
    BUTTERFLY(2) BUTTERFLY(3)
#endif
#if APART_BITS > 2
    BUTTERFLY(4) BUTTERFLY(5) BUTTERFLY(6) BUTTERFLY(7)
#endif
#endif
}

// The bits of a lane are, from the lowest, `low` bits of its column, the number of the lane in the
// column, and the other bits of the column.
uint column_of(uint lane, int low) { return (lane & ((1u << low) - 1u)) | lane >> (low + UNIT_BITS) << low; }
uint unit_of(uint lane, int low) { return lane >> low & ((1u << UNIT_BITS) - 1u); }

// Returns the index in shared memory of an element, before the permutation: its lane, then its slot.
// Element i of a lane has the position i 2^UNIT_BITS + unit in its column.
uint place(uint column, uint position)
{
    uint unit = position & ((1u << UNIT_BITS) - 1u);
    uint lane = (column & ((1u << FROM_BITS) - 1u)) | unit << FROM_BITS | column >> FROM_BITS << (FROM_BITS + UNIT_BITS);
    return position >> UNIT_BITS << LANE_BITS | lane;
}

uint swizzle(uint a, bool last) { return last ? SWIZZLE_LAST(a) : SWIZZLE_MIDDLE(a); }

#define PUT_AT(i) rill_exchanged[put ^ swizzle(uint(i) << LANE_BITS, last)]
#define GET_AT(i) \
    rill_exchanged[get ^ swizzle(place(0u, uint(i >> apart << stride_bits | (i & ((1 << apart) - 1)) << (radix_bits + UNIT_BITS))), last)]
#define PUT(i) PUT_AT(i) = v[i];
#define GET(i) v[i] = GET_AT(i);
#define PUT_X(i) PUT_AT(i) = v[i].x;
#define GET_X(i) v[i].x = GET_AT(i);
#define PUT_Y(i) PUT_AT(i) = v[i].y;
#define GET_Y(i) v[i].y = GET_AT(i);

// Stores the results of the butterflies of a lane, and loads the elements of its next butterflies,
// in column `column` and from number `unit` on. Butterfly b loads the elements
// (b / stride) stride radix + b % stride + j stride for all j.
void exchange(inout C v[SLOTS], uint lane, uint column, uint unit, int radix_bits, int stride_bits, bool last)
{
    int apart = SLOT_BITS - radix_bits;
    uint first = unit >> stride_bits << (radix_bits + stride_bits) | (unit & ((1u << stride_bits) - 1u));
    uint put = swizzle(lane, last), get = swizzle(place(column, first), last);
#ifdef SPLIT
    EACH(PUT_X)
    barrier();
    EACH(GET_X)
    barrier();
    EACH(PUT_Y)
    barrier();
    EACH(GET_Y)
#else
    EACH(PUT)
    barrier();
    EACH(GET)
#endif
}

#define LOAD(i) v[i] = from[source + (uint(i) << UNIT_BITS) * stride];
#define STORE(i) to[target + (uint(i) << UNIT_BITS) * span] = v[i] * scale();
#define SWAP(i) v[i] = v[i].yx;

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x, lane = gl_LocalInvocationID.x;
    uint span = PARAMETER(FFT_P_SPAN), stride = PARAMETER(FFT_P_STRIDE), columns = PARAMETER(FFT_P_COLUMNS);
    // The inverse transform exchanges real and imaginary parts before and after the transform.
    bool backwards = uintBitsToFloat(PARAMETER(FFT_P_SIGN)) < 0.0;
    C v[SLOTS];
    // Lanes beyond the last column load the last column and store nothing.
    uint unit = unit_of(lane, FROM_BITS), id = min(group << WIDTH_BITS | column_of(lane, FROM_BITS), columns - 1u);
    uint batch = divide(id, PARAMETER(FFT_P_SPAN_M), PARAMETER(FFT_P_SPAN_S));
    uint p = divide(id - batch * span, PARAMETER(FFT_P_STRIDE_M), PARAMETER(FFT_P_STRIDE_S));
    uint before = (batch * span + p * stride) << LENGTH_BITS;
    uint source = PARAMETER(FFT_P_FROM) + before + (id - batch * span - p * stride) + unit * stride;
    EACH(LOAD)
    if (backwards) {
        EACH(SWAP)
    }
#ifdef TWIDDLED
    uint angle = p * PARAMETER(FFT_P_ANGLE);
    twiddle(v, true, angle * unit, angle << UNIT_BITS);
#endif
    butterfly(v);
#if LENGTH_BITS > SLOT_BITS + LAST_BITS
    exchange(v, lane, column_of(lane, FROM_BITS), unit, SLOT_BITS, LAST_BITS, false);
    twiddle(v, false, 0u, unit >> LAST_BITS << (32 - 2 * SLOT_BITS));
    butterfly(v);
    barrier();
#endif
    unit = unit_of(lane, TO_BITS);
    exchange(v, lane, column_of(lane, TO_BITS), unit, LAST_BITS, 0, true);
    butterflies(v, unit << (32 - LENGTH_BITS));
    if (backwards) {
        EACH(SWAP)
    }
    id = group << WIDTH_BITS | column_of(lane, TO_BITS);
    if (id < columns) {
        batch = divide(id, PARAMETER(FFT_P_SPAN_M), PARAMETER(FFT_P_SPAN_S));
        uint target = PARAMETER(FFT_P_TO) + (batch * span << LENGTH_BITS) + (id - batch * span) + unit * span;
        EACH(STORE)
    }
}
