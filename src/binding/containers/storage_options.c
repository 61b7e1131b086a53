/* The options of memory. */
#include "binding/containers/container.h"

#include <string.h>

/* Whether option `name` of the table at 3 is the second of two words; `otherwise` where it is left out. */
static bool option_word(lua_State *L, const char *function, const char *name, const char *const words[2],
                        bool otherwise)
{
    bool second = otherwise;
    if (lua_getfield(L, 3, name) != LUA_TNIL) {
        const char *word = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
        second = strcmp(word, words[1]) == 0;
        if (!second && strcmp(word, words[0]) != 0) {
            luaL_error(L, "%s: option '%s': expected \"%s\" or \"%s\", got %s", function, name, words[0], words[1],
                       binding_describe(L, lua_gettop(L)));
        }
    }
    lua_pop(L, 1);
    return second;
}

/* Option `mipmaps`: 1 where it is left out or false, 0 for all there can be. */
static int option_levels(lua_State *L, const char *function)
{
    enum { MOST_LEVELS = 32 };
    lua_Integer levels = 1;
    if (lua_getfield(L, 3, "mipmaps") == LUA_TBOOLEAN) {
        levels = lua_toboolean(L, -1) ? 0 : 1;
    } else if (!lua_isnil(L, -1)) {
        levels = binding_integer(L, -1, function, 3, "mipmaps");
        if (levels < 1 || levels > MOST_LEVELS) {
            luaL_error(L, "%s: option '%s': expected 1 .. %I, got %I", function, "mipmaps", (LUAI_UACINT)MOST_LEVELS,
                       (LUAI_UACINT)levels);
        }
    }
    lua_pop(L, 1);
    return (int)levels;
}

/* Option `format`: 0 where it is left out. */
static int option_format(lua_State *L, const char *function)
{
    int internal = 0;
    if (lua_getfield(L, 3, "format") != LUA_TNIL) {
        internal = lua_type(L, -1) == LUA_TSTRING ? texture_find_internal(lua_tostring(L, -1)) : 0;
        if (!internal) {
            luaL_error(L, "%s: option 'format': expected one of %s, got %s", function, texture_internal_names(),
                       binding_describe(L, lua_gettop(L)));
        }
    }
    lua_pop(L, 1);
    return internal;
}

static bool option_true(lua_State *L, const char *name)
{
    lua_getfield(L, 3, name);
    bool value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

bool storage_check(lua_State *L, const char *function, bool boundary, TextureWish *wish)
{
    const char *names[] = {"storage", "filter", "mipmaps", "cube", "normalized", "format", NULL, NULL};
    names[6] = boundary ? "boundary" : NULL;
    static const char *const storages[] = {"buffer", "texture"}, *const filters[] = {"nearest", "linear"};
    binding_count(L, function, 3, false);
    lua_settop(L, 3);
    *wish = (TextureWish){.linear = true, .levels = 1};
    if (lua_isnil(L, 3)) {
        return false;
    }
    if (!binding_is_options(L, 3)) {
        binding_argument(L, function, 3, "options", 3, "a table like {storage = \"texture\"}");
    }
    binding_known(L, 3, function, names);
    bool texture = option_word(L, function, "storage", storages, false);
    wish->linear = option_word(L, function, "filter", filters, true);
    wish->levels = option_levels(L, function);
    wish->internal = option_format(L, function);
    wish->cube = option_true(L, "cube");
    wish->normalized = option_true(L, "normalized");
    bool filter = lua_getfield(L, 3, "filter") != LUA_TNIL;
    lua_pop(L, 1);
    if (!texture && (filter || wish->levels != 1 || wish->cube || wish->normalized || wish->internal)) {
        luaL_error(L, "%s: options 'filter', 'mipmaps', 'cube', 'normalized' and 'format' need storage = \"texture\"",
                   function);
    }
    return texture;
}
