$use(fluid_grid)
kernel void center(Sides s, $for(c, components){float u$c.k $brackets,} out $V v<>) {
    $I at = indexof(v).$fields + 1;
    v = $V($for(c, components, ", "){$if(mac){0.5 * (AT(u$c.k, at) + AT(u$c.k, at + $c.step))}$else{AT(u$c.k, at)}});
}
kernel void spread(Sides s, $V v $brackets, $for(c, components, ", "){out float r$c.k<>}) {
    $I here = indexof(r0).$fields;
    $I at;
    float value;
$for(c, components){
    at = fold_$c.k(here, s);
    value = $if(mac){0.5 * (CELL(v, folded(at, $I(0), s) - 1).$c.axis + CELL(v, folded(at - $c.step, $I(0), s) - 1).$c.axis)}
        $else{CELL(v, at - 1).$c.axis};
    r$c.k = bounded_$c.k(value, here, s);
}
}
kernel void settle(Sides s, $for(c, components){float u$c.k $brackets,} $for(c, components, ", "){out float r$c.k<>}) {
    $I here = indexof(r0).$fields;
$for(c, components){
    r$c.k = bounded_$c.k(AT(u$c.k, fold_$c.k(here, s)), here, s);
}
}
