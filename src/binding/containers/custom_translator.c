/* rill.translator.new: custom translators, in GLSL for the device and in Lua for the host, or in Lua alone. */
#include "binding/containers/translator.h"
#include "binding/kernels/kernel.h"
#include "binding/values/callbacks.h"
#include "binding/values/coordinates.h"
#include "binding/values/options.h"
#include "container/translator/self_test.h"
#include "container/translator/translators.h"
#include "kernel/check/analyze.h"

#include <stdlib.h>
#include <string.h>

static const char function[] = "rill.translator.new";

/* The hooks of a custom translator. */
typedef struct LuaHooks {
    Callbacks callbacks;
    int rank, to;
    bool inverse; /* cpu_inverse was given */
} LuaHooks;

/* Indices in the table of functions. */
enum { HOOK_POINT = 1, HOOK_RANGES = HOOK_POINT + DIRECTION_COUNT };

static void push_hook(lua_State *L, const LuaHooks *hooks, int place)
{
    callbacks_push(L, &hooks->callbacks);
    lua_rawgeti(L, -1, place);
}

/* calling */

typedef struct PointCall {
    const LuaHooks *hooks;
    Direction direction;
    const int64_t *from;
    int64_t *to;
    Outcome outcome;
} PointCall;

static int call_point(lua_State *L)
{
    PointCall *call = lua_touserdata(L, 1);
    bool inverse = call->direction == DIRECTION_INVERSE;
    int rank = inverse ? call->hooks->to : call->hooks->rank, to = inverse ? call->hooks->rank : call->hooks->to;
    push_hook(L, call->hooks, HOOK_POINT + (int)call->direction);
    for (int d = 0; d < rank; d++) {
        lua_pushinteger(L, call->from[d]);
    }
    lua_call(L, rank, to);
    if (lua_isnil(L, -to)) {
        call->outcome = OUTCOME_UNMAPPED;
        return 0;
    }
    for (int d = 0; d < to; d++) {
        int whole = 0;
        call->to[d] = lua_type(L, d - to) == LUA_TNUMBER ? lua_tointegerx(L, d - to, &whole) : 0;
        if (!whole) {
            return luaL_error(L, "expected the function to return %d whole number%s or nil, got %s", to,
                              to == 1 ? "" : "s", binding_describe(L, d - to));
        }
    }
    call->outcome = OUTCOME_FOUND;
    return 0;
}

static Outcome hook_point(void *self, Direction direction, const int64_t *from, int64_t *to, void *caller)
{
    const LuaHooks *hooks = self;
    const char *option = direction == DIRECTION_INVERSE ? "cpu_inverse" : "cpu";
    PointCall call = {hooks, direction, from, to, OUTCOME_UNMAPPED};
    if (direction == DIRECTION_INVERSE && !hooks->inverse) {
        error_set("option 'cpu_inverse' was not given: it inverts points; 'inverse' in 'glsl' inverts streams");
        return OUTCOME_FAILED;
    }
    return callbacks_call(caller, call_point, &call, option) ? call.outcome : OUTCOME_FAILED;
}

typedef struct RangesCall {
    const LuaHooks *hooks;
    const int64_t *first, *last;
    RangeList *list;
} RangesCall;

/* Adds the range {first =, last =, at =} on top of the stack to the list; raises. */
static void take_range(lua_State *L, const RangesCall *call, lua_Integer number)
{
    Range range = {0};
    int rank = call->hooks->rank;
    bool good = lua_istable(L, -1);
    for (int i = 0; good && i < 3; i++) {
        static const char *const names[] = {"first", "last", "at"};
        int64_t *const points[] = {range.first, range.last, range.at};
        lua_getfield(L, -1, names[i]);
        good = coordinates_read(L, lua_gettop(L), i < 2 ? rank : call->hooks->to, points[i]);
        lua_pop(L, 1);
    }
    for (int d = 0; d < rank; d++) {
        good = good && range.first[d] <= range.last[d];
    }
    if (!good) {
        luaL_error(L, "item %I: expected a table like {first = point, last = point, at = point}", (LUAI_UACINT)number);
    }
    if (!range_add(call->list, range.first, range.last, range.at)) {
        binding_raise(L);
    }
}

static int call_ranges(lua_State *L)
{
    RangesCall *call = lua_touserdata(L, 1);
    push_hook(L, call->hooks, HOOK_RANGES);
    coordinates_push(L, call->first, call->hooks->rank);
    coordinates_push(L, call->last, call->hooks->rank);
    lua_call(L, 2, 1);
    if (!lua_istable(L, -1)) {
        return luaL_error(L, "expected the function to return a list of ranges, got %s", binding_describe(L, -1));
    }
    for (lua_Integer i = 1; lua_geti(L, -1, i) != LUA_TNIL; i++) {
        take_range(L, call, i);
        lua_pop(L, 1);
    }
    return 0;
}

static bool hook_ranges(void *self, const int64_t *first, const int64_t *last, RangeList *list, void *caller)
{
    RangesCall call = {self, first, last, list};
    return callbacks_call(caller, call_ranges, &call, "ranges");
}

/* options */

/* Pushes the function of option `name`, or nil if it is not given; raises for other values. */
static bool push_function(lua_State *L, const char *name, bool required)
{
    if (lua_getfield(L, 1, name) == LUA_TNIL && !required) {
        return false;
    }
    if (!lua_isfunction(L, -1)) {
        binding_argument(L, function, BINDING_OPTION, name, lua_gettop(L), "a function");
    }
    return true;
}

/* Pushes the table of the functions; raises. */
static void push_functions(lua_State *L, LuaHooks *hooks, bool *ranges)
{
    lua_createtable(L, HOOK_RANGES, 0);
    push_function(L, "cpu", true);
    lua_rawseti(L, -2, HOOK_POINT + DIRECTION_TRANSLATE);
    hooks->inverse = push_function(L, "cpu_inverse", false);
    lua_rawseti(L, -2, HOOK_POINT + DIRECTION_INVERSE);
    *ranges = push_function(L, "ranges", false);
    lua_rawseti(L, -2, HOOK_RANGES);
    hooks->callbacks = callbacks_create(L);
}

static const char *option_complexity(lua_State *L, int traits, const char *name)
{
    static const char *const orders[] = {"1", "log n", "n", NULL};
    if (lua_getfield(L, traits, name) == LUA_TNIL) {
        lua_pop(L, 1);
        return orders[0];
    }
    int order = binding_word(L, -1, orders);
    if (order < 0) {
        luaL_error(L, "%s: trait '%s': expected \"1\", \"log n\" or \"n\", got %s", function, name,
                   binding_describe(L, lua_gettop(L)));
    }
    lua_pop(L, 1);
    return orders[order];
}

static bool option_trait(lua_State *L, int traits, const char *name, bool otherwise)
{
    int type = lua_getfield(L, traits, name);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN) {
        luaL_error(L, "%s: trait '%s': expected true or false, got %s", function, name, binding_describe(L, -1));
    }
    bool value = type == LUA_TNIL ? otherwise : lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

/* Reads the traits. `invertible` and `location` follow from the GLSL and are not options. */
static TranslatorTraits option_traits(lua_State *L)
{
    static const char *const names[] = {"memory", "access", "consistent", "complete", "one_to_one", NULL};
    int type = lua_getfield(L, 1, "traits"), index = lua_gettop(L);
    if (type == LUA_TNIL) {
        lua_newtable(L);
        lua_replace(L, index);
    } else if (!binding_is_options(L, index)) {
        binding_argument(L, function, 1, "traits", index, "a table like {memory = \"1\", complete = true}");
    }
    binding_known(L, index, function, names);
    TranslatorTraits traits = {.memory = option_complexity(L, index, "memory"),
                               .access = option_complexity(L, index, "access"),
                               .location = "gpu",
                               .consistent = option_trait(L, index, "consistent", true),
                               .complete = option_trait(L, index, "complete", false),
                               .one_to_one = option_trait(L, index, "one_to_one", true)};
    lua_pop(L, 1);
    return traits;
}

/* The options of rill.translator.new. All except the text are checked. */
typedef struct Options {
    const char *name, *glsl; /* glsl NULL: not given */
    size_t length;
    Shape shape; /* rank 0: not given */
    TranslatorTraits traits;
    int64_t rank, to;
} Options;

static const char *option_text(lua_State *L, const char *name, const char *expected, const char *otherwise,
                               size_t *length)
{
    if (lua_getfield(L, 1, name) == LUA_TNIL && otherwise) {
        lua_pop(L, 1);
        return otherwise;
    }
    if (lua_type(L, -1) != LUA_TSTRING) {
        binding_argument(L, function, BINDING_OPTION, name, lua_gettop(L), expected);
    }
    return lua_tolstring(L, -1, length); /* stays on the stack */
}

static void check_options(lua_State *L, Options *options)
{
    static const Option rows[] = {{OPTION("shape", options_sizes, Options, shape)},
                                  {OPTION("rank", options_count, Options, rank), .low = 1, .high = SHAPE_MAX_RANK},
                                  {OPTION("to", options_count, Options, to), .low = 1, .high = SHAPE_MAX_RANK},
                                  {.name = "name"},
                                  {.name = "glsl"},
                                  {.name = "cpu"},
                                  {.name = "cpu_inverse"},
                                  {.name = "ranges"},
                                  {.name = "traits"},
                                  {.name = NULL}};
    static const OptionCall call = {.function = function,
                                    .index = 1,
                                    .n = 1,
                                    .expected = "a table like {rank = 2, to = 1, glsl = text, cpu = f}",
                                    .required = true};
    *options = (Options){.glsl = NULL};
    binding_count(L, function, 1, false);
    options_read(L, &call, rows, options);
    if (!options->rank || !options->to || (options->shape.rank && options->shape.rank != options->rank)) {
        luaL_error(
            L, "%s: expected 'rank' and 'to', from 1 to 8 each, and in 'shape' one size for each of 'rank' dimensions",
            function);
    }
    for (int d = 0; d < options->shape.rank; d++) {
        if (options->shape.size[d] < 1 || options->shape.size[d] > SHAPE_MAX_ELEMENTS) {
            luaL_error(L, "%s: option 'shape': expected sizes from 1 to 2147483647, got %I", function,
                       (LUAI_UACINT)options->shape.size[d]);
        }
    }
    size_t length;
    options->traits = option_traits(L);
    options->name = option_text(L, "name", "a name (a string)", "custom", &length);
    if (lua_getfield(L, 1, "glsl") != LUA_TNIL) {
        options->glsl = option_text(L, "glsl", "GLSL that defines 'translate' (a string)", NULL, &options->length);
        return;
    }
    if (!options->shape.rank || lua_getfield(L, 1, "cpu_inverse") != LUA_TNIL ||
        lua_getfield(L, 1, "ranges") != LUA_TNIL) {
        luaL_error(L,
                   "%s: without 'glsl' the function 'cpu' is called for each address of 'shape', which is required; "
                   "'cpu_inverse' and 'ranges' are derived from its results and must not be given",
                   function);
    }
}

/* Creates the translator; NULL with error_set and a position in the text. */
static Translator *create(Device *device, const Options *options, const char *chunk, int line, const LuaHooks *given,
                          bool ranges)
{
    Module *module = analyze_module(options->glsl, options->length, chunk, line, TEXT_USER);
    LuaHooks *hooks = malloc(sizeof *hooks);
    const TranslatorHooks table = {hooks, hook_point, ranges ? hook_ranges : NULL, free};
    if (hooks) {
        *hooks = *given;
    }
    Translator *t = module && hooks ? translator_custom(device, options->name, (int)options->rank, (int)options->to,
                                                        options->shape.rank ? &options->shape : NULL, module,
                                                        &options->traits, &table)
                                    : NULL;
    if (!t) {
        free(hooks);
    }
    module_release(module);
    return t;
}

/* Pushes and returns the results of `cpu` for each address of the domain; -1 for unmapped addresses; raises. */
static const int32_t *push_addresses(lua_State *L, const Options *options, const LuaHooks *hooks)
{
    int64_t first[SHAPE_MAX_RANK] = {0}, last[SHAPE_MAX_RANK], point[SHAPE_MAX_RANK] = {0}, at[SHAPE_MAX_RANK] = {0};
    int64_t n = 0;
    if (!translator_table_fits(&options->shape, (int)options->to)) {
        error_prefix("%s", function);
        binding_raise(L);
    }
    int64_t count = shape_elements(&options->shape);
    int32_t *addresses = scratch_push(L, (size_t)count * (size_t)options->to * sizeof *addresses);
    shape_reverse(options->shape.size, (int)options->rank, last);
    for (int d = 0; d < options->rank; d++) {
        last[d]--;
    }
    do {
        PointCall call = {hooks, DIRECTION_TRANSLATE, point, at, OUTCOME_UNMAPPED};
        if (!callbacks_call(L, call_point, &call, "cpu")) {
            error_prefix("%s", function);
            binding_raise(L);
        }
        bool found = call.outcome == OUTCOME_FOUND;
        for (int d = 0; d < options->to; d++) {
            found = found && at[d] >= 0 && at[d] <= INT32_MAX;
        }
        for (int d = 0; d < options->to; d++) {
            addresses[n++] = found ? (int32_t)at[d] : -1;
        }
    } while (range_step(point, first, last, 0, (int)options->rank));
    return addresses;
}

/* Raises if a given trait contradicts the addresses. */
static void check_traits(lua_State *L, const Translator *t)
{
    TranslatorTraits traits = translator_info(t).traits;
    const char *const names[] = {"complete", "one_to_one"};
    const bool facts[] = {traits.complete, traits.one_to_one};
    if (lua_getfield(L, 1, "traits") != LUA_TTABLE) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        if (lua_getfield(L, -1, names[i]) == LUA_TBOOLEAN && lua_toboolean(L, -1) != facts[i]) {
            luaL_error(L, "%s: translator '%s' is inconsistent: trait '%s' is %s, but its addresses contradict that",
                       function, translator_info(t).name, names[i], facts[i] ? "false" : "true");
        }
        lua_pop(L, 1);
    }
}

/* Creates a translator without GLSL: a table of the addresses that `cpu` returns. */
static int make_table(lua_State *L, const Options *options, const LuaHooks *hooks)
{
    Translator **slot = translator_push(L);
    int index = lua_gettop(L);
    const int32_t *addresses = push_addresses(L, options, hooks);
    Device *device = state_device(L);
    translator_make(L, slot, device, function,
                    translator_table(device, options->name, &options->shape, (int)options->to, addresses));
    scratch_free(L, -1);
    lua_settop(L, index);
    check_traits(L, *slot);
    lua_settop(L, index);
    return 1;
}

static int rill_new(lua_State *L)
{
    Options options;
    LuaHooks hooks = {0};
    bool ranges;
    check_options(L, &options);
    state_device(L);
    hooks.rank = (int)options.rank;
    hooks.to = (int)options.to;
    push_functions(L, &hooks, &ranges);
    if (!options.glsl) {
        return make_table(L, &options, &hooks);
    }
    Translator **slot = translator_push(L);
    int index = lua_gettop(L);
    const char *chunk;
    int line = source_location_locate(L, options.glsl, options.length, &chunk);
    DeviceScope scope;
    binding_enter(L, state_device(L), &scope);
    *slot = create(state_device(L), &options, chunk, line, &hooks, ranges);
    device_leave(&scope);
    if (!*slot) {
        binding_raise_placed(L);
    }
    translator_take(L, slot, *slot, function);
    binding_charge(L, state_device(L));
    lua_settop(L, index);
    if (state_get(L)->check) {
        SelfTest *test = lua_newuserdatauv(L, sizeof *test, 0);
        Device *device = state_device(L);
        binding_run(L, device, function, self_test_sample(test, *slot, device, hooks.inverse));
        if (!self_test_compare(test, ranges, L)) {
            binding_raise_for(L, function);
        }
    }
    lua_settop(L, index);
    return 1;
}

void open_custom_translator(lua_State *L)
{
    luaL_getsubtable(L, -1, "translator");
    fields_function(L, "new", rill_new);
    lua_pop(L, 1);
}
