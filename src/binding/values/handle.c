#include "binding/values/handle.h"

#include <string.h>

void *handle_push(lua_State *L, const HandleType *type)
{
    void *self = lua_newuserdatauv(L, type->size, type->values);
    memset(self, 0, type->size);
    lua_rawgetp(L, LUA_REGISTRYINDEX, type);
    lua_setmetatable(L, -2);
    return self;
}

void *handle_to(lua_State *L, int index, const HandleType *type)
{
    return binding_userdata(L, index, type, type->size);
}

void handle_close(lua_State *L, const HandleType *type)
{
    void *self = handle_to(L, 1, type);
    if (!self) {
        binding_argument(L, lua_pushfstring(L, "%s:close", type->self), 0, type->self, 1,
                         lua_pushfstring(L, "a %s", type->name));
    }
    if (!(type->final ? binding_park_final : binding_park)(L, 1)) {
        type->drop(L, self);
    }
}

static int close(lua_State *L)
{
    handle_close(L, lua_touserdata(L, lua_upvalueindex(1)));
    return 0;
}

/* __gc: releases the object at once, since an unreachable userdata is not in use. */
static int collect(lua_State *L)
{
    const HandleType *type = lua_touserdata(L, lua_upvalueindex(1));
    void *self = binding_finalized(L, type, type->size);
    if (self) {
        type->drop(L, self);
    }
    return 0;
}

static void set_function(lua_State *L, const HandleType *type, lua_CFunction f, const char *name)
{
    lua_pushlightuserdata(L, (void *)type);
    lua_pushcclosure(L, f, 1);
    lua_setfield(L, -2, name);
}

void handle_methods(lua_State *L, const HandleType *type, const luaL_Reg *methods)
{
    lua_newtable(L);
    set_function(L, type, close, "close");
    luaL_setfuncs(L, methods, 0);
}

void handle_open(lua_State *L, const HandleType *type, const luaL_Reg *meta)
{
    static const luaL_Reg none[] = {{NULL, NULL}};
    lua_pushfstring(L, "rill.%s", type->name);
    lua_insert(L, -2);
    binding_metatable(L, lua_tostring(L, -2), type, none);
    lua_rawgetp(L, LUA_REGISTRYINDEX, type);
    set_function(L, type, collect, "__gc");
    set_function(L, type, close, "__close");
    luaL_setfuncs(L, meta ? meta : none, 0);
    lua_pop(L, 2);
}
