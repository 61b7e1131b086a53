/* The structures of rill.ray, built on the host from the bytes of a scene. */
#include "binding/binding.h"

#include "primitive/ray_tree/ray_tree.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Half of the width by which boxes are enlarged, relative to the size of the scene and to its coordinates: more than the
 * rounding errors of rays that start at most four diagonals away. */
static const float PAD = 4e-6f, PAD_OF_COORDINATES = 2.4e-7f;

static void set_numbers(lua_State *L, const char *name, const float *values, int exponent)
{
    lua_createtable(L, 3, 0);
    for (int d = 0; d < 3; d++) {
        lua_pushnumber(L, ldexp((double)values[d], exponent));
        lua_rawseti(L, -2, d + 1);
    }
    lua_setfield(L, -2, name);
}

static void set_bytes(lua_State *L, const char *name, const void *words, int64_t count)
{
    lua_pushlstring(L, words, (size_t)count * sizeof(uint32_t));
    lua_setfield(L, -2, name);
}

/* Fills an array of prefix sums from the list of counts at `index`: 0, the first value, the sum of the first two ...
 * `bytes`, the size of a string that has `width` bytes for each counted item, must agree with the total. */
static int64_t *sums_push(lua_State *L, int index, size_t bytes, size_t width)
{
    size_t n = lua_rawlen(L, index);
    int64_t *sums = scratch_push(L, (n + 1) * sizeof *sums);
    sums[0] = 0;
    for (size_t i = 0; i < n; i++) {
        lua_rawgeti(L, index, (lua_Integer)i + 1);
        lua_Integer count = lua_tointeger(L, -1);
        luaL_argcheck(L, count >= 0 && count <= INT32_MAX, index, "counts are expected");
        sums[i + 1] = sums[i] + count;
        lua_pop(L, 1);
    }
    luaL_argcheck(L, bytes == (size_t)sums[n] * width, index, "the counts do not agree with the bytes");
    return sums;
}

static float pad_of(const RayFaces *faces)
{
    float size = FLT_MIN, away = 0;
    for (int d = 0; d < 3; d++) {
        size = fmaxf(size, faces->high[d] - faces->low[d]);
        away = fmaxf(away, fmaxf(fabsf(faces->low[d]), fabsf(faces->high[d])));
    }
    return PAD * size + PAD_OF_COORDINATES * away;
}

static bool add_tree(lua_State *L, const RayFaces *faces, float pad)
{
    RayTree tree;
    if (!ray_tree_build(faces, pad, &tree)) {
        return false;
    }
    set_bytes(L, "corners", tree.parts, tree.count * RAY_CORNER_WORDS);
    fields_integer(L, "depth", tree.depth);
    ray_tree_release(&tree);
    return true;
}

static bool add_grid(lua_State *L, const RayFaces *faces, float pad)
{
    RayGrid grid;
    if (!ray_grid_build(faces, pad, &grid)) {
        return false;
    }
    float size[3] = {(float)grid.size[0], (float)grid.size[1], (float)grid.size[2]};
    set_numbers(L, "size", size, 0);
    set_numbers(L, "from", grid.low, 0);
    set_numbers(L, "cell", grid.cell, 0);
    set_bytes(L, "cells", grid.cells, 2 * (int64_t)grid.size[0] * grid.size[1] * grid.size[2]);
    set_bytes(L, "entries", grid.entries, grid.entry_count);
    set_bytes(L, "corners", grid.corners, (int64_t)faces->count * RAY_CORNER_WORDS);
    ray_grid_release(&grid);
    return true;
}

static bool add_list(lua_State *L, const RayFaces *faces)
{
    uint32_t *words = scratch_push(L, ((size_t)faces->count + 1) * RAY_CORNER_WORDS * sizeof *words);
    for (int32_t i = 0; i < faces->count; i++) {
        ray_faces_write(faces, i, words + RAY_CORNER_WORDS * (int64_t)i);
    }
    lua_pushvalue(L, -2);
    set_bytes(L, "corners", words, (int64_t)faces->count * RAY_CORNER_WORDS);
    lua_pop(L, 2);
    return true;
}

/* _ray_build(structure, positions, triangles, vertex counts, triangle counts): a table with the bytes of the structure
 * "bvh", "grid" or "none", whose coordinates are multiplied by `scale`, and the bounds without this factor. The positions and triangles of all meshes are strings of floats and ints. */
static int ray_build(lua_State *L)
{
    const char *structure = luaL_checkstring(L, 1);
    size_t position_bytes, triangle_bytes;
    const float *positions = (const float *)(const void *)luaL_checklstring(L, 2, &position_bytes);
    const int32_t *triangles = (const int32_t *)(const void *)luaL_checklstring(L, 3, &triangle_bytes);
    luaL_checktype(L, 4, LUA_TTABLE);
    luaL_checktype(L, 5, LUA_TTABLE);
    luaL_argcheck(L, lua_rawlen(L, 4) == lua_rawlen(L, 5), 5, "expected as many meshes as argument #4 has");
    int64_t *vertex_bases = sums_push(L, 4, position_bytes, 3 * sizeof *positions);
    int64_t *face_bases = sums_push(L, 5, triangle_bytes, 3 * sizeof *triangles);
    RayFaces faces;
    binding_raise_unless(
        L, ray_faces_collect(positions, triangles, face_bases, vertex_bases, (int64_t)lua_rawlen(L, 5), &faces));
    lua_createtable(L, 0, 12);
    fields_integer(L, "count", faces.count);
    bool done = true;
    if (faces.count > 0) {
        float pad = pad_of(&faces);
        set_numbers(L, "low", faces.low, -faces.exponent);
        set_numbers(L, "high", faces.high, -faces.exponent);
        lua_pushnumber(L, ldexp(1, faces.exponent));
        lua_setfield(L, -2, "scale");
        done = strcmp(structure, "bvh") == 0    ? add_tree(L, &faces, pad)
               : strcmp(structure, "grid") == 0 ? add_grid(L, &faces, pad)
                                                : add_list(L, &faces);
    }
    ray_faces_release(&faces);
    binding_raise_unless(L, done);
    return 1;
}

void open_ray_tree(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_ray_build", ray_build}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
