$use(fluid_grid)
// Weights of Chebyshev iteration for the current step, with middle / reach = sigma: 1 for the first iteration, 2
// sigma T_k(sigma) / T_(k+1)(sigma) for iteration k, computed by powers of t. Element 0 is the weight of the
// residual.
kernel void weights(float a, Sides s, float clock[], out float r<>) {
    $V share = a * clock[0] * s.per * s.per;
    float k = float(indexof(r).x - 1), sum = $for(c, components){+ 4.0 * share.$c.axis}, sigma = (2.0 + sum) / max(sum, 1e-12);
    float t = 1.0 / (sigma + sqrt(sigma * sigma - 1.0));
    r = 2.0 * sigma * t * (1.0 + pow(t, 2.0 * k)) / (1.0 + pow(t, 2.0 * k + 2.0));
    r = k < 0.0 ? 2.0 / (2.0 + sum) : k == 0.0 ? 1.0 : r;
}

$section(flow)
kernel void round(int k, float viscosity, Sides s, float clock[], float weight[], $for(c, components){float b$c.k $brackets,
    float before$c.k $brackets, float x$c.k $brackets,} HELD_INPUTS
                  $for(c, components, ", "){out float r$c.k<>}) {
    $V share = viscosity * clock[0] * s.per * s.per;
    float gamma = weight[0], omega = weight[k + 1];
    $I here = indexof(r0).$fields;
    $I at;
    float middle, value, rest;
$for(c, components){
    at = fold_$c.k(here, s);
    middle = AT(x$c.k, at);
    rest = AT(b$c.k, at) - middle $for(d, axes){+ share.$d.axis * (AT(x$c.k, at + $d.step) + AT(x$c.k, at - $d.step) - 2.0 * middle)};
    value = AT(before$c.k, at);
    value += omega * (middle + gamma * rest - value);
    r$c.k = bounded_$c.k(KEPT(held$c.k, value), here, s);
}
}

$section(carried)
// Nothing diffuses into an obstacle.
#define NEAR(i) $if(held){(AT(solid, i + 1) == 1.0 ? middle : CELL(x0, i))}$else{CELL(x0, i)}
kernel void round(int k, float diffusivity, Sides s, float clock[], float weight[], $if(held){float solid $brackets,} $Q b<>, $Q before<>,
                  $Q x0 $brackets, out $Q r<>) {
    $V share = diffusivity * clock[0] * s.per * s.per;
    float gamma = weight[0], omega = weight[k + 1];
    $I at = indexof(r).$fields;
    $Q middle = CELL(x0, at);
    $Q rest = b - middle $for(d, axes){+ share.$d.axis * (NEAR(at + $d.step) + NEAR(at - $d.step) - 2.0 * middle)};
    r = before + omega * (middle + gamma * rest - before);
}
