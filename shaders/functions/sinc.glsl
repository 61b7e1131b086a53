// sin(pi x) / (pi x). The distance r to the nearest integer is exact; rill_arch(r^2) is sin(pi r) / (pi r) for |r| <= 1/2, so that
// pi itself is not needed.
#ifdef RILL_WIDE
double rill_arch(double z) {
    precise double p = -7.114052818770147e-9lf;
    p = p * z + 2.5303274566671434e-7lf; p = p * z - 6.9758512121423482e-6lf; p = p * z + 1.4842878972770888e-4lf;
    p = p * z - 2.3460810351701679e-3lf; p = p * z + 0.026147847817640922lf; p = p * z - 0.19075182412208389lf;
    p = p * z + 0.81174242528335361lf; p = p * z - 1.6449340668482264lf;
    precise double r = 1.0lf + z * p;
    return r;
}

// The distance of x to the nearest integer, with the opposite sign if the integer is odd: sin(pi x) = pi r rill_arch(r^2).
double rill_wave(double x) {
    precise double n = roundEven(x), r = x - n;
    return n - 2.0lf * floor(n * 0.5lf) == 1.0lf ? -r : r;
}

double rill_sinc(double x) {
    precise double r = rill_wave(x), y = x == 0.0lf ? 1.0lf : r / x * rill_arch(r * r);
    return y;
}
#else
float rill_sinc(float x) {
    precise float n = roundEven(x), r = x - n, z = r * r;
    r = n - 2.0 * floor(n * 0.5) == 1.0 ? -r : r;
    precise float p = -2.25506282e-3;
    p = p * z + 0.0261280589; p = p * z - 0.190750062; p = p * z + 0.81174237; p = p * z - 1.64493407;
    precise float y = x == 0.0 ? 1.0 : r / x * (1.0 + z * p);
    return y;
}
#endif
