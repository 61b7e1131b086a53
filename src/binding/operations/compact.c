/* Functions for lua/rill/stream/filter.lua: masks, and compaction by masks. */
#include "binding/binding.h"

#include "primitive/reduction/compact.h"

static int made_of(lua_State *L, bool (*make)(const Stream *s, Stream *result))
{
    const Stream *s = accept_open(L, 1, "s:filter", 0, "s");
    Stream *result = stream_handle_push(L);
    binding_make(L, s->device, NULL, make(s, result));
    return 1;
}

/* _mask(s): returns an undefined stream of uint8 to which a predicate over s is written. */
static int rill_mask(lua_State *L)
{
    return made_of(L, compact_mask);
}

/* _flat(s): returns the elements in row-major order, in one dimension: a view if s is contiguous, else a copy. */
static int rill_flat(lua_State *L)
{
    return made_of(L, compact_flat);
}

/* _same_extent(a, b): returns whether two streams have the same shape. Lengths that were counted together on the device
 * are not waited for. */
static int rill_same_extent(lua_State *L)
{
    Stream *a = accept_header(L, 1, "s:filter", 0, "s"), *b = accept_header(L, 2, "s:filter", 1, "pred");
    bool counted = a->length.buffer && a->length.buffer == b->length.buffer && a->length.word == b->length.word;
    if (!counted) {
        accept_settled(L, a);
        accept_settled(L, b);
    }
    lua_pushboolean(L, shape_equal(&a->shape, &b->shape));
    return 1;
}

/* _builtin_type(name): returns whether a type is built in, rather than a structure. */
static int rill_builtin_type(lua_State *L)
{
    lua_pushboolean(L, type_find(luaL_checkstring(L, 1)) != NULL);
    return 1;
}

/* _compact(mode, s, mask): runs "filter", "find", "partition" or "both" (elements and indices) with a mask of _mask
 * whose elements are 0 or 1. */
static int rill_compact(lua_State *L)
{
    static const char *const modes[] = {"filter", "find", "partition", "both", NULL};
    static const char *const functions[] = {"s:filter", "s:find", "s:partition", "s:runs"};
    CompactMode mode = (CompactMode)luaL_checkoption(L, 1, NULL, modes);
    const Stream *s = accept_open(L, 2, "s:filter", 0, "s"), *mask = accept_open(L, 3, "s:filter", 1, "mask");
    Stream *kept = stream_handle_push(L), *rest = mode >= COMPACT_PARTITION ? stream_handle_push(L) : NULL;
    binding_make(L, s->device, functions[mode], compact_stream(mode, s, mask, kept, rest));
    if (mode == COMPACT_FIND) {
        stream_set_indices(kept);
    }
    return rest ? 2 : 1;
}

void open_compact(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_mask", rill_mask},
                                         {"_flat", rill_flat},
                                         {"_same_extent", rill_same_extent},
                                         {"_builtin_type", rill_builtin_type},
                                         {"_compact", rill_compact},
                                         {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
