#include "binding/values/callbacks.h"

/* functions_key: number -> table of functions, with weak values; the last number is at 0. numbers_key: table -> number,
 * with weak keys. Lua removes objects that are only reachable from finalizers from weak values before the finalizers
 * run, from weak keys afterwards. */
static const char functions_key, numbers_key;

/* Pushes a table of the registry with weak keys or values. */
static void push_weak(lua_State *L, const char *key, const char *mode)
{
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, key) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_createtable(L, 0, 1);
        fields_string(L, "__mode", mode);
        lua_setmetatable(L, -2);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, key);
    }
}

Callbacks callbacks_create(lua_State *L)
{
    int functions = lua_gettop(L);
    luaL_checkstack(L, 8, "too many values");
    push_weak(L, &functions_key, "v");
    lua_rawgeti(L, -1, 0);
    lua_Integer number = lua_tointeger(L, -1) + 1;
    lua_pushinteger(L, number);
    lua_rawseti(L, functions + 1, 0);
    lua_pushvalue(L, functions);
    lua_rawseti(L, functions + 1, number);
    push_weak(L, &numbers_key, "k");
    lua_pushvalue(L, functions);
    lua_pushinteger(L, number);
    lua_rawset(L, -3);
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
    Callbacks callbacks = {lua_tothread(L, -1), number};
    lua_settop(L, functions);
    return callbacks;
}

/* Pushes the table of a number for a finalizer, after the table was removed from the weak values. */
static void push_by_number(lua_State *L, lua_Integer number)
{
    push_weak(L, &numbers_key, "k");
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        if (lua_tointeger(L, -1) == number) {
            lua_pop(L, 1);
            return;
        }
    }
    luaL_error(L, "its functions were garbage-collected");
}

void callbacks_push(lua_State *L, const Callbacks *callbacks)
{
    luaL_checkstack(L, 8, "too many values");
    push_weak(L, &functions_key, "v");
    if (lua_rawgeti(L, -1, callbacks->number) != LUA_TTABLE) {
        push_by_number(L, callbacks->number);
    }
}

void callbacks_keep(lua_State *L, int index, int n, const Callbacks *callbacks)
{
    int top = lua_gettop(L);
    index = lua_absindex(L, index);
    luaL_checkstack(L, 12, "too many values");
    if (lua_getiuservalue(L, index, n) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_setiuservalue(L, index, n);
    }
    callbacks_push(L, callbacks);
    lua_rawseti(L, top + 1, callbacks->number);
    lua_settop(L, top);
}

bool callbacks_call(lua_State *L, lua_CFunction f, void *context, const char *option)
{
    if (!lua_checkstack(L, 8)) {
        return error_set("option '%s': the stack is full", option);
    }
    if (binding_call_user(L, f, context) == LUA_OK) {
        return true;
    }
    const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "it raised no message";
    error_record("option '%s': %s", option, message);
    lua_pop(L, 1);
    return false;
}
