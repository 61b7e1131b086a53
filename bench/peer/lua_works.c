/* Workloads described in Lua. Indices of buffers and programs are 1-based there; a buffer is a string or a number of bytes.
 *     peer.gl_work{programs = {glsl, ...}, buffers = {...}, passes = {{program =, groups = {x, y}, textures = {{buffer, floats a texel}, ...},
 *         blocks = {buffer, ...}, numbers = {uniform, ...}}, ...}} -> number
 *     peer.gl_run(number [, runs]) -> seconds per run         peer.gl_read(number, buffer) -> bytes       peer.gl_close(number)
 *     peer.host_work(name, buffers [, numbers]) -> number, or nil and the name of the missing library
 *     peer.host_run(number, runs, threads) -> seconds per run  peer.host_read(number, buffer) -> bytes    peer.host_close(number)
 * In `textures` and `blocks`, false skips a binding. */
#include "peer.h"
#include "works.h"

#include <lauxlib.h>

static int list_length(lua_State *L, int table, const char *name, int most)
{
    int type = lua_getfield(L, table, name);
    int n = type == LUA_TTABLE ? (int)luaL_len(L, -1) : 0;
    if (n > most) luaL_error(L, "%s: more than %d", name, most);
    return n;
}

static int integer_at(lua_State *L, int table, int i)
{
    lua_geti(L, table, i);
    int value = lua_toboolean(L, -1) ? (int)luaL_checkinteger(L, -1) : 0;
    lua_pop(L, 1);
    return value;
}

/* Reads the table on top of the stack, which keeps the strings alive. */
static int read_buffers(lua_State *L, WorkBuffer *buffers)
{
    int n = (int)luaL_len(L, -1);
    if (n > WORK_BUFFERS) luaL_error(L, "more than %d buffers", WORK_BUFFERS);
    for (int i = 0; i < n; i++) {
        bool size = lua_geti(L, -1, i + 1) == LUA_TNUMBER;
        buffers[i] = (WorkBuffer){0};
        if (size)
            buffers[i].bytes = (size_t)luaL_checkinteger(L, -1);
        else
            buffers[i].data = luaL_checklstring(L, -1, &buffers[i].bytes);
        lua_pop(L, 1);
    }
    return n;
}

/* Reads a field of the pass on top of the stack: each entry is a buffer or {buffer, texels}. Buffers are 0-based in the result. */
static void read_places(lua_State *L, const char *name, int *places, int *texels)
{
    int n = list_length(L, lua_gettop(L), name, WORK_BUFFERS);
    for (int i = 0; i < WORK_BUFFERS; i++) {
        places[i] = -1;
        if (i >= n) continue;
        if (lua_geti(L, -1, i + 1) == LUA_TTABLE) {
            places[i] = integer_at(L, -1, 1) - 1;
            texels[i] = integer_at(L, -1, 2);
        } else if (lua_toboolean(L, -1)) {
            places[i] = (int)luaL_checkinteger(L, -1) - 1;
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_pass(lua_State *L, WorkPass *pass)
{
    int table = lua_gettop(L);
    *pass = (WorkPass){0};
    lua_getfield(L, table, "program");
    pass->program = (int)luaL_optinteger(L, -1, 1) - 1;
    list_length(L, table, "groups", 2);
    pass->groups[0] = integer_at(L, -1, 1);
    pass->groups[1] = integer_at(L, -1, 2);
    pass->number_count = list_length(L, table, "numbers", WORK_NUMBERS);
    for (int i = 0; i < pass->number_count; i++) {
        lua_geti(L, -1, i + 1);
        pass->numbers[i].is_int = lua_isinteger(L, -1);
        pass->numbers[i].value = luaL_checknumber(L, -1);
        lua_pop(L, 1);
    }
    lua_settop(L, table);
    read_places(L, "textures", pass->textures, pass->texels);
    read_places(L, "blocks", pass->blocks, NULL);
}

int lua_gl_work(lua_State *L)
{
    static WorkPass passes[WORK_PASSES];
    const char *programs[WORK_PASSES];
    WorkBuffer buffers[WORK_BUFFERS];
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    int program_count = list_length(L, 1, "programs", WORK_PASSES);
    for (int i = 0; i < program_count; i++) {
        lua_geti(L, 2, i + 1);
        programs[i] = luaL_checkstring(L, -1);
        lua_pop(L, 1);
    }
    list_length(L, 1, "buffers", WORK_BUFFERS);
    int buffer_count = read_buffers(L, buffers), pass_count = list_length(L, 1, "passes", WORK_PASSES);
    for (int i = 0; i < pass_count; i++) {
        lua_geti(L, 4, i + 1);
        read_pass(L, &passes[i]);
        lua_pop(L, 1);
    }
    peer_enter();
    lua_pushinteger(L, peer_gl_work(program_count, programs, buffer_count, buffers, pass_count, passes));
    peer_leave();
    return 1;
}

int lua_gl_run(lua_State *L)
{
    int number = (int)luaL_checkinteger(L, 1), runs = (int)luaL_optinteger(L, 2, 1);
    peer_enter();
    lua_pushnumber(L, peer_gl_run(number, runs));
    peer_leave();
    return 1;
}

int lua_gl_read(lua_State *L)
{
    int number = (int)luaL_checkinteger(L, 1), which = (int)luaL_checkinteger(L, 2) - 1;
    peer_enter();
    luaL_Buffer buffer;
    size_t bytes = peer_gl_read(number, which, NULL);
    peer_gl_read(number, which, luaL_buffinitsize(L, &buffer, bytes));
    luaL_pushresultsize(&buffer, bytes);
    peer_leave();
    return 1;
}

int lua_gl_close(lua_State *L)
{
    peer_enter();
    peer_gl_close((int)luaL_checkinteger(L, 1));
    peer_leave();
    return 0;
}

int lua_host_work(lua_State *L)
{
    WorkBuffer buffers[WORK_BUFFERS];
    double numbers[WORK_NUMBERS] = {0};
    luaL_checktype(L, 2, LUA_TTABLE);
    int number_count = lua_istable(L, 3) ? (int)luaL_len(L, 3) : 0;
    luaL_argcheck(L, number_count <= WORK_NUMBERS, 3, "fewer numbers expected");
    for (int i = 0; i < number_count; i++) {
        lua_geti(L, 3, i + 1);
        numbers[i] = luaL_checknumber(L, -1);
        lua_pop(L, 1);
    }
    lua_settop(L, 2);
    int buffer_count = read_buffers(L, buffers);
    int number = peer_host_work(luaL_checkstring(L, 1), buffer_count, buffers, number_count, numbers);
    if (number < 0) {
        lua_pushnil(L);
        lua_pushstring(L, "libfftw3f.so.3: apt-get install libfftw3-single3");
        return 2;
    }
    lua_pushinteger(L, number);
    return 1;
}

int lua_host_run(lua_State *L)
{
    int runs = (int)luaL_optinteger(L, 2, 1), threads = (int)luaL_optinteger(L, 3, 1);
    lua_pushnumber(L, peer_host_run((int)luaL_checkinteger(L, 1), runs, threads));
    return 1;
}

int lua_host_read(lua_State *L)
{
    const void *values;
    size_t bytes = peer_host_read((int)luaL_checkinteger(L, 1), (int)luaL_checkinteger(L, 2) - 1, &values);
    lua_pushlstring(L, values, bytes);
    return 1;
}

int lua_host_close(lua_State *L)
{
    peer_host_close((int)luaL_checkinteger(L, 1));
    return 0;
}
