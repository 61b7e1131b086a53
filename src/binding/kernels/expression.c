/* Functions for lua/rill/algebra/expression.lua: views of the streams that an expression reads, whether they were
 * written since, and queries about streams and containers. */
#include "binding/kernels/kernel.h"
#include "binding/streams/container_handle.h"
#include "container/kind/kinds.h"
#include "kernel/fuse.h"
#include "kernel/host/packed.h"

#include <string.h>

/* _is_open(v): returns whether a value is an open stream. */
static int rill_is_open(lua_State *L)
{
    const Stream *s = stream_handle_to(L, 1);
    lua_pushboolean(L, s && s->device);
    return 1;
}

/* _is_open_container(v): returns whether a value is an open container. */
static int rill_is_open_container(lua_State *L)
{
    const LuaContainer *c = container_to(L, 1);
    lua_pushboolean(L, c && c->container);
    return 1;
}

/* Implements _leaf for a container. */
static int leaf_of_container(lua_State *L, const LuaContainer *c)
{
    char shape[SHAPE_TEXT];
    LuaContainer *view = container_push(L);
    view->stream = c->stream;
    view->container = container_retain(c->container);
    container_keep(L, view);
    lua_pushinteger(L, (lua_Integer)container_version(c->container));
    lua_pushstring(L, c->stream.type->value->name);
    lua_pushstring(L, shape_text(&container_elements_of(c)->shape, shape));
    lua_pushboolean(L, true);
    return 5;
}

/* _leaf(s): returns a new handle of the stream or container, its version, its type in kernels, its shape as text, and
 * whether it is a container. Returns nothing if it is closed. */
static int rill_leaf(lua_State *L)
{
    Stream *s = stream_handle_to(L, 1);
    const LuaContainer *c = s ? NULL : container_to(L, 1);
    char shape[SHAPE_TEXT];
    if (c && c->container) {
        return leaf_of_container(L, c);
    }
    if (!s || !s->device) {
        return 0;
    }
    accept_settled(L, s);
    Stream *view = stream_handle_push(L);
    stream_copy_view(s, view);
    view->writable = false; /* the expression only reads it */
    lua_pushinteger(L, (lua_Integer)stream_version(s));
    lua_pushstring(L, s->type->value->name);
    lua_pushstring(L, shape_text(&s->shape, shape));
    lua_pushboolean(L, false);
    return 5;
}

/* _written(s, version): returns whether the elements of s were, or may have been, written after that version. */
static int rill_written(lua_State *L)
{
    const LuaContainer *c = container_to(L, 1);
    if (c && c->container) {
        lua_pushboolean(L, container_version(c->container) != (uint64_t)luaL_checkinteger(L, 2));
        return 1;
    }
    const Stream *s = accept_shaped(L, 1, "expression", 1, "s");
    lua_pushboolean(L, stream_written_since(s, (uint64_t)luaL_checkinteger(L, 2)));
    return 1;
}

/* _serial(s): returns the number of the memory of a stream or a container. Returns nothing for other values, iterator
 * streams, and containers without elements. */
static int rill_serial(lua_State *L)
{
    const Stream *s = stream_handle_to(L, 1);
    const LuaContainer *c = s ? NULL : container_to(L, 1);
    s = c && c->container ? &c->stream : s;
    if (!s || !s->device || !s->buffer) {
        return 0;
    }
    lua_pushinteger(L, (lua_Integer)buffer_serial(s->buffer));
    return 1;
}

/* _has_indices(s): returns whether the elements are known to be 0-based indices. */
static int rill_has_indices(lua_State *L)
{
    lua_pushboolean(L, stream_has_indices(accept_shaped(L, 1, "tostring", 0, "s")));
    return 1;
}

/* _set_indices(s, on): sets whether the elements are 0-based indices. Returns s. */
static int rill_set_indices(lua_State *L)
{
    Stream *s = accept_header(L, 1, "_set_indices", 1, "s");
    s->indices = 0;
    if (lua_toboolean(L, 2)) {
        stream_set_indices(s);
    }
    lua_settop(L, 1);
    return 1;
}

/* _family(s): returns "cpu" or "gpu", the family of the device of s. */
static int rill_family(lua_State *L)
{
    const Stream *s = accept_shaped(L, 1, "expression", 1, "s");
    lua_pushstring(L, device_traits(s->device)->family == FAMILY_CPU ? "cpu" : "gpu");
    return 1;
}

/* _takes(s, type): returns the output type with which a kernel can store values of `type` to s; nothing if they do not
 * convert. */
static int rill_takes(lua_State *L)
{
    const Stream *s = accept_shaped(L, 1, "expression", 1, "s");
    const Type *type = type_check(L, 2, "expression", 2, "type");
    if (!s->writable || !type_converts(type, s->type->value)) {
        return 0;
    }
    lua_pushstring(L, type_converts(s->type->value, type) ? type->name : s->type->value->name);
    return 1;
}

/* _same(a, b): returns whether both refer to the same elements of the same memory, with the same boundary modes, which
 * results inherit. */
static int rill_same(lua_State *L)
{
    const LuaContainer *c = container_to(L, 1), *d = container_to(L, 2);
    if (c || d) {
        lua_pushboolean(L, c && d && c->container == d->container && stream_same_boundary(&c->stream, &d->stream));
        return 1;
    }
    const Stream *a = accept_shaped(L, 1, "expression", 1, "a"), *b = accept_shaped(L, 2, "expression", 2, "b");
    lua_pushboolean(L, a->type == b->type && stream_same_mapping(a, b) && stream_same_boundary(a, b));
    return 1;
}

/* _overlap(a, b): returns whether two streams may share memory. */
static int rill_overlap(lua_State *L)
{
    const Stream *a = accept_shaped(L, 1, "expression", 1, "a"), *b = accept_shaped(L, 2, "expression", 2, "b");
    lua_pushboolean(L, stream_overlaps(a, b));
    return 1;
}

/* _shape(sizes): returns a table of sizes as s.shape does. */
static int rill_shape(lua_State *L)
{
    Shape shape;
    shape_check_sizes(L, 1, "expression", 1, "shape", &shape);
    shape_push(L, &shape);
    return 1;
}

/* _fuse(kernel, inputs): returns a kernel in which the n-th argument is computed by the kernel inputs[n] or, if inputs[n] is
 * true, a constant is read from a stream; nil if they cannot be fused. */
static int rill_fuse(lua_State *L)
{
    const Kernel *inputs[MAX_PARAMS] = {NULL}, *kernel = kernel_to(L, 1);
    uint64_t constants = 0;
    if (!kernel || !lua_istable(L, 2)) {
        return luaL_error(L, "rill._fuse: expected a kernel and a table of kernels");
    }
    for (int i = 0, n = 1; i < kernel_function(kernel)->param_count; i++) {
        if (!kernel_is_baked(kernel, i)) {
            lua_rawgeti(L, 2, n++);
            inputs[i] = kernel_to(L, -1);
            constants |= (uint64_t)lua_isboolean(L, -1) << i;
            lua_pop(L, 1);
        }
    }
    Kernel *fused = fuse_kernel(kernel, inputs, constants);
    if (fused) {
        kernel_push(L, fused);
        kernel_copy_seed(L, 1);
    } else {
        lua_pushnil(L);
    }
    return 1;
}

/* _fuses(kernel, n, input): returns whether the n-th argument, a gather or neighbor stream, is computed by the kernel input.
 * Indices out of range are reported by rill.check under the argument's name, so that it is stored then. */
static int rill_fuses(lua_State *L)
{
    const Kernel *kernel = kernel_to(L, 1), *input = kernel_to(L, 3);
    if (!kernel || !input) {
        return luaL_error(L, "rill._fuses: expected two kernels");
    }
    lua_Integer n = luaL_checkinteger(L, 2);
    bool fuses = false, check = state_get(L)->check;
    for (int i = 0, k = 1; !check && i < kernel_function(kernel)->param_count; i++) {
        if (!kernel_is_baked(kernel, i) && k++ == n) {
            fuses = fuse_accepts(kernel, i, input);
        }
    }
    lua_pushboolean(L, fuses);
    return 1;
}

/* _clamps(s): returns whether gathers outside of the stream read the nearest element. */
static int rill_clamps(lua_State *L)
{
    const Stream *s = stream_handle_to(L, 1);
    bool clamps = s && !s->map;
    for (int d = 0; clamps && d < s->shape.rank; d++) {
        clamps = s->boundary[d] == BOUNDARY_CLAMP;
    }
    lua_pushboolean(L, clamps);
    return 1;
}

/* _fallback(c): returns the default value of unmapped elements, packed in a string, and as a stream of one element.
 * Returns nothing if all elements are mapped. */
static int rill_fallback(lua_State *L)
{
    const LuaContainer *c = container_check(L, 1, "expression", 1, "c");
    const Type *type = c->stream.type;
    const void *element = container_fallback(c->container);
    if (container_complete(c->container)) {
        return 0;
    }
    lua_pushlstring(L, element, (size_t)type->bytes);
    Stream *s = stream_handle_push(L);
    const Shape one = {1, {1}};
    binding_make(L, c->stream.device, "expression", packed_stream(c->stream.device, type, &one, element, s));
    return 2;
}

/* _like(c, type, solid): returns a container of the same structure with elements of `type`. `solid`: one in which all
 * elements can be mapped. */
static int rill_like(lua_State *L)
{
    const LuaContainer *c = container_check(L, 1, "c:like", 0, "c");
    const Type *type = type_check(L, 2, "c:like", 1, "type");
    container_resolve_mapping(L, c, "expression");
    bool fixed = lua_toboolean(L, 3) && container_partial(c->container) && !container_paged(c->container) &&
                 !container_traits(c->container)->total;
    LuaContainer *made = container_push(L);
    Container *like;
    binding_run(L, c->stream.device, "expression",
                (like = fixed ? container_with_edge(container_array(c->stream.device, type, &c->stream.shape),
                                                    container_edge(c->container))
                              : container_like(c->container, type)) != NULL);
    container_take(L, made, like, "expression");
    return 1;
}

/* _set_fallback(c, element): sets the default value to a packed string or the element of a stream. Returns the packed
 * string. */
static int rill_set_fallback(lua_State *L)
{
    LuaContainer *c = container_check(L, 1, "expression", 1, "c");
    char element[TYPE_MAX_BYTES];
    const Stream *s = stream_handle_to(L, 2);
    if (s) {
        binding_make(L, s->device, "expression", packed_download(s, element));
        lua_pushlstring(L, element, (size_t)s->type->bytes);
        lua_replace(L, 2);
    }
    size_t length;
    const char *bytes = luaL_checklstring(L, 2, &length);
    if (length != (size_t)c->stream.type->bytes) {
        return luaL_error(L, "expression: expected an element of %d bytes, got %d", c->stream.type->bytes, (int)length);
    }
    container_set_fallback(c->container, bytes);
    lua_settop(L, 2);
    return 1;
}

void open_expression(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_is_open", rill_is_open},
                                         {"_is_open_container", rill_is_open_container},
                                         {"_leaf", rill_leaf},
                                         {"_written", rill_written},
                                         {"_serial", rill_serial},
                                         {"_has_indices", rill_has_indices},
                                         {"_set_indices", rill_set_indices},
                                         {"_family", rill_family},
                                         {"_same", rill_same},
                                         {"_overlap", rill_overlap},
                                         {"_fuse", rill_fuse},
                                         {"_fuses", rill_fuses},
                                         {"_clamps", rill_clamps},
                                         {"_shape", rill_shape},
                                         {"_takes", rill_takes},
                                         {"_fallback", rill_fallback},
                                         {"_like", rill_like},
                                         {"_set_fallback", rill_set_fallback},
                                         {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
