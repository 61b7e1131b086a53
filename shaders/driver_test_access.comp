// Tests the driver: reads one buffer in three ways, and stores into ranges that end inside a
// buffer.
layout(local_size_x = 64) in;
layout(binding = 0) uniform usamplerBuffer words;
layout(binding = 1) uniform usamplerBuffer vectors;
layout(std430, binding = 1) writeonly buffer Results { uint results[]; };
layout(std430, binding = 2) writeonly buffer Wide { uvec4 wide[]; };
layout(std430, binding = 3) readonly buffer Source { uint source[]; };

void main()
{
    int i = int(gl_LocalInvocationID.x);
    uint word = texelFetch(words, i).x, part = texelFetch(vectors, i >> 2)[i & 3], block = source[i];
    results[i] = word == part && word == block ? word + 1u : 0xdeadu;
    if (i < 16) wide[i] = texelFetch(vectors, i) + 1u;
}
