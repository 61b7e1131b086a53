/* What lua/rill/repl.lua stands on: Ctrl-C as a Lua error, waiting for a key, and names of files. */
#include "binding/binding.h"

#include <errno.h>
#include <glob.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Signals belong to the process, so there is one of these; the prompt runs in one Lua state at a time. */
static struct {
    struct sigaction before;     /* how SIGINT was answered before the prompt */
    pthread_t thread;            /* where the prompt runs: handlers of other threads pass the signal on */
    lua_State *volatile running; /* interrupted by a hook; NULL between statements */
    volatile sig_atomic_t pending;
    int raised; /* errors for one Ctrl-C */
    bool installed;
} interrupt;

enum {
    PATIENCE = 3,  /* after so many unanswered Ctrl-C the process ends, as it would without a prompt */
    RESPITE = 1000 /* instructions between raising and raising again */
};

/* A pcall on the way may keep the error to itself, and go on after it; so it is raised again and again until the statement is over,
 * but with time between for what is put in order after errors, and without mercy in the end. */
static void stop_hook(lua_State *L, lua_Debug *activation)
{
    (void)activation;
    interrupt.raised++;
    lua_sethook(L, stop_hook, LUA_MASKCOUNT, interrupt.raised < 10 ? RESPITE : 1);
    luaL_error(L, "interrupted!");
}

/* As lua.c does: Lua itself can't be entered here, but it looks at its hooks before the next instruction. */
static void on_interrupt(int signal_number)
{
    int error = errno;
    if (!pthread_equal(pthread_self(), interrupt.thread)) {
        pthread_kill(interrupt.thread, signal_number);
        errno = error;
        return;
    }
    if (interrupt.pending >= PATIENCE) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
    interrupt.pending = interrupt.pending + 1;
    if (interrupt.running) {
        lua_sethook(interrupt.running, stop_hook, LUA_MASKCOUNT, 1);
    }
    errno = error;
}

/* The hook sees only the coroutine it was set for; launches of others look here. */
void interrupt_check(lua_State *L)
{
    if (interrupt.pending && interrupt.running && interrupt.running != L &&
        pthread_equal(pthread_self(), interrupt.thread)) {
        luaL_error(L, "interrupted!");
    }
}

/* _interrupts(on): from here on Ctrl-C is for the prompt, or no longer. Returns whether it was before. */
static int l_interrupts(lua_State *L)
{
    bool on = lua_toboolean(L, 1), before = interrupt.installed;
    if (on && !interrupt.installed) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = on_interrupt;
        sigemptyset(&action.sa_mask);
        interrupt.thread = pthread_self();
        interrupt.pending = 0;
        sigaction(SIGINT, &action, &interrupt.before); /* no SA_RESTART: reads come back */
    } else if (!on && interrupt.installed) {
        sigaction(SIGINT, &interrupt.before, NULL);
    }
    interrupt.installed = on;
    lua_pushboolean(L, before);
    return 1;
}

/* _interruptible(f, ...): what f(...) returns; Ctrl-C raises "interrupted!" in it. */
static int l_interruptible(lua_State *L)
{
    lua_State *before = interrupt.running;
    luaL_checktype(L, 1, LUA_TFUNCTION);
    if (interrupt.pending) { /* pressed before anything began */
        interrupt.pending = 0;
        return luaL_error(L, "interrupted!");
    }
    interrupt.running = L;
    interrupt.raised = 0;
    int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
    interrupt.running = before;
    lua_sethook(L, NULL, 0, 0);
    interrupt.pending = 0;
    return status == LUA_OK ? lua_gettop(L) : lua_error(L);
}

/* _wait_input(): true when standard input has something to read, or its end; false when Ctrl-C came first. */
static int l_wait_input(lua_State *L)
{
    sigset_t block, before, open;
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int ready = 0;
    sigemptyset(&block);
    sigaddset(&block, SIGINT);
    pthread_sigmask(SIG_BLOCK, &block, &before);
    open = before;
    sigdelset(&open, SIGINT);
    while (!interrupt.pending && ready <= 0) {
        ready = ppoll(&input, 1, NULL, &open); /* open to the signal only while it waits */
        if (ready < 0 && errno != EINTR) {
            break;
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    lua_pushboolean(L, !interrupt.pending);
    interrupt.pending = 0;
    return 1;
}

/* _hold_interrupts(on): Ctrl-C waits until _wait_input or the end of holding. A line editor's own handler would answer it only with the
 * next key, or in the middle of something. */
static int l_hold_interrupts(lua_State *L)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    pthread_sigmask(lua_toboolean(L, 1) ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
    return 0;
}

/* _input_terminal(): whether standard input is a terminal. */
static int l_input_terminal(lua_State *L)
{
    lua_pushboolean(L, isatty(STDIN_FILENO));
    return 1;
}

static int push_paths(lua_State *L)
{
    const glob_t *found = lua_touserdata(L, 1);
    lua_createtable(L, (int)found->gl_pathc, 0);
    for (size_t i = 0; i < found->gl_pathc; i++) {
        lua_pushstring(L, found->gl_pathv[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* _paths(prefix): the paths that begin so, in order; directories end in '/'. */
static int l_paths(lua_State *L)
{
    const char *prefix = luaL_checkstring(L, 1);
    luaL_Buffer pattern;
    luaL_buffinit(L, &pattern);
    for (const char *at = prefix; *at; at++) {
        if (strchr("*?[]\\", *at)) {
            luaL_addchar(&pattern, '\\');
        }
        luaL_addchar(&pattern, *at);
    }
    luaL_addchar(&pattern, '*');
    luaL_pushresult(&pattern);
    glob_t found;
    memset(&found, 0, sizeof found);
    (void)glob(lua_tostring(L, -1), GLOB_MARK, NULL, &found);
    lua_pushcfunction(L, push_paths);
    lua_pushlightuserdata(L, &found);
    int status = lua_pcall(L, 1, 1, 0); /* out of memory must not leak the names */
    globfree(&found);
    return status == LUA_OK ? 1 : lua_error(L);
}

/* _make_directory(path): makes it and those above it, for this user only; nil and why when that can't be. */
static int l_make_directory(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    for (const char *at = strchr(*path ? path + 1 : path, '/');; at = strchr(at + 1, '/')) {
        const char *part = at ? lua_pushlstring(L, path, (size_t)(at - path)) : path;
        if (mkdir(part, 0700) != 0 && errno != EEXIST) {
            return luaL_fileresult(L, 0, part);
        }
        if (!at) {
            lua_pushboolean(L, 1);
            return 1;
        }
        lua_pop(L, 1);
    }
}

void open_prompt(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_interrupts", l_interrupts},         {"_interruptible", l_interruptible},
                                         {"_wait_input", l_wait_input},         {"_hold_interrupts", l_hold_interrupts},
                                         {"_input_terminal", l_input_terminal}, {"_paths", l_paths},
                                         {"_make_directory", l_make_directory}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
