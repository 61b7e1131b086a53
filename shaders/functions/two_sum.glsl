// Float sums compensated by two-sum (Knuth; Ogita, Rump and Oishi 2005): e contains the errors of
// all additions. If an infinity or a NaN occurred, e is NaN and the plain sum is used.
u_Sum rill_add(u_Sum a, T x, T more)
{
    precise T s = a.s + x;
    precise T z = s - a.s;
    precise T d = (a.s - (s - z)) + (x - z);
    precise T e = a.e + (d + more);
    return u_Sum(s, e);
}

T rill_total(u_Sum a)
{
    precise T r = a.s + a.e;
    precise T bad = a.e - a.e;
    return mix(r, a.s, isnan(bad));
}
