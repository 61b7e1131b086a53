// Keys of a radix sort. Elements are moved unchanged. radix_order() returns the word (or two) whose
// unsigned order is the required one, and is computed again in every pass: the sign of zero and the
// bits of NaNs are preserved, and no additional pass is needed. The host defines KEY_FLOAT (0:
// whole numbers) and KEY_BITS (of floats: 16, 32 or 64). radix_flip contains the bits to flip,
// which turn signed into unsigned numbers and ascending into descending order.
#define radix_flip PARAMETER(RADIX_P_FLIP)
#if KEY_BITS == 64
#define RADIX_KEY uvec2
#else
#define RADIX_KEY uint
#endif

#if KEY_BITS < 64
uint radix_order(uint x)
{
#if KEY_FLOAT
    const uint sign = 1u << (KEY_BITS - 1), infinity = KEY_BITS == 16 ? 0x7c00u : 0x7f800000u;
    // Both zeros become the sign bit, negative numbers become smaller values. NaNs come last in
    // both orders.
    uint magnitude = x & (sign - 1u), y = (x & sign) != 0u ? sign - magnitude : sign + magnitude;
    return magnitude > infinity ? sign | (sign - 1u) : y ^ radix_flip;
#else
    return x ^ radix_flip;
#endif
}

uint radix_digit(uint key, uint shift)
{
    return radix_order(key) >> shift & 255u;
}

bool radix_before(uint a, uint b)
{
    return radix_order(a) < radix_order(b);
}
#else
uvec2 radix_order(uvec2 x)
{
    uvec2 magnitude = uvec2(x.x, x.y & 0x7fffffffu);
    uint borrow = uint(magnitude.x != 0u);
    uvec2 below = uvec2(0u - magnitude.x, 0x80000000u - magnitude.y - borrow);
    uvec2 y = (x.y & 0x80000000u) != 0u ? below : magnitude | uvec2(0u, 0x80000000u);
    bool nan = magnitude.y > 0x7ff00000u || (magnitude.y == 0x7ff00000u && magnitude.x != 0u);
    return nan ? uvec2(0xffffffffu) : y ^ radix_flip;
}

uint radix_digit(uvec2 key, uint shift)
{
    uvec2 y = radix_order(key);
    return (shift < 32u ? y.x : y.y) >> (shift & 31u) & 255u;
}

bool radix_before(uvec2 a, uvec2 b)
{
    uvec2 x = radix_order(a), y = radix_order(b);
    return x.y < y.y || (x.y == y.y && x.x < y.x);
}
#endif
