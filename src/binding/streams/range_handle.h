/* Declares the userdata of ranges, which c:active() and c:range() return. */
#ifndef RILL_BINDING_STREAMS_RANGE_HANDLE_H
#define RILL_BINDING_STREAMS_RANGE_HANDLE_H

#include "binding/values/handle.h"
#include "container/region/region.h"

/* A set of elements that a launch can run over. Its user value is the container to which it belongs, or nil. */
typedef struct LuaRange {
    Stream stream;  /* for a range that is an argument of a launch: the header of the box, which owns nothing */
    Region *region; /* a reference; NULL: closed */
} LuaRange;

extern const HandleType range_type;
/* Pushes a closed range. */
LuaRange *range_push(lua_State *L);
/* Returns the userdata if the value is a range, or NULL for any other value. */
LuaRange *range_to(lua_State *L, int index);
/* Sets the container of the range to the value at `index`. */
void range_of(lua_State *L, int range, int index);
/* Pushes the container of the range, or nil. */
void range_push_container(lua_State *L, int range);
/* Returns an open range, or raises. */
LuaRange *range_check(lua_State *L, int index, const char *function);
/* Evaluates `call` in a scope as binding_make does, and stores the region that it returns in the range. Raises. */
#define range_make(L, range, owner, function, call)                                                                    \
    do {                                                                                                               \
        binding_run(L, owner, function, (range)->region = (call));                                                     \
        binding_charge(L, (range)->region->list.device);                                                               \
    } while (0)
/* Stores a new region in the range and takes over the reference. If `region` is NULL, raises error_message() with the
 * prefix "function: ". */
void range_take(lua_State *L, LuaRange *range, Region *region, const char *function);

/* Pushes the union of the list at `index`. Its items are ranges of the shape, and tables {first =, last =} of points as
 * t:ranges returns them. If `unbounded` is true, the domain has no bounds. Raises an error that names the argument
 * `name` of `function`. */
LuaRange *range_push_list(lua_State *L, int index, Device *device, const Shape *shape, bool unbounded,
                          const char *function, const char *name);

#endif
