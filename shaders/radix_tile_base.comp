// Computes the index at which every block of tiles stores its first key of each digit: a group per
// row, an invocation per digit.
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = 256) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
layout(std430, binding = 1) buffer Totals { uint totals[]; };

shared uint start[256];

void main()
{
    int row = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x), digit = int(gl_LocalInvocationID.x);
    int blocks = row < int(PARAMETER(RADIX_P_ROWS)) ? int(PARAMETER(RADIX_P_BLOCKS)) : 0;
    uint sum = 0u;
    for (int k = 0; k < blocks; k++) {
        sum += totals[(row * blocks + k) * 256 + digit];
    }
    start[digit] = sum;
    barrier();
    for (int reach = 1; reach < 256; reach *= 2) {
        uint add = digit >= reach ? start[digit - reach] : 0u;
        barrier();
        start[digit] += add;
        barrier();
    }
    uint at = start[digit] - sum + (uint(row) + PARAMETER(RADIX_P_FIRST_ROW)) * PARAMETER(RADIX_P_LENGTH);
    for (int k = 0; k < blocks; k++) {
        int place = (row * blocks + k) * 256 + digit;
        uint count = totals[place];
        totals[place] = at;
        at += count;
    }
}
