/* Declares the userdata of containers. */
#ifndef RILL_BINDING_STREAMS_CONTAINER_HANDLE_H
#define RILL_BINDING_STREAMS_CONTAINER_HANDLE_H

#include "binding/streams/range_handle.h"
#include "container/container.h"

/* A container userdata. Several userdata may share one container. Its user values are a table of additional methods, or
 * nil, and the functions that the container calls. */
typedef struct LuaContainer {
    Stream stream;        /* the header that kernels get, which owns nothing; device NULL: closed */
    Container *container; /* a reference */
} LuaContainer;

extern const HandleType container_type;

/* Pushes a closed container userdata, which container_take or container_make fills. */
LuaContainer *container_push(lua_State *L);
/* Returns the userdata if the value is an open or closed container, or NULL for any other value. Updates the header to
 * the current state of the container. */
LuaContainer *container_to(lua_State *L, int index);
/* Returns an open container, or raises. */
LuaContainer *container_check(lua_State *L, int index, const char *function, int n, const char *name);
/* Returns the container before the colon of a method. Raises if it is not an open container, or if the stack holds more
 * than `most` values. */
LuaContainer *container_self(lua_State *L, const char *function, int most);
/* Raises unless the container supports an operation. */
void container_offers(lua_State *L, const LuaContainer *self, ContainerOperation operation, const char *function);
/* Returns the header of the elements. For a grid of lists it is the header of the entries, otherwise the header of the
 * container. */
const Stream *container_elements_of(const LuaContainer *self);
/* Pushes a stream of the elements at the indices that are mapped in `c`, in address order, for primitives. The elements
 * come from the value at `index`, which is a container, or a stream with the shape of `c`. Raises. */
void container_push_line(lua_State *L, LuaContainer *c, int index, const Region *part, const char *function);
/* Replaces the containers among the arguments, and streams of the same shape, by streams of mapped elements. The
 * indices are those that are mapped in the first container, or with `each` those that are mapped in the respective
 * container. Raises if a container is partly mapped and an option is an axis. */
void container_accept_lines(lua_State *L, const char *function, bool each);
/* Calls the translator's functions that return the mapping, if the mapping is not known. Must be called before a scope
 * that depends on the mapping. Raises. */
void container_resolve_mapping(lua_State *L, const LuaContainer *self, const char *function);
/* Evaluates `call` in a scope as binding_make does, and stores the container that it returns in a userdata on the
 * stack. Raises. */
#define container_make(L, self, device, function, call)                                                                \
    do {                                                                                                               \
        binding_run(L, device, function, (self)->container = (call));                                                  \
        container_made(L, self);                                                                                       \
    } while (0)
/* Completes a userdata after a container was stored in it: updates the header, keeps the container's functions alive,
 * and charges the collector. */
void container_made(lua_State *L, LuaContainer *self);
/* Stores a new container in the handle, which is on the stack, and takes over the reference. If `c` is NULL, raises
 * error_message() with the prefix "function: ". */
void container_take(lua_State *L, LuaContainer *self, Container *c, const char *function);
/* Keeps the functions that the userdata's container calls alive. Must be called if a container was stored without
 * container_take or container_make, and if the container gets functions later. */
void container_keep(lua_State *L, LuaContainer *self);
/* Raises error_message() unless `done` is true. Must be called after a scope. */
void container_done(lua_State *L, const LuaContainer *self, bool done, const char *function);
/* Maps the pages that a launch over a region writes if the container allocates its pages. Otherwise raises unless these
 * elements are mapped. Raises on failure. The header may change. */
void container_map_region(lua_State *L, LuaContainer *self, const Region *region, const char *function);
/* Maps the pages of the elements first .. last - 1 if the container allocates its pages. Otherwise raises unless these
 * elements are mapped. Raises on failure. The header may change. */
void container_make_mapped(lua_State *L, LuaContainer *self, const int64_t *first, const int64_t *last,
                           const char *function);

#endif
