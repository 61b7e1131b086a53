// Sixteen prefix sums in plain floats, added to a compensated sum: their own error stays below
// sixteen roundings. With RILL_EXCLUSIVE 1 each is the sum before its element.
float rill_h(vec4 v)
{
    precise float q = (v.x + v.y) + (v.z + v.w);
    return q;
}
u_Sum rill_sum16(u_Sum a, vec4 p, vec4 q, vec4 r, vec4 s)
{
    precise float x = (rill_h(p) + rill_h(q)) + (rill_h(r) + rill_h(s));
    return rill_add(a, x, 0.0);
}

vec4 rill_steps(vec4 v)
{
    precise float y = v.x + v.y;
    precise float z = y + v.z;
    precise float w = z + v.w;
    return vec4(v.x, y, z, w);
}

u_Sum rill_scan16(u_Sum a, inout vec4 p, inout vec4 q, inout vec4 r, inout vec4 s)
{
    precise float bad = a.e - a.e;
    float e = isnan(bad) ? 0.0 : a.e;
    p = rill_steps(p);
    q = rill_steps(q);
    r = rill_steps(r);
    s = rill_steps(s);
    precise float pq = p.w + q.w;
    precise float pqr = pq + r.w;
    precise float all = pqr + s.w;
    precise vec4 p1 = a.s + (p + e);
    precise vec4 q1 = a.s + (q + (p.w + e));
    precise vec4 r1 = a.s + (r + (pq + e));
    precise vec4 s1 = a.s + (s + (pqr + e));
#if RILL_EXCLUSIVE
    p = vec4(rill_finish(a), p1.xyz);
    q = vec4(p1.w, q1.xyz);
    r = vec4(q1.w, r1.xyz);
    s = vec4(r1.w, s1.xyz);
#else
    p = p1;
    q = q1;
    r = r1;
    s = s1;
#endif
    return rill_add(a, all, 0.0);
}
