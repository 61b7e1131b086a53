/* What lua/rill/algebra/expression.lua needs of the device side: headers of its own over the streams it reads, and whether they were
 * written since. */
#include "binding/kernels/lua_kernel.h"
#include "kernel/fuse.h"

#include <string.h>

/* _is_open(v): whether it is a stream that is open. */
static int rill_is_open(lua_State *L)
{
    const Stream *s = handle_to(L, 1);
    lua_pushboolean(L, s && s->device);
    return 1;
}

/* _leaf(s) -> a view of its own, version, the type kernels see, shape as text; nil of a closed stream. */
static int rill_leaf(lua_State *L)
{
    Stream *s = handle_to(L, 1);
    char shape[SHAPE_TEXT];
    if (!s || !s->device) {
        return 0;
    }
    accept_settled(L, s);
    Stream *view = handle_push(L);
    stream_copy_view(s, view);
    view->writable = false; /* what an expression reads is not written through it */
    lua_pushinteger(L, (lua_Integer)stream_version(s));
    lua_pushstring(L, s->type->value->name);
    lua_pushstring(L, shape_text(&s->shape, shape));
    return 4;
}

/* _written(s, version): whether what s shows was, or may have been, written after that version. */
static int rill_written(lua_State *L)
{
    const Stream *s = accept_check(L, 1, "expression", 1, "s");
    lua_pushboolean(L, stream_written_since(s, (uint64_t)luaL_checkinteger(L, 2)));
    return 1;
}

/* _takes(s, type): as what type a kernel stores values of that type into s; nil where they don't convert. */
static int rill_takes(lua_State *L)
{
    const Stream *s = accept_check(L, 1, "expression", 1, "s");
    const Type *type = type_check(L, 2, "expression", 2, "type");
    if (!s->writable || !type_converts(type, s->type->value)) {
        return 0;
    }
    lua_pushstring(L, type_converts(s->type->value, type) ? type->name : s->type->value->name);
    return 1;
}

/* _same(a, b): whether both show the same elements of the same memory. */
static int rill_same(lua_State *L)
{
    const Stream *a = accept_check(L, 1, "expression", 1, "a"), *b = accept_check(L, 2, "expression", 2, "b");
    lua_pushboolean(L, a->type == b->type && stream_same_mapping(a, b));
    return 1;
}

/* _shape(sizes): a shape as s.shape gives it. */
static int rill_shape(lua_State *L)
{
    Shape shape;
    shape_check_arg(L, 1, "expression", 1, "shape", &shape);
    shape_push(L, &shape);
    return 1;
}

/* _fuse(kernel, inputs): the kernel with its n-th argument computed by the kernel inputs[n]; nil where that can't be. */
static int rill_fuse(lua_State *L)
{
    const Kernel *inputs[MAX_PARAMS] = {NULL}, *kernel = kernel_to(L, 1);
    if (!kernel || !lua_istable(L, 2)) {
        return luaL_error(L, "rill._fuse: expected a kernel and a table of kernels");
    }
    for (int i = 0, n = 1; i < kernel_function(kernel)->param_count; i++) {
        if (!kernel_is_baked(kernel, i)) {
            lua_rawgeti(L, 2, n++);
            inputs[i] = kernel_to(L, -1);
            lua_pop(L, 1);
        }
    }
    Kernel *fused = fuse_kernel(kernel, inputs);
    if (fused) {
        kernel_push(L, fused);
    } else {
        lua_pushnil(L);
    }
    return 1;
}

void open_expression(lua_State *L)
{
    static const luaL_Reg functions[] = {{"_is_open", rill_is_open}, {"_leaf", rill_leaf}, {"_written", rill_written},
                                         {"_same", rill_same},       {"_fuse", rill_fuse}, {"_shape", rill_shape},
                                         {"_takes", rill_takes},     {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
