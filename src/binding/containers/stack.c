/* rill.stack, c:push and c:pop. */
#include "binding/containers/container.h"

#include "kernel/launch/copy.h"

static LuaContainer *check_stack(lua_State *L, const char *function)
{
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    if (!container_is_stack(self->container)) {
        luaL_error(L, "%s: this container is no stack: rill.stack makes one", function);
    }
    return self;
}

/* rill.stack(type [, {capacity=}]) */
static int rill_stack(lua_State *L)
{
    static const char function[] = "rill.stack";
    static const char *const names[] = {"capacity", NULL};
    int64_t capacity = 0;
    binding_count(L, function, 2, false);
    lua_settop(L, 2);
    const Type *type = type_check(L, 1, function, 1, "type");
    if (!lua_isnil(L, 2)) {
        if (!binding_is_options(L, 2)) {
            binding_argument(L, function, 2, "options", 2, "a table like {capacity = 1000}");
        }
        binding_known(L, 2, function, names);
        capacity = container_option_count(L, 2, function, "capacity", SHAPE_MAX_ELEMENTS);
    }
    LuaContainer *self = container_push(L);
    Device *device = state_device(L);
    DeviceScope scope;
    binding_enter(L, device, &scope);
    Container *c = container_stack(device, type, capacity);
    device_leave(&scope);
    container_take(L, self, c, function);
    return 1;
}

/* The elements of a range's container that are in it; of a container those that are mapped. */
static bool push_region(lua_State *L, LuaContainer *self, int slot, const Region *region, const char *function)
{
    DeviceScope scope;
    LuaContainer *from = container_check(L, slot, function, 1, "elements");
    if (from->stream.device != self->stream.device) {
        binding_argument(L, function, 1, "elements", slot, "a container on the stack's device");
    }
    if (!copy_converts(&self->stream, &from->stream)) {
        binding_argument_error(L, function, 1, "elements");
    }
    if (region && !shape_equal(&region->shape, &container_elements_of(from)->shape)) {
        luaL_error(L, "%s: argument #1 'elements': the range's container has another shape by now", function);
    }
    container_asked(L, from, function);
    container_check(L, 1, function, 0, "c");
    binding_enter(L, self->stream.device, &scope);
    bool all = !region && !container_partial(from->container);
    region = region || all ? region : container_active(from->container);
    bool done = all      ? container_stack_push(self->container, container_elements(from->container))
                : region ? container_stack_push_region(self->container, from->container, region)
                         : false;
    device_leave(&scope);
    return done;
}

static bool push_stream(lua_State *L, LuaContainer *self, const char *function)
{
    const Stream *from = accept_check(L, 2, function, 1, "stream");
    container_check(L, 1, function, 0, "c"); /* an expression may have closed it */
    if (from->device != self->stream.device) {
        binding_argument(L, function, 1, "stream", 2, "a stream on the container's device");
    }
    DeviceScope scope;
    binding_enter(L, self->stream.device, &scope);
    bool done = container_stack_push(self->container, from);
    device_leave(&scope);
    return done;
}

/* c:push(stream | container | range): where they stand, first and last. */
int stack_push(lua_State *L)
{
    static const char function[] = "c:push";
    LuaContainer *self = check_stack(L, function);
    binding_count(L, function, 2, true);
    accept_stream(L, 2); /* of an expression the container or the stream */
    const LuaRange *range = range_to(L, 2);
    int64_t before = stream_elements(&self->stream);
    bool done;
    if (range) {
        range_check(L, 2, function);
        range_push_container(L, 2);
        done = push_region(L, self, lua_gettop(L), range->region, function);
    } else {
        done = container_to(L, 2) ? push_region(L, self, 2, NULL, function) : push_stream(L, self, function);
    }
    self->stream = *container_whole(self->container);
    container_done(L, self, done, function);
    lua_pushinteger(L, before + 1);
    lua_pushinteger(L, stream_elements(&self->stream));
    return 2;
}

/* c:pop(n): the last n, as they were pushed. */
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
    DeviceScope scope;
    binding_enter(L, self->stream.device, &scope);
    bool done = container_stack_pop(self->container, count, view);
    device_leave(&scope);
    self->stream = *container_whole(self->container);
    container_done(L, self, done, function);
    return 1;
}

void open_stack(lua_State *L)
{
    static const luaL_Reg functions[] = {{"stack", rill_stack}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
