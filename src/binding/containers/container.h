/* Declares the methods of containers that are implemented in separate files, and the functions that these files share.
 * Methods read their arguments from the Lua stack, return the number of results, and raise errors. The name of the file
 * follows each comment. */
#ifndef RILL_BINDING_CONTAINERS_CONTAINER_H
#define RILL_BINDING_CONTAINERS_CONTAINER_H

#include "binding/streams/container_handle.h"

/* Implements c:allocate(first [, last]) and c:allocate(points). (allocate.c) */
int container_allocate_call(lua_State *L);
/* Implements c:release(first [, last]) and c:release(points). (allocate.c) */
int container_release_call(lua_State *L);
/* Implements c:snapshot(). (snapshot.c) */
int snapshot_take(lua_State *L);
/* Implements c:diff(snapshot). (snapshot.c) */
int snapshot_diff(lua_State *L);
/* Implements c:undo(snapshot). (snapshot.c) */
int snapshot_undo(lua_State *L);

/* Reads the indices from argument `first` to the last one, and converts them to 0-based. Raises. (box.c) */
void container_index_check(lua_State *L, const LuaContainer *self, int first, const char *function, int64_t *index);
/* Reads a box as box_check does. Raises. For an unbounded container both ends are required, and may be any int. (box.c)
 * */
void container_box_check(lua_State *L, const LuaContainer *self, int first, const char *function, int n, int64_t *from,
                         int64_t *to);

/* Implements c:read. (boxes.c) */
int container_read(lua_State *L);
/* Implements c:values. (boxes.c) */
int container_values(lua_State *L);
/* Implements c:bytes. (boxes.c) */
int container_bytes_call(lua_State *L);
/* Implements c:request. (boxes.c) */
int container_request(lua_State *L);
/* Implements c:stream. (boxes.c) */
int container_stream(lua_State *L);
/* Implements c:write. (boxes.c) */
int container_write_call(lua_State *L);
/* Implements c:fill. (boxes.c) */
int container_fill_call(lua_State *L);

/* Implements c:active. (active.c) */
int container_active_call(lua_State *L);
/* Implements c:range. (active.c) */
int container_range_call(lua_State *L);
/* Implements c:boundary. (active.c) */
int container_boundary(lua_State *L);
/* Pushes a function that raises an error and returns true if `key` is the name of a view that only streams have.
 * Otherwise returns false. (active.c) */
bool container_push_view(lua_State *L, const char *key);

/* Reads the options for textures from the table at stack index 3, which may be absent. Returns whether the options
 * request memory with a texture, and stores the texture's properties in `wish`. If `boundary` is true, the option
 * `boundary` is permitted, and the caller must read it. Raises. (storage_options.c) */
bool storage_check(lua_State *L, const char *function, bool boundary, TextureWish *wish);

/* Implements c:each([range]). (each.c) */
int container_each(lua_State *L);
/* Implements c:update(f [, range]). (each.c) */
int container_update(lua_State *L);
/* Implements c:generate(f [, range]). (each.c) */
int container_generate(lua_State *L);

/* Implements c:push(elements). (stack.c) */
int stack_push(lua_State *L);
/* Implements c:pop(n). (stack.c) */
int stack_pop(lua_State *L);

/* Pushes a dense stream of the elements of a box. Raises. (boxes.c) */
const Stream *container_push_dense(lua_State *L, const LuaContainer *self, const int64_t *from, const int64_t *to,
                                   const char *function);

/* Implements c:refine(points, levels) and c:refine(mask) of adaptive containers. (tree.c) */
int container_refine_call(lua_State *L);
/* Implements c:coarsen(mask) of adaptive containers. (tree.c) */
int container_coarsen_call(lua_State *L);
/* Implements c:mipmap([how]) of adaptive containers and textures. (tree.c) */
int container_mipmap_call(lua_State *L);
/* Implements c:level(points) of adaptive containers. (tree.c) */
int container_level_call(lua_State *L);
/* Implements c:filter_mode(name) of adaptive containers. (tree.c) */
int container_filter_call(lua_State *L);
/* Implements c:boundary(name [, value]) of adaptive containers. (tree.c) */
int container_edge_call(lua_State *L);

/* If the table at `options` has the field `allocator`, sets the function in the field as the allocator of a new
 * container. Raises. (allocator.c) */
void allocator_option(lua_State *L, int options, const char *function, LuaContainer *self);

#endif
