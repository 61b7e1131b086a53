/* What the binding's files on ranges share. */
#ifndef RILL_RANGE_HANDLE_H
#define RILL_RANGE_HANDLE_H

#include "binding/binding.h"
#include "kernel/kernel.h"

/* Pages to launch over: what c:active() gives. */
typedef struct LuaRange {
    Stream origins; /* device NULL: closed */
    PageSet set;
    Shape shape;
    int64_t size; /* elements within the shape */
} LuaRange;

extern const char range_meta;
/* Pushes a closed range; the value if it is one, else NULL. */
LuaRange *range_push(lua_State *L);
LuaRange *range_to(lua_State *L, int index);

#endif
