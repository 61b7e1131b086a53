// What a pass of a radix sort reads: keys, and with PAYLOAD 1 a word beside each. Elements are numbered from the first; keys
// start at word key_base of their buffer, payloads at payload_base. With READ_BLOCKS 1 they are storage blocks.
// The host sees to it that payloads start at the same place of a 16-byte texel as keys of 32 bits do.
#if READ_BLOCKS
layout(std430, binding = 5) readonly buffer KeysIn { uvec4 keys_in[]; };
#define KEYS_TEXEL(i) keys_in[i]
#else
layout(binding = 0) uniform usamplerBuffer keys_in;
#define KEYS_TEXEL(i) texelFetch(keys_in, i)
#endif
#if PAYLOAD == 1
#if READ_BLOCKS
layout(std430, binding = 6) readonly buffer PayloadIn { uvec4 payload_in[]; };
#define PAYLOAD_TEXEL(i) payload_in[i]
#else
layout(binding = 1) uniform usamplerBuffer payload_in;
#define PAYLOAD_TEXEL(i) texelFetch(payload_in, i)
#endif
#endif

RADIX_KEY radix_key(int i)
{
#if KEY_BITS == 64
    int at = key_base + 2 * i;
    uvec4 t = KEYS_TEXEL(at >> 2);
    uint next = (at & 3) < 3 ? t[(at + 1) & 3] : KEYS_TEXEL((at + 1) >> 2).x;
    return uvec2(t[at & 3], next);
#else
    int at = key_base + i;
    return KEYS_TEXEL(at >> 2)[at & 3];
#endif
}

#if PAYLOAD == 1
uint radix_payload(int i)
{
    int at = payload_base + i;
    return PAYLOAD_TEXEL(at >> 2)[at & 3];
}
#endif
