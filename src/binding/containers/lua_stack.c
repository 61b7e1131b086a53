/* rill.stack, c:push and c:pop. */
#include "binding/containers/lua_container.h"

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

/* c:push(stream | range): where they stand, first and last. */
int stack_push(lua_State *L)
{
    static const char function[] = "c:push";
    LuaContainer *self = check_stack(L, function);
    binding_count(L, function, 2, true);
    if (range_to(L, 2)) { /* the coordinates of its elements */
        lua_getfield(L, 2, "addresses");
        lua_pushvalue(L, 2);
        lua_call(L, 1, 1);
        lua_replace(L, 2);
    }
    const Stream *from = accept_check(L, 2, function, 1, "stream");
    container_check(L, 1, function, 0, "c"); /* an expression may have closed it */
    if (from->device != self->stream.device) {
        binding_argument(L, function, 1, "stream", 2, "a stream on the container's device");
    }
    int64_t before = stream_elements(&self->stream);
    DeviceScope scope;
    binding_enter(L, self->stream.device, &scope);
    bool done = container_stack_push(self->container, from);
    device_leave(&scope);
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
    Stream *view = handle_push(L);
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
