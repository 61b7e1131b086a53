/* Boxes: the arguments first and last, counted from 1 with both ends inside. */
#include "binding/binding.h"

#include <string.h>

/* Component d of an end: a number for a stream of one dimension, else a table of them. */
static lua_Integer end_component(lua_State *L, int index, int d, int rank, const char *function, int n,
                                 const char *name)
{
    int whole = 0;
    lua_Integer value = 0;
    if (rank == 1 && lua_type(L, index) == LUA_TNUMBER) {
        value = lua_tointegerx(L, index, &whole);
    } else if (lua_istable(L, index) && lua_rawlen(L, index) == (lua_Unsigned)rank) {
        lua_rawgeti(L, index, d + 1);
        value = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &whole) : 0;
        lua_pop(L, 1);
    }
    if (!whole) {
        binding_argument(L, function, n, name, index,
                         rank == 1 ? "a whole number" : lua_pushfstring(L, "a table of %d whole numbers", rank));
    }
    return value;
}

void box_check(lua_State *L, const Stream *stream, int first, const char *function, int n, int64_t *from, int64_t *to)
{
    for (int d = 0; d < stream->shape.rank; d++) {
        int64_t size = stream->shape.size[d];
        lua_Integer low = 1, high = size;
        if (!lua_isnoneornil(L, first)) {
            low = end_component(L, first, d, stream->shape.rank, function, n, "first");
        }
        if (!lua_isnoneornil(L, first + 1)) {
            high = end_component(L, first + 1, d, stream->shape.rank, function, n + 1, "last");
        }
        from[d] = low < 0 ? low + size : low - 1;
        to[d] = high < 0 ? high + size + 1 : high;
        if (low == 0 || from[d] < 0 || to[d] < from[d] || to[d] > size) {
            luaL_error(L, "%s: dimension %d: %I .. %I does not lie in 1 .. %I", function, d + 1, low, high,
                       (lua_Integer)size);
        }
    }
}

Stream *box_push(lua_State *L, const Stream *stream, const char *function, const int64_t *from, const int64_t *to)
{
    Stream *view = stream_handle_push(L);
    if (!stream_domain(stream, from, to, view)) {
        error_prefix("%s", function);
        binding_raise(L);
    }
    return view;
}
