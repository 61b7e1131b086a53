$use(fluid_grid)
// Faces of an obstacle or inflow cell have its velocity, and faces between two such cells the mean. `solid` is 1 in
// obstacles and behind walls, 2 in inflows, else 0.
float kind(float block, float source) { return block > 0.5 ? 1.0 : source > 0.5 ? 2.0 : 0.0; }
kernel void update(Sides s, float block $brackets, $V drive $brackets, float source $brackets, $V flow $brackets, out float solid<>,
    $for(c, components, ", "){out float held$c.k<>}) {
    $I here = indexof(solid).$fields;
    $I cell = folded(here, $I(0), s) - 1;
    $V walls = $V(equal(here, $I(0))) * s.low_held + $V(greaterThan(here, $I(s.size))) * s.high_held;
    walls *= 1.0 - s.wraps;
    float wall = $for(c, components){+ walls.$c.axis};
    solid = wall > 0.0 ? 1.0 : kind(CELL(block, cell), CELL(source, cell));
$for(c, components){
    {
        $I at = fold_$c.k(here, s);
        $I high = folded(at, $I(0), s) - 1, low = folded($if(mac){at - $c.step}$else{at}, $I(0), s) - 1;
        float a = kind(CELL(block, high), CELL(source, high)), b = kind(CELL(block, low), CELL(source, low));
        $V first = a == 1.0 ? CELL(drive, high) : a == 2.0 ? CELL(flow, high) : $V(0.0);
        $V second = b == 1.0 ? CELL(drive, low) : b == 2.0 ? CELL(flow, low) : $V(0.0);
        float count = min(a, 1.0) + min(b, 1.0);
        held$c.k = count > 0.0 ? (first + second).$c.axis / count : 3e38;
    }
}
}
