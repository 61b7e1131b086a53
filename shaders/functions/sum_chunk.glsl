// Adds sixteen floats in groups of four as floats, whose sums may overflow, then in doubles: as
// fast as plain addition. Groups that overflowed are added again one by one.
float rill_h(uvec4 u)
{
    vec4 v = uintBitsToFloat(u);
    precise float q = (v.x + v.y) + (v.z + v.w);
    return q;
}
double rill_join(double a, float p, float q, float r, float s)
{
    return a + ((double(p) + double(q)) + (double(r) + double(s)));
}
bool rill_lost(double a)
{
    return (unpackDouble2x32(a).y & 0x7ff00000u) == 0x7ff00000u;
}
#define rill_first_again rill_first
#define rill_step_again rill_step
#define rill_stuck(a) isnan(a)
