/* Parts of containers as ranges (c:active, c:range), c:boundary, and the image of the mapped pages. */
#include "binding/containers/container.h"
#include "binding/containers/translator.h"
#include "kernel/host/packed.h"

#include <string.h>

/* c:active(): returns the mapped elements as a range. */
int container_active_call(lua_State *L)
{
    static const char function[] = "c:active";
    LuaContainer *self = container_self(L, function, 1);
    container_resolve_mapping(L, self, function);
    LuaRange *range = range_push(L);
    range_make(L, range, self->stream.device, function, region_retain(container_active(self->container)));
    range_of(L, -1, 1);
    return 1;
}

/* c:range([first [, last]]): returns a box, or all elements, as a range. */
int container_range_call(lua_State *L)
{
    static const char function[] = "c:range";
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    LuaContainer *self = container_self(L, function, 3);
    const Stream *elements = container_elements_of(self);
    if (container_bounded(self->container)) {
        box_check(L, elements, 2, function, 1, from, to);
    } else {
        container_box_check(L, self, 2, function, 1, from, to);
    }
    LuaRange *range = range_push(L);
    range_make(L, range, self->stream.device, function,
               region_box(self->stream.device, &elements->shape, !container_bounded(self->container), from, to));
    range_of(L, -1, 1);
    return 1;
}

/* c:boundary(mode, ...): returns a new handle of the container with other boundary modes. */
int container_boundary(lua_State *L)
{
    static const char function[] = "c:boundary";
    Boundary modes[SHAPE_MAX_RANK];
    double outside;
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    if (container_keeps_boundary(self->container)) {
        return container_edge_call(L);
    }
    view_boundary_modes(L, function, self->stream.shape.rank, modes, &outside);
    LuaContainer *view = container_push(L);
    view->stream = self->stream;
    view->container = container_retain(self->container);
    container_keep(L, view);
    stream_set_modes(&view->stream, modes, outside);
    lua_getiuservalue(L, 1, 1);
    lua_setiuservalue(L, -2, 1);
    return 1;
}

/* views and copies that only streams have */

static int container_view(lua_State *L)
{
    const char *name = lua_tostring(L, lua_upvalueindex(1));
    return luaL_error(L,
                      "c:%s: containers do not have this method of streams: c:range is a part for a launch, c:stream() "
                      "is a dense stream of "
                      "all elements",
                      name);
}

bool container_push_view(lua_State *L, const char *key)
{
    static const char *const views[] = {"domain",      "stride",  "tile",        "replicate", "group",   "reshape",
                                        "transpose",   "gl",      "flip",        "as",        "select",  "roll",
                                        "pad",         "split",   "squeeze",     "expand",    "cumsum",  "cumprod",
                                        "moving_mean", "isin",    "windows",     "rot90",     "softmax", "logsumexp",
                                        "nansum",      "nanmean", "nanquantile", "ewm",       NULL};
    for (const char *const *name = views; *name; name++) {
        if (strcmp(*name, key) == 0) {
            lua_pushvalue(L, 2);
            lua_pushcclosure(L, container_view, 1);
            return true;
        }
    }
    return false;
}

/* _picture(c, longest): returns an image of the mapped pages, a stream of floats whose sides are at most `longest`. */
static int rill_picture(lua_State *L)
{
    const LuaContainer *self = container_check(L, 1, "rill.show", 1, "s");
    lua_Integer longest = luaL_checkinteger(L, 2);
    Shape shape;
    Device *device = self->stream.device;
    float *cells = scratch_push(L, (size_t)(longest * longest) * sizeof *cells);
    Translator *t = translator_retain(container_translator(self->container));
    bool done = container_occupancy_image(self->container, longest, &shape, cells,
                                          L); /* may run Lua, for a custom translator */
    translator_drop(t);
    container_done(L, self, done, "rill.show");
    Stream *picture = stream_handle_push(L);
    binding_make(L, device, "rill.show", packed_stream(device, type_of(SCALAR_FLOAT, 1), &shape, cells, picture));
    return 1;
}

void open_container_active(lua_State *L)
{
    fields_function(L, "_picture", rill_picture);
}
