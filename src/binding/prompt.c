/* Functions for the prompt (lua/rill/shell): whether input is a terminal, file names for completion, and directories
 * for the history. */
#include "binding/binding.h"

#include <errno.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* _input_terminal(): returns whether standard input is a terminal. */
static int l_input_terminal(lua_State *L)
{
    lua_pushboolean(L, isatty(STDIN_FILENO));
    return 1;
}

static int push_paths(lua_State *L)
{
    const glob_t *found = lua_touserdata(L, 1);
    lua_createtable(L, (int)found->gl_pathc, 0);
    for (size_t i = 0; i < found->gl_pathc; i++) {
        lua_pushstring(L, found->gl_pathv[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* _paths(prefix): returns the sorted list of paths that begin with a prefix. Directories end in '/'. */
static int l_paths(lua_State *L)
{
    const char *prefix = luaL_checkstring(L, 1);
    luaL_Buffer pattern;
    luaL_buffinit(L, &pattern);
    for (const char *at = prefix; *at; at++) {
        if (strchr("*?[]\\", *at)) {
            luaL_addchar(&pattern, '\\');
        }
        luaL_addchar(&pattern, *at);
    }
    luaL_addchar(&pattern, '*');
    luaL_pushresult(&pattern);
    glob_t found;
    memset(&found, 0, sizeof found);
    (void)glob(lua_tostring(L, -1), GLOB_MARK, NULL, &found);
    lua_pushcfunction(L, push_paths);
    lua_pushlightuserdata(L, &found);
    int status = lua_pcall(L, 1, 1, 0); /* an error for lack of memory must not leak the names */
    globfree(&found);
    return status == LUA_OK ? 1 : lua_error(L);
}

/* _make_directory(path): creates a directory and its parents, accessible to this user only. Returns true, or nil and
 * the reason. */
static int l_make_directory(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    for (const char *at = strchr(*path ? path + 1 : path, '/');; at = strchr(at + 1, '/')) {
        const char *part = at ? lua_pushlstring(L, path, (size_t)(at - path)) : path;
        if (mkdir(part, 0700) != 0 && errno != EEXIST) {
            return luaL_fileresult(L, 0, part);
        }
        if (!at) {
            lua_pushboolean(L, 1);
            return 1;
        }
        lua_pop(L, 1);
    }
}

void open_prompt(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_input_terminal", l_input_terminal},
                                         {"_paths", l_paths},
                                         {"_make_directory", l_make_directory},
                                         {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
