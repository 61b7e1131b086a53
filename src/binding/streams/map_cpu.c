/* s:map_cpu(): an indexable view of the elements on the host. Pages of 64 KiB are present, modified, or (lazy) not yet
 * transferred. */
#include "binding/values/handle.h"
#include "kernel/host/host_map.h"

#include <stdlib.h>
#include <string.h>

static void drop(lua_State *L, void *map);

static const HandleType map_type = {"map", "m", sizeof(HostMap), .drop = drop, .final = true};

static HostMap *map_check(lua_State *L, const char *function)
{
    HostMap *map = handle_to(L, 1, &map_type);
    if (!map) {
        luaL_error(L, "%s: expected a mapped stream, got %s", function, binding_describe(L, 1));
    }
    return map;
}

static HostMap *map_check_open(lua_State *L, const char *function)
{
    HostMap *map = map_check(L, function);
    if (!map->bytes) {
        luaL_error(L, "%s: the stream was unmapped", function);
    }
    return map;
}

static void map_free(HostMap *map)
{
    host_map_free(map);
    stream_handle_drop(&map->whole);
    stream_handle_drop(&map->view);
}

/* Writes modified pages back and releases the map. Never raises, as __gc calls it too. */
static bool map_finish(lua_State *L, HostMap *map)
{
    bool good = true;
    if (map->bytes && map->view.device) {
        DeviceScope scope;
        state_get(L)->running = L; /* writing back may run the collector for lack of memory */
        good = device_enter(map->view.device, &scope);
        if (good) {
            good = host_map_write_back(map);
            device_leave(&scope);
        }
    }
    map_free(map);
    return good;
}

static void drop(lua_State *L, void *map)
{
    map_finish(L, map);
}

static int map_unmap(lua_State *L)
{
    HostMap *map = map_check(L, "m:unmap");
    if (!binding_park_final(L, 1) && !map_finish(L, map)) {
        error_prefix("m:unmap");
        binding_raise(L);
    }
    return 0;
}

/* Returns the bytes of element `number`, and transfers its page first if it is not present. */
static char *map_element(lua_State *L, HostMap *map, int64_t number)
{
    if (!host_map_has(map, number)) {
        binding_run(L, map->view.device, "m[i]", host_map_fetch(map, number));
    }
    return host_map_element(map, number);
}

static int map_index(lua_State *L)
{
    if (lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), "unmap") == 0) {
        lua_pushcfunction(L, map_unmap);
        return 1;
    }
    HostMap *map = map_check_open(L, "m[i]");
    if (lua_type(L, 2) != LUA_TNUMBER) {
        return luaL_error(L, "a mapped stream has no field or method %s (it has m[i], #m and m:unmap())",
                          binding_key(L, 2));
    }
    int64_t number = binding_index(L, 2, "m[i]", 1, "i");
    if (number < 0) {
        binding_argument(L, "m[i]", 1, "i", 2, "an index from 1");
    }
    if (number >= stream_elements(&map->view)) {
        lua_pushnil(L);
    } else {
        value_push(L, map->view.type, map_element(L, map, number));
    }
    return 1;
}

static int map_newindex(lua_State *L)
{
    char element[TYPE_MAX_BYTES];
    HostMap *map = map_check_open(L, "m[i] = v");
    int64_t number = binding_index(L, 2, "m[i] = v", 1, "i");
    int64_t count = stream_elements(&map->view);
    if (number < 0 || number >= count) {
        return luaL_error(L, "m[i] = v: index %I is out of range 1 .. %I", lua_tointeger(L, 2), (lua_Integer)count);
    }
    accept_writable(L, &map->view, "m[i] = v");
    if (!value_pack(L, 3, map->view.type, element)) {
        binding_argument_error(L, "m[i] = v", 2, "v");
    }
    memcpy(map_element(L, map, number), element, (size_t)map->view.type->bytes);
    host_map_written(map, number);
    return 0;
}

static int map_len(lua_State *L)
{
    lua_pushinteger(L, stream_elements(&map_check_open(L, "#m")->view));
    return 1;
}

static int map_tostring(lua_State *L)
{
    const HostMap *map = map_check(L, "tostring");
    if (map->bytes) {
        lua_pushfstring(L, "mapped stream<%s> of %I", map->view.type->name, (lua_Integer)stream_elements(&map->view));
    } else {
        lua_pushliteral(L, "unmapped stream");
    }
    return 1;
}

/* Reads the option table {lazy = true}. */
static bool lazy_option(lua_State *L)
{
    if (lua_isnoneornil(L, 2)) {
        return false;
    }
    if (!binding_is_options(L, 2)) {
        binding_argument(L, "s:map_cpu", 1, "options", 2, "a table of options");
    }
    binding_known(L, 2, "s:map_cpu", (const char *const[]){"lazy", NULL});
    lua_getfield(L, 2, "lazy");
    if (!lua_isboolean(L, -1) && !lua_isnil(L, -1)) {
        binding_argument(L, "s:map_cpu", 1, "lazy", -1, "true or false");
    }
    return lua_toboolean(L, -1);
}

static int stream_map_cpu(lua_State *L)
{
    const Stream *s = accept_self(L, "s:map_cpu", 2);
    bool lazy = lazy_option(L);
    HostMap *map = handle_push(L, &map_type);
    if (!host_map_create(map, s)) {
        binding_raise_for(L, "s:map_cpu");
    }
    binding_make(L, s->device, "s:map_cpu", host_map_open(map, lazy));
    return 1;
}

void open_map_cpu(lua_State *L)
{
    static const luaL_Reg meta[] = {
        {"__newindex", map_newindex}, {"__len", map_len}, {"__tostring", map_tostring},
        {"__close", map_unmap},       {NULL, NULL},
    };
    static const luaL_Reg methods[] = {{"map_cpu", stream_map_cpu}, {NULL, NULL}};
    lua_pushcfunction(L, map_index);
    handle_open(L, &map_type, meta);
    stream_handle_methods(L, methods);
}
