// Sorts very short rows: an invocation counts for each of its four keys the keys of their row that
// precede it. PAYLOAD and STORE_KEYS are as in radix_scatter.comp.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = 64) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
#include "shared/radix_output.glsl"

#define key_base int(PARAMETER(RADIX_P_KEY_BASE))
#define payload_base int(PARAMETER(RADIX_P_PAYLOAD_BASE))
#include "shared/radix_key.glsl"
#include "shared/radix_input.glsl"

// Offsets of an invocation's keys.
const ivec4 PLACES = ivec4(0, 1, 2, 3);

void put(int i, int row, int at, RADIX_KEY key)
{
#if STORE_KEYS
#if KEY_BITS == 64
    keys_out[2 * at] = key.x;
    keys_out[2 * at + 1] = key.y;
#else
    keys_out[at] = key;
#endif
#endif
#if PAYLOAD == 1
    payload_out[at] = radix_payload(i);
#elif PAYLOAD
    payload_out[at] = uint(i) - uint(row) * PARAMETER(RADIX_P_NUMBERED);
#endif
}

#if KEY_BITS < 64
// Returns which of the four keys from i on are preceded by key k. Of equal keys the first precedes.
// Keys of other rows do not precede.
ivec4 preceding(uvec4 own, int i, uint key, int k, int first, int end)
{
    bool inside = k >= first && k < end;
    uvec4 other = uvec4(inside ? radix_order(key) : 0xffffffffu);
    uvec4 before = uvec4(lessThan(ivec4(inside ? k : 0x7fffffff), i + PLACES));
    return ivec4(uvec4(lessThan(other, own)) | (uvec4(equal(other, own)) & before));
}
#endif

void main()
{
    int number = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * 64u + gl_LocalInvocationID.x);
    int length = int(PARAMETER(RADIX_P_LENGTH)), fours = (length + 3) / 4, row = number / fours, first = row * length, end = first + length;
    if (row >= int(PARAMETER(RADIX_P_ROWS))) {
        return;
    }
    int i = first + (number - row * fours) * 4;
    RADIX_KEY a = radix_key(i), b = radix_key(min(i + 1, end - 1)), c = radix_key(min(i + 2, end - 1)), d = radix_key(min(i + 3, end - 1));
    RADIX_KEY oa = radix_order(a), ob = radix_order(b), oc = radix_order(c), od = radix_order(d);
    ivec4 at = ivec4(first);
#if KEY_BITS == 64
    uvec4 own = uvec4(oa.y, ob.y, oc.y, od.y), rest = uvec4(oa.x, ob.x, oc.x, od.x);
    for (int k = first; k < end; k++) {
        RADIX_KEY other = radix_order(radix_key(k));
        uvec4 before = uvec4(lessThan(ivec4(k), i + PLACES)), same = uvec4(equal(uvec4(other.y), own));
        uvec4 less = uvec4(lessThan(uvec4(other.x), rest)) | (uvec4(equal(uvec4(other.x), rest)) & before);
        at += ivec4(uvec4(lessThan(uvec4(other.y), own)) | (same & less));
    }
#else
    uvec4 own = uvec4(oa, ob, oc, od);
    for (int texel = (key_base + first) >> 2; 4 * texel < key_base + end; texel++) {
        uvec4 others = KEYS_TEXEL(texel);
        int k = 4 * texel - key_base;
        at += preceding(own, i, others.x, k, first, end) + preceding(own, i, others.y, k + 1, first, end) +
            preceding(own, i, others.z, k + 2, first, end) + preceding(own, i, others.w, k + 3, first, end);
    }
#endif
    put(i, row, at.x, a);
    if (i + 1 < end) put(i + 1, row, at.y, b);
    if (i + 2 < end) put(i + 2, row, at.z, c);
    if (i + 3 < end) put(i + 3, row, at.w, d);
}
