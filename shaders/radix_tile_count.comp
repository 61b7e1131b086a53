// Counts the digits of every tile of keys, a group per tile. The counts of a digit in all tiles of a
// row are adjacent: tile k of row r counts digit d at ((256 r + d) tiles + k).
#include "shared/parameters.glsl"
#include "shared/radix_words.h"
layout(local_size_x = 256) in;
layout(location = 0) uniform uvec4 rill_p[RADIX_P_VECTORS];
layout(std430, binding = 1) writeonly buffer Counts { uint counts[]; };

const int payload_base = 0;
#define KEY_WORDS
#define key_base int(PARAMETER(RADIX_P_KEY_BASE))
#include "shared/radix_key.glsl"
#include "shared/radix_input.glsl"
#include "shared/radix_length.glsl"

shared uint histogram[256];

void main()
{
    int tile = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x), t = int(gl_LocalInvocationID.x);
    int tiles = int(PARAMETER(RADIX_P_RUNS)), row = tile / tiles, part = tile - row * tiles, first = part * 256 * ITEMS;
    bool exists = row < int(PARAMETER(RADIX_P_ROWS));
    int valid = exists ? min(ROW_LENGTH - first, 256 * ITEMS) : 0;
    first += (row + int(PARAMETER(RADIX_P_FIRST_ROW))) * int(PARAMETER(RADIX_P_LENGTH));
    histogram[t] = 0u;
    barrier();
    for (int i = t; i < valid; i += 256) {
        atomicAdd(histogram[radix_digit(radix_key(first + i), PARAMETER(RADIX_P_SHIFT))], 1u);
    }
    barrier();
    if (exists) {
        counts[(row * 256 + t) * tiles + part] = histogram[t];
    }
}
