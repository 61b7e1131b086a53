// Keys of a radix sort. Elements are moved as they are, raw; radix_order() gives the word (or two) whose unsigned order is
// the one wanted, and is computed anew in every pass: signs of zero and the bits of NaNs survive, and no pass is spent on it.
// Defined by the host: KEY_KIND (0 unsigned, 1 signed, 2 floating point), KEY_BITS (8, 16, 32, 64), DESCENDING (0, 1).
#if KEY_BITS == 64
#define RADIX_KEY uvec2
#else
#define RADIX_KEY uint
#endif

#if KEY_BITS < 64
const uint radix_sign = 1u << (KEY_BITS - 1), radix_all = radix_sign | (radix_sign - 1u);

uint radix_order(uint x)
{
#if KEY_KIND == 2
    // Both zeros become the sign's bit, negative numbers what is below it.
    uint magnitude = x & (radix_sign - 1u);
    uint y = (x & radix_sign) != 0u ? radix_sign - magnitude : radix_sign + magnitude;
    y = DESCENDING != 0 ? y ^ radix_all : y;
    return magnitude > (KEY_BITS == 16 ? 0x7c00u : 0x7f800000u) ? radix_all : y;
#else
    uint y = KEY_KIND == 1 ? x ^ radix_sign : x;
    return DESCENDING != 0 ? y ^ radix_all : y;
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
#if KEY_KIND == 2
    uvec2 magnitude = uvec2(x.x, x.y & 0x7fffffffu);
    uint borrow = uint(magnitude.x != 0u);
    uvec2 below = uvec2(0u - magnitude.x, 0x80000000u - magnitude.y - borrow);
    uvec2 y = (x.y & 0x80000000u) != 0u ? below : magnitude | uvec2(0u, 0x80000000u);
    y = DESCENDING != 0 ? ~y : y;
    bool nan = magnitude.y > 0x7ff00000u || (magnitude.y == 0x7ff00000u && magnitude.x != 0u);
    return nan ? uvec2(0xffffffffu) : y;
#else
    uvec2 y = KEY_KIND == 1 ? x ^ uvec2(0u, 0x80000000u) : x;
    return DESCENDING != 0 ? ~y : y;
#endif
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
