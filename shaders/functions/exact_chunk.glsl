// Adds sixteen floats, given as bits, to an exact sum. Sums of up to 128 numbers are exact if the exponents of all nonzero numbers
// differ by at most 22.
uvec4 rill_h(uvec4 u) { return u; }
u_Exact rill_join(u_Exact a, uvec4 p, uvec4 q, uvec4 r, uvec4 s)
{
    uvec4 i = p & 0x7fffffffu, j = q & 0x7fffffffu, k = r & 0x7fffffffu, l = s & 0x7fffffffu;
    uvec4 high = max(max(i, j), max(k, l)), low = min(min(i - 1u, j - 1u), min(k - 1u, l - 1u));
    a.high = max(a.high, max(max(high.x, high.y), max(high.z, high.w)));
    a.low = min(a.low, min(min(low.x, low.y), min(low.z, low.w)));
    precise dvec4 sum = (dvec4(uintBitsToFloat(p)) + dvec4(uintBitsToFloat(q))) + (dvec4(uintBitsToFloat(r)) + dvec4(uintBitsToFloat(s)));
    precise double total = a.sum + ((sum.x + sum.y) + (sum.z + sum.w));
    a.sum = total;
    return a;
}
