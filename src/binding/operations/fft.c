/* rill.fft. */
#include "binding/binding.h"

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
            luaL_error(L, "%s: option 'axes': dimension %d stands there twice", function, from_first + 1);
        }
    }
    spec->axes[spec->axis_count++] = from_first;
}

/* The option on top of the stack: a dimension, a list of some, or nil for all. */
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

static void take_options(lua_State *L, int options, int rank, FftSpec *spec)
{
    static const char *const known[] = {"inverse", "axes", "real", "length", NULL};
    *spec = (FftSpec){.inverse = false};
    bool given = !lua_isnoneornil(L, options);
    if (!given) {
        lua_newtable(L);
        options = lua_gettop(L);
    } else if (!binding_is_options(L, options)) {
        binding_argument(L, function, 2, "options", options, "a table like {inverse = true}");
    }
    binding_known(L, options, function, known);
    spec->inverse = binding_flag(L, options, function, "inverse");
    spec->real = binding_flag(L, options, function, "real");
    lua_getfield(L, options, "axes");
    take_axes(L, rank, spec);
    if (lua_getfield(L, options, "length") != LUA_TNIL) {
        spec->length = binding_integer(L, lua_gettop(L), function, 2, "length");
        if (!spec->inverse || !spec->real) {
            luaL_error(L, "%s: option 'length' is for the inverse of half a spectrum, {inverse = true, real = true}",
                       function);
        } else if (spec->length < 1) {
            binding_argument(L, function, 2, "length", lua_gettop(L), "a length, at least 1");
        }
    }
}

static int rill_fft(lua_State *L)
{
    binding_count(L, function, 2, false);
    const Stream *s = accept_check(L, 1, function, 1, "s");
    FftSpec spec;
    take_options(L, 2, s->shape.rank, &spec);
    if (!fft_accepts(s, &spec)) {
        binding_argument_error(L, function, 1, "s");
    }
    Stream *result = stream_handle_push(L);
    binding_make(L, s->device, function, fft_stream(s, &spec, result));
    return 1;
}

void open_fft(lua_State *L)
{
    static const luaL_Reg functions[] = {{"fft", rill_fft}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
