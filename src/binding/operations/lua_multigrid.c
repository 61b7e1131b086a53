/* What rill.solve.multigrid makes its cycles of, on grids of two dimensions. */
#include "binding/binding.h"

#include "primitive/multigrid.h"

#include <string.h>

/* _multigrid(part, params, b, e, result): multigrid_launch of multigrid.h, params being a string of words. rill.solve.fused sees to what
 * streams must be. */
static int launch(lua_State *L)
{
    static const char function[] = "rill.solve.multigrid";
    static const char *const parts[] = {"margin", "down", "up", NULL};
    MultigridPart part = (MultigridPart)luaL_checkoption(L, 1, NULL, parts);
    uint32_t words[4 * MULTIGRID_P_VECTORS];
    size_t size;
    const char *params = luaL_checklstring(L, 2, &size);
    luaL_argcheck(L, size == sizeof words, 2, "words of multigrid_words.h expected");
    memcpy(words, params, size);
    const Stream *b = lua_isnil(L, 3) ? NULL : accept_check(L, 3, function, 3, "b");
    const Stream *e = lua_isnil(L, 4) ? NULL : accept_check(L, 4, function, 4, "e");
    Stream *result = accept_check(L, 5, function, 5, "result");
    DeviceScope scope;
    binding_enter(L, result->device, &scope);
    bool done = multigrid_launch(part, words, b, e, result);
    device_leave(&scope);
    if (!done) {
        error_prefix("%s", function);
        binding_raise(L);
    }
    return 0;
}

void open_multigrid(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_multigrid", launch}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
    lua_pushinteger(L, MULTIGRID_MARGIN);
    lua_setfield(L, -2, "_multigrid_margin");
}
