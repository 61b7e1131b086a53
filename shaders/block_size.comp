// Writes one word of a storage block.
#include "shared/gpu_words.h"
#include "shared/parameters.glsl"
layout(local_size_x = 1) in;
layout(location = 0) uniform uvec4 rill_p[1];
layout(std430, binding = 1) buffer Block { uint words[]; };

void main()
{
    words[PARAMETER(PROBE_P_WORD)] = PARAMETER(PROBE_P_VALUE);
}
