/* s:each() and pairs(s): every element with its indices, read in blocks. */
#include "binding/binding.h"
#include "kernel/launch/copy.h"

#include <string.h>

static const char cursor_key;

enum { BLOCK_BYTES = 1 << 16 };

typedef struct Cursor {
    Stream whole; /* in one piece, or a ramp */
    int64_t index[SHAPE_MAX_RANK];
    int64_t at, count;
    int64_t first, last; /* the elements in `block` */
    char block[BLOCK_BYTES];
} Cursor;

static int cursor_close(lua_State *L)
{
    Cursor *cursor = binding_userdata(L, 1, &cursor_key, sizeof *cursor);
    if (cursor && !binding_park(L, 1, cursor_close)) {
        stream_handle_drop(&cursor->whole);
    }
    return 0;
}

/* The bytes of the element at the cursor. */
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
    Cursor *cursor = binding_userdata(L, lua_upvalueindex(1), &cursor_key, sizeof *cursor);
    if (!cursor) {
        return luaL_error(L, "s:each: the iterator has lost its stream");
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

/* -> iterator, nil, nil, what a generic `for` closes when it is left early. */
int each_pairs(lua_State *L)
{
    const Stream *s = accept_check(L, 1, "s:each", 0, "s");
    Cursor *cursor = lua_newuserdatauv(L, sizeof *cursor, 0);
    memset(cursor, 0, offsetof(Cursor, block));
    cursor->count = stream_elements(s);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &cursor_key);
    lua_setmetatable(L, -2);
    if (s->contiguous || s->source == SOURCE_RAMP) {
        stream_copy_view(s, &cursor->whole);
    } else {
        binding_make(L, s->device, "s:each", copy_new(s, NULL, &cursor->whole));
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
    static const luaL_Reg meta[] = {{"__gc", cursor_close}, {"__close", cursor_close}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"each", each_pairs}, {NULL, NULL}};
    luaL_newlib(L, meta);
    lua_pushliteral(L, "rill.cursor");
    lua_setfield(L, -2, "__metatable");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &cursor_key);
    stream_handle_methods(L, methods);
}
