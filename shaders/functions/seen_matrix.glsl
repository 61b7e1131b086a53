// rill_seen() for matrices.
#if defined RILL_SEEN
mat2 rill_seen(mat2 x) { return mat2(rill_seen(x[0]), rill_seen(x[1])); }
mat2x3 rill_seen(mat2x3 x) { return mat2x3(rill_seen(x[0]), rill_seen(x[1])); }
mat2x4 rill_seen(mat2x4 x) { return mat2x4(rill_seen(x[0]), rill_seen(x[1])); }
mat3x2 rill_seen(mat3x2 x) { return mat3x2(rill_seen(x[0]), rill_seen(x[1]), rill_seen(x[2])); }
mat3 rill_seen(mat3 x) { return mat3(rill_seen(x[0]), rill_seen(x[1]), rill_seen(x[2])); }
mat3x4 rill_seen(mat3x4 x) { return mat3x4(rill_seen(x[0]), rill_seen(x[1]), rill_seen(x[2])); }
mat4x2 rill_seen(mat4x2 x) { return mat4x2(rill_seen(x[0]), rill_seen(x[1]), rill_seen(x[2]), rill_seen(x[3])); }
mat4x3 rill_seen(mat4x3 x) { return mat4x3(rill_seen(x[0]), rill_seen(x[1]), rill_seen(x[2]), rill_seen(x[3])); }
mat4 rill_seen(mat4 x) { return mat4(rill_seen(x[0]), rill_seen(x[1]), rill_seen(x[2]), rill_seen(x[3])); }
#endif
