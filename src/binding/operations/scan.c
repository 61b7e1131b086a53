/* s:scan(), rill.segmented_reduce and rill.reduce_by_key. */
#include "binding/kernels/kernel.h"
#include "binding/streams/container_handle.h"
#include "binding/values/options.h"

#include "primitive/reduction/scan.h"
#include "primitive/reduction/segment.h"

#include <string.h>

/* Reads the operator at `index`: a name or a reduce kernel. Default: add. */
static void take_operation(lua_State *L, int index, const char *function, int n, ScanOp *op, Kernel **kernel)
{
    *op = SCAN_ADD;
    *kernel = kernel_to(L, index);
    if (*kernel) {
        if (!scan_accepts(*kernel)) {
            binding_argument_error(L, function, n, "op");
        }
    } else if (lua_type(L, index) == LUA_TSTRING) {
        *op = scan_op_find(lua_tostring(L, index));
        if (*op == SCAN_OPS) {
            binding_argument_error(L, function, n, "op");
        }
    } else if (!lua_isnoneornil(L, index)) {
        binding_argument(L, function, n, "op", index,
                         "an operator (add, mul, min, max, and, or, xor) or a reduce kernel");
    }
}

static void check_type(lua_State *L, const char *function, const Kernel *operation, const Type *type)
{
    const Function *f = operation ? kernel_function(operation) : NULL;
    for (int i = 0; f && i < f->param_count; i++) {
        if (f->params[i].kind == PARAM_INPUT && !type_converts(type->value, f->params[i].type)) {
            luaL_error(L, "%s: reduce kernel '%s' takes elements of %s, got %s", function, f->name,
                       f->params[i].type->name, type->name);
        }
    }
}

/* Returns the segments, flags or lengths: a stream, or a table, which is replaced on the stack by a stream. */
static Stream *take_segments(lua_State *L, int index, const char *function, int n, const Shape *shape)
{
    if (lua_istable(L, index) && !expression_hooks_is_expression(L, index)) {
        bool flags = lua_rawgeti(L, index, 1) == LUA_TBOOLEAN;
        lua_pop(L, 1);
        create_from_table(L, index, type_of(flags ? SCALAR_BOOL : SCALAR_INT, 1), function, n, "segments");
        lua_replace(L, index);
    }
    Stream *s = accept_check(L, index, function, n, "segments");
    Scalar scalar = s->type->is_struct || s->type->components > 1 ? SCALAR_FLOAT : s->type->value->scalar;
    if (scalar != SCALAR_BOOL && scalar != SCALAR_INT && scalar != SCALAR_UINT) {
        binding_argument(L, function, n, "segments", index,
                         "a bool stream that marks where segments start, or their lengths (int or uint)");
    }
    if (scalar == SCALAR_BOOL) {
        shape_raise_unequal(L, "%s: the flags of 'segments' have shape %s, the stream has %s", function, &s->shape,
                            shape);
    }
    return s;
}

/* options */

/* Fills the spec from the options. *segments are flags or lengths, a stream on the stack, or NULL. */
static void take_options(lua_State *L, int options, const char *function, ScanSpec *spec, Stream **segments)
{
    static const Option rows[] = {{OPTION("exclusive", options_flag, ScanSpec, exclusive)},
                                  {OPTION("reverse", options_flag, ScanSpec, reverse)},
                                  {OPTION("axis", options_axis, ScanSpec, axis)},
                                  {.name = "segments"},
                                  {.name = NULL}};
    const OptionCall call = {.function = function,
                             .index = options,
                             .n = 2,
                             .expected = "a table like {exclusive = true}",
                             .rank = spec->domain.rank};
    spec->axis = -1;
    *segments = NULL;
    if (!options_read(L, &call, rows, spec)) {
        return;
    }
    if (lua_getfield(L, options, "segments") != LUA_TNIL) {
        *segments = take_segments(L, lua_gettop(L), function, BINDING_OPTION, &spec->domain);
        if ((*segments)->device != spec->device) {
            luaL_error(L, "%s: option 'segments': the stream belongs to another device", function);
        }
    }
}

/* scans */

/* Returns whether an option requires the exact length of the stream. */
static bool needs_end(lua_State *L, int options)
{
    bool needs = false;
    if (binding_is_options(L, options)) {
        lua_getfield(L, options, "reverse");
        lua_getfield(L, options, "segments");
        needs = lua_toboolean(L, -2) || !lua_isnil(L, -1);
        lua_pop(L, 2);
    }
    return needs;
}

static int scan(lua_State *L, const char *function, ScanSpec *spec, Stream *segments)
{
    Stream *result = stream_handle_push(L);
    spec->check = state_get(L)->check;
    binding_make(L, spec->device, function, segment_scan(spec, segments, result));
    return 1;
}

static int stream_scan(lua_State *L)
{
    static const char function[] = "s:scan";
    Stream *s = accept_open(L, 1, function, 0, "s"), *segments;
    accept_numbers(L, 1, function, 0, "s");
    binding_count(L, function, 3, true);
    if (binding_is_options(L, 2) && lua_isnoneornil(L, 3)) { /* options without an operator */
        lua_settop(L, 2);
        lua_pushnil(L);
        lua_insert(L, 2);
    }
    lua_settop(L, 3);
    if (needs_end(L, 3)) {
        accept_settled(L, s);
    }
    Argument arg = {.stream = s};
    ScanSpec spec = {.args = &arg, .device = s->device, .domain = s->shape};
    take_operation(L, 2, function, 1, &spec.op, &spec.operation);
    check_type(L, function, spec.operation, s->type);
    take_options(L, 3, function, &spec, &segments);
    return scan(L, function, &spec, segments);
}

/* _scan(operation, kernel, arguments [, options]): scans the output of `kernel` with `arguments`, without storing
 * it. */
static int module_scan(lua_State *L)
{
    static const char function[] = "s:scan";
    Kernel *kernel = kernel_to(L, 2);
    lua_settop(L, 4);
    if (!kernel || !lua_istable(L, 3)) {
        return luaL_error(L, "rill._scan: expected an operation, a kernel and its arguments");
    }
    Call call;
    Stream *segments;
    call_start(L, &call, kernel);
    call_inputs(L, &call, 3, true);
    if (!scan_input(kernel)) {
        binding_raise(L);
    }
    ScanSpec spec = {.input = kernel, .args = call.args, .device = call.device, .domain = call.launch.domain};
    take_operation(L, 1, function, 1, &spec.op, &spec.operation);
    check_type(L, function, spec.operation, scan_input(kernel));
    take_options(L, 4, function, &spec, &segments);
    return scan(L, function, &spec, segments);
}

/* segments and keys */

static int module_segmented_reduce(lua_State *L)
{
    static const char function[] = "rill.segmented_reduce";
    binding_count(L, function, 3, false);
    container_accept_lines(L, function, false);
    lua_settop(L, 3);
    Stream *values = accept_check(L, 1, function, 1, "values");
    accept_numbers(L, 1, function, 1, "values");
    Stream *segments = take_segments(L, 2, function, 2, &values->shape);
    SegmentSpec spec = {.device = values->device};
    take_operation(L, 3, function, 3, &spec.op, &spec.operation);
    check_type(L, function, spec.operation, values->type);
    if (segments->device != values->device) {
        return luaL_error(L, "%s: the streams belong to different devices", function);
    }
    Stream *result = stream_handle_push(L);
    binding_make(L, values->device, function, segment_reduce(&spec, values, segments, result));
    return 1;
}

static int module_reduce_by_key(lua_State *L)
{
    static const char function[] = "rill.reduce_by_key";
    binding_count(L, function, 3, false);
    container_accept_lines(L, function, false);
    lua_settop(L, 3);
    Stream *keys = accept_open(L, 1, function, 1, "keys"), *values = accept_open(L, 2, function, 2, "values");
    accept_numbers(L, 2, function, 2, "values");
    if (keys->length.buffer != values->length.buffer || keys->length.word != values->length.word) {
        accept_settled(L, keys);
        accept_settled(L, values);
    }
    shape_raise_unequal(L, "%s: the keys have shape %s, the values %s", function, &keys->shape, &values->shape);
    if (keys->device != values->device) {
        return luaL_error(L, "%s: the streams belong to different devices", function);
    }
    SegmentSpec spec = {.device = values->device};
    take_operation(L, 3, function, 3, &spec.op, &spec.operation);
    check_type(L, function, spec.operation, values->type);
    Stream *first = stream_handle_push(L), *second = stream_handle_push(L), results[2];
    binding_run(L, values->device, function, segment_reduce_by_key(&spec, keys, values, results));
    *first = results[0];
    *second = results[1];
    binding_charge(L, values->device);
    return 2;
}

void open_scan(lua_State *L)
{
    static const luaL_Reg methods[] = {{"scan", stream_scan}, {NULL, NULL}};
    static const luaL_Reg functions[] = {{"_scan", module_scan},
                                         {"segmented_reduce", module_segmented_reduce},
                                         {"reduce_by_key", module_reduce_by_key},
                                         {NULL, NULL}};
    stream_handle_methods(L, methods);
    luaL_setfuncs(L, functions, 0);
}
