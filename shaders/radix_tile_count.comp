// Counts the digits of every tile of keys, a group per tile. Tile k of row r is histogram r * tiles + k.
layout(local_size_x = 256) in;
layout(location = 0) uniform uvec4 rill_p[4];
layout(std430, binding = 1) writeonly buffer Counts { uint counts[]; };

const int payload_base = 0;
#define key_base int(rill_p[2].x)
#include "shared/radix_key.glsl"
#include "shared/radix_input.glsl"
#include "shared/radix_length.glsl"

shared uint histogram[256];

void main()
{
    int tile = int(gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x), t = int(gl_LocalInvocationID.x);
    int tiles = int(rill_p[0].y), row = tile / tiles, first = (tile - row * tiles) * 256 * ITEMS;
    bool exists = row < int(rill_p[0].w);
    int valid = exists ? min(ROW_LENGTH - first, 256 * ITEMS) : 0;
    first += (row + int(rill_p[3].x)) * int(rill_p[0].x);
    histogram[t] = 0u;
    barrier();
    for (int i = t; i < valid; i += 256) {
        atomicAdd(histogram[radix_digit(radix_key(first + i), rill_p[1].x)], 1u);
    }
    barrier();
    if (exists) {
        counts[tile * 256 + t] = histogram[t];
    }
}
