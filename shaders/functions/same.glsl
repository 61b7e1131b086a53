// Values of which compilers do not know that they are constant.
float rill_same(float x) { return x; }
mat2x2 rill_same(mat2x2 x) { return x; }
mat2x3 rill_same(mat2x3 x) { return x; }
mat2x4 rill_same(mat2x4 x) { return x; }
mat3x2 rill_same(mat3x2 x) { return x; }
mat3x3 rill_same(mat3x3 x) { return x; }
mat3x4 rill_same(mat3x4 x) { return x; }
mat4x2 rill_same(mat4x2 x) { return x; }
mat4x3 rill_same(mat4x3 x) { return x; }
mat4x4 rill_same(mat4x4 x) { return x; }
