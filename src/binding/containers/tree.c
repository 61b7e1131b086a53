/* rill.quadtree, rill.octree, and the methods of adaptive containers. */
#include "container/tree/tree.h"
#include "binding/containers/container.h"
#include "binding/kernels/kernel.h"
#include "binding/values/options.h"
#include "container/kind/kinds.h"

#include <string.h>

/* making */

typedef struct TreeOptions {
    char fallback[TYPE_MAX_BYTES];
    Shape size, page;
    int64_t depth, capacity;
} TreeOptions;

/* Reads a number for all dimensions, or a shape. */
static void read_sizes(lua_State *L, const OptionCall *call, const Option *option, void *field)
{
    Shape *shape = field;
    if (lua_type(L, -1) == LUA_TNUMBER) {
        int64_t size = binding_integer(L, -1, call->function, BINDING_OPTION, option->name);
        shape->rank = call->rank;
        for (int d = 0; d < call->rank; d++) {
            shape->size[d] = size;
        }
        return;
    }
    options_sizes(L, call, option, field);
    if (shape->rank != call->rank) {
        luaL_error(L, "%s: option '%s': expected a number or %d sizes, got %d", call->function, option->name,
                   call->rank, shape->rank);
    }
}

static void refuse_boundary(lua_State *L, const OptionCall *call, const Option *option, void *field)
{
    (void)option;
    (void)field;
    luaL_error(L,
               "%s: option 'boundary': adaptive containers do not accept a translator, since they interpolate between "
               "elements: q:boundary accepts \"clamp\", \"repeat\", \"dirichlet\" and \"neumann\"",
               call->function);
}

static int make_tree(lua_State *L, const char *function, int rank)
{
    static const Option rows[] = {
        {.name = "boundary", .read = refuse_boundary},
        {OPTION("size", read_sizes, TreeOptions, size), .required = true},
        {OPTION("page", read_sizes, TreeOptions, page), .required = true},
        {OPTION("depth", options_count, TreeOptions, depth), .high = 31},
        {OPTION("capacity", options_count, TreeOptions, capacity), .low = 1, .high = SHAPE_MAX_ELEMENTS},
        {OPTION("default", options_element, TreeOptions, fallback)},
        {.name = NULL}};
    TreeOptions options = {.depth = 0};
    binding_count(L, function, 2, false);
    const Type *type = type_check(L, 1, function, 1, "type");
    const OptionCall call = {.function = function,
                             .index = 2,
                             .n = 2,
                             .expected = "a table like {size = 1024, page = 16}",
                             .required = true,
                             .rank = rank,
                             .type = type};
    options_read(L, &call, rows, &options);
    LuaContainer *self = container_push(L);
    Device *device = state_device(L);
    container_make(L, self, device, function,
                   container_adaptive(device, type, &options.size, &options.page, (int)options.depth, options.capacity,
                                      options.fallback));
    return 1;
}

static int rill_quadtree(lua_State *L)
{
    return make_tree(L, "rill.quadtree", 2);
}

static int rill_octree(lua_State *L)
{
    return make_tree(L, "rill.octree", 3);
}

/* methods */

/* Returns the adaptive container at 1; raises for other values, or if the stack holds more than `most` values. */
static LuaContainer *tree_check(lua_State *L, const char *function, int most)
{
    LuaContainer *self = container_check(L, 1, function, 0, "c");
    binding_count(L, function, most, true);
    container_offers(L, self, CONTAINER_REFINE, function);
    return self;
}

/* Pushes the mask given by the argument at 2: the output of a kernel, or a stream or container with one component;
 * raises. */
static LuaContainer *push_mask(lua_State *L, LuaContainer *self, const char *function)
{
    Kernel *kernel = kernel_to(L, 2);
    const Stream *input = NULL;
    if (!kernel) {
        const LuaContainer *given = container_to(L, 2) ? container_check(L, 2, function, 1, "mask") : NULL;
        input = given ? &given->stream : accept_check(L, 2, function, 1, "mask");
        if (input->type->is_struct || input->type->components != 1 || input->device != self->stream.device) {
            binding_argument(
                L, function, 1, "mask", 2,
                "a kernel, or a mask of one component on the container's device (points come with levels)");
        }
    }
    LuaContainer *mask = container_push(L);
    bool check = state_get(L)->check;
    RandomNumbers random = kernel ? kernel_numbers(L, 2) : (RandomNumbers){0};
    container_make(L, mask, self->stream.device, function,
                   kernel ? tree_mask_kernel(self->container, kernel, random, check)
                          : tree_mask_copy(self->container, input));
    if (kernel) {
        kernel_count_numbers(L, 2);
    }
    return mask;
}

/* Returns the stream of points at 2; raises. */
static const Stream *check_points(lua_State *L, const LuaContainer *self, const char *function)
{
    const Stream *points = accept_check(L, 2, function, 1, "points");
    container_check(L, 1, function, 0, "c"); /* an expression may have closed it */
    if (points->device != self->stream.device) {
        binding_argument(L, function, 1, "points", 2, "a stream on the container's device");
    }
    if (!tree_points_check(self->container, points)) {
        binding_argument_error(L, function, 1, "points");
    }
    return points;
}

static void refine_points(lua_State *L, LuaContainer *self, LuaRange *range, const char *function)
{
    const Stream *points = check_points(L, self, function), *levels = NULL;
    int64_t level = 0;
    if (lua_type(L, 3) == LUA_TNUMBER) {
        level = binding_integer(L, 3, function, 2, "levels");
        level = level < 0 ? 0 : level > 31 ? 31 : level;
    } else {
        levels = accept_check(L, 3, function, 2, "levels");
        if (!type_converts(levels->type->value, type_of(SCALAR_INT, 1)) || levels->device != points->device ||
            !shape_equal(&levels->shape, &points->shape)) {
            binding_argument(L, function, 2, "levels", 3, "a number, or a stream of int of the points' shape");
        }
    }
    container_check(L, 1, function, 0, "c");
    range_make(L, range, self->stream.device, function, tree_refine(self->container, points, levels, (int)level));
}

/* c:refine(points, levels), c:refine(kernel_or_mask): returns the container, and the new nodes as a range. */
int container_refine_call(lua_State *L)
{
    static const char function[] = "c:refine";
    LuaContainer *self = tree_check(L, function, 3);
    lua_settop(L, 3);
    LuaRange *range = range_push(L); /* before pages are split, since pushing may fail for lack of memory */
    range_of(L, -1, 1);
    if (lua_isnil(L, 3)) {
        const LuaContainer *mask = push_mask(L, self, function);
        range_make(L, range, self->stream.device, function, tree_refine_mask(self->container, mask->container));
    } else {
        refine_points(L, self, range, function);
    }
    lua_settop(L, 4);
    lua_pushvalue(L, 1);
    lua_insert(L, 4);
    return 2;
}

/* c:coarsen(kernel_or_mask): joins leaves where the mask is nonzero. */
int container_coarsen_call(lua_State *L)
{
    static const char function[] = "c:coarsen";
    LuaContainer *self = tree_check(L, function, 2);
    const LuaContainer *mask = push_mask(L, self, function);
    binding_make(L, self->stream.device, function, tree_coarsen_mask(self->container, mask->container));
    lua_settop(L, 1);
    return 1;
}

/* Reads the argument `how` at 2: nothing, "nearest", or the component by which elements are weighted; raises. */
static int check_means(lua_State *L, const LuaContainer *self)
{
    const Type *type = self->stream.type;
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "", *all = "xyzw";
    const char *found = strlen(name) == 1 ? strchr(all, name[0]) : NULL;
    if (lua_isnoneornil(L, 2)) {
        return TREE_MEANS;
    }
    container_offers(L, self, CONTAINER_WEIGH, "c:mipmap: argument #1 'how'");
    if (strcmp(name, "nearest") == 0) {
        return TREE_NEAREST;
    }
    if (type->is_struct || !type_scalar_is_float(type->value->scalar)) {
        luaL_error(L, "c:mipmap: argument #1 'how': only elements of float types are weighted, these are %s",
                   type->name);
    }
    if (!found || found - all >= type->components) {
        binding_argument(L, "c:mipmap", 1, "how", 2,
                         "\"nearest\", or the name of a component, \"x\", \"y\", \"z\" or \"w\"");
    }
    return (int)(found - all);
}

/* c:mipmap([how]): computes the coarser levels, of adaptive containers and of textures. */
int container_mipmap_call(lua_State *L)
{
    LuaContainer *self = container_self(L, "c:mipmap", 2);
    int how = check_means(L, self);
    binding_make(L, self->stream.device, "c:mipmap", container_mipmap(self->container, how));
    lua_settop(L, 1);
    return 1;
}

/* c:level(points): returns a stream of int with the level of the leaf at each point. */
int container_level_call(lua_State *L)
{
    static const char function[] = "c:level";
    LuaContainer *self = tree_check(L, function, 2);
    const Stream *points = check_points(L, self, function);
    Stream *result = stream_handle_push(L);
    binding_make(L, self->stream.device, function, tree_level(self->container, points, result));
    return 1;
}

/* c:filter_mode(name): sets how sample() interpolates. */
int container_filter_call(lua_State *L)
{
    static const char *const names[] = {"nearest", "linear", "trilinear", NULL};
    LuaContainer *self = tree_check(L, "c:filter_mode", 2);
    int filter = binding_word(L, 2, names);
    if (filter < 0) {
        binding_argument(L, "c:filter_mode", 1, "name", 2, "\"nearest\", \"linear\" or \"trilinear\"");
    }
    tree_set_filter(self->container, (BlendFilter)filter);
    lua_settop(L, 1);
    return 1;
}

/* The names of enum TreeEdge. lua/rill/core/boundary.lua describes them. */
static const char *const edge_names[] = {"clamp", "repeat", "dirichlet", "neumann", NULL};

/* c:boundary(name [, value]): sets the boundary mode of an adaptive container. */
int container_edge_call(lua_State *L)
{
    static const char function[] = "c:boundary";
    char element[TYPE_MAX_BYTES] = {0};
    LuaContainer *self = tree_check(L, function, 3);
    int edge = binding_word(L, 2, edge_names);
    if (edge < 0 || (edge != TREE_DIRICHLET && !lua_isnoneornil(L, 3))) {
        binding_argument(L, function, 1, "name", 2, "\"clamp\", \"repeat\", \"neumann\", or \"dirichlet\" and a value");
    }
    if (!lua_isnoneornil(L, 3) && !value_pack_splat(L, 3, self->stream.type, element)) {
        binding_argument_error(L, function, 2, "value");
    }
    binding_run(L, self->stream.device, function, tree_set_edge(self->container, (TreeEdge)edge, element));
    self->stream = *container_whole(self->container); /* with the new boundary mode */
    binding_charge(L, self->stream.device);
    lua_settop(L, 1);
    return 1;
}

void open_container_tree(lua_State *L)
{
    static const luaL_Reg functions[] = {{"quadtree", rill_quadtree}, {"octree", rill_octree}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
    binding_set_names(L, "_tree_boundary_modes", edge_names);
}
