// The derivative of digamma: the asymptotic series (Abramowitz and Stegun 1964, 6.4.12) from 8 on, reached by the recurrence
// (6.4.6). Negative arguments are reflected (6.4.7). Floats are computed in doubles.
#ifdef RILL_WIDE
double rill_trigamma(double x) {
    if (rill_nan_double(x)) return x;
    if (x == 0.0lf) return rill_infinity_double();
    if (x < 0.0lf && (rill_inf_double(x) || floor(x) == x)) return rill_inf_double(x) ? rill_none_double() : rill_infinity_double();
    if (x > 1.0e150lf) return 1.0lf / x;
    precise double b = x < 0.0lf ? 1.0lf - x : x, sum = 0.0lf, y;
    if (b < 8.0lf) { sum = 1.0lf / (b * b); b += 1.0lf; }
    if (b < 8.0lf) { sum += 1.0lf / (b * b); b += 1.0lf; }
    if (b < 8.0lf) { sum += 1.0lf / (b * b); b += 1.0lf; }
    if (b < 8.0lf) { sum += 1.0lf / (b * b); b += 1.0lf; }
    if (b < 8.0lf) { sum += 1.0lf / (b * b); b += 1.0lf; }
    if (b < 8.0lf) { sum += 1.0lf / (b * b); b += 1.0lf; }
    if (b < 8.0lf) { sum += 1.0lf / (b * b); b += 1.0lf; }
    if (b < 8.0lf) { sum += 1.0lf / (b * b); b += 1.0lf; }
    precise double i = 1.0lf / b, z = i * i, c = 43867.0lf / 798.0lf;
    c = c * z - 3617.0lf / 510.0lf; c = c * z + 7.0lf / 6.0lf; c = c * z - 691.0lf / 2730.0lf; c = c * z + 5.0lf / 66.0lf;
    c = c * z - 1.0lf / 30.0lf; c = c * z + 1.0lf / 42.0lf; c = c * z - 1.0lf / 30.0lf; c = c * z + 1.0lf / 6.0lf;
    y = sum + (i + (0.5lf * z + c * z * i));
    precise double r = x - roundEven(x), s = r * rill_arch(r * r), q = 1.0lf / (s * s) - y; // (pi / sin(pi x))^2 = 1 / s^2
    return x < 0.0lf ? q : y;
}
#else
float rill_trigamma(float x) {
    precise double y = rill_trigamma(double(x));
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : y < 3.40282357e38lf ? float(y)
        : uintBitsToFloat(rill_nan_double(y) ? 0x7fc00000u : 0x7f800000u);
}
#endif
