// Adds up the counters of count_bytes.comp: every invocation adds the four counters of one word
// over all lanes. The last invocation stores the largest number after the counts.
#include "shared/parameters.glsl"
#include "shared/count_words.h"
layout(local_size_x = 8) in;
layout(location = 0) uniform uvec4 rill_p[COUNT_P_VECTORS];
layout(binding = 0) uniform usamplerBuffer columns;
layout(std430, binding = 1) buffer Counts { uint counts[]; };

#define LANES int(PARAMETER(COUNT_P_LANES)) /* a multiple of 4 */
#define FIRST PARAMETER(COUNT_P_FIRST)
#define BINS PARAMETER(COUNT_P_BINS)

void main()
{
    int k = int(gl_GlobalInvocationID.x);
    if (k <= 256) {
        uvec4 sum = uvec4(0u), top = uvec4(0u);
        for (int t = 0; t < LANES / 4; t++) {
            uvec4 words = texelFetch(columns, k * (LANES / 4) + t);
            top = max(top, words);
            for (int c = 0; c < 4; c++) {
                sum += uvec4(words[c]) >> uvec4(0u, 8u, 16u, 24u) & 255u;
            }
        }
        if (k == 256) {
            counts[BINS] = max(max(max(top.x, top.y), max(top.z, top.w)), counts[BINS]);
        }
        for (uint c = 0u; c < 4u; c++) {
            uint bin = FIRST + uint(k) * 4u + c;
            if (k < 256 && bin < BINS) {
                counts[bin] += sum[c];
            }
        }
    }
}
