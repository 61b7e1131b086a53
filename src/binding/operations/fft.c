/* rill.fft. */
#include "binding/values/options.h"

#include "linalg/fft/fft.h"

static const char function[] = "rill.fft";

static void add_axis(lua_State *L, int index, int rank, FftSpec *spec)
{
    int exact;
    lua_Integer axis = lua_tointegerx(L, index, &exact);
    int from_first = (int)(axis < 0 ? axis + rank : axis - 1);
    if (!exact || axis == 0 || axis > rank || axis < -rank) {
        luaL_error(L, "%s: option 'axes': expected dimensions, 1 .. %d or from the last -1 .. -%d, got %s", function,
                   rank, rank, binding_describe(L, index));
    }
    for (int i = 0; i < spec->axis_count; i++) {
        if (spec->axes[i] == from_first) {
            luaL_error(L, "%s: option 'axes': dimension %d is listed twice", function, from_first + 1);
        }
    }
    spec->axes[spec->axis_count++] = from_first;
}

/* Reads the option on top of the stack: a dimension, a list of dimensions, or nil for all. */
static void take_axes(lua_State *L, int rank, FftSpec *spec)
{
    int index = lua_gettop(L);
    if (lua_isnil(L, index)) {
        for (spec->axis_count = 0; spec->axis_count < rank; spec->axis_count++) {
            spec->axes[spec->axis_count] = spec->axis_count;
        }
    } else if (!binding_is_options(L, index)) {
        add_axis(L, index, rank, spec);
    } else {
        for (lua_Integer i = 1; lua_rawgeti(L, index, i) != LUA_TNIL; i++) {
            add_axis(L, -1, rank, spec);
            lua_pop(L, 1);
        }
        if (spec->axis_count == 0) {
            luaL_error(L, "%s: option 'axes': an empty list: leave it out to transform all dimensions", function);
        }
    }
}

static void read_axes(lua_State *L, const OptionCall *call, const Option *option, void *spec)
{
    (void)option;
    take_axes(L, call->rank, spec);
}

static void read_length(lua_State *L, const OptionCall *call, const Option *option, void *to)
{
    (void)call;
    FftSpec *spec = to;
    spec->length = binding_integer(L, lua_gettop(L), function, BINDING_OPTION, option->name);
    if (!spec->inverse || !spec->real) {
        luaL_error(L, "%s: option 'length' requires the inverse of half a spectrum, {inverse = true, real = true}",
                   function);
    } else if (spec->length < 1) {
        binding_argument(L, function, BINDING_OPTION, option->name, lua_gettop(L), "a length, at least 1");
    }
}

static void take_options(lua_State *L, int options, int rank, FftSpec *spec)
{
    static const Option rows[] = {{OPTION("inverse", options_flag, FftSpec, inverse)},
                                  {OPTION("real", options_flag, FftSpec, real)},
                                  {.name = "axes", .read = read_axes, .required = true}, /* nil means all */
                                  {.name = "length", .read = read_length},
                                  {.name = NULL}};
    const OptionCall call = {
        .function = function, .index = options, .n = 2, .expected = "a table like {inverse = true}", .rank = rank};
    *spec = (FftSpec){.inverse = false};
    if (!options_read(L, &call, rows, spec)) {
        lua_pushnil(L);
        take_axes(L, rank, spec);
    }
}

static int rill_fft(lua_State *L)
{
    binding_count(L, function, 2, false);
    const Stream *s = accept_check(L, 1, function, 1, "s");
    accept_numbers(L, 1, function, 1, "s");
    FftSpec spec;
    take_options(L, 2, s->shape.rank, &spec);
    if (!fft_accepts(s, &spec)) {
        binding_argument_error(L, function, 1, "s");
    }
    Stream *result = stream_handle_push(L);
    binding_make(L, s->device, function, fft_stream(s, &spec, result));
    return 1;
}

/* _windows(x, weights, hop, count, test): returns the half spectra of `count` windows of each row of x {rows, samples},
 * times the weights. x and its rows are aligned to 4 samples. With `test`, returns whether another call with an aligned x is
 * possible. rill.signal.stft checks the arguments. */
static int transform_windows(lua_State *L)
{
    const Stream *x = accept_check(L, 1, function, 1, "x"), *weights = accept_check(L, 2, function, 2, "weights");
    FftWindows windows = {.size = weights->shape.size[0],
                          .hop = luaL_checkinteger(L, 3),
                          .count = luaL_checkinteger(L, 4),
                          .weights = weights};
    if (lua_toboolean(L, 5)) {
        lua_pushboolean(L, fft_real_serves(x, &windows));
        return 1;
    }
    Stream *result = stream_handle_push(L);
    Shape shape = {.rank = 3, .size = {x->shape.size[0], windows.count, windows.size / 2 + 1}};
    binding_make(L, x->device, function,
                 stream_create(x->device, type_of(SCALAR_FLOAT, 2), &shape, false, result) &&
                     fft_run_real(x, &windows, result));
    return 1;
}

void open_fft(lua_State *L)
{
    static const luaL_Reg functions[] = {{"fft", rill_fft}, {"_windows", transform_windows}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
