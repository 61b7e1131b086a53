// Exact sums of floats. b0 to b7 are sums of multiples of 2^-149, 2^-109 ... 2^131, as doubles. Consecutive numbers are first
// added to `sum`, which is exact if the exponents of their nonzero numbers differ little: `high` and `low` are the largest and
// the smallest of the numbers, as bits without the sign. If the addition is not exact, the numbers are added again, one by
// one. `special` is the sum of infinities and NaN. A run has at most 16384 numbers. RILL_SPREAD is the allowed difference of
// exponents, for 24 bits of each number and for their count.

#define RILL_SPREAD (RILL_FLUSHED <= 128 ? 22u : 15u)

// Returns 1.5 2^52 units of bin k: adding it to a number rounds the number to a multiple of the unit.
#define RILL_ROUNDER(k) packDouble2x32(uvec2(0u, uint(926 + 40 * (k)) << 20 | 0x80000u))
#define RILL_UNIT(k) packDouble2x32(uvec2(0u, uint(874 + 40 * (k)) << 20))
#define RILL_SLICE(k)                                               \
    {                                                               \
        precise double x = (v + RILL_ROUNDER(k)) - RILL_ROUNDER(k); \
        a.b##k += x;                                                \
        v -= x;                                                     \
    }
u_Exact rill_put(u_Exact a, double v)
{
    RILL_SLICE(7)
    RILL_SLICE(6)
    RILL_SLICE(5)
    RILL_SLICE(4)
    RILL_SLICE(3)
    RILL_SLICE(2)
    RILL_SLICE(1)
    a.b0 += v;
    return a;
}

u_Exact rill_step(u_Exact a, float x, int t)
{
    uint bits = floatBitsToUint(x) & 0x7fffffffu;
    precise double sum = a.sum + double(x);
    a.sum = sum;
    a.high = max(a.high, bits);
    a.low = min(a.low, bits - 1u);
    return a;
}
u_Exact rill_none()
{
    return u_Exact(0.0lf, 0.0lf, 0.0lf, 0.0lf, 0.0lf, 0.0lf, 0.0lf, 0.0lf, 0.0lf, 0.0lf, 0u, 0xffffffffu);
}
#define rill_start(x, y, z) rill_none()

bool rill_lost(u_Exact a)
{
    return a.high != 0u && (a.high >= 0x7f800000u || (a.high >> 23) - ((a.low + 1u) >> 23) > RILL_SPREAD);
}
// Moves `sum` to the bins. `high` is kept if the sum is not exact.
u_Exact rill_flush(u_Exact a)
{
    bool lost = rill_lost(a);
    a = rill_put(a, a.sum);
    a.sum = 0.0lf;
    a.high = lost ? 0xffffffffu : 0u;
    a.low = 0xffffffffu;
    return a;
}
u_Exact rill_step_again(u_Exact a, float x, int t)
{
    bool finite = (floatBitsToUint(x) & 0x7f800000u) != 0x7f800000u;
    a = rill_put(a, rill_keep(double(x), finite));
    a.special += rill_keep(double(x), !finite);
    return a;
}

u_Exact rill_add(u_Exact a, u_Exact b)
{
    return u_Exact(a.b0 + b.b0, a.b1 + b.b1, a.b2 + b.b2, a.b3 + b.b3, a.b4 + b.b4, a.b5 + b.b5, a.b6 + b.b6,
                   a.b7 + b.b7, a.special + b.special, 0.0lf, 0u, 0u);
}

// Moves the multiples of the unit of bin n from bin k to bin n, rounded, so that sums of many parts fit.
#define RILL_MOVE(k, n)                                                      \
    {                                                                        \
        precise double x = (a.b##k + RILL_ROUNDER(n)) - RILL_ROUNDER(n);     \
        a.b##k -= x;                                                         \
        a.b##n += x;                                                         \
    }
u_Exact rill_carried(u_Exact a)
{
    RILL_MOVE(6, 7)
    RILL_MOVE(5, 6)
    RILL_MOVE(4, 5)
    RILL_MOVE(3, 4)
    RILL_MOVE(2, 3)
    RILL_MOVE(1, 2)
    RILL_MOVE(0, 1)
    return a;
}
u_Exact rill_merge(u_Exact a, u_Exact b)
{
    return rill_add(rill_carried(a), rill_carried(b));
}

// Bin k becomes a digit from 0 to 2^40 - 1 units.
#define RILL_FLOOR(k, n)                                                             \
    {                                                                                \
        precise double x = (a.b##k + RILL_ROUNDER(n)) - RILL_ROUNDER(n);             \
        x -= rill_keep(RILL_UNIT(n), x > a.b##k);                                    \
        a.b##k -= x;                                                                 \
        a.b##n += x;                                                                 \
    }
u_Exact rill_floored(u_Exact a)
{
    RILL_FLOOR(0, 1)
    RILL_FLOOR(1, 2)
    RILL_FLOOR(2, 3)
    RILL_FLOOR(3, 4)
    RILL_FLOOR(4, 5)
    RILL_FLOOR(5, 6)
    RILL_FLOOR(6, 7)
    return a;
}
#define RILL_ADD(k)                               \
    {                                             \
        double error;                             \
        sum = rill_two_sum(sum, a.b##k, error);   \
        rest += error;                            \
    }
// Returns the sum: (result + more) 2^e. It depends only on the value of the sum.
double rill_total(u_Exact a, out double more, out int e)
{
    more = 0.0lf;
    e = 0;
    if (a.special != 0.0lf) { // infinite or NaN
        return rill_one_nan(a.special);
    }
    a = rill_floored(a);
    double sign = a.b7 < 0.0lf ? -1.0lf : 1.0lf;
    if (a.b7 < 0.0lf) {
        a = rill_floored(u_Exact(-a.b0, -a.b1, -a.b2, -a.b3, -a.b4, -a.b5, -a.b6, -a.b7, 0.0lf, 0.0lf, 0u, 0u));
    }
    double sum = a.b7, rest = 0.0lf;
    RILL_ADD(6)
    RILL_ADD(5)
    RILL_ADD(4)
    RILL_ADD(3)
    RILL_ADD(2)
    RILL_ADD(1)
    RILL_ADD(0)
    double error;
    sum = rill_two_sum(sum, rest, error);
    more = error * sign;
    return sum * sign;
}
