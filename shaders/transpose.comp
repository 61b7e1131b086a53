// Copies between views whose fastest dimensions differ: the target is contiguous along x, the
// source along y. The other dimensions are a batch of such planes. Defines: GROUP invocations;
// WORDS per element (1 to 4 in vector form, otherwise any number), PACKED elements per word;
// VECTOR: both sides are read and written as aligned 16-byte texels, of E elements; TILE: the method
// for the family gpu; GRID: the groups of a dispatch are a grid of tiles and planes. Without TILE,
// ALONG lanes are adjacent along y, the others along x, and each lane moves BLOCKS blocks that are
// STEP_X and STEP_Y elements apart, in a tile of TILE_X by TILE_Y elements. ACROSS: successive groups
// move tiles that follow each other along y, not along x.
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
#ifdef GRID
    uint plane = gl_WorkGroupID.z;
    tile_x = gl_WorkGroupID.x;
    tile_y = gl_WorkGroupID.y;
#else
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

// A tile of SIDE x SIDE elements, or one word of each. A lane moves PART words and loads all of them before it stores
// the first word. Adjacent lanes access adjacent words: JOINT words of an element, and then those of the next element.
// Rows in shared memory are LINE + JOINT words apart, so that the lanes that read a column use different banks.
#pragma optionNV(unroll all) // for NVIDIA: otherwise private arrays may be kept in memory. Other compilers ignore it
#define SIDE TILE_X
#if WORDS == 2 || WORDS == 4
#define JOINT WORDS
#else
#define JOINT 1
#endif
#define LINE (SIDE * JOINT)
#define LINES (GROUP / LINE) // lines of a tile that the group moves at once
#define PART (SIDE / LINES)

shared uint rill_tile[SIDE * (LINE + JOINT)];

void main()
{
    uint tile_x, tile_y;
    int from_base, to_base;
    bool inside = find_tile(tile_x, tile_y, from_base, to_base);
    int at = int(gl_LocalInvocationID.x) & (LINE - 1), slow = int(gl_LocalInvocationID.x) / LINE;
    int fast = at / JOINT, word = at % JOINT;
    int x0 = int(tile_x) * SIDE, y0 = int(tile_y) * SIDE;
    // The lines of the tile that exist, of lanes whose elements exist.
    int columns = inside && y0 + fast < NY ? NX - x0 : 0, rows = inside && x0 + fast < NX ? NY - y0 : 0;
    int from_at = from_base + (x0 + slow) * FROM_X + (y0 + fast) * WORDS + word;
    int to_at = to_base + (y0 + slow) * TO_Y + (x0 + fast) * WORDS + word;
    for (int w = 0; w < WORDS / JOINT; w++) {
        uint values[PART];
        for (int k = 0; k < PART; k++) {
            values[k] = slow + k * LINES < columns ? LOAD(from_at + k * LINES * FROM_X + w) : 0u;
        }
        for (int k = 0; k < PART; k++) {
            rill_tile[(slow + k * LINES) * (LINE + JOINT) + at] = values[k];
        }
        barrier();
        for (int k = 0; k < PART; k++) {
            if (slow + k * LINES < rows) {
                to[to_at + k * LINES * TO_Y + w] = rill_tile[fast * (LINE + JOINT) + (slow + k * LINES) * JOINT + word];
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
