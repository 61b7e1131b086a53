/* rill.random and rill.seed. */
#include "binding/binding.h"

#include "primitive/indexed/random.h"

#include <math.h>
#include <string.h>

/* Reads an option that is a number. *given is set to whether it was given. */
static double number_option(lua_State *L, int options, const char *name, double otherwise, bool integer, bool *given)
{
    *given = false;
    if (!options || lua_getfield(L, options, name) == LUA_TNIL) {
        return otherwise;
    }
    *given = true;
    if (lua_type(L, -1) != LUA_TNUMBER ||
        (integer && !lua_isinteger(L, -1) && !lua_tointegerx(L, -1, NULL) && lua_tonumber(L, -1) != 0)) {
        binding_argument(L, "rill.random", BINDING_OPTION, name, -1, integer ? "a whole number" : "a number");
    }
    double value = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return isnan(value) ? (double)NAN : value; /* a NaN without a sign, which messages would show */
}

static void integer_bounds(lua_State *L, RandomSpec *spec, bool low, bool high)
{
    double least = spec->type->scalar == SCALAR_INT ? -2147483648.0 : 0;
    double most = spec->type->scalar == SCALAR_INT ? 2147483647.0 : 4294967295.0;
    if (low != high) {
        luaL_error(L, "rill.random: integers need both 'low' and 'high', or neither (all 32 bits)");
    }
    spec->kind = low ? RANDOM_INTEGER : RANDOM_WORDS;
    if (low && !(spec->low >= least && spec->high <= most && spec->low <= spec->high)) {
        luaL_error(L, "rill.random: low .. high must be an ascending range of %s, got %f .. %f", spec->type->name,
                   spec->low, spec->high);
    }
}

static void distribution(lua_State *L, int options, RandomSpec *spec)
{
    bool low, high, mean, sd;
    bool integer = spec->type->scalar == SCALAR_INT || spec->type->scalar == SCALAR_UINT;
    bool given = options && lua_getfield(L, options, "distribution") != LUA_TNIL;
    const char *name = given ? lua_tostring(L, -1) : "uniform";
    bool normal = strcmp(name, "normal") == 0;
    spec->low = number_option(L, options, "low", 0, integer, &low);
    spec->high = number_option(L, options, "high", 1, integer, &high);
    double mean_value = number_option(L, options, "mean", 0, false, &mean);
    double sd_value = number_option(L, options, "sd", 1, false, &sd);
    if (normal ? low || high : mean || sd) {
        luaL_error(L, "rill.random: '%s' numbers take %s", name, normal ? "'mean' and 'sd'" : "'low' and 'high'");
    }
    if (normal && integer) {
        luaL_error(L, "rill.random: 'normal' numbers are floats: type 'float', 'double' or a vector of them");
    }
    if (normal) {
        if (!(sd_value >= 0)) {
            luaL_error(L, "rill.random: option 'sd': expected a number from 0 on, got %f", sd_value);
        }
        spec->kind = RANDOM_NORMAL;
        spec->low = mean_value;
        spec->high = sd_value;
    } else if (integer) {
        integer_bounds(L, spec, low, high);
    } else {
        spec->kind = RANDOM_UNIFORM;
        bool wide = spec->type->scalar == SCALAR_DOUBLE;
        double span = wide ? spec->high - spec->low : (double)((float)spec->high - (float)spec->low);
        if (!(spec->low <= spec->high) || !isfinite(span)) {
            luaL_error(L, "rill.random: 'low' must not be above 'high', and the range must fit a %s, got %f .. %f",
                       wide ? "double" : "float", spec->low, spec->high);
        }
    }
}

static const Type *type_option(lua_State *L, int options)
{
    if (!options || lua_getfield(L, options, "type") == LUA_TNIL) {
        return type_of(SCALAR_FLOAT, 1);
    }
    const Type *type = type_check(L, lua_gettop(L), "rill.random", BINDING_OPTION, "type");
    bool fits = !type->is_struct && (type->scalar == SCALAR_FLOAT || type->scalar == SCALAR_DOUBLE ||
                                     type->scalar == SCALAR_INT || type->scalar == SCALAR_UINT);
    if (!fits) {
        luaL_error(L, "rill.random: option 'type': expected float, double, int, uint or a vector of them, got %s",
                   type->name);
    }
    return type;
}

/* Returns whether the option `distribution` is given and is neither "uniform" nor "normal". */
static bool is_in_lua(lua_State *L, int options)
{
    if (lua_getfield(L, options, "distribution") == LUA_TSTRING) {
        const char *name = lua_tostring(L, -1);
        return strcmp(name, "uniform") != 0 && strcmp(name, "normal") != 0;
    }
    return !lua_isnil(L, -1);
}

static int rill_random(lua_State *L)
{
    static const char *const names[] = {"seed", "type", "distribution", "low", "high", "mean", "sd", NULL};
    binding_count(L, "rill.random", 2, false);
    Shape shape;
    shape_check_arg(L, 1, "rill.random", 1, "shape", &shape);
    int options = lua_isnoneornil(L, 2) ? 0 : 2;
    if (options && !binding_is_options(L, 2)) {
        binding_argument(L, "rill.random", 2, "options", 2, "a table of options");
    }
    if (options && is_in_lua(L, options)) {
        type_option(L, options);
        lua_settop(L, 2);
        expression_hooks_call(L, "distribution", 2, 1);
        return 1;
    }
    if (options) {
        binding_known(L, options, "rill.random", names);
    }
    RandomSpec spec = {.type = type_option(L, options)};
    distribution(L, options, &spec);
    RandomSequence *sequence = &state_get(L)->random;
    bool seeded = options && lua_getfield(L, options, "seed") != LUA_TNIL;
    spec.seed =
        seeded ? (uint64_t)binding_integer(L, lua_gettop(L), "rill.random", BINDING_OPTION, "seed") : sequence->seed;
    spec.block = seeded ? 0 : sequence->block;
    Stream *result = stream_handle_push(L);
    uint64_t blocks = 0;
    Device *device = state_device(L);
    binding_run(L, device, "rill.random", random_stream(device, &spec, &shape, result, &blocks));
    if (!seeded) {
        sequence->block += blocks;
    }
    binding_charge(L, device);
    return 1;
}

/* _random_take(seed, blocks): returns the seed and the first of `blocks` counters. If `seed` is nil, they are the next
 * ones of the sequence. */
static int rill_random_take(lua_State *L)
{
    RandomSequence *sequence = &state_get(L)->random;
    if (!lua_isnil(L, 1)) {
        lua_pushinteger(L, (lua_Integer)binding_integer(L, 1, "rill.random", BINDING_OPTION, "seed"));
        lua_pushinteger(L, 0);
        return 2;
    }
    lua_pushinteger(L, (lua_Integer)sequence->seed);
    lua_pushinteger(L, (lua_Integer)sequence->block);
    sequence->block += (uint64_t)lua_tointeger(L, 2);
    return 2;
}

static int rill_seed(lua_State *L)
{
    binding_count(L, "rill.seed", 1, false);
    RandomSequence *sequence = &state_get(L)->random;
    sequence->seed = (uint64_t)binding_integer(L, 1, "rill.seed", 1, "n");
    sequence->block = sequence->launch = 0;
    return 0;
}

static const luaL_Reg functions[] = {
    {"random", rill_random}, {"seed", rill_seed}, {"_random_take", rill_random_take}, {NULL, NULL}};

void open_random(lua_State *L)
{
    luaL_setfuncs(L, functions, 0);
    lua_pushstring(L, random_philox());
    lua_setfield(L, -2, "_philox");
}
