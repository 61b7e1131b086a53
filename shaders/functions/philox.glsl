// The ten rounds of Philox: multiply, swap, and add the key, which a Weyl sequence increments.
uvec4 philox(uvec4 c, uvec2 k)
{
    for (int i = 0; i < 10; i++) {
        uint h0, l0, h1, l1;
        umulExtended(0xD2511F53u, c.x, h0, l0);
        umulExtended(0xCD9E8D57u, c.z, h1, l1);
        c = uvec4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
        k += uvec2(0x9E3779B9u, 0xBB67AE85u);
    }
    return c;
}

// Returns block number `block` of the sequence that begins at `first`; the preceding one if `again`
// is 1.
uvec4 words(uvec2 key, uvec2 first, uint block, uint again)
{
    uint carry;
    uint low = uaddCarry(first.x, block, carry);
    return philox(uvec4(low, first.y + carry, again, 0u), key);
}
