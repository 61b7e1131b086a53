// rill_seen() for doubles.
#if defined RILL_SEEN && !defined RILL_SEEN_DOUBLES
#define RILL_SEEN_DOUBLES
double rill_seen(double x) { return packDouble2x32(unpackDouble2x32(x) | uint(rill_naught)); }
dvec2 rill_seen(dvec2 x) { return dvec2(rill_seen(x.x), rill_seen(x.y)); }
dvec3 rill_seen(dvec3 x) { return dvec3(rill_seen(x.x), rill_seen(x.y), rill_seen(x.z)); }
dvec4 rill_seen(dvec4 x) { return dvec4(rill_seen(x.x), rill_seen(x.y), rill_seen(x.z), rill_seen(x.w)); }
dmat2 rill_seen(dmat2 x) { return dmat2(rill_seen(x[0]), rill_seen(x[1])); }
dmat2x3 rill_seen(dmat2x3 x) { return dmat2x3(rill_seen(x[0]), rill_seen(x[1])); }
dmat2x4 rill_seen(dmat2x4 x) { return dmat2x4(rill_seen(x[0]), rill_seen(x[1])); }
dmat3x2 rill_seen(dmat3x2 x) { return dmat3x2(rill_seen(x[0]), rill_seen(x[1]), rill_seen(x[2])); }
dmat3 rill_seen(dmat3 x) { return dmat3(rill_seen(x[0]), rill_seen(x[1]), rill_seen(x[2])); }
dmat3x4 rill_seen(dmat3x4 x) { return dmat3x4(rill_seen(x[0]), rill_seen(x[1]), rill_seen(x[2])); }
dmat4x2 rill_seen(dmat4x2 x) { return dmat4x2(rill_seen(x[0]), rill_seen(x[1]), rill_seen(x[2]), rill_seen(x[3])); }
dmat4x3 rill_seen(dmat4x3 x) { return dmat4x3(rill_seen(x[0]), rill_seen(x[1]), rill_seen(x[2]), rill_seen(x[3])); }
dmat4 rill_seen(dmat4 x) { return dmat4(rill_seen(x[0]), rill_seen(x[1]), rill_seen(x[2]), rill_seen(x[3])); }
#endif
