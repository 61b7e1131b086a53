// Sums of doubles, and of products of doubles: s, with the errors of additions in e (two-sum:
// Knuth; Ogita, Rump and Oishi 2005). If the sum exceeds the range of doubles, everything is added
// again (Blue 1978): numbers above 2^959 in b, in units of 2^1024, products below 2^-959 in l, in
// units of 2^-1024, all others in s. RILL_ABOVE(x, y) is x > y component by component.
#define RILL_UP T(1.3407807929942597e154lf)    /* 2^512 */
#define RILL_DOWN T(7.4583407312002067e-155lf) /* 2^-512 */
#define RILL_LARGE T(2.7105054312137611e-20lf) /* 2^-65 */
#define RILL_SMALL T(36893488147419103232.0lf) /* 2^65 */

#define rill_stuck(a) RILL_NONE((a).s)

u_Sum rill_plain(u_Sum a, T x)
{
    precise T s = a.s + x;
    precise T z = s - a.s;
    precise T d = (a.s - (s - z)) + (x - z);
    precise T e = a.e + d;
    return u_Sum(s, e, a.b, a.l);
}
bool rill_not_finite(u_Sum a)
{
    precise T z = (a.s - a.s) + (a.e - a.e);
    return z != T(0);
}

// Adds x; `large` is x in units of 2^1024, `small` in units of 2^-1024.
u_Sum rill_add(u_Sum a, T x, T large, T small)
{
    T b = mix(T(0), large, RILL_ABOVE(abs(large), RILL_LARGE));
    T l = mix(T(0), small, RILL_ABOVE(RILL_SMALL, abs(small)));
    x = mix(x, T(0), RILL_ABOVE(abs(large), RILL_LARGE));
    x = mix(x, T(0), RILL_ABOVE(RILL_SMALL, abs(small)));
    u_Sum r = rill_plain(a, x);
    return u_Sum(r.s, r.e, a.b + b, a.l + l);
}
// Combines two sums. Partial sums may be in range although their sum is not: large ones are moved
// to b.
u_Sum rill_both(u_Sum a, u_Sum b)
{
    T large = (a.s * RILL_DOWN) * RILL_DOWN, other = (b.s * RILL_DOWN) * RILL_DOWN;
    T moved = mix(T(0), large, RILL_ABOVE(abs(large), RILL_LARGE));
    a.s = mix(a.s, T(0), RILL_ABOVE(abs(large), RILL_LARGE));
    u_Sum r = rill_add(a, b.s, other, RILL_UP);
    return u_Sum(r.s, r.e + b.e, (r.b + b.b) + moved, r.l + b.l);
}
u_Sum rill_of(T x)
{
    return rill_add(u_Sum(T(0), T(0), T(0), T(0)), x, (x * RILL_DOWN) * RILL_DOWN, RILL_UP);
}
u_Sum rill_of(T x, T y)
{
    precise T p = x * y;
    precise T large = (x * RILL_DOWN) * (y * RILL_DOWN), small = (x * RILL_UP) * (y * RILL_UP);
    return rill_add(u_Sum(T(0), T(0), T(0), T(0)), p, large, small);
}

// Returns the total: the sum is (result + rest) * unit * unit.
T rill_total(u_Sum a, out T rest, out T unit)
{
    precise T t = a.s + a.e;
    precise T middle = (a.e + (a.l * RILL_DOWN) * RILL_DOWN) + a.b;
    precise T low = (a.l + t) + a.b;
    T r = mix(low, a.s, RILL_ABOVE(abs(t), T(0)));
    rest = mix(T(0), middle, RILL_ABOVE(abs(t), T(0)));
    unit = mix(RILL_DOWN, T(1), RILL_ABOVE(abs(t), T(0)));
    r = mix(r, a.b, RILL_ABOVE(abs(a.b), T(0)));
    rest = mix(rest, (t * RILL_DOWN) * RILL_DOWN, RILL_ABOVE(abs(a.b), T(0)));
    unit = mix(unit, RILL_UP, RILL_ABOVE(abs(a.b), T(0)));
    return r;
}
