// The cube root by Halley's iteration. Before the last step the approximation t is rounded to half of the digits, so that its
// square is exact.
#ifdef RILL_WIDE
double rill_cbrt(double x) {
    if (rill_nan_double(x) || rill_inf_double(x) || x == 0.0lf) return x;
    precise double a = abs(x), scale = 1.0lf;
    if (a < 2.2250738585072014e-308lf) { a *= 18014398509481984.0lf; scale = 3.814697265625e-6lf; } // 2^54, 2^-18
    precise double t = packDouble2x32(uvec2(0u, unpackDouble2x32(a).y / 3u + 715094163u)), r;
    for (int i = 0; i < 2; i++) {
        r = a / (t * t);
        t += t * ((r - t) / (2.0lf * t + r));
    }
    uvec2 w = unpackDouble2x32(t);
    t = packDouble2x32(uvec2(w.x & 0xf8000000u, w.y));
    r = a / (t * t);
    t += t * ((r - t) / (2.0lf * t + r));
    t *= scale;
    return x < 0.0lf ? -t : t;
}
#else
float rill_cbrt(float x) {
    uint w = floatBitsToUint(x) & 0x7fffffffu;
    if (w == 0u || w >= 0x7f800000u) return x;
    bool tiny = w < 0x800000u;
    precise float a = tiny ? abs(x) * 16777216.0 : abs(x);
    precise float t = uintBitsToFloat(floatBitsToUint(a) / 3u + 709958130u), r = a / (t * t);
    t += t * ((r - t) / (2.0 * t + r));
    t = uintBitsToFloat(floatBitsToUint(t) + 0x800u & 0xfffff000u);
    r = a / (t * t);
    t += t * ((r - t) / (2.0 * t + r));
    t = tiny ? t * 0.00390625 : t;
    return x < 0.0 ? -t : t;
}
#endif
