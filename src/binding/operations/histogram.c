/* s:histogram{...} and rill.bincount. */
#include "binding/streams/container_handle.h"

#include "primitive/indexed/histogram.h"

#include <math.h>
#include <string.h>

enum { MOST_BINS = 1 << 28 };

/* Pushes the option `name` for axis a: a number for all axes, or a table with one for each. Returns false if it is not
 * given. */
static bool axis_option(lua_State *L, const char *function, const char *name, int a, int axes)
{
    if (lua_getfield(L, 2, name) == LUA_TNIL) {
        return false;
    }
    if (lua_istable(L, -1)) {
        const char *expected = axes != 1 ? "a number, or one for x and y"
                               : strcmp(name, "bins") == 0
                                   ? "a number (for bins with given edges, count rill.searchsorted(edges, s) with "
                                     "rill.bincount)"
                                   : "a number";
        if (axes == 1 || lua_rawlen(L, -1) != (lua_Unsigned)axes) {
            binding_argument(L, function, BINDING_OPTION, name, -1, expected);
        }
        lua_rawgeti(L, -1, a + 1);
    }
    return true;
}

static bool limit_option(lua_State *L, const char *function, const char *name, int a, int axes, double *value)
{
    if (!axis_option(L, function, name, a, axes)) {
        return false;
    }
    if (lua_type(L, -1) != LUA_TNUMBER || !isfinite(lua_tonumber(L, -1))) {
        binding_argument(L, function, BINDING_OPTION, name, -1, "a finite number");
    }
    *value = lua_tonumber(L, -1);
    return true;
}

static void bins_option(lua_State *L, const char *function, HistogramSpec *spec)
{
    int64_t total = 1;
    for (int a = 0; a < spec->axes; a++) {
        lua_Integer bins = axis_option(L, function, "bins", a, spec->axes)
                               ? binding_integer(L, -1, function, BINDING_OPTION, "bins")
                               : 10;
        if (bins < 1 || bins > MOST_BINS || (total *= bins) > MOST_BINS) {
            binding_argument(L, function, BINDING_OPTION, "bins", -1, "1 to 2^28 bins in all");
        }
        spec->axis[a].bins = bins;
    }
}

/* Sets the range of an axis from the options min and max; `found` is the range of the data, which is the default. */
static void range_option(lua_State *L, const char *function, const HistogramSpec *found, HistogramAxis *axis, int a)
{
    double low, high;
    bool has_low = limit_option(L, function, "min", a, found->axes, &low);
    bool has_high = limit_option(L, function, "max", a, found->axes, &high);
    bool some = found->axis[a].low <= found->axis[a].high;
    low = has_low ? low : some ? found->axis[a].low : has_high ? high - 1 : 0;
    high = has_high ? high : some ? found->axis[a].high : low + 1;
    if (has_low && has_high && low >= high) {
        luaL_error(L, "%s: 'min' must be below 'max', got %f and %f", function, low, high);
    } else if (!isfinite(low) || !isfinite(high) || !isfinite(high - low)) {
        luaL_error(L, "%s: the elements reach from %f to %f: give 'min' and 'max'", function, low, high);
    } else if (low >= high && !has_low && !has_high) {
        low -= 0.5; /* all elements are equal */
        high += 0.5;
    } else if (low >= high) { /* no element is in the range */
        low = has_low ? low : high - 1;
        high = has_high ? high : low + 1;
    }
    axis->low = low;
    axis->high = high;
}

/* Returns whether the range of the data is needed, because min or max is not given. */
static bool needs_range(lua_State *L)
{
    bool both = lua_getfield(L, 2, "min") != LUA_TNIL && lua_getfield(L, 2, "max") != LUA_TNIL;
    return !both;
}

static void outside_option(lua_State *L, const char *function, HistogramSpec *spec)
{
    static const char *const words[] = {"drop", "clamp", NULL};
    if (lua_getfield(L, 2, "outside") == LUA_TNIL) {
        return;
    }
    int word = binding_word(L, -1, words);
    if (word < 0) {
        binding_argument(L, function, BINDING_OPTION, "outside", -1, "\"drop\" or \"clamp\"");
    }
    spec->clamp = word == 1;
}

/* Pushes and returns the option `weights`; NULL if it is not given. */
static const Stream *weights_option(lua_State *L, const char *function, const Stream *s)
{
    if (lua_isnoneornil(L, 2) || lua_getfield(L, 2, "weights") == LUA_TNIL) {
        return NULL;
    }
    const Stream *weights = accept_check(L, lua_gettop(L), function, BINDING_OPTION, "weights");
    accept_numbers(L, -1, function, BINDING_OPTION, "weights");
    const Type *type = weights->type;
    if (type->is_struct || type->components > 1 || type->value->scalar == SCALAR_BOOL) {
        binding_argument(L, function, BINDING_OPTION, "weights", -1, "a stream of numbers");
    } else if (weights->device != s->device) {
        luaL_error(L, "%s: option 'weights': the stream belongs to another device", function);
    }
    shape_raise_unequal(L, "%s: the weights have shape %s, the elements %s", function, &weights->shape, &s->shape);
    return weights;
}

/* Sets the range of the data: from the table at 3 if there is one, else it is computed. */
static void find_range(lua_State *L, const char *function, const Stream *s, HistogramSpec *found)
{
    for (int a = 0; a < found->axes && lua_istable(L, 3); a++) {
        lua_rawgeti(L, 3, 2 * a + 1);
        lua_rawgeti(L, 3, 2 * a + 2);
        found->axis[a].low = lua_tonumber(L, -2);
        found->axis[a].high = lua_tonumber(L, -1);
        lua_pop(L, 2);
    }
    if (!lua_istable(L, 3)) {
        binding_make(L, s->device, function, histogram_range(s, found));
    }
}

/* Computes a histogram for a function. The stream is at 1, the options at 2, a table of ranges or nil at 3; false: only
 * the type and the options are checked. Pushes the counts and the edges of each axis. */
static int histogram_of(lua_State *L, const char *function)
{
    static const char *const names[] = {"bins", "min", "max", "weights", "outside", NULL};
    const Stream *s = accept_check(L, 1, function, 0, "s");
    accept_numbers(L, 1, function, 0, "s");
    if (lua_isnoneornil(L, 2)) {
        lua_newtable(L);
        lua_replace(L, 2);
    } else if (!binding_is_options(L, 2)) {
        binding_argument(L, function, 1, "options", 2, "a table of options");
    }
    binding_known(L, 2, function, names);
    if (s->type->is_struct || s->type->components > 2 || s->type->value->scalar == SCALAR_BOOL) {
        luaL_error(L, "%s: expected numbers, or vectors of two for a grid of bins, got elements of %s", function,
                   s->type->name);
    }
    luaL_checkstack(L, 40, NULL);
    HistogramSpec spec = {.axes = s->type->components}, found = {.axes = s->type->components};
    bins_option(L, function, &spec);
    outside_option(L, function, &spec);
    const Stream *weights = weights_option(L, function, s);
    if (needs_range(L) && !lua_isboolean(L, 3)) {
        find_range(L, function, s, &found);
    }
    for (int a = 0; a < spec.axes; a++) {
        range_option(L, function, &found, &spec.axis[a], a);
    }
    if (lua_isboolean(L, 3)) {
        return 0;
    }
    Stream *result = stream_handle_push(L), *edges[2] = {NULL, NULL};
    for (int a = 0; a < spec.axes; a++) {
        edges[a] = stream_handle_push(L);
    }
    binding_make(L, s->device, function, histogram_stream(s, &spec, weights, result, edges));
    return 1 + spec.axes;
}

static int stream_lua_histogram(lua_State *L)
{
    binding_count(L, "s:histogram", 2, true);
    lua_settop(L, 3);
    return histogram_of(L, "s:histogram");
}

/* _histogram(s, options, ranges, function): computes the histogram of one part of the data for a function. All the data
 * is in the range ranges[1] to ranges[2], and its second component in the range ranges[3] to ranges[4]. Without ranges,
 * the data is s. ranges false: checks the type of s and the options, and returns nothing. */
static int module_histogram(lua_State *L)
{
    const char *function = luaL_checkstring(L, 4);
    lua_settop(L, 4);
    return histogram_of(L, function);
}

/* _histogram_range(s, function): returns the minimum and maximum of each component. */
static int module_histogram_range(lua_State *L)
{
    const char *function = luaL_checkstring(L, 2);
    const Stream *s = accept_check(L, 1, function, 0, "s");
    int axes = s->type->is_struct || s->type->value->scalar == SCALAR_BOOL ? 0 : s->type->components;
    HistogramSpec found = {.axes = axes <= 2 ? axes : 0};
    lua_settop(L, 2);
    lua_pushnil(L);
    find_range(L, function, s, &found);
    for (int a = 0; a < found.axes; a++) {
        lua_pushnumber(L, found.axis[a].low);
        lua_pushnumber(L, found.axis[a].high);
    }
    return 2 * found.axes;
}

static int rill_bincount(lua_State *L)
{
    static const char *const names[] = {"weights", "minlength", NULL};
    container_accept_lines(L, "rill.bincount", false);
    const Stream *s = accept_check(L, 1, "rill.bincount", 1, "s");
    binding_count(L, "rill.bincount", 2, false);
    Scalar scalar = s->type->is_struct ? SCALAR_FLOAT : s->type->value->scalar;
    if (s->type->components > 1 || (scalar != SCALAR_INT && scalar != SCALAR_UINT)) {
        binding_argument(L, "rill.bincount", 1, "s", 1, "a stream of int or uint (s:cast \"int\" converts numbers)");
    }
    lua_Integer least = 0;
    if (!lua_isnoneornil(L, 2)) {
        if (!binding_is_options(L, 2)) {
            binding_argument(L, "rill.bincount", 2, "options", 2, "a table of options");
        }
        binding_known(L, 2, "rill.bincount", names);
        if (lua_getfield(L, 2, "minlength") != LUA_TNIL) {
            least = binding_integer(L, -1, "rill.bincount", BINDING_OPTION, "minlength");
        }
        if (least < 0 || least > MOST_BINS) {
            binding_argument(L, "rill.bincount", BINDING_OPTION, "minlength", -1, "0 to 2^28");
        }
    }
    const Stream *weights = weights_option(L, "rill.bincount", s);
    Stream *result = stream_handle_push(L);
    binding_make(L, s->device, "rill.bincount", histogram_integers(s, weights, least, result));
    return 1;
}

/* _sums(numbers, weights, bins): returns a double stream of the sums of the weights of equal integers, which has the
 * same bits on all devices. */
static int module_sums(lua_State *L)
{
    const Stream *numbers = accept_check(L, 1, "rill.frame", 1, "numbers");
    const Stream *weights = accept_check(L, 2, "rill.frame", 2, "weights");
    lua_Integer bins = luaL_checkinteger(L, 3);
    Stream *result = stream_handle_push(L);
    binding_make(L, numbers->device, "rill.frame", histogram_sums(numbers, weights, bins, result));
    return 1;
}

void open_histogram(lua_State *L)
{
    static const luaL_Reg methods[] = {{"histogram", stream_lua_histogram}, {NULL, NULL}};
    static const luaL_Reg functions[] = {{"bincount", rill_bincount},
                                         {"_histogram", module_histogram},
                                         {"_histogram_range", module_histogram_range},
                                         {"_sums", module_sums},
                                         {NULL, NULL}};
    stream_handle_methods(L, methods);
    luaL_setfuncs(L, functions, 0);
}
