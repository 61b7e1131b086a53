/* Views of streams: new headers for the same elements. */
#include "binding/binding.h"
#include "binding/streams/container_handle.h"

#include <string.h>

/* Returns the stream before the colon as accept_self does, also if it is recorded: a view has the same memory. */
static Stream *view_self(lua_State *L, const char *function, int most)
{
    Stream *stream = accept_shaped(L, 1, function, 0, "s");
    binding_count(L, function, most, true);
    return stream;
}

/* Returns the view on top of the stack to Lua, or raises; messages of view functions begin with the name of the
 * method. */
static int view_result(lua_State *L, bool good)
{
    if (!good) {
        luaL_error(L, "s:%s", error_message());
    }
    return 1;
}

/* s:domain(first [, last]): if the arguments are numbers, they are indices along the first dimension, and the
 * view contains all elements of the other dimensions. */
static int stream_lua_domain(lua_State *L)
{
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    const Stream *s = view_self(L, "s:domain", 3);
    if (lua_isnoneornil(L, 2)) {
        binding_argument(L, "s:domain", 1, "first", 2, "the first index of the domain");
    }
    bool numbers = lua_type(L, 2) == LUA_TNUMBER && (lua_isnoneornil(L, 3) || lua_type(L, 3) == LUA_TNUMBER);
    Stream checked = *s;
    checked.shape.rank = numbers ? 1 : s->shape.rank;
    box_check(L, &checked, 2, "s:domain", 1, from, to);
    for (int d = checked.shape.rank; d < s->shape.rank; d++) {
        from[d] = 0;
        to[d] = s->shape.size[d];
    }
    box_push(L, s, "s:domain", from, to);
    return 1;
}

typedef bool (*CountsView)(const Stream *s, const int64_t *n, Stream *result);

/* `backward`: whether the counts may be negative. */
static int counts_view(lua_State *L, const char *function, bool backward, CountsView make)
{
    int64_t n[SHAPE_MAX_RANK];
    const Stream *s = accept_shaped(L, 1, function, 0, "s");
    shape_check_counts(L, 2, function, s->shape.rank, backward, n);
    return view_result(L, make(s, n, stream_handle_push(L)));
}

/* s:stride(n, ...): a negative n begins at the last element and goes back. */
static int stream_lua_stride(lua_State *L)
{
    return counts_view(L, "s:stride", true, stream_stride);
}

/* s:flip([axis]): axis is a dimension or a table of dimensions. Default: all. */
static int stream_lua_flip(lua_State *L)
{
    const char *function = "s:flip";
    const Stream *s = view_self(L, function, 2);
    int rank = s->shape.rank;
    unsigned axes = lua_isnoneornil(L, 2) ? (1u << rank) - 1 : 0;
    if (lua_istable(L, 2)) {
        for (lua_Unsigned k = 1; k <= lua_rawlen(L, 2); k++) {
            lua_rawgeti(L, 2, (lua_Integer)k);
            axes |= 1u << binding_axis(L, -1, function, rank);
            lua_pop(L, 1);
        }
    } else if (!axes) {
        axes = 1u << binding_axis(L, 2, function, rank);
    }
    return view_result(L, stream_flip(s, axes, stream_handle_push(L)));
}

/* s:as(type) */
static int stream_lua_as(lua_State *L)
{
    const Stream *s = view_self(L, "s:as", 2);
    const Type *type = type_check(L, 2, "s:as", 1, "type");
    return view_result(L, stream_as(s, type, stream_handle_push(L)));
}

static int stream_lua_tile(lua_State *L)
{
    return counts_view(L, "s:tile", false, stream_tile);
}

static int stream_lua_replicate(lua_State *L)
{
    return counts_view(L, "s:replicate", false, stream_replicate);
}

static int stream_lua_group(lua_State *L)
{
    return counts_view(L, "s:group", false, stream_group);
}

static int64_t windows_count(lua_State *L, int i, const char *name, int64_t initial)
{
    lua_Integer n = lua_isnoneornil(L, i + 1) && initial ? initial : binding_integer(L, i + 1, "s:windows", i, name);
    if (n < 1 || n > SHAPE_MAX_ELEMENTS) {
        luaL_error(L, "s:windows: argument #%d '%s': expected a whole number from 1 to %I, got %I", i, name,
                   (LUAI_UACINT)SHAPE_MAX_ELEMENTS, (LUAI_UACINT)n);
    }
    return n;
}

/* s:windows(n [, hop]) */
static int stream_lua_windows(lua_State *L)
{
    const Stream *s = view_self(L, "s:windows", 3);
    int64_t n = windows_count(L, 1, "n", 0), hop = windows_count(L, 2, "hop", 1);
    return view_result(L, stream_windows(s, n, hop, stream_handle_push(L)));
}

/* Replaces the size -1 of a new shape by the size that makes it fit the stream. */
static void shape_complete(lua_State *L, const Stream *s, Shape *shape)
{
    int64_t others = 1;
    int open = -1;
    for (int d = 0; d < shape->rank; d++) {
        if (shape->size[d] == -1 && open < 0) {
            open = d;
        } else if (shape->size[d] < 0) {
            luaL_error(L, "s:reshape: argument #1 'shape': at most one size can be -1, others must not be negative");
        } else {
            bool fits = shape->size[d] == 0 || others <= SHAPE_MAX_ELEMENTS / shape->size[d];
            others = fits ? others * shape->size[d] : SHAPE_MAX_ELEMENTS + 1;
        }
    }
    if (open < 0) {
        if (!shape_check(shape)) {
            binding_argument_error(L, "s:reshape", 1, "shape");
        }
        return;
    }
    if (others == 0 || stream_elements(s) % others != 0) {
        luaL_error(
            L, "s:reshape: argument #1 'shape': the size -1 cannot be determined: %I elements are not a multiple of %I",
            (LUAI_UACINT)stream_elements(s), (LUAI_UACINT)others);
    }
    shape->size[open] = stream_elements(s) / others;
}

/* Raises if a method that takes a table of integers received several integers. */
static void one_table(lua_State *L, const char *function)
{
    if (lua_isinteger(L, 2) && lua_isinteger(L, 3)) {
        luaL_error(L, "%s: expected one table, got several numbers: write %s {%d, %d%s}", function, function,
                   (int)lua_tointeger(L, 2), (int)lua_tointeger(L, 3), lua_gettop(L) > 3 ? ", ..." : "");
    }
}

static int stream_lua_reshape(lua_State *L)
{
    Shape shape;
    one_table(L, "s:reshape");
    const Stream *s = view_self(L, "s:reshape", 2);
    shape_check_sizes(L, 2, "s:reshape", 1, "shape", &shape);
    shape_complete(L, s, &shape);
    return view_result(L, stream_reshape(s, &shape, stream_handle_push(L)));
}

static int stream_lua_transpose(lua_State *L)
{
    int axes[SHAPE_MAX_RANK];
    one_table(L, "s:transpose");
    const Stream *s = view_self(L, "s:transpose", 2);
    if (lua_isnoneornil(L, 2)) {
        return view_result(L, stream_transpose(s, NULL, stream_handle_push(L)));
    }
    int rank = s->shape.rank;
    if (!lua_istable(L, 2) || lua_rawlen(L, 2) != (lua_Unsigned)rank) {
        binding_argument(L, "s:transpose", 1, "axes", 2,
                         lua_pushfstring(L, "a table of the axes 1 .. %d in some order", rank));
    }
    for (int d = 0; d < rank; d++) {
        lua_rawgeti(L, 2, d + 1);
        lua_Integer axis = binding_integer(L, -1, "s:transpose", 1, "axes");
        bool inside = axis >= -rank && axis <= rank && axis != 0;
        axes[d] = inside ? (int)(axis < 0 ? axis + rank : axis - 1) : -1;
        lua_pop(L, 1);
    }
    return view_result(L, stream_transpose(s, axes, stream_handle_push(L)));
}

/* The names of enum Boundary. lua/rill/core/boundary.lua describes them. */
/* Reads one mode: a name, or the value outside. The value outside must be the same for all dimensions. */
static Boundary boundary_check(lua_State *L, int index, const char *function, double *outside, bool *given)
{
    double value = 0;
    if (lua_type(L, index) == LUA_TNUMBER) {
        value = lua_tonumber(L, index);
    } else {
        int mode = binding_word(L, index, boundary_names);
        if (mode < 0) {
            binding_argument(L, function, index - 1, "mode", index,
                             "\"clamp\", \"wrap\", \"mirror\", \"zero\" or a number (the value outside)");
        }
        if (mode != BOUNDARY_VALUE) {
            return (Boundary)mode;
        }
    }
    if (*given && *outside != value) {
        luaL_error(L, "%s: all dimensions must have the same value outside", function);
    }
    *outside = value;
    *given = true;
    return BOUNDARY_VALUE;
}

void view_boundary_modes(lua_State *L, const char *function, int rank, Boundary *modes, double *outside)
{
    bool given = false;
    int count = lua_gettop(L) - 1;
    if (count != 1 && count != rank) {
        luaL_error(L, "%s: expected one mode, or one for each of %d dimensions, got %d arguments", function, rank,
                   count);
    }
    *outside = 0;
    for (int d = 0; d < rank; d++) {
        modes[d] = count == 1 && d > 0 ? modes[0] : boundary_check(L, 2 + d, function, outside, &given);
    }
}

static int stream_lua_boundary(lua_State *L)
{
    Boundary modes[SHAPE_MAX_RANK];
    double outside;
    const Stream *s = accept_shaped(L, 1, "s:boundary", 0, "s");
    view_boundary_modes(L, "s:boundary", s->shape.rank, modes, &outside);
    return view_result(L, stream_boundary(s, modes, outside, stream_handle_push(L)));
}

/* Returns the header of a stream or container, or NULL. */
static Stream *header_to(lua_State *L, int index)
{
    LuaContainer *container = container_to(L, index);
    return container && container->container ? &container->stream : stream_handle_to(L, index);
}

/* _boundary(s, inherited): returns the modes of each dimension of a stream or container, names and numbers; nil if
 * s:boundary did not set them, and with `inherited` if they were not inherited either. */
static int rill_boundary(lua_State *L)
{
    const Stream *header = header_to(L, 1), *s = header ? header : accept_shaped(L, 1, "_boundary", 1, "s");
    if (!s->explicit_boundary && !(lua_toboolean(L, 2) && s->inherited_boundary)) {
        return 0;
    }
    lua_createtable(L, s->shape.rank, 0);
    for (int d = 0; d < s->shape.rank; d++) {
        if (s->boundary[d] == BOUNDARY_VALUE) {
            lua_pushnumber(L, s->outside);
        } else {
            lua_pushstring(L, boundary_names[s->boundary[d]]);
        }
        lua_rawseti(L, -2, d + 1);
    }
    return 1;
}

/* _inherit(to, from...): lets a new stream or container inherit the boundary modes of streams and containers of its
 * shape. Other arguments are ignored. Returns `to`. */
static int rill_inherit(lua_State *L)
{
    int count = lua_gettop(L);
    const LuaContainer *container = container_to(L, 1);
    bool keeps = container && container->container && container_keeps_boundary(container->container);
    for (int i = 2; i <= count && !keeps; i++) {
        Stream *to = header_to(L, 1);
        const Stream *from = header_to(L, i);
        if (to && from && to->device && from->device && shape_equal(&to->shape, &from->shape)) {
            stream_inherit(to, from);
        }
    }
    lua_settop(L, 1);
    return 1;
}

/* _forget(s): removes the inherited boundary modes of a new stream. Returns the stream. */
static int rill_forget(lua_State *L)
{
    Stream *s = accept_header(L, 1, "_forget", 1, "s");
    if (s->inherited_boundary) {
        static const Boundary clamp[SHAPE_MAX_RANK] = {BOUNDARY_CLAMP};
        stream_set_modes(s, clamp, 0);
        s->explicit_boundary = false;
    }
    lua_settop(L, 1);
    return 1;
}

/* _over(s, type, shape): returns a view of the bytes of a stream as elements of another type and shape. Returns nil if
 * s has gaps, or if its offset is not a multiple of the element size. The caller ensures that the view is not larger
 * than s. */
static int rill_over(lua_State *L)
{
    Shape shape;
    const Stream *s = accept_shaped(L, 1, "_over", 1, "s");
    const Type *type = type_check(L, 2, "_over", 2, "type");
    shape_check_arg(L, 3, "_over", 3, "shape", &shape);
    int64_t at = s->offset * s->type->bytes;
    if (!s->contiguous || s->source != SOURCE_BUFFER || s->length.buffer || at % type->bytes != 0) {
        lua_pushnil(L);
        return 1;
    }
    return view_result(L, stream_over(s->buffer, type, &shape, at / type->bytes, stream_handle_push(L)));
}

/* _halo(s, {before, after, ...}): returns a view of a box for a `neighbor` argument: see stream_halo. */
static int rill_halo(lua_State *L)
{
    const Stream *s = accept_shaped(L, 1, "_halo", 1, "s");
    Halo halo[SHAPE_MAX_RANK] = {{0, 0}};
    luaL_checktype(L, 2, LUA_TTABLE);
    for (int d = 0; d < 2 * s->shape.rank; d++) {
        lua_rawgeti(L, 2, d + 1);
        lua_Integer size = luaL_checkinteger(L, -1);
        luaL_argcheck(L, size >= 0 && size <= INT32_MAX, 2, "a size is negative or too large");
        *(d % 2 ? &halo[d / 2].after : &halo[d / 2].before) = (int32_t)size;
        lua_pop(L, 1);
    }
    return view_result(L, stream_halo(s, halo, stream_handle_push(L)));
}

void open_view(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"domain", stream_lua_domain},
        {"stride", stream_lua_stride},
        {"tile", stream_lua_tile},
        {"replicate", stream_lua_replicate},
        {"group", stream_lua_group},
        {"windows", stream_lua_windows},
        {"reshape", stream_lua_reshape},
        {"transpose", stream_lua_transpose},
        {"boundary", stream_lua_boundary},
        {"flip", stream_lua_flip},
        {"as", stream_lua_as},
        {NULL, NULL},
    };
    stream_handle_methods(L, methods);
    fields_function(L, "_boundary", rill_boundary);
    fields_function(L, "_inherit", rill_inherit);
    fields_function(L, "_forget", rill_forget);
    fields_function(L, "_over", rill_over);
    fields_function(L, "_halo", rill_halo);
    binding_set_names(L, "_boundary_modes", boundary_names);
}
