/* Where kernel text stands, and how parameters are shown. */
#include "binding/lua_kernel.h"

#include <stdio.h>
#include <string.h>

void chunk_read(lua_State *L, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        lua_pushnil(L);
        return;
    }
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    for (;;) {
        char *room = luaL_prepbuffer(&b);
        size_t count = fread(room, 1, LUAL_BUFFERSIZE, file);
        luaL_addsize(&b, count);
        if (count < LUAL_BUFFERSIZE) {
            break;
        }
    }
    fclose(file);
    luaL_pushresult(&b);
}

static int count_lines(const char *from, const char *to)
{
    int lines = 1;
    for (; from < to; from++) {
        lines += *from == '\n';
    }
    return lines;
}

/* Lua drops a newline right after the opening brackets of a long string, which does not matter here: the text that is
 * searched for starts behind it. */
int chunk_line(lua_State *L, const char *source, const char *text, size_t length, const char **chunk)
{
    const char *all = source;
    size_t size = strlen(source);
    if (*source == '=') {
        *chunk = lua_pushstring(L, source + 1);
        return 1;
    }
    if (*source == '@') {
        *chunk = source + 1;
        chunk_read(L, source + 1);
        all = lua_tolstring(L, -1, &size);
        if (!all) {
            return 1;
        }
    } else {
        *chunk = "[string]";
    }
    const char *found = length ? memmem(all, size, text, length) : NULL;
    return found ? count_lines(all, found) : 1;
}

void param_add(luaL_Buffer *b, const Param *param)
{
    static const char *const before[PARAM_KIND_COUNT] = {
        [PARAM_OUTPUT] = "out ",   [PARAM_INOUT] = "inout ", [PARAM_NEIGHBOR] = "neighbor ",
        [PARAM_RANDOM] = "inout ", [PARAM_ITER] = "iter ",   [PARAM_REDUCE] = "reduce "};
    char matrix[8];
    snprintf(matrix, sizeof matrix, "mat%d", param->matrix % 10);
    luaL_addstring(b, before[param->kind] ? before[param->kind] : "");
    luaL_addstring(b, param->matrix ? matrix : param->type->name);
    luaL_addchar(b, ' ');
    luaL_addstring(b, param->name);
    if (param->rank > 0) {
        for (int d = 0; d < param->rank; d++) {
            luaL_addstring(b, "[]");
        }
    } else if (param_kinds[param->kind].stream) {
        luaL_addstring(b, "<>");
    }
}
