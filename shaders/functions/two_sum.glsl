// Float sums are compensated by two-sum (Knuth; Ogita, Rump and Oishi 2005): the error of every addition is kept in e. Where
// an infinity or a NaN went through, e is NaN and the plain sum stands.
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
