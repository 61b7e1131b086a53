// Logarithms. GLSL's may have errors of 2^-21 near 1, where the result can be smaller than that. x
// is m * 2^e with m in sqrt(1/2) .. sqrt(2), and log(m) is the series of Moshier (Cephes, logf).
float rill_series(float x, out float e, out float f)
{
    bool tiny = x < 1.1754944e-38;
    uint w = floatBitsToUint(tiny ? x * 33554432.0 : x) - 0x3f3504f3u;
    e = float(int(w) >> 23) - (tiny ? 25.0 : 0.0);
    f = uintBitsToFloat((w & 0x7fffffu) + 0x3f3504f3u) - 1.0;
    float p = 7.0376836292e-2;
    p = p * f - 1.1514610310e-1;
    p = p * f + 1.1676998740e-1;
    p = p * f - 1.2420140846e-1;
    p = p * f + 1.4249322787e-1;
    p = p * f - 1.6668057665e-1;
    p = p * f + 2.0000714765e-1;
    p = p * f - 2.4999993993e-1;
    p = p * f + 3.3333331174e-1;
    return f * f * (f * p);
}

// Returns r, except for zeros, infinities, NaNs and negative numbers.
float rill_logarithm(float x, float r)
{
    uint w = floatBitsToUint(x);
    return w - 1u < 0x7f7fffffu ? r : (w & 0x7fffffffu) > 0x7f800000u || w == 0x7f800000u ? x
        : uintBitsToFloat((w & 0x7fffffffu) == 0u ? 0xff800000u : 0x7fc00000u);
}

float rill_log(float x)
{
    float e, f, y = rill_series(x, e, f);
    precise float r = e * 0.693359375 + (f + (y - e * 2.12194440e-4 - 0.5 * (f * f)));
    return rill_logarithm(x, r);
}

float rill_log2(float x)
{
    float e, f, y = rill_series(x, e, f);
    y -= 0.5 * (f * f);
    precise float r = e + (f + (y + (f * 0.44269504 + y * 0.44269504)));
    return rill_logarithm(x, r);
}
