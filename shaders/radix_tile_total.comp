// Sums the histograms of blocks of tiles: a group per block, an invocation per digit.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = 256) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
layout(std430, binding = 1) writeonly buffer Totals { uint totals[]; };
layout(binding = 2) uniform usamplerBuffer counts;

void main()
{
    int block = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x), digit = int(gl_LocalInvocationID.x);
    int tiles = int(PARAMETER(RADIX_P_RUNS)), blocks = int(PARAMETER(RADIX_P_BLOCKS)), block_tiles = int(PARAMETER(RADIX_P_BLOCK_TILES)), row = block / blocks;
    int first = (block - row * blocks) * block_tiles, last = min(first + block_tiles, tiles);
    if (row >= int(PARAMETER(RADIX_P_ROWS))) {
        return;
    }
    uint sum = 0u;
    for (int k = first; k < last; k++) {
        sum += texelFetch(counts, (row * tiles + k) * 256 + digit).x;
    }
    totals[block * 256 + digit] = sum;
}
