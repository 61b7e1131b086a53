// Functions of complex numbers, which are vectors of two components. This text is written once for floats and once for
// doubles (prelude.c), with the macros
//   RILL_R, RILL_V      the types of real and of complex numbers
//   RILL_WIDE           defined for doubles
//   RILL_cmul ...       defined for each function that is needed
// Numbers whose squares could overflow or underflow are multiplied by a power of two first.
#ifdef RILL_WIDE
#define RILL_LARGE 3.1217485503159922e144lf // 2^480
#define RILL_SMALL 3.2033332951929223e-145lf
#define RILL_UP 1.3407807929942597e154lf // 2^512
#define RILL_INFINITE(x) (unpackDouble2x32(x) == uvec2(0u, 0x7ff00000u)) // of x >= 0
#define RILL_DOWN 7.4583407312002067e-155lf
#else
#define RILL_LARGE 1.152921504606846976e18 // 2^60
#define RILL_SMALL 8.6736173798840355e-19
#define RILL_UP 1.8446744073709551616e19 // 2^64
#define RILL_INFINITE(x) (floatBitsToUint(x) == 0x7f800000u)
#define RILL_DOWN 5.4210108624275222e-20
#endif

#ifdef RILL_cmul
RILL_V rill_cmul(RILL_V a, RILL_V b) { return RILL_V(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
#endif

#ifdef RILL_conj
RILL_V rill_conj(RILL_V z) { return RILL_V(z.x, -z.y); }
#endif

#ifdef RILL_cdiv
// Returns the power of two by which z is multiplied, and its reciprocal.
RILL_R rill_complex_scale(RILL_V z, out RILL_R back)
{
    RILL_R m = max(abs(z.x), abs(z.y));
    bool large = m > RILL_LARGE, small = m < RILL_SMALL;
    back = large ? RILL_UP : small ? RILL_DOWN : RILL_R(1);
    return large ? RILL_DOWN : small ? RILL_UP : RILL_R(1);
}

// Smith's algorithm (1962) for numbers in a range in which it neither overflows nor underflows.
RILL_V rill_cdiv(RILL_V a, RILL_V b)
{
    RILL_R up, down;
    RILL_R s = rill_complex_scale(a, up), t = rill_complex_scale(b, down);
    precise RILL_V p = a * s, q = b * t;
    bool steep = abs(q.x) < abs(q.y);
    RILL_R high = steep ? q.y : q.x, low = steep ? q.x : q.y;
    RILL_V u = steep ? RILL_V(p.y, -p.x) : p;
    precise RILL_R r = high == RILL_R(0) ? low : low / high;
    precise RILL_R d = high + low * r;
    RILL_R turned = steep ? -r : r;
    precise RILL_V y = RILL_V((u.x + u.y * turned) / d, (u.y - u.x * turned) / d);
    precise RILL_V z = (y * up) * t;
    return up * t == RILL_R(1) ? y : z;
}
#endif

#ifdef RILL_cabs
RILL_R rill_cabs(RILL_V z)
{
    precise RILL_V a = abs(z);
    RILL_R m = max(a.x, a.y);
    bool large = m > RILL_LARGE, small = m < RILL_SMALL;
    precise RILL_V b = a * (large ? RILL_DOWN : small ? RILL_UP : RILL_R(1));
    precise RILL_R r = sqrt(b.x * b.x + b.y * b.y), y = r * (large ? RILL_UP : small ? RILL_DOWN : RILL_R(1));
    return RILL_INFINITE(a.x) ? a.x : RILL_INFINITE(a.y) ? a.y : y;
}
#endif

#ifdef RILL_cangle
#ifdef RILL_WIDE
double rill_cangle(dvec2 z) { return rill_wide_atan(z.y, z.x); }
#else
// GLSL does not define atan(0, 0), and the errors of its arc tangent may be 1e-5. The arc tangent of t in 0 .. 1 is reduced to
// |t| <= tan(pi / 8); (atan(t) / t - 1) / t^2 is a polynomial in t^2 that interpolates at the Chebyshev points.
float rill_cangle(vec2 z)
{
    float x = abs(z.x), y = abs(z.y), m = max(x, y), low = min(x, y);
    precise float t = RILL_INFINITE(low) ? 1.0 : m == 0.0 ? 0.0 : low / m;
    bool upper = t > 0.414213562;
    t = upper ? (t - 1.0) / (t + 1.0) : t;
    float q = t * t, p = -0.0645192787;
    p = p * q + 0.107437313; p = p * q - 0.142639562; p = p * q + 0.199995399; p = p * q - 0.333333313;
    precise float r = (upper ? 0.785398163 : 0.0) + (t + t * q * p);
    r = y > x ? 1.57079637 - r : r;
    r = (floatBitsToUint(z.x) & 0x80000000u) != 0u ? 3.14159274 - r : r;
    bool none = max(floatBitsToUint(x), floatBitsToUint(y)) > 0x7f800000u;
    r = none ? uintBitsToFloat(0x7fc00000u) : r;
    return uintBitsToFloat((floatBitsToUint(r) & 0x7fffffffu) | (floatBitsToUint(z.y) & 0x80000000u));
}
#endif
#endif

#ifdef RILL_cexp
// The exponential function of a large real part is multiplied in two steps, since the product with a sine may be in range.
RILL_V rill_cexp(RILL_V z)
{
    RILL_R e = rill_exp(z.x), c = rill_cos(z.y), s = rill_sin(z.y);
    bool large = RILL_INFINITE(e) && !RILL_INFINITE(z.x);
    RILL_R h = large ? rill_exp(RILL_R(0.5) * z.x) : RILL_R(1);
    e = large ? h : e;
    precise RILL_V r = RILL_V((e * c) * h, (e * s) * h);
    return z.y == RILL_R(0) ? RILL_V(r.x, z.y) : r;
}
#endif
#undef RILL_WIDE
#undef RILL_R
#undef RILL_V
#undef RILL_LARGE
#undef RILL_SMALL
#undef RILL_UP
#undef RILL_DOWN
#undef RILL_INFINITE
