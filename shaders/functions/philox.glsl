// Ten rounds: multiply, swap, add the key, which a Weyl sequence moves on.
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

// Block number `block` of the sequence that begins at `first`; with `again` 1 the one below it.
uvec4 words(uvec2 key, uvec2 first, uint block, uint again)
{
    uint carry;
    uint low = uaddCarry(first.x, block, carry);
    return philox(uvec4(low, first.y + carry, again, 0u), key);
}
