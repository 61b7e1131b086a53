// Sorts very short rows: an invocation per key counts the keys of its row that go before it. PAYLOAD and STORE_KEYS as in
// radix_scatter.comp.
layout(local_size_x = 64) in;
layout(location = 0) uniform uvec4 rill_p[4];
layout(std430, binding = 1) writeonly buffer KeysOut { uint keys_out[]; };
layout(std430, binding = 2) writeonly buffer PayloadOut { uint payload_out[]; };

#define key_base int(rill_p[2].x)
#define payload_base int(rill_p[2].y)
#include "shared/radix_key.glsl"
#include "shared/radix_input.glsl"

void main()
{
    int i = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * 64u + gl_LocalInvocationID.x);
    int length = int(rill_p[0].x), row = i / length, first = row * length;
    if (row >= int(rill_p[0].w)) {
        return;
    }
    RADIX_KEY key = radix_key(i), own = radix_order(key);
    int at = first;
    for (int k = first; k < first + length; k++) {
        RADIX_KEY other = radix_order(radix_key(k));
#if KEY_BITS == 64
        bool less = other.y < own.y || (other.y == own.y && other.x < own.x);
#else
        bool less = other < own;
#endif
        at += int(less || (other == own && k < i));
    }
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
    payload_out[at] = uint(i) - uint(row) * rill_p[1].y;
#endif
}
