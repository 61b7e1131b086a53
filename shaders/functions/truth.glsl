// Returns whether a value, or the first component of a vector, is not 0. A NaN is true; GLSL's
// bool() of a NaN is false on Mesa 22.3's zink.
bool rill_bool(bool x) { return x; }
bool rill_bool(int x) { return x != 0; }
bool rill_bool(uint x) { return x != 0u; }
bool rill_bool(float x) { return x != 0.0; }
bool rill_bool(double x) { return x != 0.0lf; }
bool rill_bool(bvec2 x) { return x.x; }
bool rill_bool(ivec2 x) { return x.x != 0; }
bool rill_bool(uvec2 x) { return x.x != 0u; }
bool rill_bool(vec2 x) { return x.x != 0.0; }
bool rill_bool(dvec2 x) { return x.x != 0.0lf; }
bool rill_bool(bvec3 x) { return x.x; }
bool rill_bool(ivec3 x) { return x.x != 0; }
bool rill_bool(uvec3 x) { return x.x != 0u; }
bool rill_bool(vec3 x) { return x.x != 0.0; }
bool rill_bool(dvec3 x) { return x.x != 0.0lf; }
bool rill_bool(bvec4 x) { return x.x; }
bool rill_bool(ivec4 x) { return x.x != 0; }
bool rill_bool(uvec4 x) { return x.x != 0u; }
bool rill_bool(vec4 x) { return x.x != 0.0; }
bool rill_bool(dvec4 x) { return x.x != 0.0lf; }
bool rill_bool(mat2 x) { return x[0].x != 0.0; }
bool rill_bool(mat3 x) { return x[0].x != 0.0; }
bool rill_bool(mat4 x) { return x[0].x != 0.0; }
