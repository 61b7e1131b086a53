/* rill.struct, rill.type, and types as arguments. */
#include "binding/binding.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char struct_key; /* the metatable */
/* Tables of this Lua state. A box is the userdata of a structure type; there is one per type. */
static const char boxes_key;  /* address of a type -> its box; weak */
static const char names_key;  /* name -> the box declared last under that name; weak */
static const char recent_key; /* name -> box; keeps the boxes of recently used names alive */
static const char older_key;  /* the previous table of recent_key */

/* The largest number of names in recent_key. */
enum { NAMES_KEPT = 256 };

static const Type *struct_to(lua_State *L, int index)
{
    const Type **box = binding_userdata(L, index, &struct_key, sizeof *box);
    return box ? *box : NULL;
}

/* Marks a name as used: keeps the box on top of the stack alive under the name below it. Pops both. */
static void hold_name(lua_State *L)
{
    State *state = state_get(L);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &recent_key);
    lua_pushvalue(L, -3);
    bool known = lua_rawget(L, -2) != LUA_TNIL;
    lua_pop(L, 1);
    if (!known && state->names == NAMES_KEPT) {
        lua_rawsetp(L, LUA_REGISTRYINDEX, &older_key);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &recent_key);
        state->names = 0;
    }
    lua_insert(L, -3);
    lua_rawset(L, -3);
    lua_pop(L, 1);
    state->names += !known;
}

/* Pushes the box of the structure called `name` in this Lua state. Returns false and pushes nothing if there is
 * none. */
static bool struct_named(lua_State *L, const char *name)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &names_key);
    lua_pushstring(L, name);
    if (lua_rawget(L, -2) == LUA_TNIL) {
        lua_pop(L, 2);
        return false;
    }
    lua_replace(L, -2);
    lua_pushstring(L, name);
    lua_pushvalue(L, -2);
    hold_name(L);
    return true;
}

/* Replaces the recorded message that no type has this name, if the name is like that of a structure. */
static void explain_structure(const char *name)
{
    char first[2] = {(char)tolower((unsigned char)*name), '\0'};
    char lower[64];
    snprintf(lower, sizeof lower, "%s%s", first, *name ? name + 1 : "");
    if (isupper((unsigned char)*name) && !type_find(lower)) { /* not Float */
        error_set("unknown type '%.64s': a structure of a kernel text is passed itself, not its name: it is the field "
                  "%.64s of the result of rill.program",
                  name, name);
    }
}

const Type *type_check(lua_State *L, int index, const char *function, int n, const char *name)
{
    index = lua_absindex(L, index);
    const Type *type = struct_to(L, index);
    if (!type && lua_type(L, index) == LUA_TSTRING) {
        if (struct_named(L, lua_tostring(L, index))) {
            lua_replace(L, index);
            return struct_to(L, index);
        }
        type = type_find(lua_tostring(L, index));
        if (!type) {
            explain_structure(lua_tostring(L, index));
            binding_argument_error(L, function, n, name);
        }
    }
    if (!type) {
        binding_argument(L, function, n, name, index,
                         lua_istable(L, index) && lua_rawlen(L, index) > 0
                             ? "a type: a name as \"float\", or a structure (rill.from makes a stream of a table)"
                             : "a type: a name as \"float\", or a structure");
    }
    return type;
}

/* A table on the stack that keeps the structure types of fields alive. */
typedef struct FieldTypes {
    lua_State *L;
    int kept, count;
} FieldTypes;

static const Type *find_field_type(void *context, const char *name)
{
    FieldTypes *types = context;
    if (!struct_named(types->L, name)) {
        return type_find(name);
    }
    const Type *type = struct_to(types->L, -1);
    lua_rawseti(types->L, types->kept, ++types->count);
    return type;
}

/* Pushes an empty box. */
static const Type **push_box(lua_State *L)
{
    const Type **box = lua_newuserdatauv(L, sizeof(Type *), 0);
    *box = NULL;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &struct_key);
    lua_setmetatable(L, -2);
    return box;
}

void type_push_struct(lua_State *L, const Type *type)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &boxes_key);
    if (lua_rawgetp(L, -1, type) == LUA_TNIL) {
        lua_pop(L, 1);
        *push_box(L) = type_retain(type);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, -3, type);
    }
    lua_replace(L, -2);
}

static int struct_gc(lua_State *L)
{
    const Type **box = binding_finalized(L, &struct_key, sizeof *box);
    if (box) {
        type_release(*box);
        *box = NULL;
    }
    return 0;
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
    Field *fields = lua_newuserdatauv(L, TYPE_MAX_FIELDS * sizeof *fields, 0);
    lua_newtable(L);
    FieldTypes types = {.L = L, .kept = lua_gettop(L)};
    int count = type_parse_fields(lua_tostring(L, 2), fields, find_field_type, &types);
    if (count < 0) {
        binding_argument_error(L, function, 2, "fields");
    }
    const Type **made = push_box(L);
    *made = type_struct(lua_tostring(L, 1), fields, count);
    if (!*made) {
        error_prefix("%s", function);
        binding_raise(L);
    }
    type_push_struct(L, *made);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &names_key);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, -3);
    lua_rawset(L, -3);
    lua_pop(L, 1);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, -2);
    hold_name(L);
    return 1;
}

const char *type_push_names(lua_State *L, const Type *type, const char *end)
{
    enum { MOST = 8 };
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    for (int f = 0; f < type->field_count && f < MOST; f++) {
        luaL_addstring(&text, f ? ", " : "");
        luaL_addstring(&text, type->fields[f].name);
        luaL_addstring(&text, end);
    }
    luaL_addstring(&text, type->field_count > MOST ? ", ..." : "");
    luaL_pushresult(&text);
    return lua_tostring(L, -1);
}

static void push_fields(lua_State *L, const Type *type)
{
    lua_createtable(L, type->field_count, 0);
    for (int f = 0; f < type->field_count; f++) {
        lua_createtable(L, 0, 3);
        fields_string(L, "name", type->fields[f].name);
        fields_string(L, "type", type->fields[f].type->name);
        fields_integer(L, "offset", type->fields[f].offset);
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

void type_add_declaration(luaL_Buffer *text, const Type *type)
{
    luaL_addstring(text, "struct ");
    luaL_addstring(text, type->name);
    luaL_addstring(text, " {");
    for (int f = 0; f < type->field_count; f++) {
        luaL_addstring(text, " ");
        luaL_addstring(text, type->fields[f].type->name);
        luaL_addstring(text, " ");
        luaL_addstring(text, type->fields[f].name);
        luaL_addstring(text, ";");
    }
    luaL_addstring(text, " }");
}

static int struct_tostring(lua_State *L)
{
    const Type *type = struct_check(L, 1);
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    type_add_declaration(&text, type);
    luaL_pushresult(&text);
    return 1;
}

static int struct_eq(lua_State *L)
{
    lua_pushboolean(L, struct_to(L, 1) && struct_to(L, 1) == struct_to(L, 2));
    return 1;
}

/* rill.type(v): returns the type name after "rill." in the __name of the metatable. Expressions and the last TABLES
 * types are Lua tables, the others are userdata. */
static int rill_type(lua_State *L)
{
    static const char *const types[] = {
        "stream",        "expression", "kernel",    "struct",    "device",    "translator", "container", "range",
        "snapshot",      "matrix",     "factors",   "hierarchy", "fluid",     "particles",  "wave",      "heat",
        "cloth",         "nbody",      "optimizer", "mesh",      "tree",      "scene",      "big",       "mpi.stream",
        "mpi.particles", "mpi.smoke",  "mpi.sph",   "frame",     "neighbors", "view",       "control"};
    enum { TYPES = sizeof types / sizeof *types, TABLES = 22 };
    if (lua_isnone(L, 1)) {
        binding_argument(L, "rill.type", 1, "value", 1, "a value");
    }
    bool table = lua_type(L, 1) == LUA_TTABLE && !expression_hooks_is_expression(L, 1);
    if ((table || lua_type(L, 1) == LUA_TUSERDATA || expression_hooks_is_expression(L, 1)) &&
        luaL_getmetafield(L, 1, "__name") == LUA_TSTRING) {
        const char *name = lua_tostring(L, -1);
        for (size_t i = table ? TYPES - TABLES : 0; i < TYPES; i++) {
            if (strncmp(name, "rill.", 5) == 0 && strcmp(name + 5, types[i]) == 0) {
                lua_pushstring(L, types[i]);
                return 1;
            }
        }
    }
    lua_pushnil(L);
    return 1;
}

/* Pushes a table with weak values. */
static void push_weak(lua_State *L)
{
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    fields_string(L, "__mode", "v");
    lua_setmetatable(L, -2);
}

static void push_row(lua_State *L, const Type *type)
{
    lua_createtable(L, 0, 5);
    fields_string(L, "name", type->name);
    fields_string(L, "scalar", type_of(type->scalar, 1)->name);
    fields_integer(L, "components", type->components);
    fields_integer(L, "bytes", type->bytes);
    fields_string(L, "seen", type->value->name);
}

/* Pushes _types: the built-in types by name, {name=, scalar=, components=, bytes= per element, seen= type in
 * kernels}. */
static void push_types(lua_State *L)
{
    lua_newtable(L);
    for (int i = 0; type_at(i); i++) {
        push_row(L, type_at(i));
        lua_setfield(L, -2, type_at(i)->name);
    }
}

void open_type(lua_State *L)
{
    static const luaL_Reg meta[] = {
        {"__index", struct_index}, {"__tostring", struct_tostring},    {"__eq", struct_eq},
        {"__gc", struct_gc},       {"__close", binding_close_nothing}, {NULL, NULL},
    };
    luaL_newlib(L, meta);
    fields_string(L, "__name", "rill.struct");
    fields_string(L, "__metatable", "rill.struct");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &struct_key);
    push_weak(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &boxes_key);
    push_weak(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &names_key);
    lua_newtable(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &recent_key);
    fields_function(L, "struct", rill_struct);
    fields_function(L, "type", rill_type);
    push_types(L);
    lua_setfield(L, -2, "_types");
}
