/* Reads indices and boxes of containers from arguments. */
#include "binding/containers/container.h"
#include "binding/values/coordinates.h"

/* Converts an index of a domain without bounds to a coordinate; raises if it is not an int. */
static int64_t unbounded_index(lua_State *L, lua_Integer value, const char *function)
{
    if (value < 1 - (lua_Integer)INT32_MAX || value > (lua_Integer)INT32_MAX + 1) {
        luaL_error(L, "%s: index %I is out of range %I .. %I", function, (LUAI_UACINT)value,
                   (LUAI_UACINT)(1 - (lua_Integer)INT32_MAX), (LUAI_UACINT)INT32_MAX + 1);
    }
    return value - 1;
}

/* Reads one end of a box in a domain without bounds, converted to 0-based: a number or a table of them; raises. */
static void unbounded_end(lua_State *L, int index, int rank, const char *function, int n, const char *name,
                          int64_t *end)
{
    coordinates_check(L, index, rank, function, n, name, end);
    for (int d = 0; d < rank; d++) {
        end[d] = unbounded_index(L, end[d], function);
    }
}

void container_box_check(lua_State *L, const LuaContainer *self, int first, const char *function, int n, int64_t *from,
                         int64_t *to)
{
    int rank = self->stream.shape.rank;
    if (container_bounded(self->container)) {
        box_check(L, &self->stream, first, function, n, from, to);
        return;
    }
    if (lua_isnoneornil(L, first) || lua_isnoneornil(L, first + 1)) {
        luaL_error(L, "%s: a container without bounds requires a box: expected 'first' and 'last'", function);
    }
    unbounded_end(L, first, rank, function, n, "first", from);
    unbounded_end(L, first + 1, rank, function, n + 1, "last", to);
    for (int d = 0; d < rank; d++) {
        to[d]++;
        if (to[d] < from[d]) {
            luaL_error(L, "%s: dimension %d: %I .. %I is not a box: expected first <= last", function, d + 1,
                       (LUAI_UACINT)from[d] + 1, (LUAI_UACINT)to[d]);
        }
    }
}

/* Converts the flat 1-based index of an entry of lists, in the order of ranges, to the indices of the entry; raises. */
static void entry_index(lua_State *L, const LuaContainer *self, int index, const char *function, int64_t *result)
{
    const Translator *t = container_translator(self->container);
    int64_t count = stream_elements(container_elements(self->container)), point[SHAPE_MAX_RANK] = {0};
    int64_t number = binding_integer(L, index, function, index - 1, "index");
    number = number < 0 ? number + count : number - 1;
    if (number < 0 || number >= count || translator_point(t, DIRECTION_INVERSE, &number, point, L) != OUTCOME_FOUND) {
        luaL_error(L, "%s: index %I is out of range: the lists have %I entries", function,
                   (LUAI_UACINT)lua_tointeger(L, index), (LUAI_UACINT)count);
    }
    shape_reverse(point, self->stream.shape.rank, result);
}

void container_index_check(lua_State *L, const LuaContainer *self, int first, const char *function, int64_t *index)
{
    const Stream *s = &self->stream;
    int count = lua_gettop(L) - first + 1;
    bool bounded = container_bounded(self->container);
    char text[SHAPE_TEXT];
    if (count == 1 && container_flat(self->container)) {
        entry_index(L, self, first, function, index);
        return;
    }
    if (count != s->shape.rank) {
        luaL_error(L, "%s: expected %d %s for a container of %s %s, got %d", function, s->shape.rank,
                   s->shape.rank == 1 ? "index" : "indices", bounded ? "shape" : "any",
                   bounded ? shape_text(&s->shape, text) : "coordinates", count < 0 ? 0 : count);
    }
    for (int d = 0; d < count && !bounded; d++) {
        index[d] = unbounded_index(L, binding_integer(L, first + d, function, first - 1 + d, "index"), function);
    }
    for (int d = 0; d < count && bounded; d++) {
        index[d] = binding_index(L, first + d, function, first - 1 + d, "index");
        if (index[d] < 0 || index[d] >= s->shape.size[d]) {
            luaL_error(L, "%s: index %I of dimension %d is out of range 1 .. %I", function,
                       (LUAI_UACINT)lua_tointeger(L, first + d), d + 1, (LUAI_UACINT)s->shape.size[d]);
        }
    }
}
