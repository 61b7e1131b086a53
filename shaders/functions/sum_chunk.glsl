// Sixteen floats pairwise, then one compensated addition: as fast as plain addition, its error bounded by a few ulps.
float rill_h(uvec4 u)
{
    vec4 v = uintBitsToFloat(u);
    precise float q = (v.x + v.y) + (v.z + v.w);
    return q;
}
u_Sum rill_join(u_Sum a, float p, float q, float r, float s)
{
    precise float x = (p + q) + (r + s);
    return rill_add(a, x, 0.0);
}
