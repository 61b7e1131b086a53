// Functions of doubles that GLSL has only for floats, in addition to those in doubles.glsl. The methods and constants
// are those of fdlibm (Sun Microsystems 1993: s_atan.c, e_asin.c, e_acos.c, e_atan2.c, s_expm1.c, s_log1p.c, e_sinh.c,
// e_cosh.c, s_tanh.c, s_asinh.c, e_acosh.c, e_atanh.c), except for the tangent, whose angle is reduced as that of the sine
// (Cody and Waite 1980), and the remainder.
bool rill_wide_tiny(double a) { return a < 3.7252902984619140625e-9lf; } // 2^-28

double rill_wide_signed(double r, double x) { // r with the sign of x
    uvec2 w = unpackDouble2x32(r);
    return packDouble2x32(uvec2(w.x, (w.y & 0x7fffffffu) | (unpackDouble2x32(x).y & 0x80000000u)));
}

double rill_wide_high(double x) { return packDouble2x32(uvec2(0u, unpackDouble2x32(x).y)); }

double rill_wide_tan(double x) {
    int q; precise double r = rill_turn_double(x, q);
    precise double s = rill_sine_double(r), c = rill_cosine_double(r), t = (q & 1) != 0 ? -c / s : s / c;
    return x == 0.0lf ? x : t;
}

double rill_wide_atan(double x) {
    precise double a = abs(x), t = a, high = 0.0lf, low = 0.0lf;
    if (rill_nan_double(x)) return x;
    if (a >= 73786976294838206464.0lf) return rill_wide_signed(1.57079632679489655800lf, x); // 2^66
    if (rill_wide_tiny(a)) return x;
    if (a >= 2.4375lf) { t = -1.0lf / a; high = 1.57079632679489655800lf; low = 6.12323399573676603587e-17lf; }
    else if (a >= 1.1875lf) { t = (a - 1.5lf) / (1.0lf + 1.5lf * a); high = 9.82793723247329054082e-1lf; low = 1.39033110312309984516e-17lf; }
    else if (a >= 0.6875lf) { t = (a - 1.0lf) / (a + 1.0lf); high = 7.85398163397448278999e-1lf; low = 3.06161699786838301793e-17lf; }
    else if (a >= 0.4375lf) { t = (2.0lf * a - 1.0lf) / (2.0lf + a); high = 4.63647609000806093515e-1lf; low = 2.26987774529616870924e-17lf; }
    precise double z = t * t, w = z * z, even = 1.62858201153657823623e-2lf, odd = -3.65315727442169155270e-2lf;
    even = even * w + 4.97687799461593236017e-2lf; even = even * w + 6.66107313738753120669e-2lf;
    even = even * w + 9.09088713343650656196e-2lf; even = even * w + 1.42857142725034663711e-1lf;
    even = even * w + 3.33333333333329318027e-1lf;
    odd = odd * w - 5.83357013379057348645e-2lf; odd = odd * w - 7.69187620504482999495e-2lf;
    odd = odd * w - 1.11111104054623557880e-1lf; odd = odd * w - 1.99999999998764832476e-1lf;
    precise double p = t * (z * even + w * odd), rill_r = high == 0.0lf ? t - p : high - ((p - low) - t);
    return rill_wide_signed(rill_r, x);
}

double rill_wide_atan(double y, double x) {
    precise double ax = abs(x), ay = abs(y), z;
    if (rill_nan_double(x) || rill_nan_double(y)) return rill_none_double();
    bool left = int(unpackDouble2x32(x).y) < 0;
    if (ay == 0.0lf) z = 0.0lf;
    else if (rill_inf_double(x) && rill_inf_double(y)) z = 7.85398163397448278999e-1lf;
    else if (rill_inf_double(y) || ax == 0.0lf) return rill_wide_signed(1.57079632679489655800lf, y);
    else z = rill_wide_atan(ay / ax);
    if (left) z = 3.1415926535897931160lf - (z - 1.2246467991473531772e-16lf);
    return rill_wide_signed(z, y);
}

double rill_wide_arc(double z) { // asin(s) / s - 1 for z = s^2 <= 1/4
    precise double p = 3.47933107596021167570e-5lf, q = 7.70381505559019352791e-2lf;
    p = p * z + 7.91534994289814532176e-4lf; p = p * z - 4.00555345006794114027e-2lf; p = p * z + 2.01212532134862925881e-1lf;
    p = p * z - 3.25565818622400915405e-1lf; p = p * z + 1.66666666666666657415e-1lf;
    q = q * z - 6.88283971605453293030e-1lf; q = q * z + 2.02094576023350569471lf; q = q * z - 2.40339491173441421878lf;
    precise double rill_r = z * p / (1.0lf + z * q);
    return rill_r;
}

double rill_wide_asin(double x) {
    precise double a = abs(x), r;
    if (rill_nan_double(x) || a > 1.0lf) return rill_none_double();
    if (rill_wide_tiny(a)) return x;
    if (a < 0.5lf) { r = x + x * rill_wide_arc(x * x); return r; }
    precise double t = (1.0lf - a) * 0.5lf, w = rill_wide_arc(t), s = sqrt(t), h = rill_wide_high(s);
    precise double c = t == 0.0lf ? 0.0lf : (t - h * h) / (s + h), p = 2.0lf * s * w - (6.12323399573676603587e-17lf - 2.0lf * c);
    r = a >= 0.975lf ? 1.57079632679489655800lf - (2.0lf * (s + s * w) - 6.12323399573676603587e-17lf)
                     : 7.85398163397448278999e-1lf - (p - (7.85398163397448278999e-1lf - 2.0lf * h));
    return rill_wide_signed(r, x);
}

double rill_wide_acos(double x) {
    precise double a = abs(x), r;
    if (rill_nan_double(x) || a > 1.0lf) return rill_none_double();
    if (a < 0.5lf) { r = 1.57079632679489655800lf - (x - (6.12323399573676603587e-17lf - x * rill_wide_arc(x * x))); return r; }
    precise double z = (1.0lf - a) * 0.5lf, w = rill_wide_arc(z), s = sqrt(z), h = rill_wide_high(s);
    precise double c = z == 0.0lf ? 0.0lf : (z - h * h) / (s + h);
    r = x < 0.0lf ? 3.1415926535897931160lf - 2.0lf * (s + (w * s - 6.12323399573676603587e-17lf)) : 2.0lf * (h + (w * s + c));
    return r;
}

double rill_wide_expm1(double x) { // for |x| < 50
    precise double k = floor(x * 1.4426950408889634lf + 0.5lf), high = x - k * 6.93147180369123816490e-1lf;
    precise double low = k * 1.90821492927058770002e-10lf, r = high - low, c = (high - r) - low;
    precise double half_r = 0.5lf * r, z = r * half_r, q = -2.01099218183624371326e-7lf;
    q = q * z + 4.00821782732936239552e-6lf; q = q * z - 7.93650757867487942473e-5lf;
    q = q * z + 1.58730158725481460165e-3lf; q = q * z - 3.33333333333331316428e-2lf; q = q * z + 1.0lf;
    precise double t = 3.0lf - q * half_r, e = z * ((q - t) / (6.0lf - r * t)), y;
    if (k == 0.0lf) { y = r - (r * e - z); return y; }
    e = (r * (e - c) - c) - z;
    double power = rill_two_double(int(k)), inverse = rill_two_double(-int(k));
    if (k == -1.0lf) y = 0.5lf * (r - e) - 0.5lf;
    else if (k == 1.0lf) y = r < -0.25lf ? -2.0lf * (e - (r + 0.5lf)) : 1.0lf + 2.0lf * (r - e);
    else if (k < 0.0lf || k > 56.0lf) y = (1.0lf - (e - r)) * power - 1.0lf;
    else if (k < 20.0lf) y = ((1.0lf - inverse) - (e - r)) * power;
    else y = ((r - (e + inverse)) + 1.0lf) * power;
    return y;
}

double rill_wide_log1p(double x) { // for finite x > -1
    precise double u = 1.0lf + x, c = 0.0lf, k = 0.0lf, f = x;
    if (x <= -0.2928932188134524lf || x >= 0.41421356237309503lf) {
        c = (x >= 1.0lf ? 1.0lf - (u - x) : x - (u - 1.0lf)) / u;
        uvec2 w = unpackDouble2x32(u);
        int n = int(w.y >> 20) - 1023;
        precise double m = packDouble2x32(uvec2(w.x, (w.y & 0xfffffu) | 0x3ff00000u));
        if (m > 1.4142135623730951lf) { m *= 0.5lf; n++; }
        k = double(n); f = m - 1.0lf;
    }
    precise double square = 0.5lf * f * f, s = f / (2.0lf + f), z = s * s, p = 1.479819860511658591e-1lf;
    p = p * z + 1.531383769920937332e-1lf; p = p * z + 1.818357216161805012e-1lf; p = p * z + 2.222219843214978396e-1lf;
    p = p * z + 2.857142874366239149e-1lf; p = p * z + 3.999999999940941908e-1lf; p = p * z + 6.666666666666735130e-1lf;
    precise double q = s * (square + z * p);
    precise double rill_r = k == 0.0lf ? f - (square - (q + c)) : k * 6.93147180369123816490e-1lf - ((square - (q + (k * 1.90821492927058770002e-10lf + c))) - f);
    return rill_r;
}

double rill_wide_sinh(double x) {
    precise double a = abs(x), r;
    if (rill_nan_double(x) || rill_inf_double(x) || rill_wide_tiny(a)) return x;
    if (a < 22.0lf) {
        precise double t = rill_wide_expm1(a);
        r = a < 1.0lf ? 0.5lf * (2.0lf * t - t * t / (t + 1.0lf)) : 0.5lf * (t + t / (t + 1.0lf));
    } else {
        precise double w = rill_exp(a > 709.0lf ? 0.5lf * a : a);
        r = a > 709.0lf ? 0.5lf * w * w : 0.5lf * w;
    }
    return rill_wide_signed(r, x);
}

double rill_wide_cosh(double x) {
    precise double a = abs(x), r;
    if (rill_nan_double(x)) return x;
    if (a < 0.34657359027997264lf) {
        precise double t = rill_wide_expm1(a), w = 1.0lf + t;
        r = 1.0lf + t * t / (w + w);
    } else {
        precise double w = rill_exp(a > 709.0lf ? 0.5lf * a : a);
        r = a > 709.0lf ? 0.5lf * w * w : 0.5lf * w + 0.5lf / w;
    }
    return r;
}

double rill_wide_tanh(double x) {
    precise double a = abs(x), r;
    if (rill_nan_double(x) || rill_wide_tiny(a)) return x;
    precise double t = rill_wide_expm1(a >= 1.0lf ? 2.0lf * min(a, 22.0lf) : -2.0lf * a);
    r = a >= 22.0lf ? 1.0lf : a >= 1.0lf ? 1.0lf - 2.0lf / (t + 2.0lf) : -t / (t + 2.0lf);
    return rill_wide_signed(r, x);
}

double rill_wide_asinh(double x) {
    precise double a = abs(x), r, t = x * x;
    if (rill_nan_double(x) || rill_inf_double(x) || rill_wide_tiny(a)) return x;
    if (a > 268435456.0lf) r = rill_log(a) + 6.93147180559945286227e-1lf;
    else if (a > 2.0lf) r = rill_log(2.0lf * a + 1.0lf / (sqrt(t + 1.0lf) + a));
    else r = rill_wide_log1p(a + t / (1.0lf + sqrt(1.0lf + t)));
    return rill_wide_signed(r, x);
}

double rill_wide_acosh(double x) {
    precise double r, t = x - 1.0lf;
    if (rill_nan_double(x) || x < 1.0lf) return rill_none_double();
    if (rill_inf_double(x)) return x;
    if (x > 268435456.0lf) r = rill_log(x) + 6.93147180559945286227e-1lf;
    else if (x > 2.0lf) r = rill_log(2.0lf * x - 1.0lf / (x + sqrt(x * x - 1.0lf)));
    else r = rill_wide_log1p(t + sqrt(2.0lf * t + t * t));
    return r;
}

double rill_wide_atanh(double x) {
    precise double a = abs(x), r, t = a + a;
    if (rill_nan_double(x) || a > 1.0lf) return rill_none_double();
    if (rill_wide_tiny(a)) return x;
    if (a == 1.0lf) return rill_wide_signed(rill_infinity_double(), x);
    r = 0.5lf * rill_wide_log1p(a < 0.5lf ? t + t * a / (1.0lf - a) : t / (1.0lf - a));
    return rill_wide_signed(r, x);
}

// Splits a positive number into m * 2^n with 1 <= m < 2.
double rill_wide_split(double a, out int n) {
    bool small = a < 2.2250738585072014e-308lf;
    uvec2 w = unpackDouble2x32(small ? a * 18014398509481984.0lf : a);
    n = int(w.y >> 20) - (small ? 1077 : 1023);
    return packDouble2x32(uvec2(w.x, (w.y & 0xfffffu) | 0x3ff00000u));
}

// Remainder, which is exact: 48 bits of the quotient at a time, whose product with y is known exactly (Dekker 1971).
double rill_wide_fmod(double x, double y) {
    if (rill_nan_double(x) || rill_nan_double(y) || rill_inf_double(x) || y == 0.0lf) return rill_none_double();
    if (rill_inf_double(y) || abs(x) < abs(y)) return x;
    int n, k;
    precise double r = rill_wide_split(abs(x), n), m = rill_wide_split(abs(y), k);
    n -= k;
    r = r >= m ? r - m : r;
    for (int i = 0; i < 44; i++) {
        if (n <= 0 || r == 0.0lf) break;
        r *= rill_two_double(min(n, 48));
        r = rill_less_double(r, floor(r / m), m);
        r = r < 0.0lf ? r + m : r >= m ? r - m : r;
        n -= 48;
    }
    r = r * rill_two_double(k / 2) * rill_two_double(k - k / 2);
    return rill_wide_signed(r, x);
}

#define RILL_EACH(f) \
    dvec2 f(dvec2 x) { return dvec2(f(x.x), f(x.y)); } \
    dvec3 f(dvec3 x) { return dvec3(f(x.x), f(x.y), f(x.z)); } \
    dvec4 f(dvec4 x) { return dvec4(f(x.x), f(x.y), f(x.z), f(x.w)); }
#define RILL_PAIRS(f) \
    dvec2 f(dvec2 x, dvec2 y) { return dvec2(f(x.x, y.x), f(x.y, y.y)); } \
    dvec3 f(dvec3 x, dvec3 y) { return dvec3(f(x.x, y.x), f(x.y, y.y), f(x.z, y.z)); } \
    dvec4 f(dvec4 x, dvec4 y) { return dvec4(f(x.x, y.x), f(x.y, y.y), f(x.z, y.z), f(x.w, y.w)); }
RILL_EACH(rill_wide_tan)
RILL_EACH(rill_wide_asin)
RILL_EACH(rill_wide_acos)
RILL_EACH(rill_wide_atan)
RILL_EACH(rill_wide_sinh)
RILL_EACH(rill_wide_cosh)
RILL_EACH(rill_wide_tanh)
RILL_EACH(rill_wide_asinh)
RILL_EACH(rill_wide_acosh)
RILL_EACH(rill_wide_atanh)
RILL_PAIRS(rill_wide_atan)
RILL_PAIRS(rill_wide_fmod)
#undef RILL_EACH
#undef RILL_PAIRS
dvec2 rill_wide_fmod(dvec2 x, double y) { return rill_wide_fmod(x, dvec2(y)); }
dvec3 rill_wide_fmod(dvec3 x, double y) { return rill_wide_fmod(x, dvec3(y)); }
dvec4 rill_wide_fmod(dvec4 x, double y) { return rill_wide_fmod(x, dvec4(y)); }
