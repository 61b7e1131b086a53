/* What the binding's files on ranges share. */
#ifndef RILL_BINDING_STREAMS_RANGE_HANDLE_H
#define RILL_BINDING_STREAMS_RANGE_HANDLE_H

#include "binding/values/handle.h"
#include "container/region/region.h"

/* What a launch runs over: what c:active() and c:range() give. The user value is the container that it is of, or nil. */
typedef struct LuaRange {
    Stream stream;  /* as an argument of a launch: a header of the box, which holds nothing */
    Region *region; /* held; NULL: closed */
} LuaRange;

extern const HandleType range_type;
/* Pushes a closed range; the value if it is one, else NULL. */
LuaRange *range_push(lua_State *L);
LuaRange *range_to(lua_State *L, int index);
/* Makes it one of the container at `index`; pushes that. */
void range_of(lua_State *L, int range, int index);
void range_push_container(lua_State *L, int range);
/* An open one, or raises. */
LuaRange *range_check(lua_State *L, int index, const char *function);
/* Makes a region within the device by a call, as binding_make does, for the range. */
#define range_make(L, range, owner, function, call)                                                                    \
    do {                                                                                                               \
        binding_run(L, owner, function, (range)->region = (call));                                                     \
        binding_charge(L, (range)->region->list.device);                                                               \
    } while (0)
/* Takes over a region that was made; NULL raises what was set, with the function's name in front. */
void range_take(lua_State *L, LuaRange *range, Region *region, const char *function);

/* The union of the list at `index`: ranges of a shape, which may be that of a domain without bounds, and tables {first =, last =} of points as t:ranges gives them. Pushes a range;
 * raises in the name of `function` about `name`. */
LuaRange *range_push_list(lua_State *L, int index, Device *device, const Shape *shape, bool unbounded,
                          const char *function, const char *name);

#endif
