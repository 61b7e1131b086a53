/* Methods of containers that stand in files of their own. */
#ifndef RILL_LUA_CONTAINER_H
#define RILL_LUA_CONTAINER_H

#include "binding/streams/container_handle.h"

/* c:allocate(first [, last]), c:allocate(points), and c:release the same. */
int container_allocate_call(lua_State *L);
int container_release_call(lua_State *L);

#endif
