/* The reductions of streams, s:sum() and others, and reductions of expressions. */
#include "binding/kernels/kernel.h"
#include "binding/values/options.h"

#include "gpu/memory/buffer.h"
#include "kernel/host/packed.h"
#include "primitive/reduction/reduce_ops.h"

#include <math.h>
#include <string.h>

/* reading results */

/* Pushes a 64-bit sum, which is stored as the low words of all components, then the high words. */
static void push_long(lua_State *L, const void *sum, int components)
{
    uint32_t words[8];
    memcpy(words, sum, 2 * (size_t)components * sizeof *words);
    if (components > 1) {
        lua_createtable(L, components, 0);
    }
    for (int c = 0; c < components; c++) {
        uint64_t bits = (uint64_t)words[components + c] << 32 | words[c];
        lua_pushinteger(L, (lua_Integer)bits);
        if (components > 1) {
            lua_rawseti(L, -2, c + 1);
        }
    }
}

/* Pushes the 1-based indices of an element, slowest dimension first. `flat` is its flat 0-based index. */
static int push_indices(lua_State *L, const Shape *shape, int64_t flat)
{
    int64_t index[SHAPE_MAX_RANK] = {0};
    for (int d = shape->rank; d-- > 0;) {
        index[d] = flat % shape->size[d];
        flat /= shape->size[d];
    }
    for (int d = 0; d < shape->rank; d++) {
        lua_pushinteger(L, index[d] + 1);
    }
    return shape->rank;
}

/* the built-in reductions */

static int push_splat(lua_State *L, int components, bool integer, int value)
{
    if (components > 1) {
        lua_createtable(L, components, 0);
    }
    for (int c = 0; c < components; c++) {
        if (integer) {
            lua_pushinteger(L, value);
        } else {
            lua_pushnumber(L, value);
        }
        if (components > 1) {
            lua_rawseti(L, -2, c + 1);
        }
    }
    return 1;
}

/* Pushes the reduction of an empty stream: sum and count 0, prod 1, any false, all true, others nil. */
static int push_empty(lua_State *L, ReduceOp op, const Type *type)
{
    bool integer = type->value->scalar != SCALAR_FLOAT && type->value->scalar != SCALAR_DOUBLE;
    switch (op) {
    case REDUCE_SUM: return push_splat(L, type->components, integer, 0);
    case REDUCE_PROD: return push_splat(L, type->components, false, 1);
    case REDUCE_DOT:
    case REDUCE_NORM: return push_splat(L, 1, false, 0);
    case REDUCE_COUNT: return push_splat(L, 1, true, 0);
    case REDUCE_ANY:
    case REDUCE_ALL: lua_pushboolean(L, op == REDUCE_ALL); return 1;
    default: lua_pushnil(L); return 1;
    }
}

/* Raises the error about an element type without a reduction. */
static void refuse(lua_State *L, const char *function)
{
    (void)error_prefix("%s", function);
    binding_raise(L);
}

/* Makes zeros positive: which zero is the minimum would depend on the order of the elements. */
static void clear_signs(const Type *type, void *element)
{
    for (int c = 0; c < type->components; c++) {
        float *single = (float *)element + c;
        double *wide = (double *)element + c;
        if (type->scalar == SCALAR_FLOAT) {
            *single += 0.0F;
        } else if (type->scalar == SCALAR_DOUBLE) {
            *wide += 0.0;
        }
    }
}

/* Pushes the result of a reduction of all elements. */
static void push_result(lua_State *L, ReduceOp op, const Type *type, int components, void *element)
{
    if (op == REDUCE_MIN || op == REDUCE_MAX) {
        clear_signs(type, element);
    }
    if (type->is_struct) {
        push_long(L, element, components);
    } else {
        value_push(L, type, element);
    }
}

static int whole(lua_State *L, ReduceOp op, const ReduceOperand *x, const char *function)
{
    const Type *type = reduce_result_type(op, x->type, true);
    if (!type) {
        refuse(L, function);
    }
    if (shape_elements(&x->shape) == 0) {
        return push_empty(L, op, x->type);
    }
    Shape one = {.rank = 1, .size = {1}};
    Stream result;
    _Alignas(double) unsigned char element[TYPE_MAX_BYTES];
    binding_run(L, x->device, NULL,
                (reduce_operand(op, x, &one, true, &result) || error_prefix("%s", function)) &&
                    value_read(&result, element));
    push_result(L, op, type, x->type->components, element);
    if (op == REDUCE_ARGMIN || op == REDUCE_ARGMAX) {
        return push_indices(L, &x->shape, lua_tointeger(L, -1));
    }
    return 1;
}

/* Reads the option `reproducible` of a reduction of all elements. */
static bool check_ordered(lua_State *L, int index, const char *function)
{
    static const Option rows[] = {{.name = "reproducible", .read = options_flag}, {.name = NULL}};
    const OptionCall call = {
        .function = function, .index = index, .n = 2, .expected = "a table like {reproducible = false}"};
    bool reproducible = true;
    options_read(L, &call, rows, &reproducible);
    return !reproducible;
}

static bool check_keep(lua_State *L, int index, const char *function)
{
    static const Option rows[] = {{.name = "keep", .read = options_flag}, {.name = NULL}};
    const OptionCall call = {.function = function, .index = index, .n = 2, .expected = "a table like {keep = true}"};
    bool keep = false;
    options_read(L, &call, rows, &keep);
    return keep;
}

static int push_along_axis(lua_State *L, ReduceOp op, const ReduceOperand *x, int axis, bool keep, const char *function)
{
    if (!reduce_result_type(op, x->type, false)) {
        refuse(L, function);
    }
    Stream *result = stream_handle_push(L);
    binding_make(L, x->device, function, reduce_along(op, x, axis, keep, result));
    if (op == REDUCE_ARGMIN || op == REDUCE_ARGMAX) {
        stream_set_indices(result);
    }
    return 1;
}

/* Calls the Lua function for a reduction of the stream at index 1 with a table of axes, with options but no axis, or with
 * options of a variance. Returns the number of results, or 0 if there are no such arguments. */
static int reduce_axes(lua_State *L, ReduceOp op)
{
    bool variance = op == REDUCE_VAR || op == REDUCE_STD;
    bool several = lua_istable(L, 2) || (lua_istable(L, 3) && (variance || lua_isnil(L, 2)));
    if (!several || op == REDUCE_DOT || lua_gettop(L) > 3 || !stream_handle_to(L, 1)) {
        return 0;
    }
    lua_settop(L, 3);
    lua_pushstring(L, reduce_ops_name(op));
    lua_insert(L, 1);
    expression_hooks_call(L, "reduce_axes", 4, LUA_MULTRET);
    return lua_gettop(L);
}

/* Returns the second operand of a dot product. Raises. */
static Stream *second_operand(lua_State *L, int index, const Stream *s, const char *function)
{
    Stream *t = accept_check(L, index, function, 1, "t");
    accept_numbers(L, index, function, 1, "t");
    shape_raise_unequal(L, "%s: the shapes differ: %s and %s", function, &s->shape, &t->shape);
    if (s->type->is_struct || t->type->components != s->type->components || t->device != s->device) {
        luaL_error(L, "%s: argument #1 't': expected a stream like %s on the same device, got %s", function,
                   s->type->name, t->type->name);
    }
    return t;
}

static int reduce(lua_State *L, ReduceOp op, const char *function)
{
    int results;
    if (op == REDUCE_DOT && expression_hooks_offer(L, "dot", &results)) {
        return results;
    }
    Stream *s = accept_check(L, 1, function, 0, "s"), *t = NULL;
    if (op != REDUCE_MIN && op != REDUCE_MAX && op != REDUCE_ARGMIN && op != REDUCE_ARGMAX) {
        accept_numbers(L, 1, function, 0, "s"); /* the least code is the first name */
    }
    int first = 2;
    int given = reduce_axes(L, op);
    if (given > 0) {
        return given;
    }
    if (op == REDUCE_DOT) {
        t = second_operand(L, 2, s, function);
        if (s->type->value->scalar == SCALAR_FLOAT || t->type->value->scalar == SCALAR_DOUBLE) {
            /* the first operand determines the types of the products and of the result */
            Stream *wider = t;
            t = s;
            s = wider;
        }
        first = 3;
    }
    binding_count(L, function, first + 1, true);
    ReduceOperand x = {.device = s->device, .type = s->type, .shape = s->shape, .s = s, .t = t};
    if (lua_isnoneornil(L, first)) {
        x.ordered = op == REDUCE_DOT && check_ordered(L, first + 1, function);
        return whole(L, op, &x, function);
    }
    int axis = binding_axis(L, first, function, s->shape.rank);
    return push_along_axis(L, op, &x, axis, check_keep(L, first + 1, function), function);
}

#define X(id, name)                                                                                                    \
    static int stream_##name(lua_State *L)                                                                             \
    {                                                                                                                  \
        return reduce(L, REDUCE_##id, "s:" #name);                                                                     \
    }
REDUCTIONS(X)
#undef X

static const luaL_Reg methods[] = {
#define X(id, name) {#name, stream_##name},
    REDUCTIONS(X)
#undef X
        {NULL, NULL}};

/* reductions of the output of an input kernel, for expressions */

static ReduceOp op_named(lua_State *L, const char *name, const char *function)
{
    int op = 0;
    while (op < REDUCE_OPS && strcmp(reduce_ops_name((ReduceOp)op), name) != 0) {
        op++;
    }
    if (op == REDUCE_OPS) {
        luaL_error(L, "%s: expressions have no reduction '%s'", function, name);
    }
    return (ReduceOp)op;
}

/* _reduce(operation, kernel, arguments [, axis or shape [, keep or constants]]): reduces the output of `kernel` with
 * `arguments` in one pass, without storing it. `operation` is the name of a reduction, or a reduce kernel. For a reduce
 * kernel, argument 4 is the shape or stream of the result, and argument 5 its constants and gathers by name. For "dot",
 * arguments 6 and 7 are the second kernel and its arguments, of the same shape. */
static int module_reduce(lua_State *L)
{
    Kernel *operation = kernel_to(L, 1), *kernel = kernel_to(L, 2);
    lua_settop(L, 7);
    if (!kernel || !lua_istable(L, 3)) {
        return luaL_error(L, "rill._reduce: expected an operation, a kernel and its arguments");
    }
    Call input, call, second;
    call_start(L, &input, kernel);
    call_inputs(L, &input, 3, true);
    if (!reduce_accepts(kernel)) {
        binding_raise(L);
    }
    if (operation) {
        call_start(L, &call, operation);
        return reduce_call_input(L, &call, &input);
    }
    const char *name = luaL_checkstring(L, 1), *function = lua_pushfstring(L, "s:%s", name);
    ReduceOperand x = {.device = input.device,
                       .type = reduce_input_type(kernel),
                       .shape = input.launch.domain,
                       .input[0] = {kernel, input.args},
                       .check = state_get(L)->check};
    ReduceOp op = op_named(L, name, function);
    luaL_argcheck(L, op != REDUCE_CENTER, 1, "the operation needs a state");
    if (op == REDUCE_DOT) {
        x.input[1] = (ReduceInput){kernel_to(L, 6), second.args};
        call_start(L, &second, x.input[1].kernel);
        call_inputs(L, &second, 7, true);
        shape_raise_unequal(L, "%s: the shapes differ: %s and %s", function, &x.shape, &second.launch.domain);
    }
    if (lua_isnil(L, 4)) {
        return whole(L, op, &x, function);
    }
    int axis = binding_axis(L, 4, function, x.shape.rank);
    return push_along_axis(L, op, &x, axis, lua_toboolean(L, 5), function);
}

/* reductions of data in parts: see reduce.h */

/* Returns the result of a join of "center" at an index, or NULL. Raises. */
static const ReduceCenter *center_to(lua_State *L, int index, ReduceCenter *center)
{
    size_t bytes;
    const char *text = lua_tolstring(L, index, &bytes);
    if (!text) {
        return NULL;
    }
    luaL_argcheck(L, bytes == sizeof *center, index, "not the result of center");
    return memcpy(center, text, sizeof *center);
}

/* _state(function, operation, s [, t [, center]]): returns the state of a part, a stream that is not empty, as a string.
 * `center`: of all parts, for "var" and "std": the result of a join of "center". */
static int module_state(lua_State *L)
{
    const char *function = luaL_checkstring(L, 1);
    ReduceOp op = op_named(L, luaL_checkstring(L, 2), function);
    const Stream *s = accept_check(L, 3, function, 0, "s"), *t = NULL;
    if (op == REDUCE_DOT) {
        t = second_operand(L, 4, s, function);
    }
    const Type *type = reduce_state_type(op, s->type);
    if (!type) {
        refuse(L, function);
    }
    ReduceCenter given;
    const ReduceCenter *center = center_to(L, 5, &given);
    Stream result;
    unsigned char state[TYPE_MAX_BYTES];
    binding_run(L, s->device, function,
                (reduce_state(op, s, t, center, &result) || error_prefix("%s", function)) &&
                    value_read(&result, state));
    lua_pushlstring(L, (const char *)state, (size_t)type->bytes);
    return 1;
}

/* Releases the states. */
static bool join_states(ReduceOp op, const Type *type, Stream *states, int64_t total, const ReduceCenter *center,
                        Stream *result)
{
    bool done = reduce_join(op, type, states, total, center, result);
    stream_release(states);
    return done;
}

/* _join(function, operation, type, states, total [, center]): returns the reduction of parts with a table of states. `type`:
 * of the elements. `total`: the number of elements of all parts. `center`: see _state. */
static int module_join(lua_State *L)
{
    const char *function = luaL_checkstring(L, 1);
    ReduceOp op = op_named(L, luaL_checkstring(L, 2), function);
    const Type *type = type_check(L, 3, function, 3, "type"), *state = reduce_state_type(op, type);
    Shape shape = {.rank = 1, .size = {luaL_len(L, 4)}};
    int64_t total = luaL_checkinteger(L, 5);
    if (!state) {
        refuse(L, function);
    }
    if (shape.size[0] == 0) {
        return push_empty(L, op, type);
    }
    size_t bytes = (size_t)state->bytes;
    char *all = scratch_push(L, bytes * (size_t)shape.size[0]);
    for (int64_t i = 0; i < shape.size[0]; i++) {
        size_t length;
        lua_rawgeti(L, 4, i + 1);
        const char *one = luaL_checklstring(L, -1, &length);
        luaL_argcheck(L, length == bytes, 4, "a state of another operation");
        memcpy(all + bytes * (size_t)i, one, bytes);
        lua_pop(L, 1);
    }
    ReduceCenter given, made;
    const ReduceCenter *center = center_to(L, 6, &given);
    Device *device = state_device(L);
    Stream states, result;
    _Alignas(double) unsigned char element[TYPE_MAX_BYTES];
    binding_run(L, device, function,
                packed_stream(device, state, &shape, all, &states) &&
                    join_states(op, type, &states, total, center, &result) &&
                    (op == REDUCE_CENTER ? reduce_read_center(&result, &made) : value_read(&result, element)));
    if (op == REDUCE_CENTER) {
        lua_pushlstring(L, (const char *)&made, sizeof made);
        return 1;
    }
    push_result(L, op, reduce_result_type(op, type, true), type->components, element);
    return 1;
}

/* _reduce_ordered(name, s): returns a reduction of all elements with {reproducible = false}. */
static int module_ordered(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1), *function = lua_pushfstring(L, "s:%s", name);
    const Stream *s = accept_check(L, 2, function, 0, "s");
    const ReduceOperand x = {.device = s->device, .type = s->type, .shape = s->shape, .s = s, .ordered = true};
    return whole(L, op_named(L, name, function), &x, function);
}

void open_reduce(lua_State *L)
{
    stream_handle_methods(L, methods);
    fields_function(L, "_join", module_join);
    fields_function(L, "_reduce_ordered", module_ordered);
    fields_function(L, "_reduce", module_reduce);
    fields_function(L, "_state", module_state);
}
