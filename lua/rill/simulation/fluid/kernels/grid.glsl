// Common part of all fluid kernels. `inside` moves a position, in cells from the low corner, into the domain.
#define AT(s, i) s$element
// HELD_INPUTS: parameters for faces with a prescribed velocity. KEPT: the prescribed value at face `at`, or else v.
#define HELD_INPUTS $if(held){$for(c, components){float held$c.k $brackets,}}
#define KEPT(h, v) $if(held){AT(h, at) < 1e30 ? AT(h, at) : v}$else{v}
struct Sides {
    $for(c, components){$V low_sign$c.k; $V low_add$c.k; $V high_sign$c.k; $V high_add$c.k;}
    $V size; $V wraps; $V low_held; $V high_held; $V per;
};
$V inside($V x, Sides s) { return mix(clamp(x, $V(0.0), s.size), x - s.size * floor(x / s.size), s.wraps); }
$I folded($I i, $I more, Sides s) {
    $I n = $I(s.size), wraps = $I(s.wraps);
    return wraps * (i + n * ($I(lessThan(i, $I(1))) - $I(greaterThan(i, n)))) + (1 - wraps) * clamp(i, $I(1), n + more);
}
$for(c, components){
// The element from which element i of component k is computed, and its value under the boundary conditions.
const $V shift_$c.k = $V($for(d, c.across, ", "){$d.shift});
$I fold_$c.k($I i, Sides s) { return folded(i, $I($for(d, c.across, ", "){$d.edge}), s); }
float bounded_$c.k(float value, $I i, Sides s) {
    $I n = $I(s.size);
    $for(d, c.across){
    value = i.$d.axis <= $d.edge ? s.low_sign$c.k.$d.axis * value + s.low_add$c.k.$d.axis : value;
    value = i.$d.axis > n.$d.axis ? s.high_sign$c.k.$d.axis * value + s.high_add$c.k.$d.axis : value;
    }
    return value;
}
}
