// Tests the driver: shared memory between barriers, atomics in a buffer and in shared memory, and
// the subgroup size if it can be queried.
layout(local_size_x = 64) in;
layout(std430, binding = 1) buffer Results { uint results[]; };
shared uint parts[64];
shared uint total;

void main()
{
    uint i = gl_LocalInvocationID.x, value = gl_GlobalInvocationID.x + 1u;
    parts[63u - i] = value;
    if (i == 0u) total = 0u;
    barrier();
    for (uint width = 32u; width > 0u; width >>= 1) {
        if (i < width) parts[i] += parts[i + width];
        barrier();
    }
    atomicAdd(total, value);
    barrier();
    atomicAdd(results[0], 1u);
    atomicMax(results[1], value);
    atomicMin(results[2], value);
    atomicOr(results[3], 1u << (value & 31u));
    if (i == 0u) {
        results[8u + gl_WorkGroupID.x] = parts[0];
        results[12u + gl_WorkGroupID.x] = total;
        results[4] = LANES;
    }
#if ARITHMETIC
    if (subgroupAdd(1u) > gl_SubgroupSize || subgroupMax(i) < i) results[5] = 1u;
#endif
}
