// Random numbers of several distributions, computed from blocks of Philox4x32-10 in doubles. Element i draws the blocks with the counters (i, round, 1),
// as many as it needs. Drivers may round quotients, roots and logarithms differently, so the functions here consist of sums and products only: the
// numbers have the same bits on every device.
$use(philox)

uvec4 counter_of(uvec2 first, uint element) {
    uint carry, low = uaddCarry(first.x, element, carry);
    return uvec4(low, first.y + carry, 0u, 1u);
}

uvec4 draw(inout uvec4 counter, uvec2 key) {
    uvec4 w = philox(counter, key);
    counter.z++;
    return w;
}

// 1 / x and 1 / sqrt(x) of positive numbers, by Newton's method. The first values are correct within 12 % and 4 %.
double inverse_of(double x) {
    precise double y = packDouble2x32(uvec2(0u, 0x7fde6238u - unpackDouble2x32(x).y));
    y = y * (2.0lf - x * y); y = y * (2.0lf - x * y); y = y * (2.0lf - x * y); y = y * (2.0lf - x * y); y = y * (2.0lf - x * y);
    return y;
}
double inverse_root(double x) {
    precise double h = 0.5lf * x, y = packDouble2x32(uvec2(0u, 0x5fe6eb50u - (unpackDouble2x32(x).y >> 1)));
    y = y * (1.5lf - h * y * y); y = y * (1.5lf - h * y * y); y = y * (1.5lf - h * y * y); y = y * (1.5lf - h * y * y);
    return y;
}

// log(1 + f) for f from sqrt(1/2) - 1 to sqrt(2) - 1: the series of the inverse hyperbolic tangent.
double log_near_one(double f) {
    precise double s = f * inverse_of(2.0lf + f), z = s * s, p = 0.043478260869565216lf;
    p = p * z + 0.047619047619047616lf; p = p * z + 0.05263157894736842lf; p = p * z + 0.058823529411764705lf; p = p * z + 0.06666666666666667lf;
    p = p * z + 0.07692307692307693lf; p = p * z + 0.09090909090909091lf; p = p * z + 0.1111111111111111lf; p = p * z + 0.14285714285714285lf;
    p = p * z + 0.2lf; p = p * z + 0.3333333333333333lf;
    precise double r = 2.0lf * s + 2.0lf * s * z * p;
    return r;
}

// log(x) of positive numbers that are not denormal.
double log_of(double x) {
    uvec2 w = unpackDouble2x32(x);
    uint e = (w.y - 0x3fe6a09eu) >> 20; // modulo 4096
    int k = int(e << 20) >> 20;
    precise double f = packDouble2x32(uvec2(w.x, w.y - (e << 20))) - 1.0lf, n = double(k);
    precise double r = n * 0.6931471803691238lf + (log_near_one(f) + n * 1.9082149292705877e-10lf);
    return r;
}

// exp(x) for x up to 709; 0 below -745.
double exp_of(double x) {
    precise double c = max(x, -746.0lf), k = floor(c * 1.4426950408889634lf + 0.5lf);
    precise double r = (c - k * 0.6931471803691238lf) - k * 1.9082149292705877e-10lf, s = 1.6059043836821613e-10lf;
    s = s * r + 2.08767569878681e-09lf; s = s * r + 2.505210838544172e-08lf; s = s * r + 2.755731922398589e-07lf;
    s = s * r + 2.7557319223985893e-06lf; s = s * r + 2.48015873015873e-05lf; s = s * r + 0.0001984126984126984lf;
    s = s * r + 0.001388888888888889lf; s = s * r + 0.008333333333333333lf; s = s * r + 0.041666666666666664lf;
    s = s * r + 0.16666666666666666lf; s = s * r + 0.5lf;
    s = s * r * r + r + 1.0lf;
    int n = int(k), half_n = n / 2;
    precise double y = s * packDouble2x32(uvec2(0u, uint(half_n + 1023) << 20)) * packDouble2x32(uvec2(0u, uint(n - half_n + 1023) << 20));
    return y;
}

// A uniformly distributed number between 0 and 1, both excluded: one of 2^52 with equal distances.
double uniform_of(uvec2 w) {
    precise double u = (double(w.x) * 1048576.0lf + (double(w.y >> 12) + 0.5lf)) * 2.220446049250313e-16lf;
    return u;
}

// An exponentially distributed number with mean 1: -log(u) of a number u of 64 bits, which is m / 2^e with m in 1/2 .. 1. The distance
// of m from 1 is exact, so the smallest numbers are as precise as the largest, which are above 44.
double waiting(uvec2 w) {
    uint high = w.x == 0u ? w.y | 1u : w.x, low = w.x == 0u ? 0u : w.y;
    uint z = uint(31 - findMSB(high));
    high = high << z | (low >> 1) >> (31u - z);
    low = low << z;
    precise double f = (double(~high) * 4294967296.0lf + (double(~low) + 0.5lf)) * -5.421010862427522e-20lf;
    bool far = f < -0.2928932188134524lf;
    precise double g = far ? f + f + 1.0lf : f, e = double(z + (w.x == 0u ? 32u : 0u) + (far ? 1u : 0u));
    precise double r = e * 0.6931471805599453lf - log_near_one(g);
    return r;
}

double exponential_value(inout uvec4 counter, uvec2 key, double mean) {
    precise double r = waiting(draw(counter, key).xy) * mean;
    return r;
}
$if(gamma){
// A normally distributed number (Box and Muller 1958). Two bits select the quarter of the circle.
double normal_of(uvec4 w) {
    precise double s = 2.0lf * waiting(w.xy), r = s * inverse_root(s), a = (uniform_of(w.zw) - 0.5lf) * 1.5707963267948966lf, z = a * a;
    precise double c = 4.779477332387385e-14lf, t = 2.8114572543455206e-15lf;
    c = 1.1470745597729725e-11lf - c * z; c = 2.08767569878681e-09lf - c * z; c = 2.755731922398589e-07lf - c * z;
    c = 2.48015873015873e-05lf - c * z; c = 0.001388888888888889lf - c * z; c = 0.041666666666666664lf - c * z; c = 0.5lf - c * z;
    t = 7.647163731819816e-13lf - t * z; t = 1.6059043836821613e-10lf - t * z; t = 2.505210838544172e-08lf - t * z;
    t = 2.7557319223985893e-06lf - t * z; t = 0.0001984126984126984lf - t * z; t = 0.008333333333333333lf - t * z;
    t = 0.16666666666666666lf - t * z;
    precise double b = (w.w & 1u) != 0u ? a - a * z * t : 1.0lf - z * c;
    precise double x = (w.w & 2u) != 0u ? -r * b : r * b;
    return x;
}

// A number x of the gamma distribution, whose logarithm is that of the result minus `less` (Marsaglia and Tsang 2000). A shape below 1 is increased by 1,
// and `less` is the logarithm of a power of a uniformly distributed number. With y = t - 1, the acceptance test is log(u) < d (3 log(1 + y) - 3 y + 3/2 y^2 -
// y^3), written without cancellation for small y.
double gamma_of(inout uvec4 counter, uvec2 key, double shape, out double less) {
    bool small = shape < 1.0lf;
    precise double d = (small ? shape + 1.0lf : shape) - 0.3333333333333333lf, scale = inverse_root(9.0lf * d), v = 0.0lf;
    bool found = false;
    while (!found) {
        precise double y = normal_of(draw(counter, key)) * scale, t = 1.0lf + y, u = log_of(uniform_of(draw(counter, key).xy)), z = y * y;
        precise double series = ((((0.3333333333333333lf * y - 0.375lf) * y + 0.42857142857142855lf) * y - 0.5lf) * y + 0.6lf) * y - 0.75lf;
        precise double rest = 3.0lf * (log_of(max(t, 1e-300lf)) - y) + z * (1.5lf - y);
        found = t > 0.0lf && u < d * (abs(y) < 0.02lf ? z * z * series : rest);
        v = t * t * t;
    }
    precise double more = small ? waiting(draw(counter, key).xy) * inverse_of(min(shape, 1.0lf)) : 0.0lf, g = d * v;
    less = more;
    return g;
}

double gamma_value(inout uvec4 counter, uvec2 key, double shape, double scale) {
    precise double less, g = gamma_of(counter, key, shape, less), r = g * exp_of(-less) * scale;
    return r;
}

// x / (x + y) of two gamma numbers x and y is computed from log(y / x), since both may be too small for a double.
double beta_value(inout uvec4 counter, uvec2 key, double a, double b) {
    precise double less_x, less_y, x = gamma_of(counter, key, a, less_x), y = gamma_of(counter, key, b, less_y);
    precise double t = log_of(y * inverse_of(x)) + (less_x - less_y), e = exp_of(-abs(t)), i = inverse_of(1.0lf + e);
    precise double r = t > 0.0lf ? e * i : i;
    return r;
}
}
$if(counts){
// log(k!) - (k + 1/2) log(k + 1) + k + 1 - log(2 pi) / 2, the correction of Stirling's approximation.
double stirling(double k) {
    precise double i = inverse_of(k + 1.0lf), z = i * i;
    precise double series = (0.08333333333333333lf - (0.002777777777777778lf - (0.0007936507936507937lf - 0.0005952380952380953lf * z) * z) * z) * i;
    precise double first = k < 1.0lf ? 0.08106146679532726lf : k < 2.0lf ? 0.0413406959554093lf : k < 3.0lf ? 0.02767792568499834lf : k < 4.0lf ? 0.020790672103765093lf : 0.016644691189821193lf;
    precise double second = k < 6.0lf ? 0.013876128823070748lf : k < 7.0lf ? 0.01189670994589177lf : k < 8.0lf ? 0.010411265261972096lf : k < 9.0lf ? 0.009255462182712733lf : 0.00833056343336287lf;
    return k < 5.0lf ? first : k < 10.0lf ? second : series;
}

// Counts below this mean are found by sequential search, others by transformed rejection (Hörmann 1993). The search adds the terms of the distribution
// function, multiplied by k! so that there are no quotients. No count is above 64: the probability is less than 1e-31.
const double few = 10.0lf, most = 64.0lf;

double poisson_value(inout uvec4 counter, uvec2 key, double mean) {
    precise double k = 0.0lf;
    if (mean < few) {
        precise double t = uniform_of(draw(counter, key).xy) * exp_of(mean), term = 1.0lf, sum = 1.0lf;
        while (t > sum && k < most) {
            k = k + 1.0lf;
            term = term * mean;
            sum = sum * k + term;
            t = t * k;
        }
        return k;
    }
    precise double b = 0.931lf + 2.53lf * mean * inverse_root(mean), a = -0.059lf + 0.02483lf * b;
    precise double top = 1.1239lf + 1.1328lf * inverse_of(b - 3.4lf), inner = 0.9277lf - 3.6224lf * inverse_of(b - 2.0lf);
    bool found = false;
    while (!found) {
        uvec4 w = draw(counter, key);
        precise double u = uniform_of(w.xy) - 0.5lf, v = uniform_of(w.zw), near = 0.5lf - abs(u), i = inverse_of(near);
        k = floor((2.0lf * a * i + b) * u + mean + 0.43lf);
        precise double n = max(k, 0.0lf) + 1.0lf;
        precise double left = v * top * inverse_of(a * i * i + b) * 2.5066282746310002lf * n * inverse_root(n);
        precise double right = (n - 1.0lf) * log_of(mean * inverse_of(n)) + (n - mean) - stirling(n - 1.0lf);
        found = (near >= 0.07lf && v <= inner) || (k >= 0.0lf && !(near < 0.013lf && v > near) && log_of(left) <= right);
    }
    return k;
}

// Successes among n with the probability p, at most 1/2.
double binomial_half(inout uvec4 counter, uvec2 key, double n, double p) {
    precise double q = 1.0lf - p, r = p * inverse_of(q), k = 0.0lf, mean = n * p;
    if (mean < few) {
        precise double power = exp_of(-n * (p < 0.25lf ? log_near_one(-p) : log_of(q))), last = min(n, most);
        precise double t = uniform_of(draw(counter, key).xy) * power, term = 1.0lf, sum = 1.0lf;
        while (t > sum && k < last) {
            term = term * (n - k) * r;
            k = k + 1.0lf;
            sum = sum * k + term;
            t = t * k;
        }
        return k;
    }
    precise double s = mean * q, root = s * inverse_root(s), b = 1.15lf + 2.53lf * root, a = -0.0873lf + 0.0248lf * b + 0.01lf * p;
    precise double inner = 0.92lf - 4.2lf * inverse_of(b), alpha = (2.83lf + 5.1lf * inverse_of(b)) * root, m = floor((n + 1.0lf) * p);
    precise double ends = stirling(m) + stirling(n - m);
    ends = ends + (m + 0.5lf) * log_of((m + 1.0lf) * inverse_of(r * (n - m + 1.0lf)));
    bool found = false;
    while (!found) {
        uvec4 w = draw(counter, key);
        precise double u = uniform_of(w.xy) - 0.5lf, v = uniform_of(w.zw), near = 0.5lf - abs(u), i = inverse_of(near);
        k = floor((2.0lf * a * i + b) * u + mean + 0.5lf);
        precise double c = clamp(k, 0.0lf, n), left = log_of(v * alpha * inverse_of(a * i * i + b)), rest = n - c + 1.0lf;
        precise double right = ends + (n + 1.0lf) * log_of((n - m + 1.0lf) * inverse_of(rest)) - stirling(c) - stirling(n - c);
        right = right + (c + 0.5lf) * log_of(r * rest * inverse_of(c + 1.0lf));
        found = (near >= 0.07lf && v <= inner) || (k == c && left <= right);
    }
    return k;
}

double binomial_value(inout uvec4 counter, uvec2 key, double n, double p) {
    precise double k = binomial_half(counter, key, n, p > 0.5lf ? 1.0lf - p : p);
    return p > 0.5lf ? n - k : k;
}
}
$section(each)
kernel void random(uvec2 key, uvec2 first, $parameters, out $T r<>) {
    uvec4 counter = counter_of(first, uint(indexof(r).x));
    r = $T($value);
}
$section(halves)
// The probabilities of the left halves of pairs of nodes, and the sums of the pairs.
kernel void halves(double p[], out double sum<>, out double left<>) {
    int i = 2 * int(indexof(sum).x);
    precise double a = p[i], b = p[i + 1], s = a + b, l = min(a * inverse_of(max(s, 1e-300lf)), 1.0lf);
    sum = s;
    left = b == 0.0lf ? 1.0lf : l;
}
$section(split)
// One level of a tree that divides counts: a node passes a binomial number of its count to its left half and the others to its right half. Each of the two computes
// the number. `nodes`: the nodes of the level above, `leaves`: those of the last level.
kernel void split($T counts[], double left[], uint nodes, uint leaves, uvec2 key, uvec2 first, out $T r<>) {
    uint e = uint(indexof(r).x), parent = e >> 1u, node = parent & (nodes - 1u);
    uvec4 counter = counter_of(first, parent / nodes * leaves + nodes + node);
    $T n = counts[int(parent)], k = $T(binomial_value(counter, key, double(n), left[int(node)]));
    r = (e & 1u) == 0u ? k : n - k;
}
