// How many keys a row has: what the host says, or at most that where only the device knows it (LENGTH 1).
#if LENGTH
layout(binding = 3) uniform usamplerBuffer lengths;
#define ROW_LENGTH min(int(rill_p[0].x), int(texelFetch(lengths, int(rill_p[2].z)).x))
#else
#define ROW_LENGTH int(rill_p[0].x)
#endif
