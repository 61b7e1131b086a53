/* rill.array, rill.sparse, rill.physical and rill.virtual. */
#include "binding/containers/lua_translator.h"
#include "binding/streams/container_handle.h"

#include <string.h>

/* rill.physical(type, shape): memory of buffer storage is a stream. */
static int rill_physical(lua_State *L)
{
    static const char function[] = "rill.physical";
    Shape shape;
    binding_count(L, function, 2, false);
    const Type *type = type_check(L, 1, function, 1, "type");
    shape_check_arg(L, 2, function, 2, "shape", &shape);
    create_stream(L, type, &shape, function);
    return 1;
}

/* Option `default` of the table at `options`, as an element of a type; zeros where it is left out. */
static void option_default(lua_State *L, int options, const char *function, const Type *type, char *element)
{
    memset(element, 0, TYPE_MAX_BYTES);
    if (lua_getfield(L, options, "default") != LUA_TNIL && !value_pack_splat(L, lua_gettop(L), type, element)) {
        binding_argument_error(L, function, options, "default");
    }
    lua_pop(L, 1);
}

/* rill.virtual(translator, physical [, {default=}]) */
static int rill_virtual(lua_State *L)
{
    static const char function[] = "rill.virtual";
    static const char *const names[] = {"default", NULL};
    char fallback[TYPE_MAX_BYTES] = {0};
    binding_count(L, function, 3, false);
    lua_settop(L, 3);
    Translator *t = translator_check(L, 1, function, 1, "translator");
    const Stream *memory = accept_check(L, 2, function, 2, "physical");
    if (!lua_isnil(L, 3)) {
        if (!binding_is_options(L, 3)) {
            binding_argument(L, function, 3, "options", 3, "a table like {default = 0}");
        }
        binding_known(L, 3, function, names);
        option_default(L, 3, function, memory->type, fallback);
    }
    LuaContainer *self = container_push(L);
    Device *device = memory->device;
    DeviceScope scope;
    binding_enter(L, device, &scope);
    Container *c = container_create(t, memory, fallback);
    device_leave(&scope);
    container_take(L, self, c, function);
    return 1;
}

static bool make_array(Device *device, const Type *type, const Shape *shape, Container **made)
{
    Stream memory;
    Translator *t = translator_linear(shape);
    bool done = t && stream_create(device, type, &(Shape){1, {shape_elements(shape)}}, true, &memory);
    if (done) {
        *made = container_create(t, &memory, NULL);
        done = *made != NULL;
        stream_release(&memory);
    }
    translator_release(t);
    return done;
}

/* rill.array(type, shape): dense, zeros at first. */
static int rill_array(lua_State *L)
{
    static const char function[] = "rill.array";
    Shape shape;
    binding_count(L, function, 2, false);
    const Type *type = type_check(L, 1, function, 1, "type");
    shape_check_arg(L, 2, function, 2, "shape", &shape);
    LuaContainer *self = container_push(L);
    Device *device = state_device(L);
    Container *c = NULL;
    DeviceScope scope;
    binding_enter(L, device, &scope);
    bool done = make_array(device, type, &shape, &c);
    device_leave(&scope);
    container_take(L, self, done ? c : NULL, function);
    return 1;
}

/* A whole number from 1 under a name, 0 where it is left out. */
static int64_t option_count(lua_State *L, int options, const char *function, const char *name, int64_t most)
{
    lua_Integer value = 0;
    if (lua_getfield(L, options, name) != LUA_TNIL) {
        value = binding_integer(L, -1, function, options, name);
        if (value < 1 || value > most) {
            luaL_error(L, "%s: option '%s': expected 1 .. %I, got %I", function, name, (LUAI_UACINT)most,
                       (LUAI_UACINT)value);
        }
    }
    lua_pop(L, 1);
    return value;
}

/* rill.sparse(type, shape, {page=, levels=, default=, capacity=}) */
static int rill_sparse(lua_State *L)
{
    static const char function[] = "rill.sparse";
    static const char *const names[] = {"page", "levels", "default", "capacity", NULL};
    enum { MOST_LEVELS = 8 };
    char fallback[TYPE_MAX_BYTES];
    Shape shape, page;
    binding_count(L, function, 3, false);
    lua_settop(L, 3);
    const Type *type = type_check(L, 1, function, 1, "type");
    shape_check_sizes(L, 2, function, 2, "shape", &shape);
    if (!binding_is_options(L, 3)) {
        binding_argument(L, function, 3, "options", 3, "a table like {page = {8, 8, 8}}");
    }
    binding_known(L, 3, function, names);
    lua_getfield(L, 3, "page");
    shape_check_sizes(L, lua_gettop(L), function, 3, "page", &page);
    lua_pop(L, 1);
    option_default(L, 3, function, type, fallback);
    int levels = (int)option_count(L, 3, function, "levels", MOST_LEVELS);
    int64_t capacity = option_count(L, 3, function, "capacity", SHAPE_MAX_ELEMENTS);
    LuaContainer *self = container_push(L);
    Device *device = state_device(L);
    DeviceScope scope;
    binding_enter(L, device, &scope);
    Container *c = container_sparse(device, type, &shape, &page, levels, capacity, fallback);
    device_leave(&scope);
    container_take(L, self, c, function);
    return 1;
}

void open_container_make(lua_State *L)
{
    static const luaL_Reg functions[] = {{"physical", rill_physical},
                                         {"virtual", rill_virtual},
                                         {"array", rill_array},
                                         {"sparse", rill_sparse},
                                         {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
