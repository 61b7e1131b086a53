/* The userdata of a range. What it can do is lua_range.c's. */
#include "binding/streams/range_handle.h"

#include <string.h>

const char range_meta;

LuaRange *range_push(lua_State *L)
{
    LuaRange *range = lua_newuserdatauv(L, sizeof *range, 0);
    memset(range, 0, sizeof *range);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &range_meta);
    lua_setmetatable(L, -2);
    return range;
}

LuaRange *range_to(lua_State *L, int index)
{
    return binding_userdata(L, index, &range_meta, sizeof(LuaRange));
}
