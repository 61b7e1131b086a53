/* Reads the arguments of a kernel call from the Lua stack. */
#include "binding/kernels/kernel.h"
#include "binding/streams/container_handle.h"

#include <stdio.h>
#include <string.h>

/* The largest number of 32-bit words of a constant, which is a structure. */
enum { CONSTANT_WORDS = 256 };

/* packing arguments */

static bool pack_matrix(lua_State *L, int index, int n, uint32_t *words)
{
    if (!lua_istable(L, index) || lua_rawlen(L, index) != (size_t)n) {
        return error_set("expected a table of %d rows", n);
    }
    index = lua_absindex(L, index);
    for (int row = 0; row < n; row++) {
        lua_rawgeti(L, index, row + 1);
        bool done = lua_istable(L, -1) && lua_rawlen(L, -1) == (size_t)n;
        for (int column = 0; done && column < n; column++) {
            lua_rawgeti(L, -1, column + 1);
            float value = lua_isinteger(L, -1) ? (float)lua_tointeger(L, -1) : (float)lua_tonumber(L, -1);
            done = lua_type(L, -1) == LUA_TNUMBER;
            memcpy(&words[row * n + column], &value, sizeof value);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
        if (!done) {
            return error_set("row %d: expected a table of %d numbers", row + 1, n);
        }
    }
    return true;
}

/* Returns whether the rows of a stream are vectors of a type: x:as(type) views them as its elements. */
static bool has_rows(const Stream *s, const Type *type)
{
    return type->components > 1 && s->type->components == 1 && s->type->scalar == type->scalar && s->shape.rank > 1 &&
           s->shape.size[s->shape.rank - 1] == type->components;
}

/* Pushes and returns what a message adds about an argument that is not the stream that a parameter expects: how to
 * make one, or another declaration. `given`: the argument, if it is a stream, else NULL. */
static const char *stream_remedy(lua_State *L, const Call *call, const Param *param, int index, const Stream *given)
{
    const char *type = param->matrix ? "matrix" : param->type->name;
    bool written = param_kinds[param->kind].written, table = binding_is_options(L, index);
    bool converts = given && !param->matrix && !written && !param->type->is_struct && !given->type->is_struct;
    if (converts && given->type->components == param->type->components) {
        return lua_pushfstring(L, "; :cast \"%s\" converts one", type);
    }
    if (converts && has_rows(given, param->type)) {
        return lua_pushfstring(L, "; :as \"%s\" views the rows as one", type);
    }
    if (call_allocates(param) && (table || lua_type(L, index) == LUA_TNUMBER)) {
        return lua_pushfstring(L, "; a shape is given by name: %s {%s = ..., shape = ...}", call->function->name,
                               call->function->params[0].name);
    }
    if (!written && lua_type(L, index) == LUA_TNUMBER) {
        return lua_pushfstring(L, "; declare it '%s %s' to pass one value", type, param->name);
    }
    bool plain = !param->matrix && !param->type->is_struct && param->type != type_of(SCALAR_FLOAT, 1);
    if ((table || given) && plain) {
        return lua_pushfstring(L, "; rill.from(table, \"%s\") makes one", type);
    }
    if (param->type->is_struct && !param->matrix) {
        return lua_pushfstring(L, "; rill.stream(program.%s, n) makes one", type);
    }
    return table ? "; rill.from makes one of a table" : "";
}

/* Raises that an argument is not the stream that parameter i expects. */
static void stream_error(lua_State *L, const Call *call, int i, const Stream *given, int index, int n)
{
    const Param *param = &call->function->params[i];
    binding_argument(L, call->function->name, n, param->name, index,
                     lua_pushfstring(L, "a stream of %s (%s%s)", param->matrix ? "matrix" : param->type->name,
                                     param_kinds[param->kind].name, stream_remedy(L, call, param, index, given)));
}

/* Returns the stream of argument i, which is `stream`, or the header of the container at `index`; raises. */
static Stream *check_stream(lua_State *L, Call *call, int i, Stream *stream, int index, int n)
{
    const Param *param = &call->function->params[i];
    LuaContainer *container = stream ? NULL : container_to(L, index);
    stream = container ? &container->stream : stream;
    call->launch.contained = call->launch.contained || container;
    if (container && (call->dense || call->function->kind == FUNCTION_REDUCE)) {
        luaL_error(L, "%s: argument #%d '%s': expected a stream, got a container: its elements as one are c:stream()",
                   call->function->name, n, param->name);
    }
    if (!stream || !stream->device || !call_types_fit(param, stream->type)) {
        stream_error(L, call, i, stream && stream->device && !container ? stream : NULL, index, n);
    } else if (stream->device != call->device) {
        luaL_error(L,
                   "%s: argument #%d '%s': the stream belongs to another device (%s): open that one with rill.open, "
                   "or copy the data through Lua",
                   call->function->name, n, param->name, device_describe(stream->device)->name);
    }
    return stream;
}

/* Uploads a Lua table for a gather, and replaces it on the stack by the stream. */
static void upload(lua_State *L, const Call *call, int i, int index, int n)
{
    const Param *param = &call->function->params[i];
    create_from_table(L, index, param->type, call->function->name, n, param->name);
    lua_replace(L, index);
}

/* Replaces an argument of a reduce kernel by a stream of the elements that are mapped in the first container among the
 * arguments. */
static void take_line(lua_State *L, Call *call, int index)
{
    LuaContainer *c = container_to(L, index);
    if (!c || !c->container || !c->stream.device) {
        return;
    }
    if (!call->lined) {
        lua_pushvalue(L, index); /* keeps the container alive */
        call->lined = c;
    }
    container_push_line(L, call->lined, index, NULL, call->function->name);
    lua_replace(L, index);
}

/* Raises the recorded error about the argument of a constant. */
static void constant_error(lua_State *L, const Call *call, const Param *param, int index, int n)
{
    bool many = stream_handle_to(L, index) || expression_hooks_is_expression(L, index) || container_to(L, index);
    if (many && !param->matrix) {
        lua_pushstring(L, error_message());
        error_set("%s; declare it '%s %s<>' to pass a stream", lua_tostring(L, -1), param->type->name, param->name);
    }
    binding_argument_error(L, call->function->name, n, param->name);
}

bool call_allocates(const Param *param)
{
    return param_kinds[param->kind].allocates;
}

void call_argument(lua_State *L, Call *call, int i, int index, int n)
{
    const Param *param = &call->function->params[i];
    const ParamKindInfo *kind = &param_kinds[param->kind];
    index = lua_absindex(L, index);
    if (!kind->stream) {
        if (call->used + CONSTANT_WORDS > CALL_WORDS) {
            luaL_error(L, "%s: the constants are too large: at most %d words of 32 bits are allowed",
                       call->function->name, CALL_WORDS);
        }
        uint32_t *words = call->words + call->used;
        bool done =
            param->matrix ? pack_matrix(L, index, param->matrix, words) : value_pack(L, index, param->type, words);
        if (!done) {
            constant_error(L, call, param, index, n);
        }
        call->args[i].words = words;
        call->used += param->matrix ? param->matrix * param->matrix : (param->type->bytes + 3) / 4;
        return;
    }
    if (param->kind == PARAM_VOUT && !lua_isnoneornil(L, index)) {
        binding_argument(L, call->function->name, n, param->name, index,
                         "nil: the launch allocates variable outputs (vout)");
    }
    if (call_allocates(param) && lua_isnoneornil(L, index)) {
        call->args[i].stream = NULL;
        return;
    }
    if (param->kind == PARAM_INPUT && call_take_box(L, call, i, index, n)) {
        return;
    }
    Stream *stream = kind->written ? stream_handle_to(L, index) : accept_stream(L, index);
    if (param->kind == PARAM_GATHER && lua_istable(L, index)) {
        upload(L, call, i, index, n);
        stream = stream_handle_to(L, index);
    }
    if (call->function->kind == FUNCTION_REDUCE && param->kind == PARAM_INPUT) {
        take_line(L, call, index);
        stream = stream_handle_to(L, index);
    }
    call->args[i].stream = stream = check_stream(L, call, i, stream, index, n);
    if (!call->preview) {
        record_refuse(L, stream, call->function->name, n, param->name);
    }
    if (stream->map && kind->along) {
        call->args[i].stream = container_elements_of(container_to(L, index));
    }
    if (call->function->kind == FUNCTION_REDUCE) {
        accept_settled(L, stream);
    }
}

/* calls */

static int count_params(const Call *call, bool outputs)
{
    int count = 0;
    for (int i = 0; i < call->function->param_count; i++) {
        count += !kernel_is_baked(call->kernel, i) && (outputs || !call_allocates(&call->function->params[i]));
    }
    return count;
}

void call_start(lua_State *L, Call *call, Kernel *kernel)
{
    call->kernel = kernel;
    call->function = kernel_function(kernel);
    call->device = state_device(L);
    call->used = 0;
    call->has_shape = false;
    call->dense = call->preview = false;
    call->over_at = 0;
    call->boxed = 0;
    call->lined = NULL;
    call->passed = NULL;
    call->launch.kernel = kernel;
    call->launch.device = call->device;
    call->launch.args = call->args;
    call->launch.contained = false;
    call->launch.active = NULL;
    call->launch.placement = NULL;
    call->launch.random = (RandomNumbers){0};
    call->seeded = false;
    call->launch.over = call->launch.traversed = NULL;
    call->launch.hold = NULL;
    memset(call->slot, 0, sizeof call->slot);
    memset(call->args, 0, sizeof call->args);
    memset(call->vouts, 0, sizeof call->vouts);
}

/* Raises that a call has another number of arguments than the kernel, whose arguments it names. */
static void count_error(lua_State *L, const Call *call, int given, int all, int inputs)
{
    const Function *f = call->function;
    const char *outputs = all == inputs ? "" : lua_pushfstring(L, " (or %d with its outputs)", all);
    luaL_Buffer names;
    luaL_buffinit(L, &names);
    for (int i = 0, listed = 0; i < f->param_count; i++) {
        if (!kernel_is_baked(call->kernel, i) && !call_allocates(&f->params[i])) {
            luaL_addstring(&names, listed++ ? ", '" : "; its arguments are '");
            luaL_addstring(&names, f->params[i].name);
            luaL_addchar(&names, '\'');
        }
    }
    luaL_pushresult(&names);
    luaL_error(L, "%s: expected %d argument%s%s, got %d%s", f->name, inputs, inputs == 1 ? "" : "s", outputs, given,
               lua_tostring(L, -1));
}

/* Reads arguments 2 .. top in order: all parameters, or all except the outputs. */
static void positional(lua_State *L, Call *call)
{
    const Function *f = call->function;
    int given = lua_gettop(L) - 1;
    int all = count_params(call, true), inputs = count_params(call, false);
    if (given != all && given != inputs) {
        count_error(L, call, given, all, inputs);
    }
    int at = 2;
    for (int i = 0; i < f->param_count; i++) {
        if (kernel_is_baked(call->kernel, i) || (given != all && call_allocates(&f->params[i]))) {
            continue;
        }
        call->slot[i] = at;
        call_argument(L, call, i, at, at - 1);
        at++;
    }
}

int call_param(const Call *call, const char *name)
{
    for (int i = 0; i < call->function->param_count; i++) {
        if (strcmp(call->function->params[i].name, name) == 0 && !kernel_is_baked(call->kernel, i)) {
            return i;
        }
    }
    return -1;
}

/* Returns whether `key` is a launch option, rather than an argument. */
static bool is_option(const Call *call, const char *key)
{
    return strcmp(key, "shape") == 0 || (strcmp(key, "seed") == 0 && kernel_is_random(call->kernel)) ||
           ((strcmp(key, "where") == 0 || strcmp(key, "over") == 0 || strcmp(key, "part") == 0) &&
            call->function->kind == FUNCTION_KERNEL);
}

void call_push_names(lua_State *L, const Call *call, bool constants)
{
    static const char *const options[] = {"shape", "where", "over", "part", "seed"};
    lua_newtable(L);
    for (int i = 0; i < call->function->param_count; i++) {
        const Param *param = &call->function->params[i];
        if (!kernel_is_baked(call->kernel, i) && !(constants && param_kinds[param->kind].stream)) {
            lua_pushboolean(L, true);
            lua_setfield(L, -2, param->name);
        }
    }
    for (size_t i = 0; !constants && i < sizeof options / sizeof *options; i++) {
        if (is_option(call, options[i])) {
            lua_pushboolean(L, true);
            lua_setfield(L, -2, options[i]);
        }
    }
}

/* Raises that the key below the top of the stack is unknown. `name`: the key, or NULL if it is not a string. */
static void unknown_key(lua_State *L, const Call *call, const char *name)
{
    const char *function = call->function->name;
    lua_pop(L, 1);
    if (!name) {
        luaL_error(L,
                   "%s: unknown argument or option %s: a table holds arguments by name; rill.from makes a stream of a "
                   "list",
                   function, binding_key(L, -1));
    }
    if (strcmp(name, "seed") == 0) {
        luaL_error(L, "%s: option 'seed': the kernel draws no random numbers: leave the seed out", function);
    }
    call_push_names(L, call, false);
    luaL_error(L, "%s: unknown argument or option '%s': expected %s", function, name, binding_among(L, -2, -1));
}

void call_keys(lua_State *L, const Call *call, int table)
{
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
        if (!key || (call_param(call, key) < 0 && !is_option(call, key))) {
            unknown_key(L, call, key);
        }
    }
}

/* Reads the value on top of the stack as the option `where`. rill.active returns the list of indices, the shape to
 * which they refer, and its table. All three stay on the stack. */
static void take_where(lua_State *L, Call *call)
{
    const char *name = call->function->name;
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getfield(L, -1, "rill.core");
    lua_getfield(L, -1, "_active_list");
    lua_pushvalue(L, -4);
    lua_pushstring(L, name);
    lua_call(L, 2, 3); /* the list of indices, the shape, the table */
    call->active_at = lua_gettop(L);
    shape_check_arg(L, call->active_at - 1, name, 0, "where", &call->masked);
    call->launch.active = accept_open(L, call->active_at - 2, name, 0, "where");
}

/* Reads the value on top of the stack as the option `over`. It stays there. */
static void take_over(lua_State *L, Call *call)
{
    const char *name = call->function->name;
    const LuaRange *range = range_to(L, -1);
    if (range ? !range->region : !binding_is_options(L, -1)) {
        luaL_error(L, "%s: option 'over': expected a range or a list of ranges, got %s", name,
                   range ? "closed range" : binding_describe(L, -1));
    }
    if (call->launch.active) {
        luaL_error(L, "%s: expected either option 'where' or option 'over', got both", name);
    }
    call->over_at = lua_gettop(L);
}

static bool is_plain_table(lua_State *L, int index)
{
    if (!lua_istable(L, index)) {
        return false;
    }
    if (lua_getmetatable(L, index)) {
        lua_pop(L, 1);
        return false;
    }
    return true;
}

/* Reads the value on top of the stack as the option `part`. */
static void take_part(lua_State *L, Call *call)
{
    const char *name = call->function->name;
    if (!is_plain_table(L, -1) || lua_getfield(L, -1, "shape") == LUA_TNIL ||
        lua_getfield(L, -2, "first") == LUA_TNIL) {
        luaL_error(L,
                   "%s: option 'part': expected {shape = the whole shape, first = the first index of the launch in it}",
                   name);
    }
    Shape first;
    Placement *place = &call->placement;
    shape_check_sizes(L, lua_gettop(L) - 1, name, 0, "part.shape", &place->whole);
    shape_check_sizes(L, lua_gettop(L), name, 0, "part.first", &first);
    if (first.rank != place->whole.rank) {
        luaL_error(L, "%s: option 'part': 'first' and 'shape' have different lengths", name);
    }
    for (int d = 0; d < first.rank; d++) {
        place->origin[d] = first.size[d] - 1;
    }
    call->launch.placement = place;
}

static void by_name(lua_State *L, Call *call, int table)
{
    const Function *f = call->function;
    call_keys(L, call, table);
    luaL_checkstack(L, f->param_count + 8, "too many arguments");
    for (int i = 0; i < f->param_count; i++) {
        if (kernel_is_baked(call->kernel, i)) {
            continue;
        }
        lua_getfield(L, table, f->params[i].name);
        if (lua_isnil(L, -1) && !call_allocates(&f->params[i])) {
            luaL_error(L, "%s: argument '%s' is missing", f->name, f->params[i].name);
        }
        call->slot[i] = lua_gettop(L);
        call_argument(L, call, i, -1, i + 1);
    }
    if (call_param(call, "shape") < 0 && lua_getfield(L, table, "shape") != LUA_TNIL) {
        shape_check_arg(L, lua_gettop(L), f->name, 0, "shape", &call->shape);
        call->has_shape = true;
    }
    if (call_param(call, "where") < 0 && f->kind == FUNCTION_KERNEL && lua_getfield(L, table, "where") != LUA_TNIL) {
        take_where(L, call);
    }
    if (call_param(call, "over") < 0 && f->kind == FUNCTION_KERNEL && lua_getfield(L, table, "over") != LUA_TNIL) {
        take_over(L, call);
    }
    if (call_param(call, "part") < 0 && f->kind == FUNCTION_KERNEL && lua_getfield(L, table, "part") != LUA_TNIL) {
        take_part(L, call);
    }
    if (call_param(call, "seed") < 0 && kernel_is_random(call->kernel) && lua_getfield(L, table, "seed") != LUA_TNIL) {
        call->launch.random = (RandomNumbers){(uint64_t)binding_integer(L, -1, f->name, BINDING_OPTION, "seed"), 0};
        call->seeded = true;
    }
}

void call_collect(lua_State *L, Call *call)
{
    if (lua_gettop(L) == 2 && is_plain_table(L, 2)) {
        by_name(L, call, 2);
    } else {
        positional(L, call);
    }
}

/* Makes the shapes of all streams exact, unless the length can stay on the device: then *length is set to it. */
static void settle(lua_State *L, const Call *call, DeviceLength *length)
{
    *length = (DeviceLength){0};
    if (!call->has_shape && !call->launch.active && !call->over_at &&
        kernel_takes_length(call->kernel, call->args, state_get(L)->check, length)) {
        return;
    }
    for (int i = 0; i < call->function->param_count; i++) {
        if (call->slot[i] && param_kinds[call->function->params[i].kind].stream && call->args[i].stream) {
            accept_settled(L, lua_touserdata(L, call->slot[i]));
        }
    }
}

static void check_where(lua_State *L, const Call *call)
{
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    if (call->launch.active && !shape_equal(&call->masked, &call->launch.domain)) {
        luaL_error(L, "%s: 'where' has shape %s, the launch runs over %s", call->function->name,
                   shape_text(&call->masked, a), shape_text(&call->launch.domain, b));
    }
}

/* Checks that the launch lies inside the domain of which it is a part. */
static void check_part(lua_State *L, const Call *call)
{
    const Placement *place = call->launch.placement;
    const Shape *own = &call->launch.domain;
    bool inside = place && place->whole.rank == own->rank;
    for (int d = 0; inside && d < own->rank; d++) {
        inside = place->origin[d] >= 0 && place->origin[d] + own->size[d] <= place->whole.size[d];
    }
    if (place && !inside) {
        char a[SHAPE_TEXT], b[SHAPE_TEXT];
        luaL_error(L, "%s: option 'part': the launch over %s does not fit into %s at 'first'", call->function->name,
                   shape_text(own, a), shape_text(&place->whole, b));
    }
}

void call_inputs(lua_State *L, Call *call, int list, bool settled)
{
    const Function *f = call->function;
    luaL_checkstack(L, f->param_count + 8, "too many arguments");
    call->dense = true;
    for (int i = 0, n = 1; i < f->param_count; i++) {
        if (kernel_is_baked(call->kernel, i) || call_allocates(&f->params[i])) {
            continue;
        }
        lua_rawgeti(L, list, n);
        call_argument(L, call, i, -1, n++);
        if (settled && param_kinds[f->params[i].kind].stream) {
            accept_settled(L, lua_touserdata(L, -1));
        }
    }
    binding_raise_unless(L, kernel_domain(call->kernel, call->args, NULL, &call->launch.domain));
}

void call_allocate(lua_State *L, Call *call)
{
    DeviceLength length;
    settle(L, call, &length);
    const Function *f = call->function;
    call_find_domain(L, call);
    check_where(L, call);
    check_part(L, call);
    luaL_checkstack(L, f->param_count + 12, "too many outputs");
    call_find_over(L, call);
    for (int i = 0; i < f->param_count; i++) {
        if (!call_allocates(&f->params[i])) {
            continue;
        }
        if (call->args[i].stream) {
            call->passed = call->passed ? call->passed : &f->params[i];
            continue;
        }
        if (call_like_container(L, call, i)) {
            continue;
        }
        Stream *stream = stream_handle_push(L);
        call->slot[i] = lua_gettop(L);
        if (f->params[i].kind == PARAM_VOUT) {
            call->vouts[i] = stream;
            continue;
        }
        bool some = call->launch.active || call->launch.over; /* the other elements must be zero */
        const Type *type = f->params[i].type;
        binding_run(L, call->device, f->name, stream_create(call->device, type, &call->launch.domain, some, stream));
        kernel_inherit(call->kernel, call->args, &call->launch.domain, stream);
        if (length.buffer) {
            stream_set_length(stream, length);
        }
        call->args[i].stream = stream;
    }
    call_map_written(L, call);
    call_place_boxes(L, call);
}

void call_raise(lua_State *L, const Call *call)
{
    char text[SHAPE_TEXT];
    Stream view;
    bool copied, fits = true;
    const char *message = lua_pushstring(L, error_message());
    const Shape *shape = &call->launch.domain;
    for (int i = 0; fits && i < call->function->param_count; i++) {
        const ParamKindInfo *kind = &param_kinds[call->function->params[i].kind];
        const Stream *s = kind->stream ? call->args[i].stream : NULL;
        if (s && s->device && kind->along && !kind->written && !s->map) {
            fits = stream_resample(s, shape, &view, &copied);
            stream_release(&view);
        }
    }
    if (fits || (!call->has_shape && !call->passed)) {
        luaL_error(L, "%s", message);
    } else if (call->has_shape) {
        luaL_error(L, "%s; %s is the option 'shape'", message, shape_text(shape, text));
    }
    luaL_error(L, "%s; %s is the shape of the output '%s'", message, shape_text(shape, text), call->passed->name);
}
