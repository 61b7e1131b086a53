// Integer sums in 64 bits: low words, carries and sign extensions.
u_Long rill_add(u_Long a, U lo, U hi)
{
    U l = a.lo + lo;
    return u_Long(l, a.hi + hi + RILL_LESS(l, lo));
}
u_Long rill_first(T x, int t) { return u_Long(U(x), RILL_SIGN(x)); }
u_Long rill_step(u_Long a, T x, int t) { return rill_add(a, U(x), RILL_SIGN(x)); }
u_Long rill_merge(u_Long a, u_Long b) { return rill_add(a, b.lo, b.hi); }
