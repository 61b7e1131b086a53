/* What the binding's files on ranges share. */
#ifndef RILL_RANGE_HANDLE_H
#define RILL_RANGE_HANDLE_H

#include "binding/binding.h"
#include "container/region.h"

/* What a launch runs over: what c:active() and c:range() give. */
typedef struct LuaRange {
    Region *region; /* held; NULL: closed */
} LuaRange;

extern const char range_meta;
/* Pushes a closed range; the value if it is one, else NULL. */
LuaRange *range_push(lua_State *L);
LuaRange *range_to(lua_State *L, int index);
/* An open one, or raises. */
LuaRange *range_check(lua_State *L, int index, const char *function);
/* Takes over a region that was made; NULL raises what was set, with the function's name in front. */
void range_take(lua_State *L, LuaRange *range, Region *region, const char *function);
/* Lets go of the region, outside of any scope; never raises. */
void range_drop(LuaRange *range);

/* The union of the list at `index`: ranges of a shape, which may be that of a domain without bounds, and tables {first =, last =} of points as t:ranges gives them. Pushes a range;
 * raises in the name of `function` about `name`. */
LuaRange *range_push_list(lua_State *L, int index, Device *device, const Shape *shape, bool unbounded,
                          const char *function, const char *name);

#endif
