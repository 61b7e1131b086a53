/* The kernel userdata: rill.kernel, rill.program, rill.programfile, calls, and the methods of kernels. */
#include "binding/kernels/kernel.h"
#include "binding/binding.h"
#include "binding/streams/container_handle.h"
#include "binding/values/options.h"
#include "container/region/region.h"

#include "kernel/check/analyze.h"
#include "kernel/kernel.h"
#include "primitive/reduction/vout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char meta_key, module_key, watch_key;

typedef struct LuaKernel {
    Kernel *kernel;
    bool seeded;          /* k:seed was called */
    RandomNumbers random; /* if `seeded` */
} LuaKernel;

/* Pushes an empty kernel userdata, so that a later error does not leak the kernel. */
static LuaKernel *kernel_slot(lua_State *L)
{
    LuaKernel *self = lua_newuserdatauv(L, sizeof *self, 0);
    *self = (LuaKernel){0};
    lua_rawgetp(L, LUA_REGISTRYINDEX, &meta_key);
    lua_setmetatable(L, -2);
    return self;
}

void kernel_push(lua_State *L, Kernel *kernel)
{
    kernel_slot(L)->kernel = kernel;
}

Kernel *kernel_to(lua_State *L, int index)
{
    if (lua_type(L, index) != LUA_TUSERDATA || lua_rawlen(L, index) != sizeof(LuaKernel) ||
        !lua_getmetatable(L, index)) {
        return NULL;
    }
    const void *meta = lua_topointer(L, -1);
    lua_pop(L, 1);
    return meta == state_get(L)->kernel_meta ? ((LuaKernel *)lua_touserdata(L, index))->kernel : NULL;
}

static Kernel *kernel_check(lua_State *L, int index, const char *function)
{
    Kernel *kernel = kernel_to(L, index);
    if (!kernel) {
        binding_argument(L, function, 0, "k", index, "a kernel");
    }
    return kernel;
}

RandomNumbers kernel_numbers(lua_State *L, int index)
{
    const LuaKernel *self = lua_touserdata(L, index);
    const RandomSequence *sequence = &state_get(L)->random;
    return self->seeded ? self->random : (RandomNumbers){sequence->seed, sequence->launch};
}

void kernel_count_numbers(lua_State *L, int index)
{
    const LuaKernel *self = lua_touserdata(L, index);
    state_get(L)->random.launch += kernel_is_random(self->kernel) && !self->seeded;
}

void kernel_copy_seed(lua_State *L, int index)
{
    const LuaKernel *from = lua_touserdata(L, index);
    LuaKernel *to = lua_touserdata(L, -1);
    to->seeded = from->seeded;
    to->random = from->random;
}

/* calls */

/* Calls the function set by _watch with the kernel, and the name and stream of each output of a launch. */
static void call_watcher(lua_State *L, const Call *call)
{
    const Function *f = call->function;
    int top = lua_gettop(L);
    luaL_checkstack(L, 2 * f->param_count + 4, "too many outputs");
    lua_rawgetp(L, LUA_REGISTRYINDEX, &watch_key);
    lua_pushvalue(L, 1);
    for (int i = 0; i < f->param_count; i++) {
        const ParamKindInfo *kind = &param_kinds[f->params[i].kind];
        if (kind->stream && kind->written && call->slot[i] && stream_handle_to(L, call->slot[i])) {
            lua_pushstring(L, f->params[i].name);
            lua_pushvalue(L, call->slot[i]);
        }
    }
    lua_call(L, lua_gettop(L) - top - 1, 0);
}

/* _watch(f): sets a function that is called after each launch; nil removes it. */
static int rill_watch(lua_State *L)
{
    lua_settop(L, 1);
    state_get(L)->watched = !lua_isnil(L, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &watch_key);
    return 0;
}

/* Returns whether an argument of a call is a container. */
static bool has_container(lua_State *L)
{
    int top = lua_gettop(L);
    bool found = false;
    for (int i = 2; i <= top && !found; i++) {
        found = container_to(L, i) != NULL;
    }
    if (!found && top == 2 && lua_istable(L, 2)) {
        for (lua_pushnil(L); !found && lua_next(L, 2); lua_pop(L, 1)) {
            found = container_to(L, -1) != NULL;
        }
    }
    lua_settop(L, top);
    return found;
}

/* Pushes the outputs of a launch, or the streams that it changed in place, and returns their number. */
static int push_results(lua_State *L, const Call *call, bool outputs)
{
    const Function *f = call->function;
    int count = 0;
    luaL_checkstack(L, f->param_count, "too many outputs");
    for (int i = 0; i < f->param_count; i++) {
        if (param_kinds[f->params[i].kind].written && call_allocates(&f->params[i]) == outputs) {
            lua_pushvalue(L, call->slot[i]);
            count++;
        }
    }
    return count;
}

/* Returns whether a call passes a stream for a constant. */
static bool has_constant_stream(lua_State *L, const Function *f)
{
    int given = lua_gettop(L) - 1, at = 2;
    bool named = given == 1 && lua_istable(L, 2), found = false;
    for (int i = 0; i < f->param_count && !found; i++) {
        const ParamKindInfo *kind = &param_kinds[f->params[i].kind];
        bool constant = !kind->stream;
        if (constant && named) {
            lua_pushstring(L, f->params[i].name);
            lua_rawget(L, 2);
        }
        found = constant && lua_isuserdata(L, named ? -1 : at) && stream_handle_to(L, named ? -1 : at);
        if (constant && named) {
            lua_pop(L, 1);
        }
        at += !kind->allocates || given == f->param_count;
    }
    return found;
}

static int kernel_call(lua_State *L)
{
    Kernel *kernel = kernel_check(L, 1, "kernel");
    Call call;
    int results;
    const Function *f = kernel_function(kernel);
    bool reduces = f->kind == FUNCTION_REDUCE;
    if (record_launch(L, &results)) {
        return results;
    }
    if (expression_hooks_launch(L, &results) || expression_hooks_offer(L, reduces ? "reduce" : "launch", &results) ||
        (reduces && state_get(L)->expression_meta && has_container(L) && expression_hooks_try(L, "reduce", &results)) ||
        (!reduces && has_constant_stream(L, f) && expression_hooks_try(L, "launch", &results))) {
        return results;
    }
    call_start(L, &call, kernel);
    if (reduces) {
        return reduce_call(L, &call);
    }
    call.launch.random = kernel_numbers(L, 1);
    call_collect(L, &call);
    call_allocate(L, &call);
    for (int i = 0; i < call.function->param_count; i++) {
        if (param_kinds[call.function->params[i].kind].stream && !call.vouts[i] && !call.args[i].stream->device) {
            luaL_error(L, "%s: argument '%s' was closed by a finalizer during the call", call.function->name,
                       call.function->params[i].name);
        }
    }
    const State *state = state_get(L);
    binding_prepare(L, call.device);
    if (!container_launch_run(&call.launch, state->check, call.vouts)) {
        call_raise(L, &call);
    }
    if (!call.seeded) {
        kernel_count_numbers(L, 1);
    }
    if (state->watched) {
        call_watcher(L, &call);
    }
    results = push_results(L, &call, true) + push_results(L, &call, false);
    binding_charge(L, call.device);
    return results;
}

/* making kernels */

static int module_gc(lua_State *L)
{
    Module **slot = binding_finalized(L, &module_key, sizeof *slot);
    if (slot) {
        module_release(*slot);
        *slot = NULL;
    }
    return 0;
}

typedef struct TextOptions {
    int brook;
    bool fast;
} TextOptions;

/* Reads the options of a kernel text, which may be absent. */
static TextOptions text_options(lua_State *L, const char *function)
{
    static const char *const dialects[] = {"rill", "brook", NULL};
    static const Option rows[] = {{OPTION("dialect", options_word, TextOptions, brook), .words = dialects},
                                  {OPTION("fast", options_flag, TextOptions, fast)},
                                  {.name = NULL}};
    TextOptions options = {0, false};
    const OptionCall call = {function, 2, 2, .expected = "a table, as in {dialect = \"brook\"}"};
    options_read(L, &call, rows, &options);
    return options;
}

/* Parses a text. The module is owned by a userdata, which is pushed. */
static Module *module_push(lua_State *L, const char *text, size_t length, const char *chunk, int line,
                           TextOptions options)
{
    Module **slot = lua_newuserdatauv(L, sizeof *slot, 0);
    *slot = NULL;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &module_key);
    lua_setmetatable(L, -2);
    *slot = analyze_module(text, length, chunk, line, options.brook ? TEXT_BROOK : TEXT_USER);
    if (*slot) {
        (*slot)->fast = options.fast;
    } else {
        binding_raise_placed(L);
    }
    return *slot;
}

/* Parses the text and options of the running call, and pushes the module. */
static Module *parse(lua_State *L, const char *function)
{
    size_t length;
    if (lua_type(L, 1) != LUA_TSTRING) {
        binding_argument(L, function, 1, "text", 1, "kernel text (a string)");
    }
    TextOptions options = text_options(L, function);
    const char *text = lua_tolstring(L, 1, &length), *chunk;
    if (length > 0 && !text[strcspn(text, " \t\r\n(;{")] && strchr(text, '.')) {
        binding_argument(L, function, 1, "text", 1, "kernel text (rill.programfile reads it from a file)");
    }
    int line = source_location_locate(L, text, length, &chunk);
    return module_push(L, text, length, chunk, line, options);
}

/* Creates and pushes a kernel; raises. */
static LuaKernel *push_created(lua_State *L, Module *module, const Function *f)
{
    LuaKernel *self = kernel_slot(L);
    self->kernel = kernel_create(module, f);
    if (!self->kernel) {
        binding_raise_placed(L);
    }
    return self;
}

/* Creates, compiles and pushes a kernel; raises. */
static void push_compiled(lua_State *L, Module *module, const Function *f)
{
    LuaKernel *self = push_created(L, module, f);
    DeviceScope scope;
    Device *device = state_device(L);
    binding_enter(L, device, &scope);
    bool done = kernel_compile(self->kernel, device);
    device_leave(&scope);
    if (!done) {
        binding_raise_placed(L);
    }
    binding_charge(L, device);
}

static int rill_kernel(lua_State *L)
{
    binding_count(L, "rill.kernel", 2, false);
    state_device(L);
    Module *module = parse(L, "rill.kernel");
    const Function *last = NULL;
    for (size_t i = 0; i < module->functions.count; i++) {
        if (module->functions.items[i].kind != FUNCTION_HELPER) {
            last = &module->functions.items[i];
        }
    }
    if (!last && module->functions.count > 0) {
        const Function *f = &module->functions.items[module->functions.count - 1];
        source_error(&module->source, f->offset, "the text defines no kernel: write 'kernel void %s(...)'", f->name);
        return luaL_error(L, "%s", error_message());
    }
    if (!last) {
        return luaL_error(L,
                          "rill.kernel: the text defines no kernel: write 'kernel void name(float x<>, out float r<>) "
                          "{ r = x; }'");
    }
    push_compiled(L, module, last);
    return 1;
}

/* _kernel(text): the kernel of a text that rill has generated. Its programs are compiled when they are launched. */
static int rill_kernel_uncompiled(lua_State *L)
{
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);
    Module *module = module_push(L, text, length, "kernel text", 1, (TextOptions){0, false});
    const Function *last = module->functions.count ? &module->functions.items[module->functions.count - 1] : NULL;
    if (!last || last->kind != FUNCTION_KERNEL) {
        return luaL_error(L, "rill._kernel: expected a text that ends with a kernel");
    }
    push_created(L, module, last);
    return 1;
}

/* _own_gradient(kernel): the kernel of the text's own rule for the derivatives (`gradient void f(...)`), in which the
 * constants that k:specialize has fixed are fixed, too. nil: there is none. */
static int rill_own_gradient(lua_State *L)
{
    const Kernel *kernel = kernel_check(L, 1, "kernel");
    if (!kernel_function(kernel)->gradient) {
        return 0;
    }
    LuaKernel *self = kernel_slot(L);
    self->kernel = kernel_own_gradient(kernel);
    binding_raise_unless(L, self->kernel);
    return 1;
}

/* Pushes a table of the kernels and structures of a module, by name. */
static int push_kernels(lua_State *L, const char *function, Module *module)
{
    int count = 0;
    lua_newtable(L);
    for (size_t i = 0; i < module->functions.count; i++) {
        const Function *f = &module->functions.items[i];
        if (f->kind != FUNCTION_HELPER) {
            push_compiled(L, module, f);
            lua_setfield(L, -2, f->name);
            count++;
        }
    }
    for (size_t i = 0; i < module->structs.count; i++) {
        type_push_struct(L, module->structs.items[i]);
        lua_setfield(L, -2, module->structs.items[i]->name);
        count++;
    }
    if (count == 0) {
        luaL_error(L, "%s: the text defines no kernel and no structure", function);
    }
    binding_strict(L, "the program");
    return 1;
}

static int rill_program(lua_State *L)
{
    binding_count(L, "rill.program", 2, false);
    state_device(L);
    return push_kernels(L, "rill.program", parse(L, "rill.program"));
}

static int rill_programfile(lua_State *L)
{
    binding_count(L, "rill.programfile", 2, false);
    const char *path = argument_path(L, 1, "rill.programfile", 1, "path");
    TextOptions options = text_options(L, "rill.programfile");
    state_device(L);
    source_location_read(L, path);
    size_t length;
    const char *text = lua_tolstring(L, -1, &length);
    if (!text) {
        return luaL_error(L, "rill.programfile: argument #1 'path': can't read '%s'", path);
    }
    return push_kernels(L, "rill.programfile", module_push(L, text, length, path, 1, options));
}

/* members */

static int kernel_tostring(lua_State *L)
{
    const Function *f = kernel_function(kernel_check(L, 1, "tostring"));
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    luaL_addstring(&b, f->is_gradient ? "gradient " : f->kind == FUNCTION_REDUCE ? "reduce " : "kernel ");
    luaL_addstring(&b, f->name);
    luaL_addchar(&b, '(');
    for (int i = 0; i < f->param_count; i++) {
        luaL_addstring(&b, i ? ", " : "");
        source_location_add_param(&b, &f->params[i]);
    }
    luaL_addchar(&b, ')');
    luaL_pushresult(&b);
    return 1;
}

/* Pushes the boundary modes in a signature, as s:boundary accepts them. */
static void push_modes(lua_State *L, const ParamModes *modes)
{
    lua_createtable(L, modes->count, 0);
    for (int d = 0; d < modes->count; d++) {
        if (modes->mode[d] == BOUNDARY_VALUE) {
            lua_pushnumber(L, modes->outside);
        } else {
            lua_pushstring(L, boundary_names[modes->mode[d]]);
        }
        lua_rawseti(L, -2, d + 1);
    }
}

static int push_params(lua_State *L, Kernel *kernel)
{
    const Function *f = kernel_function(kernel);
    lua_newtable(L);
    for (int i = 0, n = 0; i < f->param_count; i++) {
        if (kernel_is_baked(kernel, i)) {
            continue;
        }
        const Param *param = &f->params[i];
        lua_createtable(L, 0, 3);
        fields_string(L, "name", param->name);
        fields_string(L, "type", param->matrix ? module_matrix_name(param->matrix) : param->type->name);
        fields_string(L, "kind", param_kinds[param->kind].name);
        int reach[3];
        bool known = kernel_reach(kernel, i, reach);
        if (param->kind == PARAM_NEIGHBOR) {
            lua_createtable(L, 3, 0);
            for (int d = 0; d < 3; d++) {
                lua_pushinteger(L, reach[d]);
                lua_rawseti(L, -2, d + 1);
            }
            lua_setfield(L, -2, known ? "reach" : "least_reach");
        }
        if (param->modes.count) {
            push_modes(L, &param->modes);
            lua_setfield(L, -2, "boundary");
        }
        lua_rawseti(L, -2, ++n);
    }
    return 1;
}

/* Pushes a text and frees it. Raises error_message() unless `done` is true. */
static int push_text(lua_State *L, StrBuf *text, bool done)
{
    done = done && strbuf_whole(strbuf_text(text));
    if (done) {
        lua_pushlstring(L, strbuf_text(text), text->length);
    }
    strbuf_free(text);
    if (!done) {
        binding_raise(L);
    }
    return 1;
}

static int kernel_source_text(lua_State *L)
{
    Kernel *kernel = kernel_check(L, 1, "kernel:source");
    binding_count(L, "kernel:source", 1, true);
    StrBuf text = STRBUF_EMPTY;
    DeviceScope scope;
    Device *device = state_device(L);
    binding_enter(L, device, &scope);
    bool done = kernel_source(kernel, device, &text);
    device_leave(&scope);
    return push_text(L, &text, done);
}

static int kernel_notes(lua_State *L)
{
    const Kernel *kernel = kernel_check(L, 1, "kernel:notes");
    binding_count(L, "kernel:notes", 1, true);
    return kernel_tree_notes(L, kernel);
}

static int kernel_explain_text(lua_State *L)
{
    Kernel *kernel = kernel_check(L, 1, "kernel:explain");
    Call call;
    int results;
    if (expression_hooks_offer(L, "explain", &results)) {
        return results;
    }
    call_start(L, &call, kernel);
    if (call.function->kind == FUNCTION_REDUCE) {
        return luaL_error(L, "kernel:explain: '%s' is a reduce kernel", call.function->name);
    }
    call.preview = true;
    call_collect(L, &call);
    call_allocate(L, &call);
    StrBuf text = STRBUF_EMPTY;
    DeviceScope scope;
    Domain domain = container_launch_elements(&call.launch);
    binding_enter(L, call.device, &scope);
    bool done = (kernel_counting(kernel) ? vout_explain : kernel_explain)(kernel, call.device, call.args, &domain,
                                                                          state_get(L)->check, &text);
    device_leave(&scope);
    if (!done) {
        strbuf_free(&text);
        call_raise(L, &call);
    }
    return push_text(L, &text, done);
}

static int kernel_specialize_call(lua_State *L)
{
    Kernel *kernel = kernel_check(L, 1, "kernel:specialize");
    binding_count(L, "kernel:specialize", 2, true);
    if (!binding_is_options(L, 2)) {
        binding_argument(L, "kernel:specialize", 1, "constants", 2, "a table of constants by name");
    }
    Call call;
    call_start(L, &call, kernel);
    const uint32_t *words[MAX_PARAMS] = {NULL};
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
        int i = lua_type(L, -2) == LUA_TSTRING ? call_param(&call, lua_tostring(L, -2)) : -1;
        if (i < 0 || param_kinds[call.function->params[i].kind].stream) {
            lua_pop(L, 1);
            const int at = lua_gettop(L);
            const char *key = binding_key(L, at);
            call_push_names(L, &call, true);
            return luaL_error(L, "kernel:specialize: %s is not a constant of '%s': expected %s", key,
                              call.function->name, binding_among(L, at, -1));
        }
        call_argument(L, &call, i, -1, i + 1);
        words[i] = call.args[i].words;
    }
    LuaKernel *result = kernel_slot(L);
    result->kernel = kernel_specialize(kernel, words);
    binding_raise_unless(L, result->kernel);
    kernel_copy_seed(L, 1);
    return 1;
}

/* Pushes the kernel at stack index 1 with other random numbers. */
static int push_seeded(lua_State *L, uint64_t seed, uint64_t launch)
{
    LuaKernel *result = kernel_slot(L);
    result->kernel = kernel_retain(kernel_to(L, 1));
    result->seeded = true;
    result->random = (RandomNumbers){seed, launch};
    return 1;
}

/* k:seed(n): returns the same kernel, whose launches all draw the random numbers of the seed n. */
static int kernel_seed_call(lua_State *L)
{
    const Kernel *kernel = kernel_check(L, 1, "kernel:seed");
    binding_count(L, "kernel:seed", 2, true);
    lua_Integer seed = binding_integer(L, 2, "kernel:seed", 1, "n");
    if (!kernel_is_random(kernel)) {
        return luaL_error(L, "kernel:seed: '%s' draws no random numbers", kernel_function(kernel)->name);
    }
    return push_seeded(L, (uint64_t)seed, 0);
}

/* _is_random(kernel): returns whether the kernel draws random numbers. */
static int rill_is_random(lua_State *L)
{
    lua_pushboolean(L, kernel_is_random(kernel_check(L, 1, "kernel")));
    return 1;
}

/* _numbered(kernel, numbers): returns the kernel for several launches that compute parts of one domain: all of them draw
 * the random numbers of one launch. The table `numbers` keeps them: {} at first. */
static int rill_numbered(lua_State *L)
{
    const Kernel *kernel = kernel_check(L, 1, "kernel");
    const LuaKernel *self = lua_touserdata(L, 1);
    lua_settop(L, 2);
    if (!kernel_is_random(kernel) || (self->seeded && lua_rawlen(L, 2) == 0)) {
        lua_settop(L, 1);
        return 1;
    }
    if (lua_rawlen(L, 2) == 0) {
        RandomNumbers next = kernel_numbers(L, 1);
        lua_pushinteger(L, (lua_Integer)next.seed);
        lua_rawseti(L, 2, 1);
        lua_pushinteger(L, (lua_Integer)next.launch);
        lua_rawseti(L, 2, 2);
    }
    lua_rawgeti(L, 2, 1);
    lua_rawgeti(L, 2, 2);
    return push_seeded(L, (uint64_t)luaL_checkinteger(L, 3), (uint64_t)luaL_checkinteger(L, 4));
}

/* _count_numbers(numbers): counts the launch whose numbers _numbered has stored in the table. */
static int rill_count_numbers(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    state_get(L)->random.launch += lua_rawlen(L, 1) > 0;
    return 0;
}

/* Sets the fields `bytes` and `struct` of the table of a parameter on the stack. The type is NULL for a matrix. */
static void push_layout(lua_State *L, const Type *type)
{
    if (type) {
        fields_integer(L, "bytes", type_array_bytes(type));
    }
    if (type && type->is_struct) {
        type_push_struct(L, type);
        lua_setfield(L, -2, "struct");
    }
}

/* _kernel_text(kernel): the text that defines the kernel, whether it is compiled with `fast`, and its parameters: each
 * {name, type, kind, declaration, bytes, fixed, struct}, where `bytes` is what an element takes in shared memory (not of
 * a matrix), `fixed` the GLSL literal of a constant that k:specialize has fixed, and `struct` the structure. Also
 * whether it is a group kernel, a reduce kernel, and returns a value. */
static int rill_kernel_text(lua_State *L)
{
    Kernel *kernel = kernel_check(L, 1, "kernel");
    const Module *module = kernel_module(kernel);
    const Function *f = kernel_function(kernel);
    lua_pushlstring(L, module->source.text, module->source.length);
    lua_pushboolean(L, module->fast);
    lua_createtable(L, f->param_count, 0);
    for (int i = 0; i < f->param_count; i++) {
        const Param *param = &f->params[i];
        luaL_Buffer b;
        lua_createtable(L, 0, 6);
        fields_string(L, "name", param->name);
        fields_string(L, "type", param->matrix ? module_matrix_name(param->matrix) : param->type->name);
        fields_string(L, "kind", param_kinds[param->kind].name);
        luaL_buffinit(L, &b);
        source_location_add_param(&b, param);
        luaL_pushresult(&b);
        lua_setfield(L, -2, "declaration");
        if (kernel_is_baked(kernel, i)) {
            fields_string(L, "fixed", kernel_baked_text(kernel, i));
        }
        push_layout(L, param->type);
        lua_rawseti(L, -2, i + 1);
    }
    lua_pushboolean(L, f->group_rank > 0);
    lua_pushboolean(L, f->kind == FUNCTION_REDUCE);
    lua_pushboolean(L, f->result != NULL);
    return 6;
}

/* _library(k): marks a kernel as one of rill itself, for which inherited boundary modes of streams do not apply. */
static int rill_library(lua_State *L)
{
    kernel_set_library(kernel_check(L, 1, "kernel"));
    return 0;
}

static const luaL_Reg methods[] = {{"source", kernel_source_text},   {"notes", kernel_notes},
                                   {"explain", kernel_explain_text}, {"specialize", kernel_specialize_call},
                                   {"seed", kernel_seed_call},       {NULL, NULL}};

static int kernel_index(lua_State *L)
{
    Kernel *kernel = kernel_check(L, 1, "kernel");
    const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    if (strcmp(key, "name") == 0) {
        lua_pushstring(L, kernel_function(kernel)->name);
        return 1;
    }
    if (strcmp(key, "params") == 0) {
        return push_params(L, kernel);
    }
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) {
        return 1;
    }
    return luaL_error(L, "a kernel has no field or method '%s'%s", luaL_tolstring(L, 2, NULL), binding_hint(L, "k", 2));
}

static int kernel_gc(lua_State *L)
{
    LuaKernel *self = binding_finalized(L, &meta_key, sizeof *self);
    if (self) {
        kernel_release(self->kernel);
        self->kernel = NULL;
    }
    return 0;
}

static const luaL_Reg metamethods[] = {
    {"__call", kernel_call},
    {"__tostring", kernel_tostring},
    {"__gc", kernel_gc},
    {"__close", binding_close_nothing},
    {NULL, NULL},
};

static const luaL_Reg functions[] = {{"kernel", rill_kernel},
                                     {"_kernel", rill_kernel_uncompiled},
                                     {"program", rill_program},
                                     {"_kernel_text", rill_kernel_text},
                                     {"_own_gradient", rill_own_gradient},
                                     {"programfile", rill_programfile},
                                     {"_watch", rill_watch},
                                     {"_library", rill_library},
                                     {"_is_random", rill_is_random},
                                     {"_numbered", rill_numbered},
                                     {"_count_numbers", rill_count_numbers},
                                     {NULL, NULL}};

void open_kernel(lua_State *L)
{
    luaL_newlib(L, methods);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "_kernel_methods"); /* to which Lua files add methods */
    lua_pushcclosure(L, kernel_index, 1);
    state_get(L)->kernel_meta = binding_metatable(L, "rill.kernel", &meta_key, metamethods);
    lua_newtable(L);
    lua_pushcfunction(L, module_gc);
    lua_setfield(L, -2, "__gc");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &module_key);
    luaL_setfuncs(L, functions, 0);
}
