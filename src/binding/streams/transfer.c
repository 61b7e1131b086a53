/* Transfers streams and boxes between Lua and the device: read, values, bytes, write; and s:gl. */
#include "binding/binding.h"
#include "kernel/host/packed.h"

#include <stdlib.h>
#include <string.h>

/* Enters the device and downloads the elements; raises. */
static void download(lua_State *L, const Stream *s, void *bytes, const char *function)
{
    binding_run(L, s->device, function, packed_download(s, bytes));
}

/* Pushes a view of the box in arguments 1 and 2 of a method. The caller must call drop_view. */
static Stream *box_argument(lua_State *L, const char *function)
{
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    const Stream *s = accept_self(L, function, 3);
    box_check(L, s, 2, function, 1, from, to);
    return box_push(L, s, function, from, to);
}

/* Releases a view and charges the collector. Otherwise the view would keep the memory of a closed stream until it is
 * collected. */
static void drop_view(lua_State *L, Stream *view)
{
    Device *device = view->device;
    stream_release(view);
    binding_charge(L, device);
}

static int read_table(lua_State *L, const char *function, bool nested)
{
    Stream *view = box_argument(L, function);
    const void *bytes = packed_in_place(view);
    int scratch = bytes ? 0 : lua_gettop(L) + 1;
    if (!bytes) {
        void *copy = scratch_push(L, (size_t)stream_bytes(view));
        download(L, view, copy, function);
        bytes = copy;
    }
    if (nested) {
        table_push_nested(L, view->type, &view->shape, bytes);
    } else {
        table_push_flat(L, view->type, stream_elements(view), bytes);
    }
    if (scratch) {
        scratch_free(L, scratch);
    }
    drop_view(L, view);
    return 1;
}

static int stream_read(lua_State *L)
{
    return read_table(L, "s:read", true);
}

static int stream_values(lua_State *L)
{
    return read_table(L, "s:values", false);
}

static int stream_lua_bytes(lua_State *L)
{
    Stream *view = box_argument(L, "s:bytes");
    size_t size = (size_t)stream_bytes(view);
    const void *bytes = packed_in_place(view);
    int scratch = bytes ? 0 : lua_gettop(L) + 1;
    if (!bytes) {
        void *copy = scratch_push(L, size);
        download(L, view, copy, "s:bytes");
        bytes = copy;
    }
    lua_pushlstring(L, bytes, size);
    if (scratch) {
        scratch_free(L, scratch);
    }
    drop_view(L, view);
    return 1;
}

/* writing */

/* Computes the end of the box if only `first` is given: the size of the data determines it, or, if it is unknown, the
 * end of the stream. */
static void extent_of_data(lua_State *L, const Stream *s, const int64_t *from, int64_t *to)
{
    Stream *data = accept_stream(L, 2);
    Shape shape = {.rank = 0};
    if (data && data->device) {
        accept_settled(L, data);
        shape = data->shape;
    } else if (lua_type(L, 2) == LUA_TSTRING && s->shape.rank == 1) {
        shape = (Shape){.rank = 1, .size = {(int64_t)lua_rawlen(L, 2) / s->type->bytes}};
    } else if (lua_istable(L, 2) && !table_shape(L, 2, s->type, &shape)) {
        shape.rank = 0;
    }
    for (int d = 0; d < s->shape.rank && shape.rank == s->shape.rank; d++) {
        if (shape.size[d] <= s->shape.size[d] - from[d]) {
            to[d] = from[d] + shape.size[d];
        }
    }
}

static void check_source(lua_State *L, const Stream *to, const Stream *from, const char *function)
{
    if (!from->device) {
        binding_argument(L, function, 1, "data", 2, "an open stream");
    }
    record_refuse(L, from, function, 1, "data");
    if (from->device != to->device) {
        luaL_error(L, "%s: argument #1 'data': a stream of another device; write its :bytes()", function);
    }
    shape_raise_unequal(L, "%s: argument #1 'data': expected a stream of shape %s, got %s", function, &to->shape,
                        &from->shape);
    if (!type_converts(from->type, to->type) && !type_same_layout(from->type, to->type)) {
        luaL_error(L, "%s: argument #1 'data': expected a stream of %s, got one of %s; use :cast(\"%s\")", function,
                   to->type->name, from->type->name, to->type->name);
    }
}

/* Returns the bytes to upload: the string, or a scratch userdata with the packed table, which is pushed. */
static const void *packed_data(lua_State *L, const Stream *view, const char *function)
{
    size_t size = (size_t)stream_bytes(view), length;
    if (lua_type(L, 2) == LUA_TSTRING) {
        const char *bytes = lua_tolstring(L, 2, &length);
        if (length != size) {
            luaL_error(L, "%s: argument #1 'data': expected a binary string of %I bytes, got one of %I", function,
                       (lua_Integer)size, (lua_Integer)length);
        }
        return bytes;
    }
    if (!lua_istable(L, 2)) {
        binding_argument(L, function, 1, "data", 2, "a table, a binary string or a stream (s:fill sets a constant)");
    }
    void *bytes = scratch_push(L, size);
    if (!table_pack(L, 2, view->type, &view->shape, bytes)) {
        binding_argument_error(L, function, 1, "data");
    }
    return bytes;
}

/* Computes an expression at index 2 directly into the view on top of the stack and returns true. If that is not
 * possible the expression is evaluated and replaced by the stream. */
static bool write_expression(lua_State *L)
{
    int view = lua_gettop(L);
    if (!expression_hooks_is_expression(L, 2)) {
        return false;
    }
    lua_pushvalue(L, 2);
    lua_pushvalue(L, view);
    expression_hooks_call(L, "into", 2, 1);
    if (lua_isnil(L, -1)) {
        return true;
    }
    lua_replace(L, 2);
    return false;
}

void transfer_write(lua_State *L, Stream *view, const char *function)
{
    int top = lua_gettop(L);
    if (write_expression(L)) {
        lua_settop(L, top);
        return;
    }
    Stream *source = stream_handle_to(L, 2);
    const void *bytes = NULL;
    if (source) {
        if (source->device) {
            accept_settled(L, source);
        }
        check_source(L, view, source, function);
    } else {
        bytes = packed_data(L, view, function);
    }
    binding_run(L, view->device, function, source ? packed_write(view, source) : packed_upload(view, bytes));
    if (lua_gettop(L) > top) {
        scratch_free(L, top + 1);
        lua_settop(L, top);
    }
}

static int stream_write(lua_State *L)
{
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    const Stream *s = accept_self(L, "s:write", 4);
    lua_settop(L, 4);
    accept_writable(L, s, "s:write");
    box_check(L, s, 3, "s:write", 2, from, to);
    if (!lua_isnil(L, 3) && lua_isnil(L, 4)) {
        extent_of_data(L, s, from, to);
    }
    Stream *view = box_push(L, s, "s:write", from, to);
    transfer_write(L, view, "s:write");
    drop_view(L, view);
    lua_settop(L, 1);
    return 1;
}

/* s:gl(): returns buffer name, byte offset, byte length and layout. */
static int stream_gl(lua_State *L)
{
    const Stream *s = accept_self(L, "s:gl", 1);
    bool plain = s->buffer != NULL;
    for (int d = 0; d < s->shape.rank; d++) {
        plain = plain && s->dim[d].div == 1 && s->dim[d].mod == 0;
    }
    if (!plain) {
        return luaL_error(L, "s:gl: this view has no plain layout in memory; use a :copy()");
    }
    lua_pushinteger(L, buffer_name(s->buffer));
    lua_pushinteger(L, s->offset * s->type->bytes);
    int64_t extent = 1;
    lua_createtable(L, 0, 5);
    fields_string(L, "type", s->type->name);
    fields_integer(L, "components", s->type->components);
    fields_boolean(L, "contiguous", s->contiguous);
    shape_push(L, &s->shape);
    lua_setfield(L, -2, "shape");
    lua_createtable(L, s->shape.rank, 0);
    for (int d = 0; d < s->shape.rank; d++) {
        extent += (s->shape.size[d] - 1) * (s->dim[d].stride < 0 ? -s->dim[d].stride : s->dim[d].stride);
        lua_pushinteger(L, s->dim[d].stride * s->type->bytes);
        lua_rawseti(L, -2, d + 1);
    }
    lua_setfield(L, -2, "strides"); /* bytes */
    lua_pushinteger(L, stream_elements(s) ? extent * s->type->bytes : 0);
    lua_insert(L, -2);
    return 4;
}

/* Returns the host memory in arguments 2 to 4 of a function: a light userdata, an offset in bytes, and a length that must
 * be the stream's. */
static char *host_memory(lua_State *L, const Stream *s, const char *function)
{
    luaL_checktype(L, 2, LUA_TLIGHTUSERDATA);
    lua_Integer offset = luaL_checkinteger(L, 3), bytes = luaL_checkinteger(L, 4);
    if (bytes != (lua_Integer)stream_bytes(s)) {
        luaL_error(L, "%s: the stream has %I bytes, not %I", function, (lua_Integer)stream_bytes(s), bytes);
    }
    return (char *)lua_touserdata(L, 2) + offset;
}

/* _download(s, memory, offset, bytes): copies the elements to host memory that another module owns. */
static int rill_download(lua_State *L)
{
    const Stream *s = accept_check(L, 1, "_download", 1, "s");
    download(L, s, host_memory(L, s, "_download"), "_download");
    return 0;
}

/* _upload(s, memory, offset, bytes): sets the elements from host memory that another module owns. */
static int rill_upload(lua_State *L)
{
    const Stream *s = accept_check(L, 1, "_upload", 1, "s");
    accept_writable(L, s, "_upload");
    const void *bytes = host_memory(L, s, "_upload");
    binding_run(L, s->device, "_upload", packed_upload(s, bytes));
    return 0;
}

void open_transfer(lua_State *L)
{
    static const luaL_Reg methods[] = {{"read", stream_read},   {"values", stream_values}, {"bytes", stream_lua_bytes},
                                       {"write", stream_write}, {"gl", stream_gl},         {NULL, NULL}};
    stream_handle_methods(L, methods);
    fields_function(L, "_download", rill_download);
    fields_function(L, "_upload", rill_upload);
}
