/* Elements of containers by boxes: read, written, as streams. */
#include "binding/containers/lua_container.h"
#include "binding/streams/container_handle.h"

#include "kernel/launch/copy.h"

#include <string.h>

const Stream *container_push_dense(lua_State *L, const LuaContainer *self, const int64_t *from, const int64_t *to,
                                   const char *function)
{
    Stream *dense = handle_push(L);
    DeviceScope scope;
    binding_enter(L, self->stream.device, &scope);
    bool done = container_dense(self->container, from, to, dense);
    device_leave(&scope);
    container_done(L, self, done, function);
    return dense;
}

/* Pushes a stream of the entries of lists. */
static void push_entries(lua_State *L, const LuaContainer *self, const char *function)
{
    Stream *entries = handle_push(L);
    DeviceScope scope;
    binding_enter(L, self->stream.device, &scope);
    bool done = copy_new(container_elements(self->container), NULL, entries);
    device_leave(&scope);
    container_done(L, self, done, function);
}

/* Calls a method of the dense stream of the box in arguments 1 and 2. */
static int read_box(lua_State *L, const char *function, const char *method)
{
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    binding_count(L, function, 3, true);
    container_box_check(L, self, 2, function, 1, from, to);
    container_push_dense(L, self, from, to, function);
    lua_getfield(L, -1, method);
    lua_insert(L, -2);
    lua_call(L, 1, 1);
    return 1;
}

int container_read(lua_State *L)
{
    return read_box(L, "c:read", "read");
}

int container_values(lua_State *L)
{
    return read_box(L, "c:values", "values");
}

/* _dense(c, first, last): a box as a stream. */
static int rill_dense(lua_State *L)
{
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    LuaContainer *self = container_check(L, 1, "container", 1, "c");
    container_box_check(L, self, 2, "container", 2, from, to);
    container_push_dense(L, self, from, to, "container");
    return 1;
}

/* c:stream(): all of it. */
int container_stream(lua_State *L)
{
    static const int64_t origin[SHAPE_MAX_RANK];
    LuaContainer *self = container_check(L, 1, "c:stream", 0, "c");
    binding_count(L, "c:stream", 1, true);
    if (!container_bounded(self->container)) {
        return luaL_error(L, "c:stream: a container without bounds has no whole: c:read takes a box");
    }
    if (container_is_lists(self->container)) {
        push_entries(L, self, "c:stream");
        return 1;
    }
    container_push_dense(L, self, origin, self->stream.shape.size, "c:stream");
    return 1;
}

/* The header of the stream or the open container at an index, or NULL. */
static Stream *data_at(lua_State *L, int index)
{
    Stream *data = handle_to(L, index);
    LuaContainer *c = data ? NULL : container_to(L, index);
    return c && c->container ? &c->stream : data;
}

/* Where only `first` is given, the data, a stream or a table, tells how far the box goes. */
static void extent_of_data(lua_State *L, const LuaContainer *self, const int64_t *from, int64_t *to)
{
    const Stream *s = &self->stream;
    const Stream *data = data_at(L, 2);
    Shape shape = {.rank = 0};
    if (data && data->device) {
        shape = data->shape;
    } else if (lua_istable(L, 2) && !table_shape(L, 2, s->type, &shape)) {
        shape.rank = 0;
    }
    for (int d = 0; d < s->shape.rank && shape.rank == s->shape.rank; d++) {
        int64_t end = container_bounded(self->container) ? s->shape.size[d] : (int64_t)INT32_MAX + 1;
        if (shape.size[d] <= end - from[d]) {
            to[d] = from[d] + shape.size[d];
        }
    }
}

/* The data at 2 as a stream of a shape: itself, or a new one that takes it as s:write does. */
static const Stream *dense_data(lua_State *L, const Stream *to, const Shape *shape, const char *function)
{
    Stream *data = data_at(L, 2);
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    bool container = data && !handle_to(L, 2);
    if (container && !shape_equal(&data->shape, shape)) {
        luaL_error(L, "%s: argument #1 'data': a container of shape %s doesn't go into %s", function,
                   shape_text(&data->shape, a), shape_text(shape, b));
    }
    if (container && data->device != to->device) {
        luaL_error(L, "%s: argument #1 'data': the container belongs to another device", function);
    }
    if (container) {
        return data;
    }
    if (data && data->device == to->device && data->type == to->type && shape_equal(&data->shape, shape)) {
        return data;
    }
    Stream *dense = create_stream(L, to->type, shape, function);
    lua_getfield(L, -1, "write");
    lua_pushvalue(L, -2);
    lua_pushvalue(L, 2);
    if (lua_pcall(L, 2, 0, 0) != LUA_OK) {
        const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
        if (!message || strncmp(message, "s:write", 7) != 0) {
            lua_error(L);
        }
        luaL_error(L, "%s%s", function, message + 7);
    }
    return dense;
}

/* c:write(data [, first [, last]]) */
int container_write_call(lua_State *L)
{
    static const char function[] = "c:write";
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    binding_count(L, function, 4, true);
    lua_settop(L, 4);
    Stream *given = accept_stream(L, 2);
    if (given && given->device) {
        accept_settled(L, given);
    }
    bool by_data = !lua_isnil(L, 3) && lua_isnil(L, 4);
    if (by_data && !container_bounded(self->container)) {
        lua_pushvalue(L, 3);
        lua_replace(L, 4);
    }
    container_box_check(L, self, 3, function, 2, from, to);
    if (by_data) {
        extent_of_data(L, self, from, to);
    }
    Stream box = container_box(self->container, from, to);
    const Stream *data = dense_data(L, &self->stream, &box.shape, function);
    container_check(L, 1, function, 0, "c"); /* a finalizer may have closed it meanwhile */
    container_make_mapped(L, self, from, to, function);
    container_to(L, 2); /* which may share its memory */
    DeviceScope scope;
    binding_enter(L, self->stream.device, &scope);
    bool done = container_write(self->container, from, data);
    device_leave(&scope);
    container_done(L, self, done, function);
    lua_settop(L, 1);
    return 1;
}

/* c:fill(value): all that is mapped. */
int container_fill_call(lua_State *L)
{
    static const char function[] = "c:fill";
    char element[TYPE_MAX_BYTES];
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    binding_count(L, function, 2, true);
    if (!value_pack_splat(L, 2, self->stream.type, element)) {
        binding_argument_error(L, function, 1, "value");
    }
    DeviceScope scope;
    binding_enter(L, self->stream.device, &scope);
    bool done = container_fill(self->container, element, L);
    device_leave(&scope);
    self->stream = *container_whole(self->container);
    container_done(L, self, done, function);
    lua_settop(L, 1);
    return 1;
}

void open_container_boxes(lua_State *L)
{
    lua_pushcfunction(L, rill_dense);
    lua_setfield(L, -2, "_dense");
}
