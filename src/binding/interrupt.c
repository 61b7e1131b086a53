/* Ctrl-C as a Lua error, for the prompt and for scripts run by the command: in statements, in the coroutines they resume, and while a
 * key is waited for. */
#include "binding/binding.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Signals belong to the process, so there is one of these; the prompt runs in one Lua state at a time. */
static struct {
    struct sigaction before;     /* how SIGINT was answered before the prompt */
    pthread_t thread;            /* where the prompt runs: handlers of other threads pass the signal on */
    lua_State *volatile running; /* what the statement began on; NULL between statements */
    lua_State *volatile current; /* the coroutine at work in it: interrupted by a hook */
    volatile sig_atomic_t pending;
    const lua_State *raised_in; /* the coroutine that had the last error */
    int raised;                 /* errors in it for one Ctrl-C */
    bool installed;
} interrupt;

enum {
    PATIENCE = 3,  /* after so many unanswered Ctrl-C the process ends, as it would without a prompt */
    MERCIES = 10,  /* errors in one coroutine that leave time for what is put in order */
    RESPITE = 1000 /* instructions between raising and raising again */
};

/* A pcall on the way may keep the error to itself, and go on after it; so it is raised again and again until the statement is over,
 * but with time between for what is put in order after errors, and without mercy in the end. Coroutines that outlive their
 * statement, or were made when it was interrupted, may still have the hook. */
static void stop_hook(lua_State *L, lua_Debug *activation)
{
    (void)activation;
    if (!interrupt.pending) {
        lua_sethook(L, NULL, 0, 0);
        return;
    }
    interrupt.raised = interrupt.raised_in == L ? interrupt.raised + 1 : 1;
    interrupt.raised_in = L;
    lua_sethook(L, stop_hook, LUA_MASKCOUNT, interrupt.raised < MERCIES ? RESPITE : 1);
    luaL_where(L, 0); /* a hook has no level of its own */
    lua_pushliteral(L, "interrupted!");
    lua_concat(L, 2);
    lua_error(L);
}

/* Says why Ctrl-C has not ended the statement yet: it came within a launch, or it is not the first. */
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

/* A coroutine that C code of others resumed has no hook; its launches look here. */
void interrupt_check(lua_State *L)
{
    if (interrupt.pending && interrupt.running && interrupt.running != L &&
        pthread_equal(pthread_self(), interrupt.thread)) {
        luaL_error(L, "interrupted!");
    }
}

/* coroutines */

/* A hook belongs to one coroutine, and Lua does not tell a signal handler which one runs. So while Ctrl-C is rill's, the functions
 * of the library `coroutine` that enter one say so. */

/* Ctrl-C is for this one from here on; one that came before stops it after so many instructions. */
static void track(lua_State *co, int instructions)
{
    interrupt.current = co;
    if (interrupt.pending && lua_gethook(co) != stop_hook) { /* set again it would begin to count again */
        lua_sethook(co, stop_hook, LUA_MASKCOUNT, instructions);
    }
}

/* Calls the function below the arguments on top of the stack, which enters the coroutine: all results, as lua_call gives them. */
static void call_tracked(lua_State *L, lua_State *co, int arguments)
{
    if (!interrupt.running ||
        interrupt.current != L) { /* between statements, or in a Lua state that is not the prompt's */
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

/* coroutine.resume and coroutine.close; upvalue 1 is Lua's own. */
static int l_enter(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTHREAD);
    luaL_checkstack(L, 1, "too many arguments");
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    call_tracked(L, lua_tothread(L, 2), lua_gettop(L) - 1);
    return lua_gettop(L);
}

/* What coroutine.wrap returns; upvalues: Lua's resume and close, the coroutine. Errors are raised again with the place of the call in
 * front of texts. */
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
    if (status != LUA_OK && status != LUA_YIELD) { /* its variables to be closed are still open */
        lua_settop(L, 0);
        lua_pushvalue(L, lua_upvalueindex(2));
        lua_pushvalue(L, lua_upvalueindex(3));
        call_tracked(L, co, 1);
    }
    lua_settop(L, 2);
    if (status != LUA_ERRMEM && lua_type(L, 2) == LUA_TSTRING) {
        luaL_where(L, 1);
        lua_insert(L, 2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

/* coroutine.wrap; upvalues: Lua's create, resume and close. */
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

static const char library_key; /* what the library held before */

static void replace_function(lua_State *L, int library, const char *name)
{
    lua_getfield(L, library, name);
    lua_pushcclosure(L, l_enter, 1);
    lua_setfield(L, library, name);
}

/* Copies the functions that are replaced from one table to another. */
static void copy_functions(lua_State *L, int from, int to)
{
    static const char *const names[] = {"resume", "close", "wrap"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lua_getfield(L, from, names[i]);
        lua_setfield(L, to, names[i]);
    }
}

/* Makes the library `coroutine` say what it enters, or gives it its own functions back. */
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

/* _interrupts(on): from here on Ctrl-C is for the prompt, or no longer. Returns whether it was before. */
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
        sigaction(SIGINT, &action, &interrupt.before); /* no SA_RESTART: reads come back */
    } else if (!on && interrupt.installed) {
        sigaction(SIGINT, &interrupt.before, NULL);
        watch_coroutines(L, false);
    }
    interrupt.installed = on;
    lua_pushboolean(L, before);
    return 1;
}

/* _interruptible(f, ...): what f(...) returns, f being pcall or a relative of it; Ctrl-C raises "interrupted!" in it, and here when it
 * went well nevertheless. */
static int l_interruptible(lua_State *L)
{
    lua_State *running = interrupt.running, *current = interrupt.current;
    luaL_checktype(L, 1, LUA_TFUNCTION);
    if (interrupt.pending) { /* pressed before anything began */
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
    if (lua_gethook(L) == stop_hook) { /* a hook the statement set stays */
        lua_sethook(L, hook, mask, count);
    }
    /* Kept by a pcall or a resume, or too late for the hook. */
    bool swallowed = interrupt.pending && status == LUA_OK && (lua_gettop(L) == 0 || lua_toboolean(L, 1));
    interrupt.pending = 0;
    if (swallowed) {
        lua_pushliteral(L, "interrupted!");
    }
    return status == LUA_OK && !swallowed ? lua_gettop(L) : lua_error(L);
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

void open_interrupt(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_interrupts", l_interrupts},
                                         {"_interruptible", l_interruptible},
                                         {"_wait_input", l_wait_input},
                                         {"_hold_interrupts", l_hold_interrupts},
                                         {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
