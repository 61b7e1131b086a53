/* Calls functions of lua/rill/algebra/expression.lua by name. Expressions are tables created there. */
#include "binding/binding.h"

#include <string.h>

static const char hooks_key; /* name -> function of expression.lua */

bool expression_hooks_is_expression(lua_State *L, int index)
{
    if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index)) {
        return false;
    }
    const void *meta = lua_topointer(L, -1);
    lua_pop(L, 1);
    return meta == state_get(L)->expression_meta;
}

void expression_hooks_call(lua_State *L, const char *name, int arguments, int results)
{
    luaL_checkstack(L, 8, "expression");
    lua_rawgetp(L, LUA_REGISTRYINDEX, &hooks_key);
    lua_getfield(L, -1, name);
    lua_replace(L, -2);
    lua_insert(L, -1 - arguments);
    lua_call(L, arguments, results);
}

const char *binding_hint(lua_State *L, const char *owner, int index)
{
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &hooks_key) != LUA_TTABLE) {
        return ""; /* rill.core is loaded without the Lua files */
    }
    index = lua_absindex(L, index);
    lua_pop(L, 1);
    lua_pushstring(L, owner);
    lua_pushvalue(L, index);
    expression_hooks_call(L, "hint", 2, 1);
    const char *hint = lua_tostring(L, -1);
    return hint ? hint : "";
}

const char *binding_among(lua_State *L, int index, int known)
{
    index = lua_absindex(L, index);
    known = lua_absindex(L, known);
    bool alone =
        lua_rawgetp(L, LUA_REGISTRYINDEX, &hooks_key) != LUA_TTABLE; /* rill.core is loaded without the Lua files */
    lua_pop(L, 1);
    if (alone) {
        return lua_pushliteral(L, "another");
    }
    lua_pushvalue(L, index);
    lua_pushvalue(L, known);
    expression_hooks_call(L, "among", 2, 1);
    return lua_tostring(L, -1);
}

/* Pushes the function __launch of a table's metatable. Returns false and pushes nothing if the value has none. */
static bool push_launcher(lua_State *L, int index)
{
    return lua_type(L, index) == LUA_TTABLE && luaL_getmetafield(L, index, "__launch") != LUA_TNIL;
}

bool expression_hooks_launch(lua_State *L, int *results)
{
    int top = lua_gettop(L);
    bool found = false;
    for (int i = 2; i <= top && !found; i++) {
        found = push_launcher(L, i);
    }
    if (!found && top == 2 && lua_istable(L, 2)) {
        for (lua_pushnil(L); !found && lua_next(L, 2);) {
            found = push_launcher(L, -1);
            if (!found) {
                lua_pop(L, 1);
            }
        }
    }
    if (!found) {
        return false;
    }
    lua_insert(L, 1);
    lua_settop(L, top + 1);
    lua_call(L, top, LUA_MULTRET);
    *results = lua_gettop(L);
    return true;
}

static bool has_expression(lua_State *L)
{
    int top = lua_gettop(L);
    bool found = false;
    for (int i = 2; i <= top && !found; i++) {
        found = expression_hooks_is_expression(L, i);
    }
    if (!found && top == 2 && lua_istable(L, 2)) {
        for (lua_pushnil(L); !found && lua_next(L, 2); lua_pop(L, 1)) {
            found = expression_hooks_is_expression(L, -1);
        }
    }
    lua_settop(L, top);
    return found;
}

bool expression_hooks_try(lua_State *L, const char *name, int *results)
{
    int top = lua_gettop(L);
    luaL_checkstack(L, top + 8, "too many arguments");
    for (int i = 1; i <= top; i++) {
        lua_pushvalue(L, i);
    }
    expression_hooks_call(L, name, top, LUA_MULTRET);
    if (!lua_toboolean(L, top + 1)) {
        lua_settop(L, top);
        return false;
    }
    *results = lua_gettop(L) - top - 1;
    return true;
}

bool expression_hooks_offer(lua_State *L, const char *name, int *results)
{
    return has_expression(L) && expression_hooks_try(L, name, results);
}

/* _expression(metatable, hooks): declares that tables with this metatable are expressions. `hooks` are functions by
 * name. */
static int rill_expression(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    state_get(L)->expression_meta = lua_topointer(L, 1);
    lua_pushvalue(L, 1);
    lua_setfield(L, 2, "metatable"); /* keeps it alive, so that its address stays unique */
    lua_rawsetp(L, LUA_REGISTRYINDEX, &hooks_key);
    return 0;
}

void open_expression_hooks(lua_State *L)
{
    fields_function(L, "_expression", rill_expression);
}
