/* rill.struct, rill.type, and types as arguments. */
#include "binding/binding.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char struct_key;  /* the metatable */
static const char structs_key; /* name -> structure userdata: the last declared in this Lua state */

static const Type *struct_to(lua_State *L, int index)
{
    const Type **box = binding_userdata(L, index, &struct_key, sizeof *box);
    return box ? *box : NULL;
}

/* A structure of this Lua state by name; NULL when there is none. */
static const Type *struct_named(lua_State *L, const char *name)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &structs_key);
    lua_pushstring(L, name);
    lua_rawget(L, -2);
    const Type **box = lua_touserdata(L, -1);
    lua_pop(L, 2);
    return box ? *box : NULL;
}

const Type *type_check(lua_State *L, int index, const char *function, int n, const char *name)
{
    const Type *type = struct_to(L, index);
    if (!type && lua_type(L, index) == LUA_TSTRING) {
        type = struct_named(L, lua_tostring(L, index));
        type = type ? type : type_find(lua_tostring(L, index));
        if (!type) {
            binding_argument_error(L, function, n, name);
        }
    }
    if (!type) {
        binding_argument(L, function, n, name, index, "a type: a name as \"float\", or a structure");
    }
    return type;
}

/* The declaration text: "vec3 o; vec3 d; float tmax, tmin;". */
typedef struct Reader {
    const char *at;
    Field *fields;
    int count;
} Reader;

enum { FIELDS_MAX = 256 };

static void skip_space(Reader *r)
{
    while (isspace((unsigned char)*r->at)) {
        r->at++;
    }
}

static bool read_word(Reader *r, char word[64], const char *what)
{
    skip_space(r);
    size_t length = 0;
    while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_') {
        length++;
    }
    if (length == 0 || length > 63) {
        return error_set("expected the %s at \"%.20s\"", what, r->at);
    }
    memcpy(word, r->at, length);
    word[length] = '\0';
    r->at += length;
    skip_space(r);
    return true;
}

/* "type name [, name ...] ;" */
static bool read_line(lua_State *L, Reader *r)
{
    char word[64];
    if (!read_word(r, word, "type of a field")) {
        return false;
    }
    const Type *type = struct_named(L, word);
    type = type ? type : type_find(word);
    if (!type) {
        return false;
    }
    for (;;) {
        if (r->count == FIELDS_MAX) {
            return error_set("a structure has at most %d fields", FIELDS_MAX);
        }
        Field *field = &r->fields[r->count++];
        field->type = type;
        if (!read_word(r, field->name, "name of a field")) {
            return false;
        }
        if (*r->at != ',' && *r->at != ';' && *r->at) {
            return error_set("expected ';' after field '%s' at \"%.20s\"", field->name, r->at);
        }
        char mark = *r->at;
        r->at += mark != '\0';
        if (mark != ',') {
            skip_space(r);
            return true;
        }
    }
}

void struct_push(lua_State *L, const Type *type)
{
    const Type **box = lua_newuserdatauv(L, sizeof(Type *), 0);
    *box = type;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &struct_key);
    lua_setmetatable(L, -2);
}

static int rill_struct(lua_State *L)
{
    const char *function = "rill.struct";
    binding_count(L, function, 2, false);
    if (lua_type(L, 1) != LUA_TSTRING) {
        binding_argument(L, function, 1, "name", 1, "a name");
    }
    if (lua_type(L, 2) != LUA_TSTRING) {
        binding_argument(L, function, 2, "fields", 2, "a text as \"vec3 o; float t;\"");
    }
    Reader reader = {.at = lua_tostring(L, 2)};
    reader.fields = lua_newuserdatauv(L, FIELDS_MAX * sizeof(Field), 0);
    skip_space(&reader);
    while (*reader.at) {
        if (!read_line(L, &reader)) {
            binding_argument_error(L, function, 2, "fields");
        }
    }
    const Type *type = type_struct(lua_tostring(L, 1), reader.fields, reader.count);
    if (!type) {
        error_prefix("%s", function);
        binding_raise(L);
    }
    struct_push(L, type);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &structs_key);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, -3);
    lua_rawset(L, -3);
    lua_pop(L, 1);
    return 1;
}

static void push_fields(lua_State *L, const Type *type)
{
    lua_createtable(L, type->field_count, 0);
    for (int f = 0; f < type->field_count; f++) {
        lua_createtable(L, 0, 3);
        lua_pushstring(L, type->fields[f].name);
        lua_setfield(L, -2, "name");
        lua_pushstring(L, type->fields[f].type->name);
        lua_setfield(L, -2, "type");
        lua_pushinteger(L, type->fields[f].offset);
        lua_setfield(L, -2, "offset");
        lua_rawseti(L, -2, f + 1);
    }
}

static const Type *struct_check(lua_State *L, int index)
{
    const Type *type = struct_to(L, index);
    if (!type) {
        luaL_error(L, "expected a structure, got %s", binding_describe(L, index));
    }
    return type;
}

static int struct_index(lua_State *L)
{
    const Type *type = struct_check(L, 1);
    const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    if (strcmp(key, "name") == 0) {
        lua_pushstring(L, type->name);
    } else if (strcmp(key, "nbytes") == 0) {
        lua_pushinteger(L, type->bytes);
    } else if (strcmp(key, "fields") == 0) {
        push_fields(L, type);
    } else {
        return luaL_error(L, "a structure has no field %s (it has name fields nbytes)", binding_key(L, 2));
    }
    return 1;
}

static int struct_tostring(lua_State *L)
{
    const Type *type = struct_check(L, 1);
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    luaL_addstring(&text, "struct ");
    luaL_addstring(&text, type->name);
    luaL_addstring(&text, " {");
    for (int f = 0; f < type->field_count; f++) {
        luaL_addstring(&text, " ");
        luaL_addstring(&text, type->fields[f].type->name);
        luaL_addstring(&text, " ");
        luaL_addstring(&text, type->fields[f].name);
        luaL_addstring(&text, ";");
    }
    luaL_addstring(&text, " }");
    luaL_pushresult(&text);
    return 1;
}

static int struct_eq(lua_State *L)
{
    lua_pushboolean(L, struct_to(L, 1) && struct_to(L, 1) == struct_to(L, 2));
    return 1;
}

/* rill.type(v): metatables of rill's userdata carry __name "rill.<type>". */
static int rill_type(lua_State *L)
{
    static const char *const types[] = {"stream", "expression", "kernel", "struct", "device"};
    luaL_checkany(L, 1);
    if ((lua_type(L, 1) == LUA_TUSERDATA || expression_is(L, 1)) && luaL_getmetafield(L, 1, "__name") == LUA_TSTRING) {
        const char *name = lua_tostring(L, -1);
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            if (strncmp(name, "rill.", 5) == 0 && strcmp(name + 5, types[i]) == 0) {
                lua_pushstring(L, types[i]);
                return 1;
            }
        }
    }
    lua_pushnil(L);
    return 1;
}

void open_type(lua_State *L)
{
    static const luaL_Reg meta[] = {
        {"__index", struct_index},
        {"__tostring", struct_tostring},
        {"__eq", struct_eq},
        {"__close", binding_close_nothing},
        {NULL, NULL},
    };
    luaL_newlib(L, meta);
    lua_pushliteral(L, "rill.struct");
    lua_setfield(L, -2, "__name");
    lua_pushliteral(L, "rill.struct");
    lua_setfield(L, -2, "__metatable");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &struct_key);
    lua_newtable(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &structs_key);
    lua_pushcfunction(L, rill_struct);
    lua_setfield(L, -2, "struct");
    lua_pushcfunction(L, rill_type);
    lua_setfield(L, -2, "type");
}
