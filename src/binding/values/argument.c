/* Checks arguments, and raises errors about them. */
#include "binding/binding.h"

#include "io/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int strict_index(lua_State *L)
{
    const char *what = lua_tostring(L, lua_upvalueindex(1));
    if (strncmp(what, "rill.", 5) != 0) {
        return luaL_error(L, "%s has no field '%s': expected %s", what, luaL_tolstring(L, 2, NULL),
                          binding_among(L, 2, 1));
    }
    return luaL_error(L, "%s has no field '%s'%s", what, luaL_tolstring(L, 2, NULL), binding_hint(L, what, 2));
}

void binding_strict(lua_State *L, const char *what)
{
    lua_createtable(L, 0, 2);
    lua_pushstring(L, what);
    lua_pushcclosure(L, strict_index, 1);
    lua_setfield(L, -2, "__index");
    fields_function(L, "__close", binding_close_nothing);
    lua_setmetatable(L, -2);
}

const void *binding_metatable(lua_State *L, const char *name, const void *key, const luaL_Reg *meta)
{
    lua_newtable(L);
    luaL_setfuncs(L, meta, 0);
    lua_insert(L, -2);
    lua_setfield(L, -2, "__index");
    fields_string(L, "__name", name);
    fields_string(L, "__metatable", name);
    const void *metatable = lua_topointer(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, key);
    return metatable;
}

const char *binding_label(lua_State *L, const char *function, int n, const char *name)
{
    if (n == BINDING_OPTION) {
        return lua_pushfstring(L, "%s: option '%s'", function, name);
    }
    return n > 0 ? lua_pushfstring(L, "%s: argument #%d '%s'", function, n, name)
                 : lua_pushfstring(L, "%s: argument '%s'", function, name);
}

/* Pushes the table that contains the function "rill.image.load", or nil. */
static void push_owner(lua_State *L, const char *function)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    const char *dot = strncmp(function, "rill.", 5) == 0 ? function + 4 : NULL;
    if (!dot || lua_getfield(L, -1, "rill") != LUA_TTABLE) {
        lua_pushnil(L);
        return;
    }
    for (const char *next = strchr(dot + 1, '.'); next && lua_istable(L, -1); next = strchr(dot + 1, '.')) {
        lua_pushlstring(L, dot + 1, (size_t)(next - dot - 1));
        lua_rawget(L, -2);
        dot = next;
    }
}

/* Raises if the script called the function with its module as the first argument, as in rill:kernel(text). */
static void check_dot(lua_State *L, const char *function)
{
    lua_Debug call;
    if (lua_type(L, 1) != LUA_TTABLE || !lua_getstack(L, 0, &call) || !lua_getinfo(L, "n", &call) ||
        strcmp(call.namewhat, "method") != 0) {
        return;
    }
    const int top = lua_gettop(L);
    push_owner(L, function);
    if (lua_rawequal(L, 1, -1)) {
        luaL_error(L, "%s: called with a colon: write %s(...), with a dot", function, function);
    }
    lua_settop(L, top);
}

void binding_argument(lua_State *L, const char *function, int n, const char *name, int index, const char *expected)
{
    check_dot(L, function);
    const char *got = binding_describe(L, index);
    bool contained = strstr(expected, "a stream") && strncmp(got, "container<", 10) == 0;
    luaL_error(L, "%s: expected %s, got %s%s", binding_label(L, function, n, name), expected, got,
               contained ? ": its elements as one are c:stream()" : "");
    abort();
}

void binding_argument_error(lua_State *L, const char *function, int n, const char *name)
{
    check_dot(L, function);
    luaL_error(L, "%s: %s", binding_label(L, function, n, name), error_message());
    abort();
}

void binding_count(lua_State *L, const char *function, int most, bool self)
{
    int count = lua_gettop(L) - self;
    if (count > most - self) {
        check_dot(L, function);
        luaL_error(L, "%s: expected at most %d argument%s, got %d", function, most - self, most - self == 1 ? "" : "s",
                   count);
    }
}

bool binding_is_options(lua_State *L, int index)
{
    if (!lua_istable(L, index)) {
        return false;
    }
    int type = luaL_getmetafield(L, index, "__name");
    bool value = type == LUA_TSTRING && strncmp(lua_tostring(L, -1), "rill.", 5) == 0;
    lua_pop(L, type == LUA_TNIL ? 0 : 1);
    return !value;
}

lua_Integer binding_integer(lua_State *L, int index, const char *function, int n, const char *name)
{
    int whole = 0;
    lua_Integer value = lua_type(L, index) == LUA_TNUMBER ? lua_tointegerx(L, index, &whole) : 0;
    if (!whole) {
        binding_argument(L, function, n, name, index, "a whole number");
    }
    return value;
}

int binding_axis(lua_State *L, int index, const char *function, int rank)
{
    lua_Integer axis = binding_integer(L, index, function, 1, "axis");
    if (axis == 0 || axis > rank || axis < -rank) {
        luaL_error(L, "%s: argument #1 'axis': expected 1 .. %d, or -1 for the last, got %I", function, rank,
                   (LUAI_UACINT)axis);
    }
    return (int)(axis < 0 ? axis + rank : axis - 1);
}

int64_t binding_index(lua_State *L, int index, const char *function, int n, const char *name)
{
    lua_Integer value = binding_integer(L, index, function, n, name);
    return value < 1 ? -1 : value - 1;
}

int binding_word(lua_State *L, int index, const char *const *words)
{
    const char *word = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : "";
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], word) == 0) {
            return i;
        }
    }
    return -1;
}

void binding_unknown(lua_State *L, int index, const char *function, const char *const *names)
{
    index = lua_absindex(L, index);
    const char *key = binding_key(L, index);
    lua_newtable(L);
    for (; *names; names++) {
        fields_boolean(L, *names, true);
    }
    luaL_error(L, "%s: unknown option %s: expected %s", function, key, binding_among(L, index, -1));
    abort();
}

void binding_known(lua_State *L, int options, const char *function, const char *const *names)
{
    for (lua_pushnil(L); lua_next(L, options); lua_pop(L, 1)) {
        const char *const *name = names;
        while (*name && !(lua_type(L, -2) == LUA_TSTRING && strcmp(lua_tostring(L, -2), *name) == 0)) {
            name++;
        }
        if (!*name) {
            binding_unknown(L, -2, function, names);
        }
    }
}

void binding_set_names(lua_State *L, const char *field, const char *const *names)
{
    lua_newtable(L);
    for (int i = 0; names[i]; i++) {
        lua_pushstring(L, names[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, field);
}

bool binding_flag(lua_State *L, int options, const char *function, const char *name)
{
    int type = lua_getfield(L, options, name);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN) {
        luaL_error(L, "%s: option '%s': expected true or false, got %s", function, name, binding_describe(L, -1));
    }
    bool set = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return set;
}

static const char *describe_number(lua_State *L, int index)
{
    char text[64];
    lua_Number value = lua_tonumber(L, index);
    if (isnan(value)) {
        snprintf(text, sizeof text, "number nan");
    } else if (lua_isinteger(L, index)) {
        snprintf(text, sizeof text, "number %" PRId64, (int64_t)lua_tointeger(L, index));
    } else if (value == floor(value) && fabs(value) < 1e18) {
        snprintf(text, sizeof text, "number %.0f", value);
    } else {
        snprintf(text, sizeof text, "number %.14g", value);
    }
    return lua_pushstring(L, text);
}

static const char *describe_stream(lua_State *L, const Stream *stream)
{
    char text[SHAPE_TEXT];
    if (!stream->device) {
        return lua_pushliteral(L, "closed stream");
    }
    return lua_pushfstring(L, "stream<%s>[%s]", stream->type->name, shape_text(&stream->shape, text));
}

static const char *describe_userdata(lua_State *L, int index)
{
    const char *name = "userdata";
    index = lua_absindex(L, index);
    if (luaL_getmetafield(L, index, "__name") == LUA_TSTRING) {
        name = lua_tostring(L, -1);
    }
    if (strcmp(name, "rill.container") == 0) { /* type and shape, or "closed container" */
        const char *text = luaL_tolstring(L, index, NULL), *end = strchr(text, ',');
        return end ? lua_pushlstring(L, text, (size_t)(end - text)) : text;
    }
    if (strcmp(name, "rill.snapshot") == 0) { /* "snapshot ..." or "closed snapshot" */
        return luaL_tolstring(L, index, NULL);
    }
    return lua_pushfstring(L, "%s", strncmp(name, "rill.", 5) == 0 ? name + 5 : name);
}

/* Describes a table: "table of 3", "table with the key 'a'", or "matrix" if it is a value of rill. */
static const char *describe_table(lua_State *L, int index)
{
    const int kind = luaL_getmetafield(L, index, "__name");
    const char *name = kind == LUA_TSTRING ? lua_tostring(L, -1) : "";
    if (strcmp(name, "rill.big") == 0) {
        return lua_pushliteral(L, "a big stream: b:map computes, b:domain reads elements into a stream");
    }
    if (strcmp(name, "rill.mpi.stream") == 0) {
        return lua_pushliteral(L, "a distributed stream");
    }
    if (strcmp(name, "rill.neighbors") == 0) {
        return lua_pushliteral(L, "a neighbor search: its streams are n.indices, n.distances and n.starts");
    }
    if (strncmp(name, "rill.", 5) == 0) {
        return lua_pushstring(L, name + 5);
    }
    const int top = lua_gettop(L), count = (int)lua_rawlen(L, index);
    index = lua_absindex(L, index);
    lua_pushnil(L);
    if (count == 0 && lua_next(L, index) && lua_type(L, top + 1) == LUA_TSTRING) {
        lua_pushfstring(L, "table with the key '%s'", lua_tostring(L, top + 1));
        lua_replace(L, top + 1);
        lua_settop(L, top + 1);
        return lua_tostring(L, -1);
    }
    lua_settop(L, top);
    return lua_pushfstring(L, "table of %d", count);
}

const char *binding_key(lua_State *L, int index)
{
    return lua_type(L, index) == LUA_TSTRING ? lua_pushfstring(L, "'%s'", lua_tostring(L, index))
                                             : binding_describe(L, index);
}

const char *binding_describe(lua_State *L, int index)
{
    const Stream *stream = stream_handle_to(L, index);
    if (stream) {
        return describe_stream(L, stream);
    }
    if (expression_hooks_is_expression(L, index)) {
        lua_pushvalue(L, index);
        expression_hooks_call(L, "describe", 1, 1);
        return lua_tostring(L, -1);
    }
    switch (lua_type(L, index)) {
    case LUA_TNONE: return lua_pushliteral(L, "nothing");
    case LUA_TNUMBER: return describe_number(L, index);
    case LUA_TBOOLEAN: return lua_pushfstring(L, "boolean %s", lua_toboolean(L, index) ? "true" : "false");
    case LUA_TTABLE: return describe_table(L, index);
    case LUA_TUSERDATA: return describe_userdata(L, index);
    case LUA_TSTRING: {
        char text[48];
        const char *value = lua_tostring(L, index);
        snprintf(text, sizeof text, "string \"%.32s\"%s", value, strlen(value) > 32 ? "..." : "");
        return lua_pushstring(L, text);
    }
    default: return lua_pushstring(L, luaL_typename(L, index));
    }
}

const char *argument_path(lua_State *L, int index, const char *function, int n, const char *name)
{
    if (lua_type(L, index) != LUA_TSTRING) {
        binding_argument(L, function, n, name, index, "a path (a string)");
    }
    size_t length;
    const char *path = lua_tolstring(L, index, &length);
    if (strlen(path) != length) {
        binding_argument(L, function, n, name, index, "a path without zero bytes");
    }
    return path;
}

const char *argument_result_path(lua_State *L, int index, const char *function, int n, const char *extension)
{
    const char *path = argument_path(L, index, function, n, "path");
    if (!file_has_extension(path, extension)) {
        binding_argument(L, function, n, "path", index, lua_pushfstring(L, "a path that ends in .%s", extension));
    }
    return path;
}
