/* Methods of ranges, which are sets of elements that launches run over. */
#include "binding/streams/range_handle.h"
#include "binding/values/coordinates.h"
#include "container/region/coordinates.h"

#include <stdio.h>
#include <string.h>

/* r:each(). Upvalues of the iterator: the range, the box, and the index in the box of the next element. */

static int range_next(lua_State *L)
{
    const LuaRange *range = range_to(L, lua_upvalueindex(1));
    RegionCursor cursor = {lua_tointeger(L, lua_upvalueindex(2)), lua_tointeger(L, lua_upvalueindex(3))};
    int64_t point[SHAPE_MAX_RANK];
    if (!range || !range->region || !region_step(range->region, &cursor, point)) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushinteger(L, cursor.box);
    lua_replace(L, lua_upvalueindex(2));
    lua_pushinteger(L, cursor.number);
    lua_replace(L, lua_upvalueindex(3));
    coordinates_push_indices(L, point, range->region->shape.rank);
    return range->region->shape.rank;
}

/* r:each(): iterates over the indices of the elements. */
static int range_each(lua_State *L)
{
    range_check(L, 1, "r:each");
    binding_count(L, "r:each", 1, true);
    lua_pushinteger(L, 0);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, range_next, 3);
    return 1;
}

/* r:addresses(): returns a stream of the coordinates of the elements. */
static int range_addresses(lua_State *L)
{
    const LuaRange *range = range_check(L, 1, "r:addresses");
    binding_count(L, "r:addresses", 1, true);
    Stream *points = stream_handle_push(L);
    Device *device = range->region->list.device;
    binding_make(L, device, "r:addresses", region_coordinates(range->region, points));
    return 1;
}

/* _box(r, n): returns the first and the last index of box n (1-based); nothing after the last box. The range must not
 * be scattered. */
static int rill_box(lua_State *L)
{
    const Region *region = range_check(L, 1, "range")->region;
    int64_t n = luaL_checkinteger(L, 2) - 1, first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    int rank = region->shape.rank;
    if (!region_box_at(region, n, first, last)) {
        return 0;
    }
    shape_box(first, last, rank, from, to);
    coordinates_push_list(L, from, rank, 1);
    coordinates_push_list(L, to, rank, 0);
    return 2;
}

/* _scattered(r): returns whether the range contains only a part of the elements of some boxes. */
static int rill_scattered(lua_State *L)
{
    const Region *region = range_check(L, 1, "range")->region;
    lua_pushboolean(L, region->set.masked || region->set.levels);
    return 1;
}

static int range_index(lua_State *L)
{
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) {
        return 1;
    }
    const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    if (strcmp(key, "size") != 0) {
        return luaL_error(L, "a range has no field or method %s%s", binding_key(L, 2), binding_hint(L, "o", 2));
    }
    lua_pushinteger(L, range_check(L, 1, "r.size")->region->set.elements);
    return 1;
}

static int range_tostring(lua_State *L)
{
    const LuaRange *range = range_to(L, 1);
    char shape[SHAPE_TEXT];
    if (!range || !range->region) {
        lua_pushstring(L, range ? "closed range" : "not a range");
        return 1;
    }
    snprintf(shape, sizeof shape, "%d-D", range->region->shape.rank);
    lua_pushfstring(L, "range of %I elements of %s", (LUAI_UACINT)range->region->set.elements,
                    range->region->set.unbounded ? shape : shape_text(&range->region->shape, shape));
    return 1;
}

void open_range(lua_State *L)
{
    static const luaL_Reg meta[] = {{"__tostring", range_tostring}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"each", range_each}, {"addresses", range_addresses}, {NULL, NULL}};
    static const luaL_Reg functions[] = {{"_box", rill_box}, {"_scattered", rill_scattered}, {NULL, NULL}};
    handle_methods(L, &range_type, methods);
    lua_pushcclosure(L, range_index, 1);
    handle_open(L, &range_type, meta);
    luaL_setfuncs(L, functions, 0);
}
