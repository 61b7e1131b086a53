$use(fluid_grid)
// The velocity at a position, and where what is there was (way -1) or will be (1) a step of dt away. TRACE goes into
// each kernel.
#define FLOW(spot) $V($for(c, components, ", "){sample(u$c.k, (spot) + shift_$c.k)})
#define TRACE(spot, time) inside(spot + (time) * s.per * FLOW(inside(spot + 0.5 * (time) * s.per * FLOW(spot), s)), s)

// The elements around a position: their range, and what is interpolated between them.
$if(rank == 2){
#define AROUND(type, u, spot, low, high, value) { \
    vec2 f = floor(spot), w = (spot) - f; ivec2 i = ivec2(f); \
    type a = u[i.y][i.x], b = u[i.y][i.x + 1], c = u[i.y + 1][i.x], d = u[i.y + 1][i.x + 1]; \
    low = min(min(a, b), min(c, d)); high = max(max(a, b), max(c, d)); \
    value = mix(mix(a, b, w.x), mix(c, d, w.x), w.y); }
}$else{
#define AROUND(type, u, spot, low, high, value) { \
    vec3 f = floor(spot), w = (spot) - f; ivec3 i = ivec3(f); \
    type a = u[i.z][i.y][i.x], b = u[i.z][i.y][i.x + 1], c = u[i.z][i.y + 1][i.x], d = u[i.z][i.y + 1][i.x + 1]; \
    type e = u[i.z + 1][i.y][i.x], g = u[i.z + 1][i.y][i.x + 1], h = u[i.z + 1][i.y + 1][i.x]; \
    type k = u[i.z + 1][i.y + 1][i.x + 1]; \
    low = min(min(min(a, b), min(c, d)), min(min(e, g), min(h, k))); \
    high = max(max(max(a, b), max(c, d)), max(max(e, g), max(h, k))); \
    value = mix(mix(mix(a, b, w.x), mix(c, d, w.x), w.y), mix(mix(e, g, w.x), mix(h, k, w.x), w.y), w.z); }
}

$section(flow)
// What is added to component k where its way begins and where it ends: the force of the step, and the gradient of the
// pressure that there was. The projection solves for how that changes on a MAC grid, for all of the pressure on a collocated
// one: its wide gradient does not see all of a change, and what it does not see would grow. So there the gradient is
// given back in the end (Almgren, Bell and Crutchfield 2000); where diffusion comes before the projection, after that, as
// what the pressure balances must not be dragged by walls.
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
// Half of what is gained is gained where the way begins and half where it ends: so the error of a flow at rest falls
// with the square of the step.
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
        AROUND(float, e$c.k, from, low, high, value)
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
        float back = sample(a$c.k, TRACE($V(at) - shift_$c.k, clock[0]) + shift_$c.k);
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
        float value = sample(u$c.k, TRACE($V(at) - shift_$c.k, -dt) + shift_$c.k) + ENDS($c.axis, $c.step, slope$c.k);
        r$c.k = bounded_$c.k(KEPT(held$c.k, value), here, s);
    }
}
}
}

$section(carried)
// A quantity at the middles of cells, of type $Q, which has no outer elements: its view says what is outside.
// Numbers that fade to almost nothing become nothing: denormal floats are slow.
$if(Q == float){
float settled(float q) { return abs(q) > 1e-20 ? q : 0.0; }
}$else{
$Q settled($Q q) { return q * $Q(greaterThan(abs(q), $Q(1e-20))); }
}
// Nothing is carried into an obstacle; what comes in with an inflow is what was told.
#define SETTLED(r) $if(held){AT(solid, at + 1) == 1.0 ? $Q(0.0) : AT(solid, at + 1) == 2.0 && feeds > 0.5 ? fed : r}$else{r}
$if(corrects){
kernel void ahead(Sides s, float clock[], $for(c, components){float u$c.k $brackets,} $Q q $brackets, out $Q r<>, out $Q low<>, out $Q high<>) {
    $V here = $V(indexof(r).$fields);
    $V from = TRACE(here + 0.5, -clock[0]) - 0.5;
    AROUND($Q, q, from, low, high, r)
}
kernel void again(Sides s, float clock[], $for(c, components){float u$c.k $brackets,} $Q q<>, $Q a $brackets, $Q low<>, $Q high<>, $if(held){float solid $brackets, float feeds, $Q fed,} out $Q r<>) {
    $I at = indexof(r).$fields;
    $Q back = sample(a, TRACE($V(at) + 0.5, clock[0]) - 0.5);
    r = settled(clamp(AT(a, at) + 0.5 * (q - back), low, high));
    r = SETTLED(r);
}
}$else{
kernel void once(Sides s, float clock[], $for(c, components){float u$c.k $brackets,} $Q q $brackets, $if(held){float solid $brackets, float feeds, $Q fed,} out $Q r<>) {
    $I at = indexof(r).$fields;
    r = settled(sample(q, TRACE($V(at) + 0.5, -clock[0]) - 0.5));
    r = SETTLED(r);
}
}
