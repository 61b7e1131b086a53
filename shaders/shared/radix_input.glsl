// Input of a pass of a radix sort: keys, and with PAYLOAD 1 a word for each. Indices of elements
// are 0-based. Keys start at word key_base of their buffer, payloads at payload_base. READ_BLOCKS
// 1: they are read through storage blocks. KEY_WORDS: they are read word by word, which is faster
// on GPUs.
// The host ensures that payloads start at the same position in a 16-byte texel as 32-bit keys.
#if READ_BLOCKS && defined KEY_WORDS
layout(std430, binding = 5) readonly buffer KeysIn { uint keys_in[]; };
#define KEYS_WORD(i) keys_in[i]
#elif READ_BLOCKS
layout(std430, binding = 5) readonly buffer KeysIn { uvec4 keys_in[]; };
#define KEYS_TEXEL(i) keys_in[i]
#else
layout(binding = 0) uniform usamplerBuffer keys_in;
#define KEYS_TEXEL(i) texelFetch(keys_in, i)
#endif
#ifndef KEYS_WORD
#define KEYS_WORD(i) KEYS_TEXEL((i) >> 2)[(i) & 3]
#endif
#if PAYLOAD == 1
#if READ_BLOCKS && defined KEY_WORDS
layout(std430, binding = 6) readonly buffer PayloadIn { uint payload_in[]; };
#define PAYLOAD_WORD(i) payload_in[i]
#elif READ_BLOCKS
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
#if READ_BLOCKS && defined KEY_WORDS
    return uvec2(KEYS_WORD(at), KEYS_WORD(at + 1));
#else
    uvec4 t = KEYS_TEXEL(at >> 2);
    uint next = (at & 3) < 3 ? t[(at + 1) & 3] : KEYS_TEXEL((at + 1) >> 2).x;
    return uvec2(t[at & 3], next);
#endif
#else
    int at = key_base + i;
    return KEYS_WORD(at);
#endif
}

#if PAYLOAD == 1
#ifndef PAYLOAD_WORD
#define PAYLOAD_WORD(i) PAYLOAD_TEXEL((i) >> 2)[(i) & 3]
#endif
uint radix_payload(int i)
{
    int at = payload_base + i;
    return PAYLOAD_WORD(at);
}
#endif
