// Tests the driver: a group waits until the group with the next lower index has stored its result,
// with at most TRIES attempts.
// The group has several invocations because llvmpipe also waits for those that fill up a vector.
layout(local_size_x = 32) in;
layout(std430, binding = 1) coherent buffer Results { uint results[]; };

void main()
{
    uint group = gl_WorkGroupID.x, before = group == 0u ? 1u : 0u;
    if (gl_LocalInvocationID.x == 0u) {
        for (int k = 0; k < TRIES && before == 0u; k++) {
            before = atomicAdd(results[group], 0u);
        }
        if (before != group + 1u) {
            atomicAdd(results[0], 1u);
        }
        atomicExchange(results[group + 1u], group + 2u);
    }
}
