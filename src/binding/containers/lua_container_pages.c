/* c:allocate and c:release. */
#include "binding/containers/lua_container.h"

/* The header is another one after memory has grown. */
static void refresh(LuaContainer *self)
{
    self->stream = *container_whole(self->container);
}

/* What c:allocate and c:release differ in. */
typedef struct PageChange {
    const char *function;
    bool (*box)(Container *c, const int64_t *first, const int64_t *last);
    bool (*numbers)(Container *c, const int32_t *numbers, int64_t count);
} PageChange;

/* The distinct numbers of the pages of the points at 2, in a scratch that is pushed. */
static const int32_t *push_numbers(lua_State *L, const LuaContainer *self, const char *function, int64_t *count)
{
    const Stream *points = accept_check(L, 2, function, 1, "points");
    if (points->device != self->stream.device) {
        binding_argument(L, function, 1, "points", 2, "a stream on the container's device");
    }
    Stream *numbers = handle_push(L);
    DeviceScope scope;
    binding_enter(L, self->stream.device, &scope);
    bool done = container_page_numbers(self->container, points, numbers);
    device_leave(&scope);
    if (!done) {
        binding_argument_error(L, function, 1, "points");
    }
    lua_getfield(L, -1, "unique");
    lua_insert(L, -2);
    lua_call(L, 1, 1);
    const Stream *distinct = accept_check(L, lua_gettop(L), function, 1, "points");
    *count = stream_elements(distinct);
    int32_t *packed = scratch_push(L, (size_t)stream_bytes(distinct));
    binding_enter(L, self->stream.device, &scope);
    done = transfer_download(distinct, packed);
    device_leave(&scope);
    container_done(L, self, done, function);
    if (*count > 0 && packed[0] < 0) { /* ascending */
        luaL_error(L, "%s: argument #1 'points': some lie outside of the container's shape; they count from 0",
                   function);
    }
    return packed;
}

static bool change_numbers(lua_State *L, LuaContainer *self, const PageChange *change)
{
    int64_t count;
    const int32_t *numbers = push_numbers(L, self, change->function, &count);
    container_check(L, 1, change->function, 0, "c"); /* a finalizer may have closed it meanwhile */
    DeviceScope scope;
    binding_enter(L, self->stream.device, &scope);
    bool done = change->numbers(self->container, numbers, count);
    device_leave(&scope);
    return done;
}

static bool change_box(lua_State *L, LuaContainer *self, const PageChange *change)
{
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    if (lua_isnoneornil(L, 3)) { /* one element */
        lua_settop(L, 2);
        lua_pushvalue(L, 2);
    }
    box_check(L, &self->stream, 2, change->function, 1, from, to);
    if (!container_pooled(self->container)) {
        return true;
    }
    DeviceScope scope;
    binding_enter(L, self->stream.device, &scope);
    bool done = change->box(self->container, from, to);
    device_leave(&scope);
    return done;
}

/* Pages of its own; what has none has no need of them. */
static int change_pages(lua_State *L, const PageChange *change)
{
    const char *function = change->function;
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    binding_count(L, function, 3, true);
    bool points = handle_to(L, 2) || hooks_is_expression(L, 2);
    if (lua_isnoneornil(L, 2) || (points && !lua_isnoneornil(L, 3))) {
        binding_argument(L, function, lua_isnoneornil(L, 2) ? 1 : 2, lua_isnoneornil(L, 2) ? "first" : "last",
                         lua_isnoneornil(L, 2) ? 2 : 3, points ? "nothing behind points" : "an index or points");
    }
    if (!container_pooled(self->container) && !translator_info(container_translator(self->container)).traits.complete) {
        return luaL_error(L, "%s: this container's pages are its translator's: use t:map and t:unmap", function);
    }
    bool done = true;
    if (!points) {
        done = change_box(L, self, change);
    } else if (container_pooled(self->container)) {
        done = change_numbers(L, self, change);
    }
    refresh(self);
    container_done(L, self, done, function);
    lua_settop(L, 1);
    return 1;
}

/* c:allocate(first [, last]), c:allocate(points) */
int container_allocate_call(lua_State *L)
{
    static const PageChange change = {"c:allocate", container_allocate, container_allocate_numbers};
    return change_pages(L, &change);
}

int container_release_call(lua_State *L)
{
    static const PageChange change = {"c:release", container_free, container_free_numbers};
    return change_pages(L, &change);
}
