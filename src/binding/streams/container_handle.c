/* The userdata of a container: its header. What it can do is containers/container.c's. */
#include "binding/streams/container_handle.h"

#include "binding/values/callbacks.h"

#include <string.h>

enum { CALLBACKS_VALUE = 2 };

const char container_meta;

/* Memory that has grown is another buffer, a stack's size another one; what lies outside is the handle's own. */
static void refresh(LuaContainer *self)
{
    const Stream *whole = container_whole(self->container);
    if (self->stream.buffer != whole->buffer || !shape_equal(&self->stream.shape, &whole->shape)) {
        Stream own = self->stream;
        self->stream = *whole;
        memcpy(self->stream.boundary, own.boundary, sizeof own.boundary);
        self->stream.explicit_boundary = own.explicit_boundary;
        self->stream.outside = own.outside;
    }
    self->stream.baked = whole->baked;
}

LuaContainer *container_to(lua_State *L, int index)
{
    LuaContainer *self = binding_userdata(L, index, &container_meta, sizeof(LuaContainer));
    if (self && self->container) {
        refresh(self);
    }
    return self;
}

LuaContainer *container_push(lua_State *L)
{
    LuaContainer *self = lua_newuserdatauv(L, sizeof *self, CALLBACKS_VALUE);
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
    if (container_choosing(self->container)) {
        luaL_error(L, "%s: its allocator is choosing frames: nothing is asked of the container meanwhile", function);
    }
    return self;
}

const Stream *container_elements_of(const LuaContainer *self)
{
    return container_is_lists(self->container) ? container_elements(self->container) : &self->stream;
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
        error_prefix("%s", function);
        binding_raise(L);
    }
    self->container = c;
    self->stream = *container_whole(c);
    container_keep(L, self);
    binding_charge(L, self->stream.device);
}

void container_asked(lua_State *L, const LuaContainer *self, const char *function)
{
    if (!container_query(self->container, L)) {
        error_prefix("%s", function);
        binding_raise(L);
    }
}

void container_push_line(lua_State *L, LuaContainer *c, int index, const Region *part, const char *function)
{
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    const LuaContainer *other = container_to(L, index);
    const Stream *from = !other ? stream_handle_to(L, index) : other->container ? container_elements_of(other) : NULL;
    const Stream *own = container_elements_of(c);
    if (!from || !from->device || from->device != own->device) {
        luaL_error(L, "%s: expected an open container or stream on the same device, got %s", function,
                   binding_describe(L, index));
    } else if (!shape_equal(&from->shape, &own->shape)) {
        luaL_error(L, "%s: the shapes differ: %s and %s", function, shape_text(&own->shape, a),
                   shape_text(&from->shape, b));
    }
    container_asked(L, c, function);
    Stream *line = stream_handle_push(L);
    DeviceScope scope;
    binding_enter(L, own->device, &scope);
    bool done = container_pack(c->container, from, part, line);
    device_leave(&scope);
    container_done(L, c, done, function);
}

/* Whether a value is lined: a container, or a stream of the shape of one that is mapped in part. */
static bool is_lined(lua_State *L, const LuaContainer *c, int index)
{
    const Stream *s = stream_handle_to(L, index);
    return container_to(L, index) ||
           (s && s->device && container_partial(c->container) && shape_equal(&s->shape, &c->stream.shape));
}

static void check_axis(lua_State *L, const LuaContainer *c, int index, const char *function)
{
    if (container_partial(c->container) && binding_is_options(L, index) && lua_getfield(L, index, "axis") != LUA_TNIL) {
        luaL_error(
            L,
            "%s: a container that is mapped in part has no axes: what is mapped is taken as one list; c:stream() is "
            "all of it",
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
    container_asked(L, c, function);
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
        error_prefix("%s", function);
        binding_raise(L);
    }
    binding_charge(L, self->stream.device);
}

/* After a container was made ready to be written. Nothing is charged before it is: what that collects may close the container. */
static void made_ready(lua_State *L, LuaContainer *self, bool done, const char *function)
{
    refresh(self);
    if (!done) {
        error_prefix("%s", function);
        binding_raise(L);
    }
}

/* Of a container whose memory is its own. */
static void allocate(lua_State *L, LuaContainer *self, const int64_t *first, const int64_t *last, const char *function)
{
    DeviceScope scope;
    binding_enter(L, self->stream.device, &scope);
    bool done = container_ready(self->container, first, last);
    device_leave(&scope);
    made_ready(L, self, done, function);
}

/* Of one whose elements are all there that may be written: what snapshots share with it is copied. */
static void unshare(lua_State *L, LuaContainer *self, const char *function)
{
    DeviceScope scope;
    if (container_shares(self->container)) {
        binding_enter(L, self->stream.device, &scope);
        bool done = container_ready_mapped(self->container);
        device_leave(&scope);
        made_ready(L, self, done, function);
    }
}

static void raise_unmapped(lua_State *L, int64_t missing, int64_t all, const char *function)
{
    luaL_error(L,
               "%s: %I of the %I elements to be written are not mapped: map their pages first (t:map), in memory that "
               "has room for them",
               function, (LUAI_UACINT)missing, (LUAI_UACINT)all);
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
        raise_unmapped(L, stream_elements(&box) - count, stream_elements(&box), function);
    }
    unshare(L, self, function);
}

/* How many elements of a region are not mapped. */
typedef struct Missing {
    const LuaContainer *self;
    lua_State *L;
    int64_t count;
    bool failed;
} Missing;

static bool count_missing(void *data, const int64_t *first, const int64_t *last)
{
    Missing *missing = data;
    int rank = missing->self->stream.shape.rank;
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK], mapped, all = 1;
    for (int d = 0; d < rank; d++) {
        from[rank - 1 - d] = first[d];
        to[rank - 1 - d] = last[d] + 1;
        all *= last[d] - first[d] + 1;
    }
    missing->failed = !container_count(missing->self->container, from, to, &mapped, missing->L);
    missing->count += missing->failed ? 0 : all - mapped;
    return !missing->failed;
}

void container_map_region(lua_State *L, LuaContainer *self, const Region *region, const char *function)
{
    if (container_owned(self->container)) {
        DeviceScope scope;
        binding_enter(L, self->stream.device, &scope);
        bool done = container_ready_region(self->container, region);
        device_leave(&scope);
        made_ready(L, self, done, function);
        return;
    }
    if (container_has(self->container, region)) {
        unshare(L, self, function);
        return;
    }
    Missing missing = {.self = self, .L = L};
    region_boxes(region, count_missing, &missing);
    made_ready(L, self, !missing.failed, function);
    if (missing.count > 0) {
        raise_unmapped(L, missing.count, region->set.elements, function);
    }
    unshare(L, self, function);
}
