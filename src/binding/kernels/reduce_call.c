/* Calls reduce kernels. */
#include "binding/kernels/kernel.h"
#include "kernel/launch/copy.h"
#include "primitive/reduction/reduce.h"

#include <string.h>

static int reduce_param(const Function *f)
{
    int i = 0;
    while (f->params[i].kind != PARAM_REDUCE) {
        i++;
    }
    return i;
}

/* Reads the destination of the result at `index`: nothing, a shape or a stream. */
static void take_target(lua_State *L, Call *call, int r, int index, int n)
{
    Stream *stream = stream_handle_to(L, index);
    if (lua_isnoneornil(L, index)) {
        return;
    }
    if (stream) {
        call->slot[r] = lua_absindex(L, index);
        call_argument(L, call, r, index, n);
        return;
    }
    shape_check_arg(L, lua_absindex(L, index), call->function->name, n, call->function->params[r].name, &call->shape);
    call->has_shape = true;
}

/* Reads the table of arguments by name at stack index 2. */
static void named_arguments(lua_State *L, Call *call, int r)
{
    const Function *f = call->function;
    call_keys(L, call, 2);
    luaL_checkstack(L, f->param_count + 8, "too many arguments");
    for (int i = 0; i < f->param_count; i++) {
        if (kernel_is_baked(call->kernel, i)) {
            continue;
        }
        bool missing = lua_getfield(L, 2, f->params[i].name) == LUA_TNIL;
        int at = lua_gettop(L);
        if (i == r) {
            take_target(L, call, r, at, i + 1);
        } else if (missing) {
            luaL_error(L, "%s: argument '%s' is missing", f->name, f->params[i].name);
        } else {
            call_argument(L, call, i, at, i + 1);
        }
    }
    if (!call->has_shape && !call->args[r].stream) {
        lua_getfield(L, 2, "shape");
        take_target(L, call, r, lua_gettop(L), 0);
    }
}

/* Reads arguments 2 .. top in order: all parameters, or all except the result. */
static void ordered_arguments(lua_State *L, Call *call, int r)
{
    const Function *f = call->function;
    int given = lua_gettop(L) - 1, needed = f->param_count - 1;
    for (int i = 0; i < f->param_count; i++) {
        needed -= kernel_is_baked(call->kernel, i);
    }
    if (given != needed && given != needed + 1) {
        luaL_error(L, "%s: expected %d argument%s (or %d with the shape or stream of the result), got %d", f->name,
                   needed, needed == 1 ? "" : "s", needed + 1, given);
    }
    for (int i = 0, at = 2; i < f->param_count; i++) {
        if (kernel_is_baked(call->kernel, i) || (i == r && given == needed)) {
            continue;
        }
        if (i == r) {
            take_target(L, call, r, at, at - 1);
        } else {
            call_argument(L, call, i, at, at - 1);
        }
        at++;
    }
}

static void collect(lua_State *L, Call *call, int r)
{
    if (lua_gettop(L) == 2 && binding_is_options(L, 2)) {
        named_arguments(L, call, r);
    } else {
        ordered_arguments(L, call, r);
    }
}

static const Stream *input_of(const Call *call)
{
    int i = 0;
    while (call->function->params[i].kind != PARAM_INPUT) {
        i++;
    }
    return call->args[i].stream;
}

/* Runs the kernel. The result goes to a given stream, to a new stream of the given shape, or to a Lua value. `input` is
 * the call of the input kernel, or NULL if the kernel has an input stream. */
static int finish(lua_State *L, Call *call, int r, const Call *input)
{
    const Function *f = call->function;
    const Stream *given = call->args[r].stream;
    bool value = !given && !call->has_shape;
    Shape one = {.rank = 1, .size = {1}};
    const Shape *shape = value ? &one : &call->shape;
    Stream *result = stream_handle_push(L);
    DeviceScope scope;
    binding_enter(L, call->device, &scope);
    bool done = true, check = state_get(L)->check;
    if (given && !given->writable) {
        done = error_set("%s: argument '%s' is a view that can't be written to", f->name, f->params[r].name);
    } else if (given && !input && stream_overlaps(given, input_of(call))) {
        done = error_set("%s: the result '%s' overlaps the input in memory", f->name, f->params[r].name);
    } else if (given) {
        stream_copy_view(given, result);
    } else {
        done = value ? stream_create_readable(call->device, f->params[r].type, shape, result)
                     : stream_create(call->device, f->params[r].type, shape, false, result);
    }
    if (input) {
        done = done && reduce_kernel_input(call->kernel, call->args, input->kernel, input->args, &input->launch.domain,
                                           check, result);
    } else {
        done = done && reduce_kernel(call->kernel, call->args, check, result);
    }
    if (done && value) {
        Stream read = *result; /* value_take takes over the reference */
        memset(result, 0, sizeof *result);
        value_take(L, &read, &scope);
        return 1;
    }
    if (given) { /* releases the view now, so that it does not keep the memory alive until it is collected */
        stream_release(result);
    }
    device_leave(&scope);
    if (!done) {
        binding_raise(L);
    }
    binding_charge(L, call->device);
    if (given) {
        lua_pushvalue(L, call->slot[r]);
    }
    return 1;
}

int reduce_call(lua_State *L, Call *call)
{
    int r = reduce_param(call->function);
    collect(L, call, r);
    if (!call->args[r].stream && !call->has_shape && stream_elements(input_of(call)) == 0) {
        lua_pushnil(L);
        return 1;
    }
    return finish(L, call, r, NULL);
}

/* Reads the other arguments of a reduce kernel by name from the table at `index`, which may be absent. */
static void take_rest(lua_State *L, Call *call, int index)
{
    const Function *f = call->function;
    for (int i = 0; i < f->param_count; i++) {
        ParamKind kind = f->params[i].kind;
        if (kind == PARAM_INPUT || kind == PARAM_REDUCE || kernel_is_baked(call->kernel, i)) {
            continue;
        }
        if (!lua_istable(L, index) || lua_getfield(L, index, f->params[i].name) == LUA_TNIL) {
            luaL_error(L, "%s: argument '%s' is missing", f->name, f->params[i].name);
        }
        call_argument(L, call, i, -1, i + 1);
    }
}

int reduce_call_input(lua_State *L, Call *call, const Call *input)
{
    int r = reduce_param(call->function);
    take_target(L, call, r, 4, 4);
    take_rest(L, call, 5);
    if (!call->args[r].stream && !call->has_shape && shape_elements(&input->launch.domain) == 0) {
        lua_pushnil(L);
        return 1;
    }
    return finish(L, call, r, input);
}
