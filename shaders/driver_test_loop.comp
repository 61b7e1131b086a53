// Tests the driver: loops; a private array that is shifted after short loops, and one in which each
// lane stores at another index; values loaded in loops that lanes leave one after the other;
// iterations of loops that end when a counter passes a minimum.
#include "shared/gpu_words.h"
#include "shared/parameters.glsl"
layout(local_size_x = 8) in;
layout(location = 0) uniform uvec4 rill_p[1];
layout(std430, binding = 1) writeonly buffer Results { uint results[]; };
layout(std430, binding = 2) readonly buffer Source { uint source[]; };

uint shifted()
{
    uint a[8];
    for (int i = 0; i < 8; i++) a[i] = uint(i) * 10u;
    for (int i = 0; i < 7; i++) {
        uint trips = 0u;
        for (uint k = 0u; k < PARAMETER(LOOP_P_INNER); k++) trips++;
        a[i] = a[i + 1] + trips;
    }
    return a[0];
}

uint scattered(uint lane)
{
    uint a[8], sum = 0u;
    for (int i = 0; i < 8; i++) a[i] = 0u;
    a[lane] = lane + 1u;
    a[(lane * 3u + 2u) & 7u] += 100u;
    for (int i = 0; i < 8; i++) sum = sum * 7u + a[i];
    return sum;
}

uint loaded(uint lane)
{
    uint value, k = 0u;
    do {
        value = source[k];
        if (k == lane) break;
    } while (++k < PARAMETER(LOOP_P_LEFT));
    return value;
}

uint rounds(int n)
{
    uint up = 0u, down = 0u;
    for (int i = 0; i < 7; i++) {
        if (i < min(n, 1)) break;
        up++;
    }
    for (int i = 7; i > min(n, 5); i--) down++;
    return up * 16u + down;
}

void main()
{
    uint lane = gl_LocalInvocationID.x, value = lane;
    for (uint k = 0u; k < PARAMETER(LOOP_P_TRIPS); k++) value = value * 1664525u + 1013904223u;
    results[lane] = value;
    results[8u + lane] = shifted();
    results[16u + lane] = scattered(lane);
    results[24u + lane] = loaded(lane);
    results[32u + lane] = rounds(int(lane));
}
