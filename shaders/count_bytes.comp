// Counts elements in 1,024 consecutive bins. Every lane counts one contiguous run of numbers in
// private memory, with four 8-bit counters per word. A counter that reaches 128 adds 128 to the
// result. The words are stored for count_columns.comp. Defines: GROUP.
#include "shared/parameters.glsl"
#include "shared/count_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[COUNT_P_VECTORS];
layout(binding = 0) uniform usamplerBuffer numbers;
layout(std430, binding = 1) writeonly buffer Columns { uint columns[]; };
layout(std430, binding = 2) buffer Counts { uint counts[]; };

#define COUNT PARAMETER(COUNT_P_COUNT)
#define LANES int(PARAMETER(COUNT_P_LANES))
#define RUN int(PARAMETER(COUNT_P_RUN))
#define FIRST PARAMETER(COUNT_P_FIRST)
#define BASE int(PARAMETER(COUNT_P_BASE))
#define BINS PARAMETER(COUNT_P_BINS)

const uint FULL = 0x80808080u;
const int WINDOW = 32; // texels: 128 more numbers cannot overflow a counter below 128
uint rill_s[256];

// Counts a number. Returns the word of its counter.
uint put(uint number)
{
    uint bin = number - FIRST, w = min(bin >> 2u, 255u);
    uint word = rill_s[w] + (uint(bin < 1024u) << ((bin & 3u) << 3u));
    rill_s[w] = word;
    return word;
}

uint put_four(uvec4 number)
{
    return put(number.x) | put(number.y) | put(number.z) | put(number.w);
}

// Adds the full counters of four numbers to the result. A loop, because llvmpipe does not skip an
// `if`.
void settle(uvec4 number)
{
    uvec4 word = min((number - FIRST) >> 2u, uvec4(255u));
    uint full = (rill_s[word.x] | rill_s[word.y] | rill_s[word.z] | rill_s[word.w]) & FULL;
    while (full != 0u) {
        uint w = (rill_s[word.x] & FULL) != 0u ? word.x : (rill_s[word.y] & FULL) != 0u ? word.y
               : (rill_s[word.z] & FULL) != 0u ? word.z : word.w;
        uint bit = uint(findLSB(rill_s[w] & FULL));
        rill_s[w] &= ~(1u << bit);
        uint bin = FIRST + 4u * w + (bit >> 3u);
        if (bin < BINS) {
            atomicAdd(counts[bin], 128u);
        }
        full = (rill_s[word.x] | rill_s[word.y] | rill_s[word.z] | rill_s[word.w]) & FULL;
    }
}

void main()
{
    int lane = int((gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x) * uint(GROUP) + gl_LocalInvocationID.x);
    if (lane < LANES) {
        for (int k = 0; k < 256; k++) {
            rill_s[k] = 0u;
        }
        int whole = int(COUNT / 4u), left = int(COUNT % 4u), first = lane * RUN, last = min(first + RUN, whole);
        uvec4 top = uvec4(0u);
        for (int from = first; from < last; from += WINDOW) {
            int to = min(from + WINDOW, last);
            uint full = 0u;
            int next = from;
            for (; next < to - 3; next += 4) { // four at once take half the time of one
                uvec4 a = texelFetch(numbers, BASE + next), b = texelFetch(numbers, BASE + next + 1);
                uvec4 c = texelFetch(numbers, BASE + next + 2), d = texelFetch(numbers, BASE + next + 3);
                top = max(top, max(max(a, b), max(c, d)));
                full |= put_four(a) | put_four(b) | put_four(c) | put_four(d);
            }
            for (; next < to; next++) {
                uvec4 number = texelFetch(numbers, BASE + next);
                top = max(top, number);
                full |= put_four(number);
            }
            for (int t = (full & FULL) != 0u ? from : to; t < to; t++) {
                settle(texelFetch(numbers, BASE + t));
            }
        }
        if (lane == 0 && left > 0) {
            uvec4 number = texelFetch(numbers, BASE + whole);
            uvec4 inside = -uvec4(lessThan(ivec4(0, 1, 2, 3), ivec4(left))); // all bits or none
            top = max(top, number & inside);
            put_four(number | ~inside); // at most 131 after this
        }
        for (int k = 0; k < 256; k++) {
            columns[k * LANES + lane] = rill_s[k];
        }
        columns[256 * LANES + lane] = max(max(top.x, top.y), max(top.z, top.w));
    }
}
