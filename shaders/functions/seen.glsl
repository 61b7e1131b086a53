// Returns the same value, of which the compiler does not know that it is 0. Not x - rill_zero,
// which is -0 for a known x. Whole numbers that are known and not 0 stay known.
#ifndef rill_seen
#define RILL_SEEN
float rill_seen(float x) { return intBitsToFloat(floatBitsToInt(x) | rill_naught); }
int rill_seen(int x) { return x == 0 ? rill_naught : x; }
uint rill_seen(uint x) { return x == 0u ? uint(rill_naught) : x; }
vec2 rill_seen(vec2 x) { return intBitsToFloat(floatBitsToInt(x) | rill_naught); }
ivec2 rill_seen(ivec2 x) { return ivec2(rill_seen(x.x), rill_seen(x.y)); }
uvec2 rill_seen(uvec2 x) { return uvec2(rill_seen(x.x), rill_seen(x.y)); }
vec3 rill_seen(vec3 x) { return intBitsToFloat(floatBitsToInt(x) | rill_naught); }
ivec3 rill_seen(ivec3 x) { return ivec3(rill_seen(x.x), rill_seen(x.y), rill_seen(x.z)); }
uvec3 rill_seen(uvec3 x) { return uvec3(rill_seen(x.x), rill_seen(x.y), rill_seen(x.z)); }
vec4 rill_seen(vec4 x) { return intBitsToFloat(floatBitsToInt(x) | rill_naught); }
ivec4 rill_seen(ivec4 x) { return ivec4(rill_seen(x.x), rill_seen(x.y), rill_seen(x.z), rill_seen(x.w)); }
uvec4 rill_seen(uvec4 x) { return uvec4(rill_seen(x.x), rill_seen(x.y), rill_seen(x.z), rill_seen(x.w)); }
#endif
