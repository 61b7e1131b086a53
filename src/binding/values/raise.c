/* Raises recorded errors and checks the types of userdata. Depends on no other file of the binding. */
#include "binding/binding.h"

#include <stdlib.h>
#include <string.h>

void binding_raise(lua_State *L)
{
    luaL_error(L, "%s", error_message());
    abort(); /* luaL_error does not return */
}

void binding_raise_for(lua_State *L, const char *function)
{
    if (function) {
        error_prefix("%s", function);
    }
    binding_raise(L);
}

void binding_raise_unless(lua_State *L, bool done)
{
    if (!done) {
        binding_raise(L);
    }
}

void binding_raise_placed(lua_State *L)
{
    lua_pushstring(L, error_message());
    lua_error(L);
    abort(); /* lua_error does not return */
}

int binding_close_nothing(lua_State *L)
{
    (void)L;
    return 0;
}

void *binding_userdata(lua_State *L, int index, const void *key, size_t size)
{
    if (lua_type(L, index) != LUA_TUSERDATA || lua_rawlen(L, index) != size || !lua_getmetatable(L, index)) {
        return NULL;
    }
    lua_rawgetp(L, LUA_REGISTRYINDEX, key);
    bool same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return same ? lua_touserdata(L, index) : NULL;
}

void *binding_finalized(lua_State *L, const void *key, size_t size)
{
    lua_Debug call;
    if (!lua_getstack(L, 0, &call) || !lua_getinfo(L, "n", &call) || !call.name) {
        return NULL;
    }
    /* If the collector runs within a hook, Lua reports the finalizer as a hook. A real hook function gets no userdata. */
    bool collects = (strcmp(call.namewhat, "metamethod") == 0 && strcmp(call.name, "__gc") == 0) ||
                    strcmp(call.namewhat, "hook") == 0;
    return collects ? binding_userdata(L, 1, key, size) : NULL;
}
