// The derivative of lgamma. Between 1 and 2 a polynomial times the distance to the zero; other arguments below 8 are reduced to this
// interval by the recurrence (Abramowitz and Stegun 1964, 6.3.5); from 8 on the asymptotic series (6.3.18). Negative arguments are
// reflected (6.3.7). Floats are computed in doubles.
#ifdef RILL_WIDE
double rill_digamma(double x) {
    if (rill_nan_double(x)) return x;
    if (x == 0.0lf) return -1.0lf / x;
    if (x < 0.0lf && (rill_inf_double(x) || floor(x) == x)) return rill_none_double();
    if (x > 1.0e300lf) return rill_inf_double(x) ? x : rill_log(x);
    precise double b = x < 0.0lf ? 1.0lf - x : x, sum = 0.0lf, y;
    if (b >= 8.0lf) {
        precise double z = 1.0lf / (b * b), c = -3617.0lf / 8160.0lf;
        c = c * z + 1.0lf / 12.0lf; c = c * z - 691.0lf / 32760.0lf; c = c * z + 1.0lf / 132.0lf;
        c = c * z - 1.0lf / 240.0lf; c = c * z + 1.0lf / 252.0lf; c = c * z - 1.0lf / 120.0lf; c = c * z + 1.0lf / 12.0lf;
        y = rill_log(b) - (0.5lf / b + z * c);
    } else {
        if (b < 1.0lf) { sum = -1.0lf / b; b += 1.0lf; }
        if (b > 2.0lf) { b -= 1.0lf; sum = 1.0lf / b; }
        if (b > 2.0lf) { b -= 1.0lf; sum += 1.0lf / b; }
        if (b > 2.0lf) { b -= 1.0lf; sum += 1.0lf / b; }
        if (b > 2.0lf) { b -= 1.0lf; sum += 1.0lf / b; }
        if (b > 2.0lf) { b -= 1.0lf; sum += 1.0lf / b; }
        if (b > 2.0lf) { b -= 1.0lf; sum += 1.0lf / b; }
        precise double t = b - 1.5lf, p = -1.7312261802727394e-4lf;
        p = p * t + 2.5968482126430747e-4lf; p = p * t - 1.5148586836773365e-4lf; p = p * t + 2.272331660987376e-4lf;
        p = p * t - 4.8219905305667889e-4lf; p = p * t + 7.2332662792875537e-4lf; p = p * t - 1.0376374098418604e-3lf;
        p = p * t + 1.5566317474486838e-3lf; p = p * t - 2.3452676325407692e-3lf; p = p * t + 3.5190064015022762e-3lf;
        p = p * t - 5.2799648732574046e-3lf; p = p * t + 7.9269446464037968e-3lf; p = p * t - 0.011908218001568644lf;
        p = p * t + 0.0179072524394512lf; p = p * t - 0.026975796756138249lf; p = p * t + 0.040760833812420738lf;
        p = p * t - 0.061922133273064534lf; p = p * t + 0.09498872445494122lf; p = p * t - 0.14840492305390884lf;
        p = p * t + 0.24054248424077421lf; p = p * t - 0.42362742128146053lf; p = p * t + 0.95105587603183295lf;
        y = ((b - 1.4616321449683622lf) - 9.5499954299656977e-17lf) * p + sum;
    }
    if (x < 0.0lf) { // pi / tan(pi x) = s arch(s^2) pi / (r arch(r^2)) with s = 1/2 - |r|
        precise double r = x - roundEven(x), s = 0.5lf - abs(r);
        y -= 3.1415926535897931lf * (s * rill_arch(s * s)) / (r * rill_arch(r * r));
    }
    return y;
}
#else
float rill_digamma(float x) {
    precise double y = rill_digamma(double(x));
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : abs(y) < 3.40282357e38lf ? float(y)
        : rill_nan_double(y) ? uintBitsToFloat(0x7fc00000u) : uintBitsToFloat(y < 0.0lf ? 0xff800000u : 0x7f800000u);
}
#endif
