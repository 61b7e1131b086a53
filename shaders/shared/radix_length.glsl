// Number of keys of a row: the number given by the host, or at most that number if only the device
// knows the length (LENGTH 1).
#if LENGTH
layout(binding = 3) uniform usamplerBuffer lengths;
#define ROW_LENGTH min(int(PARAMETER(RADIX_P_LENGTH)), int(texelFetch(lengths, int(PARAMETER(RADIX_P_KNOWN))).x))
#else
#define ROW_LENGTH int(PARAMETER(RADIX_P_LENGTH))
#endif
