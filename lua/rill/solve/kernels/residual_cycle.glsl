$section(prepare_both)
kernel void prepare($B b<>, double mean, double scale, out double r<>, out float e<>) {
    r = scale * (double(b) - mean);
    e = float(r);
}

$section(residual)
$use(stencil)
kernel void residual(double mean, double scale, double center, $V c, $V wall, neighbor $X x<>, double b<>, out $E r<>) {
    ivec4 at = indexof(r), last = sizeof_stream(r) - 1;
    double here = double(x[0]);
    r = $E(scale * ((b - mean) - (center + DIAGONAL) * here + AROUND));
}

$section(finish)
$use(stencil)
// Does the last smoothing step, combines its result with the previous correction d, and adds the correction to y.
kernel void finish($T alpha, $T omega, $V c, $V wall, neighbor $T x<>, $T b<>, $T weight, $T keep, double factor,
                   inout $T d<>, inout $X y<>) {
    ivec4 at = indexof(y), last = sizeof_stream(y) - 1;
    $T here = x[0];
    $T e = alpha * here + omega * (b - ($T(1) + DIAGONAL) * here + AROUND);
    d = keep == $T(0) ? weight * e : weight * e + keep * d;
    y = $X(double(y) + factor * double(d));
}
