/* Fields of tables. */
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
