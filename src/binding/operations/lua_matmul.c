/* rill.matmul. */
#include "binding/binding.h"

#include "primitive/matmul.h"

static int rill_matmul(lua_State *L)
{
    binding_count(L, "rill.matmul", 2, false);
    const Stream *a = accept_check(L, 1, "rill.matmul", 1, "a");
    const Stream *b = accept_check(L, 2, "rill.matmul", 2, "b");
    if (a->device != b->device) {
        luaL_error(L, "rill.matmul: argument #2 'b': the stream belongs to another device");
    }
    Stream *result = handle_push(L);
    DeviceScope scope;
    binding_enter(L, a->device, &scope);
    bool done = matmul_stream(a, b, result);
    device_leave(&scope);
    if (!done) {
        error_prefix("rill.matmul");
        binding_raise(L);
    }
    binding_charge(L, a->device);
    return 1;
}

void open_matmul(lua_State *L)
{
    static const luaL_Reg functions[] = {{"matmul", rill_matmul}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
