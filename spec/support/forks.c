/* Child processes that continue with the parent's memory. forks.fork() returns 0 in the child and its process id
 * in the parent. forks.wait(id) returns its exit status, or 128 + the signal. SIGALRM ends a child that hangs
 * after 120 seconds. forks.thread(script) runs a script in a separate Lua state and thread, which never end.
 * forks.leave() ends a child immediately, because exit would reset the offsets of files that threads of the parent
 * are reading. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int l_fork(lua_State *L)
{
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return luaL_error(L, "no child process");
    if (child == 0) alarm(120);
    lua_pushinteger(L, child);
    return 1;
}

static int l_wait(lua_State *L)
{
    int status = 0;
    waitpid((pid_t)luaL_checkinteger(L, 1), &status, 0);
    lua_pushinteger(L, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    return 1;
}

static void *run(void *state)
{
    lua_State *L = state;
    if (lua_pcall(L, 0, 0, 0) != LUA_OK) fprintf(stderr, "%s\n", lua_tostring(L, -1));
    return NULL;
}

static int l_thread(lua_State *L)
{
    pthread_t thread;
    lua_State *state = luaL_newstate();
    luaL_openlibs(state);
    if (luaL_loadstring(state, luaL_checkstring(L, 1)) != LUA_OK) return luaL_error(L, "%s", lua_tostring(state, -1));
    if (pthread_create(&thread, NULL, run, state) != 0) return luaL_error(L, "no thread");
    return 0;
}

static int l_leave(lua_State *L)
{
    (void)L;
    _exit(0);
}

int luaopen_forks(lua_State *L);
int luaopen_forks(lua_State *L)
{
    static const luaL_Reg functions[] = {{"fork", l_fork}, {"wait", l_wait}, {"thread", l_thread}, {"leave", l_leave}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
