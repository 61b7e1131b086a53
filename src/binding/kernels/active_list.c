/* What a launch with `where` maps of the containers that it writes. */
#include "binding/kernels/kernel.h"
#include "binding/streams/container_handle.h"

#include "gpu/memory/buffer.h"

/* The boxes that are mapped or not as a whole. */
static void box_sizes(const Container *c, int64_t *page)
{
    if (container_paged(c)) {
        translator_page_sizes(container_translator(c), page);
        return;
    }
    for (int d = 0; d < SHAPE_MAX_RANK; d++) {
        page[d] = 1;
    }
}

/* Pushes the table of the list in which regions are kept by the sizes of their boxes: an empty one if the list was written since. */
static void push_kept(lua_State *L, const Call *call)
{
    lua_Integer version = (lua_Integer)buffer_version(call->active->buffer);
    if (lua_getfield(L, call->active_at, "_pages") == LUA_TTABLE) {
        lua_rawgeti(L, -1, 1);
        bool same = lua_tointeger(L, -1) == version;
        lua_pop(L, 1);
        if (same) {
            return;
        }
    }
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushinteger(L, version);
    lua_rawseti(L, -2, 1);
    lua_pushvalue(L, -1);
    lua_setfield(L, call->active_at, "_pages");
}

static void push_key(lua_State *L, const int64_t *page, int rank)
{
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    for (int d = 0; d < rank; d++) {
        lua_pushfstring(L, "%I ", (LUAI_UACINT)page[d]);
        luaL_addvalue(&b);
    }
    luaL_pushresult(&b);
}

const Region *call_active_pages(lua_State *L, const Call *call, const LuaContainer *c)
{
    int64_t page[SHAPE_MAX_RANK];
    box_sizes(c->container, page);
    int top = lua_gettop(L);
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    push_kept(L, call);
    push_key(L, page, call->domain.rank);
    lua_pushvalue(L, -1);
    lua_rawget(L, top + 1);
    LuaRange *range = range_to(L, -1);
    if (!range) {
        DeviceScope scope;
        lua_settop(L, top + 2);
        range = range_push(L);
        binding_enter(L, call->device, &scope);
        Region *region = region_of_active(call->active, &call->domain, page);
        device_leave(&scope);
        range_take(L, range, region, call->function->name);
        lua_rawset(L, top + 1);
    }
    lua_settop(L, top);
    return range->region;
}
