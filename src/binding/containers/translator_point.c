/* Points as Lua has them. */
#include "binding/containers/translator.h"

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
