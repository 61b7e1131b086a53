/* Functions for lua/rill/profile.lua and lua/rill/shell/cpu_cost.lua: a profile of the current device, its copy rate,
 * and running on one core. */
#include "binding/binding.h"
#include "binding/single_core.h"

#include "gpu/program/profile.h"

/* _profile_start(): starts recording launches. */
static int l_start(lua_State *L)
{
    Device *device = state_device(L);
    binding_run(L, device, "rill.profile", profile_start(device));
    return 0;
}

static void push_rows(lua_State *L, const Profile *profile)
{
    lua_createtable(L, (int)profile->count, 0);
    for (size_t i = 0; i < profile->count; i++) {
        const ProfileRow *row = &profile->rows[i];
        lua_createtable(L, 0, 6);
        fields_string(L, "name", row->name);
        if (*row->reason) {
            fields_string(L, "reason", row->reason);
        }
        fields_count(L, "calls", row->calls);
        fields_count(L, "bytes", row->bytes);
        fields_number(L, "device_time", row->device_seconds);
        fields_number(L, "host_time", row->host_seconds);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static int push_profile(lua_State *L)
{
    const Profile *profile = lua_touserdata(L, 1);
    lua_createtable(L, 0, 8);
    push_rows(L, profile);
    lua_setfield(L, -2, "rows");
    fields_number(L, "time", profile->seconds);
    fields_number(L, "compile_time", profile->compile_seconds);
    fields_count(L, "compiled", profile->compiled);
    fields_count(L, "launches", profile->launches);
    fields_count(L, "peak", profile->peak);
    return 1;
}

/* _profile_stop(): stops recording and returns the profile as a table. */
static int l_stop(lua_State *L)
{
    Profile profile;
    Device *device = state_device(L);
    binding_run(L, device, "rill.profile", profile_stop(device, &profile));
    lua_pushcfunction(L, push_profile);
    lua_pushlightuserdata(L, &profile);
    int status = lua_pcall(L, 1, 1, 0); /* an error for lack of memory must not leak the rows */
    profile_free(&profile);
    return status == LUA_OK ? 1 : lua_error(L);
}

/* _copy_rate(): returns the bytes per second of a copy on the current device. */
static int l_copy_rate(lua_State *L)
{
    double rate;
    Device *device = state_device(L);
    binding_run(L, device, NULL, (rate = profile_copy_rate(device)) > 0);
    lua_pushnumber(L, rate);
    return 1;
}

/* _single_core(f): calls f while all threads of the process are bound to one core. Returns whether the system supports
 * that, and the results of f. */
static int l_single_core(lua_State *L)
{
    SingleCore saved = {.count = 0};
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    lua_pushboolean(L, 0);
    lua_insert(L, 1);
    bool alone = single_core_begin(&saved);
    int status = lua_pcall(L, 0, LUA_MULTRET, 0);
    single_core_end(&saved);
    if (status != LUA_OK) {
        return lua_error(L);
    }
    lua_pushboolean(L, alone);
    lua_replace(L, 1);
    return lua_gettop(L);
}

void open_profile(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_profile_start", l_start},
                                         {"_profile_stop", l_stop},
                                         {"_copy_rate", l_copy_rate},
                                         {"_single_core", l_single_core},
                                         {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
