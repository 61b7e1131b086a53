/* Finds the position of a kernel text in its chunk, and formats parameters. */
#include "binding/kernels/kernel.h"

#include <stdio.h>
#include <string.h>

void source_location_read(lua_State *L, const char *path)
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

/* Returns the line of the last occurrence of `text` that a call in line `current` can refer to; 0 if there is none. Lua
 * reports a call with a long string at its first or its last line, and the text begins there or one line below. */
static int find_line(const char *all, size_t size, const char *text, size_t length, int current)
{
    const char *from = all, *end = all + size;
    int line = 1, result = 0;
    while (length > 0 && from < end) {
        const char *found = memmem(from, (size_t)(end - from), text, length);
        if (!found) {
            break;
        }
        for (; from < found; from++) {
            line += *from == '\n';
        }
        bool below = line == current + 1 && found - all >= 2 && found[-1] == '\n' && found[-2] == '[';
        if (!result || line <= current || below) {
            result = line;
        }
        line += *from++ == '\n';
    }
    return result;
}

int source_location_line(lua_State *L, const char *source, int current, const char *text, size_t length,
                         const char **chunk)
{
    const char *all = source;
    size_t size = strlen(source);
    *chunk = "[string]";
    if (*source == '@' || *source == '=') {
        *chunk = source + 1;
    }
    if (*source == '@') {
        source_location_read(L, source + 1);
        all = lua_tolstring(L, -1, &size);
    }
    int line = all && *source != '=' ? find_line(all, size, text, length, current) : 0;
    if (line > 0) {
        return line;
    }
    *chunk = lua_pushfstring(L, "%s:%d: kernel text", *chunk, current);
    return 1;
}

int source_location_locate(lua_State *L, const char *text, size_t length, const char **chunk)
{
    lua_Debug info;
    int level = 1;
    *chunk = "kernel text";
    while (lua_getstack(L, level, &info) && lua_getinfo(L, "Sl", &info) && *info.what == 'C') {
        level++;
    }
    if (!lua_getstack(L, level, &info) || !lua_getinfo(L, "Sl", &info)) {
        return 1;
    }
    return source_location_line(L, info.source, info.currentline, text, length, chunk);
}

static void add_modes(luaL_Buffer *b, const ParamModes *modes)
{
    for (int d = 0; d < modes->count; d++) {
        char number[32];
        snprintf(number, sizeof number, "%.9g", modes->outside);
        bool value = modes->mode[d] == BOUNDARY_VALUE;
        luaL_addstring(b, d ? ", " : "(");
        luaL_addstring(b, !value ? boundary_names[modes->mode[d]] : modes->outside == 0 ? "zero" : number);
    }
    luaL_addstring(b, modes->count ? ")" : "");
}

void source_location_add_param(luaL_Buffer *b, const Param *param)
{
    const ParamKindInfo *kind = &param_kinds[param->kind];
    char matrix[8];
    snprintf(matrix, sizeof matrix, "mat%d", param->matrix % 10);
    if (kind->word) {
        luaL_addstring(b, kind->word);
        add_modes(b, &param->modes);
        luaL_addchar(b, ' ');
    }
    luaL_addstring(b, param->matrix ? matrix : param->type->name);
    luaL_addchar(b, ' ');
    luaL_addstring(b, param->name);
    if (param->rank > 0) {
        for (int d = 0; d < param->rank; d++) {
            luaL_addstring(b, "[]");
        }
    } else if (kind->stream) {
        luaL_addstring(b, "<>");
    }
}
