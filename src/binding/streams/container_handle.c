/* The userdata of a container, which contains its header. The methods are in src/binding/containers. */
#include "binding/streams/container_handle.h"

#include "binding/values/callbacks.h"
#include "container/launch.h"

#include <string.h>

enum { CALLBACKS_VALUE = 2 };

static void drop(lua_State *L, void *self)
{
    LuaContainer was = *(LuaContainer *)self;
    (void)L;
    memset(self, 0, sizeof was);
    if (was.container) {
        binding_drop(was.stream.device, container_release(was.container));
    }
}

const HandleType container_type = {"container", "c", sizeof(LuaContainer), .values = CALLBACKS_VALUE, .drop = drop};

/* Updates the header: the buffer changes when memory grows, the shape when a stack grows or shrinks. The boundary modes
 * belong to the handle and are kept. */
static void refresh(LuaContainer *self)
{
    const Stream *whole = container_whole(self->container);
    if (self->stream.buffer != whole->buffer || !shape_equal(&self->stream.shape, &whole->shape)) {
        Stream own = self->stream;
        self->stream = *whole;
        memcpy(self->stream.boundary, own.boundary, sizeof own.boundary);
        self->stream.explicit_boundary = own.explicit_boundary;
        self->stream.inherited_boundary = own.inherited_boundary;
        self->stream.outside = own.outside;
    }
    self->stream.baked = whole->baked;
}

LuaContainer *container_to(lua_State *L, int index)
{
    LuaContainer *self = handle_to(L, index, &container_type);
    if (self && self->container) {
        refresh(self);
    }
    return self;
}

LuaContainer *container_push(lua_State *L)
{
    return handle_push(L, &container_type);
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
    if (container_choosing(self->container)) {
        luaL_error(L, "%s: the container's allocator is running: it cannot use the container", function);
    }
    return self;
}

LuaContainer *container_self(lua_State *L, const char *function, int most)
{
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    binding_count(L, function, most, true);
    return self;
}

void container_offers(lua_State *L, const LuaContainer *self, ContainerOperation operation, const char *function)
{
    const char *refusal = container_refusal(self->container, operation);
    if (refusal) {
        luaL_error(L, "%s: %s", function, refusal);
    }
}

const Stream *container_elements_of(const LuaContainer *self)
{
    return container_flat(self->container) ? container_elements(self->container) : &self->stream;
}

void container_keep(lua_State *L, LuaContainer *self)
{
    const Callbacks *callbacks;
    int index = lua_gettop(L);
    if (!container_hooks(self->container, 0)) {
        return;
    }
    while (lua_touserdata(L, index) != self) {
        index--;
    }
    for (int i = 0; (callbacks = container_hooks(self->container, i)) != NULL; i++) {
        callbacks_keep(L, index, CALLBACKS_VALUE, callbacks);
    }
}

void container_take(lua_State *L, LuaContainer *self, Container *c, const char *function)
{
    if (!c) {
        binding_raise_for(L, function);
    }
    self->container = c;
    container_made(L, self);
}

void container_made(lua_State *L, LuaContainer *self)
{
    self->stream = *container_whole(self->container);
    container_keep(L, self);
    binding_charge(L, self->stream.device);
}

void container_resolve_mapping(lua_State *L, const LuaContainer *self, const char *function)
{
    if (!container_query(self->container, L)) {
        error_prefix("%s", function);
        binding_raise(L);
    }
}

void container_push_line(lua_State *L, LuaContainer *c, int index, const Region *part, const char *function)
{
    const LuaContainer *other = container_to(L, index);
    const Stream *from = !other ? stream_handle_to(L, index) : other->container ? container_elements_of(other) : NULL;
    const Stream *own = container_elements_of(c);
    if (from) {
        record_refuse(L, from, function, 0, NULL);
    }
    if (!from || !from->device || from->device != own->device) {
        luaL_error(L, "%s: expected an open container or stream on the same device, got %s", function,
                   binding_describe(L, index));
    }
    shape_raise_unequal(L, "%s: the shapes differ: %s and %s", function, &own->shape, &from->shape);
    container_resolve_mapping(L, c, function);
    Stream *line = stream_handle_push(L);
    binding_make(L, own->device, function, container_pack(c->container, from, part, line));
}

/* Returns whether the value at `index` has to be replaced by a stream of its mapped elements: a container, or a stream
 * with the shape of c if c is partly mapped. */
static bool is_lined(lua_State *L, const LuaContainer *c, int index)
{
    const Stream *s = stream_handle_to(L, index);
    return container_to(L, index) ||
           (s && s->device && container_partial(c->container) && shape_equal(&s->shape, &c->stream.shape));
}

static void check_axis(lua_State *L, const LuaContainer *c, int index, const char *function)
{
    if (container_partial(c->container) && binding_is_options(L, index) && lua_getfield(L, index, "axis") != LUA_TNIL) {
        luaL_error(L,
                   "%s: a container that is partly mapped has no axes: its mapped elements are used as one list; "
                   "c:stream() is "
                   "a stream of all elements",
                   function);
    }
}

void container_accept_lines(lua_State *L, const char *function, bool each)
{
    int top = lua_gettop(L), first = 1;
    while (first <= top && !container_to(L, first)) {
        first++;
    }
    if (first > top) {
        return;
    }
    LuaContainer *c = container_check(L, first, function, first, "c");
    container_resolve_mapping(L, c, function);
    for (int i = 1; i <= top; i++) {
        check_axis(L, c, i, function);
        if (i != first && (each ? container_to(L, i) != NULL : is_lined(L, c, i))) {
            container_push_line(L, each ? container_check(L, i, function, i, "c") : c, i, NULL, function);
            lua_replace(L, i);
        }
        lua_settop(L, top);
    }
    container_push_line(L, c, first, NULL, function);
    lua_replace(L, first);
}

void container_done(lua_State *L, const LuaContainer *self, bool done, const char *function)
{
    if (!done) {
        binding_raise_for(L, function);
    }
    binding_charge(L, self->stream.device);
}

/* Updates the header after the container was prepared for writing. The collector must not be charged between preparing
 * and writing: it could close the container. */
static void made_ready(lua_State *L, LuaContainer *self, bool done, const char *function)
{
    refresh(self);
    if (!done) {
        binding_raise_for(L, function);
    }
}

void container_make_mapped(lua_State *L, LuaContainer *self, const int64_t *first, const int64_t *last,
                           const char *function)
{
    binding_prepare(L, self->stream.device);
    made_ready(L, self, container_prepare(self->container, first, last, L), function);
}

void container_map_region(lua_State *L, LuaContainer *self, const Region *region, const char *function)
{
    binding_prepare(L, self->stream.device);
    made_ready(L, self, container_prepare_region(self->container, region, L), function);
}
