// The logarithm of the absolute value of the gamma function. lgamma(2 + t) / t is a polynomial for -3/4 <= t < 1/2; arguments
// below 8 are reduced to this interval; from 8 on it is Stirling's series (Abramowitz and Stegun 1964, 6.1.41). Negative arguments
// are reflected. Floats are computed in doubles.
#ifdef RILL_WIDE
double rill_lgamma(double x) {
    precise double a = abs(x), y;
    if (rill_nan_double(x)) return x;
    if (rill_inf_double(x) || x == 0.0lf || (x < 0.0lf && floor(x) == x)) return rill_infinity_double();
    precise double r = rill_wave(x), d = abs(x * (r * rill_arch(r * r))); // Gamma(x) Gamma(-x) = -1 / d
    bool reflected = x <= -0.5lf;
    precise double b = reflected ? a : x, t;
    if (b >= 8.0lf) {
        precise double i = 1.0lf / b, v = i * i, c = -174611.0lf / 125400.0lf;
        c = c * v + 43867.0lf / 244188.0lf; c = c * v - 3617.0lf / 122400.0lf; c = c * v + 1.0lf / 156.0lf;
        c = c * v - 691.0lf / 360360.0lf; c = c * v + 1.0lf / 1188.0lf; c = c * v - 1.0lf / 1680.0lf;
        c = c * v + 1.0lf / 1260.0lf; c = c * v - 1.0lf / 360.0lf; c = c * v + 1.0lf / 12.0lf;
        y = (b - 0.5lf) * (rill_log(b) - 1.0lf) + (0.41893853320467274178lf + c * i);
    } else {
        precise double up = 1.0lf, down = 1.0lf;
        if (b < 0.5lf) { down = abs(b) * (b + 1.0lf); t = b; }
        else if (b < 1.25lf) { down = b; t = b - 1.0lf; }
        else {
            if (b >= 2.5lf) { b -= 1.0lf; up = b; }
            if (b >= 2.5lf) { b -= 1.0lf; up *= b; }
            if (b >= 2.5lf) { b -= 1.0lf; up *= b; }
            if (b >= 2.5lf) { b -= 1.0lf; up *= b; }
            if (b >= 2.5lf) { b -= 1.0lf; up *= b; }
            if (b >= 2.5lf) { b -= 1.0lf; up *= b; }
            t = b - 2.0lf;
        }
        precise double u = t + 0.125lf, p = -1.4427747303509595e-7lf;
        p = p * u + 2.8342040728488601e-7lf; p = p * u - 2.6216632239192587e-7lf; p = p * u + 5.203823067656982e-7lf;
        p = p * u - 1.2965312292685724e-6lf; p = p * u + 2.5833404356819176e-6lf; p = p * u - 5.0405615831423335e-6lf;
        p = p * u + 1.013857293477576e-5lf; p = p * u - 2.0546941269577577e-5lf; p = p * u + 4.1841672931474319e-5lf;
        p = p * u - 8.5903551444812266e-5lf; p = p * u + 1.7820358826627693e-4lf; p = p * u - 3.7458127149519479e-4lf;
        p = p * u + 8.0121148081342371e-4lf; p = p * u - 1.755291937174362e-3lf; p = p * u + 3.9801636893904849e-3lf;
        p = p * u - 9.5107480096946889e-3lf; p = p * u + 0.024776589244005016lf; p = p * u - 0.075823675201534116lf;
        p = p * u + 0.34033129507247123lf; p = p * u + 0.3813814831935064lf;
        precise double l = rill_log(up > 1.0lf ? up : down);
        y = t * p + (up > 1.0lf ? l : -l);
    }
    y = reflected ? -rill_log(d) - y : y;
    return y;
}
#else
float rill_lgamma(float x) {
    precise double y = rill_lgamma(double(x));
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : y < 3.40282357e38lf ? float(y)
        : uintBitsToFloat(0x7f800000u);
}
#endif
