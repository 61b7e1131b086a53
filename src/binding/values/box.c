/* Reads boxes: the arguments first and last, 1-based, both ends inclusive. */
#include "binding/values/coordinates.h"

#include <string.h>

void box_check(lua_State *L, const Stream *stream, int first, const char *function, int n, int64_t *from, int64_t *to)
{
    bool begins = !lua_isnoneornil(L, first), ends = !lua_isnoneornil(L, first + 1);
    int rank = stream->shape.rank;
    if (begins) {
        coordinates_check(L, first, rank, function, n, "first", from);
    }
    if (ends) {
        coordinates_check(L, first + 1, rank, function, n + 1, "last", to);
    }
    for (int d = 0; d < rank; d++) {
        int64_t size = stream->shape.size[d];
        lua_Integer low = begins ? from[d] : 1, high = ends ? to[d] : size;
        from[d] = low < 0 ? low + size : low - 1;
        to[d] = high < 0 ? high + size + 1 : high;
        if (low == 0 || from[d] < 0 || to[d] < from[d] || to[d] > size) {
            luaL_error(L, "%s: dimension %d: %I .. %I is out of range 1 .. %I", function, d + 1, low, high,
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
