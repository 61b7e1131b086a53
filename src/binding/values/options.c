#include "binding/values/options.h"

enum { MOST_OPTIONS = 32 };

static void check_keys(lua_State *L, const OptionCall *call, const Option *rows)
{
    const char *names[MOST_OPTIONS + 1];
    int count = 0;
    while (count < MOST_OPTIONS && rows[count].name) {
        names[count] = rows[count].name;
        count++;
    }
    names[count] = NULL;
    binding_known(L, call->index, call->function, names);
}

bool options_read(lua_State *L, const OptionCall *call, const Option *rows, void *to)
{
    int top = lua_gettop(L);
    if (!call->required && lua_isnoneornil(L, call->index)) {
        return false;
    }
    if (!binding_is_options(L, call->index)) {
        binding_argument(L, call->function, call->n, "options", call->index, call->expected);
    }
    check_keys(L, call, rows);
    for (; rows->name; rows++) {
        if (rows->read && (lua_getfield(L, call->index, rows->name) != LUA_TNIL || rows->required)) {
            rows->read(L, call, rows, (char *)to + rows->at);
            if (rows->keeps) {
                luaL_checkstack(L, 1, call->function);
                lua_insert(L, ++top);
            }
        }
        lua_settop(L, top);
    }
    return true;
}

void options_flag(lua_State *L, const OptionCall *call, const Option *option, void *field)
{
    if (!lua_isboolean(L, -1)) {
        luaL_error(L, "%s: option '%s': expected true or false, got %s", call->function, option->name,
                   binding_describe(L, -1));
    }
    *(bool *)field = lua_toboolean(L, -1);
}

void options_count(lua_State *L, const OptionCall *call, const Option *option, void *field)
{
    lua_Integer value = binding_integer(L, -1, call->function, BINDING_OPTION, option->name);
    if (value < option->low || value > option->high) {
        luaL_error(L, "%s: option '%s': expected %I .. %I, got %I", call->function, option->name,
                   (LUAI_UACINT)option->low, (LUAI_UACINT)option->high, (LUAI_UACINT)value);
    }
    *(int64_t *)field = value;
}

void options_axis(lua_State *L, const OptionCall *call, const Option *option, void *field)
{
    lua_Integer axis = binding_integer(L, -1, call->function, BINDING_OPTION, option->name);
    if (axis == 0 || axis > call->rank || axis < -call->rank) {
        luaL_error(L, "%s: option '%s': expected 1 .. %d, or -1 for the last, got %I", call->function, option->name,
                   call->rank, (LUAI_UACINT)axis);
    }
    *(int *)field = (int)(axis < 0 ? axis + call->rank : axis - 1);
}

void options_word(lua_State *L, const OptionCall *call, const Option *option, void *field)
{
    int word = binding_word(L, -1, option->words);
    if (word < 0) {
        int at = lua_gettop(L);
        lua_pushliteral(L, "");
        for (int i = 0; option->words[i]; i++) {
            const char *before = i == 0 ? "" : option->words[i + 1] ? ", " : " or ";
            lua_pushfstring(L, "%s\"%s\"", before, option->words[i]);
            lua_concat(L, 2);
        }
        luaL_error(L, "%s: option '%s': expected %s, got %s", call->function, option->name, lua_tostring(L, at + 1),
                   binding_describe(L, at));
    }
    *(int *)field = word;
}

void options_sizes(lua_State *L, const OptionCall *call, const Option *option, void *field)
{
    shape_check_sizes(L, lua_gettop(L), call->function, BINDING_OPTION, option->name, field);
}

void options_element(lua_State *L, const OptionCall *call, const Option *option, void *field)
{
    if (!value_pack_splat(L, lua_gettop(L), call->type, field)) {
        binding_argument_error(L, call->function, BINDING_OPTION, option->name);
    }
}
