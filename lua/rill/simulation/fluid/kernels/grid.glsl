// Common part of all fluid kernels. `inside` moves a position, in cells from the low corner, into the domain. AT and
// SAMPLE access streams with halo, and CELL and SAMPLE_CELL streams of cells. On several ranks (`parts`) a stream has the
// elements around the part of a rank: `first` and `corner` are the indices of the first of them along the slowest
// dimension. `free` is 1 for a dimension that is periodic and divided: there the elements beyond the ends are copies.
$if(parts){
#define AT(f, i) f$field_element
#define CELL(f, i) f$cell_element
#define IN_FIELD - $V($zeros, s.first)
#define IN_CELLS - $V($zeros, s.corner)
}$else{
#define AT(f, i) f$element
#define CELL(f, i) f$element
#define IN_FIELD
#define IN_CELLS
}
#define SAMPLE(f, spot) sample(f, spot IN_FIELD)
#define SAMPLE_CELL(f, spot) sample(f, spot IN_CELLS)
// HELD_INPUTS: parameters for faces with a prescribed velocity. KEPT: the prescribed value at face `at`, or else v.
#define HELD_INPUTS $if(held){$for(c, components){float held$c.k $brackets,}}
#define KEPT(h, v) $if(held){AT(h, at) < 1e30 ? AT(h, at) : v}$else{v}
struct Sides {
    $for(c, components){$V low_sign$c.k; $V low_add$c.k; $V high_sign$c.k; $V high_add$c.k;}
    $if(parts){int first; int corner; $V free;}
    $V size; $V wraps; $V low_held; $V high_held; $V per;
};
$V inside($V x, Sides s) {
    $V y = mix(clamp(x, $V(0.0), s.size), x - s.size * floor(x / s.size), s.wraps);
    return $if(parts){mix(y, x, s.free)}$else{y};
}
$I folded($I i, $I more, Sides s) {
    $I n = $I(s.size), wraps = $I(s.wraps);
    $I at = wraps * (i + n * ($I(lessThan(i, $I(1))) - $I(greaterThan(i, n)))) + (1 - wraps) * clamp(i, $I(1), n + more);
    return $if(parts){$I(s.free) * i + (1 - $I(s.free)) * at}$else{at};
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
