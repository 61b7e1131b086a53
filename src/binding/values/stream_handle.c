/* The userdata of a stream, which contains its header. The metamethods and methods are in src/binding/streams. */
#include "binding/binding.h"

#include <string.h>

static const char meta_key;
static const char members_key; /* name -> method, or the index of a field */

Stream *stream_handle_push(lua_State *L)
{
    Stream *stream = lua_newuserdatauv(L, sizeof *stream, 0);
    memset(stream, 0, sizeof *stream);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &meta_key);
    lua_setmetatable(L, -2);
    return stream;
}

Stream *stream_handle_to(lua_State *L, int index)
{
    if (lua_type(L, index) != LUA_TUSERDATA || lua_rawlen(L, index) != sizeof(Stream) || !lua_getmetatable(L, index)) {
        return NULL;
    }
    const void *meta = lua_topointer(L, -1);
    lua_pop(L, 1);
    return meta == state_get(L)->stream_meta ? lua_touserdata(L, index) : NULL;
}

void stream_handle_drop(Stream *stream)
{
    if (stream->device) {
        binding_drop(stream->device, stream_release(stream));
    }
}

void stream_handle_methods(lua_State *L, const luaL_Reg *methods)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &members_key);
    luaL_setfuncs(L, methods, 0);
    lua_pop(L, 1);
}

void stream_handle_metatable(lua_State *L)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &meta_key);
}

void stream_handle_members(lua_State *L)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &members_key);
}

Stream *stream_handle_finalized(lua_State *L)
{
    return binding_finalized(L, &meta_key, sizeof(Stream));
}

void stream_handle_create(lua_State *L)
{
    lua_newtable(L);
    state_get(L)->stream_meta = lua_topointer(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &meta_key);
    lua_newtable(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &members_key);
}
