// Sorts short rows, with a group of 8 invocations per row and all passes in one launch. Passes
// alternate between two sets of buffers, and the last one writes the first set. PAYLOAD is as in
// radix_scatter.comp.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = 8) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
layout(std430, binding = 1) coherent buffer KeysA { uint keys_a[]; };
layout(std430, binding = 2) coherent buffer KeysB { uint keys_b[]; };
#if PAYLOAD
layout(std430, binding = 3) coherent buffer WordsA { uint words_a[]; };
layout(std430, binding = 4) coherent buffer WordsB { uint words_b[]; };
#endif

#define key_base int(PARAMETER(RADIX_P_KEY_BASE))
#define payload_base int(PARAMETER(RADIX_P_PAYLOAD_BASE))
#include "shared/radix_key.glsl"
#include "shared/radix_input.glsl"

// Counter 8 * digit + invocation: the order in which they are scanned.
shared uint counts[2048];
shared uint sums[8];

void keys_load(bool initial, bool from_a, int i, out RADIX_KEY key)
{
    if (initial) {
        key = radix_key(i);
        return;
    }
#if KEY_BITS == 64
    key = from_a ? uvec2(keys_a[2 * i], keys_a[2 * i + 1]) : uvec2(keys_b[2 * i], keys_b[2 * i + 1]);
#else
    key = from_a ? keys_a[i] : keys_b[i];
#endif
}

void keys_store(bool to_a, uint at, RADIX_KEY key)
{
#if KEY_BITS == 64
    if (to_a) {
        keys_a[2u * at] = key.x;
        keys_a[2u * at + 1u] = key.y;
    } else {
        keys_b[2u * at] = key.x;
        keys_b[2u * at + 1u] = key.y;
    }
#else
    if (to_a) {
        keys_a[at] = key;
    } else {
        keys_b[at] = key;
    }
#endif
}

// Turns counts into indices, in their order.
void scan_counts(int lane, uint base)
{
    uint sum = 0u;
    for (int k = 0; k < 256; k++) {
        sum += counts[lane * 256 + k];
    }
    sums[lane] = sum;
    barrier();
    uint at = base;
    for (int k = 0; k < lane; k++) {
        at += sums[k];
    }
    for (int k = lane * 256; k < lane * 256 + 256; k++) {
        uint count = counts[k];
        counts[k] = at;
        at += count;
    }
    barrier();
}

void main()
{
    int row = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x), lane = int(gl_LocalInvocationID.x);
    int length = row < int(PARAMETER(RADIX_P_ROWS)) ? int(PARAMETER(RADIX_P_LENGTH)) : 0, own = (length + 7) / 8;
    int start = row * int(PARAMETER(RADIX_P_LENGTH)), first = start + min(lane * own, length), last = start + min((lane + 1) * own, length);
    bool to_a = (PARAMETER(RADIX_P_SHIFT) & 8u) != 0u; // an odd number of passes
    for (uint shift = 0u; shift < PARAMETER(RADIX_P_SHIFT); shift += 8u, to_a = !to_a) {
        bool initial = shift == 0u;
        for (int k = 0; k < 256; k++) {
            counts[lane * 256 + k] = 0u;
        }
        barrier();
        for (int i = first; i < last; i++) {
            RADIX_KEY key;
            keys_load(initial, !to_a, i, key);
            counts[8 * int(radix_digit(key, shift)) + lane]++;
        }
        barrier();
        scan_counts(lane, uint(start));
        for (int i = first; i < last; i++) {
            RADIX_KEY key;
            keys_load(initial, !to_a, i, key);
            int counter = 8 * int(radix_digit(key, shift)) + lane;
            uint at = counts[counter];
            counts[counter] = at + 1u;
            keys_store(to_a, at, key);
#if PAYLOAD == 1
            uint word = initial ? radix_payload(i) : to_a ? words_b[i] : words_a[i];
#elif PAYLOAD
            uint word = initial ? uint(i) - uint(row) * PARAMETER(RADIX_P_NUMBERED) : to_a ? words_b[i] : words_a[i];
#endif
#if PAYLOAD
            if (to_a) {
                words_a[at] = word;
            } else {
                words_b[at] = word;
            }
#endif
        }
        memoryBarrierBuffer();
        barrier();
    }
}
