$use(fluid_grid)
// `cell` is the fluid cell (0-based) of element i of the solver's grid (see `turn` in pressure_solver.lua). `place`
// is the element of the solver's grid for element i of a field. `held` is 0 if an element is outside an open side.
$I cell($I i, Sides s, $I turn) {
    $I n = $I(s.size), low = $I(lessThan(i, n)), high = 1 - low;
    $I first = $I(equal(turn, $I(1))), second = $I(equal(turn, $I(2)));
    return first * (low * (n - 1 - i) + high * (i - n)) + second * (low * i + high * (2 * n - 1 - i)) + (1 - first - second) * i;
}
$I place($I i, Sides s, $I turn) { return folded(i, $I(0), s) - 1 + $I(s.size) * $I(equal(turn, $I(1))); }
float held($I i, Sides s) {
    $V low = mix($V(1.0), s.low_held, $V(equal(i, $I(0)))), high = mix($V(1.0), s.high_held, $V(greaterThan(i, $I(s.size))));
    $V both = low * high;
    return 1.0 $for(c, components){* both.$c.axis};
}
float shut($I i, Sides s) {
    $V walls = ($V(equal(i, $I(0))) * s.low_held + $V(greaterThan(i, $I(s.size))) * s.high_held) * (1.0 - s.wraps);
    return 0.0 $for(c, components){+ walls.$c.axis};
}
#define PHI(i) (held(i, s) * CELL(x, place(i, s, turn)))
$if(held){
#define FLUID(i) (AT(solid, i) > 0.5 ? 0.0 : 1.0)
#define SHUT(i) (AT(solid, i) > 0.5)
#define BESIDE(i) (AT(solid, i) > 0.5 ? PHI(at) : PHI(i))
// Values outside a closed side, on a collocated grid. The face has the prescribed velocity. The pressure is continued
// by the force on the face (dp/dn = f n), which is extrapolated from two cells.
#define OTHER(u, i) (AT(solid, folded(i, $I(0), s)) > 0.5 ? 2.0 * AT(u, i) - AT(u, at) : AT(u, i))
}$else{
#define FLUID(i) 1.0
#define SHUT(i) (shut(i, s) > 0.0)
#define BESIDE(i) PHI(i)
#define OTHER(u, i) AT(u, i)
}
$if(push){
#define BEYOND(axis, i, sign, back) (SHUT(i) ? PHI(at) sign clock[0] / s.per.axis * \
    (AT(push, at).axis + (SHUT(back) ? 0.0 : 0.5 * (AT(push, at).axis - AT(push, back).axis))) : PHI(i))
}$else{
#define BEYOND(axis, i, sign, back) BESIDE(i)
}
kernel void diverge(Sides s, $I turn, $if(held){float solid $brackets,} $for(c, components){float u$c.k $brackets,} out float b<>) {
    $I at = cell(indexof(b).$fields, s, turn) + 1;
    b = -FLUID(at) * ($for(c, components){$if(mac){+ s.per.$c.axis * (AT(u$c.k, at + $c.step) - AT(u$c.k, at))}
        $else{+ 0.5 * s.per.$c.axis * (OTHER(u$c.k, at + $c.step) - OTHER(u$c.k, at - $c.step))}});
}
kernel void across(Sides s, $I turn, $if(held){float solid $brackets,} float x $brackets, $for(c, components){float u$c.k $brackets,} out float b<>) {
    $I at = cell(indexof(b).$fields, s, turn) + 1;
    b = $for(c, components){$if(mac){+ s.per.$c.axis * (AT(u$c.k, at + $c.step) - AT(u$c.k, at))}
        $else{+ 0.5 * s.per.$c.axis * (OTHER(u$c.k, at + $c.step) - OTHER(u$c.k, at - $c.step))}};
    b = FLUID(at) * (b - ($for(c, components){+ s.per.$c.axis * s.per.$c.axis * (BESIDE(at - $c.step) + BESIDE(at + $c.step) - 2.0 * PHI(at))}));
}
kernel void restore(Sides s, float clock[], $for(c, components){float u$c.k $brackets, float slope$c.k $brackets,} HELD_INPUTS $for(c, components, ", "){out float r$c.k<>}) {
    $I here = indexof(r0).$fields;
    $I at;
    float value;
$for(c, components){
    at = fold_$c.k(here, s);
    value = AT(u$c.k, at) + clock[0] * AT(slope$c.k, at);
    r$c.k = bounded_$c.k(KEPT(held$c.k, value), here, s);
}
}
kernel void project(Sides s, float clock[], $I turn, float x $brackets, float p $brackets, $if(held){float solid $brackets,} $if(push){$V push $brackets,}
                    $for(c, components){float u$c.k $brackets,} HELD_INPUTS out float q<>, $for(c, components, ", "){out float r$c.k<>}$if(slopes){$for(c, components){, out float slope$c.k<>}}) {
    $I here = indexof(q).$fields;
    $I at = folded(here, $I(0), s);
    float value, slope;
    q = held(here, s) * ($if(mac){AT(p, at) +} PHI(at) / clock[0]);
$for(c, components){
    at = fold_$c.k(here, s);
    slope = $if(mac){s.per.$c.axis * (PHI(at) - PHI(at - $c.step))}
        $else{0.5 * s.per.$c.axis * (BEYOND($c.axis, at + $c.step, +, at - $c.step) - BEYOND($c.axis, at - $c.step, -, at + $c.step))};
    value = AT(u$c.k, at) - slope;
    r$c.k = bounded_$c.k(KEPT(held$c.k, value), here, s);
    $if(slopes){slope$c.k = slope / clock[0];}
}
}
