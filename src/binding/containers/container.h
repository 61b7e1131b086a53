/* Methods of containers that stand in files of their own. */
#ifndef RILL_BINDING_CONTAINERS_CONTAINER_H
#define RILL_BINDING_CONTAINERS_CONTAINER_H

#include "binding/streams/container_handle.h"

/* c:allocate(first [, last]), c:allocate(points), and c:release the same. */
int container_allocate_call(lua_State *L);
int container_release_call(lua_State *L);
/* c:snapshot(), c:diff(snapshot), c:undo(snapshot) */
int snapshot_take(lua_State *L);
int snapshot_diff(lua_State *L);
int snapshot_undo(lua_State *L);

/* Indices from argument `first` to the last, counted from 0; raises. */
void container_index_check(lua_State *L, const LuaContainer *self, int first, const char *function, int64_t *index);
/* box_check for a container: one without bounds needs both ends, which are any ints. */
void container_box_check(lua_State *L, const LuaContainer *self, int first, const char *function, int n, int64_t *from,
                         int64_t *to);

/* containers/boxes.c: c:read, c:values, c:stream, c:write and c:fill. */
int container_read(lua_State *L);
int container_values(lua_State *L);
int container_bytes_call(lua_State *L);
int container_request(lua_State *L);
int container_stream(lua_State *L);
int container_write_call(lua_State *L);
int container_fill_call(lua_State *L);

/* containers/active.c: c:active, c:range and c:boundary; and pushes a function that raises, if `key` is a view that only streams have. */
int container_active_call(lua_State *L);
int container_range_call(lua_State *L);
int container_boundary(lua_State *L);
bool container_push_view(lua_State *L, const char *key);

/* containers/storage_options.c: whether the options at 3 of a function, if any, ask for memory with a texture, and with which; `boundary`: an
 * option of that name is there for others. Raises. */
bool storage_check(lua_State *L, const char *function, bool boundary, TextureWish *wish);

/* containers/each.c: c:each([range]), c:update(f [, range]) and c:generate(f [, range]). */
int container_each(lua_State *L);
int container_update(lua_State *L);
int container_generate(lua_State *L);

/* c:push(stream), c:pop(n) */
int stack_push(lua_State *L);
int stack_pop(lua_State *L);

/* Pushes a dense stream of a box; raises. */
const Stream *container_push_dense(lua_State *L, const LuaContainer *self, const int64_t *from, const int64_t *to,
                                   const char *function);

/* Of adaptive containers: c:refine(points, levels) and c:refine(mask), which give a range, too; c:coarsen(mask), c:mipmap([how]), c:level(points), c:filter_mode(name),
 * c:boundary(name [, value]). */
int container_refine_call(lua_State *L);
int container_coarsen_call(lua_State *L);
int container_mipmap_call(lua_State *L);
int container_level_call(lua_State *L);
int container_filter_call(lua_State *L);
int container_edge_call(lua_State *L);

/* Gives a new container the function under `allocator` of the table at `options`, if there is one; raises. */
void allocator_option(lua_State *L, int options, const char *function, LuaContainer *self);

#endif
