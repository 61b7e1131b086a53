// Computes the index at which every tile stores its first key of each digit: a group per block of
// tiles, an invocation per digit.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = 256) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
layout(std430, binding = 1) writeonly buffer Offsets { uint offsets[]; };
layout(binding = 2) uniform usamplerBuffer counts;
layout(binding = 3) uniform usamplerBuffer bases;

void main()
{
    int block = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x), digit = int(gl_LocalInvocationID.x);
    int tiles = int(PARAMETER(RADIX_P_RUNS)), blocks = int(PARAMETER(RADIX_P_BLOCKS)), block_tiles = int(PARAMETER(RADIX_P_BLOCK_TILES)), row = block / blocks;
    int first = (block - row * blocks) * block_tiles, last = min(first + block_tiles, tiles);
    if (row >= int(PARAMETER(RADIX_P_ROWS))) {
        return;
    }
    uint at = texelFetch(bases, block * 256 + digit).x;
    for (int k = first; k < last; k++) {
        int place = (row * tiles + k) * 256 + digit;
        offsets[place] = at;
        at += texelFetch(counts, place).x;
    }
}
