/* Creates streams: rill.stream, from, iota, iter; s:copy, cast, like. */
#include "binding/binding.h"
#include "kernel/host/packed.h"

#include <inttypes.h>
#include <string.h>

static Stream *make(lua_State *L, const Type *type, const Shape *shape, bool zero, const char *function)
{
    Device *device = state_device(L);
    Stream *s = stream_handle_push(L);
    binding_make(L, device, function, stream_create(device, type, shape, zero, s));
    return s;
}

Stream *create_stream(lua_State *L, const Type *type, const Shape *shape, const char *function)
{
    return make(L, type, shape, true, function);
}

/* Pushes a new stream with packed elements from host memory. */
static Stream *make_of(lua_State *L, const Type *type, const Shape *shape, const void *bytes, const char *function)
{
    Stream *s = make(L, type, shape, false, function);
    binding_run(L, s->device, function, packed_upload(s, bytes));
    return s;
}

Stream *create_from_table(lua_State *L, int index, const Type *type, const char *function, int n, const char *name)
{
    Shape shape;
    index = lua_absindex(L, index);
    if (!type) {
        int top = lua_gettop(L);
        lua_pushvalue(L, index);
        while (lua_istable(L, -1) && lua_rawlen(L, -1) > 0 && lua_gettop(L) < top + SHAPE_MAX_RANK + 2) {
            lua_rawgeti(L, -1, 1);
        }
        type = type_of(lua_isboolean(L, -1) ? SCALAR_BOOL : SCALAR_FLOAT, 1);
        lua_settop(L, top);
    }
    if (!table_shape(L, index, type, &shape)) {
        binding_argument_error(L, function, n, name);
    }
    void *bytes = scratch_push(L, (size_t)shape_elements(&shape) * (size_t)type->bytes);
    int scratch = lua_gettop(L);
    if (!table_pack(L, index, type, &shape, bytes)) {
        binding_argument_error(L, function, n, name);
    }
    Stream *s = make_of(L, type, &shape, bytes, function);
    scratch_free(L, scratch);
    lua_remove(L, scratch);
    return s;
}

/* Packs the results of the function at stack index `init`, which is called for each element with its 1-based
 * indices. */
static bool pack_function(lua_State *L, int init, const Type *type, const Shape *shape, char *to)
{
    int64_t index[SHAPE_MAX_RANK] = {0};
    int64_t count = shape_elements(shape);
    int top = lua_gettop(L);
    luaL_checkstack(L, SHAPE_MAX_RANK + 8, NULL);
    for (int64_t e = 0; e < count; e++, to += type->bytes) {
        lua_pushvalue(L, init);
        for (int d = 0; d < shape->rank; d++) {
            lua_pushinteger(L, index[d] + 1);
        }
        lua_call(L, shape->rank, LUA_MULTRET);
        int results = lua_gettop(L) - top;
        bool good = results == 1 ? value_pack(L, top + 1, type, to) : results == type->components;
        for (int c = 0; c < results && good && results > 1; c++) {
            Scalar scalar;
            int offset;
            type_component(type, c, &scalar, &offset);
            good = value_pack_scalar(L, top + 1 + c, scalar, to + offset);
        }
        if (!good && results != 1 && results != type->components) {
            error_set("returned %d values for %s", results, type->name);
        }
        if (!good) {
            return error_prefix("the function called for element %" PRId64, e + 1);
        }
        lua_settop(L, top);
        for (int d = shape->rank - 1; d >= 0 && ++index[d] == shape->size[d]; d--) {
            index[d] = 0;
        }
    }
    return true;
}

static bool has_entries(lua_State *L, int index)
{
    lua_pushnil(L);
    if (lua_next(L, index) == 0) {
        return false;
    }
    lua_pop(L, 2);
    return true;
}

/* Returns whether the value is one element for all: a number, boolean, vector or structure. */
static bool is_constant(lua_State *L, int index, const Type *type, const Shape *shape)
{
    if (!lua_istable(L, index)) {
        return lua_type(L, index) == LUA_TNUMBER || lua_type(L, index) == LUA_TBOOLEAN;
    }
    int kind = lua_rawgeti(L, index, 1);
    lua_pop(L, 1);
    if (type->is_struct) {
        return kind == LUA_TNIL && (shape_elements(shape) > 0 || has_entries(L, index));
    }
    return type->components > 1 && kind != LUA_TTABLE && lua_rawlen(L, index) == (lua_Unsigned)type->components;
}

/* Fills the stream on top of the stack with the constant at stack index `init`. */
static void fill_with(lua_State *L, int init)
{
    lua_getfield(L, -1, "fill");
    lua_pushvalue(L, -2);
    lua_pushvalue(L, init);
    lua_call(L, 2, 0);
}

static int rill_stream(lua_State *L)
{
    const char *function = "rill.stream";
    Shape shape;
    binding_count(L, function, 3, false);
    const Type *type = type_check(L, 1, function, 1, "type");
    shape_check_arg(L, 2, function, 2, "shape", &shape);
    size_t size = (size_t)shape_elements(&shape) * (size_t)type->bytes;
    int kind = lua_type(L, 3);
    if (kind == LUA_TNONE || kind == LUA_TNIL) {
        make(L, type, &shape, true, function);
        return 1;
    }
    if (kind == LUA_TSTRING) {
        size_t length;
        const char *bytes = lua_tolstring(L, 3, &length);
        if (length != size) {
            return luaL_error(L, "%s: argument #3 'init': expected a binary string of %I bytes, got one of %I",
                              function, (lua_Integer)size, (lua_Integer)length);
        }
        make_of(L, type, &shape, bytes, function);
        return 1;
    }
    if (is_constant(L, 3, type, &shape)) {
        char element[TYPE_MAX_BYTES];
        if (!value_pack_splat(L, 3, type, element)) {
            binding_argument_error(L, function, 3, "init");
        }
        make(L, type, &shape, false, function);
        fill_with(L, 3);
        return 1;
    }
    if (kind != LUA_TTABLE && kind != LUA_TFUNCTION) {
        binding_argument(L, function, 3, "init", 3,
                         "a value for every element, a table, a binary string or a function");
    }
    char *bytes = scratch_push(L, size);
    bool good = kind == LUA_TTABLE ? table_pack(L, 3, type, &shape, bytes) : pack_function(L, 3, type, &shape, bytes);
    if (!good) {
        binding_argument_error(L, function, 3, "init");
    }
    make_of(L, type, &shape, bytes, function);
    scratch_free(L, 4);
    return 1;
}

/* _from(function, name, n, table, type): returns rill.from(table, type). Errors name argument n of a function, or its
 * option if n is 0. */
static int rill_from_named(lua_State *L)
{
    const char *function = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2);
    int n = (int)luaL_checkinteger(L, 3);
    const Type *type = lua_isnoneornil(L, 5) ? NULL : type_check(L, 5, function, n, "type");
    create_from_table(L, 4, type, function, n ? n : BINDING_OPTION, name);
    return 1;
}

static int rill_from(lua_State *L)
{
    binding_count(L, "rill.from", 2, false);
    const Type *type = lua_isnoneornil(L, 2) ? NULL : type_check(L, 2, "rill.from", 2, "type");
    if (!lua_istable(L, 1) || expression_hooks_is_expression(L, 1)) {
        bool computed = expression_hooks_is_expression(L, 1);
        binding_argument(L, "rill.from", 1, "table", 1,
                         computed ? "a nested table (e:eval() makes a stream of an expression)" : "a nested table");
    }
    create_from_table(L, 1, type, "rill.from", 1, "table");
    return 1;
}

/* Pushes a contiguous copy, converted to `type`; if `type` is NULL the type is kept. */
static int push_copy(lua_State *L, const Stream *s, const Type *type, const char *function)
{
    Stream *result = stream_handle_push(L);
    binding_make(L, s->device, function, packed_copy(s, type, result));
    return 1;
}

static int rill_iota(lua_State *L)
{
    Shape shape;
    double from[4] = {0}, to[4];
    binding_count(L, "rill.iota", 1, false);
    shape_check_arg(L, 1, "rill.iota", 1, "shape", &shape);
    to[0] = (double)shape_elements(&shape);
    Device *device = state_device(L);
    Stream *ramp = stream_handle_push(L);
    if (!stream_ramp(device, type_of(SCALAR_INT, 1), &shape, from, to, ramp)) {
        error_prefix("rill.iota");
        binding_raise(L);
    }
    return push_copy(L, ramp, NULL, "rill.iota");
}

/* Reads one end of a ramp: a number for all components, or a vector. */
static void ramp_end(lua_State *L, int index, const Type *type, const char *name, double *end)
{
    const Type *wide = type_of(SCALAR_DOUBLE, type->is_struct ? 1 : type->components);
    if (!value_pack_splat(L, index, wide, end)) {
        binding_argument_error(L, "rill.iter", index, name);
    }
}

static int rill_iter(lua_State *L)
{
    Shape shape;
    double from[4] = {0}, to[4] = {0};
    binding_count(L, "rill.iter", 4, false);
    const Type *type = type_check(L, 1, "rill.iter", 1, "type");
    shape_check_arg(L, 2, "rill.iter", 2, "shape", &shape);
    ramp_end(L, 3, type, "from", from);
    ramp_end(L, 4, type, "to", to);
    Device *device = state_device(L);
    if (!stream_ramp(device, type, &shape, from, to, stream_handle_push(L))) {
        error_prefix("rill.iter");
        binding_raise(L);
    }
    return 1;
}

static int stream_copy(lua_State *L)
{
    const Stream *s = accept_self(L, "s:copy", 1);
    push_copy(L, s, NULL, "s:copy");
    stream_inherit(stream_handle_to(L, -1), s);
    if (stream_has_indices(s)) {
        stream_set_indices(stream_handle_to(L, -1));
    }
    return 1;
}

/* s:eval(): returns the stream itself, so that code which accepts expressions need not test. Its length may be known
 * only to the device. */
static int stream_eval(lua_State *L)
{
    accept_header(L, 1, "s:eval", 0, "s");
    binding_count(L, "s:eval", 1, true);
    return 1;
}

static int cast_of(lua_State *L, const Stream *s, const char *function)
{
    push_copy(L, s, type_check(L, 2, function, 1, "type"), function);
    stream_inherit(stream_handle_to(L, -1), s);
    return 1;
}

static int stream_cast(lua_State *L)
{
    return cast_of(L, accept_self(L, "s:cast", 2), "s:cast");
}

/* _cast(s, type, function): s:cast for a function. */
static int rill_cast(lua_State *L)
{
    const char *function = luaL_checkstring(L, 3);
    return cast_of(L, accept_open(L, 1, function, 0, "s"), function);
}

static int stream_like(lua_State *L)
{
    const Stream *s = accept_shaped(L, 1, "s:like", 0, "s");
    binding_count(L, "s:like", 2, true);
    const Type *type = lua_isnoneornil(L, 2) ? s->type : type_check(L, 2, "s:like", 1, "type");
    make(L, type, &s->shape, true, "s:like");
    stream_inherit(stream_handle_to(L, -1), s);
    return 1;
}

/* _sized(s, shape): returns a new, undefined stream with the type of s, which may be a structure type that has no name
 * in this Lua state. */
static int rill_sized(lua_State *L)
{
    Shape shape;
    const Stream *s = accept_shaped(L, 1, "rill.concat", 1, "list");
    shape_check_arg(L, 2, "rill.concat", 1, "list", &shape);
    make(L, s->type, &shape, false, "rill.concat");
    return 1;
}

/* _checked_shape(function, name, n, shape): returns a shape. Errors name argument n of the function. */
static int rill_checked_shape(lua_State *L)
{
    Shape shape;
    shape_check_arg(L, 4, luaL_checkstring(L, 1), (int)luaL_checkinteger(L, 3), luaL_checkstring(L, 2), &shape);
    shape_push(L, &shape);
    return 1;
}

void open_create(lua_State *L)
{
    static const luaL_Reg functions[] = {{"stream", rill_stream},
                                         {"from", rill_from},
                                         {"_from", rill_from_named},
                                         {"iota", rill_iota},
                                         {"iter", rill_iter},
                                         {"_cast", rill_cast},
                                         {"_sized", rill_sized},
                                         {"_checked_shape", rill_checked_shape},
                                         {NULL, NULL}};
    static const luaL_Reg methods[] = {
        {"copy", stream_copy}, {"eval", stream_eval}, {"cast", stream_cast}, {"like", stream_like}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
    stream_handle_methods(L, methods);
}
