// Maps indices beyond the range of an int into streams with boundary modes: wrap (b > 0, the
// period) and mirror (-b elements).
int rill_far(uint i, int b)
{
    uint n = uint(abs(b)), m = b > 0 ? n : 2u * n, t = b == 0 ? 2147483647u : i % m;
    return int(i < 2147483648u ? i : b < 0 && t >= n ? m - 1u - t : t);
}
int rill_ix(int i, ivec4 b, int d) { return i; }
int rill_ix(uint i, ivec4 b, int d) { return rill_far(i, b[d]); }
int rill_ix(float f, ivec4 b, int d) { return rill_ix(f); }
int rill_ix(double f, ivec4 b, int d) { return rill_ix(f); }
ivec2 rill_ix(ivec2 i, ivec4 b, int d) { return i; }
ivec3 rill_ix(ivec3 i, ivec4 b, int d) { return i; }
ivec4 rill_ix(ivec4 i, ivec4 b, int d) { return i; }
ivec2 rill_ix(uvec2 i, ivec4 b, int d) { return ivec2(rill_far(i.x, b.x), rill_far(i.y, b.y)); }
ivec3 rill_ix(uvec3 i, ivec4 b, int d) { return ivec3(rill_ix(i.xy, b, d), rill_far(i.z, b.z)); }
ivec4 rill_ix(uvec4 i, ivec4 b, int d) { return ivec4(rill_ix(i.xyz, b, d), rill_far(i.w, b.w)); }
ivec2 rill_ix(vec2 f, ivec4 b, int d) { return rill_ix(f); }
ivec3 rill_ix(vec3 f, ivec4 b, int d) { return rill_ix(f); }
ivec4 rill_ix(vec4 f, ivec4 b, int d) { return rill_ix(f); }
ivec2 rill_ix(dvec2 f, ivec4 b, int d) { return rill_ix(f); }
ivec3 rill_ix(dvec3 f, ivec4 b, int d) { return rill_ix(f); }
ivec4 rill_ix(dvec4 f, ivec4 b, int d) { return rill_ix(f); }
