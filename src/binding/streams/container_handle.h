/* What the binding's files on containers share. */
#ifndef RILL_BINDING_STREAMS_CONTAINER_HANDLE_H
#define RILL_BINDING_STREAMS_CONTAINER_HANDLE_H

#include "binding/streams/range_handle.h"
#include "container/container.h"

/* A container: the header, all of it, that kernels take comes first. Several may share one container. Its user values are a table of further
 * methods, or nil, and the functions that the container calls. */
typedef struct LuaContainer {
    Stream stream;        /* holds nothing; device NULL: closed */
    Container *container; /* held */
} LuaContainer;

extern const HandleType container_type;

/* Pushes a closed container, into which one goes that is still to be made. */
LuaContainer *container_push(lua_State *L);
/* The value if it is a container, open or closed, else NULL; with its header as the container is now. */
LuaContainer *container_to(lua_State *L, int index);
/* An open container, or raises. */
LuaContainer *container_check(lua_State *L, int index, const char *function, int n, const char *name);
/* The container before the colon of a method, whose stack holds at most so many values, or raises. */
LuaContainer *container_self(lua_State *L, const char *function, int most);
/* Raises if the container does not offer an operation. */
void container_offers(lua_State *L, const LuaContainer *self, ContainerOperation operation, const char *function);
/* What stands for it where elements are taken one by one: the entries of lists, else itself. */
const Stream *container_elements_of(const LuaContainer *self);
/* Pushes what primitives take of the container, or of the stream of c's shape, at `index`: the elements that are mapped in c, in address order.
 * Raises. */
void container_push_line(lua_State *L, LuaContainer *c, int index, const Region *part, const char *function);
/* Puts these in the places of the containers among the arguments, and of streams of their shape: what is mapped in the first one, or each for
 * itself. Raises where they are mapped in part and an option is an axis. */
void container_accept_lines(lua_State *L, const char *function, bool each);
/* Before a scope in which it matters what is mapped: asks the translator where that is not known. Raises. */
void container_asked(lua_State *L, const LuaContainer *self, const char *function);
/* Makes a container within the device by a call, as binding_make does, for the handle, which is on the stack. */
#define container_make(L, self, device, function, call)                                                                \
    do {                                                                                                               \
        binding_run(L, device, function, (self)->container = (call));                                                  \
        container_made(L, self);                                                                                       \
    } while (0)
/* After a handle got its container: its header, the functions that it keeps, and the collector's charge. */
void container_made(lua_State *L, LuaContainer *self);
/* Takes over a container that was made; NULL raises what was set, with the function's name in front. The handle is on the stack. */
void container_take(lua_State *L, LuaContainer *self, Container *c, const char *function);
/* Keeps the functions that the handle's container calls; due where a handle gets its container otherwise, and where the container gets functions. */
void container_keep(lua_State *L, LuaContainer *self);
/* Behind a scope: raises what was set unless it is done. */
void container_done(lua_State *L, const LuaContainer *self, bool done, const char *function);
/* The same as container_make_mapped for what a launch over a region writes. */
void container_map_region(lua_State *L, LuaContainer *self, const Region *region, const char *function);
/* Maps pages of the container's own for its elements first .. last - 1, or raises; raises unless those of any other container are
 * mapped. The header may be another one afterwards. */
void container_make_mapped(lua_State *L, LuaContainer *self, const int64_t *first, const int64_t *last,
                           const char *function);

#endif
