/* Ranges as arguments: inputs that are boxes of containers. The box may have another position than the elements of the
 * launch. */
#include "binding/kernels/kernel.h"
#include "binding/streams/container_handle.h"

#include <string.h>

bool call_types_fit(const Param *param, const Type *have)
{
    if (param_kinds[param->kind].written) {
        return type_converts(have->value, param->type) && type_converts(param->type, have->value) &&
               (!param_kinds[param->kind].anywhere || have->value == have || have->is_struct);
    }
    return type_converts(have->value, param->type);
}

static LuaRange *range_in(lua_State *L, const Call *call, int i)
{
    return range_to(L, call->slot[i]);
}

/* Pushes and returns the open container of a range; raises. */
static LuaContainer *container_of(lua_State *L, const Call *call, int i, int index)
{
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    const char *function = call->function->name, *name = call->function->params[i].name;
    const LuaRange *range = range_to(L, index);
    range_push_container(L, index);
    LuaContainer *c = container_check(L, -1, function, 0, name);
    const Shape *own = &container_elements_of(c)->shape;
    if (!shape_equal(&range->region->shape, own)) {
        luaL_error(L, "%s: argument '%s': the range has shape %s, but its container now has shape %s", function, name,
                   shape_text(&range->region->shape, a), shape_text(own, b));
    }
    return c;
}

/* Sets the header of the range to the box, and `first` to the lower corner of the box, x first. */
static void set_header(LuaRange *range, const LuaContainer *c, int64_t *first)
{
    int64_t low[SHAPE_MAX_RANK], high[SHAPE_MAX_RANK], last[SHAPE_MAX_RANK];
    region_bounds(range->region, first, last);
    shape_box(first, last, range->region->shape.rank, low, high);
    range->stream = container_part(c->container, low, high);
}

bool call_take_box(lua_State *L, Call *call, int i, int index, int n)
{
    int64_t first[SHAPE_MAX_RANK];
    const Param *param = &call->function->params[i];
    const char *function = call->function->name;
    LuaRange *range = range_to(L, index);
    if (!range || call->dense || call->function->kind != FUNCTION_KERNEL) {
        return false;
    }
    if (!range->region || !region_is_box(range->region)) {
        luaL_error(L, "%s: argument #%d '%s': expected a range that is a box of elements (c:range), got %s", function,
                   n, param->name, range->region ? "a range that is not a box" : "closed range");
    }
    LuaContainer *c = container_of(L, call, i, index);
    if (c->stream.device != call->device || !call_types_fit(param, c->stream.type)) {
        luaL_error(L,
                   "%s: argument #%d '%s': expected a range of a container of %s on the kernel's device, got one of %s",
                   function, n, param->name, param->type->name, c->stream.type->name);
    }
    set_header(range, c, first);
    lua_pop(L, 1);
    call->boxed |= UINT64_C(1) << i;
    call->args[i].stream = &range->stream;
    return true;
}

static bool is_boxed(const Call *call, int i)
{
    return (call->boxed >> i & 1) != 0;
}

/* Returns whether the option `shape` or an argument other than a box determines the shape of the launch. */
static bool has_own_shape(const Call *call)
{
    bool found = call->has_shape;
    for (int i = 0; i < call->function->param_count; i++) {
        const ParamKindInfo *kind = &param_kinds[call->function->params[i].kind];
        found = found || (kind->stream && kind->along && call->args[i].stream && !is_boxed(call, i));
    }
    return found;
}

void call_find_domain(lua_State *L, Call *call)
{
    Argument args[MAX_PARAMS];
    bool without_boxes = call->boxed && has_own_shape(call);
    if (without_boxes) {
        memcpy(args, call->args, sizeof args);
    }
    for (int i = 0; without_boxes && i < call->function->param_count; i++) {
        if (is_boxed(call, i)) {
            args[i].stream = NULL;
        }
    }
    const Shape *shape = call->has_shape ? &call->shape : NULL;
    binding_raise_unless(L,
                         kernel_domain(call->kernel, without_boxes ? args : call->args, shape, &call->launch.domain));
}

/* Sets `first` to the lower corner, x first, of the box that the launch runs over. Returns false if it is not a box of
 * this shape. */
static bool box_over(const Call *call, const Shape *shape, int64_t *first)
{
    int64_t last[SHAPE_MAX_RANK];
    bool same = call->launch.over && call->over_at && shape->rank == call->launch.domain.rank &&
                region_is_box(call->launch.over) && region_bounds(call->launch.over, first, last);
    for (int d = 0; same && d < shape->rank; d++) {
        same = last[d] - first[d] + 1 == shape->size[shape->rank - 1 - d];
    }
    return same;
}

static void check_written(lua_State *L, const Call *call, int i)
{
    const Function *f = call->function;
    for (int o = 0; o < f->param_count; o++) {
        const ParamKindInfo *kind = &param_kinds[f->params[o].kind];
        if (kind->stream && kind->written && call->args[o].stream && call->args[o].stream->buffer &&
            call->args[o].stream->buffer == call->args[i].stream->buffer) {
            luaL_error(
                L, "%s: argument '%s' is a container whose memory '%s' writes: read a copy of it (c:stream, c:copy)",
                f->name, f->params[i].name, f->params[o].name);
        }
    }
}

/* Updates the header of box i, as the memory may have changed, and shifts it so that its elements correspond to the
 * elements of the launch. */
static void place_box(lua_State *L, Call *call, int i)
{
    char a[SHAPE_TEXT], b[SHAPE_TEXT];
    int64_t first[SHAPE_MAX_RANK], over[SHAPE_MAX_RANK] = {0};
    const char *function = call->function->name, *name = call->function->params[i].name;
    LuaRange *range = range_in(L, call, i);
    if (!range->region) {
        luaL_error(L, "%s: argument '%s' was closed by a finalizer during the call", function, name);
    }
    const LuaContainer *c = container_of(L, call, i, call->slot[i]);
    lua_pop(L, 1);
    set_header(range, c, first);
    Stream *header = &range->stream;
    bool inside = box_over(call, &header->shape, over);
    if (!inside && (call->over_at || !shape_equal(&header->shape, &call->launch.domain))) {
        luaL_error(
            L, "%s: argument '%s' is a range of %s, the launch runs over %s: 'over' must be a box of the same shape",
            function, name, shape_text(&header->shape, a),
            call->over_at ? "other elements" : shape_text(&call->launch.domain, b));
    }
    header->contiguous = header->contiguous && !inside;
    for (int d = 0, rank = header->shape.rank; inside && d < rank; d++) {
        ViewDim *dim = &header->dim[rank - 1 - d];
        dim->start -= header->map ? over[d] : 0;
        header->offset -= header->map ? 0 : over[d] * dim->stride;
    }
    header->shape = call->launch.domain;
    check_written(L, call, i);
}

void call_place_boxes(lua_State *L, Call *call)
{
    for (int i = 0; call->boxed && i < call->function->param_count; i++) {
        if (is_boxed(call, i)) {
            place_box(L, call, i);
        }
    }
}
