// Sums whose bits do not depend on the order of the elements, nor on how they are divided into parts
// (J. Demmel and H. D. Nguyen 2015; P. Ahrens, J. Demmel and H. D. Nguyen 2020). Each number is divided
// into slices of 40 bits of a fixed grid, and the slices of each bin are added as integers, without
// rounding. Bin k contains the multiples of 2^(40 k - 19); numbers from 2^(40 k - 20) to 2^(40 k + 20)
// have bin k. A sum keeps the highest bin of its numbers and the two bins below; bits below are dropped.
// They are less than 2^-80 of the largest number. The bin of zero is -1000. That of infinities and NaN is 1000; p is their
// sum; cp, cq and cr are carries of p, q and r. A run has at most 16384 numbers. W is double, or a vector of doubles; u_Bins
// has one sum per component.
int rill_bin_of(int e)
{
    int bin = (e + 37) / 40 - 26;
    bin = e == 0 ? -1000 : bin;
    return e == 0x7ff ? 1000 : bin;
}
int rill_bin(double v) { return rill_bin_of(rill_biased(v)); }
// Returns 1.5 2^52 units of a bin: adding it to a number rounds the number to a multiple of the unit.
double rill_rounder(double bin)
{
    return packDouble2x32(uvec2(0u, uint(1056 + 40 * clamp(int(bin), -26, 24)) << 20 | 0x80000u));
}
// The bin in which a run starts: that of some of its elements, or 0 if they are zero.
double rill_guess(double v)
{
    int bin = rill_bin(v);
    return double(bin == -1000 ? 0 : clamp(bin, -22, 24));
}

// Adds a number. While a run is being added, p, q and r are in the units of the numbers, cp is the rounder, and `largest` is
// the high word of the largest number, without the sign. It is not 0 if a number is not 0 or is a product that became 0.
u_Bins rill_slices(u_Bins a, W v, RILL_WORDS size)
{
    precise W m = a.cp, n = m * W(RILL_SHIFT), o = n * W(RILL_SHIFT);
    precise W x = (v + m) - m, rest = v - x, y = (rest + n) - n, low = rest - y, z = (low + o) - o;
    precise W p = a.p + x, q = a.q + y, r = a.r + z;
    return u_Bins(a.bin, p, q, r, m, a.cq, a.cr, max(a.largest, size));
}

bool rill_outside(double bin, uint largest)
{
    int e = int(largest >> 20);
    return largest != 0u && (rill_bin_of(max(e, 1)) != int(bin) || (RILL_UNDERFLOWS && e < 123));
}

struct Rill_bins { double bin, p, q, r, cp, cq, cr; };

// Ends a run: p, q and r become integers.
Rill_bins rill_integers(Rill_bins a, uint largest)
{
    bool some = largest >> 20 != 0u;
    int e = 19 - 40 * int(a.bin);
    double bin = double(some ? int(a.bin) : -1000);
    return Rill_bins(bin, rill_keep(a.p * rill_power(e), some), rill_keep(a.q * rill_power(e + 40), some),
                     rill_keep(a.r * rill_power(e + 80), some), 0.0lf, 0.0lf, 0.0lf);
}

// Returns the sum in the grid of another bin, which is not below its own.
Rill_bins rill_lift(Rill_bins a, int bin)
{
    int by = bin - int(a.bin);
    return Rill_bins(double(bin), rill_keep(a.p, by == 0), rill_keep(a.q, by == 0) + rill_keep(a.p, by == 1),
                     rill_keep(a.r, by == 0) + rill_keep(a.q, by == 1) + rill_keep(a.p, by == 2),
                     rill_keep(a.cp, by == 0), rill_keep(a.cq, by == 0) + rill_keep(a.cp, by == 1),
                     rill_keep(a.cr, by == 0) + rill_keep(a.cq, by == 1) + rill_keep(a.cp, by == 2));
}

// Adds v 2^(40 shift) to integers.
Rill_bins rill_put(Rill_bins a, double v, int shift)
{
    int own = rill_bin(v), bin = abs(own) == 1000 ? own : own + shift, top = max(bin, int(a.bin));
    a = rill_lift(a, top);
    double m = rill_rounder(double(top - shift)), n = rill_rounder(double(top - shift - 1)), o = rill_rounder(double(top - shift - 2));
    double w = rill_keep(v, top - bin < 3 && top < 1000 && top > -1000);
    int e = 19 - 40 * (top - shift);
    precise double x = (w + m) - m, rest = w - x, y = (rest + n) - n, low = rest - y, z = (low + o) - o;
    precise double p = a.p + x * rill_power(e) + rill_keep(v, bin == 1000), q = a.q + y * rill_power(e + 40), r = a.r + z * rill_power(e + 80);
    return Rill_bins(a.bin, p, q, r, a.cp, a.cq, a.cr);
}
// Adds a number of any size.
Rill_bins rill_put_any(Rill_bins a, double v)
{
    int e = rill_biased(v), by = e > 1903 ? -15 : e < 223 ? 15 : 0;
    return rill_put(a, v * rill_power(40 * by), -by);
}
// Adds a product of any size.
Rill_bins rill_put_any(Rill_bins a, double v, double w)
{
    int e = rill_biased(v) + rill_biased(w) - 2046, by = e > 840 ? -15 : e < -800 ? 15 : 0;
    precise double x = v * rill_power(40 * by), y = w * rill_power(40 * by);
    precise double product = x * y;
    return rill_put(a, product, -2 * by);
}

Rill_bins rill_carried(Rill_bins a)
{
    rill_carry(a.p, a.cp, a.bin < 1000.0lf);
    rill_carry(a.q, a.cq, true);
    rill_carry(a.r, a.cr, true);
    return a;
}
Rill_bins rill_add(Rill_bins a, Rill_bins b)
{
    int bin = int(max(a.bin, b.bin));
    a = rill_lift(a, bin);
    b = rill_lift(b, bin);
    return Rill_bins(a.bin, a.p + b.p, a.q + b.q, a.r + b.r, a.cp + b.cp, a.cq + b.cq, a.cr + b.cr);
}

// Returns the sum: (result + more) 2^e. It depends only on the value of the sum.
double rill_total(Rill_bins a, out double more, out int e)
{
    more = 0.0lf;
    e = 0;
    if (int(a.bin) == 1000) {
        return rill_one_nan(a.p);
    }
    double sign = 1.0lf;
    rill_digit(a.r, a.cr);
    a.q += a.cr;
    rill_digit(a.q, a.cq);
    a.p += a.cq;
    rill_digit(a.p, a.cp);
    if (a.cp < 0.0lf) {
        sign = -1.0lf;
        a.r = -a.r;
        a.q = -a.q;
        a.p = -a.p;
        a.cp = -a.cp;
        rill_digit(a.r, a.q);
        rill_digit(a.q, a.p);
        rill_digit(a.p, a.cp);
    }
    double high_more, low_more, rest;
    double high = rill_two_sum(a.cp * RILL_DIGIT, a.p, high_more);
    double low = rill_two_sum(a.q * RILL_SHIFT, a.r * RILL_SHIFT * RILL_SHIFT, low_more);
    double sum = rill_two_sum(high, low, rest);
    precise double remaining = rest + (high_more + low_more);
    sum = rill_two_sum(sum, remaining, rest);
    more = rest * sign;
    e = 40 * int(a.bin) - 19;
    return sum * sign;
}
