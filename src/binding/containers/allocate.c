/* c:allocate and c:release. */
#include "binding/containers/container.h"

/* The differences between c:allocate and c:release. */
typedef struct PageChange {
    const char *function;
    bool (*box)(Container *c, const int64_t *first, const int64_t *last);
    bool (*points)(Container *c, const Stream *points, bool *found);
} PageChange;

static bool has_pages(const LuaContainer *self)
{
    return container_paged(self->container) || container_traits(self->container)->owns_pages;
}

static void change_points(lua_State *L, LuaContainer *self, const PageChange *change)
{
    const char *function = change->function;
    const Stream *points = accept_check(L, 2, function, 1, "points");
    container_check(L, 1, function, 0, "c"); /* an expression may have closed it */
    if (points->device != self->stream.device) {
        binding_argument(L, function, 1, "points", 2, "a stream on the container's device");
    }
    DeviceScope scope;
    bool found;
    binding_enter(L, self->stream.device, &scope);
    bool done = change->points(self->container, points, &found);
    device_leave(&scope);
    if (!found) {
        binding_argument_error(L, function, 1, "points");
    } else if (!done) {
        binding_raise_for(L, function);
    }
}

static void change_box(lua_State *L, LuaContainer *self, const PageChange *change)
{
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    if (lua_isnoneornil(L, 3)) { /* one element */
        lua_settop(L, 2);
        lua_pushvalue(L, 2);
    }
    container_box_check(L, self, 2, change->function, 1, from, to);
    if (has_pages(self)) {
        binding_run(L, self->stream.device, change->function, change->box(self->container, from, to));
    }
}

/* Raises if pages of the container can be neither allocated nor released, unless all its elements are mapped. */
static void check_pages(lua_State *L, const LuaContainer *self, const char *function)
{
    TranslatorInfo info = translator_info(container_translator(self->container));
    if (has_pages(self)) {
        return;
    }
    container_resolve_mapping(L, self, function);
    if (container_complete(self->container)) {
        return;
    }
    container_offers(L, self, CONTAINER_ALLOCATE, function);
    luaL_error(L,
               info.pages ? "%s: this container's pages belong to its translator: use t:map and t:unmap"
               : info.traits.mutable
                   ? "%s: this container's pages belong to a translator of which '%s' is composed: use "
                     "t:map and t:unmap of that translator"
                   : "%s: the mapping of translator '%s' is fixed",
               function, info.name);
}

/* Maps or unmaps pages. Does nothing if all elements of the container are mapped and it has no pages. */
static int change_pages(lua_State *L, const PageChange *change)
{
    const char *function = change->function;
    LuaContainer *self = container_self(L, function, 3);
    bool points = stream_handle_to(L, 2) || expression_hooks_is_expression(L, 2);
    if (container_to(L, 2)) {
        binding_argument(L, function, 1, "points", 2, "an index or a stream of points");
    }
    if (lua_isnoneornil(L, 2) || (points && !lua_isnoneornil(L, 3))) {
        binding_argument(L, function, lua_isnoneornil(L, 2) ? 1 : 2, lua_isnoneornil(L, 2) ? "first" : "last",
                         lua_isnoneornil(L, 2) ? 2 : 3, points ? "nothing after points" : "an index or points");
    }
    check_pages(L, self, function);
    if (!points) {
        change_box(L, self, change);
    } else if (has_pages(self)) {
        change_points(L, self, change);
    }
    binding_charge(L, self->stream.device);
    lua_settop(L, 1);
    return 1;
}

/* c:allocate(first [, last]), c:allocate(points): maps pages. */
int container_allocate_call(lua_State *L)
{
    static const PageChange change = {"c:allocate", container_allocate, container_allocate_points};
    return change_pages(L, &change);
}

/* c:release(first [, last]), c:release(points): frees pages. */
int container_release_call(lua_State *L)
{
    static const PageChange change = {"c:release", container_free, container_free_points};
    return change_pages(L, &change);
}
