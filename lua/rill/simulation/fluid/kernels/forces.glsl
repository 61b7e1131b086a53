$use(fluid_grid)

$section(curl)
// The derivative of u along an axis at the cell center, from values at cell centers, or on faces of another axis.
$if(mac){
#define SLOPE(u, axis, along, across) 0.25 * s.per.axis * \
    (AT(u, at + along) + AT(u, at + along + across) - AT(u, at - along) - AT(u, at - along + across))
}$else{
#define SLOPE(u, axis, along, across) 0.5 * s.per.axis * (AT(u, at + along) - AT(u, at - along))
}
$if(rank == 2){
#define X ivec2(1, 0)
#define Y ivec2(0, 1)
}$else{
#define X ivec3(1, 0, 0)
#define Y ivec3(0, 1, 0)
#define Z ivec3(0, 0, 1)
}
kernel void curl(Sides s, $for(c, components){float u$c.k $brackets,} out $if(rank == 2){float}$else{vec3} spin<>) {
    $I at = folded(indexof(spin).$fields, $I(0), s);
    $if(rank == 2){
    spin = SLOPE(u1, x, X, Y) - SLOPE(u0, y, Y, X);
    }$else{
    spin = vec3(SLOPE(u2, y, Y, Z) - SLOPE(u1, z, Z, Y), SLOPE(u0, z, Z, X) - SLOPE(u2, x, X, Z),
                SLOPE(u1, x, X, Y) - SLOPE(u0, y, Y, X));
    }
}

$section(push)
$if(rank == 2){
$V confined($V rise, float spin) { $V n = rise / (length(rise) + 1e-12); return spin * vec2(n.y, -n.x); }
}$else{
$V confined($V rise, vec3 spin) { return cross(rise / (length(rise) + 1e-12), spin); }
}
kernel void gather(Sides s, float confinement, $if(force){$V force $brackets,}
    $for(b, buoyant){$b.type c$b.i, $b.type b$b.i $brackets,}
    $if(confines){$if(rank == 2){float}$else{vec3} spin $brackets,} out $V push<>) {
    $I at = folded(indexof(push).$fields, $I(0), s);
    push = $V(0.0) $if(force){+ CELL(force, at - $I(1))}
        $for(b, buoyant){- $if(rank == 2){vec2(0, 1)}$else{vec3(0, 1, 0)} * dot(c$b.i, CELL(b$b.i, at - $I(1)))}
        $if(confines){+ confinement * confined(
            $V($for(c, components, ", "){length(AT(spin, at + $c.step)) - length(AT(spin, at - $c.step))}), AT(spin, at))};
}
