$use(unit_of)
// `unit_normal(u, v)` returns the cross product of two vectors, scaled to length 1; 0 if it is 0. The vectors are scaled first, since products of their
// components may underflow or overflow.
float largest(vec3 v) { return max(max(abs(v.x), abs(v.y)), abs(v.z)); }
vec3 unit_normal(vec3 u, vec3 v) {
    float i = largest(u), j = largest(v);
    return i > 0.0 && j > 0.0 ? unit_of(cross(u / i, v / j)) : vec3(0.0);
}
