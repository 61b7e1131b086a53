/* The Lua module `peer`: every function makes the peers' context current, runs, and restores the caller's. */
#include "peer.h"
#include "peers.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>

static int runs_argument(lua_State *L, int index)
{
    lua_Integer runs = luaL_optinteger(L, index, 1);
    luaL_argcheck(L, runs >= 1 && runs <= 100000000, index, "a count of at least 1 expected");
    return (int)runs;
}

static int seconds(lua_State *L, double value)
{
    peer_leave();
    lua_pushnumber(L, value);
    return 1;
}

/* peer.info() -> the OpenGL renderer, its version */
static int lua_info(lua_State *L)
{
    peer_enter();
    lua_pushstring(L, (const char *)glGetString(GL_RENDERER));
    lua_pushstring(L, (const char *)glGetString(GL_VERSION));
    peer_leave();
    return 2;
}

/* peer.saxpy_naive(group [, runs]) -> seconds per run */
static int lua_saxpy_naive(lua_State *L)
{
    int group = (int)luaL_checkinteger(L, 1), runs = runs_argument(L, 2);
    peer_enter();
    return seconds(L, peer_saxpy_naive(group, runs));
}

/* peer.saxpy_tuned([runs]) -> seconds per run */
static int lua_saxpy_tuned(lua_State *L)
{
    int runs = runs_argument(L, 1);
    peer_enter();
    return seconds(L, peer_saxpy_tuned(runs));
}

/* peer.sum_c([runs]) -> seconds per run, sum */
static int lua_sum_c(lua_State *L)
{
    float sum = 0;
    lua_pushnumber(L, peer_sum_c(runs_argument(L, 1), &sum));
    lua_pushnumber(L, sum);
    return 2;
}

/* peer.sum_tuned([runs]) -> seconds per run, sum */
static int lua_sum_tuned(lua_State *L)
{
    int runs = runs_argument(L, 1);
    float sum = 0;
    peer_enter();
    seconds(L, peer_sum_tuned(runs, &sum));
    lua_pushnumber(L, sum);
    return 2;
}

/* peer.jacobi_naive(group_width, group_height [, runs]) -> seconds per run */
static int lua_jacobi_naive(lua_State *L)
{
    int width = (int)luaL_checkinteger(L, 1), height = (int)luaL_checkinteger(L, 2), runs = runs_argument(L, 3);
    peer_enter();
    return seconds(L, peer_jacobi_naive(width, height, runs));
}

/* peer.jacobi_tuned([runs]) -> seconds per run */
static int lua_jacobi_tuned(lua_State *L)
{
    int runs = runs_argument(L, 1);
    peer_enter();
    return seconds(L, peer_jacobi_tuned(runs));
}

/* peer.launch([runs]) -> seconds per launch */
static int lua_launch(lua_State *L)
{
    int runs = runs_argument(L, 1);
    peer_enter();
    return seconds(L, peer_launch(runs));
}

/* peer.smoke_step([n]) -> seconds per step */
static int lua_smoke_step(lua_State *L)
{
    int runs = runs_argument(L, 1);
    peer_enter();
    return seconds(L, peer_smoke_step(runs));
}

static int lua_smoke_reset(lua_State *L)
{
    (void)L;
    peer_enter();
    peer_smoke_reset();
    peer_leave();
    return 0;
}

/* peer.smoke_read("velocity" | "smoke" | "pressure" | "divergence") -> packed little-endian floats */
static int lua_smoke_read(lua_State *L)
{
    static const char *const names[] = {"velocity", "smoke", "pressure", "divergence", NULL};
    PeerSmokeField which = (PeerSmokeField)luaL_checkoption(L, 1, NULL, names);
    peer_enter();
    size_t bytes = peer_smoke_read(which, NULL);
    luaL_Buffer buffer;
    peer_smoke_read(which, (float *)(void *)luaL_buffinitsize(L, &buffer, bytes));
    luaL_pushresultsize(&buffer, bytes);
    peer_leave();
    return 1;
}

static const luaL_Reg functions[] = {
    {"info", lua_info},
    {"saxpy_naive", lua_saxpy_naive},
    {"saxpy_tuned", lua_saxpy_tuned},
    {"sum_c", lua_sum_c},
    {"sum_tuned", lua_sum_tuned},
    {"jacobi_naive", lua_jacobi_naive},
    {"jacobi_tuned", lua_jacobi_tuned},
    {"launch", lua_launch},
    {"smoke_step", lua_smoke_step},
    {"smoke_reset", lua_smoke_reset},
    {"smoke_read", lua_smoke_read},
    {NULL, NULL},
};

__attribute__((visibility("default"))) int luaopen_peer(lua_State *L);
int luaopen_peer(lua_State *L)
{
    luaL_newlib(L, functions);
    return 1;
}
