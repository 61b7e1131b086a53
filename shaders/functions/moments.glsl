// Mean and squared deviations of doubles: Welford's update, and the combination of two parts (Chan,
// Golub and LeVeque 1983). Both carry the errors of additions (two-sum), since long runs would lose
// digits. If squares exceed the range of doubles, everything is computed again for the elements
// times 2^(600 scale), where scale is -1, 0 or 1. RILL_ABOVE(x, y) is x > y component by component.
#define RILL_UP T(4.1495155688809930e180lf)    /* 2^600 */
#define RILL_DOWN T(2.4099198651028841e-181lf) /* 2^-600 */
#define RILL_FAR T(2.9073548971824276e135lf)   /* 2^450: the squares of larger differences of means, times the number of elements, may be out of range */

void rill_add(inout T s, inout T e, T x)
{
    precise T t = s + x;
    precise T z = t - s;
    precise T d = (s - (t - z)) + (x - z);
    precise T f = e + d;
    s = t;
    e = f;
}

T rill_factor(T scale)
{
    return mix(mix(T(1), RILL_UP, RILL_ABOVE(scale, T(0))), RILL_DOWN, RILL_ABOVE(T(0), scale));
}
T rill_scale(T x)
{
    T s = mix(T(0), T(1), RILL_ABOVE(T(6.2230152778611417e-61lf), abs(x))); /* 2^-200 */
    return mix(s, T(-1), RILL_ABOVE(abs(x), T(2.5822498780869086e120lf))); /* 2^400 */
}
void rill_rescale(inout u_Moments a, T scale)
{
    T steps = a.scale - scale, f = mix(T(1), RILL_DOWN, RILL_ABOVE(steps, T(0.5lf)));
    T g = mix(T(1), RILL_DOWN, RILL_ABOVE(steps, T(1.5lf)));
    a.mean = a.mean * f * g;
    a.more = a.more * f * g;
    a.m2 = a.m2 * f * f * g * g;
    a.rest = a.rest * f * f * g * g;
    a.scale = scale;
}

u_Moments rill_first(T x, int t)
{
    precise T zero = x - x; // or NaN
    return u_Moments(x, T(0), zero, T(0), T(0), 1.0lf);
}
u_Moments rill_step(u_Moments a, T x, int t)
{
    a.n += 1.0lf;
    precise T d = (x - a.mean) - a.more;
    rill_add(a.mean, a.more, d / T(a.n));
    precise T r = (x - a.mean) - a.more;
    rill_add(a.m2, a.rest, d * r);
    return a;
}

#define rill_stuck(a) RILL_NONE((a).m2)
bool rill_lost(u_Moments a)
{
    precise T q = a.m2 + a.rest;
    precise T z = (q - q) + mix(T(1), T(0), RILL_ABOVE(q, T(1.1830521861667747e-271lf))); /* 2^-900 */
    return z != T(0);
}
u_Moments rill_first_again(T x, int t)
{
    T scale = rill_scale(x);
    u_Moments a = rill_first(x * rill_factor(scale), t);
    a.scale = scale;
    return a;
}
u_Moments rill_step_again(u_Moments a, T x, int t)
{
    rill_rescale(a, min(a.scale, rill_scale(x)));
    return rill_step(a, x * rill_factor(a.scale), t);
}

u_Moments rill_merge(u_Moments a, u_Moments b)
{
    T scale = min(a.scale, b.scale);
    rill_rescale(a, scale);
    rill_rescale(b, scale);
    scale = mix(scale, T(-1), RILL_ABOVE(abs(b.mean - a.mean), RILL_FAR));
    rill_rescale(a, scale);
    rill_rescale(b, scale);
    double n = a.n + b.n;
    precise T d = (b.mean - a.mean) + (b.more - a.more);
    T w = T(b.n / n);
    rill_add(a.mean, a.more, d * w);
    rill_add(a.m2, a.rest, b.m2 + b.rest);
    rill_add(a.m2, a.rest, d * d * (T(a.n) * w));
    a.n = n;
    return a;
}

T rill_mean(u_Moments a) { return (a.mean + a.more) * rill_factor(-a.scale); }
// Returns the sum of the squared differences from the mean, divided by unit^2.
T rill_squares(u_Moments a, out T unit)
{
    unit = rill_factor(-a.scale);
    return a.m2 + a.rest;
}
