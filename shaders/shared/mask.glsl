// A mask of bytes, 1 where an element is kept, 16 to a texel; what stands past the end is not kept. With LENGTH the number of
// elements lies in a buffer.
layout(binding = 0) uniform usamplerBuffer mask;
#ifdef LENGTH
layout(binding = 1) uniform usamplerBuffer lengths;
uint elements(uint most, uint word) { return min(most, texelFetch(lengths, int(word)).x); }
#else
uint elements(uint most, uint word) { return most; }
#endif

// The bytes of a word that are left when `valid` elements are.
uint valid_bytes(int valid)
{
    return valid >= 4 ? 0xffffffffu : valid <= 0 ? 0u : (1u << uint(8 * valid)) - 1u;
}

uvec4 mask_texel(uint texel, uint n)
{
    int left = int(n) - int(texel) * 16;
    return texelFetch(mask, int(texel)) &
           uvec4(valid_bytes(left), valid_bytes(left - 4), valid_bytes(left - 8), valid_bytes(left - 12));
}

uint mask_count(uvec4 bytes)
{
    return ((bytes.x + bytes.y + bytes.z + bytes.w) * 0x01010101u) >> 24;
}
