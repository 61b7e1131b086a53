/* The metatable of streams: fields, s[i], #s, close, and the texts of elements for tostring. */
#include "binding/binding.h"
#include "kernel/host/packed.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIELD_TYPE = 1, FIELD_SHAPE, FIELD_SIZE, FIELD_NBYTES };

/* _method(name [, function]): adds a method written in Lua. Without a function, returns the method of that name, or
 * nil. */
static int rill_method(lua_State *L)
{
    luaL_checkstring(L, 1);
    lua_settop(L, 2);
    stream_handle_members(L);
    lua_insert(L, 1);
    if (lua_isnil(L, 3)) {
        lua_settop(L, 2);
        lua_rawget(L, 1);
        return 1;
    }
    luaL_checktype(L, 3, LUA_TFUNCTION);
    lua_rawset(L, 1);
    return 0;
}

static int push_field(lua_State *L, lua_Integer field)
{
    Stream *s = accept_header(L, 1, lua_pushfstring(L, "s.%s", lua_tostring(L, 2)), 0, "s");
    if (field != FIELD_TYPE) {
        accept_settled(L, s);
    }
    switch (field) {
    case FIELD_TYPE: lua_pushstring(L, s->type->name); break;
    case FIELD_SHAPE: shape_push(L, &s->shape); break;
    case FIELD_SIZE: lua_pushinteger(L, stream_elements(s)); break;
    default: lua_pushinteger(L, (lua_Integer)stream_bytes(s)); break;
    }
    return 1;
}

/* s[key]. Upvalue 1 is the table of members. */
static int stream_index(lua_State *L)
{
    if (lua_type(L, 2) == LUA_TNUMBER) {
        return element_at(L);
    }
    lua_pushvalue(L, 2);
    int kind = lua_rawget(L, lua_upvalueindex(1));
    if (kind == LUA_TNUMBER) {
        return push_field(L, lua_tointeger(L, -1));
    }
    if (stream_handle_to(L, 2) || expression_hooks_is_expression(L, 2)) {
        return luaL_error(
            L,
            "s[i]: expected a whole number, got %s; x:filter(mask) gives the elements where a mask holds, "
            "rill.gather(x, i) those at the indices i",
            binding_describe(L, 2));
    }
    if (kind == LUA_TNIL && !fields_component(L)) {
        const Stream *s = stream_handle_to(L, 1);
        const char *hint = lua_istable(L, 2)
                               ? ": s:get(i, j, ...) reads one element, s:domain a box, and s:select several"
                               : binding_hint(L, "s", 2);
        if (s && s->device && s->type->is_struct) {
            return luaL_error(L, "a stream has no field or method %s%s; the fields of %s are %s", binding_key(L, 2),
                              hint, s->type->name, type_push_names(L, s->type, ""));
        }
        return luaL_error(L, "a stream has no field or method %s%s", binding_key(L, 2), hint);
    }
    return 1;
}

static int stream_length(lua_State *L)
{
    lua_pushinteger(L, stream_elements(accept_shaped(L, 1, "#", 0, "s")));
    return 1;
}

static int stream_close(lua_State *L)
{
    Stream *stream = stream_handle_to(L, 1);
    if (!stream) {
        binding_argument(L, "s:close", 0, "s", 1, "a stream");
    }
    if (!binding_park(L, 1)) {
        stream_handle_drop(stream);
    }
    return 0;
}

/* __gc: releases the stream at once, since an unreachable userdata is not in use. */
static int stream_gc(lua_State *L)
{
    Stream *stream = stream_handle_finalized(L);
    if (stream) {
        stream_handle_drop(stream);
    }
    return 0;
}

static int compare_error(lua_State *L)
{
    for (int i = 1; i <= 2; i++) {
        const Stream *s = stream_handle_to(L, i);
        if (s) {
            record_refuse(L, s, "<", 0, NULL);
        }
    }
    return luaL_error(L, "streams are compared element by element with the methods s:lt(t), s:le(t), s:gt(t), s:ge(t), "
                         "not with < or <=");
}

/* Adds the text of a component. `digits` is the number of significant digits of floats, or 0 for the default of the
 * type. */
static void add_component(lua_State *L, luaL_Buffer *text, Scalar scalar, const char *from, int digits)
{
    char part[48];
    int precision = digits ? digits : scalar == SCALAR_DOUBLE ? 14 : 7;
    value_push_scalar(L, scalar, from);
    if (lua_isboolean(L, -1)) {
        snprintf(part, sizeof part, "%s", lua_toboolean(L, -1) ? "true" : "false");
    } else if (lua_isinteger(L, -1)) {
        snprintf(part, sizeof part, "%" PRId64, (int64_t)lua_tointeger(L, -1));
    } else if (isnan(lua_tonumber(L, -1))) { /* printf would show the sign of NaN */
        snprintf(part, sizeof part, "nan");
    } else {
        snprintf(part, sizeof part, "%.*g", precision, lua_tonumber(L, -1));
    }
    lua_pop(L, 1);
    luaL_addstring(text, part);
}

static void add_element(lua_State *L, luaL_Buffer *text, const Type *type, const char *from, int digits)
{
    bool many = type->components > 1 || type->is_struct;
    int parts = type->is_struct ? type->field_count : type->components;
    luaL_addstring(text, many ? "{" : "");
    for (int k = 0; k < parts; k++) {
        luaL_addstring(text, k ? ", " : "");
        if (type->is_struct) {
            luaL_addstring(text, type->fields[k].name);
            luaL_addstring(text, "=");
            add_element(L, text, type->fields[k].type, from + type->fields[k].offset, digits);
        } else {
            add_component(L, text, type->scalar, from + k * (type->bytes / type->components), digits);
        }
    }
    luaL_addstring(text, many ? "}" : "");
}

/* _element_texts(s, digits): returns the texts of all elements as a flat table. `digits` is the number of significant
 * digits of floats, or 0 for the default of the type. */
static int rill_element_texts(lua_State *L)
{
    const Stream *s = accept_check(L, 1, "tostring", 0, "s");
    int digits = (int)luaL_checkinteger(L, 2);
    int64_t count = stream_elements(s);
    char *bytes = lua_newuserdatauv(L, (size_t)stream_bytes(s), 0);
    binding_run(L, s->device, "tostring", packed_download(s, bytes));
    lua_createtable(L, (int)count, 0);
    for (int64_t i = 0; i < count; i++) {
        luaL_Buffer text;
        luaL_buffinit(L, &text);
        add_element(L, &text, s->type, bytes + i * s->type->bytes, digits);
        luaL_pushresult(&text);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

void open_stream(lua_State *L)
{
    static const luaL_Reg meta[] = {
        {"__len", stream_length}, {"__gc", stream_gc},         {"__close", stream_close}, {"__lt", compare_error},
        {"__le", compare_error},  {"__newindex", element_set}, {"__pairs", each_pairs},   {NULL, NULL},
    };
    static const struct {
        const char *name;
        int field;
    } fields[] = {{"type", FIELD_TYPE}, {"shape", FIELD_SHAPE}, {"size", FIELD_SIZE}, {"nbytes", FIELD_NBYTES}};
    static const luaL_Reg methods[] = {{"close", stream_close}, {NULL, NULL}};
    stream_handle_metatable(L);
    luaL_setfuncs(L, meta, 0);
    fields_string(L, "__name", "rill.stream");
    fields_string(L, "__metatable", "rill.stream");
    stream_handle_members(L);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        fields_integer(L, fields[i].name, fields[i].field);
    }
    stream_handle_methods(L, methods);
    lua_pushcclosure(L, stream_index, 1);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
    fields_function(L, "_method", rill_method);
    fields_function(L, "_element_texts", rill_element_texts);
    stream_handle_metatable(L);
    fields_setter(L,
                  "_metamethod"); /* "__field" is called for unknown fields, and returns nil if it does not know them;
                                   * "__setfield" is called for assignments, and returns whether it knows the field */
}
