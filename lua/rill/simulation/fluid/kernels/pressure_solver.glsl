$use(fluid_grid)
// Solid cells have no equation. NEAR is the contribution of a neighbor, 0 if it is solid or a wall.
float inside_open($I i, Sides s) {
    $V low = mix($V(1.0), s.low_held, $V(equal(i, $I(0)))), high = mix($V(1.0), s.high_held, $V(greaterThan(i, $I(s.size))));
    $V both = low * high;
    return 1.0 $for(c, components){* both.$c.axis};
}
#define NEAR(i) ((1.0 - min(AT(solid, i), 1.0)) * (middle - inside_open(i, s) * CELL(x, folded(i, $I(0), s) - 1)))
#define SHARE(i) (1.0 - min(AT(solid, i), 1.0))
kernel void multiply(Sides s, float solid $brackets, float x $brackets, out float y<>) {
    $I cell = indexof(y).$fields;
    $I at = cell + 1;
    float middle = CELL(x, cell);
    y = SHARE(at) * ($for(c, components){+ s.per.$c.axis * s.per.$c.axis * (NEAR(at - $c.step) + NEAR(at + $c.step))});
}
kernel void relax(Sides s, float solid $brackets, float x $brackets, float b<>, out float y<>) {
    $I cell = indexof(y).$fields;
    $I at = cell + 1;
    float middle = CELL(x, cell);
    float sum = $for(c, components){+ s.per.$c.axis * s.per.$c.axis * (NEAR(at - $c.step) + NEAR(at + $c.step))};
    float whole = $for(c, components){+ s.per.$c.axis * s.per.$c.axis * (SHARE(at - $c.step) + SHARE(at + $c.step))};
    y = middle + (whole > 0.0 ? SHARE(at) * (b - sum) / whole : 0.0);
}
kernel void mirror(Sides s, $I turn, float r $brackets, out float b<>) {
    $I i = indexof(b).$fields, n = $I(s.size), low = $I(lessThan(i, n));
    $I first = $I(equal(turn, $I(1))), second = $I(equal(turn, $I(2)));
    $I turned = first * (low * (n - 1 - i) + (1 - low) * (i - n)) + second * (low * i + (1 - low) * (2 * n - 1 - i));
    b = CELL(r, turned + (1 - first - second) * i);
}
kernel void unmirror(Sides s, $I turn, float x $brackets, out float z<>) {
    z = CELL(x, indexof(z).$fields + $I(s.size) * $I(equal(turn, $I(1))));
}
kernel void unit(double square[], float b<>,
    out float r<>) { r = square[0] > 0.0LF ? float(double(b) / sqrt(square[0])) : 0.0; }
kernel void scaled(double square[],
    inout float x<>) { x = square[0] > 0.0LF ? float(double(x) * sqrt(square[0])) : 0.0; }
reduce void sum(double x<>, reduce double total<>) { total += x; }
kernel double fluid(float x<>) { return x > 0.5 ? 0.0LF : 1.0LF; }
