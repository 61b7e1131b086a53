// exp(x) - 1 without cancellation near 0: x = k ln 2 + r (Cody and Waite 1980), exp(r) - 1 = r + r^2 p(r), and the result is
// 2^k (exp(r) - 1) + (2^k - 1), whose second term is exact.
#ifdef RILL_WIDE
double rill_expm1(double x) {
    if (rill_nan_double(x) || x == 0.0lf) return x;
    if (x > 709.79lf) return rill_infinity_double();
    if (x < -40.0lf) return -1.0lf;
    precise double k = floor(x * 1.4426950408889634lf + 0.5lf);
    precise double r = (x - k * 0.6931471803691238lf) - k * 1.9082149292705877e-10lf;
    precise double p = 2.091488256348507e-9lf;
    p = p * r + 2.5105490906986696e-8lf; p = p * r + 2.7557273171941026e-7lf; p = p * r + 2.7557254740405416e-6lf;
    p = p * r + 2.4801587325920163e-5lf; p = p * r + 1.9841269875342141e-4lf; p = p * r + 1.3888888888883642e-3lf;
    p = p * r + 8.3333333333259849e-3lf; p = p * r + 0.041666666666666671lf; p = p * r + 0.16666666666666671lf;
    p = p * r + 0.5lf;
    precise double q = r + r * r * p;
    int n = int(k), part = n / 2;
    precise double s = n > 52 ? (q + 1.0lf) * rill_two_double(part) * rill_two_double(n - part)
        : q * rill_two_double(n) + (rill_two_double(n) - 1.0lf);
    return n == 0 ? q : s;
}
#else
float rill_expm1(float x) {
    precise float c = clamp(x, -18.0, 89.0), k = floor(c * 1.44269504 + 0.5);
    precise float r = (c - k * 0.693359375) + k * 2.12194440e-4;
    precise float p = 1.98912473e-4;
    p = p * r + 1.3933881e-3; p = p * r + 8.33331069e-3; p = p * r + 0.0416664628; p = p * r + 0.166666667;
    p = p * r + 0.5;
    precise float q = r + r * r * p;
    int n = int(k), part = n / 2;
    precise float s = uintBitsToFloat(uint(part + 127) << 23), t = uintBitsToFloat(uint(n - part + 127) << 23);
    precise float y = n > 23 ? (q + 1.0) * s * t : q * (s * t) + (s * t - 1.0);
    y = n == 0 ? q : y;
    return x == 0.0 || (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : y;
}
#endif
