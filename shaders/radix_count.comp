// Counts the digits of a pass: every invocation counts one run of keys, in a private histogram. A
// row of `length` keys has `runs` runs of `run_length` keys. Run k of row r has histogram r * runs
// + k.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
layout(std430, binding = 1) writeonly buffer Counts { uvec4 counts[]; };

const int payload_base = 0;
#define RADIX_ROW_FIRST int(PARAMETER(RADIX_P_FIRST_ROW))
#define key_base int(PARAMETER(RADIX_P_KEY_BASE))
#include "shared/radix_key.glsl"
#include "shared/radix_input.glsl"
#include "shared/radix_run.glsl"

uint histogram[256];
uint shift;

void count(RADIX_KEY key)
{
    uint digit = radix_digit(key, shift);
    histogram[digit]++;
}

void main()
{
    RadixRun run = radix_run();
    shift = PARAMETER(RADIX_P_SHIFT);
    for (int i = 0; i < 256; i++) {
        histogram[i] = 0u;
    }
    int i = run.first;
    for (; i < run.aligned; i++) {
        count(radix_key(i));
    }
    for (; i + RADIX_STEP <= run.last; i += RADIX_STEP) {
#if KEY_BITS == 64
        uvec4 t = KEYS_TEXEL((key_base + 2 * i) >> 2);
        count(t.xy);
        count(t.zw);
#else
        uvec4 t = KEYS_TEXEL((key_base + i) >> 2);
        count(t.x);
        count(t.y);
        count(t.z);
        count(t.w);
#endif
    }
    for (; i < run.last; i++) {
        count(radix_key(i));
    }
    if (run.exists) {
        for (int k = 0; k < 64; k++) {
            counts[run.number * 64 + k] =
                uvec4(histogram[4 * k], histogram[4 * k + 1], histogram[4 * k + 2], histogram[4 * k + 3]);
        }
    }
}
