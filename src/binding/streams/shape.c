/* Reads and pushes shapes, and counts per dimension. */
#include "binding/binding.h"
#include "binding/values/coordinates.h"

#include <inttypes.h>
#include <stdio.h>

static const char shape_key;

/* Reads a table of integers; false with error_set if it contains anything else. */
static bool shape_read(lua_State *L, int index, Shape *shape)
{
    lua_Unsigned rank = lua_rawlen(L, index);
    if (rank < 1 || rank > SHAPE_MAX_RANK) {
        return error_set("a shape has 1 to %d dimensions, got %s", SHAPE_MAX_RANK, binding_describe(L, index));
    }
    shape->rank = (int)rank;
    for (int d = 0; d < shape->rank; d++) {
        int whole = 0;
        lua_rawgeti(L, index, d + 1);
        shape->size[d] = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &whole) : 0;
        if (!whole) {
            return error_set("dimension %d of a shape must be a whole number, got %s", d + 1, binding_describe(L, -1));
        }
        lua_pop(L, 1);
    }
    return true;
}

/* Checks that a table has no other keys than those of a list; false with error_set. Options of a call that are in the
 * table of the shape would have no effect. */
static bool shape_is_list(lua_State *L, int index)
{
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        if (lua_type(L, -2) == LUA_TSTRING) {
            return error_set("a shape is a list of sizes and has no key '%s': options are in another table",
                             lua_tostring(L, -2));
        }
    }
    return true;
}

void shape_check_sizes(lua_State *L, int index, const char *function, int n, const char *name, Shape *shape)
{
    int top = lua_gettop(L);
    bool good;
    *shape = (Shape){.rank = 1};
    if (lua_istable(L, index)) {
        good = shape_read(L, index, shape) && shape_is_list(L, lua_absindex(L, index));
    } else if (lua_type(L, index) == LUA_TNUMBER) {
        int whole = 0;
        shape->size[0] = lua_tointegerx(L, index, &whole);
        good = whole || error_set("a shape consists of whole numbers, got %s", binding_describe(L, index));
    } else {
        binding_argument(L, function, n, name, index, "a shape: a whole number or a table of them");
    }
    if (!good) {
        binding_argument_error(L, function, n, name);
    }
    lua_settop(L, top);
}

void shape_check_arg(lua_State *L, int index, const char *function, int n, const char *name, Shape *shape)
{
    shape_check_sizes(L, index, function, n, name, shape);
    if (!shape_check(shape)) {
        binding_argument_error(L, function, n, name);
    }
}

void shape_raise_unequal(lua_State *L, const char *format, const char *function, const Shape *a, const Shape *b)
{
    char first[SHAPE_TEXT], second[SHAPE_TEXT];
    if (!shape_equal(a, b)) {
        luaL_error(L, format, function, shape_text(a, first), shape_text(b, second));
    }
}

/* Compares two shapes, or a shape and a plain table. */
static int shape_eq(lua_State *L)
{
    Shape a, b;
    bool good = lua_istable(L, 1) && lua_istable(L, 2) && shape_read(L, 1, &a) && shape_read(L, 2, &b);
    lua_pushboolean(L, good && shape_equal(&a, &b));
    return 1;
}

static int shape_tostring(lua_State *L)
{
    Shape shape;
    char text[SHAPE_TEXT];
    if (!lua_istable(L, 1) || !shape_read(L, 1, &shape)) {
        return luaL_error(L, "tostring: the table was modified and is not a shape");
    }
    lua_pushstring(L, shape_text(&shape, text));
    return 1;
}

static int shape_concat(lua_State *L)
{
    luaL_tolstring(L, 1, NULL);
    luaL_tolstring(L, 2, NULL);
    lua_concat(L, 2);
    return 1;
}

void shape_push(lua_State *L, const Shape *shape)
{
    coordinates_push_list(L, shape->size, shape->rank, 0);
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &shape_key) == LUA_TNIL) {
        static const luaL_Reg meta[] = {
            {"__eq", shape_eq}, {"__tostring", shape_tostring}, {"__concat", shape_concat}, {NULL, NULL}};
        lua_pop(L, 1);
        luaL_newlib(L, meta);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &shape_key);
    }
    lua_setmetatable(L, -2);
}

/* _shape(list): returns a copy of a list of whole numbers as a shape, which prints like the shape of a stream. */
static int shape_new(lua_State *L)
{
    Shape shape;
    shape_check_sizes(L, 1, "_shape", 1, "list", &shape);
    shape_push(L, &shape);
    return 1;
}

void open_shape(lua_State *L)
{
    fields_function(L, "_shape", shape_new);
}

void shape_check_counts(lua_State *L, int first, const char *function, int rank, bool backward, int64_t *n)
{
    int count = lua_gettop(L) - first + 1;
    if (count != 1 && count != rank) {
        luaL_error(L, "%s: expected %s, got %d arguments", function,
                   rank == 1 ? "one whole number"
                             : lua_pushfstring(L, "one whole number, or %d: one per dimension", rank),
                   count);
    }
    for (int d = 0; d < rank; d++) {
        int at = count == 1 ? 0 : d;
        n[d] = binding_integer(L, first + at, function, at + 1, "n");
        if (n[d] == 0 || (n[d] < 0 && !backward)) {
            binding_argument(L, function, at + 1, "n", first + at,
                             backward ? "a whole number that is not 0" : "a whole number from 1");
        }
    }
}
