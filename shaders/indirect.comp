// Computes the work groups that cover a length, for glDispatchComputeIndirect: a grid of one
// dimension, split into rows.
#include "shared/gpu_words.h"
#include "shared/parameters.glsl"
layout(local_size_x = 1) in;
layout(location = 0) uniform uvec4 rill_p[1];
layout(std430, binding = 1) writeonly buffer Groups { uint groups[]; };
layout(binding = 0) uniform usamplerBuffer lengths;

void main()
{
    uint per_group = PARAMETER(INDIRECT_P_PER_GROUP), most = PARAMETER(INDIRECT_P_MOST), slot = PARAMETER(INDIRECT_P_SLOT);
    uint count = texelFetch(lengths, int(PARAMETER(INDIRECT_P_WORD))).x;
    uint all = count / per_group + uint(count % per_group != 0u);
    uint rows = max((all + most - 1u) / most, 1u);
    groups[slot * 4u] = (all + rows - 1u) / rows;
    groups[slot * 4u + 1u] = rows;
    groups[slot * 4u + 2u] = 1u;
}
