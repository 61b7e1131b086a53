// How many elements of every part a mask keeps. Defines: GROUP invocations; TILE: a part is a group of the gpu family, 16 elements
// per invocation; else it is one invocation's run.
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[1];
#include "shared/mask.glsl"
layout(std430, binding = 1) writeonly buffer Counts { uint counts[]; };

#ifdef TILE
shared uint total;
#endif

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint n = elements(rill_p[0].x, rill_p[0].w), run = rill_p[0].y, parts = rill_p[0].z;
#ifdef TILE
    if (gl_LocalInvocationID.x == 0u) total = 0u;
    barrier();
    uint texel = group * uint(GROUP) + gl_LocalInvocationID.x;
    if (texel * 16u < n) atomicAdd(total, mask_count(mask_texel(texel, n)));
    barrier();
    if (gl_LocalInvocationID.x == 0u && group < parts) counts[group] = total;
#else
    uint part = group * uint(GROUP) + gl_LocalInvocationID.x;
    if (part >= parts) return;
    uint count = 0u, end = min((part + 1u) * run, (n + 15u) / 16u);
    for (uint texel = part * run; texel < end; texel++) count += mask_count(mask_texel(texel, n));
    counts[part] = count;
#endif
}
