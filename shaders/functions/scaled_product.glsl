// Products of doubles whose factors may exceed the range of doubles: m * 2^(1000 e), where |m| is
// in 2^-500 .. 2^500 unless it is 0 or not finite. RILL_ABOVE(x, y) is x > y component by
// component.
u_Product rill_scaled(W m, W e)
{
    W above = mix(W(0), W(1), RILL_ABOVE(abs(m), W(3.2733906078961419e150lf)));                      /* 2^500 */
    W below = mix(W(0), W(1), RILL_ABOVE(W(3.0549363634996047e-151lf), abs(m)));                     /* 2^-500 */
    m = mix(m, m * 9.3326361850321888e-302lf, RILL_ABOVE(above, W(0)));                              /* 2^-1000 */
    m = mix(m, m * 1.0715086071862673e301lf, RILL_ABOVE(below, W(0)));
    return u_Product(m, e + (above - below));
}
u_Product rill_both(u_Product a, u_Product b)
{
    precise W m = a.m * b.m;
    return rill_scaled(m, a.e + b.e);
}
u_Product rill_first(T x, int t) { return rill_scaled(W(x), W(0)); }
#if RILL_SCALED
u_Product rill_step(u_Product a, T x, int t) { return rill_both(a, rill_first(x, t)); }
#else // no float moves m out of the range of doubles
u_Product rill_step(u_Product a, T x, int t)
{
    precise W m = a.m * W(x);
    return rill_scaled(m, a.e);
}
#endif

W rill_value_of(u_Product a)
{
    W f = mix(W(9.3326361850321888e-302lf), W(1.0715086071862673e301lf), RILL_ABOVE(a.e, W(0)));
    W r = mix(a.m, a.m * f, RILL_ABOVE(abs(a.e), W(0.5lf)));
    return mix(r, r * f, RILL_ABOVE(abs(a.e), W(1.5lf)));
}
