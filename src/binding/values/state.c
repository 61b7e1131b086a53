/* The state of rill in one Lua state: its devices and flags. */
#include "base/array.h"
#include "base/environment.h"
#include "binding/binding.h"
#include "gpu/tuning.h"
#include "kernel/launch/tuner.h"

#include <stdlib.h>
#include <string.h>

static const char state_key;
static const char meta_key;

State *state_get(lua_State *L)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &state_key);
    State *state = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return state;
}

void state_use_device(lua_State *L, Device *device)
{
    State *state = state_get(L);
    if (!ARRAY_ROOM(&state->devices)) {
        device_release(device);
        binding_raise(L);
    }
    state->devices.items[state->devices.count++] = device;
    state->device = device;
    if (tuning_due(device)) {
        tuner_run(device);
    }
}

Device *state_device(lua_State *L)
{
    State *state = state_get(L);
    if (state->closed) {
        luaL_error(L, "rill: this Lua state is closing");
    }
    if (!state->device) {
        Device *device = device_open(NULL);
        if (!device) {
            binding_raise(L);
        }
        state_use_device(L, device);
    }
    return state->device;
}

/* The state is created first and so finalized last, after all streams. */
static int state_gc(lua_State *L)
{
    State *state = binding_finalized(L, &meta_key, sizeof *state);
    if (!state) {
        return 0;
    }
    state->closed = true;
    for (size_t i = 0; i < state->devices.count; i++) {
        device_set_collector(state->devices.items[i], NULL, NULL);
        device_release(state->devices.items[i]);
    }
    free(state->scratch.memory);
    state->scratch = (HostMemory){NULL, 0};
    free(state->devices.items);
    memset(&state->devices, 0, sizeof state->devices);
    state->device = NULL;
    return 0;
}

void state_create(lua_State *L)
{
    State *state = lua_newuserdatauv(L, sizeof *state, 0);
    memset(state, 0, sizeof *state);
    state->check = environment_flag("RILL_CHECK");
    lua_createtable(L, 0, 1);
    fields_function(L, "__gc", state_gc);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &meta_key);
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &state_key);
}
