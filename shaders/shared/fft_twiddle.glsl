// Twiddle factors of a pass, which FACTOR(i) reads from the table of registers.c. W: the type of a factor, or of two factors for
// the columns of an element of type C. LOW: the factors 1 to LOW and the multiples of LOW + 1 are in the table, the others
// are products.

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
