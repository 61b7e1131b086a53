// The first outputs of a pseudo-random permutation of the integers below n: a Feistel network of twelve rounds (Luby and Rackoff 1988) on the next power
// of two, applied repeatedly until the result is below n (cycle walking: Black and Rogaway 2002). The halves may differ by one bit. The round function is
// a 32-bit mixer of Wellons ("lowbias32", 2018).
uint mixed(uint x, uint key) {
    x = (x ^ key) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x >> 16 ^ x >> 5;
}
void rounds(inout uint a, inout uint b, uvec4 key, uvec2 mask) {
    a ^= mixed(b, key.x) & mask.x; b ^= mixed(a, key.y) & mask.y;
    a ^= mixed(b, key.z) & mask.x; b ^= mixed(a, key.w) & mask.y;
}
kernel void feistel(int i<>, uint n, uint bits, uvec4 keys[], out int r<>) {
    uvec2 mask = uvec2((1u << bits / 2u) - 1u, (1u << bits - bits / 2u) - 1u);
    uvec4 k1 = keys[0], k2 = keys[1], k3 = keys[2];
    uint x = uint(i);
    bool out_of_range = true;
    while (out_of_range) {
        uint a = x & mask.x, b = x >> bits / 2u;
        rounds(a, b, k1, mask); rounds(a, b, k2, mask); rounds(a, b, k3, mask);
        x = b << bits / 2u | a;
        out_of_range = x >= n;
    }
    r = int(x);
}
