// Values of which compilers do not know that they are constant.
double rill_same_double(double x) { return x; }
dmat2x2 rill_same_double(dmat2x2 x) { return x; }
dmat2x3 rill_same_double(dmat2x3 x) { return x; }
dmat2x4 rill_same_double(dmat2x4 x) { return x; }
dmat3x2 rill_same_double(dmat3x2 x) { return x; }
dmat3x3 rill_same_double(dmat3x3 x) { return x; }
dmat3x4 rill_same_double(dmat3x4 x) { return x; }
dmat4x2 rill_same_double(dmat4x2 x) { return x; }
dmat4x3 rill_same_double(dmat4x3 x) { return x; }
dmat4x4 rill_same_double(dmat4x4 x) { return x; }
