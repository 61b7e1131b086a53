// Copies whole texels, as a reference for other rates. A group of LANES invocations copies one
// contiguous part in TRIPS steps.
layout(local_size_x = LANES) in;
layout(std430, binding = 1) writeonly buffer To { uvec4 to[]; };
layout(binding = 0) uniform usamplerBuffer from;

void main()
{
    int at = int(gl_WorkGroupID.x) * LANES * TRIPS + int(gl_LocalInvocationID.x);
    for (int trip = 0; trip < TRIPS; trip++, at += LANES) to[at] = texelFetch(from, at);
}
