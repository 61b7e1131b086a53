// Writes the elements a mask keeps, in order; with SPLIT the others too, elsewhere. Defines: GROUP, TILE as in
// compact_count.comp; WORDS per element, 0: the element's number is written.
//
// An invocation of the cpu family always stores: what is not kept is overwritten by the next one that is, and past the invocation's
// own end goes to a place of its own behind the result, since a branch per element costs more than the store.
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[2];
#include "shared/mask.glsl"
layout(binding = 2) uniform usamplerBuffer counts;
#if WORDS > 0
layout(binding = 3) uniform usamplerBuffer source;
#endif
layout(std430, binding = 1) writeonly buffer Kept { uint kept[]; };
#ifdef SPLIT
layout(std430, binding = 2) writeonly buffer Rest { uint rest[]; };
#endif

#define BASE int(rill_p[1].x)

#if WORDS > 0
uvec4 texels[4 * WORDS];
#define WORD(j, k) texels[((j) * WORDS + (k)) / 4][((j) * WORDS + (k)) % 4]
#define STORE(to, at, j) for (int k = 0; k < WORDS; k++) to[(at) * uint(WORDS) + uint(k)] = WORD(j, k)
#else
#define STORE(to, at, j) to[at] = number + uint(j)
#endif

void load(uint texel)
{
#if WORDS > 0
    for (int k = 0; k < 4 * WORDS; k++) texels[k] = texelFetch(source, BASE + int(texel) * 4 * WORDS + k);
#endif
}

#define KEPT(bytes, j) ((bytes[(j) / 4] >> uint((j) % 4 * 8)) & 1u)

#ifdef TILE
shared uint sums[GROUP];

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x, me = gl_LocalInvocationID.x;
    uint n = elements(rill_p[0].x, rill_p[0].w), texel = group * uint(GROUP) + me, number = texel * 16u;
    bool inside = number < n;
    uvec4 bytes = inside ? mask_texel(texel, n) : uvec4(0u);
    uint count = mask_count(bytes);
    sums[me] = count;
    barrier();
    for (uint reach = 1u; reach < uint(GROUP); reach *= 2u) {
        uint before = me >= reach ? sums[me - reach] : 0u;
        barrier();
        sums[me] += before;
        barrier();
    }
    if (!inside) return;
    uint at = texelFetch(counts, int(group)).x + sums[me] - count;
#ifdef SPLIT
    uint other = number - at;
#endif
    load(texel);
    for (int j = 0; j < 16; j++) {
        if (KEPT(bytes, j) != 0u) {
            STORE(kept, at, j);
            at++;
        }
#ifdef SPLIT
        else if (number + uint(j) < n) {
            STORE(rest, other, j);
            other++;
        }
#endif
    }
}
#else
void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint part = group * uint(GROUP) + gl_LocalInvocationID.x;
    uint n = elements(rill_p[0].x, rill_p[0].w), run = rill_p[0].y, parts = rill_p[0].z;
    if (part >= parts) return;
    uint first = part * run, past = min(first + run, (n + 15u) / 16u);
    uint at = texelFetch(counts, int(part)).x, end = texelFetch(counts, int(part) + 1).x;
    uint dump = rill_p[1].y + part;
#ifdef SPLIT
    uint other = first * 16u - at, other_end = min(past * 16u, n) - end, other_dump = rill_p[1].z + part;
#endif
    for (uint texel = first; texel < past; texel++) {
        uvec4 bytes = mask_texel(texel, n);
        uint number = texel * 16u;
        load(texel);
        for (int j = 0; j < 16; j++) {
            uint own = KEPT(bytes, j), place = at < end ? at : dump;
            STORE(kept, place, j);
            at += own;
#ifdef SPLIT
            place = other < other_end ? other : other_dump;
            STORE(rest, place, j);
            other += 1u - own;
#endif
        }
    }
}
#endif
