// Counts of 1,024 neighbouring bins: every lane counts one contiguous run of numbers in private memory, four 8-bit counters to a word.
// A counter that reaches 128 hands them on to the result. The words are left for tally_columns.comp. Defines: GROUP.
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[2];
layout(binding = 0) uniform usamplerBuffer numbers;
layout(std430, binding = 1) writeonly buffer Columns { uint columns[]; };
layout(std430, binding = 2) buffer Counts { uint counts[]; };

#define COUNT rill_p[0].x
#define LANES int(rill_p[0].y)
#define RUN int(rill_p[0].z) /* texels of a lane */
#define FIRST rill_p[0].w    /* bin */
#define BASE int(rill_p[1].x) /* texel */
#define BINS rill_p[1].y     /* of the result */

const uint FULL = 0x80808080u;
uint rill_s[256];
uint rill_top = 0u;

void put(uvec4 number)
{
    uvec4 bin = number - FIRST;
    uvec4 word = bin >> 2u & 255u, one = uvec4(lessThan(bin, uvec4(min(BINS - FIRST, 1024u)))) << ((bin & 3u) << 3u);
    uint a = rill_s[word.x] + one.x;
    rill_s[word.x] = a;
    uint b = rill_s[word.y] + one.y;
    rill_s[word.y] = b;
    uint c = rill_s[word.z] + one.z;
    rill_s[word.z] = c;
    uint d = rill_s[word.w] + one.w;
    rill_s[word.w] = d;
    for (uint full = (a | b | c | d) & FULL; full != 0u;) {
        uint w = (rill_s[word.x] & FULL) != 0u ? word.x : (rill_s[word.y] & FULL) != 0u ? word.y
               : (rill_s[word.z] & FULL) != 0u ? word.z : word.w;
        uint bit = uint(findLSB(rill_s[w] & FULL));
        rill_s[w] &= ~(1u << bit);
        atomicAdd(counts[FIRST + 4u * w + (bit >> 3u)], 128u);
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
        for (int t = first; t < last; t++) {
            uvec4 number = texelFetch(numbers, BASE + t);
            top = max(top, number);
            put(number);
        }
        if (lane == 0 && left > 0) {
            uvec4 number = texelFetch(numbers, BASE + whole);
            uvec4 inside = -uvec4(lessThan(ivec4(0, 1, 2, 3), ivec4(left))); // all bits or none
            top = max(top, number & inside);
            put(number | ~inside);
        }
        for (int k = 0; k < 256; k++) {
            columns[k * LANES + lane] = rill_s[k];
        }
        columns[256 * LANES + lane] = max(max(top.x, top.y), max(top.z, top.w));
    }
}
