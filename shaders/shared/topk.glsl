// Comparison of keys with the prefix of top_k: see topk_words.h.
RADIX_KEY topk_prefix(uint low, uint high)
{
#if KEY_BITS == 64
    return uvec2(low, high);
#else
    return low;
#endif
}

// Returns whether the digits of a key above the one at `shift` are equal to the prefix.
bool topk_matches(RADIX_KEY order, RADIX_KEY prefix, uint shift)
{
#if KEY_BITS == 64
    uvec2 differ = order ^ prefix;
    return shift < 32u ? differ.y == 0u && differ.x >> shift >> 8 == 0u : differ.y >> (shift - 32u) >> 8 == 0u;
#else
    return (order ^ prefix) >> shift >> 8 == 0u;
#endif
}

bool topk_less(RADIX_KEY a, RADIX_KEY b)
{
#if KEY_BITS == 64
    return a.y < b.y || (a.y == b.y && a.x < b.x);
#else
    return a < b;
#endif
}
