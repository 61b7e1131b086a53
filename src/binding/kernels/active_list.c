/* Caches the regions of an active list (the option `where`) in its table. */
#include "binding/kernels/kernel.h"
#include "binding/streams/range_handle.h"

#include "container/region/active_list.h"
#include "gpu/memory/buffer.h"

/* Pushes the cache of the list, which maps box sizes to regions. It is replaced by an empty one if the list was written
 * since. */
static void push_cache(lua_State *L, const Call *call)
{
    lua_Integer version = (lua_Integer)buffer_version(call->launch.active->buffer);
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

static void push_key(lua_State *L, const int64_t *sizes, int rank)
{
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    for (int d = 0; d < rank; d++) {
        lua_pushfstring(L, "%I ", (LUAI_UACINT)sizes[d]);
        luaL_addvalue(&b);
    }
    luaL_pushresult(&b);
}

const Region *call_push_active_boxes(lua_State *L, const Call *call, const int64_t *sizes)
{
    const ContainerLaunch *launch = &call->launch;
    int top = lua_gettop(L);
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    push_cache(L, call);
    push_key(L, sizes, launch->domain.rank);
    lua_pushvalue(L, -1);
    lua_rawget(L, top + 1);
    LuaRange *range = range_to(L, -1);
    if (!range) {
        Region *region;
        lua_settop(L, top + 2);
        range = range_push(L);
        binding_run(L, call->device, call->function->name,
                    (region = region_of_active(launch->active, &launch->domain, sizes)) != NULL);
        range_take(L, range, region, call->function->name);
        lua_pushvalue(L, -1);
        lua_insert(L, top + 1);
        lua_rawset(L, top + 2);
    } else {
        lua_replace(L, top + 1);
    }
    lua_settop(L, top + 1);
    return range->region;
}
