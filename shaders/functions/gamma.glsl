// The gamma function. Below 8 it is reduced to 1 / Gamma(2 + t), a polynomial for |t| <= 1/2. From 8 on it is Stirling's series
// (Abramowitz and Stegun 1964, 6.1.40) with the power x^(x - 1/2) exp(-x) in pairs of doubles (Dekker 1971). Negative arguments are
// reflected (6.1.17). Floats are computed in doubles, which makes nearly all of them correctly rounded.
#ifdef RILL_WIDE
// exp(corr) x^(x - 1/2) exp(-x) = s 2^n for 8 <= x < 200.
double rill_stirling(double x, out int n) {
    uvec2 w = unpackDouble2x32(x);
    int e = int(w.y >> 20) - 1023;
    precise double m = packDouble2x32(uvec2(w.x, (w.y & 0xfffffu) | 0x3ff00000u));
    if (m > 1.4142135623730951lf) { m *= 0.5lf; e++; }
    precise double k = double(e), f = m - 1.0lf, g = 2.0lf + f, rest = f - (g - 2.0lf), s = f / g;
    precise double low = (rill_less_double(f, s, g) - s * rest) / g, z = s * s, p = 1.0lf / 23.0lf;
    p = p * z + 1.0lf / 21.0lf; p = p * z + 1.0lf / 19.0lf; p = p * z + 1.0lf / 17.0lf; p = p * z + 1.0lf / 15.0lf;
    p = p * z + 1.0lf / 13.0lf; p = p * z + 1.0lf / 11.0lf; p = p * z + 1.0lf / 9.0lf; p = p * z + 1.0lf / 7.0lf;
    p = p * z + 1.0lf / 5.0lf; p = p * z + 1.0lf / 3.0lf;
    low = 2.0lf * low + (2.0lf * s * z * p + k * 1.9082149292705877e-10lf);
    precise double whole = k * 0.6931471803691238lf, sum = whole + 2.0lf * s; // log(x) = sum + low
    low += 2.0lf * s - (sum - whole);
    whole = sum + low;
    low -= whole - sum;
    precise double error, y = rill_product_double(x - 0.5lf, whole, error), t = y - x; // (x - 1/2) log(x) - x = t + low
    low = (x - 0.5lf) * low + error + ((y - (t + (y - t))) + ((y - t) - x));
    precise double i = 1.0lf / x, v = i * i, c = -174611.0lf / 125400.0lf;
    c = c * v + 43867.0lf / 244188.0lf; c = c * v - 3617.0lf / 122400.0lf; c = c * v + 1.0lf / 156.0lf;
    c = c * v - 691.0lf / 360360.0lf; c = c * v + 1.0lf / 1188.0lf; c = c * v - 1.0lf / 1680.0lf;
    c = c * v + 1.0lf / 1260.0lf; c = c * v - 1.0lf / 360.0lf; c = c * v + 1.0lf / 12.0lf;
    k = floor(t * 1.4426950408889634lf + 0.5lf);
    precise double r = (t - k * 0.6931471803691238lf) + (low + c * i - k * 1.9082149292705877e-10lf);
    n = int(k);
    precise double q = rill_exp(r) * 2.5066282746310005024lf;
    return q;
}

double rill_gamma(double x) {
    precise double a = abs(x), y;
    if (rill_nan_double(x)) return x;
    if (x == 0.0lf) return 1.0lf / x;
    if (x < 0.0lf && (rill_inf_double(x) || floor(x) == x)) return rill_none_double();
    if (x > 171.7lf) return rill_infinity_double();
    precise double r = rill_wave(x), d = x * (r * rill_arch(r * r)); // Gamma(x) Gamma(-x) = -1 / d
    if (x < -190.0lf) return r < 0.0lf ? -0.0lf : 0.0lf;
    if (a >= 8.0lf) {
        int n, part;
        precise double s = rill_stirling(a, n);
        if (x < 0.0lf) { s = 1.0lf / (-d * s); n = -n; }
        part = n / 2;
        y = s * rill_two_double(part) * rill_two_double(n - part);
        return y;
    }
    bool reflected = x <= -0.5lf;
    precise double b = reflected ? a : x, up = 1.0lf, down = 1.0lf;
    if (b < 0.5lf) { down = b * (b + 1.0lf); b += 2.0lf; }
    else if (b < 1.5lf) { down = b; b += 1.0lf; }
    if (b >= 2.5lf) { b -= 1.0lf; up = b; }
    if (b >= 2.5lf) { b -= 1.0lf; up *= b; }
    if (b >= 2.5lf) { b -= 1.0lf; up *= b; }
    if (b >= 2.5lf) { b -= 1.0lf; up *= b; }
    if (b >= 2.5lf) { b -= 1.0lf; up *= b; }
    if (b >= 2.5lf) { b -= 1.0lf; up *= b; }
    precise double t = b - 2.0lf, p = -1.2682581353935384e-9lf;
    if (!reflected && x < 0.5lf) t = x; // without the rounding of x + 2
    p = p * t - 1.9994104549517798e-7lf; p = p * t + 1.3388820307344644e-6lf; p = p * t - 2.5909017662760386e-6lf;
    p = p * t - 1.7545924554264767e-5lf; p = p * t + 1.4559646753133229e-4lf; p = p * t - 3.6083781058715277e-4lf;
    p = p * t - 8.0432980409428259e-4lf; p = p * t + 8.0232730220312545e-3lf; p = p * t - 0.017645244548956805lf;
    p = p * t - 0.024552490005396329lf; p = p * t + 0.19109110138767293lf; p = p * t - 0.23309373642178674lf;
    p = p * t - 0.42278433509846714lf;
    precise double q = down * (1.0lf + t * p);
    y = reflected ? q / (-d * up) : up / q;
    return y;
}
#else
float rill_gamma(float x) {
    precise double y = rill_gamma(double(x));
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : abs(y) < 3.40282357e38lf ? float(y)
        : rill_nan_double(y) ? uintBitsToFloat(0x7fc00000u) : uintBitsToFloat(y < 0.0lf ? 0xff800000u : 0x7f800000u);
}
#endif
