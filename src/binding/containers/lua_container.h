/* What the binding's files on containers share. */
#ifndef RILL_LUA_CONTAINER_H
#define RILL_LUA_CONTAINER_H

#include "binding/binding.h"
#include "container/container.h"

/* A container: the header, all of it, that kernels take comes first. */
typedef struct LuaContainer {
    Stream stream; /* holds nothing; device NULL: closed */
    Container *container;
} LuaContainer;

/* The value if it is a container, open or closed, else NULL. */
LuaContainer *container_to(lua_State *L, int index);
/* Raises unless all of a container's elements first .. last - 1 are mapped. */
void container_check_mapped(lua_State *L, const LuaContainer *self, const int64_t *first, const int64_t *last,
                            const char *function);

#endif
