// Component-wise operations of Brook's dialect for which GLSL has no function.
bool rill_cg_finite(float x) { return !(isnan(x) || isinf(x)); }
bool rill_cg_finite(double x) { return !(isnan(x) || isinf(x)); }
bvec2 rill_cg_finite(vec2 a) { return not(bvec2(isnan(a.x) || isinf(a.x), isnan(a.y) || isinf(a.y))); }
bvec2 rill_cg_finite(dvec2 a) { return not(bvec2(isnan(a.x) || isinf(a.x), isnan(a.y) || isinf(a.y))); }
bvec2 rill_cg_and(bvec2 a, bvec2 b) { return bvec2(a.x && b.x, a.y && b.y); }
bvec2 rill_cg_or(bvec2 a, bvec2 b) { return bvec2(a.x || b.x, a.y || b.y); }
bvec2 rill_cg_choose(bvec2 c, bvec2 a, bvec2 b) { return bvec2(c.x ? a.x : b.x, c.y ? a.y : b.y); }
ivec2 rill_cg_choose(bvec2 c, ivec2 a, ivec2 b) { return ivec2(c.x ? a.x : b.x, c.y ? a.y : b.y); }
uvec2 rill_cg_choose(bvec2 c, uvec2 a, uvec2 b) { return uvec2(c.x ? a.x : b.x, c.y ? a.y : b.y); }
vec2 rill_cg_choose(bvec2 c, vec2 a, vec2 b) { return vec2(c.x ? a.x : b.x, c.y ? a.y : b.y); }
dvec2 rill_cg_choose(bvec2 c, dvec2 a, dvec2 b) { return dvec2(c.x ? a.x : b.x, c.y ? a.y : b.y); }
bvec3 rill_cg_finite(vec3 a) { return not(bvec3(isnan(a.x) || isinf(a.x), isnan(a.y) || isinf(a.y), isnan(a.z) || isinf(a.z))); }
bvec3 rill_cg_finite(dvec3 a) { return not(bvec3(isnan(a.x) || isinf(a.x), isnan(a.y) || isinf(a.y), isnan(a.z) || isinf(a.z))); }
bvec3 rill_cg_and(bvec3 a, bvec3 b) { return bvec3(a.x && b.x, a.y && b.y, a.z && b.z); }
bvec3 rill_cg_or(bvec3 a, bvec3 b) { return bvec3(a.x || b.x, a.y || b.y, a.z || b.z); }
bvec3 rill_cg_choose(bvec3 c, bvec3 a, bvec3 b) { return bvec3(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z); }
ivec3 rill_cg_choose(bvec3 c, ivec3 a, ivec3 b) { return ivec3(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z); }
uvec3 rill_cg_choose(bvec3 c, uvec3 a, uvec3 b) { return uvec3(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z); }
vec3 rill_cg_choose(bvec3 c, vec3 a, vec3 b) { return vec3(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z); }
dvec3 rill_cg_choose(bvec3 c, dvec3 a, dvec3 b) { return dvec3(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z); }
bvec4 rill_cg_finite(vec4 a) { return not(bvec4(isnan(a.x) || isinf(a.x), isnan(a.y) || isinf(a.y), isnan(a.z) || isinf(a.z), isnan(a.w) || isinf(a.w))); }
bvec4 rill_cg_finite(dvec4 a) { return not(bvec4(isnan(a.x) || isinf(a.x), isnan(a.y) || isinf(a.y), isnan(a.z) || isinf(a.z), isnan(a.w) || isinf(a.w))); }
bvec4 rill_cg_and(bvec4 a, bvec4 b) { return bvec4(a.x && b.x, a.y && b.y, a.z && b.z, a.w && b.w); }
bvec4 rill_cg_or(bvec4 a, bvec4 b) { return bvec4(a.x || b.x, a.y || b.y, a.z || b.z, a.w || b.w); }
bvec4 rill_cg_choose(bvec4 c, bvec4 a, bvec4 b) { return bvec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w); }
ivec4 rill_cg_choose(bvec4 c, ivec4 a, ivec4 b) { return ivec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w); }
uvec4 rill_cg_choose(bvec4 c, uvec4 a, uvec4 b) { return uvec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w); }
vec4 rill_cg_choose(bvec4 c, vec4 a, vec4 b) { return vec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w); }
dvec4 rill_cg_choose(bvec4 c, dvec4 a, dvec4 b) { return dvec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w); }
