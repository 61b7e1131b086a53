// Keeps the best element and its index. Of equal elements the first is kept; a NaN precedes
// numbers.
u_Best rill_first(T x, int t) { return u_Best(x, t); }
u_Best rill_merge(u_Best a, u_Best b)
{
    bool better = RILL_BETTER(b.v, a.v);
    return u_Best(better ? b.v : a.v, better ? b.i : a.i);
}
u_Best rill_step(u_Best a, T x, int t) { return rill_merge(a, u_Best(x, t)); }
int rill_finish(u_Best a, double n) { return a.i; }
