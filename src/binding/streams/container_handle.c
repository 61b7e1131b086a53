/* The userdata of a container: its header. What it can do is lua_container.c's. */
#include "binding/streams/container_handle.h"

#include <string.h>

const char container_meta;

LuaContainer *container_to(lua_State *L, int index)
{
    return binding_userdata(L, index, &container_meta, sizeof(LuaContainer));
}

LuaContainer *container_push(lua_State *L)
{
    LuaContainer *self = lua_newuserdatauv(L, sizeof *self, 0);
    memset(self, 0, sizeof *self);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &container_meta);
    lua_setmetatable(L, -2);
    return self;
}

LuaContainer *container_check(lua_State *L, int index, const char *function, int n, const char *name)
{
    LuaContainer *self = container_to(L, index);
    if (!self) {
        binding_argument(L, function, n, name, index, "a container");
    }
    if (!self->container) {
        luaL_error(L, "%s: argument '%s': the container was closed", function, name);
    }
    return self;
}

const Stream *container_elements_of(const LuaContainer *self)
{
    return container_is_lists(self->container) ? container_elements(self->container) : &self->stream;
}

void container_take(lua_State *L, LuaContainer *self, Container *c, const char *function)
{
    if (!c) {
        error_prefix("%s", function);
        binding_raise(L);
    }
    self->container = c;
    self->stream = *container_whole(c);
    binding_charge(L, self->stream.device);
}

void container_done(lua_State *L, const LuaContainer *self, bool done, const char *function)
{
    if (!done) {
        error_prefix("%s", function);
        binding_raise(L);
    }
    binding_charge(L, self->stream.device);
}

/* Of a container whose memory is its own. */
static void allocate(lua_State *L, LuaContainer *self, const int64_t *first, const int64_t *last, const char *function)
{
    DeviceScope scope;
    Device *device = self->stream.device;
    binding_enter(L, device, &scope);
    bool done = container_ready(self->container, first, last);
    device_leave(&scope);
    self->stream = *container_whole(self->container);
    if (!done) {
        error_prefix("%s", function);
        binding_raise(L);
    }
    binding_charge(L, device);
}

void container_make_mapped(lua_State *L, LuaContainer *self, const int64_t *first, const int64_t *last,
                           const char *function)
{
    int64_t count = 0;
    Stream box = container_box(self->container, first, last);
    if (container_owned(self->container)) {
        allocate(L, self, first, last, function);
        return;
    }
    if (!container_count(self->container, first, last, &count, L)) {
        error_prefix("%s", function);
        binding_raise(L);
    }
    if (count < stream_elements(&box) && container_is_lists(self->container)) {
        luaL_error(L, "%s: %I of the %I elements to be written are no entries: lists keep their lengths", function,
                   (LUAI_UACINT)(stream_elements(&box) - count), (LUAI_UACINT)stream_elements(&box));
    }
    if (count < stream_elements(&box)) {
        luaL_error(L,
                   "%s: %I of the %I elements to be written are not mapped: map their pages first (t:map), in memory "
                   "that has room for them",
                   function, (LUAI_UACINT)(stream_elements(&box) - count), (LUAI_UACINT)stream_elements(&box));
    }
    if (container_is_lists(self->container)) {
        allocate(L, self, first, last, function);
    }
}

void container_map_range(lua_State *L, LuaContainer *self, const LuaRange *range, const char *function)
{
    int rank = range->shape.rank;
    int64_t first[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    if (container_is_ready(self->container, &range->set)) {
        return;
    }
    int32_t *origins = scratch_push(L, (size_t)stream_bytes(&range->origins));
    DeviceScope scope;
    binding_enter(L, range->origins.device, &scope);
    bool done = transfer_download(&range->origins, origins);
    device_leave(&scope);
    container_done(L, self, done, function);
    if (container_owned(self->container)) {
        binding_enter(L, self->stream.device, &scope);
        done = container_ready_set(self->container, origins, &range->set);
        device_leave(&scope);
        self->stream = *container_whole(self->container);
        container_done(L, self, done, function);
    }
    for (int64_t i = 0; i < range->set.count && !container_owned(self->container); i++) {
        for (int d = 0; d < rank; d++) {
            int64_t size = range->shape.size[rank - 1 - d], end = origins[i * rank + d] + range->set.page[d];
            first[rank - 1 - d] = origins[i * rank + d];
            last[rank - 1 - d] = end < size ? end : size;
        }
        container_make_mapped(L, self, first, last, function);
    }
    scratch_free(L, -1);
    lua_pop(L, 1);
}
