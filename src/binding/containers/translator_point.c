/* Points as Lua has them. */
#include "binding/containers/translator.h"

#include <stdio.h>
#include <string.h>

bool translator_read_point(lua_State *L, int index, int rank, int64_t *point)
{
    int whole = 1;
    if (rank == 1 && lua_type(L, index) == LUA_TNUMBER) {
        point[0] = lua_tointegerx(L, index, &whole);
        return whole;
    }
    if (!lua_istable(L, index) || lua_rawlen(L, index) != (lua_Unsigned)rank) {
        return false;
    }
    for (int d = 0; d < rank && whole; d++) {
        whole = lua_rawgeti(L, index, d + 1) == LUA_TNUMBER;
        if (whole) {
            point[d] = lua_tointegerx(L, -1, &whole);
        }
        lua_pop(L, 1);
    }
    return whole;
}

void translator_check_point(lua_State *L, int index, int rank, const char *function, int n, const char *name,
                            int64_t *point)
{
    memset(point, 0, SHAPE_MAX_RANK * sizeof *point);
    if (!translator_read_point(L, index, rank, point)) {
        char expected[48]; /* nothing is pushed: the argument may be missing */
        snprintf(expected, sizeof expected, rank == 1 ? "a whole number" : "a table of %d whole numbers", rank);
        binding_argument(L, function, n, name, index, expected);
    }
}

void translator_push_point(lua_State *L, const int64_t *point, int rank)
{
    if (rank == 1) {
        lua_pushinteger(L, point[0]);
        return;
    }
    lua_createtable(L, rank, 0);
    for (int d = 0; d < rank; d++) {
        lua_pushinteger(L, point[d]);
        lua_rawseti(L, -2, d + 1);
    }
}

const char *translator_point_text(lua_State *L, const int64_t *point, int rank)
{
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    for (int d = 0; d < rank; d++) {
        luaL_addstring(&text, d ? ", " : "{");
        lua_pushinteger(L, point[d]);
        luaL_addvalue(&text);
    }
    luaL_addstring(&text, "}");
    luaL_pushresult(&text);
    return lua_tostring(L, -1);
}

void translator_check_inside(lua_State *L, const Translator *t, const int64_t *point, const char *function, int n,
                             const char *name)
{
    TranslatorInfo info = translator_info(t);
    if (translator_inside(t, point)) {
        return;
    }
    const char *text = translator_point_text(L, point, info.rank);
    if (!info.domain.known) {
        luaL_error(L, "%s: argument #%d '%s': %s lies outside of the domain: coordinates go to 2147483647 either way",
                   function, n, name, text);
    }
    int64_t last[SHAPE_MAX_RANK], first[SHAPE_MAX_RANK] = {0};
    for (int d = 0; d < info.rank; d++) {
        last[d] = info.domain.size[d] - 1;
    }
    luaL_error(L, "%s: argument #%d '%s': %s lies outside of the domain, %s .. %s", function, n, name, text,
               translator_point_text(L, first, info.rank), translator_point_text(L, last, info.rank));
}
