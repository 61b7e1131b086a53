/* Functions for rill.reuse on the host: batches of triangles, orders of triangles, and modeled vertex caches. */
#include "binding/streams/container_handle.h"

#include "gpu/memory/buffer.h"
#include "kernel/launch/copy.h"
#include "primitive/vertex_cache/vertex_cache.h"

#include <string.h>

/* A copy of the indices in host memory, owned by userdata on the stack. */
typedef struct Indices {
    const Stream *stream;
    int64_t count;
    int32_t *dense;
    int32_t vertices;
} Indices;

/* Reads the stream of int or ivec3 at `at` and numbers its distinct values (number_indices); raises. */
static Indices take_indices(lua_State *L, int at, const char *function, bool gaps)
{
    Indices indices = {.stream = accept_check(L, at, function, 1, "indices")};
    const Stream *s = indices.stream;
    indices.count = stream_elements(s) * s->type->components;
    size_t bytes = (size_t)indices.count * sizeof(int32_t);
    if (!s->contiguous || s->source != SOURCE_BUFFER) {
        Stream *copy = stream_handle_push(L);
        binding_make(L, s->device, function, copy_whole(s, NULL, "the vertex cache: argument 'indices'", copy));
        s = indices.stream = copy;
    }
    int32_t *values = scratch_push(L, bytes + 1);
    indices.dense = scratch_push(L, bytes + 1);
    if (indices.count > 0) {
        binding_run(L, s->device, function,
                    buffer_read(s->buffer, (uint64_t)s->offset * (uint64_t)s->type->bytes, values, bytes));
    }
    indices.vertices = number_indices(values, indices.count, gaps, indices.dense);
    binding_raise_unless(L, indices.vertices >= 0);
    return indices;
}

/* Pushes a new stream of one dimension of int, or with two components of ivec2. */
static int push_ints(lua_State *L, const Stream *like, const int32_t *values, int components, int64_t count,
                     const char *function)
{
    Stream *result = stream_handle_push(L);
    uint64_t bytes = (uint64_t)(count * components) * sizeof *values;
    binding_make(L, like->device, function,
                 stream_create(like->device, type_of(SCALAR_INT, components), &(Shape){1, {count}}, false, result) &&
                     (count == 0 || buffer_write(result->buffer, 0, values, bytes)));
    return 1;
}

/* _reuse_batches(function, indices, corners, most, unique): returns the first index and the number of distinct indices
 * before each batch, and then of all. */
static int reuse_batches(lua_State *L)
{
    const char *function = luaL_checkstring(L, 1);
    int corners = (int)luaL_checkinteger(L, 3), most = (int)luaL_checkinteger(L, 4),
        unique = (int)luaL_checkinteger(L, 5);
    Indices indices = take_indices(L, 2, function, true);
    int32_t(*starts)[2] = scratch_push(L, ((size_t)(indices.count / corners) + 1) * sizeof *starts);
    int64_t batches = batches_find(indices.dense, indices.count, indices.vertices, corners, most, unique, starts);
    binding_raise_unless(L, batches >= 0);
    return push_ints(L, indices.stream, starts[0], 2, batches + 1, function);
}

/* _reuse_order(triangles, hoppe, entries): returns the indices of the triangles in their new order. */
static int reuse_order(lua_State *L)
{
    static const char function[] = "rill.reuse.order";
    bool hoppe = lua_toboolean(L, 2);
    int entries = (int)luaL_checkinteger(L, 3);
    Indices indices = take_indices(L, 1, function, false);
    int64_t faces = indices.count / 3;
    int32_t *order = scratch_push(L, (size_t)faces * sizeof *order + 1);
    binding_raise_unless(L,
                         (hoppe ? hoppe_order : forsyth_order)(indices.dense, faces, indices.vertices, entries, order));
    return push_ints(L, indices.stream, order, 1, faces, function);
}

/* _reuse_misses(indices, entries, lru, parallel, sliding): returns the number of misses of a modeled cache, and the
 * number of distinct indices. */
static int reuse_misses(lua_State *L)
{
    CacheModel model = {.entries = (int)luaL_checkinteger(L, 2),
                        .lru = lua_toboolean(L, 3),
                        .parallel = (int)luaL_checkinteger(L, 4),
                        .sliding = lua_toboolean(L, 5)};
    Indices indices = take_indices(L, 1, "rill.reuse.cache", false);
    int64_t misses = vertex_cache_misses(indices.dense, indices.count, indices.vertices, &model);
    binding_raise_unless(L, misses >= 0);
    lua_pushinteger(L, misses);
    lua_pushinteger(L, indices.vertices);
    return 2;
}

void open_vertex_cache(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_reuse_batches", reuse_batches},
                                         {"_reuse_order", reuse_order},
                                         {"_reuse_misses", reuse_misses},
                                         {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
