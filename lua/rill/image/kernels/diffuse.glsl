// `scale` is 1 / k. Nothing flows where the conductance is 0 or NaN, so infinite and NaN pixels do not change and do not affect other pixels.
$T flow($T d, float scale) { $T q = scale * d, g = $conductance; return $if(T == float){g > 0.0 ? d * g : 0.0}$else{mix($T(0.0), d * g, greaterThan(g, $T(0.0)))}; }
kernel void diffuse(float scale, float rate, neighbor $T u<>, out $T r<>) {
    $T c = u[0][0];
    r = c + rate * (flow(u[0][1] - c, scale) + flow(u[0][-1] - c, scale) + flow(u[1][0] - c, scale)
        + flow(u[-1][0] - c, scale));
}
