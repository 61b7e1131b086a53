/* s:each() and pairs(s): iterates over the elements with their indices. Elements are read in blocks. */
#include "binding/values/handle.h"
#include "kernel/launch/copy.h"

#include <string.h>

enum { BLOCK_BYTES = 1 << 16 };

typedef struct Cursor {
    Stream whole; /* contiguous, or a ramp */
    int64_t index[SHAPE_MAX_RANK];
    int64_t at, count;
    int64_t first, last; /* the elements in `block` */
    char block[BLOCK_BYTES];
} Cursor;

static void drop(lua_State *L, void *self)
{
    Cursor *cursor = self;
    (void)L;
    stream_handle_drop(&cursor->whole);
}

static const HandleType cursor_type = {"cursor", "s", sizeof(Cursor), .drop = drop};

/* Returns the bytes of the element at the cursor. */
static const char *cursor_element(lua_State *L, Cursor *cursor)
{
    const Stream *s = &cursor->whole;
    int64_t bytes = s->type->bytes;
    if (s->source == SOURCE_RAMP) {
        stream_ramp_element(s, stream_locate(s, cursor->index), cursor->block);
        return cursor->block;
    }
    if (cursor->at >= cursor->last) {
        int64_t room = BLOCK_BYTES / bytes, rest = cursor->count - cursor->at;
        cursor->first = cursor->at;
        cursor->last = cursor->at + (rest < room ? rest : room);
        binding_run(L, s->device, "s:each",
                    buffer_read(s->buffer, (uint64_t)((s->offset + cursor->at) * bytes), cursor->block,
                                (uint64_t)((cursor->last - cursor->first) * bytes)));
    }
    return cursor->block + (cursor->at - cursor->first) * bytes;
}

static int cursor_next(lua_State *L)
{
    Cursor *cursor = handle_to(L, lua_upvalueindex(1), &cursor_type);
    if (!cursor) {
        return luaL_error(L, "s:each: the iterator has no stream");
    }
    if (cursor->at == cursor->count || !cursor->whole.device) {
        stream_handle_drop(&cursor->whole);
        lua_pushnil(L);
        return 1;
    }
    const Shape *shape = &cursor->whole.shape;
    const char *element = cursor_element(L, cursor);
    for (int d = 0; d < shape->rank; d++) {
        lua_pushinteger(L, cursor->index[d] + 1);
    }
    value_push(L, cursor->whole.type, element);
    cursor->at++;
    for (int d = shape->rank - 1; d >= 0 && ++cursor->index[d] == shape->size[d]; d--) {
        cursor->index[d] = 0;
    }
    return shape->rank + 1;
}

/* Returns the iterator, nil, nil, and the cursor, which the generic `for` closes when the loop ends. */
int each_pairs(lua_State *L)
{
    const Stream *s = accept_check(L, 1, "s:each", 0, "s");
    Cursor *cursor = handle_push(L, &cursor_type);
    cursor->count = stream_elements(s);
    if (s->contiguous || s->source == SOURCE_RAMP) {
        stream_copy_view(s, &cursor->whole);
    } else {
        binding_make(L, s->device, "s:each", copy_whole(s, NULL, "s:each: argument 's'", &cursor->whole));
    }
    lua_pushvalue(L, -1);
    lua_pushcclosure(L, cursor_next, 1);
    lua_insert(L, -2);
    lua_pushnil(L);
    lua_pushnil(L);
    lua_rotate(L, -3, 2);
    return 4;
}

void open_each(lua_State *L)
{
    static const luaL_Reg methods[] = {{"each", each_pairs}, {NULL, NULL}};
    lua_pushnil(L);
    handle_open(L, &cursor_type, NULL);
    stream_handle_methods(L, methods);
}
