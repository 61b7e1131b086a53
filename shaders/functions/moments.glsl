// Welford's update and the joining of two parts (Chan, Golub and LeVeque 1983). The mean and the squared deviations carry
// the error of every addition along (two-sum), or long runs would lose digits.
void rill_add(inout T s, inout T e, T x)
{
    precise T t = s + x;
    precise T z = t - s;
    precise T d = (s - (t - z)) + (x - z);
    precise T f = e + d;
    s = t;
    e = f;
}

u_Moments rill_first(T x, int t) { return u_Moments(x, T(0), T(0), T(0), N(1)); }

u_Moments rill_step(u_Moments a, T x, int t)
{
    a.n += N(1);
    precise T d = (x - a.mean) - a.more;
    rill_add(a.mean, a.more, d / T(a.n));
    precise T r = (x - a.mean) - a.more;
    rill_add(a.m2, a.rest, d * r);
    return a;
}

u_Moments rill_merge(u_Moments a, u_Moments b)
{
    N n = a.n + b.n;
    precise T d = (b.mean - a.mean) + (b.more - a.more);
    T w = T(b.n / n);
    rill_add(a.mean, a.more, d * w);
    rill_add(a.m2, a.rest, b.m2 + b.rest);
    rill_add(a.m2, a.rest, d * d * (T(a.n) * w));
    a.n = n;
    return a;
}
