/* Launches the parts of a cycle of rill.solve.multigrid on grids of two dimensions. */
#include "binding/binding.h"

#include "linalg/multigrid.h"

#include <string.h>

/* _multigrid(part, params, ...): calls multigrid_launch of multigrid.h. `params` is a string of 32-bit words; the
 * streams to be read and the streams to be written follow. rill.solve.fused checks the streams. */
static int launch(lua_State *L)
{
    static const char function[] = "rill.solve.multigrid";
    static const char *const parts[] = {"margin", "down", "up", "step", "tail", NULL};
    MultigridPart part = (MultigridPart)luaL_checkoption(L, 1, NULL, parts);
    MultigridLaunch given = {0};
    size_t size;
    const char *params = luaL_checklstring(L, 2, &size);
    luaL_argcheck(L, size == sizeof given.params, 2, "words of multigrid_words.h expected");
    memcpy(given.params, params, size);
    int reads = multigrid_reads(part), writes = multigrid_writes(part);
    for (int i = 0; i < reads; i++) given.read[i] = accept_check(L, 3 + i, function, 3 + i, "read");
    for (int i = 0; i < writes; i++) given.written[i] = accept_check(L, 3 + reads + i, function, 3 + reads + i, "to");
    binding_run(L, given.written[0]->device, function, multigrid_launch(part, &given));
    return 0;
}

void open_multigrid(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_multigrid", launch}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
    fields_integer(L, "_multigrid_margin", MULTIGRID_MARGIN);
    fields_integer(L, "_multigrid_reach", MULTIGRID_REACH);
    fields_integer(L, "_multigrid_least_rows", MULTIGRID_LEAST_ROWS);
    fields_integer(L, "_multigrid_tail_size", MULTIGRID_TAIL_SIZE);
    fields_integer(L, "_multigrid_tail_levels", MULTIGRID_TAIL_LEVELS);
    fields_integer(L, "_multigrid_tail_bytes", MULTIGRID_TAIL_BYTES);
}
