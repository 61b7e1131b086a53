/* Host memory for bulk transfers. Callers free it early; after an error the collector frees it. */
#include "binding/binding.h"

#include <stdlib.h>

static const char scratch_key;

static int scratch_gc(lua_State *L)
{
    if (binding_finalized(L, &scratch_key, sizeof(void *))) {
        scratch_free(L, 1);
    }
    return 0;
}

void *scratch_push(lua_State *L, size_t bytes)
{
    void **box = lua_newuserdatauv(L, sizeof *box, 0);
    *box = NULL;
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &scratch_key) == LUA_TNIL) {
        lua_pop(L, 1);
        lua_createtable(L, 0, 1);
        fields_function(L, "__gc", scratch_gc);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &scratch_key);
    }
    lua_setmetatable(L, -2);
    *box = malloc(bytes ? bytes : 1);
    if (!*box) {
        luaL_error(L, "out of host memory: %I bytes", (lua_Integer)bytes);
    }
    return *box;
}

void scratch_free(lua_State *L, int index)
{
    void **box = lua_touserdata(L, index);
    free(*box);
    *box = NULL;
}

void scratch_give(lua_State *L, int index, void *memory)
{
    scratch_free(L, index);
    *(void **)lua_touserdata(L, index) = memory;
}
