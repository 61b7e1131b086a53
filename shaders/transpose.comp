// Copies between views whose fastest dimensions differ: the target is contiguous along x, the
// source along y. The other dimensions are a batch of such planes. Defines: GROUP invocations;
// WORDS per element (1 to 4 in vector form, otherwise any number), PACKED elements per word;
// VECTOR: both sides are read and written as aligned 16-byte texels, of E elements; TILE: the method
// for the family gpu. Without TILE, ALONG lanes are adjacent along y, the others along x, and each lane
// moves BLOCKS blocks that are STEP_X and STEP_Y elements apart, in a tile of TILE_X by TILE_Y elements. ACROSS:
// successive groups move tiles that follow each other along y, not along x.
#include "shared/parameters.glsl"
#include "shared/transpose_words.h"
layout(local_size_x = GROUP) in;
layout(location = 0) uniform uvec4 rill_p[TRANSPOSE_P_VECTORS];

#define NX int(PARAMETER(TRANSPOSE_P_NX))
#define NY int(PARAMETER(TRANSPOSE_P_NY))
#define TILES_X PARAMETER(TRANSPOSE_P_TILES_X)
#define TILES_Y PARAMETER(TRANSPOSE_P_TILES_Y)
#define FROM_X int(PARAMETER(TRANSPOSE_P_FROM_X))
#define TO_Y int(PARAMETER(TRANSPOSE_P_TO_Y))
#define PLANES PARAMETER(TRANSPOSE_P_PLANES)
#define RANK int(PARAMETER(TRANSPOSE_P_RANK))
#define FROM_BASE int(PARAMETER(TRANSPOSE_P_FROM_BASE))
#define TO_BASE int(PARAMETER(TRANSPOSE_P_TO_BASE))

#ifdef VECTOR
#define UNIT uvec4
#else
#define UNIT uint
#endif

#ifdef BLOCK
layout(std430, binding = 2) readonly buffer From { UNIT from[]; };
#define LOAD(e) from[e]
#else
layout(binding = 0) uniform usamplerBuffer from;
#ifdef VECTOR
#define LOAD(e) texelFetch(from, e)
#else
#define LOAD(e) texelFetch(from, e).x
#endif
#endif
layout(std430, binding = 1) writeonly buffer To { UNIT to[]; };

// Finds the tile of a group, and where its plane starts on both sides. All positions are in units:
// words or texels.
bool find_tile(out uint tile_x, out uint tile_y, out int from_base, out int to_base)
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
#ifdef ACROSS
    uint row = group / TILES_Y, plane = row / TILES_X;
    tile_x = row - plane * TILES_X;
    tile_y = group - row * TILES_Y;
#else
    uint row = group / TILES_X, plane = row / TILES_Y;
    tile_x = group - row * TILES_X;
    tile_y = row - plane * TILES_Y;
#endif
    from_base = FROM_BASE;
    to_base = TO_BASE;
    bool inside = plane < PLANES;
    for (int d = 0; d < RANK; d++) {
        uvec4 dimension = rill_p[TRANSPOSE_P_DIMENSIONS + d]; // size, stride of the source, stride of the target
        uint next = plane / dimension.x;
        int index = int(plane - next * dimension.x);
        from_base += index * int(dimension.y);
        to_base += index * int(dimension.z);
        plane = next;
    }
    return inside;
}

#if defined(TILE)

shared uint rill_tile[32 * 33];

void main()
{
    uint tile_x, tile_y;
    int from_base, to_base;
    bool inside = find_tile(tile_x, tile_y, from_base, to_base);
    int fast = int(gl_LocalInvocationID.x) & 31, slow = int(gl_LocalInvocationID.x) >> 5;
    int x0 = int(tile_x) * 32, y0 = int(tile_y) * 32;
    for (int w = 0; w < WORDS; w++) {
        for (int k = slow; k < 32; k += GROUP / 32) {
            if (inside && x0 + k < NX && y0 + fast < NY) {
                rill_tile[k * 33 + fast] = LOAD(from_base + (x0 + k) * FROM_X + (y0 + fast) * WORDS + w);
            }
        }
        barrier();
        for (int k = slow; k < 32; k += GROUP / 32) {
            if (inside && x0 + fast < NX && y0 + k < NY) {
                to[to_base + (y0 + k) * TO_Y + (x0 + fast) * WORDS + w] = rill_tile[fast * 33 + k];
            }
        }
        barrier();
    }
}

#else

// Moves a block of E by E elements, of which both sides have whole units.
void move_block(int x, int y, int from_base, int to_base);

void main()
{
    uint tile_x, tile_y;
    int from_base, to_base;
    bool inside = find_tile(tile_x, tile_y, from_base, to_base);
    int lane = int(gl_LocalInvocationID.x);
    int x = int(tile_x) * TILE_X + lane / ALONG * E, y = int(tile_y) * TILE_Y + lane % ALONG * E;
    int blocks = min(BLOCKS, (STEP_X > 0 ? NX - int(tile_x) * TILE_X : NY - int(tile_y) * TILE_Y) / (STEP_X + STEP_Y) + 1);
    for (int k = 0; k < blocks && inside; k++) {
        if (x < NX && y < NY) {
            move_block(x, y, from_base, to_base);
        }
        x += STEP_X;
        y += STEP_Y;
    }
}

#if defined(VECTOR)

void move_block(int x, int y, int from_base, int to_base)
{
    uvec4 column[E];
    for (int i = 0; i < E; i++) {
        column[i] = LOAD(from_base + (x + i) * FROM_X + y / E);
    }
    int at = to_base + y * TO_Y + x / E;
#if E == 4
    to[at] = uvec4(column[0].x, column[1].x, column[2].x, column[3].x);
    if (y + 1 < NY) to[at + TO_Y] = uvec4(column[0].y, column[1].y, column[2].y, column[3].y);
    if (y + 2 < NY) to[at + 2 * TO_Y] = uvec4(column[0].z, column[1].z, column[2].z, column[3].z);
    if (y + 3 < NY) to[at + 3 * TO_Y] = uvec4(column[0].w, column[1].w, column[2].w, column[3].w);
#elif E == 2
    to[at] = uvec4(column[0].xy, column[1].xy);
    if (y + 1 < NY) to[at + TO_Y] = uvec4(column[0].zw, column[1].zw);
#else
    to[at] = column[0];
#endif
}

#elif PACKED > 1

void move_block(int x, int y, int from_base, int to_base)
{
    uint column[E];
    for (int i = 0; i < E; i++) {
        column[i] = LOAD(from_base + (x + i) * FROM_X + y / E);
    }
    for (int j = 0; j < E; j++) {
        uint word = 0u;
        for (int i = 0; i < E; i++) {
            word |= (column[i] >> (32 / E * j) & (0xffffffffu >> (32 - 32 / E))) << (32 / E * i);
        }
        if (y + j < NY) {
            to[to_base + (y + j) * TO_Y + x / E] = word;
        }
    }
}

#else

void move_block(int x, int y, int from_base, int to_base)
{
    for (int w = 0; w < WORDS; w++) {
        to[to_base + y * TO_Y + x * WORDS + w] = LOAD(from_base + x * FROM_X + y * WORDS + w);
    }
}

#endif
#endif
