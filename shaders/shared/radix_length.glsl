// How many keys a row has: what the host says, or at most that where only the device knows it (LENGTH 1).
#if LENGTH
layout(binding = 3) uniform usamplerBuffer lengths;
#define ROW_LENGTH min(int(PARAMETER(RADIX_P_LENGTH)), int(texelFetch(lengths, int(PARAMETER(RADIX_P_KNOWN))).x))
#else
#define ROW_LENGTH int(PARAMETER(RADIX_P_LENGTH))
#endif
