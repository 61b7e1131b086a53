/* luaopen_rill_core, the entry point of rill.core. */
#include "base/thread/lock.h"
#include "binding/binding.h"
#include "gpu/context/device.h"

#include <dlfcn.h>

/* The version of rill. The Makefile reads it here; spec/project/version_spec.lua compares the rockspec and CHANGELOG.md
 * with it. */
#define RILL_VERSION "0.2.0"

static const char module_key;

static void (*const openers[])(lua_State *L) = {OPENERS};

__attribute__((visibility("default"))) int luaopen_rill_core(lua_State *L);

/* Keeps the shared object mapped until the process ends. Closing a Lua state would unmap it, but the driver holds
 * pointers into it (message callbacks, thread destructors). */
static void anchor(void)
{
    Dl_info info;
    if (dladdr(&module_key, &info) && info.dli_fname) {
        dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    }
}

int luaopen_rill_core(lua_State *L)
{
    luaL_checkversion(L);
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &module_key) == LUA_TTABLE) {
        return 1; /* loaded again into the same state */
    }
    lua_pop(L, 1);
    anchor();
    lock_watch_forks();
    device_watch_forks();
    lua_newtable(L);
    fields_string(L, "_VERSION", RILL_VERSION);
    state_create(L);
    stream_handle_create(L);
    for (size_t i = 0; i < sizeof openers / sizeof *openers; i++) {
        openers[i](L);
    }
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &module_key);
    return 1;
}
