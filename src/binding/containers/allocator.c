/* The option `allocator` of containers with pages: a user function that chooses frames for pages. */
#include "binding/containers/container.h"
#include "binding/values/callbacks.h"
#include "binding/values/coordinates.h"

#include <stdlib.h>

typedef struct ChooseCall {
    const Callbacks *allocator;
    int rank;
    PageList *list;
} ChooseCall;

static void push_page(lua_State *L, const PageEntry *entry, int rank)
{
    int64_t page[SHAPE_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        page[d] = entry->page[d];
    }
    coordinates_push(L, page, rank);
}

static int call_choose(lua_State *L)
{
    ChooseCall *call = lua_touserdata(L, 1);
    PageList *list = call->list;
    callbacks_push(L, call->allocator);
    lua_rawgeti(L, -1, 1);
    lua_createtable(L, (int)list->count, 0);
    lua_createtable(L, (int)list->count, 0);
    for (size_t i = 0; i < list->count; i++) {
        push_page(L, &list->items[i], call->rank);
        lua_rawseti(L, -3, (lua_Integer)i + 1);
        lua_pushinteger(L, list->items[i].frame);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_call(L, 2, 1);
    if (lua_isnil(L, -1)) {
        return 0;
    }
    if (!lua_istable(L, -1)) {
        return luaL_error(L, "expected the function to return a list of frames or nil, got %s",
                          binding_describe(L, -1));
    }
    for (size_t i = 0; i < list->count; i++) {
        int whole = 0;
        lua_Integer frame = lua_geti(L, -1, (lua_Integer)i + 1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &whole) : 0;
        if (!whole || frame < 0 || frame > INT32_MAX) {
            return luaL_error(L, "item %I of the result: expected a frame, a whole number from 0, got %s",
                              (LUAI_UACINT)i + 1, binding_describe(L, -1));
        }
        list->items[i].frame = (int32_t)frame;
        lua_pop(L, 1);
    }
    return 0;
}

/* Calls the allocator. Runs within a scope, on the coroutine that entered the device. */
static bool choose(void *self, int rank, PageList *list)
{
    const Callbacks *allocator = self;
    lua_State *L = state_get(allocator->main)->running;
    ChooseCall call = {allocator, rank, list};
    L = L ? L : allocator->main;
    return callbacks_call(L, call_choose, &call, "allocator");
}

void allocator_option(lua_State *L, int options, const char *function, LuaContainer *self)
{
    if (lua_getfield(L, options, "allocator") == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    if (!lua_isfunction(L, -1)) {
        binding_argument(L, function, BINDING_OPTION, "allocator", lua_gettop(L), "a function");
    }
    lua_createtable(L, 1, 0);
    lua_insert(L, -2);
    lua_rawseti(L, -2, 1);
    const Callbacks callbacks = callbacks_create(L);
    Callbacks *held = malloc(sizeof *held);
    if (!held) {
        luaL_error(L, "%s: out of host memory", function);
    }
    *held = callbacks;
    container_set_allocator(self->container, &(AllocatorHooks){.self = held, .choose = choose, .drop = free});
    container_keep(L, self);
    lua_pop(L, 1);
}
