// Adds up the rows of count_rows.comp, in order. Defines: GROUP; BLOCK; WEIGHTS, and DOUBLE if the
// sums remain doubles.
#include "shared/parameters.glsl"
#include "shared/count_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[COUNT_P_VECTORS];
#ifdef BLOCK
layout(std430, binding = 2) readonly buffer Rows { uint rows[]; };
#define LOAD(i) rows[i]
#else
layout(binding = 0) uniform usamplerBuffer rows;
#define LOAD(i) texelFetch(rows, i).x
#endif
layout(std430, binding = 1) writeonly buffer Sums { uint sums[]; };

#define BINS int(PARAMETER(COUNT_P_BINS))
#define LANES int(PARAMETER(COUNT_P_LANES))

void main()
{
    int bin = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * uint(GROUP) + gl_LocalInvocationID.x);
    if (bin < BINS) {
#ifdef WEIGHTS
        double sum = 0.0lf;
        for (int lane = 0; lane < LANES; lane++) {
            int at = (lane * (BINS + 1) + bin) * 2;
            sum += packDouble2x32(uvec2(LOAD(at), LOAD(at + 1)));
        }
#ifdef DOUBLE
        uvec2 words = unpackDouble2x32(sum);
        sums[2 * bin] = words.x;
        sums[2 * bin + 1] = words.y;
#else
        sums[bin] = floatBitsToUint(float(sum));
#endif
#else
        uint sum = 0u;
        for (int lane = 0; lane < LANES; lane++) {
            sum += LOAD(lane * (BINS + 1) + bin);
        }
        sums[bin] = sum;
#endif
    }
}
