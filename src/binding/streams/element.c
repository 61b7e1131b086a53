/* Reads and writes single elements and constants: s[i], s[i] = v, get, set, fill. Only the bytes of the element are
 * transferred. */
#include "binding/binding.h"
#include "kernel/host/packed.h"

#include <string.h>

static void element_push(lua_State *L, const Stream *s, const int64_t *index, const char *function)
{
    char element[TYPE_MAX_BYTES];
    int64_t number = stream_locate(s, index);
    uint64_t bytes = (uint64_t)s->type->bytes;
    if (s->source == SOURCE_RAMP) {
        stream_ramp_element(s, number, element);
    } else {
        binding_run(L, s->device, function, buffer_read(s->buffer, (uint64_t)number * bytes, element, bytes));
    }
    value_push(L, s->type, element);
}

/* Stores the value at stack index `value`. */
static void element_store(lua_State *L, const Stream *s, const int64_t *index, int value, const char *function)
{
    char element[TYPE_MAX_BYTES];
    uint64_t bytes = (uint64_t)s->type->bytes;
    if (!value_pack(L, value, s->type, element)) {
        binding_argument_error(L, function, 1, "value");
    }
    binding_run(L, s->device, function,
                buffer_write(s->buffer, (uint64_t)stream_locate(s, index) * bytes, element, bytes));
}

int element_at(lua_State *L)
{
    const Stream *s = accept_shaped(L, 1, "s[i]", 0, "s");
    int64_t index = binding_index(L, 2, "s[i]", 1, "i");
    if (index < 0) {
        binding_argument(L, "s[i]", 1, "i", 2, "an index from 1");
    }
    if (index >= s->shape.size[0]) {
        lua_pushnil(L);
    } else if (s->shape.rank == 1) {
        record_refuse(L, s, "s[i]", 0, "s");
        element_push(L, s, &index, "s[i]");
    } else if (!stream_row(s, index, stream_handle_push(L))) {
        binding_raise(L);
    }
    return 1;
}

/* s[i] = v. If s[i] is a row, v is an argument of s[i]:write, or a number or boolean for all components. */
int element_set(lua_State *L)
{
    const char *function = "s[i] = v";
    const Stream *s = accept_shaped(L, 1, function, 0, "s");
    if (stream_handle_to(L, 2) || expression_hooks_is_expression(L, 2)) {
        return luaL_error(
            L,
            "%s: expected a whole number, got %s; x:write(rill.where(mask, v, x)) sets where a mask holds, "
            "rill.scatter(x, i, v) at the indices i",
            function, binding_describe(L, 2));
    }
    if (lua_type(L, 2) != LUA_TNUMBER) {
        if (fields_assigned(L)) {
            return 0;
        }
        if (s->type->is_struct) {
            return luaL_error(L, "a stream has no field %s to be set; the fields of %s are %s", binding_key(L, 2),
                              s->type->name, type_push_names(L, s->type, ""));
        }
        return luaL_error(L,
                          "a stream has no field %s to be set; elements are set by s[i] = v or s:set(value, i, j ...)",
                          binding_key(L, 2));
    }
    int64_t index = binding_index(L, 2, function, 1, "i");
    if (index < 0 || index >= s->shape.size[0]) {
        return luaL_error(L, "%s: index %I is out of range 1 .. %I", function, lua_tointeger(L, 2),
                          (lua_Integer)s->shape.size[0]);
    }
    accept_writable(L, s, function);
    if (s->shape.rank == 1) {
        if (state_get(L)->recording) { /* the method can be recorded */
            lua_getfield(L, 1, "set");
            lua_pushvalue(L, 1);
            lua_pushvalue(L, 3);
            lua_pushvalue(L, 2);
            lua_call(L, 3, 0);
            return 0;
        }
        element_store(L, s, &index, 3, function);
        return 0;
    }
    Stream *row = stream_handle_push(L);
    if (!stream_row(s, index, row)) {
        binding_raise(L);
    }
    bool constant = lua_type(L, 3) == LUA_TNUMBER || lua_type(L, 3) == LUA_TBOOLEAN;
    lua_getfield(L, -1, constant ? "fill" : "write");
    lua_insert(L, -2);
    lua_pushvalue(L, 3);
    lua_call(L, 2, 0);
    return 0;
}

/* Reads the arguments from `first` on as one index per dimension; raises. */
static void index_check(lua_State *L, const Stream *s, int first, const char *function, int64_t *index)
{
    int count = lua_gettop(L) - first + 1;
    if (count != s->shape.rank) {
        char text[SHAPE_TEXT];
        luaL_error(L, "%s: expected %d %s for a stream of shape %s, got %d", function, s->shape.rank,
                   s->shape.rank == 1 ? "index" : "indices", shape_text(&s->shape, text), count < 0 ? 0 : count);
    }
    for (int d = 0; d < count; d++) {
        index[d] = binding_index(L, first + d, function, first - 1 + d, "index");
        if (index[d] < 0 || index[d] >= s->shape.size[d]) {
            luaL_error(L, "%s: index %I of dimension %d is out of range 1 .. %I", function, lua_tointeger(L, first + d),
                       d + 1, (lua_Integer)s->shape.size[d]);
        }
    }
}

static int stream_get(lua_State *L)
{
    int64_t index[SHAPE_MAX_RANK];
    const Stream *s = accept_check(L, 1, "s:get", 0, "s");
    index_check(L, s, 2, "s:get", index);
    element_push(L, s, index, "s:get");
    return 1;
}

static int stream_set(lua_State *L)
{
    int64_t index[SHAPE_MAX_RANK];
    const Stream *s = accept_check(L, 1, "s:set", 0, "s");
    accept_writable(L, s, "s:set");
    index_check(L, s, 3, "s:set", index);
    element_store(L, s, index, 2, "s:set");
    lua_settop(L, 1);
    return 1;
}

static int stream_fill(lua_State *L)
{
    char element[TYPE_MAX_BYTES];
    Stream *s = accept_self(L, "s:fill", 2);
    accept_writable(L, s, "s:fill");
    if (!value_pack_splat(L, 2, s->type, element)) {
        binding_argument_error(L, "s:fill", 1, "value");
    }
    binding_make(L, s->device, "s:fill", packed_fill(s, element));
    lua_settop(L, 1);
    return 1;
}

void open_element(lua_State *L)
{
    static const luaL_Reg methods[] = {{"get", stream_get}, {"set", stream_set}, {"fill", stream_fill}, {NULL, NULL}};
    stream_handle_methods(L, methods);
}
