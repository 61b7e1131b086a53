/* Raises Ctrl-C as a Lua error, for the prompt and for scripts run by the command: in statements, in the coroutines
 * that they resume, and while the prompt waits for a key. Below, "statement" also means such a script. */
#include "binding/binding.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* There is one such state, as signals belong to the process and the prompt runs in one Lua state at a time. */
static struct {
    struct sigaction before;       /* the action of SIGINT before the prompt */
    pthread_t thread;              /* the thread of the prompt: handlers in other threads forward the signal to it */
    lua_State *volatile running;   /* the thread on which the statement started; NULL between statements */
    lua_State *volatile current;   /* the coroutine that runs in the statement: it is interrupted by a hook */
    volatile sig_atomic_t pending; /* the number of Ctrl-C that have not ended the statement yet */
    const lua_State *raised_in;    /* the coroutine in which the last error was raised */
    int raised;                    /* the number of errors raised there for one Ctrl-C */
    bool installed;
} interrupt;

enum {
    PATIENCE = 3,  /* after more unanswered Ctrl-C than this the process ends, as it would without a prompt */
    CLEANUPS = 10, /* the number of errors in one coroutine after which cleanup code gets no more time */
    RESPITE = 1000 /* instructions until the error is raised again */
};

/* Raises the error. A pcall may catch the error and continue; so it is raised again until the statement ends. Between
 * errors there is time for cleanup code, except after CLEANUPS errors. Coroutines that outlive their statement, or that
 * were created when it was interrupted, may still have the hook. */
static void stop_hook(lua_State *L, lua_Debug *activation)
{
    (void)activation;
    if (!interrupt.pending) {
        lua_sethook(L, NULL, 0, 0);
        return;
    }
    interrupt.raised = interrupt.raised_in == L ? interrupt.raised + 1 : 1;
    interrupt.raised_in = L;
    lua_sethook(L, stop_hook, LUA_MASKCOUNT, interrupt.raised < CLEANUPS ? RESPITE : 1);
    luaL_where(L, 0); /* in a hook, level 0 is the interrupted function */
    lua_pushliteral(L, "interrupted!");
    lua_concat(L, 2);
    lua_error(L);
}

/* Reports that Ctrl-C has not ended the statement yet: because it came during a launch, or because it is not the first
 * one. */
static void say_waiting(bool launched)
{
    static const char *const first[] = {"\nwaiting for the statement to end; press ",
                                        "\nwaiting for the launch to end; press "};
    static const char *const left[PATIENCE] = {"once more to quit\n", "2 more times to quit\n",
                                               "3 more times to quit\n"};
    const char *texts[] = {first[launched], left[PATIENCE - interrupt.pending]};
    for (int i = 0; i < 2; i++) {
        if (write(STDERR_FILENO, texts[i], strlen(texts[i])) < 0) {
            return;
        }
    }
}

/* Handles SIGINT as lua.c does: a signal handler must not call Lua, but it may set a hook, which Lua runs before its
 * next instruction. */
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
        raise(signal_number); /* ends the process when this handler has returned */
        return;
    }
    interrupt.pending = interrupt.pending + 1;
    if (interrupt.running) {
        lua_sethook(interrupt.current, stop_hook, LUA_MASKCOUNT, 1);
        if (device_entered() || interrupt.pending > 1) {
            say_waiting(device_entered());
        }
    }
    errno = error;
}

/* Launches call this for coroutines without a hook, which other C code resumed. */
void interrupt_check(lua_State *L)
{
    if (interrupt.pending && interrupt.running && interrupt.running != L &&
        pthread_equal(pthread_self(), interrupt.thread)) {
        luaL_error(L, "interrupted!");
    }
}

/* coroutines */

/* A hook belongs to one coroutine, and a signal handler cannot determine which one runs. So while rill handles Ctrl-C,
 * the functions of the library `coroutine` that enter a coroutine are replaced by functions that record it. */

/* Makes `co` the coroutine that Ctrl-C interrupts. A Ctrl-C that is already pending stops it after `instructions`
 * instructions. */
static void track(lua_State *co, int instructions)
{
    interrupt.current = co;
    if (interrupt.pending && lua_gethook(co) != stop_hook) { /* setting the hook again would restart its count */
        lua_sethook(co, stop_hook, LUA_MASKCOUNT, instructions);
    }
}

/* Calls the function below the arguments on top of the stack, which enters the coroutine. Leaves all results on the
 * stack, as lua_call does. */
static void call_tracked(lua_State *L, lua_State *co, int arguments)
{
    if (!interrupt.running ||
        interrupt.current != L) { /* between statements, or in a Lua state other than the prompt's */
        lua_call(L, arguments, LUA_MULTRET);
        return;
    }
    track(co, 1);
    int status = lua_pcall(L, arguments, LUA_MULTRET, 0);
    track(L, RESPITE);
    if (status != LUA_OK) {
        lua_error(L);
    }
}

/* coroutine.resume and coroutine.close. Upvalue 1 is the original function. */
static int l_enter(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTHREAD);
    luaL_checkstack(L, 1, "too many arguments");
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    call_tracked(L, lua_tothread(L, 2), lua_gettop(L) - 1);
    return lua_gettop(L);
}

/* The function that coroutine.wrap returns. Upvalues: the original resume and close, and the coroutine. Errors are
 * raised again; the position of the call is prepended to messages that are strings. */
static int l_wrapped(lua_State *L)
{
    lua_State *co = lua_tothread(L, lua_upvalueindex(3));
    luaL_checkstack(L, 4, "too many arguments");
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushvalue(L, lua_upvalueindex(3));
    lua_rotate(L, 1, 2);
    call_tracked(L, co, lua_gettop(L) - 1);
    if (lua_toboolean(L, 1)) {
        return lua_gettop(L) - 1;
    }
    int status = lua_status(co);
    if (status != LUA_OK && status != LUA_YIELD) { /* closes the to-be-closed variables of the coroutine */
        lua_settop(L, 0);
        lua_pushvalue(L, lua_upvalueindex(2));
        lua_pushvalue(L, lua_upvalueindex(3));
        call_tracked(L, co, 1);
    }
    if (interrupt.pending && lua_gethook(L) == stop_hook && lua_gethookcount(L) == 1) {
        /* Ctrl-C came before the coroutine was entered, which has raised the error. The message handler gets time. */
        lua_sethook(L, stop_hook, LUA_MASKCOUNT, RESPITE);
    }
    lua_settop(L, 2);
    if (status != LUA_ERRMEM && lua_type(L, 2) == LUA_TSTRING) {
        luaL_where(L, 1);
        lua_insert(L, 2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

/* coroutine.wrap. Upvalues: the original create, resume and close. */
static int l_wrap(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_pushvalue(L, lua_upvalueindex(3));
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    lua_pushcclosure(L, l_wrapped, 3);
    return 1;
}

static const char library_key; /* the original functions of the library */

static void replace_function(lua_State *L, int library, const char *name)
{
    lua_getfield(L, library, name);
    lua_pushcclosure(L, l_enter, 1);
    lua_setfield(L, library, name);
}

/* Copies the replaced functions from one table to another. */
static void copy_functions(lua_State *L, int from, int to)
{
    static const char *const names[] = {"resume", "close", "wrap"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lua_getfield(L, from, names[i]);
        lua_setfield(L, to, names[i]);
    }
}

/* Replaces functions of the library `coroutine` by functions that record the coroutine they enter, or restores the
 * original ones. */
static void watch_coroutines(lua_State *L, bool on)
{
    int top = lua_gettop(L);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    if (lua_getfield(L, -1, "coroutine") == LUA_TTABLE) {
        int library = lua_gettop(L);
        if (!on && lua_rawgetp(L, LUA_REGISTRYINDEX, &library_key) == LUA_TTABLE) {
            copy_functions(L, library + 1, library);
        } else if (on) {
            lua_createtable(L, 0, 3);
            copy_functions(L, library, library + 1);
            lua_rawsetp(L, LUA_REGISTRYINDEX, &library_key);
            lua_getfield(L, library, "create");
            lua_getfield(L, library, "resume");
            lua_getfield(L, library, "close");
            lua_pushcclosure(L, l_wrap, 3);
            lua_setfield(L, library, "wrap");
            replace_function(L, library, "resume");
            replace_function(L, library, "close");
        }
    }
    lua_settop(L, top);
}

/* statements */

/* _interrupts(on): turns the handling of Ctrl-C on or off. Returns whether it was on before. */
static int l_interrupts(lua_State *L)
{
    bool on = lua_toboolean(L, 1), before = interrupt.installed;
    if (on && !interrupt.installed) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = on_interrupt;
        sigemptyset(&action.sa_mask);
        watch_coroutines(L, true);
        interrupt.thread = pthread_self();
        interrupt.pending = 0;
        sigaction(SIGINT, &action, &interrupt.before); /* without SA_RESTART, so that reads return */
    } else if (!on && interrupt.installed) {
        sigaction(SIGINT, &interrupt.before, NULL);
        watch_coroutines(L, false);
    }
    interrupt.installed = on;
    lua_pushboolean(L, before);
    return 1;
}

/* _interruptible(f, ...): calls f, which is pcall or xpcall, and returns its results. Ctrl-C raises "interrupted!" in
 * it. If f succeeds nevertheless, the error is raised here. */
static int l_interruptible(lua_State *L)
{
    lua_State *running = interrupt.running, *current = interrupt.current;
    luaL_checktype(L, 1, LUA_TFUNCTION);
    if (interrupt.pending) { /* Ctrl-C was pressed before the call */
        interrupt.pending = 0;
        return luaL_error(L, "interrupted!");
    }
    lua_Hook hook = lua_gethook(L);
    int mask = lua_gethookmask(L), count = lua_gethookcount(L);
    interrupt.raised_in = NULL;
    interrupt.current = L;
    interrupt.running = L;
    int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
    interrupt.running = running;
    interrupt.current = current;
    if (lua_gethook(L) == stop_hook) { /* a hook that the statement set is kept */
        lua_sethook(L, hook, mask, count);
    }
    /* A pcall or a resume caught the error, or Ctrl-C came too late for the hook. */
    bool swallowed = interrupt.pending && status == LUA_OK && (lua_gettop(L) == 0 || lua_toboolean(L, 1));
    interrupt.pending = 0;
    if (swallowed) {
        lua_pushliteral(L, "interrupted!");
    }
    return status == LUA_OK && !swallowed ? lua_gettop(L) : lua_error(L);
}

/* _wait_input(): waits for standard input. Returns true if it has data or has ended, false if Ctrl-C came first. */
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
        ready = ppoll(&input, 1, NULL, &open); /* the signal is unblocked only while ppoll waits */
        if (ready < 0 && errno != EINTR) {
            break;
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    lua_pushboolean(L, !interrupt.pending);
    interrupt.pending = 0;
    return 1;
}

/* _hold_interrupts(on): blocks or unblocks SIGINT. While it is blocked, only _wait_input receives it. The handler of a
 * line editor would react only at the next key, or in the middle of an operation. */
static int l_hold_interrupts(lua_State *L)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    pthread_sigmask(lua_toboolean(L, 1) ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
    return 0;
}

void open_interrupt(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_interrupts", l_interrupts},
                                         {"_interruptible", l_interruptible},
                                         {"_wait_input", l_wait_input},
                                         {"_hold_interrupts", l_hold_interrupts},
                                         {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
