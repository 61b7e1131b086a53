/* Processes on a pseudo-terminal, for spec/support/session.lua.
 *
 *    gcc -std=c11 -O2 -shared -fPIC -o build/spec/pseudoterminal.so spec/support/pseudoterminal.c -lutil
 *
 * luaopen_pseudoterminal returns a table of
 *    open(words, environment, columns, rows) -> file, process     words: the command; environment: name -> value, false unsets
 *    read(file, seconds) -> bytes; "" if none arrived in time; nil at the end
 *    write(file, bytes)
 *    size(file, columns, rows)
 *    wait(process, seconds) -> exit status, 128 + the signal; nil if it still runs
 *    close(file, process)   ends the process if it still runs */
#define _GNU_SOURCE
#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = 63 };

static void set_environment(lua_State *L, int index)
{
    lua_pushnil(L);
    while (lua_next(L, index)) {
        if (lua_isstring(L, -1)) {
            setenv(lua_tostring(L, -2), lua_tostring(L, -1), 1);
        } else {
            unsetenv(lua_tostring(L, -2));
        }
        lua_pop(L, 1);
    }
}

static int l_open(lua_State *L)
{
    char *words[WORDS + 1] = {0};
    struct winsize size = {.ws_col = (unsigned short)luaL_checkinteger(L, 3), .ws_row = (unsigned short)luaL_checkinteger(L, 4)};
    int file = -1, count = (int)lua_rawlen(L, 1);
    luaL_argcheck(L, count > 0 && count <= WORDS, 1, "1 to 63 words");
    for (int i = 0; i < count; i++) {
        lua_rawgeti(L, 1, i + 1);
        words[i] = (char *)luaL_checkstring(L, -1);
    }
    pid_t process = forkpty(&file, NULL, NULL, &size);
    if (process < 0) {
        return luaL_error(L, "forkpty: %s", strerror(errno));
    }
    if (process == 0) {
        set_environment(L, 2);
        execvp(words[0], words);
        _exit(127);
    }
    lua_pushinteger(L, file);
    lua_pushinteger(L, process);
    return 2;
}

static int l_read(lua_State *L)
{
    static char bytes[65536];
    struct pollfd input = {.fd = (int)luaL_checkinteger(L, 1), .events = POLLIN};
    int ready = poll(&input, 1, (int)(1000 * luaL_checknumber(L, 2)));
    if (ready <= 0) {
        lua_pushliteral(L, "");
        return 1;
    }
    ssize_t got = read(input.fd, bytes, sizeof bytes);
    if (got <= 0) { /* EIO: the last process has closed it */
        lua_pushnil(L);
        return 1;
    }
    lua_pushlstring(L, bytes, (size_t)got);
    return 1;
}

static int l_write(lua_State *L)
{
    size_t length = 0;
    const char *bytes = luaL_checklstring(L, 2, &length);
    while (length > 0) {
        ssize_t put = write((int)luaL_checkinteger(L, 1), bytes, length);
        if (put <= 0) {
            return luaL_error(L, "write: %s", strerror(errno));
        }
        bytes += put;
        length -= (size_t)put;
    }
    return 0;
}

static int l_size(lua_State *L)
{
    struct winsize size = {.ws_col = (unsigned short)luaL_checkinteger(L, 2), .ws_row = (unsigned short)luaL_checkinteger(L, 3)};
    ioctl((int)luaL_checkinteger(L, 1), TIOCSWINSZ, &size);
    return 0;
}

static int l_wait(lua_State *L)
{
    pid_t process = (pid_t)luaL_checkinteger(L, 1);
    for (int tries = (int)(100 * luaL_checknumber(L, 2)); tries >= 0; tries--) {
        int status = 0;
        if (waitpid(process, &status, WNOHANG) == process) {
            lua_pushinteger(L, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
            return 1;
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    lua_pushnil(L);
    return 1;
}

static int l_close(lua_State *L)
{
    pid_t process = (pid_t)luaL_checkinteger(L, 2);
    close((int)luaL_checkinteger(L, 1));
    if (waitpid(process, NULL, WNOHANG) == 0) {
        kill(process, SIGKILL);
        waitpid(process, NULL, 0);
    }
    return 0;
}

int luaopen_pseudoterminal(lua_State *L)
{
    static const luaL_Reg functions[] = {{"open", l_open}, {"read", l_read}, {"write", l_write}, {"size", l_size},
                                         {"wait", l_wait}, {"close", l_close}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
