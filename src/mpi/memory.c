/* Host memory for messages. It grows when it is used again for a longer message, so that a caller keeps one for each
 * purpose and allocates nothing in a loop. */
#include "mpi/mpi_module.h"

#include <stdlib.h>
#include <string.h>

static const char *const memory_name = "rill.mpi.memory";

static Memory *memory_argument(lua_State *L, int n)
{
    return luaL_checkudata(L, n, memory_name);
}

char *memory_range(lua_State *L, int n, size_t *length)
{
    const Memory *memory = memory_argument(L, n);
    lua_Integer offset = luaL_checkinteger(L, n + 1), bytes = luaL_checkinteger(L, n + 2);
    bool inside =
        offset >= 0 && bytes >= 0 && (size_t)offset <= memory->size && (size_t)bytes <= memory->size - (size_t)offset;
    luaL_argcheck(L, inside, n + 1, "the range is not inside of the memory");
    *length = (size_t)bytes;
    return memory->bytes ? memory->bytes + offset : NULL;
}

void memory_abandon(lua_State *L, int n)
{
    *memory_argument(L, n) = (Memory){NULL, 0};
}

/* memory(): returns an empty memory. */
static int memory_new(lua_State *L)
{
    Memory *memory = lua_newuserdatauv(L, sizeof *memory, 0);
    *memory = (Memory){NULL, 0};
    luaL_setmetatable(L, memory_name);
    return 1;
}

static int memory_release(lua_State *L)
{
    Memory *memory = memory_argument(L, 1);
    free(memory->bytes);
    *memory = (Memory){NULL, 0};
    return 0;
}

/* memory:hold(bytes): makes room for a number of bytes. Contents are kept. Returns a light userdata with the address. */
static int memory_hold(lua_State *L)
{
    Memory *memory = memory_argument(L, 1);
    lua_Integer size = luaL_checkinteger(L, 2);
    luaL_argcheck(L, size >= 0, 2, "a size from 0");
    if ((size_t)size > memory->size) {
        void *bytes = realloc(memory->bytes, (size_t)size);
        if (!bytes) {
            return luaL_error(L, "rill.mpi: not enough memory for a message of %I bytes", size);
        }
        memory->bytes = bytes;
        memory->size = (size_t)size;
    }
    lua_pushlightuserdata(L, memory->bytes);
    return 1;
}

/* memory:text(offset, bytes): returns a range as a string. */
static int memory_text(lua_State *L)
{
    size_t length;
    const char *bytes = memory_range(L, 1, &length);
    lua_pushlstring(L, length ? bytes : "", length);
    return 1;
}

/* memory:put(text, offset): copies a string to an offset. */
static int memory_put(lua_State *L)
{
    size_t length;
    const Memory *memory = memory_argument(L, 1);
    const char *text = luaL_checklstring(L, 2, &length);
    lua_Integer offset = luaL_checkinteger(L, 3);
    luaL_argcheck(L, offset >= 0 && (size_t)offset <= memory->size && length <= memory->size - (size_t)offset, 3,
                  "the text does not fit into the memory");
    if (length) {
        memcpy(memory->bytes + offset, text, length);
    }
    return 0;
}

void memory_open(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"hold", memory_hold}, {"text", memory_text}, {"put", memory_put}, {"close", memory_release}, {NULL, NULL}};
    luaL_newmetatable(L, memory_name);
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, memory_release);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 1);
    lua_pushcfunction(L, memory_new);
    lua_setfield(L, -2, "memory");
}
