// `unit_of(v)` returns v scaled to length 1; 0 if v is 0. The vector is scaled first, since its squares may overflow.
vec3 unit_of(vec3 v) {
    float most = max(max(abs(v.x), abs(v.y)), abs(v.z));
    return most > 0.0 ? normalize(v / most) : vec3(0.0);
}
