/* Enters devices, charges the collector with programs, and defers closing values that a call may be using. */
#include "binding/binding.h"

#include <string.h>

static const char parked_key; /* the list of values to be closed after the current call */

/* The number of compiled programs after which a full collection runs. Steps do not find unused kernels in generational
 * mode (see collector.c), and kernels are small in the heap. */
enum { COMPILED_MOST = 64 };

/* Returns whether the running function was called by a finalizer, which the collector runs within any other call. The
 * collector is stopped during a finalizer: LUA_GCISRUNNING is -1. Before Lua 5.4.4 it is 0, as when the script stopped
 * the collector, so the call stack is searched. */
static bool in_finalizer(lua_State *L)
{
    lua_Debug call;
    int running = lua_gc(L, LUA_GCISRUNNING);
    if (running != 0) {
        return running < 0;
    }
    for (int level = 1; lua_getstack(L, level, &call) && lua_getinfo(L, "n", &call); level++) {
        if (call.name && strcmp(call.namewhat, "metamethod") == 0 && strcmp(call.name, "__gc") == 0) {
            return true;
        }
    }
    return false;
}

static bool park(lua_State *L, State *state, int index)
{
    int top = lua_gettop(L);
    index = lua_absindex(L, index);
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &parked_key) != LUA_TTABLE) {
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &parked_key);
    }
    lua_pushvalue(L, index);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    state->parked = true;
    lua_settop(L, top);
    return true;
}

bool binding_park_final(lua_State *L, int index)
{
    State *state = state_get(L);
    return (state->collecting || in_finalizer(L)) && park(L, state, index);
}

bool binding_park(lua_State *L, int index)
{
    State *state = state_get(L);
    return state->user_calls > 0 ? park(L, state, index) : binding_park_final(L, index);
}

int binding_call_user(lua_State *L, lua_CFunction f, void *context)
{
    State *state = state_get(L);
    lua_pushcfunction(L, f);
    lua_pushlightuserdata(L, context);
    state->user_calls++;
    int status = lua_pcall(L, 1, 0, 0);
    state->user_calls--;
    state->running = L; /* the function may have changed it */
    return status;
}

/* Closes the values whose closing was deferred. */
static void close_parked(lua_State *L, State *state)
{
    if (!lua_checkstack(L, 8)) {
        return; /* the next call closes them */
    }
    state->parked = false;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &parked_key);
    lua_pushnil(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &parked_key);
    for (lua_Integer i = 1; lua_rawgeti(L, -1, i) == LUA_TUSERDATA; i++) {
        luaL_getmetafield(L, -1, "__close");
        lua_insert(L, -2);
        if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
            lua_pop(L, 1); /* the error is dropped, as errors of finalizers are */
        }
    }
    lua_pop(L, 2);
}

void binding_charge(lua_State *L, Device *device)
{
    State *state = state_get(L);
    if (state->parked && !state->collecting && state->user_calls == 0 && !in_finalizer(L)) {
        close_parked(L, state);
    }
    if (!device) {
        return;
    }
    state->compiled += device_take_compiled(device);
    if (state->compiled >= COMPILED_MOST && !state->collecting && lua_gc(L, LUA_GCISRUNNING) > 0) {
        state->compiled = 0;
        lua_gc(L, LUA_GCCOLLECT);
    }
}

/* Runs a full collection because an allocation is about to fail, so that finalizers release unreachable streams. */
static void state_collect(void *context)
{
    State *state = context;
    if (state->collecting || state->closed) {
        return;
    }
    state->collecting = true;
    lua_gc(state->running, LUA_GCCOLLECT);
    state->collecting = false;
}

void binding_prepare(lua_State *L, Device *device)
{
    State *state = state_get(L);
    if (state->collecting) {
        luaL_error(L, "rill: a finalizer that runs while memory is short may only close streams");
    }
    interrupt_check(L);
    if (state->closed) {
        luaL_error(L, "rill: this Lua state is closing");
    }
    if (!device) {
        luaL_error(L, "rill: a stream was closed by a finalizer while a call was using it");
    }
    collector_run(L, state);
    state->running = L;
    device_set_collector(device, state_collect, state);
}

void binding_enter(lua_State *L, Device *device, DeviceScope *scope)
{
    binding_prepare(L, device);
    if (!device_enter(device, scope)) {
        binding_raise(L);
    }
}
