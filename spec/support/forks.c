/* Child processes that go on with the parent's memory, for specs: forks.fork() is 0 in the child and its process id in the parent;
 * forks.wait(id) gives its exit status, or 128 + the signal. A child that hangs is ended by SIGALRM after 20 seconds. */
#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int l_fork(lua_State *L)
{
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return luaL_error(L, "no child process");
    if (child == 0) alarm(20);
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

int luaopen_forks(lua_State *L);
int luaopen_forks(lua_State *L)
{
    static const luaL_Reg functions[] = {{"fork", l_fork}, {"wait", l_wait}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
