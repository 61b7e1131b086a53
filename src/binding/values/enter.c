/* Entering devices, and what the collector is told of their memory. */
#include "binding/binding.h"

#include <limits.h>
#include <string.h>

static const char parked_key; /* what is to be closed once no call is at work */

/* COMPILED_MOST: programs compiled, seconds of work, after which all is collected. Steps do not find dropped kernels in generational mode, which
 * lua sets: what survived two of them waits until the heap has doubled, and kernels are small in it. */
enum { CHARGE_STEP = 1 << 20, COMPILED_MOST = 64 };

/* Whether the function at work was called by a finalizer, which the collector runs within any other call. It stands still
 * meanwhile: Lua says -1, and before 5.4.4 0, as where the script has stopped it. */
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
    return state->asking > 0 ? park(L, state, index) : binding_park_final(L, index);
}

int binding_ask(lua_State *L, lua_CFunction f, void *context)
{
    State *state = state_get(L);
    lua_pushcfunction(L, f);
    lua_pushlightuserdata(L, context);
    state->asking++;
    int status = lua_pcall(L, 1, 0, 0);
    state->asking--;
    state->running = L; /* which the function may have changed, and the call goes on */
    return status;
}

/* Closes what finalizers wanted closed while a call was at work. */
static void close_parked(lua_State *L, State *state)
{
    if (!lua_checkstack(L, 8)) {
        return; /* the next call finds them */
    }
    state->parked = false;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &parked_key);
    lua_pushnil(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &parked_key);
    for (lua_Integer i = 1; lua_rawgeti(L, -1, i) == LUA_TUSERDATA; i++) {
        luaL_getmetafield(L, -1, "__close");
        lua_insert(L, -2);
        if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
            lua_pop(L, 1); /* nobody is there who could be told, as of a finalizer's */
        }
    }
    lua_pop(L, 2);
}

void binding_charge(lua_State *L, Device *device)
{
    State *state = state_get(L);
    if (state->parked && !state->collecting && state->asking == 0 && !in_finalizer(L)) {
        close_parked(L, state);
    }
    if (!device) {
        return;
    }
    state->charge += device_take_charge(device);
    state->compiled += device_take_compiled(device);
    if (state->collecting || lua_gc(L, LUA_GCISRUNNING) <= 0) {
        return;
    }
    if (state->compiled >= COMPILED_MOST) {
        state->compiled = 0;
        state->charge = 0;
        lua_gc(L, LUA_GCCOLLECT);
    }
    if (state->charge < CHARGE_STEP) {
        return;
    }
    uint64_t kilobytes = state->charge / 1024;
    state->charge = 0;
    lua_gc(L, LUA_GCSTEP, kilobytes > INT_MAX / 4096 ? INT_MAX / 4096 : (int)kilobytes);
}

/* An allocation is about to fail: unreachable streams are released by their finalizers. */
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
