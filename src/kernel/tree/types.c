#include "kernel/tree/types.h"

#include "base/array.h"
#include "kernel/text/names.h"

#include <stdlib.h>
#include <string.h>

/* Types without parameters have fixed indices: void, 4 of each scalar, 9 matrices of floats and 9 of doubles. The
 * types in the list follow them. */
enum { VECTORS = 2, MATRICES = VECTORS + 5 * 4, LISTED = MATRICES + 2 * 9 };

static const char *const words[LISTED] = {
    "",      "void",  "bool",    "bvec2",   "bvec3",   "bvec4",  "int",     "ivec2",   "ivec3",   "ivec4",
    "uint",  "uvec2", "uvec3",   "uvec4",   "float",   "vec2",   "vec3",    "vec4",    "double",  "dvec2",
    "dvec3", "dvec4", "mat2",    "mat2x3",  "mat2x4",  "mat3x2", "mat3",    "mat3x4",  "mat4x2",  "mat4x3",
    "mat4",  "dmat2", "dmat2x3", "dmat2x4", "dmat3x2", "dmat3",  "dmat3x4", "dmat4x2", "dmat4x3", "dmat4",
};

static const char *const aliases[][2] = {
    {"mat2x2", "mat2"},   {"mat3x3", "mat3"},   {"mat4x4", "mat4"},   {"dmat2x2", "dmat2"},
    {"dmat3x3", "dmat3"}, {"dmat4x4", "dmat4"}, {"unsigned", "uint"},
};

void types_free(Types *types)
{
    free(types->items);
    *types = (Types){0};
}

TypeIndex types_of(Base base, int columns, int rows)
{
    if (base == BASE_VOID) {
        return 1;
    }
    return columns == 1 ? (TypeIndex)(VECTORS + ((int)base - BASE_BOOL) * 4 + rows - 1)
                        : (TypeIndex)(MATRICES + (base == BASE_DOUBLE) * 9 + (columns - 2) * 3 + rows - 2);
}

TypeIndex types_word(const Token *word)
{
    const char *text = names_spelling(word);
    for (size_t i = 0; !text && i < sizeof aliases / sizeof *aliases; i++) {
        text = token_is(word, aliases[i][0]) ? aliases[i][1] : NULL;
    }
    for (TypeIndex i = 1; i < LISTED; i++) {
        if (text ? strcmp(text, words[i]) == 0 : token_is(word, words[i])) {
            return i;
        }
    }
    return 0;
}

static TypeIndex add(Types *types, TypeInfo info)
{
    if (!ARRAY_ROOM(types)) {
        types->failed = true;
        return 0;
    }
    types->items[types->count] = info;
    return LISTED + (TypeIndex)types->count++;
}

TypeIndex types_structure(Types *types, uint32_t structure, const Token *name)
{
    return add(types, (TypeInfo){.base = BASE_STRUCTURE, .structure = structure, .name = *name});
}

TypeIndex types_array(Types *types, TypeIndex element, int length)
{
    for (size_t i = 0; i < types->count; i++) {
        const TypeInfo *info = &types->items[i];
        if (info->base == BASE_ARRAY && info->element == element && info->length == length) {
            return LISTED + (TypeIndex)i;
        }
    }
    return add(types, (TypeInfo){.base = BASE_ARRAY, .element = element, .length = length});
}

TypeInfo types_info(const Types *types, TypeIndex type)
{
    if (type >= LISTED) {
        return types->items[type - LISTED];
    }
    if (type >= MATRICES) {
        int i = (int)type - MATRICES;
        return (TypeInfo){.base = i < 9 ? BASE_FLOAT : BASE_DOUBLE, .columns = i % 9 / 3 + 2, .rows = i % 3 + 2};
    }
    int i = (int)type - VECTORS;
    return i < 0 ? (TypeInfo){.base = type ? BASE_VOID : BASE_NONE}
                 : (TypeInfo){.base = (Base)(BASE_BOOL + i / 4), .columns = 1, .rows = i % 4 + 1};
}

void types_name(const Types *types, TypeIndex type, StrBuf *out)
{
    StrBuf lengths = STRBUF_EMPTY;
    TypeInfo info = types_info(types, type);
    for (; info.base == BASE_ARRAY; info = types_info(types, type)) { /* the outermost length is the first */
        strbuf_addf(&lengths, info.length > 0 ? "[%d]" : "[]", info.length);
        type = info.element;
    }
    if (info.base == BASE_STRUCTURE && info.name.kind != TOKEN_NAME) {
        strbuf_add(out, "struct"); /* without a name */
    } else if (info.base == BASE_STRUCTURE) {
        strbuf_add_bytes(out, info.name.text, (size_t)info.name.length);
    } else {
        strbuf_add(out, words[type]);
    }
    strbuf_add(out, strbuf_text(&lengths));
    strbuf_free(&lengths);
}

bool types_converts(const Types *types, TypeIndex from, TypeIndex to)
{
    TypeInfo a = types_info(types, from), b = types_info(types, to);
    return from == to || (a.base >= BASE_INT && b.base <= BASE_DOUBLE && a.base <= b.base && a.rows == b.rows &&
                          a.columns == b.columns);
}
