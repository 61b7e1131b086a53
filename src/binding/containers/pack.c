/* Functions for lua/rill/container/pack.lua: the mapped elements of containers as streams. A "line" is the stream of
 * the mapped elements in address order. */
#include "binding/streams/container_handle.h"
#include "binding/values/coordinates.h"

#include "kernel/host/packed.h"

/* _partial(c, function): returns whether some elements may be unmapped. */
static int rill_partial(lua_State *L)
{
    const LuaContainer *self = container_check(L, 1, luaL_checkstring(L, 2), 0, "c");
    container_resolve_mapping(L, self, luaL_checkstring(L, 2));
    lua_pushboolean(L, container_partial(self->container));
    return 1;
}

/* Returns the part of the mapped elements that _line_part returned, or NULL for all. */
static const Region *part_at(lua_State *L, int index)
{
    return lua_isnoneornil(L, index) ? NULL : range_check(L, index, "c")->region;
}

/* _line(c, from, function [, part]): returns the elements of a container, or of a stream of its shape, that are mapped
 * in c. */
static int rill_line(lua_State *L)
{
    container_push_line(L, container_check(L, 1, luaL_checkstring(L, 3), 0, "c"), 2, part_at(L, 4),
                        luaL_checkstring(L, 3));
    return 1;
}

/* _line_unordered(c, function): returns the mapped elements of a container in any order. */
static int rill_line_unordered(lua_State *L)
{
    const char *function = luaL_checkstring(L, 2);
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    container_resolve_mapping(L, self, function);
    Stream *line = stream_handle_push(L);
    binding_make(L, self->stream.device, function, container_pack_unordered(self->container, line));
    return 1;
}

/* _line_parts(c, function, always, unordered): returns the number of parts in which the mapped elements should be
 * processed, so that the copy of a part is small compared with the container. It is 1 for few elements, since each part
 * costs several launches. It is also 1 if _line, or _line_unordered, makes no copy, unless `always` is true, which
 * means that the function itself allocates memory for each element. */
static int rill_line_parts(lua_State *L)
{
    enum { LEAST_BYTES = 1 << 22, PARTS = 8 };
    const char *function = luaL_checkstring(L, 2);
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    const Region *region = NULL;
    bool copies = lua_toboolean(L, 3), ordered = !lua_toboolean(L, 4);
    container_resolve_mapping(L, self, function);
    binding_make(L, self->stream.device, function,
                 (!copies && container_pack_exists(self->container, ordered)) ||
                     (region = container_active(self->container)));
    bool large = region && region->set.elements * self->stream.type->bytes >= LEAST_BYTES;
    int64_t most = large ? region_parts(region) : 1;
    lua_pushinteger(L, most < PARTS ? most : PARTS);
    return 1;
}

static Region *part_of(const Region *region, int64_t k, int64_t n)
{
    return region && n >= 1 && k >= 0 && k < n && n <= region_parts(region) ? region_part(region, k, n) : NULL;
}

/* _line_part(c, k, n, function): returns part k (1-based) of n parts of the mapped elements, a range. */
static int rill_line_part(lua_State *L)
{
    const char *function = luaL_checkstring(L, 4);
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    int64_t k = luaL_checkinteger(L, 2) - 1, n = luaL_checkinteger(L, 3);
    container_resolve_mapping(L, self, function);
    LuaRange *range = range_push(L);
    range_make(L, range, self->stream.device, function, part_of(container_active(self->container), k, n));
    return 1;
}

/* _from_line(c, line): returns a container with the type and elements of a line, mapped like c. */
static int rill_from_line(lua_State *L)
{
    static const char function[] = "c:scan";
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    const Stream *line = accept_check(L, 2, function, 1, "line");
    container_resolve_mapping(L, self, function);
    LuaContainer *made = container_push(L);
    container_make(L, made, self->stream.device, function, container_unpack(self->container, line));
    return 1;
}

/* _mapped_like(c, type): returns a container of zeros of a type, mapped like c, which is partly mapped. */
static int rill_mapped_like(lua_State *L)
{
    static const char function[] = "c:scan";
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    const Type *type = type_check(L, 2, function, 2, "type");
    container_resolve_mapping(L, self, function);
    LuaContainer *made = container_push(L);
    container_make(L, made, self->stream.device, function, container_like_mapped(self->container, type));
    return 1;
}

/* _put_line(c, part, line): writes the elements of a part, which must be mapped. */
static int rill_put_line(lua_State *L)
{
    static const char function[] = "c:scan";
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    const Region *part = range_check(L, 2, function)->region;
    const Stream *line = accept_check(L, 3, function, 3, "line");
    binding_make(L, self->stream.device, function, container_put_elements(self->container, part, line));
    return 0;
}

/* _line_first(c, function, numbers, before): returns the indices of the first in row-major order of some elements of
 * _line(c, c). `numbers`: an int stream of their 0-based positions, minus `before`. The result is the least position for
 * lists. */
static int rill_line_first(lua_State *L)
{
    int64_t point[SHAPE_MAX_RANK];
    const char *function = luaL_checkstring(L, 2);
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    const Stream *numbers = accept_check(L, 3, function, 3, "numbers");
    int64_t count = stream_elements(numbers), before = luaL_checkinteger(L, 4);
    int32_t *list = scratch_push(L, (size_t)count * sizeof *list);
    const Region *region;
    container_resolve_mapping(L, self, function);
    binding_run(L, self->stream.device, function,
                (region = container_active(self->container)) && packed_download(numbers, list));
    int rank = region_first(region, list, count, before, point) ? region->shape.rank : 0;
    coordinates_push_indices(L, point, rank);
    return rank;
}

/* _line_points(c [, part]): returns the coordinates of the elements of _line(c, c), in one dimension; nil for lists. */
static int rill_line_points(lua_State *L)
{
    static const char function[] = "c:find";
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    if (container_flat(self->container)) {
        lua_pushnil(L);
        return 1;
    }
    container_resolve_mapping(L, self, function);
    Stream *points = stream_handle_push(L);
    binding_make(L, self->stream.device, function, container_pack_points(self->container, part_at(L, 2), points));
    return 1;
}

void open_container_pack(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_partial", rill_partial},
                                         {"_line", rill_line},
                                         {"_from_line", rill_from_line},
                                         {"_line_parts", rill_line_parts},
                                         {"_line_part", rill_line_part},
                                         {"_line_first", rill_line_first},
                                         {"_line_points", rill_line_points},
                                         {"_mapped_like", rill_mapped_like},
                                         {"_put_line", rill_put_line},
                                         {"_line_unordered", rill_line_unordered},
                                         {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
