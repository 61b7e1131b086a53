// log(1 + x) without cancellation near 0: the logarithm of the rounded sum u = 1 + x, and the rounding error of u divided by u.
#ifdef RILL_WIDE
double rill_log1p(double x) {
    if (rill_nan_double(x) || abs(x) < 5.0e-17lf) return x;
    if (x <= -1.0lf) return x == -1.0lf ? -rill_infinity_double() : rill_none_double();
    if (rill_inf_double(x)) return x;
    precise double u = 1.0lf + x, rest = x < 1.0lf ? x - (u - 1.0lf) : 1.0lf - (u - x);
    uvec2 w = unpackDouble2x32(u);
    int e = int(w.y >> 20) - 1023;
    precise double m = packDouble2x32(uvec2(w.x, (w.y & 0xfffffu) | 0x3ff00000u));
    if (m > 1.4142135623730951lf) { m *= 0.5lf; e++; }
    // log(1 + f) = f - (h - s (h + z p)) with h = f^2 / 2 and s = f / (2 + f), z = s^2
    precise double f = m - 1.0lf, s = f / (2.0lf + f), z = s * s, h = 0.5lf * f * f, k = double(e);
    precise double p = 2.0lf / 23.0lf;
    p = p * z + 2.0lf / 21.0lf; p = p * z + 2.0lf / 19.0lf; p = p * z + 2.0lf / 17.0lf; p = p * z + 2.0lf / 15.0lf;
    p = p * z + 2.0lf / 13.0lf; p = p * z + 2.0lf / 11.0lf; p = p * z + 2.0lf / 9.0lf; p = p * z + 2.0lf / 7.0lf;
    p = p * z + 2.0lf / 5.0lf; p = p * z + 2.0lf / 3.0lf;
    precise double r = k * 0.6931471803691238lf + (f - (h - (s * (h + z * p) + (k * 1.9082149292705877e-10lf + rest / u))));
    return r;
}
#else
float rill_log1p(float x) {
    precise float u = 1.0 + x, rest = x < 1.0 ? x - (u - 1.0) : 1.0 - (u - x);
    float e, f, y = rill_series(u, e, f);
    precise float r = e * 0.693359375 + (f + (y - e * 2.12194440e-4 - 0.5 * (f * f) + rest / u));
    return abs(x) < 3.0e-8 ? x : x > -1.0 && x < 3.0e38 ? r : rill_logarithm(u, r);
}
#endif
