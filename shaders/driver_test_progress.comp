// Tests the driver: a group waits until the group with the next lower index has stored its result.
layout(local_size_x = 1) in;
layout(std430, binding = 1) coherent buffer Results { uint results[]; };

void main()
{
    uint group = gl_WorkGroupID.x, before = group == 0u ? 1u : 0u;
    for (int k = 0; k < 60000 && before == 0u; k++) {
        before = atomicAdd(results[group], 0u);
    }
    if (before != group + 1u) {
        atomicAdd(results[0], 1u);
    }
    atomicExchange(results[group + 1u], group + 2u);
}
