#include "binding/values/coordinates.h"

#include <stdio.h>
#include <string.h>

void coordinates_push_indices(lua_State *L, const int64_t *point, int rank)
{
    for (int d = rank - 1; d >= 0; d--) {
        lua_pushinteger(L, point[d] + 1);
    }
}

void coordinates_push_list(lua_State *L, const int64_t *values, int count, int64_t base)
{
    lua_createtable(L, count, 0);
    for (int d = 0; d < count; d++) {
        lua_pushinteger(L, values[d] + base);
        lua_rawseti(L, -2, d + 1);
    }
}

void coordinates_push(lua_State *L, const int64_t *values, int count)
{
    if (count == 1) {
        lua_pushinteger(L, values[0]);
    } else {
        coordinates_push_list(L, values, count, 0);
    }
}

bool coordinates_read(lua_State *L, int index, int count, int64_t *values)
{
    int whole = 1;
    if (count == 1 && lua_type(L, index) == LUA_TNUMBER) {
        values[0] = lua_tointegerx(L, index, &whole);
        return whole;
    }
    if (!lua_istable(L, index) || lua_rawlen(L, index) != (lua_Unsigned)count) {
        return false;
    }
    for (int d = 0; d < count && whole; d++) {
        whole = lua_rawgeti(L, index, d + 1) == LUA_TNUMBER;
        if (whole) {
            values[d] = lua_tointegerx(L, -1, &whole);
        }
        lua_pop(L, 1);
    }
    return whole;
}

void coordinates_check(lua_State *L, int index, int count, const char *function, int n, const char *name,
                       int64_t *values)
{
    memset(values, 0, SHAPE_MAX_RANK * sizeof *values);
    if (!coordinates_read(L, index, count, values)) {
        char expected[48]; /* not pushed, because the argument may be missing: the text would then be at its index */
        snprintf(expected, sizeof expected, count == 1 ? "a whole number" : "a table of %d whole numbers", count);
        binding_argument(L, function, n, name, index, expected);
    }
}
