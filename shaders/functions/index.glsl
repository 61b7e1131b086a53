// Converts the number between brackets to an index.
int rill_ix(int i) { return i; }
int rill_ix(uint i) { return int(min(i, 2147483647u)); }
int rill_ix(float f) { return int(clamp(floor(f + 0.0009765625), -2147483648.0, 2147483520.0)); }
int rill_ix(double f) { return rill_ix(float(f)); }
ivec2 rill_ix(ivec2 i) { return i; }
ivec3 rill_ix(ivec3 i) { return i; }
ivec4 rill_ix(ivec4 i) { return i; }
ivec2 rill_ix(uvec2 i) { return ivec2(min(i, 2147483647u)); }
ivec3 rill_ix(uvec3 i) { return ivec3(min(i, 2147483647u)); }
ivec4 rill_ix(uvec4 i) { return ivec4(min(i, 2147483647u)); }
ivec2 rill_ix(vec2 f) { return ivec2(rill_ix(f.x), rill_ix(f.y)); }
ivec3 rill_ix(vec3 f) { return ivec3(rill_ix(f.x), rill_ix(f.y), rill_ix(f.z)); }
ivec4 rill_ix(vec4 f) { return ivec4(rill_ix(f.x), rill_ix(f.y), rill_ix(f.z), rill_ix(f.w)); }
ivec2 rill_ix(dvec2 f) { return rill_ix(vec2(f)); }
ivec3 rill_ix(dvec3 f) { return rill_ix(vec3(f)); }
ivec4 rill_ix(dvec4 f) { return rill_ix(vec4(f)); }
