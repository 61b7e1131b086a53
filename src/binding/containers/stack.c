/* rill.stack, c:push and c:pop. */
#include "binding/containers/container.h"
#include "binding/values/options.h"

#include "container/kind/kinds.h"
#include "kernel/launch/copy.h"

static LuaContainer *check_stack(lua_State *L, const char *function)
{
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    container_offers(L, self, CONTAINER_APPEND, function);
    return self;
}

/* rill.stack(type [, {capacity=}]): returns a new stack. */
static int rill_stack(lua_State *L)
{
    static const char function[] = "rill.stack";
    static const Option rows[] = {{.name = "capacity", .read = options_count, .low = 1, .high = SHAPE_MAX_ELEMENTS},
                                  {.name = NULL}};
    static const OptionCall call = {
        .function = function, .index = 2, .n = 2, .expected = "a table like {capacity = 1000}"};
    int64_t capacity = 0;
    binding_count(L, function, 2, false);
    lua_settop(L, 2);
    const Type *type = type_check(L, 1, function, 1, "type");
    options_read(L, &call, rows, &capacity);
    LuaContainer *self = container_push(L);
    Device *device = state_device(L);
    container_make(L, self, device, function, container_stack(device, type, capacity));
    return 1;
}

/* Appends the elements of the container at `slot` that are in the region; if it is NULL, all mapped elements. */
static void push_region(lua_State *L, LuaContainer *self, int slot, const Region *region, const char *function)
{
    LuaContainer *from = container_check(L, slot, function, 1, "elements");
    if (from->stream.device != self->stream.device) {
        binding_argument(L, function, 1, "elements", slot, "a container on the stack's device");
    }
    if (!copy_converts(&self->stream, &from->stream)) {
        binding_argument_error(L, function, 1, "elements");
    }
    if (region && !shape_equal(&region->shape, &container_elements_of(from)->shape)) {
        luaL_error(L, "%s: argument #1 'elements': the shape of the range's container has changed", function);
    }
    container_resolve_mapping(L, from, function);
    container_check(L, 1, function, 0, "c");
    binding_make(L, self->stream.device, function, container_append_from(self->container, from->container, region));
}

static void push_stream(lua_State *L, LuaContainer *self, const char *function)
{
    const Stream *from = accept_check(L, 2, function, 1, "stream");
    container_check(L, 1, function, 0, "c"); /* an expression may have closed it */
    if (from->device != self->stream.device) {
        binding_argument(L, function, 1, "stream", 2, "a stream on the container's device");
    }
    binding_make(L, self->stream.device, function, container_append(self->container, from));
}

/* c:push(stream | container | range): appends the elements; returns the indices of the first and the last one. */
int stack_push(lua_State *L)
{
    static const char function[] = "c:push";
    LuaContainer *self = check_stack(L, function);
    binding_count(L, function, 2, true);
    accept_stream(L, 2); /* an expression is replaced by its value, a stream or a container */
    const LuaRange *range = range_to(L, 2);
    int64_t before = stream_elements(&self->stream);
    if (range) {
        range_check(L, 2, function);
        range_push_container(L, 2);
        push_region(L, self, lua_gettop(L), range->region, function);
    } else if (container_to(L, 2)) {
        push_region(L, self, 2, NULL, function);
    } else {
        push_stream(L, self, function);
    }
    lua_pushinteger(L, before + 1);
    lua_pushinteger(L, stream_elements(&container_to(L, 1)->stream));
    return 2;
}

/* c:pop(n): removes the last n elements and returns them in the order in which they were pushed. */
int stack_pop(lua_State *L)
{
    static const char function[] = "c:pop";
    LuaContainer *self = check_stack(L, function);
    binding_count(L, function, 2, true);
    lua_Integer count = binding_integer(L, 2, function, 1, "n");
    if (count < 0) {
        binding_argument(L, function, 1, "n", 2, "a whole number from 0");
    }
    Stream *view = stream_handle_push(L);
    binding_make(L, self->stream.device, function, container_remove(self->container, count, view));
    return 1;
}

void open_stack(lua_State *L)
{
    static const luaL_Reg functions[] = {{"stack", rill_stack}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
