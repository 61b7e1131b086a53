/* rill.gather, rill.scatter and rill.gather_op. */
#include "binding/kernels/kernel.h"

#include "binding/streams/container_handle.h"
#include "kernel/host/packed.h"
#include "primitive/indexed/gather.h"
#include "primitive/indexed/gather_op.h"
#include "primitive/indexed/scatter.h"

#include <string.h>

static const char op_names[] =
    "\"set\", \"add\", \"mul\", \"min\", \"max\", \"and\", \"or\", \"xor\" or a reduce kernel";

/* Returns a stream on the same device as `other`, or raises. */
static const Stream *check_same_device(lua_State *L, int index, const char *function, const char *name,
                                       const Stream *other)
{
    const Stream *s = accept_check(L, index, function, index, name);
    if (s->device != other->device) {
        luaL_error(L, "%s: argument #%d '%s': the stream belongs to another device", function, index, name);
    }
    return s;
}

/* Returns a stream that can be written, or raises. */
static Stream *target_check(lua_State *L, int index, const char *function, const char *name)
{
    if (expression_hooks_is_expression(L, index)) {
        luaL_error(L, "%s: argument #%d '%s': an expression can't be written: e:eval() makes it a stream", function,
                   index, name);
    }
    Stream *s = accept_check(L, index, function, index, name);
    accept_writable(L, s, function);
    return s;
}

static int rill_gather(lua_State *L)
{
    binding_count(L, "rill.gather", 2, false);
    const LuaContainer *c = container_to(L, 1);
    const Stream *src = c && c->container ? &c->stream : accept_check(L, 1, "rill.gather", 1, "src");
    if (lua_istable(L, 2) && luaL_getmetafield(L, 2, "__name") == LUA_TNIL) {
        create_from_table(L, 2, type_of(SCALAR_INT, 1), "rill.gather", 2, "index");
        lua_replace(L, 2);
    }
    const Stream *index = check_same_device(L, 2, "rill.gather", "index", src);
    Stream *result = stream_handle_push(L);
    bool check = state_get(L)->check;
    binding_make(L, src->device, "rill.gather", gather_stream(src, index, check, result));
    return 1;
}

/* Returns the source of a scatter: a stream, or a new stream of one number, vector or structure that is used for all
 * indices. */
static const Stream *source_check(lua_State *L, const char *function, const Stream *dst)
{
    lua_settop(L, 4);
    bool plain = lua_istable(L, 3) && luaL_getmetafield(L, 3, "__name") == LUA_TNIL;
    lua_settop(L, 4);
    if (!plain && lua_type(L, 3) != LUA_TNUMBER && lua_type(L, 3) != LUA_TBOOLEAN) {
        return check_same_device(L, 3, function, "src", dst);
    }
    Shape one = {.rank = 1, .size = {1}};
    unsigned char element[TYPE_MAX_BYTES];
    if (!value_pack_splat(L, 3, dst->type->value, element)) {
        binding_argument_error(L, function, 3, "src");
    }
    Stream *s = create_stream(L, dst->type->value, &one, function);
    lua_replace(L, 3);
    binding_make(L, dst->device, function, packed_upload(s, element));
    return s;
}

/* Raises an error with rill.check if indices were out of range. The elements in range have been written. */
static void report_skipped(lua_State *L, const char *function, uint32_t skipped, const Stream *index, const Stream *at)
{
    char text[SHAPE_TEXT];
    if (skipped > 0) {
        luaL_error(L, "%s: argument #2 'index': %I of %I indices are out of range of a stream of shape %s", function,
                   (LUAI_UACINT)skipped, (LUAI_UACINT)stream_elements(index), shape_text(&at->shape, text));
    }
}

/* Reads the operation at stack index 4: a name, or a reduce kernel over elements of `type`. */
static ScatterOp op_check(lua_State *L, const char *function, const Type *type, Kernel **kernel)
{
    *kernel = kernel_to(L, 4);
    if (lua_type(L, 4) == LUA_TSTRING) {
        ScatterOp op = scatter_op(lua_tostring(L, 4));
        if (op == SCATTER_OPS) {
            binding_argument(L, function, 4, "op", 4, op_names);
        }
        return op;
    }
    if (!*kernel || kernel_function(*kernel)->kind != FUNCTION_REDUCE) {
        binding_argument(L, function, 4, "op", 4, op_names);
    }
    const Function *f = kernel_function(*kernel);
    int arguments = 0;
    for (int i = 0; i < f->param_count; i++) {
        arguments += !kernel_is_baked(*kernel, i);
        if (f->params[i].kind == PARAM_REDUCE && !(f->params[i].type && type_converts(type->value, f->params[i].type) &&
                                                   type_converts(f->params[i].type, type->value))) {
            luaL_error(L, "%s: argument #4 'op': %s reduces elements of %s, the stream holds %s", function, f->name,
                       f->params[i].type ? f->params[i].type->name : "a matrix", type->name);
        }
    }
    if (arguments != 2) {
        luaL_error(L, "%s: argument #4 'op': %s has arguments besides its input: fix them with specialize", function,
                   f->name);
    }
    return SCATTER_KERNEL;
}

static int scatter(lua_State *L, const char *function, bool with_op)
{
    binding_count(L, function, 4, false);
    Stream *dst = target_check(L, 1, function, "dst");
    const Stream *index = check_same_device(L, 2, function, "index", dst);
    const Stream *src = source_check(L, function, dst);
    Kernel *kernel = NULL;
    ScatterOp op = with_op || !lua_isnoneornil(L, 4) ? op_check(L, function, dst->type, &kernel) : SCATTER_SET;
    uint32_t skipped = 0;
    bool check = state_get(L)->check;
    binding_make(L, dst->device, function, scatter_stream(dst, index, src, op, kernel, check ? &skipped : NULL));
    report_skipped(L, function, skipped, index, dst);
    lua_pushvalue(L, 1);
    return 1;
}

static int rill_scatter(lua_State *L)
{
    return scatter(L, "rill.scatter", false);
}

static int rill_scatter_op(lua_State *L)
{
    return scatter(L, "rill.scatter_op", true);
}

static int rill_gather_op(lua_State *L)
{
    binding_count(L, "rill.gather_op", 4, false);
    Stream *dst = target_check(L, 1, "rill.gather_op", "dst");
    const Stream *index = check_same_device(L, 2, "rill.gather_op", "index", dst);
    Stream *src = target_check(L, 3, "rill.gather_op", "src");
    check_same_device(L, 3, "rill.gather_op", "src", dst);
    Kernel *kernel = NULL;
    ScatterOp op = op_check(L, "rill.gather_op", src->type, &kernel);
    uint32_t skipped = 0;
    bool check = state_get(L)->check;
    binding_make(L, dst->device, "rill.gather_op",
                 gather_op_stream(dst, index, src, op, kernel, check ? &skipped : NULL));
    report_skipped(L, "rill.gather_op", skipped, index, src);
    lua_pushvalue(L, 1);
    return 1;
}

static const luaL_Reg functions[] = {{"gather_op", rill_gather_op},
                                     {"gather", rill_gather},
                                     {"scatter", rill_scatter},
                                     {"scatter_op", rill_scatter_op},
                                     {NULL, NULL}};

void open_scatter(lua_State *L)
{
    luaL_setfuncs(L, functions, 0);
}
