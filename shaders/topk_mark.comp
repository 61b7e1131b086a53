// Counts for each run the keys before the last key to select and the keys equal to it. WRITE 1:
// stores keys and indices instead: all keys before it, then as many equal ones as are needed, each
// in order.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
#if WRITE
layout(std430, binding = 1) writeonly buffer KeysOut { uint keys_out[]; };
layout(std430, binding = 2) writeonly buffer NumbersOut { uint numbers_out[]; };
layout(binding = 3) uniform usamplerBuffer places;
#else
layout(std430, binding = 1) writeonly buffer Counts { uvec2 counts[]; };
#endif
layout(binding = 2) uniform usamplerBuffer state;

#define key_base int(PARAMETER(RADIX_P_KEY_BASE))
#include "shared/radix_key.glsl"
#include "shared/radix_input.glsl"
#include "shared/radix_run.glsl"
#include "shared/topk_words.h"
#include "shared/topk.glsl"

RADIX_KEY last_wanted;
uint better, tied, tied_end;

void visit(RADIX_KEY key, int i)
{
    RADIX_KEY order = radix_order(key);
    bool less = topk_less(order, last_wanted), same = order == last_wanted;
#if WRITE
    if (less || (same && tied < tied_end)) {
        uint at = less ? better : tied;
#if KEY_BITS == 64
        keys_out[2u * at] = key.x;
        keys_out[2u * at + 1u] = key.y;
#else
        keys_out[at] = key;
#endif
        numbers_out[at] = uint(i);
    }
#endif
    better += uint(less);
    tied += uint(same);
}

void main()
{
    RadixRun run = radix_run();
    last_wanted = topk_prefix(texelFetch(state, TOPK_PREFIX).x, texelFetch(state, TOPK_PREFIX + 1).x);
    better = tied = 0u;
    int last = run.last;
#if WRITE
    if (run.exists) {
        better = texelFetch(places, 2 * run.number).x;
        tied = texelFetch(places, 2 * run.number + 1).x;
        tied_end = texelFetch(state, TOPK_BETTER).x;
        tied += tied_end;
        tied_end += texelFetch(state, TOPK_WANTED).x;
        // Most runs store nothing.
        uint next_better = texelFetch(places, 2 * run.number + 2).x;
        uint next_equal = texelFetch(places, 2 * run.number + 3).x + texelFetch(state, TOPK_BETTER).x;
        last = next_better > better || (next_equal > tied && tied < tied_end) ? last : run.first;
    }
#endif
    int i = run.first;
    for (; i < min(last, run.aligned); i++) {
        visit(radix_key(i), i);
    }
    for (; i + RADIX_STEP <= last; i += RADIX_STEP) {
#if KEY_BITS == 64
        uvec4 t = KEYS_TEXEL((key_base + 2 * i) >> 2);
        visit(t.xy, i);
        visit(t.zw, i + 1);
#else
        uvec4 t = KEYS_TEXEL((key_base + i) >> 2);
        visit(t.x, i);
        visit(t.y, i + 1);
        visit(t.z, i + 2);
        visit(t.w, i + 3);
#endif
    }
    for (; i < last; i++) {
        visit(radix_key(i), i);
    }
#if !WRITE
    if (run.exists) {
        counts[run.number] = uvec2(better, tied);
    }
#endif
}
