/* The entry point of rill.core. */
#include "base/lock.h"
#include "binding/binding.h"
#include "gpu/device.h"

#include <dlfcn.h>

static const char module_key;

__attribute__((visibility("default"))) int luaopen_rill_core(lua_State *L);

/* Keeps the shared object mapped for the life of the process: the driver holds pointers into it (message callbacks, thread
 * destructors), and closing a Lua state would unmap it. */
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
    lua_pushliteral(L, "0.1.0");
    lua_setfield(L, -2, "_VERSION");
    static void (*const openers[])(lua_State *) = {
        open_state,   open_device,   open_type,      open_hooks,   open_stream,    open_create,    open_element,
        open_view,    open_transfer, open_map,       open_request, open_each,      open_kernel,    open_expression,
        open_reduce,  open_scan,     open_random,    open_sort,    open_compact,   open_image,     open_npy,
        open_profile, open_scatter,  open_histogram, open_matmul,  open_animation, open_interrupt, open_prompt,
    };
    for (size_t i = 0; i < sizeof openers / sizeof *openers; i++) {
        openers[i](L);
    }
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &module_key);
    return 1;
}
