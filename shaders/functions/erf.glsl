// The error function and 1 minus it. For doubles by W. J. Cody, "Rational Chebyshev approximations for the error function",
// Math. Comp. 23 (1969). For floats, erfc(x) (1 + 2 x) exp(x^2) is a polynomial in (x - 2) / (x + 2), after M. M. Shepherd and
// J. G. Laframboise, "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x in 0 <= x < inf", Math. Comp. 36 (1981).
#ifdef RILL_WIDE
double rill_bell(double x) { // exp(-x^2)
    precise double rest, s = rill_product_double(x, x, rest), y = rill_exp(-s) * (1.0lf - rest);
    return y;
}

double rill_erf_near(double z) { // erf(x) / x, z = x^2, |x| <= 0.46875
    precise double p = 0.185777706184603153lf, q = z + 23.6012909523441209lf;
    p = p * z + 3.1611237438705656lf; p = p * z + 113.864154151050156lf; p = p * z + 377.485237685302021lf;
    p = p * z + 3209.37758913846947lf;
    q = q * z + 244.024637934444173lf; q = q * z + 1282.61652607737228lf; q = q * z + 2844.23683343917062lf;
    precise double y = p / q;
    return y;
}

double rill_erf_far(double x) { // erfc(x), x > 0.46875
    precise double p, q, y;
    if (x <= 4.0lf) {
        p = 2.15311535474403846e-8lf; q = x + 15.7449261107098347lf;
        p = p * x + 0.564188496988670089lf; p = p * x + 8.88314979438837594lf; p = p * x + 66.1191906371416295lf;
        p = p * x + 298.635138197400131lf; p = p * x + 881.95222124176909lf; p = p * x + 1712.04761263407058lf;
        p = p * x + 2051.07837782607147lf; p = p * x + 1230.33935479799725lf;
        q = q * x + 117.693950891312499lf; q = q * x + 537.181101862009858lf; q = q * x + 1621.38957456669019lf;
        q = q * x + 3290.79923573345963lf; q = q * x + 4362.61909014324716lf; q = q * x + 3439.36767414372164lf;
        q = q * x + 1230.33935480374942lf;
        y = rill_bell(x) * (p / q);
        return y;
    }
    if (x > 28.0lf) return 0.0lf;
    precise double z = 1.0lf / (x * x);
    p = 0.0163153871373020978lf; q = z + 2.56852019228982242lf;
    p = p * z + 0.305326634961232344lf; p = p * z + 0.360344899949804439lf; p = p * z + 0.125781726111229246lf;
    p = p * z + 0.0160837851487422766lf; p = p * z + 6.5874916152983780e-4lf;
    q = q * z + 1.87295284992346725lf; q = q * z + 0.527905102951428412lf; q = q * z + 0.0605183413124413191lf;
    q = q * z + 2.33520497626869185e-3lf;
    y = rill_bell(x) * ((0.56418958354775628695lf - z * (p / q)) / x);
    return y;
}

double rill_erf(double x) {
    precise double a = abs(x), y = a <= 0.46875lf ? x * rill_erf_near(x * x) : 1.0lf - rill_erf_far(a);
    return rill_nan_double(x) || a <= 0.46875lf ? (x == 0.0lf ? x : y) : x < 0.0lf ? -y : y;
}

double rill_erfc(double x) {
    precise double a = abs(x), y = a <= 0.46875lf ? 1.0lf - x * rill_erf_near(x * x) : rill_erf_far(a);
    y = x < -0.46875lf ? 2.0lf - y : y;
    return rill_nan_double(x) ? x : y;
}
#else
float rill_erf_near(float z) { // erf(x) / x - 1, z = x^2, |x| <= 0.75
    precise float p = -6.75647957e-4;
    p = p * z + 5.11533211e-3; p = p * z - 0.0268351146; p = p * z + 0.112833865; p = p * z - 0.376126195;
    p = p * z + 0.128379166;
    return p;
}

float rill_erf_far(float x) { // erfc(x), x > 0.7. The square of `high` is exact
    precise float c = min(x, 12.0), high = uintBitsToFloat(floatBitsToUint(c) & 0xfffff000u), t = (c - 2.0) / (c + 2.0);
    precise float p = -1.04267117e-4;
    p = p * t - 1.38226206e-3; p = p * t + 1.10371469e-3; p = p * t + 8.71806831e-3; p = p * t - 8.0037037e-3;
    p = p * t - 0.0542205607; p = p * t + 0.164049148; p = p * t - 0.166030358; p = p * t - 0.0927637849;
    p = p * t + 1.27697838;
    precise float y = rill_exp(-high * high) * (rill_exp((high - c) * (high + c)) * (p / (1.0 + 2.0 * c)));
    return x > 10.06 ? 0.0 : y;
}

float rill_erf(float x) {
    precise float a = abs(x), near = x + x * rill_erf_near(x * x), far = 1.0 - rill_erf_far(a);
    float y = a <= 0.75 ? near : x < 0.0 ? -far : far;
    return x == 0.0 || (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : y;
}

float rill_erfc(float x) {
    precise float a = abs(x), near = 1.0 - (x + x * rill_erf_near(x * x)), far = rill_erf_far(a);
    far = x < 0.0 ? 2.0 - far : far;
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : x < 0.7 && a <= 0.75 ? near : far;
}
#endif
