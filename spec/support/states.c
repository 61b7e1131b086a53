/* Additional Lua states for specs. states.new() creates one with the standard libraries and this state's
 * package.path and cpath. state:run(text, ...) runs a chunk there with strings, numbers and booleans as arguments
 * and returns such results; an error is raised here, as text. state:close() closes the state, even if its streams
 * still exist. states.thread(text) does all of this in another thread and returns the results of the chunk or its
 * error as one string. states.thread_left closes the state in this thread, after the other thread has ended. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define META "spec.state"

static void copy_paths(lua_State *from, lua_State *to)
{
    static const char *const names[] = {"path", "cpath"};
    lua_getglobal(from, "package");
    lua_getglobal(to, "package");
    for (int i = 0; i < 2; i++) {
        lua_getfield(from, -1, names[i]);
        lua_pushstring(to, lua_tostring(from, -1));
        lua_setfield(to, -2, names[i]);
        lua_pop(from, 1);
    }
    lua_pop(from, 1);
    lua_pop(to, 1);
}

static lua_State **check(lua_State *L)
{
    lua_State **box = luaL_checkudata(L, 1, META);
    if (!*box) luaL_error(L, "a closed state");
    return box;
}

static int state_new(lua_State *L)
{
    lua_State **box = lua_newuserdatauv(L, sizeof *box, 0);
    *box = luaL_newstate();
    luaL_setmetatable(L, META);
    luaL_openlibs(*box);
    copy_paths(L, *box);
    return 1;
}

static void copy_value(lua_State *from, int index, lua_State *to)
{
    size_t length;
    switch (lua_type(from, index)) {
    case LUA_TNIL: lua_pushnil(to); break;
    case LUA_TBOOLEAN: lua_pushboolean(to, lua_toboolean(from, index)); break;
    case LUA_TNUMBER:
        if (lua_isinteger(from, index)) {
            lua_pushinteger(to, lua_tointeger(from, index));
        } else {
            lua_pushnumber(to, lua_tonumber(from, index));
        }
        break;
    default: {
        const char *text = luaL_tolstring(from, index, &length);
        lua_pushlstring(to, text, length);
        lua_pop(from, 1);
    }
    }
}

static int state_run(lua_State *L)
{
    lua_State *other = *check(L);
    int base = lua_gettop(other), count = lua_gettop(L);
    int failed = luaL_loadstring(other, luaL_checkstring(L, 2));
    if (!failed) {
        for (int i = 3; i <= count; i++) copy_value(L, i, other);
        failed = lua_pcall(other, count - 2, LUA_MULTRET, 0);
    }
    int results = lua_gettop(other) - base;
    luaL_checkstack(L, results, "results");
    for (int i = 1; i <= results; i++) copy_value(other, base + i, L);
    lua_settop(other, base);
    return failed ? lua_error(L) : results;
}

static int state_close(lua_State *L)
{
    lua_State **box = luaL_checkudata(L, 1, META);
    if (*box) lua_close(*box);
    *box = NULL;
    return 0;
}

typedef struct Job {
    lua_State *state;
    const char *text;
    char result[1000];
    int kept; /* the thread that started this one closes the state */
} Job;

static void *job_run(void *argument)
{
    Job *job = argument;
    if (luaL_loadstring(job->state, job->text) == LUA_OK) lua_pcall(job->state, 0, 1, 0);
    snprintf(job->result, sizeof job->result, "%s", luaL_tolstring(job->state, -1, NULL));
    if (!job->kept) lua_close(job->state);
    return NULL;
}

static int run_thread(lua_State *L, int kept)
{
    Job job = {luaL_newstate(), luaL_checkstring(L, 1), "", kept};
    pthread_t thread;
    luaL_openlibs(job.state);
    copy_paths(L, job.state);
    if (pthread_create(&thread, NULL, job_run, &job)) return luaL_error(L, "no thread");
    pthread_join(thread, NULL);
    if (kept) lua_close(job.state);
    lua_pushstring(L, job.result);
    return 1;
}

static int state_thread(lua_State *L)
{
    return run_thread(L, 0);
}

static int state_thread_left(lua_State *L)
{
    return run_thread(L, 1);
}

int luaopen_states(lua_State *L);
int luaopen_states(lua_State *L)
{
    static const luaL_Reg functions[] = {{"new", state_new}, {"thread", state_thread}, {"thread_left", state_thread_left}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"run", state_run}, {"close", state_close}, {NULL, NULL}};
    luaL_newmetatable(L, META);
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, state_close);
    lua_setfield(L, -2, "__gc");
    luaL_newlib(L, functions);
    return 1;
}
