kernel void bad_place(vec3 p<>, out int bad<>) {
    uvec3 high = floatBitsToUint(p) & 0x7f800000u;
    bad = any(equal(high, uvec3(0x7f800000u))) ? indexof(bad).x : 0x7fffffff;
}
kernel void bad_pair(vec2 p<>, out int bad<>) {
    uvec2 high = floatBitsToUint(p) & 0x7f800000u;
    bad = any(equal(high, uvec2(0x7f800000u))) ? indexof(bad).x : 0x7fffffff;
}
kernel void bad_triangle(ivec3 t<>, int n, out int bad<>) {
    bad = any(lessThan(t, ivec3(0))) || any(greaterThanEqual(t, ivec3(n))) ? indexof(bad).x : 0x7fffffff;
}
