/* Packs tables of elements: nested like a shape, flat lists of elements, or flat lists of numbers. */
#include "binding/binding.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Returns whether a table is an element of a structure type: it has keys, but not the key 1. */
static bool is_keyed(lua_State *L, int index)
{
    bool listed = lua_rawgeti(L, index, 1) != LUA_TNIL;
    lua_pop(L, 1);
    if (listed) {
        return false;
    }
    lua_pushnil(L);
    bool keyed = lua_next(L, index);
    if (keyed) {
        lua_pop(L, 2);
    }
    return keyed;
}

/* Returns how deep lists are nested, following the first items down to a number or an element of a structure. Stores
 * the sizes of the lists in `shape`, at most SHAPE_MAX_RANK. Sets *number to whether the innermost items are not
 * structures. */
static int list_levels(lua_State *L, int index, const Type *type, Shape *shape, bool *number)
{
    int levels = 0, top = lua_gettop(L);
    lua_pushvalue(L, index);
    *number = true;
    while (lua_istable(L, -1) && levels <= SHAPE_MAX_RANK + 1) {
        if (type->is_struct && is_keyed(L, lua_gettop(L))) {
            *number = false;
            break;
        }
        if (levels < SHAPE_MAX_RANK) {
            shape->size[levels] = (int64_t)lua_rawlen(L, -1);
        }
        levels++;
        lua_rawgeti(L, -1, 1);
        lua_replace(L, -2);
    }
    lua_settop(L, top);
    return levels;
}

/* Returns false with error_set if the innermost first table has keys, but no items. */
static bool check_items(lua_State *L, int index, const Type *type)
{
    const char *hint = type->components > 1 ? "; a vector is written {x, y ...}"
                                            : "; tables with names are elements of a structure, which rill.from takes "
                                              "as argument #2 'type'";
    int top = lua_gettop(L);
    lua_pushvalue(L, index);
    for (int level = 0; level <= SHAPE_MAX_RANK && lua_istable(L, -1) && lua_rawlen(L, -1) > 0; level++) {
        lua_rawgeti(L, -1, 1);
        lua_replace(L, -2);
    }
    bool keyed = lua_istable(L, -1) && is_keyed(L, lua_gettop(L));
    if (keyed && luaL_getmetafield(L, -1, "__name") != LUA_TNIL) { /* an object, whose keys are internal */
        lua_pop(L, 1);
        error_set("expected a table with the items 1, 2 ..., got %s", binding_describe(L, -1));
    } else if (keyed) {
        lua_pushnil(L);
        lua_next(L, -2);
        error_set("expected a table with the items 1, 2 ..., got one with the key %s%s", binding_key(L, -2), hint);
    }
    lua_settop(L, top);
    return !keyed;
}

bool table_shape(lua_State *L, int index, const Type *type, Shape *shape)
{
    bool number;
    index = lua_absindex(L, index);
    if (!type->is_struct && !check_items(L, index, type)) {
        return false;
    }
    int levels = list_levels(L, index, type, shape, &number);
    bool in_vectors = type->components > 1 && !type->is_struct;
    bool empty = levels > 0 && levels <= SHAPE_MAX_RANK && shape->size[levels - 1] == 0;
    shape->rank = levels - (in_vectors && !empty);
    if (type->is_struct && number && !empty) {
        return error_set("expected tables keyed by field for structure %s: {%s}", type->name,
                         type_push_names(L, type, " = ..."));
    }
    if (in_vectors && shape->rank < 1) {
        return error_set("expected tables nested so that the innermost are %s: {x, y ...}, got a flat one", type->name);
    }
    return shape_check(shape);
}

typedef struct Packer {
    lua_State *L;
    const Type *type;
    const Shape *shape;
    char *to;
    int64_t path[SHAPE_MAX_RANK];
} Packer;

/* Writes the first `depth` indices of the current element: "[2][3]". */
static const char *packer_path(const Packer *p, int depth, char text[SHAPE_TEXT])
{
    size_t length = 0;
    text[0] = '\0';
    for (int d = 0; d < depth && length < SHAPE_TEXT; d++) {
        int wrote = snprintf(text + length, SHAPE_TEXT - length, "[%" PRId64 "]", p->path[d]);
        length += wrote > 0 ? (size_t)wrote : 0;
    }
    return text;
}

static bool row_error(const Packer *p, int depth, const char *got)
{
    char text[SHAPE_TEXT];
    if (depth == 0) {
        return error_set("expected a table of %" PRId64 ", got %s", p->shape->size[0], got);
    }
    packer_path(p, depth, text);
    return error_set("row %s: expected a table of %" PRId64 ", got %s", text, p->shape->size[depth], got);
}

/* Packs the table on top of the stack, which is at nesting level `depth`. */
static bool pack_row(Packer *p, int depth)
{
    lua_State *L = p->L;
    int row = lua_gettop(L);
    int64_t size = p->shape->size[depth];
    if (!lua_istable(L, row) || (int64_t)lua_rawlen(L, row) != size) {
        return row_error(p, depth, binding_describe(L, row));
    }
    bool innermost = depth == p->shape->rank - 1;
    bool scalar = p->type->components == 1 && !p->type->is_struct;
    for (int64_t i = 1; i <= size; i++) {
        lua_rawgeti(L, row, i);
        p->path[depth] = i;
        if (!innermost) {
            if (!pack_row(p, depth + 1)) {
                return false;
            }
        } else if (!(scalar ? value_pack_scalar(L, row + 1, p->type->scalar, p->to)
                            : value_pack(L, row + 1, p->type, p->to))) {
            char text[SHAPE_TEXT];
            return error_prefix("element %s", packer_path(p, depth + 1, text));
        } else {
            p->to += p->type->bytes;
        }
        lua_settop(L, row);
    }
    return true;
}

static bool pack_shape(lua_State *L, int index, const Type *type, const Shape *shape, void *bytes)
{
    Packer p = {.L = L, .type = type, .shape = shape, .to = bytes};
    if (!lua_checkstack(L, 2 * SHAPE_MAX_RANK + 8)) {
        return error_set("out of Lua stack");
    }
    int top = lua_gettop(L);
    lua_pushvalue(L, index);
    bool good = pack_row(&p, 0);
    lua_settop(L, top);
    return good;
}

/* Packs a flat list of the components of all elements. */
static bool pack_numbers(lua_State *L, int index, const Type *type, int64_t elements, char *to)
{
    int64_t count = elements * type->components;
    if ((int64_t)lua_rawlen(L, index) != count) {
        return error_set("expected a flat table of %" PRId64 " numbers, got one of %" PRId64, count,
                         (int64_t)lua_rawlen(L, index));
    }
    int64_t at = 1;
    for (int64_t e = 0; e < elements; e++, to += type->bytes) {
        for (int c = 0; c < type->components; c++, at++) {
            Scalar scalar;
            int offset;
            type_component(type, c, &scalar, &offset);
            lua_rawgeti(L, index, at);
            if (!value_pack_scalar(L, lua_gettop(L), scalar, to + offset)) {
                lua_pop(L, 1);
                return error_prefix("number %" PRId64 " of the table", at);
            }
            lua_pop(L, 1);
        }
    }
    return true;
}

bool table_pack(lua_State *L, int index, const Type *type, const Shape *shape, void *bytes)
{
    Shape found, flat = {.rank = 1, .size = {shape_elements(shape)}};
    bool number;
    index = lua_absindex(L, index);
    int levels = list_levels(L, index, type, &found, &number);
    int element = type->is_struct ? 0 : type->components > 1; /* levels of lists within an element */
    if (levels == shape->rank + element && !(type->is_struct && number)) {
        return pack_shape(L, index, type, shape, bytes);
    }
    if (levels == 1 + element && !(type->is_struct && number)) {
        return pack_shape(L, index, type, levels > 1 && !flat.size[0] ? shape : &flat, bytes);
    }
    if (levels == 1) {
        return pack_numbers(L, index, type, flat.size[0], bytes);
    }
    if (type->is_struct && number) {
        return error_set("expected tables keyed by field for structure %s: {%s}", type->name,
                         type_push_names(L, type, " = ..."));
    }
    char text[SHAPE_TEXT];
    return error_set("expected a flat table of %" PRId64 " elements or tables nested as %s, got tables nested %d deep",
                     flat.size[0], shape_text(shape, text), levels);
}

static const char *push_nested(lua_State *L, const Type *type, const Shape *shape, int d, const char *from)
{
    int64_t size = shape->size[d];
    bool scalar = type->components == 1 && !type->is_struct;
    lua_createtable(L, (int)size, 0);
    for (int64_t i = 1; i <= size; i++) {
        if (d + 1 < shape->rank) {
            from = push_nested(L, type, shape, d + 1, from);
        } else {
            if (scalar) {
                value_push_scalar(L, type->scalar, from);
            } else {
                value_push(L, type, from);
            }
            from += type->bytes;
        }
        lua_rawseti(L, -2, i);
    }
    return from;
}

void table_push_nested(lua_State *L, const Type *type, const Shape *shape, const void *bytes)
{
    luaL_checkstack(L, SHAPE_MAX_RANK + 8, "a table nested too deep");
    push_nested(L, type, shape, 0, bytes);
}

void table_push_flat(lua_State *L, const Type *type, int64_t elements, const void *bytes)
{
    const char *from = bytes;
    int64_t count = elements * type->components, at = 1;
    lua_createtable(L, count > INT32_MAX ? INT32_MAX : (int)count, 0);
    for (int64_t e = 0; e < elements; e++, from += type->bytes) {
        for (int c = 0; c < type->components; c++) {
            Scalar scalar;
            int offset;
            type_component(type, c, &scalar, &offset);
            value_push_scalar(L, scalar, from + offset);
            lua_rawseti(L, -2, at++);
        }
    }
}
