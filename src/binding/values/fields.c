/* Sets fields of tables. */
#include "binding/binding.h"

void fields_boolean(lua_State *L, const char *name, bool value)
{
    lua_pushboolean(L, value);
    lua_setfield(L, -2, name);
}

void fields_integer(lua_State *L, const char *name, lua_Integer value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, name);
}

void fields_count(lua_State *L, const char *name, uint64_t value)
{
    fields_integer(L, name, (lua_Integer)value);
}

void fields_number(lua_State *L, const char *name, double value)
{
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
}

void fields_string(lua_State *L, const char *name, const char *value)
{
    lua_pushstring(L, value);
    lua_setfield(L, -2, name);
}

void fields_function(lua_State *L, const char *name, lua_CFunction value)
{
    lua_pushcfunction(L, value);
    lua_setfield(L, -2, name);
}

/* Sets a function in the table at upvalue 1. */
static int set_function(lua_State *L)
{
    luaL_checkstring(L, 1);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    lua_rawset(L, lua_upvalueindex(1));
    return 0;
}

void fields_setter(lua_State *L, const char *name)
{
    lua_pushcclosure(L, set_function, 1);
    lua_setfield(L, -2, name);
}

bool fields_assigned(lua_State *L)
{
    if (lua_type(L, 2) != LUA_TSTRING || luaL_getmetafield(L, 1, "__setfield") != LUA_TFUNCTION) {
        return false;
    }
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, 3);
    lua_call(L, 3, 1);
    return lua_toboolean(L, -1);
}

bool fields_component(lua_State *L)
{
    if (lua_type(L, 2) != LUA_TSTRING || luaL_getmetafield(L, 1, "__field") != LUA_TFUNCTION) {
        return false;
    }
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 2);
    lua_call(L, 2, 1);
    return !lua_isnil(L, -1);
}
