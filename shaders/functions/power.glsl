// x^y is 2^(y log2(x)), whose exponent needs a third more digits than a float has. |x| is m * 2^e
// with m in sqrt(1/2) .. sqrt(2). With s = (m - 1) / (m + 1), log2(m) is s times the minimax
// polynomial in s^2 for the relative error, 2^-37. Special values are as in C's powf.
float rill_pow(float x, float y)
{
    float a = abs(x);
    bool tiny = a < 1.1754944e-38;
    uint w = floatBitsToUint(tiny ? a * 33554432.0 : a) - 0x3f3504f3u;
    double f = double(uintBitsToFloat((w & 0x7fffffu) + 0x3f3504f3u)), s = (f - 1.0lf) / (f + 1.0lf), z = s * s;
    double p = 0.3407593503776425lf;
    p = p * z + 0.41167113480570605lf;
    p = p * z + 0.5770836115794369lf;
    p = p * z + 0.9617966732000267lf;
    p = p * z + 2.8853900817902197lf;
    double t = double(y) * (double((int(w) >> 23) - (tiny ? 25 : 0)) + s * p);
    float m = floor(clamp(float(t), -151.0, 129.0) * 0.5 + 0.5);
    float v = rill_power(0.0, m, clamp(float((t - double(2.0 * m)) * 0.6931471805599453lf), -0.7, 0.7));
    uint sign = floatBitsToUint(x) & 0x80000000u, size = floatBitsToUint(a), far = floatBitsToUint(y) & 0x7fffffffu;
    bool whole = floor(y) == y, odd = y * 0.5 - floor(y * 0.5) == 0.5;
    uint r = a == 0.0 || size == 0x7f800000u ? (a == 0.0) == (y < 0.0) ? 0x7f800000u : 0u : floatBitsToUint(v);
    r = sign != 0u && size - 1u < 0x7f7fffffu && !whole ? 0x7fc00000u : r ^ (odd ? sign : 0u);
    r = size > 0x7f800000u || far > 0x7f800000u ? 0x7fc00000u : r;
    return y == 0.0 || x == 1.0 || (a == 1.0 && far == 0x7f800000u) ? 1.0 : uintBitsToFloat(r);
}
