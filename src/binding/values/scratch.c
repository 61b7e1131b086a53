/* Host memory for bulk transfers. Callers free it early; after an error the collector frees it. */
#include "binding/binding.h"

#include <stdlib.h>
#include <sys/mman.h>

/* The sizes of blocks that are kept. Smaller blocks do not come from new pages. */
static const size_t KEPT_LEAST = 128 << 10, KEPT_MOST = 64 << 20;
/* The size of a large page. Each page costs a page fault when it is first written. */
static const size_t LARGE_PAGE = 2 << 20;

static const char scratch_key;

static int scratch_gc(lua_State *L)
{
    if (binding_finalized(L, &scratch_key, sizeof(HostMemory))) {
        scratch_free(L, 1);
    }
    return 0;
}

/* Returns new memory, in large pages where the system has them, or NULL. */
static void *allocate_pages(size_t bytes)
{
    void *memory = NULL;
    if (bytes < 2 * LARGE_PAGE) {
        return malloc(bytes ? bytes : 1);
    }
    if (posix_memalign(&memory, LARGE_PAGE, bytes) != 0) {
        return NULL;
    }
    madvise(memory, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
    return memory;
}

/* Returns the kept block if it is large enough, or else a new one. */
static HostMemory allocate(State *state, size_t bytes)
{
    HostMemory block = state->scratch;
    if (bytes >= KEPT_LEAST && bytes <= block.bytes) {
        state->scratch = (HostMemory){NULL, 0};
        return block;
    }
    return (HostMemory){allocate_pages(bytes), bytes};
}

void *scratch_push(lua_State *L, size_t bytes)
{
    HostMemory *box = lua_newuserdatauv(L, sizeof *box, 0);
    *box = (HostMemory){NULL, 0};
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &scratch_key) == LUA_TNIL) {
        lua_pop(L, 1);
        lua_createtable(L, 0, 1);
        fields_function(L, "__gc", scratch_gc);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &scratch_key);
    }
    lua_setmetatable(L, -2);
    *box = allocate(state_get(L), bytes);
    if (!box->memory) {
        luaL_error(L, "out of host memory: %I bytes", (lua_Integer)bytes);
    }
    return box->memory;
}

void scratch_free(lua_State *L, int index)
{
    HostMemory *box = lua_touserdata(L, index), *kept = &state_get(L)->scratch;
    if (box->bytes >= KEPT_LEAST && box->bytes <= KEPT_MOST && box->bytes > kept->bytes && !state_get(L)->closed) {
        free(kept->memory);
        *kept = *box;
    } else {
        free(box->memory);
    }
    *box = (HostMemory){NULL, 0};
}

void scratch_give(lua_State *L, int index, void *memory)
{
    scratch_free(L, index);
    *(HostMemory *)lua_touserdata(L, index) = (HostMemory){memory, 0};
}
