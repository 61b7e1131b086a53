/* Ranges: what launches run over. */
#include "binding/streams/range_handle.h"

#include <string.h>

static int range_close(lua_State *L)
{
    LuaRange *range = range_to(L, 1);
    if (!range) {
        binding_argument(L, "r:close", 0, "r", 1, "a range");
    }
    if (!binding_park(L, 1, range_close)) {
        handle_drop(&range->origins);
    }
    return 0;
}

static int range_gc(lua_State *L)
{
    LuaRange *range = binding_finalized(L, &range_meta, sizeof *range);
    if (range) {
        handle_drop(&range->origins);
    }
    return 0;
}

static int range_index(lua_State *L)
{
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) {
        return 1;
    }
    LuaRange *range = range_to(L, 1);
    const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    if (!range || strcmp(key, "size") != 0) {
        return luaL_error(L, "a range has no field or method %s%s", binding_key(L, 2), binding_hint(L, "o", 2));
    }
    lua_pushinteger(L, range->size);
    return 1;
}

static int range_tostring(lua_State *L)
{
    const LuaRange *range = range_to(L, 1);
    char shape[SHAPE_TEXT];
    if (!range || !range->origins.device) {
        lua_pushstring(L, range ? "closed range" : "not a range");
        return 1;
    }
    lua_pushfstring(L, "range of %I elements of %s", (LUAI_UACINT)range->size, shape_text(&range->shape, shape));
    return 1;
}

void open_range(lua_State *L)
{
    static const luaL_Reg meta[] = {
        {"__gc", range_gc}, {"__close", range_close}, {"__tostring", range_tostring}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"close", range_close}, {NULL, NULL}};
    lua_newtable(L);
    luaL_setfuncs(L, meta, 0);
    luaL_newlib(L, methods);
    lua_pushcclosure(L, range_index, 1);
    lua_setfield(L, -2, "__index");
    lua_pushliteral(L, "rill.range");
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "__name");
    lua_setfield(L, -2, "__metatable");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &range_meta);
}
