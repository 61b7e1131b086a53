// Complex numbers: R is their real type. `way` is 1, or -1 for the inverse transform. A shader that
// has only the forward transform defines it as a macro before.
#ifdef DOUBLE
#define R double
R scale() { return packDouble2x32(uvec2(PARAMETER(FFT_P_SCALE), PARAMETER(FFT_P_SCALE + 1))); }
#else
#define R float
R scale() { return uintBitsToFloat(PARAMETER(FFT_P_SCALE)); }
#endif
#ifndef way
float way() { return uintBitsToFloat(PARAMETER(FFT_P_SIGN)); }
#endif

// times: a w, for one or two numbers. turn(a): -i a, or i a for the inverse transform.
vec2 times(vec2 a, vec2 w) { return a * w.x + vec2(-a.y, a.x) * w.y; }
vec4 times(vec4 a, vec2 w) { return a * w.x + vec4(-a.y, a.x, -a.w, a.z) * w.y; }
vec4 times(vec4 a, vec4 w) { return a * w.xxzz + vec4(-a.y, a.x, -a.w, a.z) * w.yyww; }
vec2 turn(vec2 a) { return vec2(a.y, -a.x) * way(); }
vec4 turn(vec4 a) { return vec4(a.y, -a.x, a.w, -a.z) * way(); }
#ifdef DOUBLE
dvec2 times(dvec2 a, dvec2 w) { return a * w.x + dvec2(-a.y, a.x) * w.y; }
dvec2 turn(dvec2 a) { return dvec2(a.y, -a.x) * way(); }
#endif

// Returns n / d, given the multiplier and shift of access_divisor.
uint divide(uint n, uint multiplier, uint shift)
{
    uint high, low;
    umulExtended(n << 1u, multiplier, high, low);
    return high >> shift;
}
