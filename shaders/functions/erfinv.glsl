// The inverse of the error function: erfinv(x) / x is a smooth function of w = -log(1 - x^2) or of its root (M. Giles,
// "Approximating the erfinv function", GPU Computing Gems 2011). For doubles a step of Halley's iteration follows.
#ifdef RILL_WIDE
double rill_erfinv(double x) {
    precise double a = abs(x), rest = 1.0lf - a, w = -rill_log(rest * (1.0lf + a)), p, t, y;
    if (!(a < 1.0lf)) return a == 1.0lf ? x * rill_infinity_double() : rill_none_double();
    if (a < 1.0e-9lf) {
        y = 0.88622692545275801365lf * x;
        return x == 0.0lf ? x : y;
    }
    if (w < 5.0lf) {
        t = w - 2.5lf; p = 3.5618084332182788e-7lf;
        p = p * t - 3.173345401025414e-6lf; p = p * t - 4.533462917885738e-6lf; p = p * t + 2.1721999192199742e-4lf;
        p = p * t - 1.2532781863537248e-3lf; p = p * t - 4.1759926163762217e-3lf; p = p * t + 0.24664038783754394lf;
        p = p * t + 1.5014090909660742lf;
    } else {
        t = sqrt(w) - 4.0lf; p = -1.4330458829792461e-7lf;
        p = p * t - 2.5933858472994952e-6lf; p = p * t + 2.2287560919886231e-5lf; p = p * t - 5.8918113699808575e-5lf;
        p = p * t + 6.7646143262659042e-5lf; p = p * t - 8.0793603528995752e-5lf; p = p * t + 2.9491109000415986e-4lf;
        p = p * t - 8.8817369601020132e-4lf; p = p * t + 1.2729884635479497e-3lf; p = p * t + 1.0094957721121354lf;
        p = p * t + 3.8397828622158268lf;
    }
    y = p * a;
    precise double f = a < 0.46875lf ? rill_erf(y) - a : rest - rill_erfc(y), d = f / (1.1283791670955126lf * rill_bell(y));
    y -= d / (1.0lf + d * y);
    return x < 0.0lf ? -y : y;
}
#else
float rill_erfinv(float x) {
    precise float a = abs(x), w = -rill_log((1.0 - a) * (1.0 + a)), t = w - 2.5, s = sqrt(w) - 3.0;
    precise float p = -8.93192597e-9;
    p = p * t + 2.33359672e-8; p = p * t + 4.68131348e-7; p = p * t - 3.46398527e-6; p = p * t - 4.97241969e-6;
    p = p * t + 2.18349386e-4; p = p * t - 1.25272639e-3; p = p * t - 4.17739288e-3; p = p * t + 0.246640279;
    p = p * t + 1.50140936;
    precise float q = 1.07486614e-4;
    q = q * s - 3.01109982e-4; q = q * s - 4.50347701e-5; q = q * s + 1.47413078e-3; q = q * s - 3.60351697e-3;
    q = q * s + 5.69140795e-3; q = q * s - 7.63596258e-3; q = q * s + 9.44472151e-3; q = q * s + 1.00167488;
    q = q * s + 2.83297681;
    precise float y = x * (w < 5.0 ? p : q);
    return a < 1.0 ? (x == 0.0 ? x : y) : uintBitsToFloat(a == 1.0 ? floatBitsToUint(x) + 0x40000000u : 0x7fc00000u);
}
#endif
