// The state on the device: `s` has the scalars below, with r'r (RR) and the least r'r (BEST). `rv` is the product of the shadow, which is the residual at the
// start, and v = A p. `mid` is t's and t't. `last` is the new r'r and the product of the shadow and r.
const int RHO = 0, SHADOW2 = 1, STATE = 2, COUNT = 3, RESTARTS = 4, RR = 5, BEST = 6;
double step_of(double state, double rho, double rv) { return state == 0.0 && rv != 0.0 ? rho / rv : 0.0; }
double omega_of(double state, dvec2 mid) { return state == 0.0 && mid.y > 0.0 ? mid.x / mid.y : 0.0; }
bool lost(double alpha, double omega, dvec2 last, double shadow2) {
    return alpha == 0.0 || omega == 0.0 || last.y * last.y <= 1e-24 * last.x * shadow2;
}
bool leaves(double state, double rr, double best, dvec2 last) { return state == 0.0 && !(last.x < best) && rr == best; }

$section(half)
kernel void bicgstab_half(double s[], double rv[], $T v<>, $T r<>, out $T half_r<>) {
    half_r = r - $T(step_of(s[STATE], s[RHO], rv[0])) * v;
}

$section(update)
kernel void bicgstab_update(double s[], dvec2 mid[], $T half_r<>, $T t<>, out $T r<>) {
    r = half_r - $T(omega_of(s[STATE], mid[0])) * t;
}

$section(direction)
kernel void bicgstab_direction(double s[], double rv[], dvec2 mid[], dvec2 last[], $T r<>, $T v<>, $T near_p<>, $T near<>,
    inout $T shadow<>, inout $T p<>, inout $T x<>) {
    double alpha = step_of(s[STATE], s[RHO], rv[0]), omega = omega_of(s[STATE], mid[0]);
    x += $T(alpha) * near_p + $T(omega) * near;
    bool anew = lost(alpha, omega, last[0], s[SHADOW2]);
    $T beta = anew ? $T(0) : $T(last[0].y / s[RHO] * (alpha / omega));
    shadow = anew ? r : shadow;
    p = anew ? r : r + beta * (p - $T(omega) * v);
}

$section(turn)
kernel void bicgstab_turn(int k<>, double rv[], dvec2 mid[], dvec2 last[], double least, double growth, inout double s[]) {
    double alpha = step_of(s[STATE], s[RHO], rv[0]), omega = omega_of(s[STATE], mid[0]);
    double rr = last[0].x, rho = last[0].y;
    bool anew = lost(alpha, omega, last[0], s[SHADOW2]);
    if (s[STATE] == 0.0) {
        s[COUNT] += 1.0;
        s[STATE] = rr <= least ? 1.0 : isnan(rr) || isinf(rr) || isnan(rho) ? 3.0 :
            alpha == 0.0 && omega == 0.0 ? 2.0 : rr > growth * s[BEST] ? 4.0 : 0.0;
        s[RESTARTS] += anew && s[STATE] == 0.0 ? 1.0 : 0.0;
        s[RHO] = anew ? rr : rho;
        s[SHADOW2] = anew ? rr : s[SHADOW2];
        s[RR] = rr;
        s[BEST] = rr < s[BEST] ? rr : s[BEST];
    }
}

$section(keep)
// Saves x before the next step if its residual is the least so far and that step does not lower it. It runs few lanes with many elements each, so that
// a launch that saves nothing costs little.
kernel void bicgstab_keep(int first<>, uint lanes, double s[], dvec2 last[], $T x[], inout $T best[]) {
    uint end = leaves(s[STATE], s[RR], s[BEST], last[0]) ? uint(sizeof_stream(best).x) : 0u;
    for (uint i = uint(first); i < end; i += lanes) best[i] = x[i];
}

$section(keep_parts)
// The same for vectors that consist of parts.
kernel void bicgstab_keep_parts(double s[], dvec2 last[], $T x<>, inout $T best<>) {
    if (leaves(s[STATE], s[RR], s[BEST], last[0])) best = x;
}
