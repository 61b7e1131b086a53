// Functions of doubles that GLSL has only for floats. Kernels call them by GLSL's names, as do
// expressions. Powers with whole exponents up to 64 are computed by squaring. Other powers of a
// negative base depend on the parity of the exponent. Products are exact (Dekker 1971, since fma()
// is not fused on every device).
double rill_product_double(double a, double b, out double rest) {
    precise double s = a * 134217729.0lf, t = b * 134217729.0lf;
    precise double ah = s - (s - a), bh = t - (t - b);
    precise double al = a - ah, bl = b - bh, p = a * b;
    precise double e = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    rest = e;
    return p;
}

double rill_less_double(double x, double q, double y) {
    precise double e, p = rill_product_double(q, y, e);
    precise double r = (x - p) - e;
    return r;
}

double rill_none_double() { return packDouble2x32(uvec2(0u, 0x7ff80000u)); }

double rill_turn_double(double x, out int quarter) {
    precise double k = abs(x) < 1125899906842624.0lf ? floor(x * 0.6366197723675814lf + 0.5lf) : 0.0lf;
    quarter = int(k - 4.0lf * floor(k * 0.25lf));
    precise double r = rill_less_double(rill_less_double(x, k, 1.5707963267341256lf), k, 6.077100506303966e-11lf) - k * 2.0222662487959506e-21lf;
    return abs(x) < 1125899906842624.0lf ? r : rill_none_double();
}

double rill_cosine_double(double r) {
    precise double z = r * r, s = 1.0lf / 6402373705728000.0lf;
    s = 1.0lf / 20922789888000.0lf - s * z; s = 1.0lf / 87178291200.0lf - s * z; s = 1.0lf / 479001600.0lf - s * z;
    s = 1.0lf / 3628800.0lf - s * z; s = 1.0lf / 40320.0lf - s * z; s = 1.0lf / 720.0lf - s * z; s = 1.0lf / 24.0lf - s * z;
    precise double rill_r = 1.0lf - z * (0.5lf - z * s);
    return rill_r;
}

double rill_sine_double(double r) {
    precise double z = r * r, s = 1.0lf / 355687428096000.0lf;
    s = 1.0lf / 1307674368000.0lf - s * z; s = 1.0lf / 6227020800.0lf - s * z; s = 1.0lf / 39916800.0lf - s * z;
    s = 1.0lf / 362880.0lf - s * z; s = 1.0lf / 5040.0lf - s * z; s = 1.0lf / 120.0lf - s * z; s = 1.0lf / 6.0lf - s * z;
    precise double rill_r = r - r * z * s;
    return rill_r;
}

double rill_sin(double x) {
    int q; precise double r = rill_turn_double(x, q);
    precise double s = (q & 1) != 0 ? rill_cosine_double(r) : rill_sine_double(r);
    return x == 0.0lf ? x : q >= 2 ? -s : s;
}

double rill_cos(double x) {
    int q; precise double r = rill_turn_double(x, q);
    precise double c = (q & 1) != 0 ? rill_sine_double(r) : rill_cosine_double(r);
    return q == 1 || q == 2 ? -c : c;
}

bool rill_nan_double(double x) {
    uvec2 w = unpackDouble2x32(x);
    uint h = w.y & 0x7fffffffu;
    return h > 0x7ff00000u || (h == 0x7ff00000u && w.x != 0u);
}

double rill_infinity_double() { return packDouble2x32(uvec2(0u, 0x7ff00000u)); }

double rill_two_double(int n) { return packDouble2x32(uvec2(0u, uint(n + 1023) << 20)); }

double rill_exp(double x) {
    if (rill_nan_double(x)) return x;
    if (x > 709.79lf) return rill_infinity_double();
    if (x < -745.2lf) return 0.0lf;
    precise double k = floor(x * 1.4426950408889634lf + 0.5lf);
    precise double r = (x - k * 0.6931471803691238lf) - k * 1.9082149292705877e-10lf;
    precise double s = 1.0lf / 6227020800.0lf;
    s = s * r + 1.0lf / 479001600.0lf; s = s * r + 1.0lf / 39916800.0lf; s = s * r + 1.0lf / 3628800.0lf;
    s = s * r + 1.0lf / 362880.0lf; s = s * r + 1.0lf / 40320.0lf; s = s * r + 1.0lf / 5040.0lf; s = s * r + 1.0lf / 720.0lf;
    s = s * r + 1.0lf / 120.0lf; s = s * r + 1.0lf / 24.0lf; s = s * r + 1.0lf / 6.0lf; s = s * r + 0.5lf;
    s = s * r * r + r + 1.0lf;
    int n = int(k), half_n = n / 2;
    precise double rill_r = s * rill_two_double(half_n) * rill_two_double(n - half_n);
    return rill_r;
}

bool rill_inf_double(double x) {
    uvec2 w = unpackDouble2x32(x);
    return (w.y & 0x7fffffffu) == 0x7ff00000u && w.x == 0u;
}

double rill_exp2(double x) {
    if (rill_nan_double(x)) return x;
    if (rill_inf_double(x)) return x > 0.0lf ? x : 0.0lf;
    precise double k = floor(x + 0.5lf);
    if (k > 1024.0lf) return rill_infinity_double();
    if (k < -1080.0lf) return 0.0lf;
    int n = int(k), half_n = n / 2;
    precise double rill_r = rill_exp((x - k) * 0.6931471805599453lf) * rill_two_double(half_n) * rill_two_double(n - half_n);
    return rill_r;
}

double rill_log(double x) {
    if (rill_nan_double(x) || x < 0.0lf) return rill_none_double();
    if (x == 0.0lf) return -rill_infinity_double();
    if (rill_inf_double(x)) return x;
    int e = 0;
    if (x < 2.2250738585072014e-308lf) { x *= 18014398509481984.0lf; e = -54; }
    uvec2 w = unpackDouble2x32(x);
    e += int(w.y >> 20) - 1023;
    precise double m = packDouble2x32(uvec2(w.x, (w.y & 0xfffffu) | 0x3ff00000u));
    if (m > 1.4142135623730951lf) { m *= 0.5lf; e++; }
    precise double f = m - 1.0lf, s = f / (2.0lf + f), z = s * s;
    precise double p = 1.0lf / 23.0lf;
    p = p * z + 1.0lf / 21.0lf; p = p * z + 1.0lf / 19.0lf; p = p * z + 1.0lf / 17.0lf; p = p * z + 1.0lf / 15.0lf;
    p = p * z + 1.0lf / 13.0lf; p = p * z + 1.0lf / 11.0lf; p = p * z + 1.0lf / 9.0lf; p = p * z + 1.0lf / 7.0lf;
    p = p * z + 1.0lf / 5.0lf; p = p * z + 1.0lf / 3.0lf;
    precise double k = double(e);
    precise double rill_r = k * 0.6931471803691238lf + (2.0lf * s + (2.0lf * s * z * p + k * 1.9082149292705877e-10lf));
    return rill_r;
}

double rill_log2(double x)
{
    precise double rill_r = rill_log(x) * 1.4426950408889634lf;
    return rill_r;
}

double rill_pow(double x, double y) {
    precise double n = abs(y);
    bool whole = rill_inf_double(y) || floor(y) == y, odd = whole && !rill_inf_double(y) && floor(n * 0.5lf) * 2.0lf != n;
    if (whole && n <= 64.0lf) {
        int k = int(n);
        precise double p = (k & 1) != 0 ? x : 1.0lf, b = x * x;
        p = (k & 2) != 0 ? p * b : p; b *= b;
        p = (k & 4) != 0 ? p * b : p; b *= b;
        p = (k & 8) != 0 ? p * b : p; b *= b;
        p = (k & 16) != 0 ? p * b : p; b *= b;
        p = (k & 32) != 0 ? p * b : p; b *= b;
        p = (k & 64) != 0 ? p * b : p;
        if (y >= 0.0lf || rill_inf_double(x) || !rill_inf_double(p)) return y < 0.0lf ? 1.0lf / p : p;
    }
    if (rill_nan_double(x) || rill_nan_double(y)) return x == 1.0lf ? 1.0lf : rill_none_double();
    if (abs(x) == 1.0lf && whole && (x > 0.0lf || rill_inf_double(y))) return 1.0lf;
    if (x == 0.0lf) {
        precise double p = y > 0.0lf ? 0.0lf : rill_infinity_double();
        return odd && int(unpackDouble2x32(x).y) < 0 ? -p : p;
    }
    if (x < 0.0lf && !whole && !rill_inf_double(x)) return rill_none_double();
    precise double p = rill_exp(y * rill_log(abs(x)));
    return x < 0.0lf && odd ? -p : p;
}

#define RILL_EACH(f) \
    dvec2 f(dvec2 x) { return dvec2(f(x.x), f(x.y)); } \
    dvec3 f(dvec3 x) { return dvec3(f(x.x), f(x.y), f(x.z)); } \
    dvec4 f(dvec4 x) { return dvec4(f(x.x), f(x.y), f(x.z), f(x.w)); }
RILL_EACH(rill_sin)
RILL_EACH(rill_cos)
RILL_EACH(rill_exp)
RILL_EACH(rill_exp2)
RILL_EACH(rill_log)
RILL_EACH(rill_log2)
#undef RILL_EACH
dvec2 rill_pow(dvec2 x, dvec2 y) { return dvec2(rill_pow(x.x, y.x), rill_pow(x.y, y.y)); }
dvec3 rill_pow(dvec3 x, dvec3 y) { return dvec3(rill_pow(x.x, y.x), rill_pow(x.y, y.y), rill_pow(x.z, y.z)); }
dvec4 rill_pow(dvec4 x, dvec4 y) { return dvec4(rill_pow(x.xy, y.xy), rill_pow(x.zw, y.zw)); }
