// `unit_of(v)` has the direction of v and length 1; it is 0 where v is. The squares of v may be beyond what floats hold.
vec3 unit_of(vec3 v) {
    float most = max(max(abs(v.x), abs(v.y)), abs(v.z));
    return most > 0.0 ? normalize(v / most) : vec3(0.0);
}
