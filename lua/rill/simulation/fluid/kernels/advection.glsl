$use(fluid_grid)
// FLOW is the velocity at a position. TRACE is the position one step later (time > 0) or earlier (time < 0); it is
// expanded in each kernel.
#define FLOW(spot) $V($for(c, components, ", "){SAMPLE(u$c.k, (spot) + shift_$c.k)})
#define TRACE(spot, time) inside(spot + (time) * s.per * FLOW(inside(spot + 0.5 * (time) * s.per * FLOW(spot), s)), s)

// The range of the elements around a position, and the value interpolated between them.
$if(rank == 2){
#define AROUND(type, u, spot, in_part, low, high, value) { \
    vec2 f = floor(spot), w = (spot) - f; ivec2 i = ivec2(f in_part); \
    type a = u[i.y][i.x], b = u[i.y][i.x + 1], c = u[i.y + 1][i.x], d = u[i.y + 1][i.x + 1]; \
    low = min(min(a, b), min(c, d)); high = max(max(a, b), max(c, d)); \
    value = mix(mix(a, b, w.x), mix(c, d, w.x), w.y); }
}$else{
#define AROUND(type, u, spot, in_part, low, high, value) { \
    vec3 f = floor(spot), w = (spot) - f; ivec3 i = ivec3(f in_part); \
    type a = u[i.z][i.y][i.x], b = u[i.z][i.y][i.x + 1], c = u[i.z][i.y + 1][i.x], d = u[i.z][i.y + 1][i.x + 1]; \
    type e = u[i.z + 1][i.y][i.x], g = u[i.z + 1][i.y][i.x + 1], h = u[i.z + 1][i.y + 1][i.x]; \
    type k = u[i.z + 1][i.y + 1][i.x + 1]; \
    low = min(min(min(a, b), min(c, d)), min(min(e, g), min(h, k))); \
    high = max(max(max(a, b), max(c, d)), max(max(e, g), max(h, k))); \
    value = mix(mix(mix(a, b, w.x), mix(c, d, w.x), w.y), mix(mix(e, g, w.x), mix(h, k, w.x), w.y), w.z); }
}

$section(flow)
// BEGINS and ENDS are added to component k at the start and at the end of its path: the force of the step and the
// gradient of the previous pressure. On a MAC grid the projection solves for the change of the pressure. On a
// collocated grid it solves for the whole pressure, because the wide gradient does not see all of a change, and the
// unseen part would grow. There the gradient is added back at the end (Almgren, Bell and Crutchfield 2000), or after
// diffusion if the fluid is viscous, because walls must not drag the flow that the pressure balances.
$if(mac){
#define PRESSURE_INPUTS float p $brackets, $if(push){$V push $brackets,}
#define PUSHED(axis, step) $if(push){+ 0.5 * (AT(push, at).axis + AT(push, at - step).axis)}
#define BEGINS(axis, step, slope) dt * (s.per.axis * (AT(p, at - step) - AT(p, at)) PUSHED(axis, step))
#define ENDS BEGINS
}$else{
#define PRESSURE_INPUTS $for(c, components){float slope$c.k $brackets,} $if(push){$V push $brackets,}
#define PUSHED(axis, step) $if(push){+ AT(push, at).axis}
#define BEGINS(axis, step, slope) dt * (0.0 PUSHED(axis, step) - AT(slope, at))
#define ENDS(axis, step, slope) \
    dt * (0.0 PUSHED(axis, step) $if(viscous){- AT(slope, at)}$else{$if(corrects){+ AT(slope, at)}})
}
$if(corrects){
// Half of the acceleration is applied at the start of the path and half at its end, so that the error of a steady flow
// decreases with the square of the step.
kernel void lead(Sides s, float clock[], PRESSURE_INPUTS $for(c, components){float u$c.k $brackets,} HELD_INPUTS $for(c, components, ", "){out float r$c.k<>}) {
    float dt = 0.5 * clock[0];
    $I here = indexof(r0).$fields;
$for(c, components){
    {
        $I at = fold_$c.k(here, s);
        float value = AT(u$c.k, at) + BEGINS($c.axis, $c.step, slope$c.k);
        r$c.k = bounded_$c.k(KEPT(held$c.k, value), here, s);
    }
}
}
kernel void ahead(Sides s, float clock[], $for(c, components){float u$c.k $brackets, float e$c.k $brackets,} HELD_INPUTS $for(c, components, ", "){out float r$c.k<>,
    out vec2 range$c.k<>}) {
    float dt = clock[0];
    $I here = indexof(r0).$fields;
$for(c, components){
    {
        $I at = fold_$c.k(here, s);
        float value, low, high;
        $V from = TRACE($V(at) - shift_$c.k, -dt) + shift_$c.k;
        AROUND(float, e$c.k, from, IN_FIELD, low, high, value)
        r$c.k = bounded_$c.k(KEPT(held$c.k, value), here, s);
        range$c.k = vec2(low, high);
    }
}
}
kernel void again(Sides s, float clock[], PRESSURE_INPUTS $for(c, components){float u$c.k $brackets, float e$c.k $brackets, float a$c.k $brackets,
    vec2 range$c.k $brackets,}
                  HELD_INPUTS $for(c, components, ", "){out float r$c.k<>}) {
    float dt = 0.5 * clock[0];
    $I here = indexof(r0).$fields;
$for(c, components){
    {
        $I at = fold_$c.k(here, s);
        float back = SAMPLE(a$c.k, TRACE($V(at) - shift_$c.k, clock[0]) + shift_$c.k);
        vec2 range = AT(range$c.k, at);
        float value = clamp(AT(a$c.k, at) + 0.5 * (AT(e$c.k, at) - back), range.x, range.y) + ENDS($c.axis, $c.step, slope$c.k);
        r$c.k = bounded_$c.k(KEPT(held$c.k, value), here, s);
    }
}
}
}$else{
kernel void once(Sides s, float clock[], PRESSURE_INPUTS $for(c, components){float u$c.k $brackets,} HELD_INPUTS $for(c, components, ", "){out float r$c.k<>}) {
    float dt = clock[0];
    $I here = indexof(r0).$fields;
$for(c, components){
    {
        $I at = fold_$c.k(here, s);
        float value = SAMPLE(u$c.k, TRACE($V(at) - shift_$c.k, -dt) + shift_$c.k) + ENDS($c.axis, $c.step, slope$c.k);
        r$c.k = bounded_$c.k(KEPT(held$c.k, value), here, s);
    }
}
}
}

$section(carried)
// A quantity of type $Q at cell centers, without halo: its view defines the values outside. Very small values are set
// to 0, because denormal floats are slow.
$if(Q == float){
float flushed(float q) { return abs(q) > 1e-20 ? q : 0.0; }
}$else{
$Q flushed($Q q) { return q * $Q(greaterThan(abs(q), $Q(1e-20))); }
}
// The value in an obstacle is 0, and in an inflow it is the given value.
#define KEPT_CELL(r) $if(held){AT(solid, at + 1) == 1.0 ? $Q(0.0) : AT(solid, at + 1) == 2.0 && feeds > 0.5 ? fed : r}$else{r}
$if(corrects){
kernel void ahead(Sides s, float clock[], $for(c, components){float u$c.k $brackets,} $Q q $brackets, out $Q r<>, out $Q low<>, out $Q high<>) {
    $V here = $V(indexof(r).$fields);
    $V from = TRACE(here + 0.5, -clock[0]) - 0.5;
    AROUND($Q, q, from, IN_CELLS, low, high, r)
}
kernel void again(Sides s, float clock[], $for(c, components){float u$c.k $brackets,} $Q q<>, $Q a $brackets, $Q low<>, $Q high<>, $if(held){float solid $brackets, float feeds, $Q fed,} out $Q r<>) {
    $I at = indexof(r).$fields;
    $Q back = SAMPLE_CELL(a, TRACE($V(at) + 0.5, clock[0]) - 0.5);
    r = flushed(clamp(CELL(a, at) + 0.5 * (q - back), low, high));
    r = KEPT_CELL(r);
}
}$else{
kernel void once(Sides s, float clock[], $for(c, components){float u$c.k $brackets,} $Q q $brackets, $if(held){float solid $brackets, float feeds, $Q fed,} out $Q r<>) {
    $I at = indexof(r).$fields;
    r = flushed(SAMPLE_CELL(q, TRACE($V(at) + 0.5, -clock[0]) - 0.5));
    r = KEPT_CELL(r);
}
}
