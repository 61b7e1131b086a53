/* Reads and writes boxes of containers: c:read, values, bytes, request, stream, write, fill. */
#include "binding/containers/container.h"
#include "binding/streams/container_handle.h"
#include "binding/values/coordinates.h"

#include "kernel/launch/copy.h"

#include <string.h>

const Stream *container_push_dense(lua_State *L, const LuaContainer *self, const int64_t *from, const int64_t *to,
                                   const char *function)
{
    Stream *dense = stream_handle_push(L);
    binding_make(L, self->stream.device, function, container_dense(self->container, from, to, dense));
    return dense;
}

/* Pushes a stream of the entries of a grid of lists. */
static void push_entries(lua_State *L, const LuaContainer *self, const char *function)
{
    Stream *entries = stream_handle_push(L);
    binding_make(L, self->stream.device, function, copy_new(container_elements(self->container), NULL, entries));
}

/* Calls a method of the dense stream of the box given by arguments 1 and 2. */
static int read_box(lua_State *L, const char *function, const char *method)
{
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    LuaContainer *self = container_self(L, function, 3);
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

int container_bytes_call(lua_State *L)
{
    return read_box(L, "c:bytes", "bytes");
}

int container_request(lua_State *L)
{
    return read_box(L, "c:request", "request");
}

/* _dense_box(c, first, last): returns a box as a stream. */
static int rill_dense(lua_State *L)
{
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    LuaContainer *self = container_check(L, 1, "container", 1, "c");
    container_box_check(L, self, 2, "container", 2, from, to);
    container_push_dense(L, self, from, to, "container");
    return 1;
}

/* c:stream(): returns all elements as a dense stream. */
int container_stream(lua_State *L)
{
    static const int64_t origin[SHAPE_MAX_RANK];
    LuaContainer *self = container_self(L, "c:stream", 1);
    if (!container_bounded(self->container)) {
        return luaL_error(L, "c:stream: a container without bounds cannot be a dense stream: c:read reads a box");
    }
    if (container_flat(self->container)) {
        push_entries(L, self, "c:stream");
        return 1;
    }
    container_push_dense(L, self, origin, self->stream.shape.size, "c:stream");
    stream_inherit(stream_handle_to(L, -1), &self->stream);
    return 1;
}

/* Returns the header of the stream or the open container at an index, or NULL. */
static Stream *data_at(lua_State *L, int index)
{
    Stream *data = stream_handle_to(L, index);
    LuaContainer *c = data ? NULL : container_to(L, index);
    return c && c->container ? &c->stream : data;
}

/* Computes the end of the box from the shape of the data, a stream or a table, if only `first` is given. */
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

/* Returns the data at 2 as a stream of a shape: the stream itself, or a new one with the data. */
static const Stream *dense_data(lua_State *L, const Stream *to, const Shape *shape, const char *function)
{
    Stream *data = stream_handle_to(L, 2);
    if (data) {
        record_refuse(L, data, function, 1, "data");
    }
    if (data && data->device == to->device && data->type == to->type && shape_equal(&data->shape, shape)) {
        return data;
    }
    Stream *dense = create_stream(L, to->type, shape, function);
    transfer_write(L, dense, function);
    return dense;
}

/* A container as the source of a write: a box, all elements, or the elements of a range. */
typedef struct WriteSource {
    int slot; /* stack index of the container */
    LuaContainer *from;
    const Region *part; /* NULL: all elements of the box */
    bool whole;
    int64_t low[SHAPE_MAX_RANK], high[SHAPE_MAX_RANK];
    Shape shape; /* the shape of the box */
} WriteSource;

static void check_source(lua_State *L, const LuaContainer *self, const WriteSource *source, const char *function)
{
    if (source->from->stream.device != self->stream.device) {
        luaL_error(L, "%s: argument #1 'data': the container belongs to another device", function);
    }
    if (!copy_converts(&self->stream, &source->from->stream)) {
        binding_argument_error(L, function, 1, "data");
    }
}

/* Writes the source to the elements from `at` on, whose pages are mapped first. */
static void write_source(lua_State *L, LuaContainer *self, const WriteSource *source, const int64_t *at,
                         const int64_t *to, const char *function)
{
    LuaRange *range = range_push(L);
    container_resolve_mapping(L, container_check(L, 1, function, 0, "c"),
                              function); /* a finalizer may have closed it */
    container_resolve_mapping(L, container_check(L, source->slot, function, 1, "data"), function);
    self = container_check(L, 1, function, 0, "c");
    Container *from = container_check(L, source->slot, function, 1, "data")->container;
    if (source->part || container_moves_mapped(self->container, from)) {
        range_make(L, range, self->stream.device, function,
                   container_move_region(self->container, at, from, source->low, source->high, source->part));
        container_check(L, 1, function, 0, "c");
        container_check(L, source->slot, function, 1, "data");
        container_map_region(L, self, range->region, function);
    } else {
        container_make_mapped(L, self, at, to, function);
    }
    container_to(L, source->slot); /* updates its header, as it may share the memory */
    binding_make(L, self->stream.device, function,
                 container_flat(from) && source->whole
                     ? container_write(self->container, at, container_whole(from))
                     : container_move(self->container, at, from, source->low, source->high, range->region));
}

/* Reads the range at 2, and pushes its container; raises. */
static void take_range(lua_State *L, const LuaContainer *self, WriteSource *source, const char *function)
{
    const LuaRange *range = range_check(L, 2, function);
    int64_t first[SHAPE_MAX_RANK] = {0}, last[SHAPE_MAX_RANK] = {0};
    int rank = range->region->shape.rank;
    range_push_container(L, 2);
    source->slot = lua_gettop(L);
    source->from = container_check(L, -1, function, 1, "data");
    check_source(L, self, source, function);
    shape_raise_unequal(L, "%s: argument #1 'data': the range has shape %s, but its container now has shape %s",
                        function, &range->region->shape, &container_elements_of(source->from)->shape);
    if (rank != self->stream.shape.rank) {
        luaL_error(L, "%s: argument #1 'data': a range of %d dimensions does not fit into a container of %d", function,
                   rank, self->stream.shape.rank);
    }
    bool some = region_bounds(range->region, first, last);
    source->part = some && region_is_box(range->region) ? NULL : range->region;
    shape_box(first, last, rank, source->low, source->high);
    for (int d = 0; d < rank; d++) {
        source->high[d] = some ? source->high[d] : source->low[d];
        source->shape.size[d] = source->high[d] - source->low[d];
    }
    source->shape.rank = rank;
}

/* c:write(range [, first [, last]]): writes the elements of a range at the same indices, or with their lower corner at
 * `first`. */
static int write_range(lua_State *L, LuaContainer *self, const char *function)
{
    WriteSource source = {0};
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    char a[SHAPE_TEXT];
    take_range(L, self, &source, function);
    int rank = source.shape.rank;
    bool placed = !lua_isnil(L, 3), ended = !lua_isnil(L, 4);
    if (placed && !ended && !container_bounded(self->container)) {
        lua_pushvalue(L, 3);
        lua_replace(L, 4);
    }
    if (placed || container_bounded(self->container)) {
        container_box_check(L, self, 3, function, 2, from, to);
    }
    for (int d = 0; d < rank; d++) {
        int64_t size = source.shape.size[d],
                end = container_bounded(self->container) ? self->stream.shape.size[d] : INT64_MAX;
        from[d] = placed ? from[d] : source.low[d];
        if ((ended && to[d] - from[d] != size) || from[d] > end - size) {
            luaL_error(L, "%s: argument #1 'data': a range of %s does not fit into the box", function,
                       shape_text(&source.shape, a));
        }
        to[d] = from[d] + size;
    }
    if (shape_elements(&source.shape) > 0) {
        write_source(L, self, &source, from, to, function);
    }
    lua_settop(L, 1);
    return 1;
}

/* Writes a container to a box of its shape. */
static void write_container(lua_State *L, LuaContainer *self, const Shape *shape, const int64_t *from,
                            const int64_t *to, const char *function)
{
    WriteSource source = {.slot = 2, .from = container_check(L, 2, function, 1, "data"), .whole = true};
    const Stream *data = &source.from->stream;
    shape_raise_unequal(L, "%s: argument #1 'data': a container of shape %s does not fit into %s", function,
                        &data->shape, shape);
    check_source(L, self, &source, function);
    source.shape = data->shape;
    memcpy(source.high, data->shape.size, sizeof source.high);
    write_source(L, self, &source, from, to, function);
}

/* c:write(data [, first [, last]]): writes a box, or all elements. */
int container_write_call(lua_State *L)
{
    static const char function[] = "c:write";
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    LuaContainer *self = container_self(L, function, 4);
    lua_settop(L, 4);
    if (range_to(L, 2)) {
        return write_range(L, self, function);
    }
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
    if (container_to(L, 2)) {
        container_check(L, 1, function, 0, "c");
        write_container(L, self, &box.shape, from, to, function);
        lua_settop(L, 1);
        return 1;
    }
    const Stream *data = dense_data(L, &self->stream, &box.shape, function);
    container_check(L, 1, function, 0, "c"); /* a finalizer may have closed it meanwhile */
    container_make_mapped(L, self, from, to, function);
    binding_make(L, self->stream.device, function, container_write(self->container, from, data));
    lua_settop(L, 1);
    return 1;
}

/* c:fill(value): sets all mapped elements. */
int container_fill_call(lua_State *L)
{
    static const char function[] = "c:fill";
    char element[TYPE_MAX_BYTES];
    LuaContainer *self = container_self(L, function, 2);
    if (!value_pack_splat(L, 2, self->stream.type, element)) {
        binding_argument_error(L, function, 1, "value");
    }
    binding_make(L, self->stream.device, function, container_fill(self->container, element, L));
    lua_settop(L, 1);
    return 1;
}

void open_container_boxes(lua_State *L)
{
    fields_function(L, "_dense_box", rill_dense);
}
